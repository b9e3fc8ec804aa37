// SPDX-License-Identifier: GPL-2.0-only
/* User-Mode Linux, which sees none of what its host counts. */
#include "platform/causes.h"

/**
 * mc_causes_known() - the causes that are counted
 *
 * Context: Worker thread, whose CPU is meant.
 * Return: a bit for each (enum mc_cause).
 */
u32 mc_causes_known(void)
{
	return 0;
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
}

/**
 * mc_smi_event() - the event of the PMU that counts SMIs
 * @c: result
 *
 * Return: false: there is no PMU.
 */
bool mc_smi_event(struct mc_counter *c)
{
	return false;
}
