/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module/benchmarks/bandwidth.c natively: the real loops on real memory, with threads
 * in virtual time, so that what it reports is known to the last digit.
 */
#ifndef MC_STUB_BANDWIDTH_H
#define MC_STUB_BANDWIDTH_H

#include "../cmocka_all.h"

#include "passes.h"
#include "shows.h"
#include "threads.h"
#include "measure/measurement.h"
#include "measure/side.h"

#define SIZE	(30 << 10)	/* whole lines for 2 threads with 3, 4, 5 or 10 arrays */
#define FIRST	(25 << 10)	/* bytes of the first span */
#define WORDS	(SIZE / 8)
#define WRONG	0xbad0bad0bad0bad0ULL
#define GUARD	0xa5a5a5a5a5a5a5a5ULL

static const char *const ops[] = {
#define OP(id, word, ...) word
#include "arch/ops.h"
#undef OP
};

/* Two spans of odd length, so that arrays straddle them, with guards. */
static _Alignas(4096) u64 low[WORDS + 16];
static _Alignas(4096) u64 high[WORDS + 16];

static const struct mc_span spans[] = {
	{ high, 0, FIRST }, { low, FIRST, SIZE - FIRST }
};

static const struct mc_view view = { spans, 2 };
static u64 uc_word[8];

static const struct mc_spec *const specs[] = { &mc_test_bandwidth.spec, NULL };
static struct mc_request req;
static struct mc_run run;
static struct mc_record rec;
static u64 pass_ps;		/* time of a pass; 0: a window takes 1 ms */
static void (*after_sample)(void);
static u8 blank = 0xa5;		/* each byte of memory at first */
static unsigned int done;

static inline u64 *word(u64 i)
{
	return i < FIRST / 8 ? high + i : low + (i - FIRST / 8);
}

/* --------------------------------------------------------- what a run offers */

static void *the_uc_word(struct mc_run *r)
{
	return uc_word;
}

/* All threads have passed the barrier behind the sample; none has verified yet. */
static void tick(void *r, u64 more)
{
	done++;
	if (after_sample)
		after_sample();
}

/* Nobody has registered a loop, unless the test has. */
static bool has_loop;

static int hold_loop(struct mc_run *r)
{
	return has_loop ? 0 : mc_fail(&r->error, -EOPNOTSUPP, "op: no loop");
}

static const struct mc_side side = {
	.uc_word = the_uc_word, .tick = tick, .loop_hold = hold_loop,
};

/* ------------------------------------------------------------- virtual time */

/* Timed windows are those with interrupts off: every line here says irq=off. */
static void (*in_window)(struct mc_worker *w);
static void opened(struct mc_worker *w)
{
	note_passes(w);
	if (in_window && w->irq_off)
		in_window(w);
}

static void closing(struct mc_worker *w)
{
	if (w->irq_off)
		sim_spend(pass_ps ? passes_in_window(w) * pass_ps : 1 * MS);
}

static u64 core_mhz = 2500;	/* 0: the loop takes no time that the clock resolves */
static unsigned int no_clock;	/* threads whose cores have no such clock, a bit each */
static unsigned int slow_calls;	/* of each four calls of a thread those that are slow, too */
static unsigned int clock_calls;

/* In place of the loop in assembly; its windows have interrupts on. */
void mc_asm_clock(u64 cycles)
{
	bool slow = slow_calls >> clock_calls++ % 4 & 1;

	if (core_mhz && !(no_clock >> sim_self() & 1))
		sim_spend((1 + slow) * cycles * 1000000 / core_mhz);
}

static void reset(unsigned int threads)
{
	run = (struct mc_run){
		.req = &req, .side = &side, .threads = sim_reset(threads), .area.view = &view,
	};
	sim.opened = opened;
	sim.closing = closing;
	in_window = NULL;
	after_sample = NULL;
	pass_ps = 0;
	done = 0;
	core_mhz = 2500;
	no_clock = 0;
	slow_calls = 0;
	clock_calls = 0;
}

/* @format: the part after "bandwidth irq=off warmup=1 repeat=3 " */
static int check(const char *format, ...)
{
	char text[200] = "bandwidth irq=off warmup=1 repeat=3 ";
	size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	len += vsnprintf(text + len, sizeof(text) - len, format, args);
	va_end(args);
	assert_int_equal(mc_request_parse(&req, text, len, specs, &run.error), 0);
	rec = (struct mc_record){ 0 };
	mc_request_point(&req, 0, &rec.point);
	return mc_test_bandwidth.check(&run, &rec.point);
}

static int measure_checked(void)
{
	struct mc_point point = rec.point;
	int err;

	memset(low, blank, sizeof(low));
	memset(high, blank, sizeof(high));
	memset(low + (SIZE - FIRST) / 8, 0xa5, 16 * 8);
	memset(high + FIRST / 8, 0xa5, 16 * 8);
	uc_word[0] = ~0ULL;
	err = mc_test_run(&mc_test_bandwidth, &run, &point, &rec);
	for (u64 i = 0; i < 16; i++) {
		assert_true(low[(SIZE - FIRST) / 8 + i] == GUARD);
		assert_true(high[FIRST / 8 + i] == GUARD);
	}
	return err;
}

#define measure(...)	(check(__VA_ARGS__) ?: measure_checked())

static inline enum mc_verified verdict(int err)
{
	assert_int_equal(err, 0);
	return rec.verified;
}

#define verified(...)	verdict(measure(__VA_ARGS__))

/* The error of each of these lines, which ";" parts, begins with @text, and so names the key. */
static inline void assert_refused(const char *lines, int err, const char *text)
{
	char all[400], *rest = all, *line;

	assert_in_range(snprintf(all, sizeof(all), "%s", lines), 1, sizeof(all) - 1);
	while ((line = strsep(&rest, ";"))) {
		run.error = (struct mc_error){ 0 };
		if (check("%s", line) != err || run.error.err != err)
			fail_msg("%s: %s", line, run.error.text);
		assert_memory_equal(run.error.text, text, strlen(text));
	}
}

#endif /* MC_STUB_BANDWIDTH_H */
