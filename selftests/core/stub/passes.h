/* SPDX-License-Identifier: GPL-2.0-only */
/* How many passes a thread makes in a window, which begins with note_passes(). */
#ifndef MC_STUB_PASSES_H
#define MC_STUB_PASSES_H

#include "measure/measurement.h"
#include "threads.h"

static inline struct mc_pass *pass_of(const struct mc_worker *w)
{
	return &((struct mc_measurement *)sim.arg)->each[w->index].pass;
}

static u64 passes_before[THREADS_MOST];

static inline void note_passes(struct mc_worker *w)
{
	passes_before[w->index] = pass_of(w)->tally.passes;
}

static inline u64 passes_in_window(const struct mc_worker *w)
{
	return pass_of(w)->tally.passes - passes_before[w->index];
}

#endif /* MC_STUB_PASSES_H */
