/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module/benchmarks/bandwidth.c natively: the real loops on real memory, with threads
 * in virtual time, so that what it reports is known to the last digit.
 */
#ifndef MC_STUB_BANDWIDTH_H
#define MC_STUB_BANDWIDTH_H

#define TEST mc_test_bandwidth
#define BEFORE "bandwidth "
#include "engine.h"

#include "passes.h"

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

static u64 pass_ps;		/* time of a pass; 0: a window takes 1 ms */
static u8 blank = 0xa5;		/* each byte of memory at first */

static inline u64 *word(u64 i)
{
	return i < FIRST / 8 ? high + i : low + (i - FIRST / 8);
}

/* --------------------------------------------------------- what a run offers */

/* Nobody has registered a loop, unless the test has. */
static bool has_loop;

static int hold_loop(struct mc_run *r)
{
	return has_loop ? 0 : mc_fail(&r->error, -EOPNOTSUPP, "op: no loop");
}

static void drop_loop(void)
{
}

/* Each run has memory anew. */
static const struct mc_view *blank_memory(const struct mc_wanted *want)
{
	memset(low, blank, sizeof(low));
	memset(high, blank, sizeof(high));
	memset(low + (SIZE - FIRST) / 8, 0xa5, 16 * 8);
	memset(high + FIRST / 8, 0xa5, 16 * 8);
	uc_word[0] = ~0ULL;
	return &view;
}

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

static void costs(void)
{
	side.loop_hold = hold_loop;
	side.loop_drop = drop_loop;
	view = (struct mc_view){ spans, 2 };
	view_for = blank_memory;
	sim.opened = opened;
	sim.closing = closing;
	in_window = NULL;
	pass_ps = 0;
	core_mhz = 2500;
	no_clock = 0;
	slow_calls = 0;
	clock_calls = 0;
}

/* @...: the part behind these keys */
#define asked(format, ...) \
	BEFORE "irq=off warmup=1 repeat=3 cpu=0-%u " format, sim.n - 1, ##__VA_ARGS__

/* Only ask whether the test takes this. */
static __printf(1, 2) int check_line(const char *format, ...)
{
	char text[200];
	va_list args;
	size_t len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert_int_equal(mc_request_parse(&req, text, len, specs, &run.error), 0);
	mc_request_point(&req, 0, &rec->point);
	return mc_test_bandwidth.check(&run, &rec->point);
}

#define check(...) check_line(asked(__VA_ARGS__))

static int guarded(int err)
{
	for (u64 i = 0; i < 16; i++) {
		assert_true(low[(SIZE - FIRST) / 8 + i] == GUARD);
		assert_true(high[FIRST / 8 + i] == GUARD);
	}
	return err;
}

#define transfer(...) guarded(measure(asked(__VA_ARGS__)))
#define verified(...) verdict(transfer(__VA_ARGS__))

#endif /* MC_STUB_BANDWIDTH_H */
