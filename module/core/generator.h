/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same random numbers as in the loops of arch/x86/loops_random.S. They seed the
 * loops, and show afterwards which addresses a loop has accessed.
 */
#ifndef MC_CORE_GENERATOR_H
#define MC_CORE_GENERATOR_H

/*
 * x = A x + C modulo 2^64 (Knuth, The Art of Computer Programming 2, 3.3.4,
 * MMIX). A4 = A^4 and C4 = C (A^3 + A^2 + A + 1) make four steps at once.
 */
#define MC_LCG_A	0x5851f42d4c957f2d
#define MC_LCG_C	0x14057b7ef767814f
#define MC_LCG_A4	0xfb4d3ae39272be11
#define MC_LCG_C4	0x66b61ae97f2099b4

#ifndef __ASSEMBLER__
#include "core/shim.h"

enum mc_generator {
	MC_LCG,
	MC_XORSHIFT,	/* xorshift128+ with shifts 23, 18, 5 (Vigna 2017) */
	MC_NGENERATORS,
};

/**
 * struct mc_random - a generator's state
 * @s: for LCG, @s[0] is the next number; for xorshift128+, the last number was the sum
 */
struct mc_random {
	u64 s[2];
};

void mc_random_seed(struct mc_random *r, u64 seed);
u64 mc_random_next(struct mc_random *r, enum mc_generator generator);
u64 mc_random_below(u64 x, u64 range);
u64 mc_random_word(u64 first, u64 offset);

#endif /* __ASSEMBLER__ */
#endif /* MC_CORE_GENERATOR_H */
