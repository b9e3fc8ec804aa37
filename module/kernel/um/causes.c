// SPDX-License-Identifier: GPL-2.0-only
/* User-Mode Linux, which sees none of what its host counts. */
#include "platform/causes.h"

u32 mc_causes_known(void)
{
	return 0;
}

void mc_causes_read(u32 known, u64 *count)
{
}

bool mc_smi_event(struct mc_counter *c)
{
	return false;
}
