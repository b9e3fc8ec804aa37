// SPDX-License-Identifier: GPL-2.0-only
/* Which cache, or memory, a record's accesses were served by. */
#include "arch/caches.h"
#include "core/holds.h"
#include "measure/served.h"
#include "measure/verdict.h"
#include "platform/cpus.h"
#include "platform/os.h"

#define BEYOND		4ULL		/* times what the caches hold */
#define LEAST		(64ULL << 20)	/* so much, whatever the caches are */
#define MEMORY_SHARE	4		/* this part of the memory is the most */
#define NOT_CACHED	(16ULL << 20)	/* where types are asked for that are not */

/* The last level of cache for data that a CPU has; 0: none. */
static unsigned int last_level(int cpu)
{
	unsigned int level = MC_CACHES;

	while (level && !mc_cache_bytes(cpu, level))
		level--;
	return level;
}

/* The CPUs that a request may run on, one after the other, from -1 to -1. */
static int next_cpu(const struct mc_request *req, int cpu)
{
	do
		cpu = mc_core_next(cpu);
	while (cpu >= 0 && !req->any_cpu && !(req->cpus[cpu / 64] >> (cpu % 64) & 1));
	return cpu;
}

/* Has a CPU of the request before this one the same last-level cache? */
static bool counted(const struct mc_request *req, int cpu)
{
	int before;

	for (before = next_cpu(req, -1); before < cpu; before = next_cpu(req, before)) {
		if (mc_cache_shared(before, cpu, last_level(cpu)))
			return true;
	}
	return false;
}

/* Bytes of all last-level caches that the request's threads can use: of one, or all. */
static u64 caches_hold(const struct mc_request *req, bool one)
{
	u64 bytes, sum = 0, most = 0;
	int cpu;

	for (cpu = next_cpu(req, -1); cpu >= 0; cpu = next_cpu(req, cpu)) {
		bytes = mc_cache_bytes(cpu, last_level(cpu));
		most = max(most, bytes);
		if (!one && !counted(req, cpu))
			sum += bytes;
	}
	return one ? most : sum;
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
 */
void mc_served_sizes(struct mc_request *req)
{
	const struct mc_test *test = mc_test_of(req->spec);
	struct mc_values *sizes = &req->values[MC_KEY_SIZE];
	u64 caches = caches_hold(req, req->any_cpu || test->common);
	u64 wanted = max(BEYOND * caches, LEAST), size = 1 << 20;
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

static struct mc_hierarchy hierarchy_of(int cpu)
{
	struct mc_hierarchy h = {
		.hit_ps = mc_verdict_hit_ps(), .miss_ps = mc_verdict_miss_ps(),
	};
	unsigned int i;

	for (i = 0; i < MC_CACHES; i++)
		h.bytes[i] = mc_cache_bytes(cpu, i + 1);
	return h;
}

/* The run's threads on a CPU's caches, if each has a working set of its own. */
static void find_sharers(const struct mc_run *run, bool common, int cpu, struct mc_set *set)
{
	unsigned int i, level, n = common ? 0 : mc_team_size(run->team);

	for (level = 1; level <= MC_CACHES; level++) {
		u32 *sharers = &set->sharers[level - 1];

		*sharers = common;
		for (i = 0; i < n; i++)
			*sharers += mc_cache_shared(cpu, mc_team_cpu(run->team, i), level);
	}
}

/**
 * struct accesses - what a record is about
 * @run: its run
 * @rec: the record
 * @bytes: that a thread goes through again and again
 * @ps: what a load took that waited for the one before it; 0: others did not wait
 */
struct accesses {
	const struct mc_run *run;
	const struct mc_record *rec;
	u64 bytes;
	u64 ps;
};

static enum mc_hit served_on(const struct accesses *a, int cpu)
{
	struct mc_hierarchy h = hierarchy_of(cpu);
	bool common = mc_test_of(a->run->req->spec)->common;
	struct mc_set set = { .bytes = a->bytes };

	if (a->ps)
		return mc_level_of(&h, a->bytes, a->ps);
	/* A thread that is not bound is the only one. */
	find_sharers(a->run, common || a->run->req->any_cpu, cpu, &set);
	return mc_holder_of(&h, &set);
}

/* The CPUs that a record is of, or can be, from -1 to -1. */
static int next_of(const struct accesses *a, int cpu)
{
	if (a->rec->cpu >= 0)
		return cpu < 0 ? a->rec->cpu : -1;
	return next_cpu(a->run->req, cpu);
}

/* Where it is not the same on each CPU, nothing is said of all. */
static enum mc_hit served(const struct accesses *a)
{
	enum mc_hit hit = MC_HIT_UNKNOWN;
	int cpu, first = next_of(a, -1);

	for (cpu = first; cpu >= 0; cpu = next_of(a, cpu)) {
		enum mc_hit one = served_on(a, cpu);

		if (cpu != first && one != hit)
			return MC_HIT_UNKNOWN;
		hit = one;
	}
	return hit;
}

/* Memory that is not cached is served by memory, whatever its size. */
static enum mc_hit level_of(const struct accesses *a)
{
	const struct mc_record *rec = a->rec;

	if (rec->point.v[MC_KEY_TYPE] != MC_WB && rec->effective != MC_EFFECT_NO)
		return rec->effective == MC_EFFECT_YES ? MC_HIT_MEMORY : MC_HIT_UNKNOWN;
	return served(a);
}

/**
 * mc_served_by() - set the column level of a test that has it
 * @run: the run
 * @rec: the record of a point that was measured
 *
 * Nothing is set where it is not known.
 */
void mc_served_by(const struct mc_run *run, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	u64 size = rec->point.v[MC_KEY_SIZE];
	struct accesses a = {
		.run = run, .rec = rec,
		.bytes = test->common ? size : size / rec->threads,
	};
	enum mc_hit hit;

	if (!test->level || !rec->stats.samples)
		return;
	hit = level_of(&a);
	if (hit != MC_HIT_UNKNOWN)
		mc_record_set(rec, test->level, hit);
}

/**
 * mc_served_chase() - which level loads were served by that waited for each other
 * @run: the run
 * @rec: their record, of one thread
 * @bytes: lines that were loaded in turn, in bytes
 * @ps: what a load took, not 0
 *
 * Return: the level; MC_HIT_UNKNOWN where it is not known.
 */
enum mc_hit mc_served_chase(const struct mc_run *run, const struct mc_record *rec,
			    u64 bytes, u64 ps)
{
	struct accesses a = { .run = run, .rec = rec, .bytes = bytes, .ps = ps };

	return level_of(&a);
}
