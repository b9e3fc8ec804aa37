/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How user mode sees that it was interrupted: a null selector of value 3 in GS,
 * which 64-bit Linux leaves to programs, is 0 after IRET has come back to a less
 * privileged level (Intel SDM vol. 2, IRET; found by X. Zhang et al., "SegScope:
 * Probing Fine-grained Interrupts via Architectural Footprints", HPCA 2024).
 * An exception does the same, a system call does not. 1 and 2 would do as well, but
 * who traces a thread (ptrace, User-Mode Linux) can't give it those back.
 */
#ifndef MC_SELECTOR_H
#define MC_SELECTOR_H

#include "platform/clock.h"

#define MC_SELECTOR	3

/**
 * mc_selector_set() - set the trap
 *
 * Context: User mode only.
 */
static inline void mc_selector_set(void)
{
	asm volatile("movl %0, %%gs" : : "r" (MC_SELECTOR) : "memory");
}

/**
 * mc_selector_cleared() - has this thread been interrupted since it was set?
 *
 * Context: User mode only.
 * Return: true if it has.
 */
static inline bool mc_selector_cleared(void)
{
	u32 gs;

	asm volatile("movl %%gs, %0" : "=r" (gs) : : "memory");
	return gs != MC_SELECTOR;
}

/**
 * mc_selector_works() - does it tell on this CPU and this system?
 * @ticks: so long an interrupt is waited for
 *
 * It must stay set over most of many short stretches, and be cleared in the end:
 * where it is left alone (FRED has no IRET) or always cleared, it tells nothing.
 *
 * Context: User mode only; awake for as long as no interrupt comes.
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
	/* Looked at last: the wait may end because others had the CPU. */
	for (from = mc_ticks(); mc_ticks() - from < ticks;) {
		if (mc_selector_cleared())
			break;
	}
	return mc_selector_cleared();
}

#endif /* MC_SELECTOR_H */
