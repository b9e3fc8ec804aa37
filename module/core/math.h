/* SPDX-License-Identifier: GPL-2.0-only */
/* Arithmetic that the kernel's library and libc do not both have. */
#ifndef MC_CORE_MATH_H
#define MC_CORE_MATH_H

#include "core/shim.h"

u64 mc_muldiv(u64 a, u64 b, u64 c);
u64 mc_rounded(u64 a, u64 b, u64 c);
u64 mc_sqrt(u64 x);
u64 mc_gcd(u64 a, u64 b);
u64 mc_sum_of_run(u64 first, u64 step, u64 n);

/* Is bit @i of these set? */
static inline bool mc_bit(const u64 *bits, unsigned int i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

/* Return: the bandwidth in 1000 bytes per second: @decimals of the column is 3. */
static inline u64 mc_mb_per_s(u64 bytes, u64 ps)
{
	return mc_rounded(bytes, 1000000000, ps);
}

/*
 * Bins as those of an HDR histogram (G. Tene, HdrHistogram): each octave has 2^@bits bins of equal
 * width, and each value below two octaves' worth a bin of its own.
 */
static inline u32 mc_bin_of(u64 value, unsigned int bits)
{
	u32 octave = value >> (bits + 1) ? 63 - bits - __builtin_clzll(value) : 0;

	return (octave << bits) + (u32)(value >> octave);
}

/* Return: the lower bound of a bin. */
static inline u64 mc_bin_from(u32 bin, unsigned int bits)
{
	u32 octave = bin >> (bits + 1) ? (bin >> bits) - 1 : 0;

	return (u64)(bin - (octave << bits)) << octave;
}

#endif /* MC_CORE_MATH_H */
