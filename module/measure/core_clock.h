/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock of a core. */
#ifndef MC_CORE_CLOCK_H
#define MC_CORE_CLOCK_H

#include "platform/workers.h"

int mc_core_mhz(struct mc_worker *w, u64 *mhz);
u64 mc_core_mhz_now(void);

#endif /* MC_CORE_CLOCK_H */
