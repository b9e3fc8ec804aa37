// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/core/share.c: mixtures with a planted share. A burst that leaves whole takes a time of
 * one transaction, another one a time of two to eight, and both have noise and interruptions.
 */
#include "cmocka_all.h"
#include "core/share.h"
#include "stub/chance.h"

#define BURSTS		4096
#define EXAMPLES	4096
#define RUNS		200

/* Times of a machine, in picoseconds. */
static struct machine {
	u64 base;		/* of a burst without its transactions */
	u64 transaction;
	u64 noise;		/* up to so much more, mostly little */
	u64 tick;		/* of the clock */
	u64 interrupted;	/* one of so many is, and takes far longer */
} machine;

static u64 time_of(unsigned int transactions)
{
	u64 ps = machine.base + transactions * machine.transaction +
		 chance(machine.noise) * chance(machine.noise) / machine.noise;

	if (!chance(machine.interrupted))
		ps += 2000000 + chance(5000000);
	return ps / machine.tick * machine.tick;
}

static u64 ps[3][BURSTS];
static struct mc_times mixed, one, two;
static struct mc_times kinds[MC_LINE_KINDS];
static struct mc_share s;

/* @whole_ppm: planted chance of a burst that leaves whole. Return: how many did. */
static unsigned int plant(u64 whole_ppm)
{
	unsigned int i, n = 0;

	mixed = (struct mc_times){ ps[0], BURSTS };
	one = (struct mc_times){ ps[1], EXAMPLES };
	two = (struct mc_times){ ps[2], EXAMPLES };
	for (i = 0; i < BURSTS; i++) {
		bool whole = chance(1000000) < whole_ppm;

		n += whole;
		ps[0][i] = time_of(whole ? 1 : 2 + chance(7));
		ps[1][i] = time_of(1);
		ps[2][i] = time_of(2);
	}
	return n;
}

static const u64 shares[] = { 1000000, 900000, 300000, 10000, 1000, 0 };

static const struct machine machines[] = {
	/* Far apart; the noise is small. */
	{ 100000, 60000, 20000, 385, 5000 },
	/* The noise is as large as a transaction. */
	{ 100000, 20000, 30000, 385, 2000 },
	/* A coarse clock. */
	{ 150000, 50000, 30000, 10000, 1000 },
};

/* In how many of RUNS runs the interval has the planted share. */
static unsigned int count_covered(u64 share, u64 *width)
{
	unsigned int i, n = 0;

	*width = 0;
	for (i = 0; i < RUNS; i++) {
		plant(share);
		mc_share_of(&s, &mixed, &one, &two);
		assert_true(s.known);
		assert_true(s.low_ppm <= s.ppm && s.ppm <= s.high_ppm);
		n += s.low_ppm <= share && share <= s.high_ppm;
		*width += s.high_ppm - s.low_ppm;
	}
	*width /= RUNS;
	return n;
}

static void test_the_interval_has_the_planted_share(void **state)
{
	u64 width;

	chance_state = 0x9e3779b97f4a7c15ULL;
	for (size_t m = 0; m < ARRAY_SIZE(machines); m++) {
		machine = machines[m];
		for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
			unsigned int n = count_covered(shares[i], &width);

			print_message("machine %zu, share %llu ppm: %u of %u, %llu ppm wide\n", m,
				      shares[i], n, RUNS, width);
			assert_in_range(n, RUNS * 95 / 100, RUNS);
			/* An interval from 0 to 1 has every share, and says nothing. */
			assert_in_range(width, 0, 120000);
		}
	}
}

static void test_kinds_that_do_not_differ_are_not_told_apart(void **state)
{
	chance_state = 2;
	machine = machines[0];
	machine.transaction = 0;
	plant(500000);
	mc_share_of(&s, &mixed, &one, &two);
	assert_false(s.known);
	/* The second kind is the shorter one. */
	machine = machines[0];
	plant(500000);
	mc_share_of(&s, &mixed, &two, &one);
	assert_false(s.known);
}

static void test_few_times_tell_nothing(void **state)
{
	struct mc_times *all[] = { &mixed, &one, &two };

	chance_state = 3;
	machine = machines[0];
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		plant(500000);
		all[i]->n = 99;
		mc_share_of(&s, &mixed, &one, &two);
		assert_false(s.known);
		plant(500000);
		all[i]->n = 0;
		mc_share_of(&s, &mixed, &one, &two);
		assert_false(s.known);
	}
	plant(500000);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		all[i]->n = 100;
	mc_share_of(&s, &mixed, &one, &two);
	assert_true(s.known);
}

static void put(struct mc_times *t, u64 *at, size_t n, size_t fast, u64 fast_ps, u64 slow_ps)
{
	*t = (struct mc_times){ at, n };
	for (size_t i = 0; i < n; i++)
		at[i] = i < fast ? fast_ps : slow_ps;
}

/* The formulas by hand: each kind has examples on the wrong side, and not as many as the other. */
static void test_a_share_and_its_interval(void **state)
{
	put(&mixed, ps[0], 1000, 300, 1400, 1600);
	put(&one, ps[1], 150, 144, 1000, 2000);
	put(&two, ps[2], 800, 4, 1000, 2000);
	mc_share_of(&s, &mixed, &one, &two);
	assert_in_range(s.ppm, 308898, 308902);
	assert_in_range(s.low_ppm, 260535, 260539);
	assert_in_range(s.high_ppm, 357437, 357441);
}

/* Without noise every limit between the kinds is as good: the middle has most room. */
static void test_the_limit_lies_in_the_middle(void **state)
{
	put(&mixed, ps[0], 200, 50, 1500, 1501);
	put(&one, ps[1], 200, 200, 1000, 0);
	put(&two, ps[2], 200, 0, 0, 2000);
	mc_share_of(&s, &mixed, &one, &two);
	assert_int_equal(s.limit_ps, 1500);
	assert_int_equal(s.ppm, 250000);
	/* Largest times do not overflow. */
	put(&mixed, ps[0], 200, 50, 1, ~0ULL);
	put(&one, ps[1], 200, 200, 1, 0);
	put(&two, ps[2], 200, 0, 0, ~0ULL);
	mc_share_of(&s, &mixed, &one, &two);
	assert_int_equal(s.ppm, 250000);
	/* Two limits leave a twentieth of one kind on the wrong side: one has more room. */
	for (u64 slow = 1800; slow <= 2000; slow += 200) {
		put(&one, ps[1], 200, 190, 1000, 1500);
		put(&two, ps[2], 200, 10, 1400, slow);
		mc_share_of(&s, &mixed, &one, &two);
		assert_int_equal(s.limit_ps, slow == 2000 ? 1750 : 1200);
	}
}

/* Windows of 16 lines, of which a line takes so long in one, in two and in eight pieces. */
static void fill_windows(u64 one, u64 two, u64 eight, u64 mixed_lines)
{
	static u64 windows[MC_LINE_KINDS][200];
	const u64 lines[] = { mixed_lines, 16 * one, 16 * two, 16 * eight };

	for (unsigned int kind = 0; kind < MC_LINE_KINDS; kind++) {
		kinds[kind] = (struct mc_times){ windows[kind], 200 };
		for (unsigned int i = 0; i < 200; i++)
			windows[kind][i] = 3000000 + lines[kind] + chance(100);
	}
}

/*
 * Of 16 lines, four are in two pieces, or fewer are in more. The times are those of whole lines, of
 * lines in two and in eight pieces, in ns, and of all 16 lines.
 */
static void test_the_mean_of_many_lines_tells_their_share(void **state)
{
	static const struct {
		u64 one, two, eight, mixed;
		unsigned int pieces;
		bool one_figure;
		u64 low_from, low_to, high_from, high_to;
	} rows[] = {
		{ 3, 23, 92, 12 * 3 + 4 * 23, 2, true, 748000, 751000, 749000, 752000 },
		/* 80 ns more than whole lines are 0.9 lines of eight pieces, or 1.7 of four. */
		{ 3, 23, 92, 12 * 3 + 4 * 23, 8, false, 748000, 751000, 943000, 945000 },
		{ 3, 23, 92, 12 * 3 + 4 * 23, 4, false, 748000, 752000, 883000, 885000 },
		/* A store that is all of a line has no pieces. */
		{ 3, 23, 92, 12 * 3 + 4 * 23, 1, true, 748000, 751000, 749000, 752000 },
		/* The others in eight pieces take longer than 16 lines of two. */
		{ 3, 23, 92, 10 * 3 + 6 * 92, 8, false, 0, 0, 624000, 627000 },
		/* Faster than whole lines, and slower than eight pieces. */
		{ 3, 23, 92, 0, 8, true, 1000000, 1000000, 1000000, 1000000 },
		{ 3, 23, 92, 16 * 200, 8, true, 0, 0, 0, 0 },
	};

	chance_state = 4;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fill_windows(1000 * rows[i].one, 1000 * rows[i].two, 1000 * rows[i].eight,
			     1000 * rows[i].mixed);
		mc_share_of_rates(&s, kinds, rows[i].pieces);
		assert_true(s.known);
		assert_int_equal(s.one_figure, rows[i].one_figure);
		assert_in_range(s.low_ppm, rows[i].low_from, rows[i].low_to);
		assert_in_range(s.high_ppm, rows[i].high_from, rows[i].high_to);
		assert_in_range(s.ppm, s.low_ppm, s.high_ppm);
		if (!i)
			assert_in_range(s.ppm, 749000, 751000);
	}
	/* Two of 100 lines in two pieces are as slow as half a line in eight; then three. */
	for (u64 lines = 2; lines <= 3; lines++) {
		fill_windows(3000, 23000, 92000, 16 * 3000 + 16 * 20000 * lines / 100);
		mc_share_of_rates(&s, kinds, 8);
		assert_int_equal(s.one_figure, lines == 2);
		if (lines == 2)
			assert_in_range(s.ppm, 986000, 989000);
	}
}

static void test_means_that_do_not_differ_tell_nothing(void **state)
{
	/* Of the fourth, two pieces take longer by less than ten deviations. The last has few. */
	static const u64 rows[][3] = {
		{ 3000, 3000, 3000 }, { 23000, 3000, 92000 }, { 3000, 23000, 4000 },
		{ 3000, 3200, 92000 }, { 3000, 23000, 92000 },
	};

	chance_state = 5;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fill_windows(rows[i][0], rows[i][1], rows[i][2], 16 * 3000);
		for (size_t k = 0; k < MC_LINE_KINDS * 200 && i == 3; k++)
			kinds[k / 200].ps[k % 200] += chance(20000);
		if (i == 4)
			kinds[MC_LINES_TWO].n = 99;
		mc_share_of_rates(&s, kinds, 8);
		assert_false(s.known);
	}
}

/* One window of 50 takes as long as an interrupt. */
static void test_interrupted_windows_count_little(void **state)
{
	chance_state = 6;
	fill_windows(3000, 23000, 92000, 12 * 3000 + 4 * 23000);
	for (unsigned int kind = 0; kind < MC_LINE_KINDS; kind++) {
		for (unsigned int i = 0; i < 200; i++)
			kinds[kind].ps[i] += chance(50) ? 0 : 5000000;
	}
	/* Nine tenths of the windows are before it. Were they not sorted, none would be clipped. */
	kinds[MC_LINES_EIGHT].ps[180] += 50000000;
	mc_share_of_rates(&s, kinds, 2);
	assert_true(s.known);
	assert_in_range(750000, s.low_ppm, s.high_ppm);
	assert_in_range(s.high_ppm - s.low_ppm, 0, 600000);
}

/* Windows of a slow device, of which some take milliseconds more: 10 us a transaction. */
static void test_slow_windows_are_no_other_share(void **state)
{
	chance_state = 7;
	fill_windows(90000000, 100000000, 160000000, 8 * 90000000ULL + 8 * 100000000ULL);
	for (unsigned int i = 0; i < 200; i++)
		kinds[MC_LINES_EIGHT].ps[i] += i % 5 ? 0 : 20000000000;
	mc_share_of_rates(&s, kinds, 8);
	assert_true(s.known);
	assert_in_range(s.low_ppm, 480000, 510000);
	assert_false(s.one_figure);
	assert_in_range(s.high_ppm, 910000, 990000);
}
