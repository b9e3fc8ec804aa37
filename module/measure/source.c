// SPDX-License-Identifier: GPL-2.0-only
/* The data source of the accesses of a record; sizes for size=auto. */
#include "arch/caches.h"
#include "core/level.h"
#include "core/math.h"
#include "measure/source.h"
#include "measure/verdict.h"
#include "platform/cpus.h"
#include "platform/os.h"

#define LEAST		(64ULL << 20)	/* the least, however small the caches are */
#define MEMORY_SHARE	4		/* the most: one part in so many of all memory */
#define NOT_CACHED	(16ULL << 20)	/* size=auto for types that are not cached */

/* Level of the last data cache of a CPU; 0: it has none. */
static unsigned int last_level(int cpu)
{
	unsigned int level = MC_CACHES;

	while (level && !mc_cache_bytes(cpu, level))
		level--;
	return level;
}

/* The next of these CPUs; NULL: of all. Start with -1; it returns -1 at the end. */
static int next_cpu(const u64 *cpus, int cpu)
{
	do
		cpu = mc_core_next(cpu);
	while (cpu >= 0 && cpus && !mc_bit(cpus, cpu));
	return cpu;
}

/* The CPUs that the request may run on. */
static const u64 *cpus_of(const struct mc_request *req)
{
	return req->any_cpu ? NULL : req->cpus;
}

/* Does an earlier one of the CPUs have the same cache? */
static bool counted_before(const u64 *cpus, int cpu, unsigned int level)
{
	int before;

	for (before = next_cpu(cpus, -1); before < cpu; before = next_cpu(cpus, before)) {
		if (mc_cache_shared(before, cpu, level))
			return true;
	}
	return false;
}

/**
 * mc_source_caches() - bytes of the caches that several CPUs have, each counted once
 * @cpus: bitmap of the CPUs; NULL: all
 * @level: 1 to 4; 0: the last level of each CPU
 *
 * Return: bytes.
 */
u64 mc_source_caches(const u64 *cpus, unsigned int level)
{
	u64 sum = 0;
	int cpu;

	for (cpu = next_cpu(cpus, -1); cpu >= 0; cpu = next_cpu(cpus, cpu)) {
		unsigned int of_cpu = level ? level : last_level(cpu);

		if (!counted_before(cpus, cpu, of_cpu))
			sum += mc_cache_bytes(cpu, of_cpu);
	}
	return sum;
}

/**
 * mc_source_unlisted() - bytes of caches in front of memory that CPUs do not report
 * @cpus: bitmap of the CPUs; NULL: all. Each of their nodes has one
 *
 * Return: bytes; 0: none is known.
 */
u64 mc_source_unlisted(const u64 *cpus)
{
	u64 one = mc_unlisted_cache(), sum = 0;
	int cpu, before;

	for (cpu = next_cpu(cpus, -1); one && cpu >= 0; cpu = next_cpu(cpus, cpu)) {
		for (before = next_cpu(cpus, -1); before < cpu; before = next_cpu(cpus, before))
			if (mc_cpu_node(before) == mc_cpu_node(cpu))
				break;
		sum += before == cpu ? one : 0;
	}
	return sum;
}

/**
 * mc_source_largest() - bytes of the largest last-level cache that a CPU reports
 * @cpus: bitmap of the CPUs; NULL: all
 *
 * Return: bytes; 0: none reports one.
 */
u64 mc_source_largest(const u64 *cpus)
{
	u64 most = 0;
	int cpu;

	for (cpu = next_cpu(cpus, -1); cpu >= 0; cpu = next_cpu(cpus, cpu))
		most = max(most, mc_cache_bytes(cpu, last_level(cpu)));
	return most;
}

/**
 * mc_source_before_last() - the cache before the last one, for a set that only the last one holds
 * @cpu: the CPU
 * @bytes: bytes of the set
 *
 * Return: bytes of that cache, if the set does not fit into it, and fits into the last one eight
 * times; else 0.
 */
u64 mc_source_before_last(int cpu, u64 bytes)
{
	unsigned int last = last_level(cpu);
	u64 before = last > 1 ? mc_cache_bytes(cpu, last - 1) : 0;

	return bytes > before && 8 * bytes <= mc_cache_bytes(cpu, last) ? before : 0;
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
 * mc_source_sizes() - replace size=auto by a size for this machine
 * @req: the request, its CPUs resolved; its sizes are replaced by numbers
 *
 * The size is MC_BEYOND times the caches that the threads can use, so that the caches serve
 * little of it, at least 64 MiB, and a power of two; but at most a quarter of all
 * memory, and in a process half of what it may take. A cache that CPUs do not report counts, too,
 * unless that makes the set larger than MC_AUTO_MOST. Where no caches are known it is a
 * guess, and the request says so. Types other than WB are not cached, and slow: they get 16 MiB,
 * for which the module has buffers of all types from the beginning. A target may be smaller than
 * that: it also limits a size that the user did not write.
 */
void mc_source_sizes(struct mc_request *req)
{
	const struct mc_test *test = mc_test_of(req->spec);
	struct mc_values *sizes = &req->values[MC_KEY_SIZE];
	bool one = req->any_cpu || test->common;
	u64 caches = one ? mc_source_largest(cpus_of(req)) : mc_source_caches(cpus_of(req), 0);
	u64 unlisted = one ? mc_unlisted_cache() : mc_source_unlisted(cpus_of(req));
	u64 wanted, size = 1 << 20, most;
	unsigned int i;

	if (MC_BEYOND * unlisted <= MC_AUTO_MOST)
		caches = max(caches, unlisted);
	wanted = max(MC_BEYOND * caches, LEAST);
	if (!all_cached(&req->values[MC_KEY_TYPE]))
		wanted = NOT_CACHED;
	most = min(mc_memory_bytes() / MEMORY_SHARE, mc_memory_room() / 2);
	while (size < wanted && 2 * size <= most)
		size *= 2;
	for (i = 0; i < sizes->n; i++) {
		bool fits = sizes->v[i] == MC_AUTO ||
			    (sizes->n == 1 && !mc_request_given(req, MC_KEY_SIZE));

		if (sizes->v[i] == MC_AUTO) {
			sizes->v[i] = size;
			req->size_guessed = !caches && wanted != NOT_CACHED;
		}
		if (fits && req->room)
			sizes->v[i] = min(sizes->v[i], req->room);
	}
}

static struct mc_hierarchy hierarchy_of(int cpu)
{
	struct mc_hierarchy h = {
		.hit_ps = mc_wb_loads.hit_ps, .miss_ps = mc_wb_loads.miss_ps,
	};
	unsigned int i;

	for (i = 0; i < MC_CACHES; i++) {
		h.bytes[i] = mc_cache_bytes(cpu, i + 1);
		h.way[i] = mc_cache_way(cpu, i + 1);
	}
	return h;
}

/* Count the threads that share each cache of a CPU, if each has its own working set. */
static void find_sharers(const struct mc_run *run, bool common, int cpu, struct mc_set *set)
{
	unsigned int i, level, n = common ? 0 : mc_threads_size(run->threads);

	for (level = 1; level <= MC_CACHES; level++) {
		u32 *sharers = &set->sharers[level - 1];

		*sharers = common;
		for (i = 0; i < n; i++)
			*sharers += mc_cache_shared(cpu, mc_threads_cpu(run->threads, i), level);
	}
}

/**
 * struct accesses - the accesses of a record
 * @run: the run
 * @rec: the record
 * @bytes: bytes of the lines of one thread's working set
 * @stride: bytes from line to line; 0: no line is left out
 * @last: a thread's part of the last caches, as in struct mc_set
 * @unlisted: the same of caches that CPUs do not report
 * @loads: loads of a sample, each of which waits for the one before it; 0: they do not wait
 * @ordered: prefetchers follow their order
 */
struct accesses {
	const struct mc_run *run;
	const struct mc_record *rec;
	u64 bytes;
	u64 stride;
	u64 last;
	u64 unlisted;
	u64 loads;
	bool ordered;
};

/* Others may have had the CPU in the median sample: then the fastest one is of another level. */
static enum mc_hit level_of_loads(const struct accesses *a, const struct mc_hierarchy *h)
{
	const struct mc_set set = {
		a->bytes, a->stride, { 1, 1, 1, 1 }, .unlisted = a->unlisted,
	};
	u64 median = a->rec->stats.median_ps / a->loads, least = a->rec->stats.min_ps / a->loads;
	enum mc_hit level = mc_level_of(h, &set, max(median, 1ULL), a->ordered);

	return mc_level_of(h, &set, max(least, 1ULL), a->ordered) == level ? level : MC_HIT_UNKNOWN;
}

static enum mc_hit source_on(const struct accesses *a, int cpu)
{
	struct mc_hierarchy h = hierarchy_of(cpu);
	bool common = mc_test_of(a->run->req->spec)->common;
	struct mc_set set = { .bytes = a->bytes, .last = a->last, .unlisted = a->unlisted };

	if (a->loads)
		return level_of_loads(a, &h);
	/* With cpu=any there is only one thread. */
	find_sharers(a->run, common || a->run->req->any_cpu, cpu, &set);
	return mc_holder_of(&h, &set);
}

/* The next CPU that the record may be about. Start with -1; it returns -1 at the end. */
static int next_of(const struct accesses *a, int cpu)
{
	if (a->rec->cpu >= 0)
		return cpu < 0 ? a->rec->cpu : -1;
	return next_cpu(cpus_of(a->run->req), cpu);
}

/* If the level differs between CPUs, it is unknown for the record. */
static enum mc_hit source_on_all(const struct accesses *a)
{
	enum mc_hit hit = MC_HIT_UNKNOWN;
	int cpu, first = next_of(a, -1);

	for (cpu = first; cpu >= 0; cpu = next_of(a, cpu)) {
		enum mc_hit one = source_on(a, cpu);

		if (cpu != first && one != hit)
			return MC_HIT_UNKNOWN;
		hit = one;
	}
	return hit;
}

/*
 * Memory serves a working set that no cache holds, whether or not accesses pass the caches by. A
 * working set that both a cache and memory serve has no level.
 */
static enum mc_hit past_caches(const struct accesses *a, enum mc_hit held)
{
	const struct mc_test *test = mc_test_of(a->run->req->spec);
	enum mc_uncached which = MC_UNCACHED_NONE;

	if (test->uncached && held != MC_HIT_MEMORY && held != MC_HIT_UNKNOWN)
		which = test->uncached(&a->rec->point);
	if (which == MC_UNCACHED_ALL)
		return MC_HIT_MEMORY;
	return which == MC_UNCACHED_SOME ? MC_HIT_UNKNOWN : held;
}

/*
 * Uncached accesses are served by memory, whatever the size of the working set. Where
 * write-back memory shows no cache, nobody can tell what served them.
 */
static enum mc_hit level_of(const struct accesses *a)
{
	const struct mc_record *rec = a->rec;
	bool cached = rec->point.v[MC_KEY_TYPE] == MC_WB;

	if (cached && rec->effective == MC_EFFECT_NO)
		return MC_HIT_UNKNOWN;
	if (!cached && rec->effective != MC_EFFECT_NO)
		return rec->effective == MC_EFFECT_UNKNOWN ? MC_HIT_UNKNOWN : MC_HIT_MEMORY;
	return past_caches(a, source_on_all(a));
}

/**
 * mc_source_record() - set the column `level` of a test that has it
 * @run: the run
 * @rec: the record of a point that was measured
 *
 * The column stays unset where the level is not known.
 */
void mc_source_record(const struct mc_run *run, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	u64 size = rec->point.v[MC_KEY_SIZE];
	struct accesses a = {
		.run = run, .rec = rec,
		.bytes = test->common ? size : size / rec->threads,
		.unlisted = mc_unlisted_cache(),
	};
	enum mc_hit hit;

	if (!test->level || !rec->stats.samples)
		return;
	if (rec->cpu < 0 && !run->req->any_cpu && !test->common) {
		a.last = mc_source_caches(run->req->cpus, 0) / rec->threads;
		a.unlisted = mc_source_unlisted(run->req->cpus) / rec->threads;
	}
	hit = level_of(&a);
	if (hit != MC_HIT_UNKNOWN)
		mc_record_set(rec, test->level, hit);
}

/**
 * mc_source_of_chase() - level that served the loads of a pointer chase
 * @run: the run
 * @rec: the record of the chase, which one thread ran
 * @chase: its elements
 * @loads: loads of a sample, not 0
 *
 * Return: the level; MC_HIT_UNKNOWN if it is not known.
 */
enum mc_hit mc_source_of_chase(const struct mc_run *run, const struct mc_record *rec,
			       const struct mc_chase *chase, u64 loads)
{
	struct accesses a = {
		.run = run, .rec = rec, .bytes = chase->n * min(chase->stride, MC_LINE),
		.stride = chase->stride, .loads = loads, .unlisted = mc_unlisted_cache(),
		.ordered = chase->order != MC_CHASE_RANDOM,
	};

	return level_of(&a);
}

/**
 * mc_source_of_held() - smallest cache of a CPU that holds what only this CPU has touched
 * @rec: the record, of WB memory
 * @cpu: the CPU
 * @chase: its elements, a line each
 *
 * Return: the level, as of mc_holder_of().
 */
enum mc_hit mc_source_of_held(const struct mc_record *rec, int cpu, const struct mc_chase *chase)
{
	struct mc_hierarchy h = hierarchy_of(cpu);
	const struct mc_set set = {
		MC_LINE * chase->n, chase->stride, { 1, 1, 1, 1 }, .unlisted = mc_unlisted_cache(),
	};

	return rec->effective == MC_EFFECT_NO ? MC_HIT_UNKNOWN : mc_holder_of(&h, &set);
}
