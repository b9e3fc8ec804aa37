// SPDX-License-Identifier: GPL-2.0-only
/* 64-bit integer arithmetic without libgcc. */
#include "core/math.h"

/*
 * The long division goes bit by bit, which is fast enough for a few calls per record.
 * The compiler's 128-bit division needs libgcc, which the kernel does not have.
 */
static u64 divide(u64 high, u64 low, u64 c)
{
	u64 quotient = 0;
	int i;

	if (high >= c)
		return ~0ULL;
	if (!high)
		return low / c;
	for (i = 0; i < 64; i++) {
		bool carry = high >> 63;

		high = high << 1 | low >> 63;
		low <<= 1;
		quotient <<= 1;
		if (carry || high >= c) {
			high -= c;
			quotient |= 1;
		}
	}
	return quotient;
}

/**
 * mc_muldiv() - a * b / c with a 128-bit product
 * @a: factor
 * @b: factor
 * @c: divisor
 *
 * Return: the quotient rounded down, or U64_MAX if it does not fit or @c is 0.
 */
u64 mc_muldiv(u64 a, u64 b, u64 c)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return divide(product >> 64, product, c);
}

/**
 * mc_rounded() - a * b / c as a figure to show
 * @a: factor
 * @b: factor
 * @c: divisor
 *
 * Return: the quotient rounded to the nearest number, or U64_MAX as mc_muldiv().
 */
u64 mc_rounded(u64 a, u64 b, u64 c)
{
	unsigned __int128 product = (unsigned __int128)a * b + c / 2;

	return divide(product >> 64, product, c);
}

/**
 * mc_sqrt() - integer square root
 * @x: any number
 *
 * Digit by digit (base 4), exact.
 *
 * Return: the largest r with r * r <= @x.
 */
u64 mc_sqrt(u64 x)
{
	u64 root = 0, bit = 1ULL << 62;

	while (bit > x)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return root;
}

/**
 * mc_sum_of_run() - sum of words that grow by a constant step
 * @first: the first word
 * @step: difference between neighbours
 * @n: number of words
 *
 * Return: n * first + n * (n - 1) / 2 * step, modulo 2^64.
 */
u64 mc_sum_of_run(u64 first, u64 step, u64 n)
{
	u64 pairs = n & 1 ? (n - 1) / 2 * n : n / 2 * (n - 1);

	return n * first + pairs * step;
}

/**
 * mc_gcd() - the greatest common divisor of two numbers
 * @a: a number
 * @b: a number
 *
 * Return: the divisor; the other number if one is 0.
 */
u64 mc_gcd(u64 a, u64 b)
{
	while (b) {
		u64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}
