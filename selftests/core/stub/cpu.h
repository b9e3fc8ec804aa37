/* SPDX-License-Identifier: GPL-2.0-only */
/* What this CPU can run, found without the code under test. */
#ifndef MC_SELFTEST_CPU_H
#define MC_SELFTEST_CPU_H

#include "arch/loops.h"

bool cpu_runs(enum mc_feature feature);

#endif /* MC_SELFTEST_CPU_H */
