/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions of an x86 CPU that other rooms use. Each architecture has a file of this name
 * with the same functions.
 */
#ifndef MC_INSTRUCTIONS_H
#define MC_INSTRUCTIONS_H

#include "core/shim.h"

#ifdef __KERNEL__
#include <asm/fpu/api.h>
#endif

/* The counter's name in the record of the machine: the time stamp counter. */
#define MC_TIME_COUNTER	"tsc"
#define MC_NT_SURE	true	/* non-temporal stores go to memory */

/**
 * mc_time_counter() - read the CPU's time counter in program order
 *
 * lfence waits until all earlier instructions have completed, and lets no later one
 * start (Intel SDM vol. 2, LFENCE; on AMD the kernel enables this). Stores may still be
 * on their way: the fences of a test wait for those.
 *
 * Return: ticks.
 */
static inline u64 mc_time_counter(void)
{
	u32 low, high;

	asm volatile("lfence\n\trdtsc\n\tlfence" : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}

/**
 * mc_time_counter_hz() - rate of the counter, as the CPU itself says
 *
 * Return: Hz; 0: the rate has to be measured.
 */
static inline u64 mc_time_counter_hz(void)
{
	return 0;
}

/**
 * mc_drain() - wait until all stores have left the CPU's buffers
 */
static inline void mc_drain(void)
{
	asm volatile("sfence" : : : "memory");
}

/**
 * mc_wait_for_all() - wait until all loads, stores and flushes have completed
 */
static inline void mc_wait_for_all(void)
{
	asm volatile("mfence" : : : "memory");
}

/**
 * mc_flush() - flush a line from all caches, and wait until it is gone
 * @line: an address in it
 */
static inline void mc_flush(void *line)
{
	asm volatile("clflush (%0)\n\tmfence" : : "r" (line) : "memory");
}

/**
 * mc_relax() - tell the CPU that this thread spins
 */
static inline void mc_relax(void)
{
	asm volatile("pause" : : : "memory");
}

/*
 * Detection of interrupts in user mode. 64-bit Linux leaves GS to programs. A null
 * selector of value 3 in GS becomes 0 when IRET returns to a less privileged level
 * (Intel SDM vol. 2, IRET; found by X. Zhang et al., "SegScope: Probing Fine-grained
 * Interrupts via Architectural Footprints", HPCA 2024). An exception does the same, a
 * system call does not. The values 1 and 2 would work as well, but a tracer of a thread
 * (ptrace, User-Mode Linux) can't restore them.
 */
#define MC_SELECTOR	3

/**
 * mc_mark_set() - leave a mark that the next interrupt of this thread removes
 *
 * Context: User mode only.
 */
static inline void mc_mark_set(void)
{
	asm volatile("movl %0, %%gs" : : "r" (MC_SELECTOR) : "memory");
}

/**
 * mc_mark_lost() - was this thread interrupted since it set the mark?
 *
 * Context: User mode only.
 * Return: true if it was.
 */
static inline bool mc_mark_lost(void)
{
	u32 gs;

	asm volatile("movl %%gs, %0" : "=r" (gs) : : "memory");
	return gs != MC_SELECTOR;
}

/* The kernel may begin to use vector registers while interrupts are off. */
#define MC_FPU_NEEDS_IRQ	false

/**
 * mc_fpu_begin() - begin to use vector registers, where the kernel has to allow it
 *
 * Context: In the kernel nothing may sleep until mc_fpu_end().
 */
static inline void mc_fpu_begin(void)
{
#ifdef __KERNEL__
	kernel_fpu_begin();
#endif
}

/**
 * mc_fpu_end() - end what mc_fpu_begin() began
 */
static inline void mc_fpu_end(void)
{
#ifdef __KERNEL__
	kernel_fpu_end();
#endif
}

#endif /* MC_INSTRUCTIONS_H */
