// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/loaded.c natively, with threads in virtual time, on a machine with
 * prices for a line of the load, a count of the delay, and a load that waits. The last
 * price is the higher, the less the other threads wait.
 */
#define TEST	mc_test_loaded
#include "stub/engine.h"

#include "stub/machine.h"

#define BYTES	(4ULL << 20)

/* ---------------------------------------------------------------- the machine */

/* Prices and oddities of the machine. */
static struct made {
	bool on_nodes;		/* the test asks for memory of each node */
	u64 line_ps;		/* a line of the load */
	u64 alone_ps;		/* a load that waits, without other load */
	u64 crowd_ps;		/* the most that other load adds */
	unsigned int chaser;	/* the thread that follows pointers */
	u64 slice;		/* each thread's part */
	u64 lines_of[THREADS_MOST];	/* lines of each thread's load */
	u64 calls_of[THREADS_MOST];
	u64 delay;		/* that of the request, if it is above 1000 */
	u64 gauged;		/* calls that measure the delay */
	u64 still;		/* those in which the clock stands still, a bit each */
	u64 slow;		/* so many of them are slow, each by less than the one before */
} made;

#define MADE	.line_ps = 10 * NS, .alone_ps = 80 * NS, .crowd_ps = 40 * NS, \
		.slice = 128 << 10

static struct mc_paced load;	/* the last one */

/* Does an access lie in the part of the thread that is running? */
static void look_at(u64 offset, u64 bytes)
{
	unsigned int i = sim_self();
	u64 part = made.on_nodes ? i / 2 * BYTES + i % 2 * made.slice : i * made.slice;

	EXPECT(offset >= part && offset + bytes <= part + made.slice);
}

static u64 waiting_ps(u64 delay)
{
	return made.alone_ps + made.crowd_ps * 100 / (100 + delay);
}

static u64 price(const struct access *a, u64 now_ps)
{
	look_at(a->physical, a->bytes);
	EXPECT(a->bytes == LINE || sim_self() == made.chaser);
	return a->bytes == LINE ? made.line_ps : waiting_ps(load.delay);
}

/* Lines take twice as long for others while the last thread, whose time is ahead, is late. */
static u64 spend(u64 ps)
{
	bool late = sim.late && sim.now[sim.n - 1] > sim.now[sim_self()] + sim.late / 2;

	if (sim_self() == made.chaser && made.gauged < made.slow)
		ps += (made.slow - made.gauged) * 1000 * NS;
	return sim_self() != made.chaser && late ? 2 * ps : ps;
}

/* No line is that of another step. */
static void look_at_lines(const struct mc_paced *args)
{
	u64 last = (args->steps - 1) * args->stride;

	for (u64 i = 0; i < args->end; i++) {
		for (u64 k = 0; k < i; k++) {
			u64 apart = (u8 *)args->place[i] - (u8 *)args->place[k];

			EXPECT(apart < args->stride || apart >= last + LINE);
		}
	}
}

/* The thread that follows pointers measures the delay first. */
static void see_load(const struct mc_paced *args)
{
	unsigned int i = sim_self();
	u64 lines = args->steps * args->end;

	if (args->lines)
		EXPECT(args->lines == made.slice / LINE);
	else
		look_at_lines(args);
	if (i == made.chaser) {
		EXPECT(args->reads == 1 && args->end == 1 && !args->nt && !args->lines &&
		       lines == (made.delay > 1000 ? 4 : 64));
		made.gauged++;
		return;
	}
	load = *args;
	made.lines_of[i] += lines;
	made.calls_of[i]++;
}

static const struct mc_view *of_node(const struct mc_wanted *want)
{
	made.on_nodes |= !want->alone;
	return want->alone ? &view : &machine.node[want->wish.node];
}

static void costs(void)
{
	machine_reset("", BYTES, .price = price, .spend = spend, .paced = see_load);
	view_for = of_node;
	made = (struct made){ MADE };
	load = (struct mc_paced){ 0 };
	/* A thread that waits for windows of the load asks again and again. */
	sim.look = 20000 * NS;
}

/* A rate in 1000 bytes a second, of a line every @ps. */
static u64 rate(u64 ps)
{
	return mc_rounded(LINE, 1000000000, ps);
}

/* --------------------------------------------------------------------- figures */

static void assert_loaded(const struct mc_record *r, unsigned int loaders, u64 delay)
{
	u64 ps = waiting_ps(delay), rates = loaders * rate(made.line_ps + delay * machine.count_ps);

	shows(r, "samples=4 latency_cpu:%u loads_per_pass:%llu ns_per_load:%llu; "
	      "load_mb_per_s:%llu mb_per_s:%llu delay_ns:%llu median_ns:%llu threads=%u",
	      made.chaser, made.slice / LINE, ps, rates, rates + rate(ps),
	      delay * machine.count_ps, made.slice / LINE * ps, loaders + 1);
	assert_int_equal(r->cpu, MC_CPU_ALL);
	shows(r, "verified=off window_max_ns=0.001..5000000 warmup_ns=10000000..20000000");
}

/* No tick passes in these calls. */
static void stand_still(struct mc_worker *w)
{
	if (w->index != made.chaser)
		return;
	w->began = made.still & 1 ? sim.now[w->index] : w->began;
	made.still >>= 1;
}

/* The delay is that of the fastest of eight calls with it, and of eight without. */
static void test_how_long_the_delay_takes(void **state)
{
	static const u64 delays[] = { 0, 900, 1000, 1001, 5000 };

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(delays); i++) {
		u64 delay = delays[i / 2];

		reset_with(2, .delay = delay, .slow = i % 2 ? 14 : 0);
		measured("loaded size=256K delay=%llu repeat=4 cpu=0,1", delay);
		assert_loaded(rec, 1, delay);
		assert_int_equal(made.gauged, 16);
		reset_with(2, .delay = delay, .still = i % 2 ? 0xffff : 0x5555);
		sim.closing = stand_still;
		measured("loaded size=256K delay=%llu repeat=4 cpu=0,1", delay);
		shows(rec, delay ? "delay_ns=null" : "delay_ns=0");
	}
}

static void assert_load(const char *op, u64 reads, u64 writes, bool nt, u64 arrays)
{
	for (unsigned int random = 0; random < 2; random++) {
		measured_on(2, "loaded size=256K delay=100 repeat=4 cpu=0,1 op=%s pattern=%s", op,
			    random ? "random" : "sequential");
		assert_int_equal(load.reads, reads);
		assert_int_equal(load.end, reads + writes);
		assert_int_equal(load.nt, nt);
		assert_int_equal(load.combine, arrays > 1);
		assert_int_equal(!!load.lines, random);
		if (!random) {
			assert_int_equal(load.stride, (reads + writes) * LINE / arrays);
			assert_int_equal((u8 *)load.place[load.end - 1] - (u8 *)load.place[0],
					 arrays == 1 ? (load.end - 1) * LINE :
					 (arrays - 1) * (made.slice / arrays & ~(LINE - 1)));
		}
		/* Payload counts bytes that are read and bytes that are written alike. */
		assert_loaded(rec, 1, 100);
	}
}

static void test_the_load_is_what_was_asked_for(void **state)
{
	assert_load("read", 1, 0, false, 1);
	assert_load("rw91", 9, 1, false, 1);
	assert_load("rw41", 4, 1, false, 1);
	assert_load("rw31", 3, 1, false, 1);
	assert_load("rw21", 2, 1, false, 1);
	assert_load("rw32", 3, 2, false, 1);
	assert_load("rw11", 1, 1, false, 1);
	assert_load("write", 0, 1, false, 1);
	assert_load("ntrw91", 9, 1, true, 1);
	assert_load("ntrw41", 4, 1, true, 1);
	assert_load("ntrw31", 3, 1, true, 1);
	assert_load("ntrw21", 2, 1, true, 1);
	assert_load("ntrw32", 3, 2, true, 1);
	assert_load("ntrw11", 1, 1, true, 1);
	assert_load("ntwrite", 0, 1, true, 1);
	assert_load("copy", 1, 1, false, 2);
	assert_load("ntcopy", 1, 1, true, 2);
	assert_load("triad", 2, 1, false, 3);
	assert_load("nttriad", 2, 1, true, 3);
}

/* Both parts are larger than a block, and the second one begins inside a block. */
static void test_random_lines_of_several_blocks(void **state)
{
	for (unsigned int who = 0; who < 2; who++) {
		reset_with(2, .chaser = who, .slice = 2200 << 10);
		machine.spans[0].bytes = 2 * BYTES;
		measured("loaded size=4400K delay=7 repeat=4 cpu=0,1 pattern=random latency_cpu=%u",
			 who);
		assert_int_equal(load.start, made.chaser ? 0 : made.slice % MC_BLOCK_BYTES);
		shows(rec, "samples=4");
	}
	reset_with(2, .slice = 2200 << 10);
	machine.spans[0] = (struct mc_span){ memory, 0, 3 << 20 };
	machine.spans[1] = (struct mc_span){ memory + BYTES, 3 << 20, BYTES };
	view.n = 2;
	assert_int_equal(measure("loaded size=4400K delay=100 cpu=0,1 pattern=random"), -ENOMEM);
	assert_non_null(strstr(run.error.text, "page: the memory is not in blocks of 2 MiB"));
}

/* The last thread comes late to each sample. */
static void test_load_counts_once_all_are_at_it(void **state)
{
	reset(4);
	sim.late = 1 * MS;
	measured("loaded size=512K delay=100 repeat=4 cpu=0-3");
	assert_loaded(rec, 3, 100);
}

/* Windows last 80 us, with 20 us after each: 4 lines take 100 us, not 80 us. */
static void test_time_between_windows_counts_for_the_load(void **state)
{
	reset_with(2, .line_ps = 20000 * NS);
	sim.gap = 20000 * NS;
	measured("loaded size=256K delay=0 repeat=20 cpu=0,1");
	shows(rec, "load_mb_per_s=2.56 ns_per_load:%llu", waiting_ps(0));
}

/* A sample is 32768 loads, however large the set. */
static void test_a_large_set_has_no_longer_samples(void **state)
{
	u64 from;

	reset_with(2, .slice = 2200 << 10);
	machine.spans[0].bytes = 2 * BYTES;
	sim.events = 1;	/* that of a core counts the pointers that it has followed */
	from = sim.now[0];
	measured("loaded size=4400K delay=100 repeat=2 cpu=0,1");
	shows(rec, "loads_per_pass=32768 ns_per_load:%llu median_ns:%llu cycles=32768",
	      waiting_ps(100), 32768 * waiting_ps(100));
	/* Nor any shorter ones, behind 10 ms for the loop to settle. */
	assert_in_range(sim.now[0] - from, 10 * MS + 2 * 32768 * waiting_ps(100), 25 * MS);
}

static void slow_set_up(struct mc_worker *w)
{
	if (!w->irq_off)
		sim_spend(MS);
}

/* The wait for the loop to settle does not include the set-up. */
static void test_the_wait_begins_with_the_load(void **state)
{
	reset(2);
	sim.opened = slow_set_up;
	measured("loaded size=256K delay=0 warmup=0 repeat=3 irq=off cpu=0,1");
	shows(rec, "warmup_ns=10000000..11000000");
}

static u64 calls_shared;	/* calls of a loading thread while others have its CPU, too */

/* Other threads have the CPU of a loading thread for nine tenths of such a window. */
static void share_cpu(struct mc_worker *w)
{
	if (w->index == made.chaser || made.calls_of[w->index] > calls_shared)
		return;
	w->disturbed = MC_BY_PREEMPTION;
	sim_spend(9 * (sim.now[w->index] - w->began));
}

static void set_up_sharing(u64 calls)
{
	reset_with(3, .chaser = 1);
	calls_shared = calls;
	sim.preemptible = true;
	sim.closing = share_cpu;
}

/* A load that runs for a tenth of the time is not the load that was asked for. */
static void test_a_load_that_hardly_runs_makes_no_sample(void **state)
{
	set_up_sharing(~0ULL);
	measured("loaded size=384K delay=0 repeat=4 latency_cpu=1 cpu=0-2");
	shows(rec, "samples=0 left_out=4 left_out_why=no_overlap ns_per_load=null; "
	      "load_mb_per_s=null");
	/* With disturbed=keep nothing is left out. */
	set_up_sharing(~0ULL);
	measured("loaded size=384K delay=0 repeat=4 latency_cpu=1 cpu=0-2 disturbed=keep");
	shows(rec, "samples=4 left_out_why=null");
}

/* It is waited for, and the first samples are taken again. */
static void test_a_load_that_comes_back_is_waited_for(void **state)
{
	set_up_sharing(30);
	measured("loaded size=384K delay=0 repeat=4 latency_cpu=1 cpu=0-2");
	assert_loaded(rec, 2, 0);
	shows(rec, "left_out=0 left_out_why=null");
}

static void tell_of_preemption(struct mc_worker *w)
{
	w->disturbed = MC_BY_PREEMPTION;
}

/* In the kernel the time of others is between the windows. */
static void test_a_load_that_is_kept_from_its_windows(void **state)
{
	/* Windows last 80 to 160 us. A gap of 500 us or less that nobody knows of is the load. */
	static const struct {
		bool known;
		u64 gap_us;
		u32 left_out;
	} rows[] = { { false, 490, 0 }, { false, 510, 4 }, { true, 70, 0 }, { true, 170, 4 } };

	reset_with(2, .line_ps = 10000 * NS);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		sim.gap = rows[i].gap_us * 1000 * NS;
		sim.closing = rows[i].known ? tell_of_preemption : NULL;
		measured("loaded size=256K delay=0 repeat=4 cpu=0,1");
		shows(rec, "left_out=%u", rows[i].left_out);
		assert_int_equal(rec->left_out, rows[i].left_out ? MC_LEFT_NO_OVERLAP : 0);
	}
}

/* It takes longer to open a window than a small slice of fast memory takes. */
static void test_the_gaps_of_short_windows_are_the_load(void **state)
{
	reset_with(2, .slice = 4096, .line_ps = 100);
	sim.gap = 50 * NS;
	measured("loaded size=8K delay=0 repeat=4 cpu=0,1");
	shows(rec, "samples=4 load_mb_per_s:%llu",
	      mc_rounded(4096, 1000000000, 64 * 100 + 50 * NS));
}

/* --------------------------------------------------------------- who, and where */

static void test_one_cpu_follows_pointers_and_all_others_load(void **state)
{
	for (unsigned int cpu = 0; cpu < 3; cpu++) {
		reset_with(3, .chaser = cpu);
		measured("loaded size=384K delay=100 repeat=4 cpu=0-2 latency_cpu=%u", cpu);
		assert_loaded(rec, 2, 100);
		assert_int_equal(done, 2 + 4);
		for (unsigned int i = 0; i < 3; i++)
			assert_int_equal(!!made.lines_of[i], i != cpu);
		/* CPUs 0 and 1 are on node 0, CPU 2 is on node 1. */
		assert_int_equal(wanted->wish.node, cpu / 2);
		assert_true(wanted->private);
		assert_int_equal(wanted->bytes, 384 << 10);
		shows(rec, "memory_node=%u remote_threads=%u", cpu / 2, cpu < 2 ? 1 : 2);
	}
	measured_on(2, "loaded size=256K delay=0 repeat=4 cpu=0,1 latency_cpu=auto");
	assert_loaded(rec, 1, 0);
}

static void test_with_node_local_parts_are_on_each_ones_node(void **state)
{
	for (unsigned int who = 0; who < 4; who += 3) {
		reset_with(4, .chaser = who);
		measured("loaded size=512K delay=100 repeat=4 cpu=0-3 node=local latency_cpu=%u",
			 who);
		assert_true(made.on_nodes);
		assert_int_equal(found, 2);
		assert_int_equal(wanted[0].wish.node, 0);
		assert_int_equal(wanted[1].wish.node, 1);
		assert_int_equal(wanted[0].bytes, 256 << 10);
		assert_int_equal(wanted[1].bytes, 256 << 10);
		assert_loaded(rec, 3, 100);
		assert_int_equal(rec->memory_node, MC_NODE_LOCAL);
		shows(rec, "remote_threads=0");
	}
}

/* ------------------------------------------------------- what can go wrong */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("loaded size=256K delay=0 cpu=any", -EINVAL, "cpu");
	assert_refused("loaded size=256K cpu=0 delay=0", -EINVAL, "cpu");
	reset(2);
	assert_refused("loaded size=256K cpu=0,1 latency_cpu=2 delay=0", -EINVAL, "latency_cpu");
	assert_refused("loaded size=8128 cpu=0,1 delay=0", -EINVAL, "size");
	assert_refused("loaded size=256K,4K cpu=0,1 delay=0", -EINVAL, "size");
	made.slice = 4096;
	measured("loaded size=8K delay=0 repeat=4 cpu=0,1");
	assert_loaded(rec, 1, 0);
}

static void test_a_stop_keeps_what_there_is(void **state)
{
	assert_stopped(3, 5, "loaded size=384K delay=100,900 warmup=1 repeat=10 cpu=0-2", 1);
	shows(rec, "samples=4");
	assert_loaded(rec, 2, 100);
	assert_stopped(3, 11 + 5, "loaded size=384K delay=100,900 warmup=1 repeat=10 cpu=0-2", 2);
	shows(rec, "samples=10");
	assert_loaded(&rec[1], 2, 900);
}

/* Lines that are stored past the caches load the memory, however small the shares are. */
static void test_stores_that_pass_the_caches_by(void **state)
{
	static const char line[] = "loaded delay=0 op=write,ntwrite,ntrw21,copy";
	struct mc_point point;

	assert_int_equal(mc_request_parse(&req, line, strlen(line), specs, &run.error), 0);
	for (unsigned int i = 0; i < mc_request_points(&req); i++) {
		mc_request_point(&req, i, &point);
		assert_int_equal(mc_test_loaded.uncached(&point),
				 i == 1 || i == 2 ? MC_UNCACHED_SOME : MC_UNCACHED_NONE);
	}
}
