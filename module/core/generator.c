// SPDX-License-Identifier: GPL-2.0-only
/* Random numbers, one after the other. */
#include "core/generator.h"

static_assert((u64)MC_LCG_A * MC_LCG_A * MC_LCG_A * MC_LCG_A == MC_LCG_A4,
	      "A4 is not A^4");
static_assert((u64)MC_LCG_C * ((u64)MC_LCG_A * MC_LCG_A * MC_LCG_A +
			       (u64)MC_LCG_A * MC_LCG_A + MC_LCG_A + 1) ==
	      MC_LCG_C4, "C4 is not C (A^3 + A^2 + A + 1)");

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do, 0 too. */
static u64 spread(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/**
 * mc_random_seed() - start a sequence
 * @r: result
 * @seed: another one for another sequence
 */
void mc_random_seed(struct mc_random *r, u64 seed)
{
	r->s[0] = spread(&seed);
	r->s[1] = spread(&seed);
}

static u64 next_xorshift(struct mc_random *r)
{
	u64 a = r->s[0], b = r->s[1];

	a ^= a << 23;
	r->s[0] = b;
	r->s[1] = a ^ a >> 18 ^ b ^ b >> 5;
	return r->s[1] + b;
}

/**
 * mc_random_next() - the next number
 * @r: the state
 * @generator: which generator's
 *
 * Return: the number, of 64 bits; the upper ones are the better ones.
 */
u64 mc_random_next(struct mc_random *r, enum mc_generator generator)
{
	u64 x = r->s[0];

	if (generator == MC_XORSHIFT)
		return next_xorshift(r);
	r->s[0] = x * MC_LCG_A + MC_LCG_C;
	return x;
}

/**
 * mc_random_below() - bring a number into a range
 * @x: the number
 * @range: the end of the range
 *
 * The upper half of the product (Lemire, 2019, without the rejection: a range
 * of 2^40 is off by 2^-24 at most).
 *
 * Return: 0 to @range - 1, 0 if @range is 0.
 */
u64 mc_random_below(u64 x, u64 range)
{
	unsigned __int128 product = (unsigned __int128)x * range;

	return product >> 64;
}

/**
 * mc_random_word() - what a load finds among consecutive integers
 * @first: the integer in the first word of 8 bytes
 * @offset: of the load, bytes; any, and then it may see parts of two words
 *
 * Return: the 8 bytes at @offset, as x86 loads them.
 */
u64 mc_random_word(u64 first, u64 offset)
{
	unsigned int low = offset % 8 * 8;
	u64 word = first + offset / 8;

	return low ? word >> low | (word + 1) << (64 - low) : word;
}
