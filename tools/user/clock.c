// SPDX-License-Identifier: GPL-2.0-only
/* The clock in user space: the TSC where it is invariant, else CLOCK_MONOTONIC_RAW. */
#include <time.h>

#include "arch/cores.h"
#include "platform/clock.h"
#include "platform/os.h"

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

/* The rate of the time counter: what the CPU says, else measured. */
static u64 counter_khz(void)
{
	const struct timespec wait = { .tv_nsec = MC_KHZ_MS * 1000000 };
	struct mc_instant from, to;

	if (mc_time_counter_hz())
		return mc_time_counter_hz() / 1000;
	mc_instant_read(&from);
	nanosleep(&wait, NULL);
	mc_instant_read(&to);
	return mc_instant_khz(&from, &to);
}

void mc_clock_init(void)
{
	u64 least = ~0ULL;
	int i;

	mc_clock.counter = mc_time_counter_steady();
	mc_clock.khz = mc_clock.counter ? counter_khz() : 1000000;
	for (i = 0; i < 200; i++) {
		u64 begin = mc_ticks(), end = mc_ticks();

		if (end > begin)
			least = min(least, end - begin);
	}
	mc_clock.cost_ps = mc_ticks_to_ps(least == ~0ULL ? 1 : least);
}
