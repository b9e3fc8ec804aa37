// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/mix.c natively, with threads in virtual time, on a machine with prices
 * for a line that is read, written or written past the caches, for a count of the delay,
 * and for a load that waits. What the loop of the load stores is stored, so that it can be
 * verified.
 */
#define TEST	mc_test_mix
#include "stub/engine.h"

#include "measure/load.h"
#include "stub/machine.h"

/* As mix.c numbers its words. */
enum { TOTAL, GROUP, THREAD };

#define BYTES	(4ULL << 20)

/* ---------------------------------------------------------------- the machine */

/* Prices and oddities of the machine. */
static struct made {
	u64 read_ps, write_ps, nt_ps;	/* a line */
	u64 wait_ps;		/* a load that waits */
	u64 calls_of[THREADS_MOST];
	u64 stuck_ps;		/* extra time of a call of the last thread */
	void *lost;		/* a line that is never written */
	bool all_lost;		/* nothing is written that has been filled */
	void *struck;		/* a line that a stray store changes */
} made;

#define MADE	.read_ps = 10 * NS, .write_ps = 20 * NS, .nt_ps = 15 * NS, \
		.wait_ps = 80 * NS
/* Where no figure matters: a sample then has fewer accesses to simulate. */
#define DEAR	.read_ps = 100 * NS, .write_ps = 200 * NS, .nt_ps = 150 * NS

static u64 part[THREADS_MOST];	/* each thread's part of the memory */
static u64 part_bytes[THREADS_MOST];
static bool is_random[THREADS_MOST];

static u64 price(const struct access *a, u64 now_ps)
{
	u64 from = part[sim_self()];
	u64 *at = (u64 *)(memory + a->physical);

	EXPECT(a->physical >= from && a->physical + a->bytes <= from + part_bytes[sim_self()]);
	if (at == made.struck && a->bytes == LINE)
		at[3]++;
	if (a->operation == STORE)
		return a->streaming ? made.nt_ps : made.write_ps;
	return a->bytes == LINE ? made.read_ps : made.wait_ps;
}

static bool keeps(const void *at)
{
	bool filled = *(const u8 *)at != 0x5a;

	return at != made.lost && !(made.all_lost && filled);
}

static void see_load(const struct mc_paced *args)
{
	unsigned int i = sim_self();

	is_random[i] = args->lines;
	made.calls_of[i]++;
	sim_spend(i == sim.n - 1 ? made.stuck_ps : 0);
}

static const struct mc_view *of_node(const struct mc_wanted *want)
{
	EXPECT(want->private && !want->alone && want->bytes == want->most);
	return &machine.node[want->wish.node];
}

static void costs(void)
{
	unsigned int i;

	machine_reset("", BYTES, .price = price, .keeps = keeps, .paced = see_load);
	memset(memory, 0x5a, 2 * BYTES);
	view_for = of_node;
	made = (struct made){ MADE };
	for (i = 0; i < THREADS_MOST; i++) {
		part_bytes[i] = 128 << 10;
		part[i] = i * part_bytes[i];
	}
	sim.look = 10 * NS;
	sim.kinds = MC_BY_INTERRUPT;
}

/* Run groups on as many CPUs as the machine has. */
#define together(groups, rest)	measure("mix cpu=0-%u groups=%s %s", sim.n - 1, groups, rest)

/* --------------------------------------------------------------------- figures */

static void assert_record(const struct mc_record *r, unsigned int scope, unsigned int group,
			  unsigned int threads, u64 rate)
{
	shows(r, "scope:%u", scope);
	if (scope == TOTAL)
		shows(r, "group=null");
	else
		shows(r, "group:%u", group);
	shows(r, "threads=%u", threads);
	assert_int_equal(r->group, scope == GROUP ? group : 0);
	shows(r, "mb_per_s:%llu..%llu samples=4", rate - 20, rate + 20);
}

/* However long the countdown and however many lines a step has, no window is long. */
static void test_windows_of_a_long_countdown(void **state)
{
	static const char *const ops[] = { "read", "rw91", "ntrw32", "copy", "triad" };
	static const char *const patterns[] = { "sequential", "random" };
	static const u64 delays[] = { 20000, 20001, 77777, 1000000 };
	char line[120];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops) * ARRAY_SIZE(patterns) * ARRAY_SIZE(delays); i++) {
		u64 delay = delays[i % 4], rate;

		reset_with(1, .write_ps = 10 * NS, .nt_ps = 10 * NS);
		snprintf(line, sizeof(line), "0:%s:pattern=%s:delay=%llu", ops[i / 8],
			 patterns[i / 4 % 2], delay);
		assert_int_equal(together(line, "size=128K node=0 repeat=4 irq=off"), 0);
		shows(rec, "window_max_ns=0.001..500000");
		rate = 64ULL * 1000000000 / (10 * NS + delay * machine.count_ps);
		shows(rec, "mb_per_s:%llu..%llu", rate - 20, rate + 20);
	}
}

/* The next window of a load, or of a chase, does half as much, or twice as much. */
static void test_windows_follow_the_price(void **state)
{
	static const struct {
		u64 much, us, then;
	} rows[] = {
		{ 100, 201, 50 }, { 100, 200, 100 }, { 100, 50, 100 }, { 100, 49, 200 },
		{ 6, 300, 4 }, { 600, 10, 1000 },
	};

	reset(1);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(mc_window_fit(rows[i].much, 4, 1000,
					       mc_ns_to_ticks(rows[i].us * 1000), 100000),
				 rows[i].then);
}

/* Keys of the request are for groups that say nothing else; lists of them are points. */
static void test_groups_follow_the_request(void **state)
{
	u64 from;

	reset(2);
	assert_int_equal(together("0:read:pattern=sequential:delay=50+1:read",
				  "pattern=random delay=0 size=256K node=0 repeat=4"), 0);
	assert_false(is_random[0]);
	assert_true(is_random[1]);
	assert_record(&rec[3], THREAD, 1, 1, 64 * 1000000 / 30);
	assert_record(&rec[4], THREAD, 2, 1, 6400000);
	reset(1);
	from = sim.now[0];
	assert_int_equal(together("0:read", "delay=0,50 size=128K node=0 repeat=4 warmup=0"), 0);
	/* At each point two warm-ups of 5 ms at least, and four samples. */
	assert_in_range(sim.now[0] - from, 60 * MS, 62 * MS);
	shows(rec, "warmup_ns=10000000..11000000");
	assert_int_equal(done, 2 * 4);
	assert_int_equal(n, 2 * 3);
	assert_record(&rec[0], TOTAL, 0, 1, 6400000);
	assert_record(&rec[3], TOTAL, 0, 1, 64 * 1000000 / 30);
	assert_record(&rec[5], THREAD, 1, 1, 64 * 1000000 / 30);
}

/* ----------------------------------------------------------- which memory it is */

static void test_each_group_has_its_memory(void **state)
{
	/* CPUs 0 and 1 are on node 0, CPUs 2 and 3 on node 1. */
	static const u64 sizes[] = { 64 << 10, 256 << 10, 256 << 10, 8 << 10 };
	static const u64 parts[] = { 0, 64 << 10, BYTES, BYTES + (256 << 10) };

	reset(4);
	memcpy(part_bytes, sizes, sizeof(sizes));
	memcpy(part, parts, sizeof(parts));
	assert_int_equal(together("0:write:size=64K+1,2:copy:node=local+3:chase:size=8K",
				  "size=1M repeat=4"), 0);
	assert_int_equal(found, 2);
	assert_int_equal(wanted[0].wish.node, 0);
	assert_int_equal(wanted[0].bytes, 320 << 10);
	assert_int_equal(wanted[1].wish.node, 1);
	assert_int_equal(wanted[1].bytes, 264 << 10);
	assert_true(wanted[0].wish.strict && wanted[1].wish.strict);
	all_show("memory_node=mixed/0/mixed/1 remote_threads=0 payload_bytes=598016//524288");
}

/* One node's memory may come from the nearest one that has some. */
static void test_memory_of_the_nearest_node(void **state)
{
	reset(2);
	assert_int_equal(together("0:read+1:read", "size=256K repeat=4"), 0);
	assert_int_equal(found, 1);
	assert_int_equal(wanted->wish.node, 0);
	assert_false(wanted->wish.strict);
	shows(rec, "memory_node=0");
}

/* ------------------------------------------------------------------ its data */

static void assert_verified(const char *op, const char *pattern, const char *verified)
{
	char groups[60];

	snprintf(groups, sizeof(groups), "0:read+1:%s:pattern=%s", op, pattern);
	assert_int_equal(together(groups, "size=256K node=0 repeat=4"),
			 strcmp(verified, "failed") ? 0 : -EBADMSG);
	assert_int_equal(n, 5);
	all_show("verified=%s/off/%s/off/%s", verified, verified, verified);
}

/* A line of thread 1, in the array of the memory that @op writes. */
static void *line_of(unsigned int arrays, unsigned int line)
{
	u64 array = part_bytes[1] / arrays & ~(LINE - 1);

	return memory + part[1] + array * (arrays - 1) + line * LINE;
}

static void test_what_is_written_is_verified(void **state)
{
	for (const struct mc_name *op = MC_LOAD_OPS; op->name; op++) {
		const struct mc_mix *mix = &mc_mixes[op->value];
		const char *ok = mix->writes ? "ok" : "off";

		reset_with(2, DEAR);
		assert_verified(op->name, "sequential", ok);
		reset_with(2, DEAR);
		assert_verified(op->name, "random", mix->arrays > 1 ? "off" : ok);
		if (!mix->writes)
			continue;
		/* The last line of the second step is one that is written. */
		reset_with(2, DEAR);
		made.lost = line_of(mix->arrays,
				    mix->arrays > 1 ? 1 : 2 * (mix->reads + mix->writes) - 1);
		assert_verified(op->name, "sequential", "failed");
		reset_with(2, DEAR, .struck = memory + part[1]);
		assert_verified(op->name, "sequential", "failed");
		if (mix->arrays > 1)
			continue;
		reset_with(2, DEAR, .struck = memory + part[1]);
		assert_verified(op->name, "random", "failed");
		reset_with(2, DEAR, .all_lost = true);
		assert_verified(op->name, "random", "failed");
	}
	reset_with(1, DEAR);
	assert_int_equal(together("0:chase", "size=128K node=0 repeat=4"), 0);
	all_show("verified=off");
}

/* The lines that are still in the CPU's buffers could not be verified. */
static void test_verification_waits_for_the_stores(void **state)
{
	reset(1);
	sim_drains = 0;
	assert_int_equal(together("0:read", "size=128K node=0 repeat=4"), 0);
	assert_int_equal(sim_drains, 0);
	assert_int_equal(together("0:ntwrite", "size=128K node=0 repeat=4"), 0);
	assert_true(sim_drains > 0);
}

/* The memory has a gap in the middle of a step, so the load leaves that step out. */
static void test_a_gap_is_no_error(void **state)
{
	static const char * const ops[] = { "write", "rw31", "triad" };
	u64 hole = 4 * 7 * LINE + 2 * LINE;
	struct mc_span both[] = {
		{ memory, 0, hole }, { memory + hole + 4096, hole, BYTES - hole - 4096 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		reset(1);
		machine.node[0] = (struct mc_view){ both, 2 };
		part_bytes[0] += 4096;
		measured("mix cpu=0 groups=0:%s size=128K node=0 repeat=4", ops[i]);
		shows(rec, "verified=ok");
		/* What lies in the gap is nobody's. */
		for (u64 at = hole; at < hole + 4096; at++)
			assert_int_equal(memory[at], 0x5a);
	}
}

/* The end came before the load was at the end of its memory. */
static void test_what_was_not_reached_is_not_verified(void **state)
{
	reset_with(1, .write_ps = 4000 * NS);
	part_bytes[0] = 2 << 20;
	assert_int_equal(together("0:write", "size=2M node=0 repeat=1 warmup=0"), 0);
	shows(rec, "verified=ok");
	assert_true(made.calls_of[0] * 25 < (2 << 20) / LINE);
	reset_with(1, .write_ps = 4000 * NS, .lost = memory + 5 * LINE);
	part_bytes[0] = 2 << 20;
	assert_int_equal(together("0:write", "size=2M node=0 repeat=1 warmup=0"), -EBADMSG);
}

/* What can't be verified is not called verified because something else was. */
static void test_all_that_writes_is_verified(void **state)
{
	reset(2);
	assert_int_equal(together("0:write+1:copy:pattern=random",
				  "size=256K node=0 repeat=4"), 0);
	all_show("verified=off/ok/off");
}

/* ------------------------------------------------------------------- samples */

static u64 calls_before[THREADS_MOST];
static unsigned int still;	/* samples in which a thread did nothing */

static void look_at_work(void)
{
	for (unsigned int i = 0; i < sim.n; i++) {
		still += made.calls_of[i] == calls_before[i];
		calls_before[i] = made.calls_of[i];
	}
}

/* A call of the last thread takes longer than three samples of the others. */
static void test_a_sample_has_a_part_of_each_thread(void **state)
{
	reset_with(3, .stuck_ps = 17 * MS);
	still = 0;
	memset(calls_before, 0, sizeof(calls_before));
	after_sample = look_at_work;
	assert_int_equal(together("0-1:read+2:write", "size=384K node=0 repeat=6"), 0);
	assert_int_equal(still, 0);
	/* What the others move meanwhile counts, at the rate that they have. */
	all_show("samples=6 mb_per_s=///6400//0..6.4");
}

/* An interrupt in a window of thread 1, at first in half of its samples. */
static void disturb(struct mc_worker *w)
{
	if (w->index == 1 && done == 3)
		w->disturbed = MC_BY_INTERRUPT;
}

static void test_disturbed_samples_are_those_of_the_thread(void **state)
{
	reset(2);
	sim.opened = disturb;
	assert_int_equal(together("0:read+1:read", "size=256K node=0 repeat=8 warmup=2"), 0);
	assert_int_equal(done, 2 + 8);
	all_show("disturbed_interrupt=1///0/1 samples=7///8/7 left_out_why=///null/disturbed");
}

static void turn_back(struct mc_worker *w)
{
	static unsigned int windows;

	/* The first few are not timed. */
	if (w->index == 1 && done == 3 && ++windows == 5)
		sim.now[1] = w->began - NS;
}

/* The event of a core counts the pointers that it has followed, in a pass. */
static void test_events_are_those_of_the_threads(void **state)
{
	reset(3);
	sim.events = 1;
	part_bytes[1] = 64 << 10;
	part[2] = 192 << 10;
	assert_int_equal(together("0:chase:size=128K+1:chase:size=64K+2:read:size=128K",
				  "node=0 repeat=4"), 0);
	all_show("cycles=3072/2048/1024/0/2048/1024/0");
}

static void test_a_clock_that_runs_backwards(void **state)
{
	reset(2);
	sim.closing = turn_back;
	assert_int_equal(together("0:read+1:read", "size=256K node=0 repeat=8 warmup=2"), 0);
	all_show("samples=///8/7 left_out_why=////clock");
}

/* ----------------------------------------------------------- what can go wrong */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(2);
	assert_refused("mix cpu=0,1 groups=0:read+1:read size=8128", -EINVAL, "size");
	assert_refused("mix cpu=0,1 groups=0:read:size=4032+1:read size=1M", -EINVAL, "size");
	assert_refused("mix cpu=0,1 groups=0,1:read:size=8128 size=1M", -EINVAL, "size");
	assert_refused("mix cpu=0,1 groups=0:read+1:chase:delay=1 size=1M", -EINVAL, "groups");
	assert_refused("mix cpu=0,1 groups=0:chase:pattern=random+1:read", -EINVAL, "groups");
	assert_refused("mix cpu=0,1 groups=0:read+1:read measure=each", -EINVAL, "measure");
	assert_refused("mix cpu=0,1 groups=0:read+1:read smt=off", -EINVAL, "smt");
	assert_refused("mix cpu=0,1 groups=0:read+1:read target=phys:0x1000+4K", -EINVAL, "target");
}

static int resolve(const char *line)
{
	struct mc_error e = { 0 };

	reset(4);
	assert_int_equal(mc_request_parse(&req, line, strlen(line), specs, &e), 0);
	run.error = e;
	return mc_engine_cpus(&req, &run.error);
}

/* A run has the CPUs of its groups, whatever other CPUs cpu= has. */
static void test_groups_choose_the_cpus(void **state)
{
	assert_int_equal(resolve("mix groups=0:read+2,3:chase"), 0);
	assert_int_equal(req.ncpus, 3);
	assert_int_equal(req.cpus[0], 0xd);
	assert_int_equal(mc_engine_records(&req), 1 + 2 + 3);
	assert_int_equal(mc_engine_threads(&req), 3);
	assert_int_equal(resolve("mix groups=0:read+2,3:chase cpu=0-3"), 0);
	assert_int_equal(req.cpus[0], 0xd);
	assert_int_equal(resolve("mix groups=0:read+2,3:chase cpu=0-2"), -EINVAL);
	assert_string_equal(run.error.text, "groups: CPU 3 is not one of cpu=");
	assert_int_equal(resolve("mix groups=0:read cpu=any"), -EINVAL);
	assert_string_equal(run.error.text, "cpu: any is no CPU of groups=; use cpu=all");
}

static void test_a_stop_keeps_what_there_is(void **state)
{
	assert_stopped(2, 5,
		       "mix cpu=0,1 groups=0:read+1:write size=256K node=0 warmup=1 repeat=10", 5);
	all_show("samples=3..4");
}

static u64 stop_at;

static void stop_in_window(struct mc_worker *w)
{
	if (sim.windows == stop_at)
		mc_threads_stop(w->threads, -ECANCELED);
}

static void test_a_stop_is_seen_everywhere(void **state)
{
	static const char groups[] = "0:write+1:chase+2:write:pattern=random";
	static const char rest[] = "size=384K node=0 warmup=0 repeat=2";
	unsigned int all, at;
	u64 windows;

	reset_with(3, DEAR);
	assert_int_equal(together(groups, rest), 0);
	all = sim.asked;
	windows = sim.windows;
	/* Two threads verify 2048 lines each, 64 at a time. */
	assert_true(all > 2 * 2048 / 64);
	for (at = 1; at <= all; at++) {
		reset_with(3, DEAR);
		sim.stop_at = at;
		assert_int_equal(together(groups, rest), -ECANCELED);
	}
	/* Others end the windows that they have open, and begin none. */
	for (stop_at = 0; stop_at < windows; stop_at += 17) {
		reset_with(3, DEAR);
		sim.closing = stop_in_window;
		assert_int_equal(together(groups, rest), -ECANCELED);
		assert_in_range(sim.windows, stop_at + 1, stop_at + 3);
	}
}
