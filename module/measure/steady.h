/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a loop has settled.
 *
 * A core that was idle is not at its full speed at once. On a Zen 3 the clock needs up to
 * 1 ms, and at the full clock wide loads and stores run at a third to two thirds of their
 * rate for another 1 to 2 ms. This is a state of the core: any loop over memory brings it
 * there, and a pause takes it back, in part after 5 ms, in full after 50 ms.
 */
#ifndef MC_STEADY_H
#define MC_STEADY_H

#include "core/steady.h"
#include "platform/workers.h"

#define MC_WARM_NS		10000000	/* work that makes a core warm, with a margin */
#define MC_PAUSE_NS		500000		/* a longer gap between windows is a pause */
#define MC_WAIT_MOST_NS		100000000	/* the longest wait for a loop to settle */

/* The clock of a core that spins is up after this time, which is enough for single loads. */
#define MC_CLOCK_UP_NS		2000000

/**
 * struct mc_settling - how far the loop of a measurement has settled
 * @warmups: number of samples that the request throws away and that are still to come
 * @least: a sample is kept if its threads had worked for so many ticks before; 0: there is
 *         nothing that settles
 * @began: ticks at which that began which settles: not the set-up
 * @from: ticks at which the current wait began
 * @last: ticks at the end of the last sample
 * @recent: times of the last samples that were thrown away, the oldest at @seen modulo
 *          their number
 * @seen: number of samples that were thrown away
 * @settled: samples are kept from now on
 * @agreed: the last samples of the loop agreed, or those of its last measurement did
 * @others: value of @seen behind the last of these samples in which others had a part; 0: none
 * @gave_up: it had not settled after MC_WAIT_MOST_NS
 * @changes: it had not, and others had no part in that
 * @worked: ticks for which the threads had worked before the first sample that was kept
 */
struct mc_settling {
	u32 warmups;
	u64 least;
	u64 began;
	u64 from;
	u64 last;
	u64 recent[MC_STEADY_SAMPLES];
	u32 seen;
	u32 others;
	bool settled;
	bool agreed;
	bool gave_up;
	bool changes;
	u64 worked;
};

/* May others have had the CPU in the window that was just closed, for a part that nobody knows? */
static inline bool mc_shared_window(const struct mc_worker *w)
{
	return w->disturbed & MC_BY_PREEMPTION && mc_window_preemptible();
}

u64 mc_core_note_work(struct mc_worker *w);
void mc_settling_begin(struct mc_settling *s, u32 warmups, u64 least_ns);
void mc_settling_from_now(struct mc_settling *s);
bool mc_settling_take(struct mc_settling *s, u64 ps, u64 worked, bool others);
enum mc_steady mc_settling_verdict(const struct mc_settling *s, u64 *samples, u32 n, bool others);

#endif /* MC_STEADY_H */
