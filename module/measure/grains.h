/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the times of single accesses are distributed. It is measured in grains. A grain is the
 * smallest number of accesses whose time is long compared with the cost of reading the clock.
 */
#ifndef MC_GRAINS_H
#define MC_GRAINS_H

#include "core/record.h"
#include "measure/pass.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "platform/workers.h"

#define MC_GRAINS_MOST	8192U

/**
 * struct mc_grains - grains of a point, on one CPU
 * @size: number of accesses in a grain
 * @n: number of grains timed
 * @cost_ps: what a grain takes beside its accesses: reading the clock, and perhaps a call
 * @ps: picoseconds an access, for each grain
 */
struct mc_grains {
	u64 size;
	u32 n;
	u64 cost_ps;
	u64 *ps;
};

#define MC_GRAINS_EMPTY		64U	/* grains without an access, timed together */
#define MC_GRAINS_ROUNDS	8U

/* Time as many grains as fit in the window that is open. */
static __always_inline void mc_grains_of_window(struct mc_grains *g, struct mc_worker *w,
						void (*access)(void *arg, u64 n), void *arg)
{
	u64 cost = g->cost_ps, aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS);
	u64 from = w->began, to, ps;

	while (g->n < MC_GRAINS_MOST && from - w->began < aim) {
		from = mc_ticks();
		access(arg, g->size);
		to = mc_ticks();
		/* A grain that the clock did not resolve is not kept. */
		if (to <= from)
			continue;
		ps = mc_ticks_to_ps(to - from);
		g->ps[g->n++] = (ps - min(ps, cost)) / g->size;
		from = to;
	}
}

/**
 * mc_grains_gauge() - measure what a grain takes beside its accesses
 * @g: the grains; without this it is what reading the clock costs
 * @w: the thread
 * @irq_off: interrupts are off while a window is open
 * @access: makes @n accesses; 0: none, but everything else that it does
 * @arg: for @access
 *
 * Many such grains are timed together, so that a coarse clock shows them. The fastest round
 * counts, as any disturbance only adds time.
 *
 * Context: Worker thread, may sleep.
 * Return: 0 or the errno of a stop.
 */
static __always_inline int mc_grains_gauge(struct mc_grains *g, struct mc_worker *w,
					   bool irq_off, void (*access)(void *arg, u64 n),
					   void *arg)
{
	u64 least = ~0ULL, from, sum;
	unsigned int i, round;
	int err = mc_window_open(w, irq_off);

	if (err)
		return err;
	for (round = 0; round < MC_GRAINS_ROUNDS; round++) {
		for (i = 0, sum = 0; i < MC_GRAINS_EMPTY; i++) {
			from = mc_ticks();
			access(arg, 0);
			sum += mc_ticks() - from;
		}
		least = min(least, sum);
	}
	mc_window_close(w);
	g->cost_ps = mc_ticks_to_ps(least) / MC_GRAINS_EMPTY;
	return 0;
}

/**
 * mc_grains_time() - time grains
 * @g: the grains
 * @w: the thread
 * @irq_off: interrupts are off while a window is open
 * @ps: time of an access, as measured before
 * @costs: a grain lasts so many times as long as reading the clock costs
 * @access: makes @n accesses
 * @arg: for @access
 *
 * Both functions are inline, so that a grain is timed without a call through a pointer.
 *
 * Context: Worker thread, may sleep.
 * Return: 0 or the errno of a stop.
 */
static __always_inline int mc_grains_time(struct mc_grains *g, struct mc_worker *w, bool irq_off,
					  u64 ps, unsigned int costs,
					  void (*access)(void *arg, u64 n), void *arg)
{
	int err = 0;

	g->size = costs * mc_clock.cost_ps / max(ps, 1ULL) + 1;
	while (!err && g->n < MC_GRAINS_MOST) {
		err = mc_window_open(w, irq_off);
		if (err)
			break;
		mc_grains_of_window(g, w, access, arg);
		mc_window_close(w);
	}
	return err;
}

int mc_grains_begin(struct mc_grains *g, struct mc_error *e);
void mc_grains_record(const struct mc_grains *g, struct mc_stats *stats, struct mc_record *rec);
void mc_grains_end(struct mc_grains *g);

#endif /* MC_GRAINS_H */
