/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions of the CPU, with a count of those that leave no trace. A line is not flushed, since
 * this machine would have to fetch it again, but it must be there.
 */
#ifndef MC_STUB_INSTRUCTIONS_H
#define MC_STUB_INSTRUCTIONS_H

#include_next "machine/instructions.h"

extern unsigned int sim_drains, sim_waits, sim_flushes;	/* calls of these three */

#define mc_drain()		((void)sim_drains++, mc_drain())
#define mc_wait_for_all()	((void)sim_waits++, mc_wait_for_all())
#define mc_flush(line)		((void)sim_flushes++, (void)READ_ONCE(*(u8 *)(line)))

#endif /* MC_STUB_INSTRUCTIONS_H */
