// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/line.c natively, with threads in virtual time, on a machine whose
 * cache has lines of known size, fetches neighbouring lines, and has known prices.
 */
#define TEST	mc_test_line
#include "stub/engine.h"

#include "stub/machine.h"

#define BYTES	(4ULL << 20)
#define LEAST	8	/* bytes of the shortest line */

/* ---------------------------------------------------------------- the machine */

/* Prices and oddities of the machine. */
static struct made {
	u64 line_bytes;
	u64 fetched_bytes;	/* bytes that a load fetches, aligned like lines */
	u64 hit_ps, miss_ps;
	u64 along_ps;		/* the first load of a neighbour that was fetched along */
	u64 late_ps;		/* time after which a neighbour is there */
	u64 cpu_ps;		/* extra cost for each CPU before this one */
	u64 slow_at;		/* number of the chase that is ten times as slow */
} made;

#define MADE	.line_bytes = 64, .fetched_bytes = 64, .hit_ps = 2 * NS, \
		.miss_ps = 80 * NS, .along_ps = 2 * NS
static enum { NO_CURVE, FLUSHED = 2, AFTER_LOADS = 4 } noisy;	/* the place of its timed chase */
static u64 noisy_distances;	/* in a bit mask; each chase there is ten times as slow */
static unsigned int flushes;	/* a load may come once there have been so many fences */
enum { NOT_THERE, LOADED, ALONG };
static u8 cached[BYTES / LEAST];	/* one of these */
static u64 there_at[BYTES / LEAST];

/*
 * From the time @at on, set the state of the @bytes around @offset. Bytes that are there are
 * not fetched along.
 */
static void cache(u64 offset, u64 bytes, int how, u64 at)
{
	u64 i, first = (offset & ~(bytes - 1)) / LEAST;

	if (how != ALONG)
		memset(cached + first, how, bytes / LEAST);
	for (i = first; how == ALONG && i < first + bytes / LEAST; i++) {
		if (cached[i])
			continue;
		cached[i] = ALONG;
		there_at[i] = at;
	}
}

/* Return: the time that a load takes at the time @now. */
static u64 load(u64 offset, u64 now)
{
	const u64 takes[] = { made.miss_ps, made.hit_ps, made.along_ps };
	u64 word = offset / LEAST;
	bool late = cached[word] == ALONG && now < there_at[word];
	u64 ps = late ? made.miss_ps : takes[cached[word]];

	if (!cached[word])
		cache(offset, made.fetched_bytes, ALONG, now + made.late_ps);
	cache(offset, made.line_bytes, LOADED, 0);
	return ps;
}

/* The model has lines of 64 bytes only. */
static u64 price(const struct access *a, u64 now_ps)
{
	EXPECT(a->physical < BYTES);
	if (a->operation == LOAD) {
		EXPECT(sim_waits >= flushes);
		return load(a->physical, now_ps) + sim_self() * made.cpu_ps;
	}
	flushes = sim_waits + 1;
	for (u64 at = 0; at < LINE; at += made.line_bytes)
		cache(a->physical + at, made.line_bytes, NOT_THERE, 0);
	return 0;
}

static u64 spend(u64 ps)
{
	u64 chase = machine.calls - 1;

	/* 5 chases for each of 7 distances. */
	if (noisy && chase % 5 == noisy && noisy_distances >> chase / 5 % 7 & 1)
		ps *= 10;
	return machine.calls == made.slow_at ? 10 * ps : ps;
}

static void costs(void)
{
	machine_reset("", BYTES, .price = price, .spend = spend, .turn = &run.part);
	made = (struct made){ MADE };
	noisy = NO_CURVE;
	memset(cached, 0, sizeof(cached));
	sim.look = 100 * NS;
	/* A window lasts longer than its content by the reported cost of the clock. */
	sim.overhead = mc_clock.cost_ps;
}

/* --------------------------------------------------------------------- figures */

/* 0: the test must not see it. */
static void assert_lines(u64 line, u64 pair)
{
	measured("line size=64K warmup=1 repeat=3");
	assert_int_equal(n, 1);
	assert_int_equal(done, 4);
	shows(rec, "samples=3 same_ns:%llu other_ns:%llu", made.hit_ps, made.miss_ps);
	if (line)
		shows(rec, "line_bytes:%llu", line);
	else
		shows(rec, "line_bytes=null");
	if (pair)
		shows(rec, "pair_bytes:%llu", pair);
	else
		shows(rec, "pair_bytes=null");
	shows(rec, "verified=off window_max_ns=0.001..5000000 warmup_ns=2000000..10000000");
}

static void test_lines_and_what_is_fetched_along(void **state)
{
	static const struct {
		u64 line_bytes, fetched_bytes, line, pair;
	} rows[] = {
		/* Words are flushed in units of 64 bytes, so shorter lines show as 64 bytes. */
		{ 16, 16, 64, 0 }, { 32, 32, 64, 0 }, { 64, 64, 64, 0 }, { 128, 128, 128, 0 },
		{ 256, 256, 256, 0 },
		{ 64, 128, 64, 128 }, { 64, 256, 64, 256 }, { 128, 256, 128, 256 },
		/* Everything has come along, so its end is not known. */
		{ 64, 4096, 64, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		reset_with(1, .line_bytes = rows[i].line_bytes,
			   .fetched_bytes = rows[i].fetched_bytes);
		assert_lines(rows[i].line, rows[i].pair);
	}
	/* If everything is flushed together, no distance reaches another line. */
	reset_with(1, .line_bytes = 4096, .fetched_bytes = 4096);
	measured("line size=64K");
	shows(rec, "line_bytes=null pair_bytes=null same_ns:%llu", made.miss_ps);
}

static void test_where_a_miss_costs_no_more_nothing_is_seen(void **state)
{
	reset_with(1, .miss_ps = 4 * NS - 1);
	assert_lines(0, 0);
	reset_with(1, .miss_ps = 4 * NS, .fetched_bytes = 128);
	assert_lines(64, 128);
}

/*
 * Between 2 and 80 ns: 12.6 ns is six times 2 ns and a sixth of 80 ns. The test waits 2 us for
 * lines that are fetched along. A line that comes later does not count.
 */
static void test_what_comes_along_is_near_and_early(void **state)
{
	static const struct {
		u64 along_ps, late_ps, pair;
	} rows[] = {
		{ 12 * NS, 0, 128 }, { 13 * NS, 0, 0 },
		{ 2 * NS, 2000 * NS, 128 }, { 2 * NS, 3500 * NS, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		reset_with(1, .fetched_bytes = 128, .along_ps = rows[i].along_ps,
			   .late_ps = rows[i].late_ps);
		assert_lines(64, rows[i].pair);
	}
}

/* One slow chase at any distance changes no figure. */
static void test_the_fastest_time_counts(void **state)
{
	u64 all, at;

	reset_with(1, .fetched_bytes = 128);
	assert_lines(64, 128);
	all = machine.calls;
	/* 7 distances with 2 + 1 and 1 + 1 chases, many times. */
	assert_int_equal(all % (7 * 5), 0);
	assert_true(all >= 7 * 5 * 4);
	/* In the first round, and in the last one. */
	for (at = 1; at <= 7 * 5; at++) {
		reset_with(1, .fetched_bytes = 128, .slow_at = at % 2 ? at : all + 1 - at);
		assert_lines(64, 128);
	}
}

/*
 * Distances at which every chase is slow do not pass for the end of a line: 64 is the third from
 * 8 on. Where the noise leaves two ends that are equally good, none is made up.
 */
static void test_noise_is_no_end_of_a_line(void **state)
{
	static const struct {
		int curve;
		u64 distances, line, pair;
	} noise[] = {
		{ FLUSHED, 1 << 5, 64, 128 }, { FLUSHED, 1 << 1, 64, 128 },
		{ FLUSHED, 1 << 4, 0, 0 },
		{ AFTER_LOADS, 1 << 0, 64, 128 }, { AFTER_LOADS, 1 << 1, 64, 128 },
		{ AFTER_LOADS, 1 << 2, 64, 0 }, { AFTER_LOADS, 1 << 0 | 1 << 1, 64, 0 },
		{ AFTER_LOADS, 1 << 6, 64, 128 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(noise); i++) {
		reset_with(1, .fetched_bytes = 128);
		noisy = noise[i].curve;
		noisy_distances = noise[i].distances;
		assert_lines(noise[i].line, noise[i].pair);
	}
}

/* --------------------------------------------------------------- who, and where */

static void test_cpus_take_turns(void **state)
{
	reset_with(3, .cpu_ps = 1 * NS);
	measured("line size=64K repeat=2 cpu=0-2");
	assert_int_equal(n, 3);
	all_show("line_bytes=64 same_ns=2/3/4 other_ns=80/81/82");
	assert_turns_on_nodes("line");
}

/* ------------------------------------------------------- what can go wrong */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("line type=uc;line type=wb,wc", -EINVAL, "type");
	assert_refused("line size=60K;line size=4100K;line size=64K,8M", -EINVAL, "size");
	measured("line size=4M repeat=1 warmup=0");
	shows(rec, "line_bytes=64");
}

static void test_a_stop_keeps_what_there_is(void **state)
{
	reset_with(2, .fetched_bytes = 128);
	assert_stopped(0, 5, "line size=64K warmup=1 repeat=10 cpu=0,1", 1);
	shows(rec, "samples=4 line_bytes=64 pair_bytes=128");
	assert_stopped(2, 11 + 3, "line size=64K warmup=1 repeat=10 cpu=0,1", 2);
	all_show("samples=10/2");
}

/* The wait has no part of the time that linking the first words takes: 20 ms of 500. */
static void test_the_wait_begins_with_the_loads(void **state)
{
	reset(1);
	sim.look = 20 * MS;
	measured("line size=64K warmup=0 repeat=1");
	shows(rec, "warmup_ns=480000000..490000000");
}

/* Each of seven distances is linked anew. A stop is noticed there; complete samples stay. */
static void test_a_stop_is_seen_everywhere(void **state)
{
	/* The last round begins when one sample has been kept. */
	assert_int_equal(stop_everywhere("line size=64K warmup=0 repeat=2", 1 + 2 * 7,
					 "line_bytes=64"), 2 + 7);
}
