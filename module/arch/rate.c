// SPDX-License-Identifier: GPL-2.0-only
/* The rate of the time counter, measured if neither the CPU nor a kernel gives it. */
#include "platform/clock.h"

#define PAIRS	32

/**
 * mc_instant_read() - read both clocks at the same moment
 * @now: result
 *
 * The result is the mean of several pairs of readings, since the clock may advance in
 * steps: of 256 ns in User-Mode Linux. Another task may get the CPU between the two
 * readings of a pair, so only the closest pairs count.
 */
void mc_instant_read(struct mc_instant *now)
{
	u64 ns[PAIRS], ticks[PAIRS], between[PAIRS], closest = ~0ULL;
	u64 sum_ns = 0, sum_ticks = 0;
	unsigned int i, n = 0;

	for (i = 0; i < PAIRS; i++) {
		u64 before = mc_time_counter();

		ns[i] = mc_clock_raw_ns();
		between[i] = mc_time_counter() - before;
		ticks[i] = before + between[i] / 2;
		if (between[i] < closest)
			closest = between[i];
	}
	for (i = 0; i < PAIRS; i++) {
		if (between[i] > closest + closest / 4)
			continue;
		sum_ns += ns[i] - ns[0];
		sum_ticks += ticks[i] - ticks[0];
		n++;
	}
	now->ns = ns[0] + sum_ns / n;
	now->ticks = ticks[0] + sum_ticks / n;
}

/**
 * mc_instant_khz() - rate of the time counter between two instants
 * @from: the earlier one
 * @to: the later one; MC_KHZ_MS later, the rate is off by a few in a million
 *
 * Return: kHz.
 */
u64 mc_instant_khz(const struct mc_instant *from, const struct mc_instant *to)
{
	return mc_muldiv(to->ticks - from->ticks, 1000000, to->ns - from->ns);
}
