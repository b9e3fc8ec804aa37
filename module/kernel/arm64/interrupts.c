// SPDX-License-Identifier: GPL-2.0-only
/* The interrupts of a CPU: the kernel handles all of them, also IPIs, in one way. */
#include <linux/kernel_stat.h>

#include "kernel/arch.h"
#include "platform/causes.h"

u32 mc_interrupt_count(void)
{
	return READ_ONCE(kstat_this_cpu->irqs_sum);
}

/* Pseudo-NMIs are counted as interrupts. */
bool mc_nmi_count(u64 *count)
{
	return false;
}

/* Interrupts that the secure world takes are not counted. */
bool mc_smi_count(u64 *count)
{
	return false;
}

/* No event of arm64 counts them. */
bool mc_smi_event(struct mc_counter *c)
{
	return false;
}
