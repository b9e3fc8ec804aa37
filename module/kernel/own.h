/* SPDX-License-Identifier: GPL-2.0-only */
/* The loop of op=own, which another module registers. */
#ifndef MC_KERNEL_OWN_H
#define MC_KERNEL_OWN_H

#include "measure/test.h"

int mc_own_hold(struct mc_run *run);
void mc_own_drop(void);

#endif /* MC_KERNEL_OWN_H */
