// SPDX-License-Identifier: GPL-2.0-only
/* The interrupts of a CPU: the kernel handles all of them, also IPIs, in one way. */
#include <linux/kernel_stat.h>

#include "kernel/arch.h"
#include "platform/causes.h"

/**
 * mc_interrupt_count() - interrupts of this CPU so far
 *
 * Context: Preemption off.
 * Return: those of devices, the timer and other CPUs, modulo 2^32.
 */
u32 mc_interrupt_count(void)
{
	return READ_ONCE(kstat_this_cpu->irqs_sum);
}

/**
 * mc_nmi_count() - NMIs of this CPU so far
 * @count: no result
 *
 * Return: false: pseudo-NMIs are counted as interrupts.
 */
bool mc_nmi_count(u64 *count)
{
	return false;
}

/**
 * mc_smi_count() - SMIs of this CPU so far
 * @count: no result
 *
 * Return: false: what the secure world does is not counted.
 */
bool mc_smi_count(u64 *count)
{
	return false;
}

/**
 * mc_smi_event() - the event of the PMU that counts SMIs
 * @c: result
 *
 * Return: false: no event of arm64 counts them.
 */
bool mc_smi_event(struct mc_counter *c)
{
	return false;
}
