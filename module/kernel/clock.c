// SPDX-License-Identifier: GPL-2.0-only
/* The choice of the clock at load, and the cost of reading it. */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "kernel/arch.h"
#include "platform/clock.h"

struct mc_clock mc_clock;

/**
 * mc_clock_raw_ns() - the raw monotonic clock
 *
 * Return: nanoseconds since some fixed time, at a rate that NTP does not adjust.
 */
u64 mc_clock_raw_ns(void)
{
	return ktime_get_raw_fast_ns();
}

/**
 * mc_clock_wall_ns() - the wall clock
 *
 * Return: nanoseconds since 1970, UTC.
 */
u64 mc_clock_wall_ns(void)
{
	return ktime_get_real_ns();
}

static u64 least_cost_ticks(void)
{
	unsigned long flags;
	u64 least = ~0ULL;
	int i;

	for (i = 0; i < 200; i++) {
		u64 begin, end;

		local_irq_save(flags);
		begin = mc_ticks();
		end = mc_ticks();
		local_irq_restore(flags);
		if (end > begin && end - begin < least)
			least = end - begin;
	}
	/* If the clock is too coarse to show its own cost, that is rounded up to a tick. */
	return least == ~0ULL ? 1 : least;
}

/**
 * mc_clock_init() - choose the clock and measure its cost
 *
 * Context: Process, once at load.
 */
void mc_clock_init(void)
{
	u64 khz = mc_cpu_tsc_khz();

	mc_clock.counter = khz;
	mc_clock.khz = khz ? khz : 1000000;	/* else nanoseconds */
	mc_clock.cost_ps = mc_ticks_to_ps(least_cost_ticks());
}
