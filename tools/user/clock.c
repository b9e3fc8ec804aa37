// SPDX-License-Identifier: GPL-2.0-only
/* The clock in user space: the TSC where it is invariant, else CLOCK_MONOTONIC_RAW. */
#include <time.h>

#include "arch/x86/cpuid.h"
#include "clock.h"
#include "os.h"

struct mc_clock mc_clock;

static u64 read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

u64 mc_clock_raw_ns(void)
{
	return read_ns(CLOCK_MONOTONIC_RAW);
}

u64 mc_clock_wall_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}

/* A pair of readings that lie close together, the closest of some. */
static void read_pair(u64 *ns, u64 *ticks)
{
	u64 closest = ~0ULL;
	int i;

	for (i = 0; i < 20; i++) {
		u64 before = mc_ticks(), now = mc_clock_raw_ns();
		u64 between = mc_ticks() - before;

		if (between < closest) {
			closest = between;
			*ns = now;
			*ticks = before + between / 2;
		}
	}
}

/* Ticks a millisecond, over 50 ms: off by less than two in a million. */
static u64 measure_khz(void)
{
	const struct timespec wait = { .tv_nsec = 50000000 };
	u64 ns[2], ticks[2];

	read_pair(&ns[0], &ticks[0]);
	nanosleep(&wait, NULL);
	read_pair(&ns[1], &ticks[1]);
	return mc_muldiv(ticks[1] - ticks[0], 1000000, ns[1] - ns[0]);
}

void mc_clock_init(void)
{
	u64 least = ~0ULL;
	int i;

	mc_clock.tsc = mc_cpuid_invariant_tsc();
	mc_clock.khz = mc_clock.tsc ? measure_khz() : 1000000;
	for (i = 0; i < 200; i++) {
		u64 begin = mc_ticks(), end = mc_ticks();

		if (end > begin)
			least = min(least, end - begin);
	}
	mc_clock.cost_ps = mc_ticks_to_ps(least == ~0ULL ? 1 : least);
}
