// SPDX-License-Identifier: GPL-2.0-only
/* The rate of the time stamp counter, against a clock with a known rate. */
#include "cmocka_all.h"

#include "platform/clock.h"

struct mc_clock mc_clock;

#define GHZ_DIV_10	21	/* ticks of the clock in 10 ns, whatever this CPU has */

static u64 step_ns;		/* step of the clock */
static unsigned int late_every;	/* one reading of so many is late */
static unsigned int readings;

/* The clock is computed from the counter, so that both show the same time. */
u64 mc_clock_raw_ns(void)
{
	u64 ns = mc_muldiv(mc_time_counter(), 10, GHZ_DIV_10);

	if (late_every && ++readings % late_every == 0)
		for (u64 from = mc_time_counter(); mc_time_counter() - from < 20000; )
			;
	return ns - ns % step_ns;
}

/* Largest error of some tries, in ticks of 10^7. */
static u64 error(u64 ticks)
{
	const u64 khz = 1000000 * GHZ_DIV_10 / 10;
	u64 most = 0;

	for (int i = 0; i < 50; i++) {
		struct mc_instant from, to;
		u64 found;

		mc_instant_read(&from);
		while (mc_time_counter() - from.ticks < ticks)
			;
		mc_instant_read(&to);
		found = mc_instant_khz(&from, &to);
		found = found > khz ? found - khz : khz - found;
		found = mc_muldiv(found, 10000000, khz);
		most = found > most ? found : most;
	}
	return most;
}

#define INTERVAL	(MC_KHZ_MS * 100000ULL * GHZ_DIV_10)
#define MOST		150	/* 0.0015 % */

static void test_clocks(void **state)
{
	static const struct {
		u64 step_ns;
		unsigned int late_every;
	} rows[] = {
		{ 1, 0 },
		/* One step would be 26 in a million: the mean of many readings is better. */
		{ 256, 0 },
		/* 10 us is 0.1 %. */
		{ 256, 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		step_ns = rows[i].step_ns;
		late_every = rows[i].late_every;
		print_message("a step of %llu ns, one of %u is late\n", step_ns, late_every);
		assert_in_range(error(INTERVAL), 0, MOST);
	}
}
