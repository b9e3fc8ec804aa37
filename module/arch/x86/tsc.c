// SPDX-License-Identifier: GPL-2.0-only
/* The rate of the time stamp counter, measured where no kernel tells it. */
#include "../../clock.h"

#define PAIRS	20

/**
 * mc_instant_read() - what both clocks say at one time
 * @now: result
 *
 * The closest of some pairs of readings: whoever shares the CPU with us may get
 * between the two of a pair.
 *
 * Context: Any.
 */
void mc_instant_read(struct mc_instant *now)
{
	u64 closest = ~0ULL;
	int i;

	for (i = 0; i < PAIRS; i++) {
		u64 before = mc_tsc(), ns = mc_clock_raw_ns();
		u64 between = mc_tsc() - before;

		if (between < closest) {
			closest = between;
			now->ns = ns;
			now->ticks = before + between / 2;
		}
	}
}

/**
 * mc_instant_khz() - rate of the time stamp counter between two instants
 * @from: the earlier one
 * @to: the later one; 50 ms later, the rate is off by a few in a million
 *
 * Context: Any.
 * Return: kHz.
 */
u64 mc_instant_khz(const struct mc_instant *from, const struct mc_instant *to)
{
	return mc_muldiv(to->ticks - from->ticks, 1000000, to->ns - from->ns);
}
