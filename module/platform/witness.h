/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who sees what disturbed a timed window. Each side has a witness of its own:
 * kernel/x86/witness.c, kernel/um/witness.c and, in user space, tools/user/witness.c.
 */
#ifndef MC_WITNESS_H
#define MC_WITNESS_H

#include "core/record.h"

/**
 * struct mc_witness - what a thread's witness remembers
 * @interrupts: what this CPU had counted as the window began
 * @cpu: number of the CPU at the last window, plus 1; 0: there was none
 * @stolen: time stolen from the CPU by the last look, in units of the system's
 * @looked: ticks of that look, 0: there was none
 */
struct mc_witness {
	u32 interrupts;
	u32 cpu;
	u64 stolen;
	u64 looked;
};

/* Time was stolen since the last look, it was not, or this is no time to look. */
enum mc_stolen { MC_NOT_LOOKED, MC_NOT_STOLEN, MC_STOLEN };

void mc_witness_init(void);
u8 mc_witness_kinds(int cpu);
void mc_witness_begin(struct mc_witness *v);
u8 mc_witness_end(struct mc_witness *v);
enum mc_stolen mc_witness_stolen(struct mc_witness *v, int cpu, bool at_once);

#endif /* MC_WITNESS_H */
