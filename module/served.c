// SPDX-License-Identifier: GPL-2.0-only
/* Which cache, or memory, a record's accesses were served by. */
#include "arch.h"
#include "core/holds.h"
#include "os.h"
#include "served.h"
#include "verdict.h"

#define BEYOND		4ULL		/* times what the caches hold */
#define LEAST		(64ULL << 20)	/* so much, whatever the caches are */
#define MEMORY_SHARE	4		/* this part of the memory is the most */
#define NOT_CACHED	(16ULL << 20)	/* where types are asked for that are not */

/* Bytes of all last-level caches that so many threads can use. */
static u64 caches_hold(u64 threads)
{
	u64 bytes = 0, sharers = 0, cpus = mc_cpus_online(), most;
	unsigned int i;

	for (i = 1; i <= MC_CACHES; i++) {
		if (!mc_cache_bytes(i))
			continue;
		bytes = mc_cache_bytes(i);
		sharers = mc_cache_sharers(i);
	}
	most = sharers ? (cpus + sharers - 1) / sharers : 1;
	return bytes * min(most, threads);
}

static bool all_cached(const struct mc_values *types)
{
	unsigned int i;

	for (i = 0; i < types->n; i++) {
		if (types->v[i] != MC_WB)
			return false;
	}
	return true;
}

/**
 * mc_served_sizes() - what size=auto comes to here
 * @req: the request, its CPUs resolved; its sizes are replaced by numbers
 *
 * Four times what the caches hold that its threads can have, so that little of it is
 * served by them, at least 64 MiB, and a power of two; or what a quarter of the
 * memory allows. Other types than WB are not cached, and take long: 16 MiB, for
 * which the module has buffers from the beginning, of all types alike.
 *
 * Context: Any.
 */
void mc_served_sizes(struct mc_request *req)
{
	const struct mc_test *test = mc_test_of(req->spec);
	struct mc_values *sizes = &req->values[MC_KEY_SIZE];
	u64 threads = req->any_cpu || test->common ? 1 : max(req->ncpus, 1U);
	u64 wanted = max(BEYOND * caches_hold(threads), LEAST), size = 1 << 20;
	unsigned int i;

	if (!all_cached(&req->values[MC_KEY_TYPE]))
		wanted = NOT_CACHED;
	while (size < wanted && 2 * size <= mc_memory_bytes() / MEMORY_SHARE)
		size *= 2;
	for (i = 0; i < sizes->n; i++) {
		if (sizes->v[i] == MC_AUTO)
			sizes->v[i] = size;
	}
}

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
