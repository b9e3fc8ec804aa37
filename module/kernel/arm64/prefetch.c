// SPDX-License-Identifier: GPL-2.0-only
/* Prefetchers: on arm64 only firmware can write the registers that switch them off. */
#include "kernel/arch.h"

const struct mc_prefetch_msr *mc_prefetchers(const char **why_not)
{
	*why_not = "on arm64 only firmware can do that";
	return NULL;
}

int mc_msr_read(u32 msr, u64 *value)
{
	return -EIO;
}

int mc_msr_write(u32 msr, u64 value)
{
	return -EIO;
}
