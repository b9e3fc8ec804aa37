// SPDX-License-Identifier: GPL-2.0-only
/* The levels that memcache-user finds in latencies and rates, some of them measured. */
#include "cmocka_all.h"

#include "user.h"

#define L1	MC_HIT_L1
#define L2	MC_HIT_L2
#define L3	MC_HIT_L3
#define L4	MC_HIT_L4
#define MEM	MC_HIT_MEMORY

/* A virtual machine whose CPU reports 480 MiB of L3. Where that should be, there is a climb. */
static const struct mc_user_probe climbs[] = {
	{ 4 * K, 1394, L1 }, { 8 * K, 1410, L1 }, { 16 * K, 1393, L1 }, { 32 * K, 1396, L1 },
	{ 64 * K, 4451, L2 }, { 128 * K, 4455, L2 }, { 256 * K, 4457, L2 }, { 512 * K, 4952, L2 },
	{ 1 * M, 5673, L2 }, { 2 * M, 25925, L2 }, { 3 * M, 30100, L3 }, { 4 * M, 37181, L3 },
	{ 6 * M, 48300, L3 }, { 8 * M, 62020, L3 }, { 12 * M, 120400, MEM },
	{ 16 * M, 151517, MEM },
};

/* A desktop. */
static const struct mc_user_probe flat[] = {
	{ 4 * K, 900, L1 }, { 8 * K, 900, L1 }, { 16 * K, 910, L1 }, { 32 * K, 905, L1 },
	{ 64 * K, 3200, L2 }, { 128 * K, 3200, L2 }, { 256 * K, 3300, L2 }, { 512 * K, 3900, L2 },
	{ 1 * M, 10100, L3 }, { 2 * M, 10200, L3 }, { 3 * M, 10300, L3 }, { 4 * M, 10300, L3 },
	{ 6 * M, 10500, L3 }, { 8 * M, 11000, L3 }, { 16 * M, 13200, L3 }, { 32 * M, 41000, L3 },
};

static void finds_reported(const struct mc_user_probe *p, unsigned int n, enum mc_hit level,
			   u64 reported, u64 bytes, u64 last)
{
	struct mc_user_level found = { 0 };

	assert_int_equal(mc_user_find_cache(p, n, level, reported, &found), !!bytes);
	assert_int_equal(found.bytes, bytes);
	assert_int_equal(found.last, last);
}

static void finds(const struct mc_user_probe *p, unsigned int n, enum mc_hit level, u64 bytes,
		  u64 last)
{
	finds_reported(p, n, level, 0, bytes, last);
}

static void test_levels_of_a_desktop(void **state)
{
	finds_reported(flat, ARRAY_SIZE(flat), L2, 1 * M, 512 * K, 512 * K);
	finds_reported(flat, ARRAY_SIZE(flat), L2, 512 * K, 256 * K, 512 * K);
	finds_reported(flat, ARRAY_SIZE(flat), L3, 32 * M, 4 * M, 16 * M);
	finds(flat, ARRAY_SIZE(flat), L1, 16 * K, 32 * K);
	finds(flat, ARRAY_SIZE(flat), L2, 256 * K, 512 * K);
	finds(flat, ARRAY_SIZE(flat), L3, 4 * M, 16 * M);
	finds(flat, ARRAY_SIZE(flat), L4, 0, 0);
	finds(flat, ARRAY_SIZE(flat), MEM, 0, 0);
}

static void test_a_climb_is_no_level(void **state)
{
	finds(climbs, ARRAY_SIZE(climbs), L1, 16 * K, 32 * K);
	finds(climbs, ARRAY_SIZE(climbs), L2, 512 * K, 1 * M);
	finds(climbs, ARRAY_SIZE(climbs), L3, 0, 0);
}

/* Zen 5, of whose L3 a guest got 4 MiB or less: the first sizes are partly in the L2. */
static void test_little_of_a_shared_cache(void **state)
{
	static const struct {
		u64 ps[6], bytes, last;
	} runs[] = {
		{ { 10809, 11888, 11765, 15952, 90707, 116694 }, 2 * M, 3 * M },
		{ { 9164, 11513, 12321, 12869, 18570, 14499 }, 3 * M, 4 * M },
		{ { 9098, 10571, 11464, 13106, 59179, 90752 }, 3 * M, 4 * M },
		{ { 10186, 10886, 27989, 57480, 115389, 122086 }, 0, 0 },
	};
	struct mc_user_probe p[6];

	for (unsigned int i = 0; i < ARRAY_SIZE(runs); i++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(p); j++)
			p[j] = (struct mc_user_probe){ (3 + j % 2) * M / 2 << j / 2,
						       runs[i].ps[j], L3 };
		finds(p, ARRAY_SIZE(p), L3, runs[i].bytes, runs[i].last);
	}
}

/* Three sizes, of which no two are an octave apart, and one that is alone. */
static void test_thin_evidence(void **state)
{
	static const struct mc_user_probe few[] = {
		{ 32 * K, 1000, L1 }, { 1024 * K, 9000, L3 }, { 1536 * K, 9000, L3 },
		{ 2000 * K, 9000, L3 }, { 4 * M, 90000, MEM },
	};

	finds(few, ARRAY_SIZE(few), L1, 0, 0);
	finds(few, ARRAY_SIZE(few), L3, 0, 0);
	finds(few, 0, L1, 0, 0);
}

/* The record of one size in between names another level. */
static void test_a_level_in_two_parts(void **state)
{
	static const struct mc_user_probe parts[] = {
		{ 64 * K, 3000, L2 }, { 128 * K, 3000, L2 }, { 256 * K, 2900, L1 },
		{ 512 * K, 3000, L2 }, { 1 * M, 3000, L2 }, { 2 * M, 3000, L2 },
	};

	finds(parts, ARRAY_SIZE(parts), L2, 1 * M, 2 * M);
}

/*
 * The time of loads in sets of 1 to 512 MiB: a cache of @mib holds a part of a larger set. An L2
 * holds the first.
 */
static void make_curve(struct mc_user_probe *p, u64 mib, u64 cache_ps, u64 memory_ps)
{
	for (unsigned int i = 0; i < 10; i++) {
		u64 held = min(mib * M, M << i);

		p[i] = (struct mc_user_probe){ M << i, i ? memory_ps - mc_muldiv(held,
			memory_ps - cache_ps, M << i) : min(5000ULL, cache_ps), MC_HIT_UNKNOWN };
	}
}

static void test_a_cache_that_no_table_lists(void **state)
{
	static const struct {
		u64 mib, cache_ps, memory_ps, reported, found;
	} machines[] = {
		{ 32, 30000, 100000, 1 * M, 32 * M },		/* Altra */
		{ 64, 45000, 130000, 2 * M, 64 * M },		/* AmpereOne */
		{ 8, 18000, 110000, 128 * M, 8 * M },		/* smaller than the L3 */
		{ 12, 20000, 90000, 480 * M, 0 },		/* no set is far beyond the L3 */
		{ 300, 30000, 100000, 1 * M, 0 },		/* nor beyond this one */
		{ 1, 4000, 5000, 1 * M, 0 },			/* an emulator */
	};
	static const struct {
		u64 ns[10], found;
	} curves[] = {
		{ { 5, 30, 30, 30, 30, 30, 99, 99, 99, 99 }, 32 * M },	/* a cliff */
		{ { 5, 30, 30, 30, 40, 55, 75, 90, 104, 110 }, 64 * M },	/* a long climb */
		{ { 5, 30, 30, 30, 30, 30, 30, 45, 55, 70 }, 0 },	/* one that goes on */
		{ { 5, 30, 30, 30, 30, 30, 30, 30, 30, 36 }, 0 },	/* or begins late */
	};
	struct mc_user_probe p[10];
	u64 found;

	for (unsigned int i = 0; i < ARRAY_SIZE(curves); i++) {
		for (unsigned int j = 0; j < 10; j++)
			p[j] = (struct mc_user_probe){ M << j, 1000 * curves[i].ns[j], 0 };
		assert_int_equal(mc_user_find_last(p, 10, 0, &found), !!curves[i].found);
		assert_true(!curves[i].found || found == curves[i].found);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(machines); i++) {
		make_curve(p, machines[i].mib, machines[i].cache_ps, machines[i].memory_ps);
		assert_int_equal(mc_user_find_last(p, 10, machines[i].reported, &found),
				 !!machines[i].found);
		if (machines[i].found)
			assert_int_equal(found, machines[i].found);
	}
	/* Others used the machine while a size was measured. */
	for (unsigned int i = 1; i < 10; i++) {
		for (unsigned int j = 2; j < 5; j++) {
			make_curve(p, 32, 30000, 100000);
			p[i].value *= j;
			assert_false(i == 3 && mc_user_find_last(p, 10, 1 * M, &found));
			if (mc_user_find_last(p, 10, 1 * M, &found))
				assert_in_range(found, 32 * M, 128 * M);
		}
	}
}

static void memory_is(const struct mc_user_probe *p, unsigned int n, u64 least, u64 reported,
		      u64 bytes, bool sure)
{
	u64 found = 0;

	assert_int_equal(mc_user_find_memory(p, n, least, reported, &found), sure);
	assert_int_equal(found, bytes);
}

static void test_memory(void **state)
{
	/* The machine of the climb: the L3 is fast where many loads are on their way. */
	static const struct mc_user_probe halves[] = {
		{ 32 * M, 287009 }, { 64 * M, 283171 }, { 128 * M, 161188 }, { 256 * M, 155000 },
		{ 512 * M, 154451 },
	};
	static const struct mc_user_probe even[] = {
		{ 32 * M, 90000 }, { 64 * M, 101000 }, { 128 * M, 100000 },
	};

	memory_is(halves, 5, 32 * M, 0, 128 * M, true);
	memory_is(halves, 5, 256 * M, 0, 256 * M, true);
	memory_is(halves, 5, 2048 * M, 0, 512 * M, false);
	memory_is(even, 3, 4 * M, 0, 32 * M, true);
	memory_is(even, 3, 4 * M, 128 * M, 128 * M, true);
	memory_is(even, 3, 64 * M, 0, 64 * M, true);
	memory_is(even, 1, 4 * M, 0, 32 * M, false);
	memory_is(even, 1, 4 * M, 64 * M, 32 * M, false);
}
