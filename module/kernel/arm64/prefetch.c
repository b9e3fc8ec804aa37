// SPDX-License-Identifier: GPL-2.0-only
/* Prefetchers: on arm64 only firmware can write the registers that switch them off. */
#include "kernel/arch.h"

/**
 * mc_prefetchers() - the register that switches prefetchers off
 * @why_not: result: why there is none
 *
 * Return: NULL.
 */
const struct mc_prefetch_msr *mc_prefetchers(const char **why_not)
{
	*why_not = "on arm64 only firmware can do that";
	return NULL;
}

/**
 * mc_msr_read() - read a register of this CPU
 * @msr: its number
 * @value: not set
 *
 * Return: -EIO, since no prefetcher has a register here.
 */
int mc_msr_read(u32 msr, u64 *value)
{
	return -EIO;
}

/**
 * mc_msr_write() - write a register of this CPU
 * @msr: its number
 * @value: the value to write
 *
 * Return: -EIO, since no prefetcher has a register here.
 */
int mc_msr_write(u32 msr, u64 value)
{
	return -EIO;
}
