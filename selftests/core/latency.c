// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/latency.c natively, with threads in virtual time, on a machine where
 * each load has a price, so that the figures are known to the last digit.
 */
#define TEST	mc_test_latency
#include "stub/engine.h"

#include "measure/source.h"
#include "stub/machine.h"

#define BYTES	(16ULL << 20)
#define WORDS	(BYTES / 8)

/* ---------------------------------------------------------------- the machine */

/* Prices and oddities of the machine. */
static struct made {
	u64 load_ps;
	u64 low_ps;		/* extra cost of a load from the set's lower half */
	u64 low_bytes;
	u64 cold_ps;		/* that of the first load of an element */
	u64 cpu_ps;		/* extra cost for each CPU before this one */
	u64 slow_every;		/* after the samples, such a call is 10 times as slow */
	bool stands;		/* or takes no time, by a clock that stands still */
	u64 neighbour_ps;	/* extra cost of a load in two samples of four */
	u64 before;		/* bytes of the cache before the last one, which holds the set */
	u64 loads;		/* since a window was closed, if others then take all lines */
	u64 calls;
	u64 empty;		/* calls without a load after the samples; some are slow */
} made;

#define MADE	.load_ps = 5 * NS
static u64 samples;		/* number of samples that are asked for */

static u8 seen[WORDS];		/* elements that were loaded from */
static u64 distinct;

static u64 price(const struct access *a, u64 now_ps)
{
	u64 i = a->physical / 8;
	bool again;

	EXPECT(i < WORDS);
	again = seen[i];
	made.loads++;
	distinct += !again;
	seen[i] = 1;
	return made.load_ps + sim_self() * made.cpu_ps + (again ? 0 : made.cold_ps) +
	       (done % 4 < 2 ? made.neighbour_ps : 0) +
	       (a->physical < made.low_bytes ? made.low_ps : 0);
}

static u64 spend(u64 ps)
{
	if (made.slow_every && ps > machine.call_ps && done == samples &&
	    !(++made.calls % made.slow_every))
		ps *= made.stands ? 0 : 10;
	/* In the last of eight rounds. */
	if (done == samples && ps == machine.call_ps && ++made.empty / 64 == 7)
		ps *= 10;
	return ps;
}

/* What the test asks about the level that served the loads. */
static u64 served_bytes, served_ps;

enum mc_hit mc_source_of_chase(const struct mc_run *r, const struct mc_record *record,
			       const struct mc_chase *chase, u64 loads)
{
	served_bytes = chase->n * min(chase->stride, 64ULL);
	served_ps = record->stats.median_ps / loads;
	return MC_HIT_L2;
}

u64 mc_source_before_last(int cpu, u64 bytes)
{
	return made.before;
}

static void costs(void)
{
	machine_reset("", BYTES, .price = price, .spend = spend, .turn = &run.part,
		      .core_mhz = 2500);
	made = (struct made){ MADE };
	/* A look at the clock costs what the clock is said to cost. */
	sim.look = mc_clock.cost_ps;
}

/* A set of 64 KiB has no second place. */
static void one_place(void)
{
	machine.spans[0].bytes = 64 << 10;
}

/* --------------------------------------------------------------------- figures */

/* The level follows from the bytes of the lines that the loads touch, and from their time. */
static void test_the_level_is_that_of_the_lines(void **state)
{
	static const struct {
		const char *line;
		u64 bytes;
	} rows[] = {
		{ "latency size=64K", 64 << 10 }, { "latency size=64K stride=256", 256 * 64 },
		{ "latency size=64K stride=8 pattern=stride", 64 << 10 },
		{ "latency size=64K stride=24", 2730 * 24 }, { "latency size=64K stride=32K", 128 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		measured_on(1, rows[i].line);
		shows(rec, "level=l2");
		assert_int_equal(served_bytes, rows[i].bytes);
		assert_int_equal(served_ps, 5 * NS);
	}
}

static void speed_up(void)
{
	machine.core_mhz += 500;
}

static void preempt(struct mc_worker *w)
{
	w->disturbed = MC_BY_PREEMPTION;
}

/* Others have the CPU in those samples that are slow. */
static void preempt_some(struct mc_worker *w)
{
	w->disturbed = done % 4 < 2 ? MC_BY_PREEMPTION : 0;
}

/* Cycles are those of the samples that are used. */
static void test_cycles_without_disturbed_samples(void **state)
{
	reset_with(1, .neighbour_ps = 2 * NS);
	sim.kinds = MC_BY_PREEMPTION;
	sim.closing = preempt_some;
	one_place();
	measured("latency size=64K warmup=0 repeat=12");
	shows(rec, "left_out=6 ns_per_load=5 cycles_per_load=12.5");
}

/* Two groups of samples at one clock are a disturbed core, if not each place has one. */
static void test_a_neighbour_of_the_core(void **state)
{
	reset_with(1, .neighbour_ps = 2 * NS);
	sim.kinds = MC_BY_INTERRUPT;
	one_place();
	measured("latency size=64K warmup=0 repeat=12");
	assert_true(rec->watched & MC_BY_NEIGHBOUR);
	shows(rec, "disturbed_neighbour=6 steady=null");
	/* By a twelfth, so that they spread by less than 5 %, and by less. */
	made.neighbour_ps = 420;
	measured("latency size=64K warmup=0 repeat=12");
	assert_in_range(rec->stats.cv_ppm, 40000, 45000);
	shows(rec, "steady=null");
	made.neighbour_ps = 400;
	measured("latency size=64K warmup=0 repeat=12");
	assert_true(rec->watched & MC_BY_NEIGHBOUR);
	shows(rec, "disturbed_neighbour=0 steady=yes");
	/* Two of eight places cost more. */
	reset_with(1, .low_ps = 3 * NS, .low_bytes = 512 << 10);
	sim.kinds = MC_BY_INTERRUPT;
	measured("latency size=256K repeat=16");
	shows(rec, "max_ns=32768 disturbed_neighbour=0 steady=null");
	/* The cause may be another: one that is not watched, the clock, or others that are seen. */
	for (unsigned int i = 0; i < 3; i++) {
		reset_with(1, .neighbour_ps = 2 * NS);
		sim.kinds = i ? MC_BY_PREEMPTION : 0;
		after_sample = i == 1 ? speed_up : NULL;
		sim.closing = i == 2 ? preempt : NULL;
		one_place();
		measured("latency size=64K warmup=0 repeat=12");
		assert_false(rec->watched & MC_BY_NEIGHBOUR);
	}
}

/* Half of the elements cost 5 ns, the others 8: each pass has as many of either. */
static void test_all_elements_count_alike(void **state)
{
	static const char *const patterns[] = { "random", "page", "stride" };

	for (unsigned int i = 0; i < ARRAY_SIZE(patterns); i++) {
		reset_with(1, .low_ps = 3 * NS, .low_bytes = 32 << 10);
		one_place();
		measured("latency size=64K pattern=%s", patterns[i]);
		shows(rec, "ns_per_load=6.5 cycles_per_load=16.25");
	}
}

/*
 * The first 256 KiB cost 3 ns more. Each sample is of another 256 KiB of the first 2 MiB, so
 * one of eight is slower, and the eighth part of the time of all is that of the slow place.
 */
static void test_samples_take_places_in_turn(void **state)
{
	static const struct {
		const char *size;
		u32 places;
	} rows[] = {
		{ "64K repeat=16", 8 }, { "256K repeat=3", 3 }, { "768K", 2 }, { "2M", 1 },
		{ "299520", 6 },	/* whole pages, or there would be seven */
		{ "256K type=uc", 1 }, { "256K target=phys:0x30000000+16M", 1 },
	};

	/* No sample has what is cold: each place is gone through before. */
	reset_with(1, .low_ps = 3 * NS, .low_bytes = 256 << 10, .cold_ps = 100 * NS);
	memset(seen, 0, sizeof(seen));
	measured("latency size=256K repeat=16");
	shows(rec, "placements=8 verified=ok ns_per_load=5 min_ns=20480 max_ns=32768; "
	      "mean_ns=22016");
	/* No more places than eight or than samples, and none where the set fills the memory. */
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		measured("latency size=%s", rows[i].size);
		shows(rec, "placements=%u", rows[i].places);
	}
}

static u64 refills, of_samples, between;

static void others_take_all_lines(struct mc_worker *w)
{
	memset(seen, 0, sizeof(seen));
	made.loads = 0;
}

/* The set is read twice, and twice as many pointers are followed as the other cache has lines. */
static void count_refill(struct mc_worker *w)
{
	refills += made.loads == 2 * (64 << 10) / 8 + 2 * made.before / LINE;
	of_samples = done < 5 ? refills : of_samples;
	between += !!made.loads;
}

/* The last cache, which others fill, too, has the set when a window begins. */
static void test_the_last_cache_is_filled_before_each_window(void **state)
{
	static const struct {
		const char *more;
		u64 before, ns;
	} rows[] = {
		{ "", 4096, 5 }, { "", 0, 105 }, { " stride=128", 4096, 105 },
		{ " stride=8 pattern=stride", 4096, 5 }, { " type=uc", 4096, 105 },
		{ " target=phys:0x30000000+16M", 4096, 105 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		reset_with(1, .cold_ps = 100 * NS, .before = rows[i].before);
		sim.opened = count_refill;
		sim.closing = others_take_all_lines;
		refills = 0;
		between = 0;
		measured("latency size=64K warmup=1 repeat=4%s", rows[i].more);
		shows(rec, "ns_per_load=%llu", rows[i].ns);
		assert_int_equal(refills, between);
		/* And before the times of batches. */
		assert_int_equal(refills, rows[i].ns == 5 ? of_samples + 1 : 0);
		assert_true(rows[i].ns != 5 || of_samples >= 5);
	}
}

static void slower(void)
{
	made.load_ps += 1 * NS;
}

static void test_median_and_fastest(void **state)
{
	reset(1);
	after_sample = slower;
	measured("latency size=64K warmup=1 repeat=5");
	/* 6 ns after the warm-up, and one more in each sample. */
	shows(rec, "ns_per_load=8 ns_per_load_min=6 max_ns=10240");
}

static u64 in_two_passes;

static void look(void)
{
	if (done == 3)
		in_two_passes = distinct;
	memset(seen, 0, done == 1 ? sizeof(seen) : 0);
	distinct = done == 1 ? 0 : distinct;
}

static void test_a_large_set_takes_several_passes(void **state)
{
	reset(1);
	after_sample = look;
	measured("latency size=16M stride=8 warmup=0 repeat=3");
	shows(rec, "loads_per_pass=1048576 ns_per_load=5");
	assert_int_equal(served_bytes, BYTES);
	assert_int_equal(in_two_passes, 2 << 20);
}

/* 32 costs of the clock, 20 ns each, and one load more: 129 of 5 ns. */
static void test_how_times_are_distributed(void **state)
{
	reset(1);
	samples = 3;
	measured("latency size=64K warmup=1 repeat=2");
	shows(rec, "batch_loads=129 p50_ns_per_load=5 p99_ns_per_load=5 p999_ns_per_load=5");
	assert_non_null(rec->histogram);

	reset_with(1, .slow_every = 500);
	measured("latency size=64K warmup=1 repeat=2");
	shows(rec, "ns_per_load=5 p50_ns_per_load=5 p99_ns_per_load=5 p999_ns_per_load=50");

	reset_with(1, .slow_every = 50);
	measured("latency size=64K warmup=1 repeat=2");
	shows(rec, "p50_ns_per_load=5 p99_ns_per_load=50");
	assert_int_equal(made.calls, 8192);

	/* Batches that the clock does not resolve are none. */
	reset_with(1, .slow_every = 2, .stands = true);
	sim.look = 0;
	measured("latency size=64K warmup=1 repeat=2");
	assert_int_equal(made.calls, 2 * 8192 - 1);
	shows(rec, "p50_ns_per_load=5 p99_ns_per_load=5");
}

/* The batches and the clock of the core know what clock and calls cost, and nothing else. */
static void test_calls_cost_nothing(void **state)
{
	static const u64 clocks[] = { 800, 2500, 3000, 5000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(clocks); i++) {
		reset(1);
		one_place();
		machine.core_mhz = clocks[i];
		machine.call_ps = 7 * NS;
		samples = 3;
		sim.overhead = 30 * NS;
		made.load_ps = 4000000 / machine.core_mhz;	/* 4 cycles */
		measured("latency size=64K warmup=1 repeat=2");
		shows(rec, "core_mhz:%llu core_mhz_after:%llu cycles_per_load=3.99..4.02; "
		      "p50_ns_per_load:%llu p99_ns_per_load:%llu p999_ns_per_load:%llu",
		      machine.core_mhz, machine.core_mhz, made.load_ps, made.load_ps, made.load_ps);
		/* The clock alone says how many loads a batch has, by the time of a first pass. */
		assert_in_range(figure(rec, "batch_loads") * made.load_ps, 31 * 20 * NS,
				33 * 20 * NS);
	}
}

/* --------------------------------------------------------------- who, and where */

/* A sample takes 51.2 ms, and the distribution of times takes 410 ms beside the samples. */
static void test_samples_take_as_long_as_asked(void **state)
{
	struct mc_side telling = side;

	reset_with(1, .load_ps = 50000 * NS);
	told_more = 0;
	one_place();
	measured("latency size=64K time=2 repeat=4 warmup=1");
	shows(rec, "median_ns:%llu", 1024 * made.load_ps);
	assert_in_range(rec->stats.samples * rec->stats.median_ps, 1950 * MS, 2050 * MS);
	shows(rec, "repeat=%u", rec->stats.samples);
	assert_int_equal(done, 1 + rec->stats.samples);
	assert_int_equal(told_more, rec->stats.samples - 4);
	/* repeat= is the least number. */
	reset_with(1, .load_ps = 50000 * NS);
	measured("latency size=64K time=1 repeat=60 warmup=0");
	shows(rec, "samples=60");
	/* time= counts samples only: warm-ups here take longer than it allows. */
	reset_with(1, .load_ps = 50000 * NS);
	one_place();
	measured("latency size=64K time=0.4 repeat=4 warmup=1");
	assert_in_range(rec->stats.samples * rec->stats.median_ps, 350 * MS, 450 * MS);
	/* The side says for how long samples last together, if the request does not. */
	telling.spread_ns = 30000000;
	for (unsigned int i = 0; i < 3; i++) {
		static const char *const times[] = { "", " time=0.01", " time=0" };

		reset(1);
		run.side = &telling;
		one_place();
		measured("latency size=64K repeat=10 warmup=0%s", times[i]);
		shows(rec, "window_max_ns:%llu..%llu", i ? 1 : 300000 * NS,
		      i ? 100000 * NS : 500000 * NS);
	}
	/* One sample takes longer than asked. */
	reset_with(1, .load_ps = 2000000 * NS);
	measured("latency size=64K time=1 repeat=1 warmup=0");
	shows(rec, "samples=1");
}

/* A run that is stopped keeps the samples until then. */
static void test_a_stop_before_the_time_is_over(void **state)
{
	u64 samples = 0;

	for (sim.stop_at = 1; sim.stop_at < 40; sim.stop_at++) {
		u32 at = sim.stop_at;

		reset_with(1, .load_ps = 50000 * NS);
		sim.stop_at = at;
		assert_int_equal(measure("latency size=64K time=20 repeat=4 warmup=0"), -ECANCELED);
		assert_int_equal(n, rec->stats.samples > 0);
		shows(rec, "samples:%llu..%llu", samples, samples + 1);
		samples = rec->stats.samples;
		if (n)
			shows(rec, "ns_per_load:%llu median_ns:%llu repeat=%llu", made.load_ps,
			      1024 * made.load_ps, max(samples, 4ULL));
	}
	assert_true(samples > 4);
}

static void test_cpus_take_turns(void **state)
{
	reset_with(3, .cpu_ps = 1 * NS);
	measured("latency size=64K,128K cpu=0-2");
	assert_int_equal(n, 6);
	assert_int_equal(found, 6);
	all_show("cpu=0/1/2/0/1/2 size_bytes=65536/65536/65536/131072/131072/131072; "
		 "ns_per_load=5/6/7/5/6/7 loads_per_pass=1024/1024/1024/2048/2048/2048");
}

static void test_memory_is_near_the_cpu_whose_turn_it_is(void **state)
{
	assert_turns_on_nodes("latency");
}

static unsigned int quiet;

static void count_quiet(struct mc_worker *w)
{
	quiet += w->irq_off;
}

static unsigned int quiet_windows(const char *line)
{
	reset(1);
	one_place();
	quiet = 0;
	sim.opened = count_quiet;
	measured(line);
	return quiet;
}

/* All windows except those that measure the clock of the core, before and after each sample. */
static void test_interrupts_are_as_asked(void **state)
{
	assert_int_equal(quiet_windows("latency size=64K"), 0);
	assert_int_equal(quiet_windows("latency size=64K irq=off"), sim.windows - 2 * 11);
}

/* ------------------------------------------------------- what can go wrong */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("latency size=64K stride=64K;latency size=64K,4K stride=4K;"
		       "latency pattern=page stride=24;latency pattern=random,page stride=4K",
		       -EINVAL, "stride");
	measured("latency size=8K pattern=page stride=2K");
	measured("latency size=8K pattern=random stride=4K");
}

/* Memory whose upper half mirrors the lower half can't hold one cycle. */
static void test_what_is_no_cycle_is_found(void **state)
{
	reset(1);
	machine.spans[0].bytes = 32 << 10;
	machine.spans[1] = (struct mc_span){ memory, 32 << 10, 32 << 10 };
	view.n = 2;
	assert_int_equal(measure("latency size=64K"), -EBADMSG);
	assert_int_equal(strncmp(run.error.text, "verify:", 7), 0);
	assert_int_equal(n, 1);
	shows(rec, "verified=failed");
}

static void test_a_stop_keeps_what_there_is(void **state)
{
	assert_stopped(2, 5, "latency size=64K warmup=1 repeat=10 cpu=0,1", 1);
	shows(rec, "samples=4 verified=ok ns_per_load=5 core_mhz=2500 p50_ns_per_load=null");
	assert_null(rec->histogram);
	/* During the second CPU's turn: the record of the first CPU is complete. */
	assert_stopped(2, 11 + 3, "latency size=64K warmup=1 repeat=10 cpu=0,1", 2);
	all_show("samples=10/2 p50_ns_per_load=5/");
	/* In a warm-up: the record has no figures. */
	assert_stopped(2, 12, "latency size=64K warmup=1 repeat=10 cpu=0,1", 1);
}

static unsigned int behind;

/* Two windows behind the samples measure the clock. */
static void stop_in_batches(struct mc_worker *w)
{
	if (done == 4 && ++behind > 2 + 1)
		mc_threads_stop(w->threads, -ECANCELED);
}

static void test_batches_until_a_stop_are_kept(void **state)
{
	reset(1);
	one_place();
	behind = 0;
	sim.opened = stop_in_batches;
	assert_int_equal(measure("latency size=64K warmup=1 repeat=3"), -ECANCELED);
	assert_int_equal(n, 1);
	shows(rec, "samples=3 p50_ns_per_load=5");
	assert_non_null(rec->histogram);
}

static void test_a_stop_is_seen_everywhere(void **state)
{
	/* While linking and walking 4096 elements at a time, and before each sample. */
	unsigned int kept = stop_everywhere("latency size=1M warmup=0 repeat=2", 4 + 4 + 2,
					    "ns_per_load=5");

	assert_in_range(kept, 1, questions - 8);
}
