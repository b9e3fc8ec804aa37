// SPDX-License-Identifier: GPL-2.0-only
/* What every arm64 CPU since version 8.1 can run. */
#include "cpu.h"

bool cpu_runs(enum mc_feature feature)
{
	return feature == MC_CPU_BASE || feature == MC_CPU_ATOMICS || feature == MC_CPU_LLSC ||
	       feature == MC_CPU_PREFETCHW;
}
