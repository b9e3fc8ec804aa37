/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a series of samples is steady. */
#ifndef MC_CORE_STEADY_H
#define MC_CORE_STEADY_H

#include "core/shim.h"

#define MC_STEADY_SAMPLES	10	/* fewer samples do not show whether they are steady */

/* Differences that count, in thousandths: before the samples, and between them. */
#define MC_WARMUP_PERMILLE	10
#define MC_SAMPLES_PERMILLE	50

enum mc_steady { MC_STEADY_NOT_KNOWN, MC_STEADY_YES, MC_STEADY_NO };

enum mc_steady mc_steady_of(u64 *samples, u32 n, u32 permille);

#endif /* MC_CORE_STEADY_H */
