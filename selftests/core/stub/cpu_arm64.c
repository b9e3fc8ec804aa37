// SPDX-License-Identifier: GPL-2.0-only
/* What every arm64 CPU can run. */
#include "cpu.h"

bool cpu_runs(enum mc_feature feature)
{
	return feature == MC_CPU_BASE;
}
