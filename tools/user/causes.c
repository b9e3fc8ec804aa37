// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process, which can't read the kernel's counters of a CPU. Beside what the detector sees, others
 * have the CPU while a signal has stopped the thread; that counts as a switch of its own will.
 */
#include <sys/resource.h>

#include "platform/causes.h"

u32 mc_causes_known(void)
{
	return 1U << MC_CAUSE_PREEMPTION;
}

void mc_causes_read(u32 known, u64 *count)
{
	struct rusage usage;

	if (!getrusage(RUSAGE_THREAD, &usage))
		count[MC_CAUSE_PREEMPTION] = usage.ru_nvcsw;
}

bool mc_smi_event(struct mc_counter *c)
{
	return false;
}
