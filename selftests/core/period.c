// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/core/period.c on made-up traces of loads, of which the pauses are known. A trace whose
 * times were shuffled has as many spikes, as long ones, but no period.
 */
#include "cmocka_all.h"

#include "core/period.h"
#include "stub/chance.h"

#define MOST	4096U
#define LOADS	400000U		/* of a trace */
#define MEDIAN	261U		/* ticks of a load, 100 ns */
#define KHZ	2600000ULL
#define TICKS(ns)	((ns) * KHZ / 1000000)

static u64 starts[LOADS], took[LOADS];
static struct mc_spike spikes[MOST];
static u64 room[MOST];
static struct mc_period period;
static unsigned int rested;

static void rest(void)
{
	rested++;
}

/*
 * Loads one behind the other, of which those that come during a pause wait for its end. One of
 * @others is slow for another reason.
 */
static void make_trace(u64 every, u64 pause, u32 others)
{
	u64 now = 12345, i;

	for (i = 0; i < LOADS; i++) {
		u64 into = every ? now % every : pause;

		starts[i] = now;
		now += into < pause ? pause - into : 0;
		now += MEDIAN - 2 + chance(5);
		if (others && !chance(others))
			now += TICKS(100) + chance(TICKS(400));
		took[i] = now - starts[i];
		now += 200 + chance(8) + (took[i] > 390 ? chance(500) : 0);
	}
}

/* The same loads in another order. */
static void shuffle_trace(void)
{
	for (u32 i = LOADS - 1; i; i--) {
		u32 k = chance(i + 1);
		u64 ticks = took[i];

		took[i] = took[k];
		took[k] = ticks;
	}
	for (u32 i = 1; i < LOADS; i++)
		starts[i] = starts[i - 1] + took[i - 1] + 200 + chance(8);
}

/* In windows of 2 ms, between which nothing is known. Return: what mc_period_find() returns. */
static bool find(void)
{
	u32 n = 0;

	for (u32 i = 0; i < LOADS && n < MOST; i++) {
		if (took[i] > 390)
			spikes[n++] = (struct mc_spike){
				.at = starts[i], .ticks = took[i],
				.window = starts[i] / TICKS(2000000),
				.cause = MC_CAUSE_UNKNOWN,
			};
	}
	period = (struct mc_period){ .khz = KHZ, .limit = 390 };
	return mc_period_find(&period, spikes, n, MEDIAN, room, rest);
}

static void assert_near(u64 value, u64 wanted, u64 percent)
{
	assert_in_range(value, wanted - wanted * percent / 100, wanted + wanted * percent / 100);
}

static void a_period_and_its_length_are_found(void **state)
{
	static const struct {
		u64 every, pause;
		u32 others;
	} rows[] = {
		{ 7800, 350 }, { 7812, 260 }, { 3900, 350 }, { 1953, 295 }, { 15600, 410 },
		{ 7800, 350, 100 }, { 3900, 295, 60 }, { 1953, 295, 60 }, { 1250, 210 },
		{ 31000, 550 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		make_trace(TICKS(rows[i].every), TICKS(rows[i].pause), rows[i].others);
		rested = 0;
		assert_true(find());
		assert_true(period.found);
		assert_near(mc_period_ps(&period), rows[i].every * 1000, 1);
		/* A spike for another reason may seem to be of a pause. */
		assert_near(period.length, TICKS(rows[i].pause), rows[i].others ? 12 : 1);
		assert_true(rested > 100);
		shuffle_trace();
		assert_true(find());
		assert_false(period.found);
	}
}

static void spikes_by_chance_have_none(void **state)
{
	for (u32 i = 0; i < 8; i++) {
		make_trace(0, 0, 20 + 10 * i);
		assert_true(find());
		assert_false(period.found);
	}
}

/* A timer's period is longer than any that is looked for; its multiples are no refresh. */
static void longer_periods_are_no_refresh(void **state)
{
	static const u64 every[] = { 40000, 80000, 125000, 250000 };

	for (u32 i = 0; i < ARRAY_SIZE(every); i++) {
		make_trace(TICKS(every[i]), TICKS(350), 0);
		find();
		assert_false(period.found);
	}
}

/* With few spikes nothing is known, which is not the same as none. */
static void few_spikes_tell_nothing(void **state)
{
	make_trace(0, 0, 20000);
	assert_false(find());
	assert_false(period.found);
	make_trace(0, 0, 0);
	assert_false(find());
}

/* Of a window, the spikes that end when pauses do are marked, unless their cause is known. */
static void spikes_of_pauses_are_marked(void **state)
{
	u64 every = TICKS(7800);
	u32 i, marked = 0, others = 0;

	make_trace(every, TICKS(350), 0);
	assert_true(find() && period.found);
	for (i = 0; i < 200; i++)
		spikes[i] = (struct mc_spike){
			.at = (1000 + i) * every + 77 - 500 - i % 3, .ticks = 500 + i % 3,
			.cause = i % 10 ? MC_CAUSE_UNKNOWN : MC_CAUSE_INTERRUPT,
		};
	/* One elsewhere, and one that is far too long. */
	spikes[5].at += every / 2;
	spikes[6].at -= 20000;
	spikes[6].ticks += 20000;
	mc_period_mark(&period, spikes, 200);
	for (i = 0; i < 200; i++) {
		marked += spikes[i].cause == MC_CAUSE_REFRESH;
		others += spikes[i].cause == MC_CAUSE_INTERRUPT;
	}
	assert_int_equal(marked, 178);
	assert_int_equal(others, 20);
	assert_int_equal(spikes[5].cause, MC_CAUSE_UNKNOWN);
	assert_int_equal(spikes[6].cause, MC_CAUSE_UNKNOWN);
	/* Three can't show where pauses end. */
	for (i = 1; i <= 3; i++)
		spikes[i].cause = MC_CAUSE_UNKNOWN;
	mc_period_mark(&period, spikes + 1, 3);
	assert_int_equal(spikes[1].cause, MC_CAUSE_UNKNOWN);
}
