// SPDX-License-Identifier: GPL-2.0-only
/*
 * The witness in User-Mode Linux. To the host, this kernel is a process, so the witness
 * sees the host's interrupts and the host's CPUs.
 */
#include "arch/x86/cpuid.h"
#include "arch/x86/selector.h"
#include "platform/clock.h"
#include "platform/witness.h"

#define PROBE_NS	20000000	/* two ticks of the slowest host */
#define CPU_BITS	0xfff		/* the CPU in TSC_AUX, as Linux sets it */

static u8 kinds;

/**
 * mc_witness_init() - find out which disturbances can be detected
 *
 * Context: Process, once at load, after mc_clock_init().
 */
void mc_witness_init(void)
{
	if (mc_selector_works(mc_ns_to_ticks(PROBE_NS)))
		kinds |= MC_BY_INTERRUPT;
	if (mc_cpuid_rdtscp())
		kinds |= MC_BY_MIGRATION;
}

/**
 * mc_witness_kinds() - the disturbances that can be detected
 * @cpu: ignored, since no thread is bound to a CPU of the host
 *
 * Return: bits of enum mc_disturbance.
 */
u8 mc_witness_kinds(int cpu)
{
	return kinds;
}

/**
 * mc_witness_begin() - a timed window is about to begin
 * @v: the thread's witness
 */
void mc_witness_begin(struct mc_witness *v)
{
	if (kinds & MC_BY_INTERRUPT)
		mc_selector_set();
}

static u32 host_cpu(void)
{
	u32 low, high, aux;

	asm volatile("rdtscp" : "=a" (low), "=d" (high), "=c" (aux));
	return aux & CPU_BITS;
}

/**
 * mc_witness_end() - a timed window has ended
 * @v: the thread's witness
 *
 * Return: the disturbances in it, bits of enum mc_disturbance; a migration if the last
 * window ended on another CPU.
 */
u8 mc_witness_end(struct mc_witness *v)
{
	u32 last = v->cpu;
	u8 seen = 0;

	if (kinds & MC_BY_INTERRUPT && mc_selector_cleared())
		seen |= MC_BY_INTERRUPT;
	if (!(kinds & MC_BY_MIGRATION))
		return seen;
	v->cpu = host_cpu() + 1;
	return last && last != v->cpu ? seen | MC_BY_MIGRATION : seen;
}

/**
 * mc_witness_stolen() - was time stolen from the CPU since the last look?
 * @v: the thread's witness
 * @cpu: the thread's CPU
 * @at_once: look even if the last look was a moment ago
 *
 * Return: MC_NOT_LOOKED, since the host's steal time can't be read from here.
 */
enum mc_stolen mc_witness_stolen(struct mc_witness *v, int cpu, bool at_once)
{
	return MC_NOT_LOOKED;
}
