// SPDX-License-Identifier: GPL-2.0-only
/* The clock of a core, measured before each sample. */
#include "arch/chase.h"
#include "measure/core_clock.h"
#include "platform/clock.h"
#include "platform/os.h"

/* 2 us each: long enough for the time counter, and short beside a sample. */
#define CLOCK_CYCLES	8000
#define CLOCK_ROUNDS	2

/**
 * mc_core_mhz() - current frequency of the thread's core
 * @w: the thread
 * @mhz: result; from the fastest of some rounds, as any disturbance only adds time
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno as of mc_window_open().
 */
int mc_core_mhz(struct mc_worker *w, u64 *mhz)
{
	u64 best = ~0ULL;
	int i;

	for (i = 0; i < CLOCK_ROUNDS; i++) {
		int err = mc_window_open(w, false);
		u64 ticks;

		if (err)
			return err;
		mc_asm_clock(CLOCK_CYCLES);
		ticks = mc_window_close(w);
		if (ticks)
			best = min(best, ticks);
	}
	*mhz = best == ~0ULL ? 0 :
	       mc_muldiv(CLOCK_CYCLES, 1000000, max(mc_ticks_to_ps(best), 1ULL));
	return 0;
}
