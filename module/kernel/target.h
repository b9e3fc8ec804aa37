/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is not the kernel's: BARs of PCI devices, and physical ranges. */
#ifndef MC_KERNEL_TARGET_H
#define MC_KERNEL_TARGET_H

#include "measure/target.h"

int mc_target_init(void);
void mc_target_exit(void);
bool mc_target_back(u64 *done, u64 *all);
void mc_target_give_up(void);

#endif /* MC_KERNEL_TARGET_H */
