// SPDX-License-Identifier: GPL-2.0-only
/* The interrupts of a CPU, which the kernel counts at two places. */
#include <linux/hardirq.h>
#include <linux/kernel_stat.h>

#include "kernel/arch.h"

/* The first counter in irq_cpustat_t; from there to its end all are counters. */
#ifdef MC_HAVE_IRQ_COUNTS
#define FIRST_COUNTER	offsetof(irq_cpustat_t, counts)
#else
#define FIRST_COUNTER	offsetof(irq_cpustat_t, __nmi_count)
#endif

/**
 * mc_interrupt_count() - interrupts of this CPU so far
 *
 * Context: Preemption off.
 * Return: those of devices and of the CPU itself (timer, IPIs, NMIs), modulo 2^32.
 */
u32 mc_interrupt_count(void)
{
	const u32 *end = (const u32 *)(this_cpu_ptr(&irq_stat) + 1);
	const u32 *at = (const u32 *)((const char *)this_cpu_ptr(&irq_stat) +
				      FIRST_COUNTER);
	u32 sum = (u32)READ_ONCE(kstat_this_cpu->irqs_sum);	/* only differences count */

	while (at < end)
		sum += READ_ONCE(*at++);
	return sum;
}
