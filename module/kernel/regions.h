/* SPDX-License-Identifier: GPL-2.0-only */
/* Free memory, taken for a run that measures it region by region. */
#ifndef MC_KERNEL_REGIONS_H
#define MC_KERNEL_REGIONS_H

#include "measure/area.h"

int mc_regions_find(struct mc_run *run, const struct mc_wanted *want, struct mc_area *area);
void mc_regions_drop(void);

#endif /* MC_KERNEL_REGIONS_H */
