/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of all measurements: the CPU's time counter, read in program order, if its
 * rate is constant; otherwise the raw monotonic clock.
 */
#ifndef MC_CLOCK_H
#define MC_CLOCK_H

#include "core/math.h"
#include "machine/instructions.h"

/**
 * struct mc_clock - the clock in use
 * @counter: ticks are those of the CPU's time counter, otherwise nanoseconds
 * @khz: ticks per millisecond
 * @cost_ps: time that passes between two readings in a row
 */
struct mc_clock {
	bool counter;
	u64 khz;
	u64 cost_ps;
};

extern struct mc_clock mc_clock;

/*
 * Time over which the rate of the time counter is measured, if neither the CPU nor a kernel
 * gives it.
 */
#define MC_KHZ_MS	10

void mc_clock_init(void);
u64 mc_clock_raw_ns(void);
u64 mc_clock_wall_ns(void);

/**
 * struct mc_instant - a moment on both clocks
 * @ns: raw monotonic clock
 * @ticks: time counter
 */
struct mc_instant {
	u64 ns;
	u64 ticks;
};

void mc_instant_read(struct mc_instant *now);
u64 mc_instant_khz(const struct mc_instant *from, const struct mc_instant *to);

/**
 * mc_ticks() - read the clock in program order
 *
 * Return: ticks.
 */
static inline u64 mc_ticks(void)
{
	return mc_clock.counter ? mc_time_counter() : mc_clock_raw_ns();
}

/**
 * mc_ticks_to_ps() - convert ticks to picoseconds
 * @ticks: a difference of mc_ticks()
 *
 * Return: picoseconds.
 */
static inline u64 mc_ticks_to_ps(u64 ticks)
{
	return mc_muldiv(ticks, 1000000000, mc_clock.khz);
}

/**
 * mc_ns_to_ticks() - convert nanoseconds to ticks
 * @ns: nanoseconds
 *
 * Return: ticks.
 */
static inline u64 mc_ns_to_ticks(u64 ns)
{
	return mc_muldiv(ns, mc_clock.khz, 1000000);
}

#endif /* MC_CLOCK_H */
