// SPDX-License-Identifier: GPL-2.0-only
/* The clock of a core. */
#include "arch/chase.h"
#include "core/math.h"
#include "measure/core_clock.h"
#include "platform/clock.h"
#include "platform/os.h"

/*
 * Multiples of 96, as mc_asm_clock() makes no others. 2 us each: long enough for the time
 * counter, and short beside a sample.
 */
#define CLOCK_CYCLES	8064
#define CLOCK_ROUNDS	2
#define COST_CYCLES	96
#define BRIEF_CYCLES	4032	/* 1 to 2 us, in which the clock does not change much */

/* The frequency in MHz, if the thread's core made @cycles in @ticks. */
static u64 mhz_of(u64 cycles, u64 ticks)
{
	return mc_rounded(cycles, 1000000, max(mc_ticks_to_ps(ticks), 1ULL));
}

/* Keep the least time that @cycles take with a reading of the time counter. */
static void keep_least_ticks(u64 cycles, u64 *least)
{
	u64 from = mc_ticks(), to;

	mc_asm_clock(cycles);
	to = mc_ticks();
	if (to > from)
		*least = min(*least, to - from);
}

/**
 * mc_core_mhz() - current frequency of the thread's core
 * @w: the thread
 * @mhz: result; from the fastest of some rounds, as any disturbance only adds time
 *
 * The reading of the time counter and the call take as long for few cycles as for many, so
 * the difference of the two is the time of cycles alone.
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno as of mc_window_open().
 */
int mc_core_mhz(struct mc_worker *w, u64 *mhz)
{
	u64 few = ~0ULL, many = ~0ULL;
	int i;

	for (i = 0; i < CLOCK_ROUNDS; i++) {
		int err = mc_window_open(w, false);

		if (err)
			return err;
		keep_least_ticks(COST_CYCLES, &few);
		keep_least_ticks(COST_CYCLES + CLOCK_CYCLES, &many);
		mc_window_close(w);
	}
	/* A clock that is too coarse for the few cycles does not show their cost either. */
	few = few == ~0ULL ? 0 : few;
	*mhz = many == ~0ULL || many <= few ? 0 : mhz_of(CLOCK_CYCLES, many - few);
	return 0;
}

/**
 * mc_core_mhz_now() - frequency of this core at this moment
 *
 * It is measured only once, in 1 to 2 us, so the time that it takes to read the time counter
 * is subtracted. After a pause the code is no longer in the caches, so a few cycles come first.
 *
 * Context: An open window.
 * Return: MHz, 0 if the time counter ran backwards or has not moved.
 */
u64 mc_core_mhz_now(void)
{
	u64 cost = mc_ns_to_ticks(mc_clock.cost_ps) / 1000, from, ticks;

	mc_ticks();
	mc_asm_clock(COST_CYCLES);
	from = mc_ticks();
	mc_asm_clock(BRIEF_CYCLES);
	ticks = mc_ticks();
	return ticks > from + cost ? mhz_of(BRIEF_CYCLES, ticks - from - cost) : 0;
}
