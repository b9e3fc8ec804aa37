// SPDX-License-Identifier: GPL-2.0-only
/* The test bandwidth natively: what it refuses, and the figures that it reports. */
#include "stub/bandwidth.h"

/* ------------------------------------------------------------- wrong requests */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("op=ntread width=8;op=rep_movsb width=8", -EINVAL, "width");
	assert_refused("op=copy readback=on;op=rmw readback=on;op=read readback=on;"
		       "op=rw11 readback=on;op=xchg readback=on;op=write readback=on data=zero",
		       -EINVAL, "readback");
	assert_refused("fence=dmb_sy;fence=dsb_ishst", -EOPNOTSUPP, "fence");
	assert_refused("op=memcpy_toio;op=memcpy_flushcache width=8;op=cmpxchg_llsc",
		       -EOPNOTSUPP, "op");
	assert_int_equal(check("op=write type=uc"), 0);
	assert_refused("op=rep_stosb data=random", -EINVAL, "data");
	assert_refused("op=xadd type=uc", -EINVAL, "type");
	assert_refused("op=copy width=16 align=8;op=xadd align=4;"
		       "op=copy width=8 align=1 pattern=random;op=copy width=8 align=8 streams=2",
		       -EINVAL, "align");
	assert_refused("op=copy width=32 distance=16;op=read width=8 distance=16", -EINVAL,
		       "distance");
	assert_refused("op=write width=8 tail=1", -EINVAL, "tail");
	assert_refused("op=copy extent=64", -EINVAL, "extent");
	assert_refused("op=copy extent=4K piece=4K", -EINVAL, "piece");
	assert_int_equal(check("op=copy width=16 align=48 distance=4080"), 0);
	assert_int_equal(check("op=xadd align=8"), 0);
	assert_refused("op=rep_movsb streams=16;op=write readback=on streams=2;op=rw31 streams=2",
		       -EINVAL, "streams");
	assert_non_null(strstr(run.error.text,
			       "op=rw31 goes through memory in one stream; use streams=1"));
	assert_refused("op=copy size=7K streams=16", -EINVAL, "size");
	assert_int_equal(check("op=copy size=8K streams=16"), 0);
	sim.show = 1 << MC_CPU_CLWB | 1 << MC_CPU_CLFLUSHOPT | 1 << MC_CPU_MOVDIR64B;
	assert_refused("op=movdir64b width=32", -EINVAL, "width");
	assert_refused("op=write_clwb type=uc;op=read_prefetchnta type=wc;"
		       "op=write_clflushopt type=wc", -EINVAL, "type");
	assert_refused("op=write_prefetchw streams=2", -EINVAL, "streams");
	assert_refused("op=write_cldemote;op=read_movrs", -EOPNOTSUPP, "op");
	sim.show = 0;
	sim.hide = 1 << MC_CPU_CLWB | 1 << MC_CPU_CLFLUSHOPT | 1 << MC_CPU_MOVDIR64B;
	assert_refused("op=write_clwb;op=write_clflushopt width=8;op=movdir64b", -EOPNOTSUPP,
		       "op");
	sim.hide = 1 << MC_CPU_AVX512F;
	assert_refused("op=write_clwb width=64;op=rw31 width=64;op=write width=64", -EOPNOTSUPP,
		       "width");
	assert_int_equal(check("op=write width=16"), 0);
	sim.hide |= 1 << MC_CPU_AVX2;
	assert_refused("op=triad width=32", -EOPNOTSUPP, "width");
	assert_int_equal(check("op=triad width=max"), 0);
	sim.hide |= 1 << MC_CPU_SSE41;
	assert_refused("op=ntread width=16;op=ntread width=max", -EOPNOTSUPP, "width");
	reset(1);
	run.threads->n = 22;
	assert_refused("op=triad size=4K;op=read size=4032", -EINVAL, "size");
	assert_non_null(strstr(run.error.text, "4096"));
	assert_int_equal(check("op=copy size=4K"), 0);
}

/* ------------------------------------------------------------------ figures */

static bool stands;	/* the clock of the counter */

/* The loop of a thread, of which the second takes three times as long, reads 16 lines a pass. */
static void read_lines(struct mc_worker *w)
{
	u64 passes = passes_in_window(w);

	if (!w->irq_off)
		return;
	sim_spend((w->index ? 3 : 1) * passes * pass_ps);
	sim.reading[0].value += 16 * passes;
	sim.reading[0].enabled += !stands;
	sim.reading[0].running += !stands;
}

static void count_reads(unsigned int threads, u64 ps)
{
	reset(threads);
	pass_ps = ps;
	sim.closing = read_lines;
	sim.counters = 1;
	sim.openable = 1;
	assert_int_equal(transfer("size=30K op=read"), 0);
}

/* Passes that are not timed move memory, too. */
static void test_traffic_is_that_of_a_pass_of_all_threads(void **state)
{
	for (unsigned int n = 1; n <= 2; n++) {
		count_reads(n, 123456789);
		shows(rec, "dram_read_bytes=%u", n * 16 * 64);
	}
}

/* Its clock may be coarse. But if it has not advanced in four samples of 5 ms, it is gone. */
static void test_a_counter_whose_clock_stands_still(void **state)
{
	stands = true;
	count_reads(1, 4 * MS);
	shows(rec, "dram_read_bytes=1024 dram_why=null");
	count_reads(1, 5 * MS);
	shows(rec, "dram_read_bytes=null dram_why=did_not_run");
	stands = false;
}

static void assert_rate(const char *op, const char *more, u64 bytes, u64 payload)
{
	reset(1);
	pass_ps = 123400789;	/* of the rates below some end in .9, some in .0 */
	assert_int_equal(transfer("op=%s %s", op, more), 0);
	shows(rec, "median_ns=123400.789 traversed_bytes:%llu", bytes);
	/* In 1000 bytes a second, rounded. */
	shows(rec, "mb_per_s:%llu mb_per_s_max:%llu passes_per_sample=1 core_mhz=2500",
	      mc_rounded(payload, 1000000000, 123400789),
	      mc_rounded(payload, 1000000000, 123400789));
	/* Hundredths of a byte: MB/s by MHz. */
	shows(rec, "bytes_per_core_cycle:%llu core_mhz_after=2500",
	      mc_rounded(figure(rec, "mb_per_s"), 1, 25000));
	assert_int_equal(rec->has, 0x7f);
}

static void test_rates_are_those_of_the_payload(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		if (mc_loop_widest(i))
			assert_rate(ops[i], "size=30K", 30720,
				    mc_ops[i].payload * 30720 / mc_ops[i].arrays);
	assert_rate("ntwrite", "size=30K readback=on", 30720, 2 * 30720);
	/* 4096 / 3 is 21 lines and a bit. */
	assert_rate("triad", "size=4K", 3 * 21 * 64, 3 * 21 * 64);
	assert_rate("triad4", "size=5K", 4 * 20 * 64, 4 * 20 * 64);
	assert_rate("rw31", "size=5K", 4 * 20 * 64, 4 * 20 * 64);
	assert_rate("rw32", "size=5K", 5 * 16 * 64, 5 * 16 * 64);
	assert_rate("ntrw91", "size=5K", 10 * 8 * 64, 10 * 8 * 64);
}

static void test_rates_of_threads(void **state)
{
	reset(2);
	assert_int_equal(transfer("size=30K op=copy"), 0);
	/* Each thread's array of 7.5 KiB takes a window of 4 KiB and one of 3.5 KiB. */
	shows(rec, "median_ns=2000000..2000000.1 mb_per_s:%llu traversed_bytes=30720",
	      mc_rounded(30720, 1000000000, rec->stats.median_ps));
	/* Of one thread: half of all bytes. */
	shows(rec, "core_mhz=2500 bytes_per_core_cycle:%llu",
	      mc_rounded(figure(rec, "mb_per_s"), 1, 50000));
}

/* The mean of all threads is not known, then, and that of the only one neither. */
static void test_a_clock_that_one_thread_does_not_know(void **state)
{
	for (unsigned int threads = 1; threads <= 3; threads++) {
		for (unsigned int i = 0; i < threads; i++) {
			reset(threads);
			no_clock = 1 << i;
			assert_int_equal(transfer("size=30K"), 0);
			assert_int_equal(rec->has, 0xf);
		}
	}
}

static void know_the_clock(void)
{
	core_mhz = done == 3 ? 2500 : core_mhz;
}

/* Only before the last of three samples is the clock known. */
static void test_a_clock_that_is_not_known_at_first(void **state)
{
	reset(1);
	pass_ps = 123456789;
	core_mhz = 0;
	after_sample = know_the_clock;
	assert_int_equal(transfer("size=30K"), 0);
	assert_int_equal(rec->has, 0x6f);
	shows(rec, "core_mhz=null core_mhz_after=2500 bytes_per_core_cycle:%llu",
	      mc_rounded(figure(rec, "mb_per_s"), 1, 25000));
}

/* The clock is measured in two rounds of two calls. Either round may be slow. */
static void test_the_clock_is_that_of_the_fastest_round(void **state)
{
	static const unsigned int slow[] = { 0x3, 0xc, 0x6, 0x9 };

	for (unsigned int i = 0; i < ARRAY_SIZE(slow); i++) {
		reset(1);
		slow_calls = slow[i];
		assert_int_equal(transfer("size=30K"), 0);
		shows(rec, "core_mhz=2500 core_mhz_after=2500");
	}
}

static unsigned int drains;

static void count_drains(struct mc_worker *w)
{
	closing(w);
	drains = w->irq_off ? sim_drains : drains;
	sim_drains = 0;
}

/* Did the last timed window of a line wait for its stores? */
static bool waits(const char *op, const char *type)
{
	reset(1);
	sim.closing = count_drains;
	assert_int_equal(transfer("size=30K op=%s type=%s", op, type), 0);
	assert_in_range(drains, 0, 1);
	return drains;
}

/* Stores that are still in the CPU's buffers at the end of a window would cost nothing. */
static void test_stores_that_pass_the_caches_by_are_waited_for(void **state)
{
	static const struct {
		enum mc_op op;
		bool on_wb, on_wc;
	} rows[] = {
		{ MC_OP_READ, false, false }, { MC_OP_NTREAD, false, false },
		{ MC_OP_WRITE, false, true }, { MC_OP_NTWRITE, true, true },
		{ MC_OP_COPY, false, true }, { MC_OP_NTCOPY, true, true },
		{ MC_OP_RMW, false, true }, { MC_OP_TRIAD, false, true },
		{ MC_OP_NTTRIAD, true, true }, { MC_OP_RW91, false, true },
		{ MC_OP_NTRW91, true, true }, { MC_OP_REP_STOSB, false, true },
		{ MC_OP_MOVDIR64B, true, true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!mc_loop_widest(rows[i].op))
			continue;
		assert_int_equal(waits(ops[rows[i].op], "wb"), rows[i].on_wb);
		assert_int_equal(waits(ops[rows[i].op], "wc"), rows[i].on_wc);
	}
	if (mc_loop_widest(MC_OP_WRITE_FLUSHOPT))
		assert_true(waits("write_clflushopt", "wb"));
	if (mc_loop_widest(MC_OP_WRITE_CLWB))
		assert_true(waits("write_clwb", "wb"));
	assert_true(waits("write", "uc"));
}

static unsigned int untimed;

static void count_untimed(struct mc_worker *w)
{
	opened(w);
	untimed += !w->irq_off;
}

/* Windows that measure the clock of the core: two before each sample, and two at the end. */
#define CLOCK_WINDOWS	8

/* Memory without room for a second place. */
static const struct mc_span small_span = { high, 0, 4096 };

/* The number of windows outside all samples. Each fill, flush or sum takes one. */
static unsigned int untimed_windows(const char *op, const char *verify)
{
	reset(1);
	view = (struct mc_view){ &small_span, 1 };
	/* A window lasts longer than 1 ms, so nobody waits until ten samples agree. */
	sim.overhead = NS;
	untimed = 0;
	sim.opened = count_untimed;
	assert_int_equal(transfer("size=4K op=%s verify=%s", op, verify), 0);
	return untimed - CLOCK_WINDOWS;
}

/* Zen 5 keeps a non-temporal store in L1 if L1 has the line, so L1 must not have it. */
static void test_streaming_stores_start_with_cold_caches(void **state)
{
	assert_int_equal(untimed_windows("write", "off"), 1);
	assert_int_equal(untimed_windows("ntwrite", "off"), 1 + 1);
	assert_int_equal(untimed_windows("ntcopy", "off"), 1 + 1);
	/* Each sample that is kept is summed; the caches are flushed before each of all four. */
	assert_int_equal(untimed_windows("write", "each"), 1 + 3);
	assert_int_equal(untimed_windows("ntwrite", "each"), 1 + 4 + 3);
	assert_int_equal(untimed_windows("copy", "each"), 4 + 3);
	assert_int_equal(untimed_windows("ntcopy", "each"), 4 + 4 + 3);
	/* Line copies are flushed, strings are not; mixes fill three arrays, once. */
	if (mc_loop_widest(MC_OP_MOVDIR64B))
		assert_int_equal(untimed_windows("movdir64b", "each"), 4 + 4 + 3);
	assert_int_equal(untimed_windows("rep_movsb", "each"), 4 + 3);
	assert_int_equal(untimed_windows("rep_stosb", "each"), 1 + 3);
	assert_int_equal(untimed_windows("rw31", "each"), 3 + 3);
	assert_int_equal(untimed_windows("rw31", "deferred"), 3 + 1);
	/* Two arrays of this one are flushed and summed, and three are filled. */
	assert_int_equal(untimed_windows("ntrw32", "each"), 3 + 2 * (4 + 3));
}

static void slower(void)
{
	pass_ps += 1000 * NS;
}

static void test_medians_and_passes(void **state)
{
	reset(1);
	pass_ps = 150 * NS;
	assert_int_equal(transfer("size=30K op=read width=8"), 0);
	shows(rec, "passes_per_sample=133..200 median_ns=150");
	assert_int_equal(rec->point.v[MC_KEY_FIRST + 1], 8);

	reset(1);
	pass_ps = 5000 * NS;
	after_sample = slower;
	assert_int_equal(transfer("size=30K op=read"), 0);
	shows(rec, "mb_per_s:%llu mb_per_s_max:%llu", mc_rounded(30720, 1000000000, 7000 * NS),
	      mc_rounded(30720, 1000000000, 6000 * NS));
	assert_int_equal(rec->point.v[MC_KEY_FIRST + 1], mc_loop_widest(MC_OP_READ)->width);
}

static void test_the_longest_window_is_reported(void **state)
{
	for (unsigned int threads = 1; threads <= 2; threads++) {
		reset(threads);
		assert_int_equal(transfer("size=30K op=read"), 0);
		shows(rec, "window_max_ns=1000000");
	}
}

/* The error of readback=on names all operations that can have it, and no others. */
static void test_what_readback_takes_is_said(void **state)
{
	enum mc_op op;

	reset(1);
	assert_refused("op=read readback=on", -EINVAL, "readback");
	for (op = 0; op < MC_OP_SUM; op++) {
		bool takes = mc_ops[op].stores == MC_STORES_COUNTER && mc_ops[op].payload == 1;

		if (takes)
			assert_non_null(strstr(run.error.text, mc_ops[op].name));
		else if (op != MC_OP_READ)
			assert_null(strstr(run.error.text, mc_ops[op].name));
	}
}

static void test_a_run_cut_short_tells_what_it_knows(void **state)
{
	reset(1);
	stop_after = 3;
	after_sample = stop;
	assert_int_equal(transfer("size=30K op=read"), -EINTR);
	shows(rec, "samples=2 verified=ok");
	reset(1);
	after_sample = stop;
	assert_int_equal(transfer("size=30K op=write verify=deferred"), -EINTR);
	shows(rec, "samples=2 verified=off");
}

static enum mc_uncached uncached(const char *line)
{
	assert_int_equal(check("%s", line), 0);
	return mc_test_bandwidth.uncached(&rec->point);
}

static void test_what_passes_the_caches_by(void **state)
{
	reset(1);
	sim.show = 1 << MC_CPU_CLWB | 1 << MC_CPU_CLFLUSHOPT | 1 << MC_CPU_MOVDIR64B;
	assert_int_equal(uncached("op=read"), MC_UNCACHED_NONE);
	assert_int_equal(uncached("op=ntread"), MC_UNCACHED_NONE);
	assert_int_equal(uncached("op=copy"), MC_UNCACHED_NONE);
	assert_int_equal(uncached("op=ntwrite"), MC_UNCACHED_ALL);
	assert_int_equal(uncached("op=ntwrite readback=on"), MC_UNCACHED_SOME);
	assert_int_equal(uncached("op=ntcopy"), MC_UNCACHED_SOME);
	assert_int_equal(uncached("op=ntrw91"), MC_UNCACHED_SOME);
	assert_int_equal(uncached("op=movdir64b"), MC_UNCACHED_SOME);
	assert_int_equal(uncached("op=write_clflushopt"), MC_UNCACHED_SOME);
	assert_int_equal(uncached("op=write_clwb"), MC_UNCACHED_SOME);
}
