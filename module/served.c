// SPDX-License-Identifier: GPL-2.0-only
/* Which cache, or memory, a record's accesses were served by. */
#include "arch.h"
#include "core/holds.h"
#include "os.h"
#include "served.h"
#include "verdict.h"

static enum mc_hit held(const struct mc_test *test, const struct mc_record *rec)
{
	u64 size = rec->point.v[MC_KEY_SIZE];
	struct mc_hierarchy h = {
		.hit_ps = mc_verdict_hit_ps(), .miss_ps = mc_verdict_miss_ps(),
	};
	struct mc_set set = {
		.bytes = test->common ? size : size / rec->threads,
		.threads = rec->threads, .common = test->common,
		.sharers = mc_cache_sharers(MC_CACHES), .cpus = mc_cpus_online(),
	};
	unsigned int i;

	for (i = 0; i < MC_CACHES; i++)
		h.bytes[i] = mc_cache_bytes(i + 1);
	return mc_holder_of(&h, &set);
}

/**
 * mc_served_by() - set the column level of a test that has it
 * @run: the run
 * @rec: the record of a point that was measured
 *
 * Memory that is not cached is served by memory, whatever its size. Nothing is set
 * where it is not known.
 *
 * Context: Any.
 */
void mc_served_by(const struct mc_run *run, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	enum mc_hit hit;

	if (!test->level || !rec->stats.samples)
		return;
	if (rec->point.v[MC_KEY_TYPE] != MC_WB && rec->effective != MC_EFFECT_NO)
		hit = rec->effective == MC_EFFECT_YES ? MC_HIT_MEMORY : MC_HIT_UNKNOWN;
	else
		hit = held(test, rec);
	if (hit != MC_HIT_UNKNOWN)
		mc_record_set(rec, test->level, hit);
}
