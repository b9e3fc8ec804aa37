/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detection of interrupts in user mode. 64-bit Linux leaves GS to programs. A null
 * selector of value 3 in GS becomes 0 when IRET returns to a less privileged level
 * (Intel SDM vol. 2, IRET; found by X. Zhang et al., "SegScope: Probing Fine-grained
 * Interrupts via Architectural Footprints", HPCA 2024). An exception does the same, a
 * system call does not. The values 1 and 2 would work as well, but a tracer of a thread
 * (ptrace, User-Mode Linux) can't restore them.
 */
#ifndef MC_SELECTOR_H
#define MC_SELECTOR_H

#include "platform/clock.h"

#define MC_SELECTOR	3

/**
 * mc_selector_set() - set the selector, at the start of a window
 *
 * Context: User mode only.
 */
static inline void mc_selector_set(void)
{
	asm volatile("movl %0, %%gs" : : "r" (MC_SELECTOR) : "memory");
}

/**
 * mc_selector_cleared() - was this thread interrupted since it set the selector?
 *
 * Context: User mode only.
 * Return: true if it was.
 */
static inline bool mc_selector_cleared(void)
{
	u32 gs;

	asm volatile("movl %%gs, %0" : "=r" (gs) : : "memory");
	return gs != MC_SELECTOR;
}

/**
 * mc_selector_works() - does the selector detect interrupts on this CPU and system?
 * @ticks: how long to wait for an interrupt
 *
 * The selector must survive most of many short stretches, and be cleared by an
 * interrupt in the end. If it is never cleared (FRED has no IRET), or always, it
 * detects nothing.
 *
 * Context: User mode only; spins until an interrupt comes, at most @ticks.
 * Return: true if it does.
 */
static inline bool mc_selector_works(u64 ticks)
{
	unsigned int i, stayed = 0;
	u64 from;

	for (i = 0; i < 100; i++) {
		mc_selector_set();
		from = mc_ticks();
		stayed += mc_ticks() >= from && !mc_selector_cleared();
	}
	if (stayed < 50)
		return false;
	mc_selector_set();
	/* Check once more after the loop: it may end because others had the CPU. */
	for (from = mc_ticks(); mc_ticks() - from < ticks;) {
		if (mc_selector_cleared())
			break;
	}
	return mc_selector_cleared();
}

#endif /* MC_SELECTOR_H */
