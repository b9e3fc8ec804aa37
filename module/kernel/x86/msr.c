// SPDX-License-Identifier: GPL-2.0-only
/* Model-specific registers; a hypervisor may refuse access to any of them. */
#include <asm/msr.h>

#include "kernel/arch.h"

/**
 * mc_msr_read() - read a register of this CPU
 * @msr: its number
 * @value: result
 *
 * Not inline, so that accesses to registers can be traced.
 *
 * Context: Any; the thread must not migrate.
 * Return: 0, or -EIO if the CPU has no such register or a hypervisor refuses it.
 */
noinline int mc_msr_read(u32 msr, u64 *value)
{
	u32 low, high;
	int err = rdmsr_safe(msr, &low, &high);

	*value = (u64)high << 32 | low;
	return err;
}

/**
 * mc_msr_write() - write a register of this CPU
 * @msr: its number
 * @value: the value to write
 *
 * Context: Any; the thread must not migrate.
 * Return: 0, or -EIO as above, or if the register does not accept the value.
 */
noinline int mc_msr_write(u32 msr, u64 value)
{
	return wrmsr_safe(msr, (u32)value, (u32)(value >> 32));
}
