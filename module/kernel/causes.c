// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel and the CPU count of NMIs, softirqs and SMIs. */
#include <linux/kernel_stat.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "kernel/arch.h"
#include "platform/causes.h"

static u64 count_softirqs(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < NR_SOFTIRQS; i++)
		sum += READ_ONCE(kstat_this_cpu->softirqs[i]);
	return sum;
}

/**
 * mc_causes_known() - the causes that are counted
 *
 * Context: Worker thread, whose CPU is meant.
 * Return: a bit for each (enum mc_cause).
 */
u32 mc_causes_known(void)
{
	u32 known = 1U << MC_CAUSE_SOFTIRQ;
	u64 count;

	/* No window is open, and a thread that is not bound might migrate. */
	preempt_disable();
	known |= mc_nmi_count(&count) ? 1U << MC_CAUSE_NMI : 0;
	known |= mc_smi_count(&count) ? 1U << MC_CAUSE_SMI : 0;
	preempt_enable();
	return known;
}

/**
 * mc_causes_read() - read the counts of the CPU
 * @known: what mc_causes_known() returned
 * @count: array of MC_NCAUSES numbers; result: the counts of the causes in @known, the others stay
 *
 * Context: Worker thread, while a window is open.
 */
void mc_causes_read(u32 known, u64 *count)
{
	count[MC_CAUSE_SOFTIRQ] = count_softirqs();
	if (known >> MC_CAUSE_NMI & 1)
		mc_nmi_count(&count[MC_CAUSE_NMI]);
	if (known >> MC_CAUSE_SMI & 1)
		mc_smi_count(&count[MC_CAUSE_SMI]);
}
