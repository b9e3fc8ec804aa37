/* SPDX-License-Identifier: GPL-2.0-only */
/* The little arithmetic that neither side's libraries offer to both. */
#ifndef MC_CORE_MATH_H
#define MC_CORE_MATH_H

#include "shim.h"

u64 mc_muldiv(u64 a, u64 b, u64 c);
u64 mc_sqrt(u64 x);

#endif /* MC_CORE_MATH_H */
