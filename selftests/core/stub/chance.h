/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that look random, and are the same in each run: Marsaglia's xorshift. */
#ifndef MC_SELFTEST_CHANCE_H
#define MC_SELFTEST_CHANCE_H

#include "core/shim.h"

static u64 chance_state = 0x9e3779b97f4a7c15ULL;	/* not 0 */

/* Return: the next number, from 0 to @below - 1. */
static u64 chance(u64 below)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (chance_state >> 16) % below;
}

#endif /* MC_SELFTEST_CHANCE_H */
