/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that the firmware uses while the kernel runs. */
#ifndef MC_KERNEL_FIRMWARE_H
#define MC_KERNEL_FIRMWARE_H

#include "core/target.h"

const char *mc_firmware_owns(const struct mc_range *range);
const char *mc_firmware_unknown(void);

#endif /* MC_KERNEL_FIRMWARE_H */
