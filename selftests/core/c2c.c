// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/c2c.c natively, with threads in virtual time, on a machine where a load
 * costs what the state of its line says. However large the set, the test notices a stop in
 * every phase, and lets others run.
 */
#define TEST	mc_test_c2c
#include "stub/engine.h"

#include "measure/pairs.h"
#include "measure/source.h"
#include "stub/machine.h"

#define CPUS	6
#define BYTES	(256 * 1024ULL)
#define LINES	(BYTES / 64)
#define OFTEN	(LINES / 1024)	/* pieces of the set; the test asks after each */

/* ---------------------------------------------------------------- the machine */

/* A CPU's own lines cost 1 ns, those of another CPU 40 or, if it has changed them, 150. */
#define PRICES	"l1_bytes=512K l1_ns=1 clean_ns=40 dirty_ns=150 memory_ns=90 flush_ns=1"

/* Prices and oddities of the machine. */
static struct made {
	u64 faster_ps;		/* a load takes so much less than the prices say */
	u64 spoilt;		/* line whose second word a reader's loads change */
	unsigned int times;	/* by so many of its first loads */
	bool loses;		/* stores are lost, but those of the first time */
} made;

#define MADE	.spoilt = LINES, .times = ~0U
static u8 blank;		/* each byte of memory at first */

static u64 price(const struct access *a, u64 now_ps)
{
	if (a->operation == LOAD && a->physical / LINE == made.spoilt && made.times && made.times--)
		((u64 *)memory)[8 * made.spoilt + 1] ^= 1ULL << 40;
	return machine_price(a) - (a->operation == LOAD ? made.faster_ps : 0);
}

static bool keeps(const void *at)
{
	return !made.loses || ((const u64 *)at)[1] >> 56 == blank;
}

static u64 held_bytes;

/* The writer is CPU 0 of the first pair and CPU 1 of the second one, which has no L2. */
enum mc_hit mc_source_of_held(const struct mc_record *r, int cpu, const struct mc_chase *chase)
{
	held_bytes = chase->n * chase->stride;
	return cpu ? MC_HIT_UNKNOWN : MC_HIT_L2;
}

static void costs(void)
{
	machine_reset(PRICES, BYTES, .price = price, .keeps = keeps);
	memset(memory, blank, BYTES);
	made = (struct made){ MADE };
	/* A window lasts longer than its content by the reported cost of the clock. */
	sim.overhead = mc_clock.cost_ps;
}

/* --------------------------------------------------------------------- figures */

/* The set takes several windows, and the clock is read for each. */
static void assert_line(const char *how, u64 ps)
{
	measured_on(2, "c2c cpu=0,1 size=256K stride=64 warmup=1 repeat=3 %s", how);
	assert_int_equal(n, 2);
	all_show("writer_cpu:0/1 reader_cpu:1/0 siblings:1 lines=4096 ns_per_line:%llu; "
		 "ns_per_line_min:%llu samples=3 max_ns:%llu threads=2 verified=ok; "
		 "window_max_ns=0.001..5000000 warmup_ns=2000000..10000000", ps, ps, LINES * ps);
}

static void test_a_line_costs_what_its_state_costs(void **state)
{
	/* The figures do not depend on the bytes that the memory holds at first. */
	for (int byte = 0; byte < 256; byte += 0x5a) {
		blank = byte;
		assert_line("state=hitm", 150 * NS);
		assert_line("state=hit", 40 * NS);
	}
	blank = 0;
}

/* Prefetchers bring pairs of lines and the next ones, so those that are measured lie apart. */
static void test_no_line_comes_along(void **state)
{
	static const struct {
		const char *how;
		u64 lines;
		bool helped;
	} rows[] = {
		{ "", 256, false }, { "size=256K", 819, false },
		{ "size=256K stride=64", LINES, true }, { "size=256K stride=4160", 63, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		reset(2);
		machine_reset(PRICES " l2_bytes=1M prefetch_lines=3", BYTES);
		measured("c2c cpu=0,1 repeat=1 state=hitm %s", rows[i].how);
		shows(rec, "lines:%llu", rows[i].lines);
		assert_int_equal(figure(rec, "ns_per_line") < 150 * NS, rows[i].helped);
	}
	reset(2);
	assert_refused("c2c cpu=0,1 size=4K stride=4K", -EINVAL, "stride");
}

static void test_the_cache_of_the_writer_has_a_column(void **state)
{
	measured_on(2, "c2c cpu=0,1 size=256K stride=64 repeat=1 warmup=0 state=hitm");
	assert_int_equal(held_bytes, BYTES);
	all_show("writer_level=l2/null");
}

static void faster(void)
{
	made.faster_ps += NS;
}

static void test_median_and_fastest(void **state)
{
	reset(2);
	after_sample = faster;
	measured("c2c cpu=0,1 size=256K stride=64 warmup=1 repeat=5 state=hitm");
	/* 149 ns after the warm-up, and one less in each sample. */
	shows(rec, "ns_per_line=147 ns_per_line_min=145");
	/* That of the warm-up. */
	shows(rec, "window_max_ns:%llu", 1024 * 150 * NS + sim.overhead);
}

/* The wait for the clock to rise begins when the first lines are there. */
static void test_the_wait_begins_with_the_loads(void **state)
{
	reset(2);
	sim.look = 20 * MS;	/* when the chain is made, and for each round's lines */
	measured("c2c cpu=0,1 size=16K stride=64 warmup=0 repeat=1 state=hitm");
	shows(rec, "warmup_ns=60000000..70000000");
}

static unsigned int timed;		/* windows of the reader in the current sample */
static unsigned int backwards;		/* one of them in which the clock runs backwards */

static void restart(void)
{
	timed = 0;
}

static void turn_back(struct mc_worker *w)
{
	if (w->index == 1 && done == 2 && timed++ == backwards)
		sim.now[w->index] = w->began - NS - sim.overhead;
}

/* A sample is left out if the clock ran backwards in any of its windows. */
#define ONCE_MORE "c2c cpu=0,1 size=256K stride=64 warmup=1 repeat=3 state=hitm"

static void test_a_clock_that_runs_backwards(void **state)
{
	for (backwards = 0; backwards < OFTEN; backwards++) {
		reset(2);
		sim.closing = turn_back;
		after_sample = restart;
		timed = 0;
		measured(ONCE_MORE);
		shows(rec, "samples=2 left_out=1 left_out_why=clock ns_per_line=150");
	}
}

/* The reader loads each line once a sample. Warm-ups do not count. */
static void test_events_are_those_of_the_samples(void **state)
{
	static const char *const states[] = { "hitm", "hit" };

	for (unsigned int i = 0; i < ARRAY_SIZE(states); i++) {
		reset(2);
		sim.events = 1;
		measured("c2c cpu=0,1 size=256K stride=64 warmup=2 repeat=3 state=%s", states[i]);
		all_show("cycles=4096");
	}
}

static void test_one_wrong_line_is_found(void **state)
{
	for (u64 line = 0; line < LINES; line = 2 * line + 1) {
		reset_with(2, .spoilt = line);
		assert_int_equal(measure("c2c cpu=0,1 size=256K stride=64 repeat=2 state=hitm"),
				 -EBADMSG);
		shows(rec, "verified=failed");
	}
}

/* In HITM, the writer puts right in the next round what was wrong in a warm-up. */
static void test_a_wrong_line_of_a_warm_up_is_found(void **state)
{
	for (unsigned int warmups = 1; warmups < 3; warmups++) {
		reset_with(2, .spoilt = 10, .times = warmups);
		assert_int_equal(measure("c2c cpu=0,1 size=16K warmup=3 repeat=2 state=hitm"),
				 -EBADMSG);
		shows(rec, "samples=2 verified=failed");
	}
}

/* The reader must find the words of this round, not those of the one before. */
static void test_lost_stores_are_found(void **state)
{
	blank = 0x5a;
	reset_with(2, .loses = true);
	assert_int_equal(measure("c2c cpu=0,1 size=256K stride=64 repeat=2 state=hitm"), -EBADMSG);
	shows(rec, "verified=failed");
	blank = 0;
}

/* ----------------------------------------------------------------------- stops */

/* Two pairs, with one sample each; the @stop_at-th question whether to stop gets a yes. */
static int measure_state(const char *state, unsigned int stop_at)
{
	reset(2);
	sim.stop_at = stop_at;
	return measure("c2c cpu=0,1 size=256K stride=64 repeat=1 warmup=0 state=%s", state);
}

/* The lines that the writer has written to, besides the pointer. */
static u64 written(void)
{
	const u64 *word = (const u64 *)memory;
	u64 i, lines = 0;

	for (i = 0; i < LINES; i++)
		lines += word[8 * i + 1] != 0;
	return lines;
}

static void test_all_of_a_set_is_written_and_seen(void **state)
{
	assert_int_equal(measure_state("hitm", 0), 0);
	assert_int_equal(n, 2);
	/* In the kernel the memory's type is judged each time, which takes a millisecond. */
	assert_int_equal(found, 2);
	all_show("verified=ok");
	assert_int_equal(written(), LINES);
	/* While linking, writing and looking, for either pair. */
	assert_true(sim.asked >= 2 * 2 * OFTEN);
	assert_int_equal(measure_state("hit", 0), 0);
	shows(&rec[1], "verified=ok");
	assert_true(sim.asked >= 2 * 3 * OFTEN);
}

static void test_a_stop_is_seen_in_the_middle(void **state)
{
	unsigned int all, at, some = 0, kept = 0;

	assert_int_equal(measure_state("hitm", 0), 0);
	all = sim.asked;
	for (at = 1; at <= all; at++) {
		assert_int_equal(measure_state("hitm", at), -ECANCELED);
		/* Only the current phase is finished. */
		assert_true(sim.asked <= at + 8);
		some += written() > 0 && written() < LINES;
		/* Pairs that were measured before are kept. */
		kept += n == 1 && rec[0].stats.samples == 1 && rec[0].verified == MC_VERIFIED_OK;
	}
	assert_true(some >= OFTEN - 1);
	assert_true(kept >= OFTEN - 1);
}

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("c2c cpu=0;c2c cpu=any", -EINVAL, "cpu");
	reset(2);
	assert_refused("c2c cpu=0,1 type=uc", -EINVAL, "type");
	assert_refused("c2c cpu=0,1 state=cas loads=independent", -EINVAL, "loads");
	assert_refused("c2c cpu=0,1 stride=320 loads=independent", -EINVAL, "stride");
}

/* How many pairs share each thing. */
static unsigned int of_class[MC_SHARES_NOTHING + 1];

/* The number of a pair among all of them. */
static u64 pair_of(const struct mc_record *r)
{
	return CPUS * figure(r, "writer_cpu") + figure(r, "reader_cpu");
}

static void count_classes(void)
{
	u64 before = 0;

	memset(of_class, 0, sizeof(of_class));
	for (unsigned int i = 0; i < n; i++) {
		enum mc_shares shares = figure(&rec[i], "shares");

		of_class[shares]++;
		shows(&rec[i], shares == MC_SHARES_CORE ? "node_distance=10" :
		      shares == MC_SHARES_SOCKET ? "node_distance=12" : "node_distance=21");
		assert_true(pair_of(&rec[i]) > before);
		before = pair_of(&rec[i]);
	}
}

/* Six CPUs: 6 pairs are of one core, 8 more of one socket, 16 share nothing. */
static void test_pairs_of_each_class_are_chosen(void **state)
{
	static const struct {
		const char *how;
		unsigned int core, socket, nothing;
	} rows[] = {
		{ "", 6, 8, 16 }, { "pairs=7", 6, 7, 7 }, { "pairs=1 seed=9", 1, 1, 1 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		measured_on(CPUS, "c2c cpu=0-5 size=4K repeat=1 warmup=0 state=hit %s",
			    rows[i].how);
		count_classes();
		assert_int_equal(of_class[MC_SHARES_CORE], rows[i].core);
		assert_int_equal(of_class[MC_SHARES_SOCKET], rows[i].socket);
		assert_int_equal(of_class[MC_SHARES_NOTHING], rows[i].nothing);
		assert_int_equal(n, rows[i].core + rows[i].socket + rows[i].nothing);
	}
}

/* A run that is continued has the results that the whole run has from there on. */
static void test_a_part_of_the_results(void **state)
{
#define ASKED	"c2c cpu=0-5 size=4K repeat=1 warmup=0 state=hit,hitm pairs=2"
	u64 whole[12], i;

	measured_on(CPUS, ASKED);
	assert_int_equal(n, ARRAY_SIZE(whole));
	for (i = 0; i < n; i++)
		whole[i] = pair_of(&rec[i]);
	measured_on(CPUS, ASKED " skip=4 most=5");
	assert_int_equal(n, 5);
	assert_int_equal(done, mc_engine_samples(&req));
	for (i = 0; i < n; i++) {
		assert_int_equal(pair_of(&rec[i]), whole[4 + i]);
		assert_int_equal(rec[i].point.v[MC_KEY_FIRST],
				 rec[i < 2 ? 0 : 4].point.v[MC_KEY_FIRST]);
	}
	assert_true(rec[0].point.v[MC_KEY_FIRST] != rec[4].point.v[MC_KEY_FIRST]);
	measured_on(CPUS, ASKED " skip=10");
	assert_int_equal(n, 2);
}

/* The seed chooses, and each pair of a class has the same chance. */
static void test_the_seed_chooses(void **state)
{
	static u64 chosen[CPUS * CPUS];
	u32 *pairs, *again;
	u64 i, seed, count;

	measured_on(CPUS, "c2c cpu=0-5 size=4K repeat=1 warmup=0 state=hit pairs=4");
	for (seed = 0; seed < 4000; seed++) {
		req.values[MC_KEY_FIRST + 5].v[0] = seed;
		assert_int_equal(mc_pairs_find(&req, &pairs, &count, &run.error), 0);
		assert_int_equal(mc_pairs_find(&req, &again, &count, &run.error), 0);
		assert_int_equal(count, 12);
		assert_memory_equal(pairs, again, count * sizeof(*pairs));
		for (i = 0; i < count; i++)
			chosen[pairs[i]]++;
		mc_free(pairs);
		mc_free(again);
	}
	for (i = 0; i < ARRAY_SIZE(chosen); i++) {
		unsigned int a = i / CPUS, b = i % CPUS, alike = a / 2 == b / 2 ? 6 :
			a / 4 == b / 4 ? 8 : 16;

		assert_in_range(chosen[i], a == b ? 0 : 4000 * 4 / alike * 3 / 4,
				a == b ? 0 : 4000 * 4 / alike * 5 / 4);
	}
}
