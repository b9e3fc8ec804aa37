// SPDX-License-Identifier: GPL-2.0-only
/* The size that size=auto means, and the level, on machines of made-up CPUs. */
#include "cmocka_all.h"
#include "platform/os.h"
#include "measure/source.h"
#include "stub/cpus.h"
#include "measure/verdict.h"

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
static u64 fastest = ~0ULL;	/* time of a load in the fastest sample; more: that of the others */
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

int mc_threads_cpu(const struct mc_threads *threads, unsigned int i)
{
	return cpus[i];
}

/* For a test on these CPUs; "any": any CPU. */
static void ask(const struct mc_test *test, const char *list)
{
	req = (struct mc_request){ .spec = &test->spec, .any_cpu = !strcmp(list, "any") };
	run = (struct mc_run){ .req = &req, .threads = &threads };
	req.values[MC_KEY_TYPE] = (struct mc_values){ .n = 1, .v = { MC_WB } };
	req.values[MC_KEY_SIZE] = (struct mc_values){ .n = 1, .v = { MC_AUTO } };
	cpus[0] = -1;
	for (ncpus = 0; !req.any_cpu && *list; list += *list == ',') {
		cpus[ncpus] = strtol(list, (char **)&list, 10);
		req.cpus[0] |= 1ULL << cpus[ncpus++];
	}
	req.ncpus = ncpus;
	ncpus = max(ncpus, 1U);
	threads.n = ncpus;
}

static u64 size(void)
{
	mc_source_sizes(&req);
	return req.values[MC_KEY_SIZE].v[0];
}

/* Is what a user wrote, or left out, a size that the target has? */
static u64 size_on_target(u64 room, u64 asked, bool given)
{
	ask(&each, "0");
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

/* A hundred loads of a sample. */
static enum mc_hit of_chase(struct mc_record *rec, u64 bytes, u64 ps)
{
	const struct mc_chase chase = { .n = bytes / 64, .stride = 64 };

	rec->stats.median_ps = 100 * ps;
	rec->stats.min_ps = 100 * min(ps, fastest);
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

static enum mc_hit held(const struct mc_record *rec, int cpu, u64 bytes)
{
	const struct mc_chase chase = { .n = bytes / 64, .stride = 64 };

	return mc_source_of_held(rec, cpu, &chase);
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

static int set_up(void **state)
{
	each = (struct mc_test){ .level = 1 };
	together = (struct mc_test){ .level = 1, .common = true };
	none = (struct mc_test){ 0 };
	memory = 64 * G;
	room = ~0ULL;
	unlisted = 0;
	fastest = ~0ULL;
	mc_wb_loads.hit_ps = 1000;
	return 0;
}

#define SET_UP	set_up

/* ---------------------------------------------------------------------- rows */

static const struct {
	const struct made_up_cpu *cpu;
	size_t n;
} machines[] = {
	{ hybrid, ARRAY_SIZE(hybrid) }, { sockets, ARRAY_SIZE(sockets) },
	{ four_levels, ARRAY_SIZE(four_levels) }, { silent, ARRAY_SIZE(silent) },
};

enum { HYBRID, SOCKETS, FOUR_LEVELS, SILENT };	/* in machines */

/*
 * Questions about a machine, for a test on some CPUs. They are auto=BYTES, with "?" if that size is
 * guessed; BYTES=LEVEL, of a set of each thread; CPU:BYTES=LEVEL, of what that CPU has touched; and
 * CPU:BYTES@PS=LEVEL, of its loads that take so long. memory=, room=, unlisted= and fastest= say
 * what holds for those behind them.
 */
static const struct {
	unsigned int machine;
	const struct mc_test *test;
	const char *cpus;
	const char *questions;
} rows[] = {
	{ HYBRID, &each, "0", "auto=128M 48K=l1 2M=l3 32M=l3" },
	{ HYBRID, &each, "2", "48K=l2 2M=l2" },
	/* No L3: four times the L2 is less than the minimum. Then both. */
	{ HYBRID, &each, "4", "auto=64M 32K=l1 32M=memory" },
	{ HYBRID, &each, "0,1,2,3,4", "auto=256M" },
	{ HYBRID, &together, "0,4", "auto=128M" },
	{ HYBRID, &each, "any", "auto=128M 32K=l1 48K=unknown 8M=unknown 128M=memory" },
	{ HYBRID, &each, "0", "memory=300M auto=64M" },
	/* A control group allows this process less than the machine has. */
	{ HYBRID, &each, "0", "room=100M auto=32M" },
	/* CPUs that differ. */
	{ HYBRID, &each, "0,2",
	  "32K=l1 48K=unknown 1M=l2 2M=unknown 16M=l3 16M+64=between 64M=memory" },
	/* Threads of a core share an L1 and an L2. */
	{ HYBRID, &each, "0,1", "24K=l1 24K+64=l2 512K+64=l3" },
	/* Cores of a cluster have an L1 each and share an L2. */
	{ HYBRID, &each, "2,3", "32K=l1 1M=l2 1M+64=l3" },
	/* Each cache counts once. Not only the number of threads matters, but also their CPUs. */
	{ SOCKETS, &each, "0,1", "auto=128M 16M=l3 16M+64=between 64M=memory" },
	{ SOCKETS, &each, "0,2", "auto=256M 32M=l3 128M-64=between 128M=memory" },
	{ SOCKETS, &each, "0,1,2,3", "auto=256M" },
	/* Two CPUs of one socket, and one of the other; the last is what size=auto is. */
	{ SOCKETS, &each, "0,1,2", "16M=l3 32M=unknown 85M=between 256M/3=memory" },
	/* All go through the same. */
	{ SOCKETS, &together, "0,1,2,3", "auto=128M 48K=l1 32M=l3 32M+64=between 128M=memory" },
	{ FOUR_LEVELS, &each, "0", "auto=512M" },
	{ FOUR_LEVELS, &each, "0,1", "auto=512M 16M=l4 64M+64=between 0:64M@40000=l4" },

	/* A cache that CPUs do not report: a search found it, or it is in front of a node. */
	{ SOCKETS, &each, "0", "unlisted=64M auto=256M 32M=l3 256M-64=between 256M=memory" },
	{ SOCKETS, &each, "0", "unlisted=64M 0:128M@60000=between 0:256M@60000=memory" },
	{ SOCKETS, &each, "0,1", "unlisted=64M auto=256M 128M=memory" },
	{ SOCKETS, &each, "0,1,2", "unlisted=64M auto=512M" },
	{ SOCKETS, &together, "0,2", "unlisted=64M auto=256M" },
	/* Such a cache that is smaller than the L3 changes nothing. */
	{ SOCKETS, &each, "0", "unlisted=8M auto=128M 128M-64=between 128M=memory" },
	/* Sets beyond HBM in front of memory take too long: so none is memory. */
	{ SOCKETS, &each, "0", "unlisted=64G memory=4096G auto=128M 128M=between" },
	/* CPUs that report no caches have this one at least. */
	{ SILENT, &each, "0", "unlisted=32M auto=128M" },
	/* Or nothing but a time tells a level, and nobody knows whether a size reaches memory. */
	{ SILENT, &each, "0", "auto=64M? 16K=unknown 1G=unknown 0:16K=unknown" },
	{ SILENT, &each, "0", "0:16K@1000=unknown 0:1G@90000=memory" },

	/* Loads that wait. */
	{ HYBRID, &each, "0,2,4",
	  "0:48K@1000=l1 2:48K@1000=l2 0:2M@15000=l3 2:2M@5000=l2 4:8M@50000=memory" },
	{ HYBRID, &each, "any", "-1:32K@1000=l1 -1:48K@1000=unknown -1:48K@100000=memory" },
	/* Others had the CPU for most of the median sample, and for none of the fastest one. */
	{ HYBRID, &each, "0", "0:2M@135000=memory fastest=15000 0:2M@135000=unknown" },

	/* The lines that one CPU has touched are in its own caches. Others may share these. */
	{ HYBRID, &each, "0", "0:48K=l1 0:48K+64=l2 2:2M=l2 2:32M=l3" },
	{ HYBRID, &each, "0", "4:2M+64=between 4:8M=memory" },
};

/* A number of bytes, as in 48K+64, 128M-64 or 256M/3. */
static u64 bytes_at(char **at)
{
	static const char units[] = "BKMG";
	u64 bytes = strtoull(*at, at, 10);
	const char *unit = **at ? strchr(units, **at) : NULL;

	if (unit) {
		bytes <<= 10 * (unit - units);
		++*at;
	}
	if (**at == '/')
		return bytes / strtoull(*at + 1, at, 10);
	return **at == '+' || **at == '-' ? bytes + strtoll(*at, at, 10) : bytes;
}

/* Return: the answer as a row has it. */
static const char *answer_to(char *question)
{
	static char text[32];
	bool of_cpu = strchr(question, ':');
	char *at = question;
	int cpu = of_cpu ? strtol(at, &at, 10) : -1;
	u64 bytes;
	struct mc_record rec;
	enum mc_hit hits;

	if (!strcmp(question, "auto")) {
		bytes = size();
		snprintf(text, sizeof(text), "%gM%s", (double)bytes / M,
			 req.size_guessed ? "?" : "");
		return text;
	}
	at += of_cpu;
	bytes = bytes_at(&at);
	rec = record(bytes);
	hits = *at == '@' ? chased(cpu, bytes, strtoull(at + 1, NULL, 10)) :
	       of_cpu ? held(&rec, cpu, bytes) : level(bytes);
	return mc_name_of(mc_hit_names, hits) ?: "unknown";
}

/* Return: what this word sets; NULL: it is a question. */
static u64 *set_by(const char *word)
{
	return !strcmp(word, "memory") ? &memory : !strcmp(word, "room") ? &room :
	       !strcmp(word, "unlisted") ? &unlisted : !strcmp(word, "fastest") ? &fastest : NULL;
}

static void test_sizes_and_levels(void **state)
{
	char words[200], *rest, *word, *wanted;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_up(NULL);
		made_up_machine(machines[rows[i].machine].cpu, machines[rows[i].machine].n);
		ask(rows[i].test, rows[i].cpus);
		rest = strcpy(words, rows[i].questions);
		while ((word = strsep(&rest, " "))) {
			wanted = strchr(word, '=');
			*wanted++ = 0;
			if (set_by(word))
				*set_by(word) = bytes_at(&wanted);
			else if (strcmp(answer_to(word), wanted))
				fail_msg("on CPUs %s: %s: %s is %s", rows[i].cpus,
					 rows[i].questions, word, answer_to(word));
		}
	}
}

/* --------------------------------------------------------------------- tests */

/* A size that a user wrote, and types that are not cached. */
static void test_only_what_caches_may_hold_is_guessed(void **state)
{
	made_up_machine(silent, ARRAY_SIZE(silent));
	assert_int_equal(size_on_target(0, 64 * K, true), 64 * K);
	assert_false(req.size_guessed);
	ask(&each, "0");
	req.values[MC_KEY_TYPE].v[0] = MC_UC;
	assert_int_equal(size(), 16 * M);
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
	ask(&each, "0");
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
	ask(&each, "0");
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
	ask(&each, "0");
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
	ask(&each, "0");
	rec.effective = MC_EFFECT_NO;
	assert_int_equal(of_chase(&rec, 16 * K, 1000), MC_HIT_UNKNOWN);
	assert_int_equal(of_chase(&rec, 16 * K, 90000), MC_HIT_UNKNOWN);
	assert_int_equal(held(&rec, 0, 16 * K), MC_HIT_UNKNOWN);
	mc_source_record(&run, &rec);
	assert_false(rec.has >> 1 & 1);
}

static void test_little_is_known(void **state)
{
	made_up_machine(sockets, ARRAY_SIZE(sockets));
	ask(&none, "0");
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
	ask(&each, "0");
	mc_wb_loads.hit_ps = 0;
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
	/* A CPU that has gone. */
	mc_wb_loads.hit_ps = 1000;
	mc_core_forget(0);
	assert_int_equal(level(16 * K), MC_HIT_UNKNOWN);
}
