/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The witness detects what disturbs a timed window. Each side has its own:
 * kernel/x86/witness.c, kernel/um/witness.c and, in user space, tools/user/witness.c.
 */
#ifndef MC_WITNESS_H
#define MC_WITNESS_H

#include "core/record.h"

/**
 * struct mc_witness - state of a thread's witness
 * @interrupts: this CPU's interrupt count when the window began
 * @cpu: number of the CPU in the last window, plus 1; 0: there was no window
 * @stolen: time stolen from the CPU up to the last check, in the system's units
 * @looked: ticks at the last check; 0: there was none
 */
struct mc_witness {
	u32 interrupts;
	u32 cpu;
	u64 stolen;
	u64 looked;
};

/*
 * Result of a check: too early for a check, no time was stolen since the last one, or
 * some.
 */
enum mc_stolen { MC_NOT_LOOKED, MC_NOT_STOLEN, MC_STOLEN };

void mc_witness_init(void);
u8 mc_witness_kinds(int cpu);
void mc_witness_begin(struct mc_witness *v);
u8 mc_witness_end(struct mc_witness *v);
enum mc_stolen mc_witness_stolen(struct mc_witness *v, int cpu, bool at_once);

#endif /* MC_WITNESS_H */
