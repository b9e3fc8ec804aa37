// SPDX-License-Identifier: GPL-2.0-only
/* All tests. */
#include "measure/test.h"
#include "platform/os.h"

const struct mc_spec *const mc_specs[] = {
	&mc_test_bandwidth.spec,
	&mc_test_latency.spec,
	&mc_test_loaded.spec,
	&mc_test_c2c.spec,
	&mc_test_line.spec,
	&mc_test_tlb.spec,
	&mc_test_random.spec,
	&mc_test_overhead.spec,
	&mc_test_file.spec,
#ifndef __KERNEL__
	&mc_test_os.spec,
	&mc_test_pipe.spec,
#endif
	NULL,
};

/**
 * mc_test_of() - the test that a request is for
 * @spec: the spec that the parser found
 *
 * Return: the test.
 */
const struct mc_test *mc_test_of(const struct mc_spec *spec)
{
	return container_of(spec, struct mc_test, spec);
}
