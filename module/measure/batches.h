/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the times of single accesses are distributed. Times are of batches of accesses, each long
 * beside a reading of the clock.
 */
#ifndef MC_BATCHES_H
#define MC_BATCHES_H

#include "core/record.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "platform/workers.h"

#define MC_BATCHES_MOST	8192U

/**
 * struct mc_batches - batches of a point, on one CPU
 * @size: number of accesses in a batch
 * @n: number of batches timed
 * @cost_ps: what a batch takes beside its accesses: reading the clock, and perhaps a call
 * @ps: picoseconds an access, for each batch
 */
struct mc_batches {
	u64 size;
	u32 n;
	u64 cost_ps;
	u64 *ps;
};

#define MC_BATCHES_EMPTY		64U	/* batches without an access, timed together */
#define MC_BATCHES_ROUNDS	8U

/* Time as many batches as fit in the window that is open. */
static __always_inline void mc_batches_of_window(struct mc_batches *b, struct mc_worker *w,
						 void (*access)(void *arg, u64 n), void *arg)
{
	u64 cost = b->cost_ps, aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS);
	u64 from = w->began, to, ps;

	while (b->n < MC_BATCHES_MOST && from - w->began < aim) {
		from = mc_ticks();
		access(arg, b->size);
		to = mc_ticks();
		/* A batch that the clock did not resolve is not kept. */
		if (to <= from)
			continue;
		ps = mc_ticks_to_ps(to - from);
		b->ps[b->n++] = (ps - min(ps, cost)) / b->size;
		from = to;
	}
}

/**
 * mc_batches_gauge() - measure what a batch takes beside its accesses
 * @b: the batches; without this it is what reading the clock costs
 * @w: the thread
 * @irq_off: interrupts are off while a window is open
 * @access: makes @n accesses; 0: none, but everything else that it does
 * @arg: for @access
 *
 * Many such batches are timed together, so that a coarse clock shows them. The fastest round
 * counts, as any disturbance only adds time.
 *
 * Context: Worker thread, may sleep.
 * Return: 0 or the errno of a stop.
 */
static __always_inline int mc_batches_gauge(struct mc_batches *b, struct mc_worker *w,
					    bool irq_off, void (*access)(void *arg, u64 n),
					    void *arg)
{
	u64 least = ~0ULL, from, sum;
	unsigned int i, round;
	int err = mc_window_open(w, irq_off);

	if (err)
		return err;
	for (round = 0; round < MC_BATCHES_ROUNDS; round++) {
		for (i = 0, sum = 0; i < MC_BATCHES_EMPTY; i++) {
			from = mc_ticks();
			access(arg, 0);
			sum += mc_ticks() - from;
		}
		least = min(least, sum);
	}
	mc_window_close(w);
	b->cost_ps = mc_ticks_to_ps(least) / MC_BATCHES_EMPTY;
	return 0;
}

/**
 * mc_batches_time() - time batches
 * @b: the batches
 * @w: the thread
 * @irq_off: interrupts are off while a window is open
 * @ps: time of an access, as measured before
 * @costs: a batch lasts so many times as long as reading the clock costs
 * @access: makes @n accesses
 * @arg: for @access
 *
 * Both functions are inline, so that a batch is timed without a call through a pointer.
 *
 * Context: Worker thread, may sleep.
 * Return: 0 or the errno of a stop.
 */
static __always_inline int mc_batches_time(struct mc_batches *b, struct mc_worker *w, bool irq_off,
					   u64 ps, unsigned int costs,
					   void (*access)(void *arg, u64 n), void *arg)
{
	int err = 0;

	b->size = costs * mc_clock.cost_ps / max(ps, 1ULL) + 1;
	while (!err && b->n < MC_BATCHES_MOST) {
		err = mc_window_open(w, irq_off);
		if (err)
			break;
		mc_batches_of_window(b, w, access, arg);
		mc_window_close(w);
	}
	return err;
}

int mc_batches_begin(struct mc_batches *b, struct mc_measurement *meas, struct mc_error *e);
void mc_batches_record(const struct mc_batches *b, struct mc_stats *stats, struct mc_record *rec);

#endif /* MC_BATCHES_H */
