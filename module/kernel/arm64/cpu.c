// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's features and properties, as the kernel uses them. */
#include "arch/cores.h"
#include "kernel/arch.h"
#include "platform/clock.h"
#include "platform/cpus.h"

bool mc_cpu_has(enum mc_feature feature)
{
	return mc_cores_have(feature);
}

void mc_cpu_json(struct mc_text *t)
{
	mc_cpu_describe(t, NULL);
	mc_textf(t, ",\"microcode\":null");
}

/* That of the generic timer. */
u64 mc_cpu_tsc_khz(void)
{
	return mc_time_counter_hz() / 1000;
}
