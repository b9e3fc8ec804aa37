/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A detector sees what disturbs a timed window. Each side has one of its own:
 * kernel/detector.c, kernel/um/detector.c and, in user space, tools/user/detector.c.
 */
#ifndef MC_DETECTOR_H
#define MC_DETECTOR_H

#include "core/record.h"

/**
 * struct mc_detector - what a thread's detector remembers
 * @interrupts: this CPU's interrupt count when the window began
 * @cpu: number of the CPU in the last window, plus 1; 0: there was no window
 * @switches: how often other threads had taken the CPU away when the last window ended, plus
 *            1; 0: there was no window
 * @stolen: time stolen from the CPU up to the last check, in the system's units
 * @looked: ticks at the last check; 0: there was none
 */
struct mc_detector {
	u32 interrupts;
	u32 cpu;
	u64 switches;
	u64 stolen;
	u64 looked;
};

/*
 * Result of a check: too early for a check, no time was stolen since the last one, or
 * some.
 */
enum mc_stolen { MC_NOT_LOOKED, MC_NOT_STOLEN, MC_STOLEN };

void mc_detector_init(void);
u8 mc_detector_kinds(int cpu);
void mc_detector_begin(struct mc_detector *v);
u8 mc_detector_end(struct mc_detector *v);
enum mc_stolen mc_detector_stolen(struct mc_detector *v, int cpu, bool at_once);

#endif /* MC_DETECTOR_H */
