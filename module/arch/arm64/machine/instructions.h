/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions of an arm64 CPU that other rooms use. Each architecture has a file of this
 * name with the same functions; that of x86 describes them.
 */
#ifndef MC_INSTRUCTIONS_H
#define MC_INSTRUCTIONS_H

#include "core/shim.h"

#ifdef __KERNEL__
#include <linux/preempt.h>
#include <asm/neon.h>
#endif

/* The counter's name in the record of the machine: the virtual count of the generic timer. */
#define MC_TIME_COUNTER	"cntvct"
#define MC_NT_SURE	false	/* STNP is a hint: a cache may keep what it stores */

/*
 * dsb waits until all earlier loads and stores have completed, and isb lets no later
 * instruction start before the read, nor the read before earlier ones (Arm ARM,
 * "Ordering of reads of the Generic Timer registers").
 */
static inline u64 mc_time_counter(void)
{
	u64 ticks;

	asm volatile("dsb ld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r" (ticks) : : "memory");
	return ticks;
}

/* As the firmware has set it. */
static inline u64 mc_time_counter_hz(void)
{
	u64 hz;

	asm volatile("mrs %0, cntfrq_el0" : "=r" (hz));
	return (u32)hz;
}

static inline void mc_drain(void)
{
	asm volatile("dsb st" : : : "memory");
}

static inline void mc_wait_for_all(void)
{
	asm volatile("dsb sy" : : : "memory");
}

static inline void mc_flush(void *line)
{
	asm volatile("dc civac, %0\n\tdsb sy" : : "r" (line) : "memory");
}

static inline void mc_relax(void)
{
	asm volatile("yield" : : : "memory");
}

/* No register that a process can write is lost by an interrupt. */
static inline void mc_mark_set(void)
{
}

static inline bool mc_mark_lost(void)
{
	return false;
}

/* The kernel must have interrupts on when it begins to use vector registers. */
#define MC_FPU_NEEDS_IRQ	true

/* Newer kernels would let others run meanwhile, and save the registers. */
static inline void mc_fpu_begin(void)
{
#ifdef __KERNEL__
	kernel_neon_begin();
	preempt_disable();
#endif
}

static inline void mc_fpu_end(void)
{
#ifdef __KERNEL__
	preempt_enable();
	kernel_neon_end();
#endif
}

#endif /* MC_INSTRUCTIONS_H */
