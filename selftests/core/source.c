// SPDX-License-Identifier: GPL-2.0-only
/* The size that size=auto means, and the level, on machines of made-up CPUs. */
#include "cmocka_all.h"
#include "measure/engine.h"
#include "platform/os.h"
#include "measure/source.h"
#include "stub/cpus.h"
#include "measure/verdict.h"

#define G	(1024 * M)

/* ------------------------------------------------------------- the machines */

static const struct made_up_cache big[] = {
	{ 1, MC_CACHE_DATA, 48 * K, 2 }, { 2, MC_CACHE_UNIFIED, 1 * M, 2 },
	{ 3, MC_CACHE_UNIFIED, 32 * M, 64 }, { }
};

static const struct made_up_cache small[] = {
	{ 1, MC_CACHE_DATA, 32 * K, 1 }, { 2, MC_CACHE_UNIFIED, 2 * M, 4 },
	{ 3, MC_CACHE_UNIFIED, 32 * M, 64 }, { }
};

static const struct made_up_cache alone[] = {
	{ 1, MC_CACHE_DATA, 32 * K, 1 }, { 2, MC_CACHE_UNIFIED, 2 * M, 4 }, { }
};

/* 128 MiB of eDRAM. */
static const struct made_up_cache edram[] = {
	{ 1, MC_CACHE_DATA, 32 * K, 1 }, { 2, MC_CACHE_UNIFIED, 256 * K, 1 },
	{ 3, MC_CACHE_UNIFIED, 6 * M, 16 }, { 4, MC_CACHE_UNIFIED, 128 * M, 16 }, { }
};

static const struct made_up_cache nothing[] = { { } };

#define CPU(apic, caches)	{ apic, 0, 0x50654, 0, caches }

/* A core of two threads, two cores of a cluster, and a core that has no L3. */
static const struct made_up_cpu hybrid[] = {
	CPU(0, big), CPU(1, big), CPU(4, small), CPU(5, small), CPU(64, alone),
};

/* Two sockets of two cores each; 64 CPUs could share the L3 of each socket. */
static const struct made_up_cpu sockets[] = {
	CPU(0, big), CPU(2, big), CPU(64, big), CPU(66, big),
};

static const struct made_up_cpu four_levels[] = { CPU(0, edram), CPU(1, edram) };
static const struct made_up_cpu silent[] = { CPU(0, nothing) };

/* ---------------------------------------------------------- the questions */

static struct mc_test each, together, none;
static u64 memory = 64 * G;
static u64 fastest = ~0ULL;
static struct mc_request req;
static struct mc_run run;
static struct mc_threads threads = { .only = -1 };
static int cpus[16];
static unsigned int ncpus;

long get_phys_pages(void)
{
	return memory / 4096;
}

static u64 room = ~0ULL;

u64 mc_memory_room(void)
{
	return room;
}

struct mc_wb_loads mc_wb_loads = { .hit_ps = 1000, .miss_ps = 100000 };

const struct mc_test *mc_test_of(const struct mc_spec *spec)
{
	return container_of(spec, struct mc_test, spec);
}

int mc_threads_cpu(const struct mc_threads *threads, unsigned int i)
{
	return cpus[i];
}

/* For a test on these CPUs, with -1 at the end; only -1: any CPU. */
static void ask(const struct mc_test *test, const int *list)
{
	req = (struct mc_request){ .spec = &test->spec, .any_cpu = *list < 0 };
	run = (struct mc_run){ .req = &req, .threads = &threads };
	req.values[MC_KEY_TYPE] = (struct mc_values){ .n = 1, .v = { MC_WB } };
	req.values[MC_KEY_SIZE] = (struct mc_values){ .n = 1, .v = { MC_AUTO } };
	cpus[0] = -1;
	for (ncpus = 0; list[ncpus] >= 0; ncpus++) {
		cpus[ncpus] = list[ncpus];
		req.cpus[0] |= 1ULL << list[ncpus];
	}
	req.ncpus = ncpus;
	ncpus = max(ncpus, 1U);
	threads.n = ncpus;
}

#define ASK(test, ...)	ask(test, (const int []){ __VA_ARGS__ })

static u64 size(void)
{
	mc_source_sizes(&req);
	return req.values[MC_KEY_SIZE].v[0];
}

/* Is what a user wrote, or left out, a size that the target has? */
static u64 size_on_target(u64 room, u64 asked, bool given)
{
	ASK(&each, 0, -1);
	req.room = room;
	req.values[MC_KEY_SIZE].v[0] = asked;
	req.order[0] = MC_KEY_SIZE;
	req.given = given;
	return size();
}

static struct mc_record record(u64 bytes)
{
	struct mc_record rec = {
		.point.v[MC_KEY_SIZE] = bytes, .threads = ncpus, .cpu = MC_CPU_ALL,
		.stats.samples = 1, .effective = MC_EFFECT_YES,
	};

	rec.point.v[MC_KEY_TYPE] = MC_WB;
	return rec;
}

/* For a working set of so many bytes for each thread. */
static enum mc_hit level(u64 bytes)
{
	struct mc_record rec = record(bytes * (mc_test_of(req.spec)->common ? 1 : ncpus));

	mc_source_record(&run, &rec);
	return rec.has >> 1 & 1 ? (enum mc_hit)rec.value[1] : MC_HIT_UNKNOWN;
}

static enum mc_uncached which;

static enum mc_uncached uncached(const struct mc_point *point)
{
	return which;
}

/* A hundred loads of a sample; the fastest sample is no faster. */
static enum mc_hit of_chase(struct mc_record *rec, u64 bytes, u64 ps)
{
	const struct mc_chase chase = { .n = bytes / 64, .stride = 64 };

	rec->stats.median_ps = 100 * ps;
	rec->stats.min_ps = min(100 * ps, fastest);
	return mc_source_of_chase(&run, rec, &chase, 100);
}

/* For loads on one of the CPUs. */
static enum mc_hit chased(int cpu, u64 bytes, u64 ps)
{
	struct mc_record rec = record(bytes);

	rec.cpu = cpu;
	rec.threads = 1;
	return of_chase(&rec, bytes, ps);
}

static int set_up(void **state)
{
	each = (struct mc_test){ .level = 1 };
	together = (struct mc_test){ .level = 1, .common = true };
	none = (struct mc_test){ 0 };
	memory = 64 * G;
	mc_wb_loads.hit_ps = 1000;
	return 0;
}

#define SET_UP	set_up

/* --------------------------------------------------------------------- tests */

static const struct {
	const struct made_up_cpu *cpu;
	size_t n;
} machines[] = { { hybrid, ARRAY_SIZE(hybrid) }, { sockets, ARRAY_SIZE(sockets) } };

enum { HYBRID, SOCKETS };	/* in machines */

static void test_auto_is_of_the_cpus_that_measure(void **state)
{
	static const struct {
		unsigned int machine;
		const struct mc_test *test;
		u64 memory, room;
		int cpus[6];
		u64 size;
	} rows[] = {
		{ HYBRID, &each, 64 * G, ~0ULL, { 0, -1 }, 128 * M },
		/* No L3: four times the L2 is less than the minimum. Then both. */
		{ HYBRID, &each, 64 * G, ~0ULL, { 4, -1 }, 64 * M },
		{ HYBRID, &each, 64 * G, ~0ULL, { 0, 1, 2, 3, 4, -1 }, 256 * M },
		{ HYBRID, &together, 64 * G, ~0ULL, { 0, 4, -1 }, 128 * M },
		{ HYBRID, &each, 64 * G, ~0ULL, { -1 }, 128 * M },
		{ HYBRID, &each, 300 * M, ~0ULL, { 0, -1 }, 64 * M },
		/* A control group allows this process less than the machine has. */
		{ HYBRID, &each, 64 * G, 100 * M, { 0, -1 }, 32 * M },
		/* Each cache counts once. */
		{ SOCKETS, &each, 64 * G, ~0ULL, { 0, 1, -1 }, 128 * M },
		{ SOCKETS, &each, 64 * G, ~0ULL, { 0, 2, -1 }, 256 * M },
		{ SOCKETS, &each, 64 * G, ~0ULL, { 0, 1, 2, 3, -1 }, 256 * M },
		{ SOCKETS, &together, 64 * G, ~0ULL, { 0, 1, 2, 3, -1 }, 128 * M },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		made_up_machine(machines[rows[i].machine].cpu, machines[rows[i].machine].n);
		memory = rows[i].memory;
		room = rows[i].room;
		ask(rows[i].test, rows[i].cpus);
		assert_int_equal(size(), rows[i].size);
	}
	room = ~0ULL;
}

static void test_auto_is_beyond_a_fourth_level(void **state)
{
	made_up_machine(four_levels, ARRAY_SIZE(four_levels));
	ASK(&each, 0, -1);
	assert_int_equal(size(), 512 * M);
	ASK(&each, 0, 1, -1);
	assert_int_equal(size(), 512 * M);
	assert_int_equal(level(16 * M), MC_HIT_L4);
	assert_int_equal(level(64 * M + 64), MC_HIT_BETWEEN);
	assert_int_equal(chased(0, 64 * M, 40000), MC_HIT_L4);
}

static u64 unlisted;

u64 mc_unlisted_cache(void)
{
	return unlisted;
}

int mc_cpu_node(unsigned int cpu)
{
	return cpu / 2;
}

/* A search found it, or sysfs has it in front of the memory of a node. */
static void test_a_cache_that_cpus_do_not_report(void **state)
{
	unlisted = 64 * M;
	made_up_machine(sockets, ARRAY_SIZE(sockets));
	ASK(&each, 0, -1);
	assert_int_equal(size(), 256 * M);
	assert_int_equal(level(32 * M), MC_HIT_L3);
	assert_int_equal(level(256 * M - 64), MC_HIT_BETWEEN);
	assert_int_equal(level(256 * M), MC_HIT_MEMORY);
	assert_int_equal(chased(0, 128 * M, 60000), MC_HIT_BETWEEN);
	assert_int_equal(chased(0, 256 * M, 60000), MC_HIT_MEMORY);
	ASK(&each, 0, 1, -1);
	assert_int_equal(size(), 256 * M);
	assert_int_equal(level(128 * M), MC_HIT_MEMORY);
	ASK(&each, 0, 1, 2, -1);
	assert_int_equal(size(), 512 * M);
	ASK(&together, 0, 2, -1);
	assert_int_equal(size(), 256 * M);
	/* What is smaller than an L3 changes nothing. */
	unlisted = 8 * M;
	ASK(&each, 0, -1);
	assert_int_equal(size(), 128 * M);
	assert_int_equal(level(128 * M - 64), MC_HIT_BETWEEN);
	assert_int_equal(level(128 * M), MC_HIT_MEMORY);
	/* Sets beyond HBM in front of memory take too long: so none is memory. */
	unlisted = 64 * G;
	memory = 4096 * G;
	ASK(&each, 0, -1);
	assert_int_equal(size(), 128 * M);
	assert_int_equal(level(128 * M), MC_HIT_BETWEEN);
	/* CPUs that report no caches have this one at least. */
	unlisted = 32 * M;
	made_up_machine(silent, ARRAY_SIZE(silent));
	ASK(&each, 0, -1);
	assert_int_equal(size(), 128 * M);
	assert_false(req.size_guessed);
	unlisted = 0;
}

/* Then nothing but a time tells a level, and nobody knows whether a size reaches memory. */
static void test_cpus_that_report_no_caches(void **state)
{
	made_up_machine(silent, ARRAY_SIZE(silent));
	ASK(&each, 0, -1);
	assert_int_equal(size(), 64 * M);
	assert_true(req.size_guessed);
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
	assert_int_equal(level(G), MC_HIT_UNKNOWN);
	assert_int_equal(chased(0, 16 * K, 1000), MC_HIT_UNKNOWN);
	assert_int_equal(chased(0, G, 90000), MC_HIT_MEMORY);
	/* A size that a user wrote, and types that are not cached. */
	assert_int_equal(size_on_target(0, 64 * K, true), 64 * K);
	assert_false(req.size_guessed);
	ASK(&each, 0, -1);
	req.values[MC_KEY_TYPE].v[0] = MC_UC;
	assert_int_equal(size(), 16 * M);
	assert_false(req.size_guessed);
	made_up_machine(sockets, ARRAY_SIZE(sockets));
	ASK(&each, 0, -1);
	size();
	assert_false(req.size_guessed);
}

static void test_auto_is_at_most_what_a_target_has(void **state)
{
	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	assert_int_equal(size_on_target(0, MC_AUTO, true), 128 * M);
	assert_int_equal(size_on_target(4 * K, MC_AUTO, true), 4 * K);
	assert_int_equal(size_on_target(4 * K, MC_AUTO, false), 4 * K);
	assert_int_equal(size_on_target(G, MC_AUTO, true), 128 * M);
	/* What a user wrote is refused later; what nobody wrote is adapted. */
	assert_int_equal(size_on_target(4 * K, 64 * K, true), 64 * K);
	assert_int_equal(size_on_target(4 * K, 64 * K, false), 4 * K);
	assert_int_equal(size_on_target(G, 64 * K, false), 64 * K);
	ASK(&each, 0, -1);
	req.room = 4 * K;
	req.values[MC_KEY_SIZE] = (struct mc_values){ .n = 2, .v = { 16 * K, MC_AUTO } };
	mc_source_sizes(&req);
	assert_int_equal(req.values[MC_KEY_SIZE].v[0], 16 * K);
	assert_int_equal(req.values[MC_KEY_SIZE].v[1], 4 * K);
}

static void test_caches_of_several_cpus(void **state)
{
	const u64 one_cluster = 1 << 2 | 1 << 3, last_core = 1 << 4;

	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	assert_int_equal(mc_source_caches(NULL, 1), (48 + 32 + 32 + 32) * K);
	assert_int_equal(mc_source_caches(NULL, 2), (1 + 2 + 2) * M);
	assert_int_equal(mc_source_caches(NULL, 3), 32 * M);
	assert_int_equal(mc_source_caches(NULL, 0), (32 + 2) * M);
	assert_int_equal(mc_source_caches(&one_cluster, 2), 2 * M);
	assert_int_equal(mc_source_caches(&last_core, 3), 0);
}

static void test_a_set_that_the_last_cache_has_room_for(void **state)
{
	static const struct {
		int cpu;
		u64 bytes, before;
	} rows[] = {
		{ 0, 1 * M, 0 }, { 0, 1 * M + 64, 1 * M }, { 0, 4 * M, 1 * M },
		{ 0, 4 * M + 64, 0 },
		{ 2, 2 * M + 64, 2 * M }, { 4, 48 * K, 32 * K }, { 4, 2 * M, 0 }, { -1, 4 * M, 0 },
	};

	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(mc_source_before_last(rows[i].cpu, rows[i].bytes), rows[i].before);
	made_up_machine(silent, ARRAY_SIZE(silent));
	assert_int_equal(mc_source_before_last(0, 4 * M), 0);
}

#define L1	MC_HIT_L1
#define L2	MC_HIT_L2
#define L3	MC_HIT_L3
#define BETWEEN	MC_HIT_BETWEEN
#define MEMORY	MC_HIT_MEMORY
#define UNKNOWN	MC_HIT_UNKNOWN

/* Threads on these CPUs, with -1 at the end; only -1: a thread that may be anywhere. */
static void test_levels_of_threads(void **state)
{
	static const struct {
		unsigned int machine;
		const struct mc_test *test;
		int cpus[5];
		struct { u64 bytes; enum mc_hit level; } sets[7];
	} rows[] = {
		/* The level is that of the CPU that measures. */
		{ HYBRID, &each, { 0, -1 }, { { 48 * K, L1 }, { 2 * M, L3 }, { 32 * M, L3 } } },
		{ HYBRID, &each, { 2, -1 }, { { 48 * K, L2 }, { 2 * M, L2 } } },
		{ HYBRID, &each, { 4, -1 }, { { 32 * K, L1 }, { 32 * M, MEMORY } } },
		/* CPUs that differ. */
		{ HYBRID, &each, { 0, 2, -1 },
		  { { 32 * K, L1 }, { 48 * K, UNKNOWN }, { 1 * M, L2 }, { 2 * M, UNKNOWN },
		    { 16 * M, L3 }, { 16 * M + 64, BETWEEN }, { 64 * M, MEMORY } } },
		{ HYBRID, &each, { -1 },
		  { { 32 * K, L1 }, { 48 * K, UNKNOWN }, { 8 * M, UNKNOWN },
		    { 128 * M, MEMORY } } },
		/* Threads of a core share an L1 and an L2. */
		{ HYBRID, &each, { 0, 1, -1 },
		  { { 24 * K, L1 }, { 24 * K + 64, L2 }, { 512 * K + 64, L3 } } },
		/* Cores of a cluster have an L1 each and share an L2. */
		{ HYBRID, &each, { 2, 3, -1 },
		  { { 32 * K, L1 }, { 1 * M, L2 }, { 1 * M + 64, L3 } } },
		/* Not only the number of threads matters, but also their CPUs. */
		{ SOCKETS, &each, { 0, 1, -1 },
		  { { 16 * M, L3 }, { 16 * M + 64, BETWEEN }, { 64 * M, MEMORY } } },
		{ SOCKETS, &each, { 0, 2, -1 },
		  { { 32 * M, L3 }, { 128 * M - 64, BETWEEN }, { 128 * M, MEMORY } } },
		/* Two CPUs of one socket, and one of the other; the last is what size=auto is. */
		{ SOCKETS, &each, { 0, 1, 2, -1 },
		  { { 16 * M, L3 }, { 32 * M, UNKNOWN }, { 85 * M, BETWEEN },
		    { 256 * M / 3, MEMORY } } },
		/* All go through the same. */
		{ SOCKETS, &together, { 0, 1, 2, 3, -1 },
		  { { 48 * K, L1 }, { 32 * M, L3 }, { 32 * M + 64, BETWEEN },
		    { 128 * M, MEMORY } } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		made_up_machine(machines[rows[i].machine].cpu, machines[rows[i].machine].n);
		ask(rows[i].test, rows[i].cpus);
		for (size_t k = 0; k < ARRAY_SIZE(rows[i].sets) && rows[i].sets[k].bytes; k++) {
			u64 bytes = rows[i].sets[k].bytes;

			if (level(bytes) != rows[i].sets[k].level)
				fail_msg("row %zu, %llu bytes: level %u", i, bytes, level(bytes));
		}
	}
}

static void test_loads_that_wait(void **state)
{
	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	ASK(&each, 0, 2, 4, -1);
	assert_int_equal(chased(0, 48 * K, 1000), MC_HIT_L1);
	assert_int_equal(chased(2, 48 * K, 1000), MC_HIT_L2);
	assert_int_equal(chased(0, 2 * M, 15000), MC_HIT_L3);
	assert_int_equal(chased(2, 2 * M, 5000), MC_HIT_L2);
	assert_int_equal(chased(4, 8 * M, 50000), MC_HIT_MEMORY);
	ASK(&each, -1);
	assert_int_equal(chased(-1, 32 * K, 1000), MC_HIT_L1);
	assert_int_equal(chased(-1, 48 * K, 1000), MC_HIT_UNKNOWN);
	assert_int_equal(chased(-1, 48 * K, 100000), MC_HIT_MEMORY);
	/* Others had the CPU for most of the median sample, and for none of the fastest one. */
	ASK(&each, 0, -1);
	fastest = 100 * 15000;
	assert_int_equal(chased(0, 2 * M, 135000), MC_HIT_UNKNOWN);
	fastest = ~0ULL;
	assert_int_equal(chased(0, 2 * M, 135000), MC_HIT_MEMORY);
}

/* Tests of both kinds get the same. */
static void test_memory_that_is_not_cached(void **state)
{
	static const enum mc_hit wanted[][2] = {
		[MC_EFFECT_NO] = { MC_HIT_L1, MC_HIT_L1 },
		[MC_EFFECT_YES] = { MC_HIT_MEMORY, MC_HIT_MEMORY },
		[MC_EFFECT_PARTLY] = { MC_HIT_MEMORY, MC_HIT_MEMORY },
		[MC_EFFECT_UNKNOWN] = { MC_HIT_UNKNOWN, MC_HIT_UNKNOWN },
	};

	made_up_machine(sockets, ARRAY_SIZE(sockets));
	ASK(&each, 0, -1);
	for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct mc_record rec = record(16 * K);

		rec.point.v[MC_KEY_TYPE] = MC_UC;
		rec.effective = i;
		assert_int_equal(of_chase(&rec, 16 * K, 1000), wanted[i][0]);
		mc_source_record(&run, &rec);
		assert_int_equal(rec.has >> 1 & 1 ? (enum mc_hit)rec.value[1] : MC_HIT_UNKNOWN,
				 wanted[i][1]);
	}
}

/* Non-temporal stores, with other accesses or without, and whether a cache would hold the set. */
static void test_accesses_that_pass_the_caches_by(void **state)
{
	static const enum mc_hit wanted[][3] = {
		[MC_UNCACHED_NONE] = { MC_HIT_L1, MC_HIT_MEMORY, MC_HIT_BETWEEN },
		[MC_UNCACHED_SOME] = { MC_HIT_UNKNOWN, MC_HIT_MEMORY, MC_HIT_UNKNOWN },
		[MC_UNCACHED_ALL] = { MC_HIT_MEMORY, MC_HIT_MEMORY, MC_HIT_MEMORY },
	};

	made_up_machine(sockets, ARRAY_SIZE(sockets));
	each.uncached = uncached;
	ASK(&each, 0, -1);
	for (which = 0; which < ARRAY_SIZE(wanted); which++) {
		assert_int_equal(level(16 * K), wanted[which][0]);
		assert_int_equal(level(G), wanted[which][1]);
		assert_int_equal(level(64 * M), wanted[which][2]);
	}
	mc_wb_loads.hit_ps = 0;
	which = MC_UNCACHED_ALL;
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
}

/* As in an emulator, even if a flush seemed to cost something once. */
static void test_write_back_memory_without_a_cache(void **state)
{
	struct mc_record rec = record(16 * K);

	made_up_machine(sockets, ARRAY_SIZE(sockets));
	ASK(&each, 0, -1);
	rec.effective = MC_EFFECT_NO;
	assert_int_equal(of_chase(&rec, 16 * K, 1000), MC_HIT_UNKNOWN);
	assert_int_equal(of_chase(&rec, 16 * K, 90000), MC_HIT_UNKNOWN);
	mc_source_record(&run, &rec);
	assert_false(rec.has >> 1 & 1);
}

static enum mc_hit held(const struct mc_record *rec, int cpu, u64 bytes)
{
	const struct mc_chase chase = { .n = bytes / 64, .stride = 64 };

	return mc_source_of_held(rec, cpu, &chase);
}

/* The lines that one CPU has touched are in its own caches. Other CPUs may share these. */
static void test_what_one_cpu_holds(void **state)
{
	struct mc_record rec = record(16 * K);

	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	assert_int_equal(held(&rec, 0, 48 * K), MC_HIT_L1);
	assert_int_equal(held(&rec, 0, 48 * K + 64), MC_HIT_L2);
	assert_int_equal(held(&rec, 2, 2 * M), MC_HIT_L2);
	assert_int_equal(held(&rec, 2, 32 * M), MC_HIT_L3);
	assert_int_equal(held(&rec, 4, 2 * M + 64), MC_HIT_BETWEEN);
	assert_int_equal(held(&rec, 4, 8 * M), MC_HIT_MEMORY);
	rec.effective = MC_EFFECT_NO;
	assert_int_equal(held(&rec, 0, 16 * K), MC_HIT_UNKNOWN);
	made_up_machine(silent, ARRAY_SIZE(silent));
	rec.effective = MC_EFFECT_YES;
	assert_int_equal(held(&rec, 0, 16 * K), MC_HIT_UNKNOWN);
}

static void test_little_is_known(void **state)
{
	made_up_machine(sockets, ARRAY_SIZE(sockets));
	ASK(&none, 0, -1);
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
	ASK(&each, 0, -1);
	mc_wb_loads.hit_ps = 0;
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
	/* A CPU that has gone. */
	mc_wb_loads.hit_ps = 1000;
	mc_core_forget(0);
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
}
