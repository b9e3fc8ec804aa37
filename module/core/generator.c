// SPDX-License-Identifier: GPL-2.0-only
/* The random numbers of the loops, in C. */
#include "core/generator.h"

static_assert((u64)MC_LCG_A * MC_LCG_A * MC_LCG_A * MC_LCG_A == MC_LCG_A4,
	      "A4 is not A^4");
static_assert((u64)MC_LCG_C * ((u64)MC_LCG_A * MC_LCG_A * MC_LCG_A +
			       (u64)MC_LCG_A * MC_LCG_A + MC_LCG_A + 1) ==
	      MC_LCG_C4, "C4 is not C (A^3 + A^2 + A + 1)");

/* splitmix64 (Steele, Lea, Flood 2014); any seed is good, also 0. */
static u64 splitmix(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/**
 * mc_random_seed() - start a sequence
 * @r: result
 * @seed: selects the sequence
 */
void mc_random_seed(struct mc_random *r, u64 seed)
{
	r->s[0] = splitmix(&seed);
	r->s[1] = splitmix(&seed);
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
 * @generator: the generator
 *
 * Return: a number of 64 bits; the upper bits are more random.
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
 * mc_random_below() - reduce a number to a range
 * @x: the number
 * @range: the end of the range
 *
 * This is the upper half of the product (Lemire, 2019), without his rejection step: in
 * a range of 2^40, probabilities are off by 2^-24 at most.
 *
 * Return: 0 to @range - 1, 0 if @range is 0.
 */
u64 mc_random_below(u64 x, u64 range)
{
	unsigned __int128 product = (unsigned __int128)x * range;

	return product >> 64;
}

/**
 * mc_random_word() - the value that a load returns from an array of consecutive integers
 * @first: the integer in the first word of 8 bytes
 * @offset: byte offset of the load; if it is unaligned, the load reads parts of two words
 *
 * Return: the 8 bytes at @offset, as x86 loads them.
 */
u64 mc_random_word(u64 first, u64 offset)
{
	unsigned int low = offset % 8 * 8;
	u64 word = first + offset / 8;

	return low ? word >> low | (word + 1) << (64 - low) : word;
}
