// SPDX-License-Identifier: GPL-2.0-only
/* module/core/step.c on made-up curves: f is near the fast level, s near the slow one. */
#include "cmocka_all.h"
#include "core/step.h"

#define FAST	2000
#define SLOW	80000
#define MOST	16

/* The step of these times, from slow to fast if @falls. @noise: times differ by up to a half. */
static unsigned int step_of(const char *curve, bool falls, bool noise)
{
	static const u64 percent[] = { 100, 140, 90, 60, 120 };
	u64 ps[MOST];
	size_t n, i;

	n = strlen(curve);
	for (i = 0; i < n; i++)
		ps[i] = (curve[i] == 's' ? SLOW : FAST) *
			(noise ? percent[i % ARRAY_SIZE(percent)] : 100) / 100;
	return falls ? mc_step_at(ps, n, SLOW, FAST) : mc_step_at(ps, n, FAST, SLOW);
}

static void assert_step(const char *curve, unsigned int at)
{
	char turned[MOST + 1] = "";

	for (size_t i = 0; curve[i]; i++)
		turned[i] = curve[i] == 's' ? 'f' : 's';
	assert_int_equal(step_of(curve, true, false), at);
	assert_int_equal(step_of(curve, true, true), at);
	assert_int_equal(step_of(turned, false, false), at);
	assert_int_equal(step_of(turned, false, true), at);
}

static void test_a_step_is_where_it_is(void **state)
{
	assert_step("sffffff", 1);
	assert_step("sssffff", 3);
	assert_step("ssssssf", 6);
	assert_step("sf", 1);
}

static void test_one_disturbed_time_is_no_step(void **state)
{
	/* The first change is not the step. */
	assert_step("fssffff", 3);
	assert_step("sfsssff", 5);
	assert_step("ssfssssf", 7);
	assert_step("sssffsf", 3);
	assert_step("sssfffs", 3);
	assert_step("sfffsff", 1);
}

static void test_what_nobody_can_tell_is_not_known(void **state)
{
	/* No step, or none that is seen to its end. */
	assert_step("", 0);
	assert_step("s", 0);
	assert_step("sssssss", 0);
	assert_step("fffffff", 0);
	assert_step("fffffsf", 0);
	assert_step("ssssfss", 0);
	/* Two places are equally good. */
	assert_step("sssfsff", 0);
	assert_step("sfsffff", 0);
	/* The curve goes the other way, or up and down. */
	assert_step("ffffsss", 0);
	assert_step("fsfsfsf", 0);
	assert_step("sssffsffs", 0);
}

static void test_a_level_is_the_nearer_one_as_a_ratio(void **state)
{
	u64 ps[] = { FAST, FAST, 12600, SLOW, SLOW };

	/* The root of FAST * SLOW is 12649. */
	assert_int_equal(mc_step_at(ps, 5, FAST, SLOW), 3);
	ps[2] = 12700;
	assert_int_equal(mc_step_at(ps, 5, FAST, SLOW), 2);
}
