/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is not the kernel's: BARs of PCI devices, and physical ranges. */
#ifndef MC_KERNEL_TARGET_H
#define MC_KERNEL_TARGET_H

#include "measure/test.h"

int mc_target_init(void);
void mc_target_exit(void);
u64 mc_target_room(const struct mc_request *req);
int mc_target_check(struct mc_run *run, const struct mc_point *point);
int mc_target_find(struct mc_run *run, const struct mc_point *point, struct mc_area *area);
bool mc_target_back(u64 *done, u64 *all);
void mc_target_give_up(void);
void mc_target_end(struct mc_run *run);

#endif /* MC_KERNEL_TARGET_H */
