// SPDX-License-Identifier: GPL-2.0-only
/* The interrupts of a CPU, which the kernel counts at two places. */
#include <linux/hardirq.h>
#include <linux/kernel_stat.h>
#include <linux/perf_event.h>
#include <asm/processor.h>

#include "arch/cores.h"
#include "kernel/arch.h"
#include "platform/causes.h"

#define EVENT_SMI	0x2b	/* PMCx02B of AMD since Zen: ls_smi_rx (PPR for family 17h) */
#define MSR_SMI		0x34	/* of Intel, since Nehalem: SMIs of the thread since its reset */

/* The first counter in irq_cpustat_t; from there to its end all are counters. */
#ifdef MC_HAVE_IRQ_COUNTS
#define FIRST_COUNTER	offsetof(irq_cpustat_t, counts)
#else
#define FIRST_COUNTER	offsetof(irq_cpustat_t, __nmi_count)
#endif

/**
 * mc_interrupt_count() - interrupts of this CPU so far
 *
 * Context: Preemption off.
 * Return: those of devices and of the CPU itself (timer, IPIs, NMIs), modulo 2^32.
 */
u32 mc_interrupt_count(void)
{
	const u32 *end = (const u32 *)(this_cpu_ptr(&irq_stat) + 1);
	const u32 *at = (const u32 *)((const char *)this_cpu_ptr(&irq_stat) + FIRST_COUNTER);
	u32 sum = (u32)READ_ONCE(kstat_this_cpu->irqs_sum);	/* only differences count */

	while (at < end)
		sum += READ_ONCE(*at++);
	return sum;
}

/**
 * mc_nmi_count() - NMIs of this CPU so far
 * @count: result
 *
 * Context: Preemption off.
 * Return: false: they can't be told from other interrupts here.
 */
bool mc_nmi_count(u64 *count)
{
#ifdef MC_HAVE_IRQ_COUNTS
	return false;
#else
	*count = READ_ONCE(this_cpu_ptr(&irq_stat)->__nmi_count);
	return true;
#endif
}

/**
 * mc_smi_count() - SMIs of this CPU so far
 * @count: result
 *
 * Context: Preemption off.
 * Return: false: they are not counted here, or only those that a hypervisor makes up.
 */
bool mc_smi_count(u64 *count)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && !mc_hypervisor() &&
	       !mc_msr_read(MSR_SMI, count);
}

/**
 * mc_smi_event() - the event of the PMU that counts SMIs
 * @c: result
 *
 * Return: false: no event of this CPU does, or a hypervisor may make it up.
 */
bool mc_smi_event(struct mc_counter *c)
{
	*c = (struct mc_counter){
		.core = true, .pinned = true, .type = PERF_TYPE_RAW, .config = EVENT_SMI,
	};
	return (boot_cpu_data.x86_vendor == X86_VENDOR_AMD ||
		boot_cpu_data.x86_vendor == X86_VENDOR_HYGON) &&
	       boot_cpu_data.x86 >= 0x17 && !mc_hypervisor();
}
