// SPDX-License-Identifier: GPL-2.0-only
/* The detector in the kernel: the counters behind /proc/interrupts and /proc/stat. */
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "arch/cores.h"
#include "kernel/arch.h"
#include "platform/detector.h"

/**
 * mc_detector_init() - find out which disturbances can be detected
 *
 * Context: Process, once at load, after mc_clock_init().
 */
void mc_detector_init(void)
{
}

/* READ_ONCE(), because the CPU itself may be adding to its counter. */
static u64 stolen_from(int cpu)
{
	return READ_ONCE(kcpustat_cpu(cpu).cpustat[CPUTIME_STEAL]);
}

/* If a guest's counters are all 0, its hypervisor may not report steal time. */
static bool steal_is_reported(void)
{
	unsigned int cpu;

	if (!mc_hypervisor())
		return true;
	for_each_online_cpu(cpu) {
		if (stolen_from(cpu))
			return true;
	}
	return false;
}

/**
 * mc_detector_kinds() - the disturbances that can be detected
 * @cpu: the CPU that the thread is bound to, or -1
 *
 * Return: bits of enum mc_disturbance.
 */
u8 mc_detector_kinds(int cpu)
{
	u8 kinds = MC_BY_INTERRUPT | MC_BY_MIGRATION | MC_BY_PREEMPTION;

	return cpu >= 0 && steal_is_reported() ? kinds | MC_BY_STEAL : kinds;
}

/**
 * mc_detector_begin() - a timed window is about to begin
 * @v: the thread's detector
 *
 * Context: Process.
 */
void mc_detector_begin(struct mc_detector *v)
{
	preempt_disable();
	v->interrupts = mc_interrupt_count();
	preempt_enable();
}

/**
 * mc_detector_end() - a timed window has ended
 * @v: the thread's detector
 *
 * Only a window that may sleep can be preempted here. A thread that was preempted since the last
 * window finds the caches as other threads have left them.
 *
 * Context: Process.
 * Return: the disturbances in it, bits of enum mc_disturbance; a migration if the last
 * window was on another CPU.
 */
u8 mc_detector_end(struct mc_detector *v)
{
	u64 switches = v->switches;
	u32 last = v->cpu;
	u8 seen = 0;

	preempt_disable();
	v->cpu = smp_processor_id() + 1;
	v->switches = current->nivcsw + 1;
	if (mc_interrupt_count() != v->interrupts)
		seen |= MC_BY_INTERRUPT;
	preempt_enable();
	if (last && last != v->cpu)
		seen |= MC_BY_MIGRATION;
	if (switches && switches != v->switches)
		seen |= MC_BY_PREEMPTION;
	return seen;
}

/**
 * mc_detector_stolen() - was time stolen from the CPU since the last look?
 * @v: the thread's detector
 * @cpu: the CPU that the thread is bound to, or -1
 * @at_once: ignored, since a look costs little here
 *
 * Return: the answer; MC_NOT_LOOKED at the first look, which only stores the counter.
 */
enum mc_stolen mc_detector_stolen(struct mc_detector *v, int cpu, bool at_once)
{
	u64 before = v->stolen, looked = v->looked;

	if (cpu < 0)
		return MC_NOT_LOOKED;
	v->looked = 1;
	v->stolen = stolen_from(cpu);
	if (!looked)
		return MC_NOT_LOOKED;
	return v->stolen != before ? MC_STOLEN : MC_NOT_STOLEN;
}
