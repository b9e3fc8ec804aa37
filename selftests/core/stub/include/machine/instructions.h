/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of the CPU, with a count of those that leave no trace. */
#ifndef MC_STUB_INSTRUCTIONS_H
#define MC_STUB_INSTRUCTIONS_H

#include_next "machine/instructions.h"

extern unsigned int sim_drains;	/* calls of mc_drain() */

#define mc_drain()	((void)sim_drains++, mc_drain())

#endif /* MC_STUB_INSTRUCTIONS_H */
