/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the times of a curve go from one level to another. */
#ifndef MC_CORE_STEP_H
#define MC_CORE_STEP_H

#include "core/shim.h"

unsigned int mc_step_at(const u64 *ps, unsigned int n, u64 before, u64 after);

#endif /* MC_CORE_STEP_H */
