/* SPDX-License-Identifier: GPL-2.0-only */
/* Detection of interrupts in user mode, by a mark that each interrupt removes. */
#ifndef MC_INTERRUPTS_H
#define MC_INTERRUPTS_H

#include "machine/instructions.h"
#include "platform/clock.h"

/**
 * mc_mark_works() - does the mark detect interrupts on this CPU and system?
 * @ticks: how long to wait for an interrupt
 *
 * The mark must survive most of many short stretches, and be removed by an interrupt in
 * the end. If it is never removed (FRED has no IRET), or always, it detects nothing.
 *
 * Context: User mode only; spins until an interrupt comes, at most @ticks.
 * Return: true if it does.
 */
static inline bool mc_mark_works(u64 ticks)
{
	unsigned int i, stayed = 0;
	u64 from;

	for (i = 0; i < 100; i++) {
		mc_mark_set();
		from = mc_ticks();
		stayed += mc_ticks() >= from && !mc_mark_lost();
	}
	if (stayed < 50)
		return false;
	mc_mark_set();
	/* Check once more after the loop: it may end because others had the CPU. */
	for (from = mc_ticks(); mc_ticks() - from < ticks;) {
		if (mc_mark_lost())
			break;
	}
	return mc_mark_lost();
}

#endif /* MC_INTERRUPTS_H */
