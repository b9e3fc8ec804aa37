// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers to questions that most tests do not ask: there is memory for all, and nothing else is
 * known. A test with a function of the same name replaces one of these.
 */
#include "measure/source.h"
#include "measure/test.h"
#include "platform/cpus.h"
#include "platform/os.h"

#define __weak __attribute((weak))

__weak u64 mc_memory_room(void)
{
	return ~0ULL;
}

__weak u64 mc_unlisted_cache(void)
{
	return 0;
}

__weak enum mc_hit mc_source_of_chase(const struct mc_run *run, const struct mc_record *rec,
				      const struct mc_chase *chase, u64 loads)
{
	return MC_HIT_UNKNOWN;
}

__weak enum mc_hit mc_source_of_held(const struct mc_record *rec, int cpu,
				     const struct mc_chase *chase)
{
	return MC_HIT_UNKNOWN;
}

__weak u64 mc_source_before_last(int cpu, u64 bytes)
{
	return 0;
}

__weak const struct mc_loop *mc_loop_widest(enum mc_op op)
{
	return NULL;
}

__weak bool mc_cpu_has(enum mc_feature feature)
{
	return false;
}

__weak const struct mc_test *mc_test_of(const struct mc_spec *spec)
{
	return container_of(spec, struct mc_test, spec);
}
