/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's memory as regions. */
#ifndef MC_PLATFORM_REGIONS_H
#define MC_PLATFORM_REGIONS_H

#include "core/shim.h"

u64 mc_memory_regions(u64 region);

#endif /* MC_PLATFORM_REGIONS_H */
