// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's features and properties, as the kernel uses them. */
#include "arch/cores.h"
#include "kernel/arch.h"
#include "platform/clock.h"
#include "platform/cpus.h"

/**
 * mc_cpu_has() - do all CPUs and the kernel support a feature?
 * @feature: what the loop needs
 *
 * Return: true if they do.
 */
bool mc_cpu_has(enum mc_feature feature)
{
	return mc_cores_have(feature);
}

/**
 * mc_cpu_json() - append the CPU's model and properties as JSON members
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_cpu_json(struct mc_text *t)
{
	mc_cpu_describe(t, NULL);
	mc_textf(t, ",\"microcode\":null");
}

/**
 * mc_cpu_tsc_khz() - rate of the generic timer
 *
 * Return: kHz, 0 if the firmware has not set it.
 */
u64 mc_cpu_tsc_khz(void)
{
	return mc_time_counter_hz() / 1000;
}
