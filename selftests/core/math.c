// SPDX-License-Identifier: GPL-2.0-only
/* module/core/math.c against the compiler's 128-bit arithmetic. */
#include "cmocka_all.h"
#include "fixture.h"
#include "core/math.h"

static u64 muldiv_of_the_compiler(u64 a, u64 b, u64 c)
{
	unsigned __int128 q;

	if (!c)
		return ~0ULL;
	q = (unsigned __int128)a * b / c;
	return q > ~0ULL ? ~0ULL : (u64)q;
}

static void muldiv_at_the_edges(void **state)
{
	static const u64 edges[] = {
		0, 1, 2, 3, 10, 0xffff, (1ULL << 32) - 1, 1ULL << 32,
		(1ULL << 32) + 1, (1ULL << 63) - 1, 1ULL << 63,
		(1ULL << 63) + 1, ~0ULL - 1, ~0ULL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(edges); i++)
		for (size_t j = 0; j < ARRAY_SIZE(edges); j++)
			for (size_t k = 0; k < ARRAY_SIZE(edges); k++)
				assert_int_equal(mc_muldiv(edges[i], edges[j], edges[k]),
						 muldiv_of_the_compiler(edges[i], edges[j],
									edges[k]));
}

static void rounding(void **state)
{
	assert_int_equal(mc_rounded(65536, 1000000000, 2359000000), 27781);
	assert_int_equal(mc_rounded(1, 1, 2), 1);
	assert_int_equal(mc_rounded(4, 1, 3), 1);
	assert_int_equal(mc_rounded(5, 1, 3), 2);
	assert_int_equal(mc_rounded(~0ULL, ~0ULL, ~0ULL), ~0ULL);
	assert_int_equal(mc_rounded(1, 1, 0), ~0ULL);
}

static void muldiv_at_random(void **state)
{
	u64 seed = 1;

	for (int i = 0; i < 1000000; i++) {
		u64 a = random_bits(&seed), b = random_bits(&seed);
		u64 c = random_bits(&seed);

		assert_int_equal(mc_muldiv(a, b, c), muldiv_of_the_compiler(a, b, c));
	}
}

static void assert_root(u64 x)
{
	unsigned __int128 r = mc_sqrt(x);

	assert_true(r * r <= x && (r + 1) * (r + 1) > x);
}

static void sqrt_is_exact(void **state)
{
	u64 seed = 2, r;

	for (int i = 0; i < 70000; i++)
		assert_root(i);
	for (int i = 0; i < 1000000; i++)
		assert_root(random_bits(&seed));
	/* On both sides of every square, up to the largest. */
	for (int i = 0; i < 100000; i++) {
		r = (random_bits(&seed) >> 32) + 1;
		assert_int_equal(mc_sqrt(r * r), r);
		assert_int_equal(mc_sqrt(r * r - 1), r - 1);
	}
	assert_int_equal(mc_sqrt(~0ULL), 0xffffffff);
}
