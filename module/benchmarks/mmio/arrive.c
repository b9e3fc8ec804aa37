// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU stores, and another one polls the place until it sees what was stored. A CPU that reads
 * its own store back can't tell: the read drives out what it looks for.
 *
 * Behind every second store and its fence there is a flag in ordinary memory. The other CPU waits
 * for the flag, and then looks at the place once. If it does not see the store, the flag has
 * overtaken it, and the fence was not enough.
 *
 * The two wait for each other in windows, so on CPUs that run nothing else. What keeps one from its
 * window may itself wait for the CPU of the other one. So a window that lasts too long is given up.
 */
#include "arch/loops.h"
#include "benchmarks/mmio/arrive.h"
#include "measure/events.h"
#include "measure/pass.h"
#include "platform/clock.h"
#include "platform/os.h"

#define LIMIT_NS	40000ULL	/* a store that is not seen by then is driven out */
#define APART_NS	1024		/* polls come at all times before a store */
#define TRIES		12U		/* at a sample whose windows are given up */
#define GROWN_MOST	7U		/* a window lasts 0.64 s then */

enum { STORER, OTHER };

static u64 value_of(const struct mc_arrive *a, u32 turn)
{
	return ((a->base + turn) & 0xff) * 0x0101010101010101ULL;
}

static u64 look(const struct mc_arrive *a)
{
	return a->run[MC_MMIO_READ](a->at, 1, 0);
}

static unsigned int part_of(const struct mc_worker *w, const struct mc_arrive *a)
{
	return w->index == a->storer ? STORER : OTHER;
}

static bool gave_up(const struct mc_worker *w, const struct mc_arrive *a)
{
	return READ_ONCE(a->given_up) == a->window[part_of(w, a)];
}

/* Is there nothing to wait for any more? @until: ticks that end the wait; 0: the window's end */
static bool is_over(const struct mc_worker *w, struct mc_arrive *a, u64 until)
{
	u64 now;

	if (mc_threads_stopped(w->threads) || gave_up(w, a))
		return true;
	now = mc_ticks();
	if (!mc_window_preemptible() &&
	    now - w->began >= mc_ns_to_ticks(MC_WINDOW_MAX_NS << a->grown[part_of(w, a)])) {
		WRITE_ONCE(a->given_up, a->window[part_of(w, a)]);
		return true;
	}
	return until && now >= until;
}

/* @ns: how long to wait at most; 0: until the window is over */
static bool await(const struct mc_worker *w, struct mc_arrive *a,
		  const struct mc_arrive_word *word, u32 turn, u64 ns)
{
	u64 until = mc_ticks() + mc_ns_to_ticks(ns);

	while (mc_flag(&word->turn) != turn) {
		if (is_over(w, a, ns ? until : 0))
			return false;
		mc_relax();
	}
	return true;
}

/* Wait for a time that differs from store to store. */
static void wait_a_little(struct mc_worker *w, u32 turn)
{
	u64 until = mc_ticks() + mc_ns_to_ticks(turn * 397ULL % APART_NS);

	while (mc_ticks() < until && !mc_threads_stopped(w->threads))
		mc_relax();
}

/* The store may be in a buffer of this CPU. */
static void drive_out(const struct mc_arrive *a)
{
	mc_wait_for_all();
	look(a);
}

/* Return: ticks at which the store was about to be made. */
static u64 store(struct mc_worker *w, struct mc_arrive *a, u32 turn)
{
	u64 from;

	wait_a_little(w, turn);
	from = mc_ticks();
	a->run[MC_MMIO_WRITE](a->at, 1, value_of(a, turn));
	mc_fence(a->fence);
	return from;
}

static void time_store(struct mc_worker *w, struct mc_arrive *a, struct mc_sample *sample)
{
	u32 turn = ++a->turn[STORER];
	u64 from, ps;

	if (!await(w, a, &a->ready, turn, 0))
		return;
	from = store(w, a, turn);
	if (!await(w, a, &a->seen, turn, LIMIT_NS)) {
		a->sample.late++;
		drive_out(a);
		a->sample.lost += !await(w, a, &a->seen, turn, LIMIT_NS);
		WRITE_ONCE(a->over.turn, turn);
		await(w, a, &a->seen, turn, 0);
	}
	a->sample.stores++;
	sample->clock_bad |= a->seen_at <= from;
	ps = mc_ticks_to_ps(a->seen_at - from);
	sample->ps += ps - min(ps, mc_clock.cost_ps);
}

/* The flag is stored without any order of its own. */
static void try_to_overtake(struct mc_worker *w, struct mc_arrive *a)
{
	u32 turn = ++a->turn[STORER];

	if (!await(w, a, &a->ready, turn, 0))
		return;
	store(w, a, turn);
	WRITE_ONCE(a->flag.turn, turn);
	await(w, a, &a->seen, turn, 0);
	a->sample.flags++;
	drive_out(a);
}

static bool sees(const struct mc_arrive *a, u32 turn)
{
	return look(a) == (value_of(a, turn) & a->mask);
}

static void poll(struct mc_worker *w, struct mc_arrive *a)
{
	u32 turn = ++a->turn[OTHER];
	u64 from = mc_ticks(), looks = 1;

	mc_flag_set(&a->ready.turn, turn);
	while (!sees(a, turn) && !is_over(w, a, 0) && READ_ONCE(a->over.turn) != turn)
		looks++;
	a->seen_at = mc_ticks();
	a->sample.looks += looks;
	a->sample.polled += a->seen_at - from;
	mc_flag_set(&a->seen.turn, turn);
}

static void wait_for_flag(struct mc_worker *w, struct mc_arrive *a)
{
	u32 turn = ++a->turn[OTHER];

	mc_flag_set(&a->ready.turn, turn);
	if (await(w, a, &a->flag, turn, 0)) {
		mc_wait_for_all();	/* nothing is loaded before the flag has been seen */
		a->sample.overtakes += !sees(a, turn);
	}
	mc_flag_set(&a->seen.turn, turn);
}

/*
 * Open a window while the other CPU has one, and do all turns in it. After one that was given up, a
 * window may last twice as long: in 5 ms, an emulator on a busy machine has not done all turns.
 * @sampler: the storer's, else NULL. Return: 0 or a negative errno; @ticks: its length.
 */
static int open_window(struct mc_worker *w, struct mc_arrive *a, struct mc_sampler *sampler,
		       u64 *ticks)
{
	unsigned int part = part_of(w, a), i;
	int err;

	if (sampler) {
		a->sample = (struct mc_arrive_counts){ 0 };
		mc_sample_begin(w, sampler);
	}
	err = mc_barrier(w);
	err = err ? err : mc_window_open(w, a->irq_off);
	if (err)
		return err;
	a->turn[part] = 2 * MC_ARRIVE_STORES * a->window[part]++;
	for (i = 0; i < MC_ARRIVE_STORES && !is_over(w, a, 0); i++) {
		if (sampler) {
			time_store(w, a, &sampler->sample);
			try_to_overtake(w, a);
		} else {
			poll(w, a);
			wait_for_flag(w, a);
		}
	}
	*ticks = mc_window_close(w);
	if (!sampler)
		a->disturbed = w->disturbed;
	err = mc_barrier(w);
	if (!err && gave_up(w, a))
		a->grown[part] = min(a->grown[part] + 1, GROWN_MOST);
	return err;
}

/* Open windows until one is not given up. */
static int try_windows(struct mc_worker *w, struct mc_arrive *a, struct mc_sampler *sampler,
		       u64 *ticks)
{
	unsigned int tries = TRIES;
	int err;

	do
		err = open_window(w, a, sampler, ticks);
	while (!err && gave_up(w, a) && --tries);
	return err;
}

static int take_sample(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_arrive *a = sampler->shared->arg;
	u64 ticks;
	int err = try_windows(w, a, sampler, &ticks);

	if (err)
		return err;
	mc_measurement_window(w, sampler, ticks);
	mc_events_take(w->events, &sampler->sample.events);
	sampler->sample.no_overlap = gave_up(w, a);
	sampler->sample.seen |= a->disturbed;
	sampler->sample.in_time = sampler->sample.seen;
	return 0;
}

static int keep_counts(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_arrive *a = sampler->shared->arg;
	u64 *all = (u64 *)&a->all, *one = (u64 *)&a->sample;
	size_t i;

	for (i = 0; i < sizeof(a->all) / sizeof(u64) && !sampler->sample.no_overlap; i++)
		all[i] += one[i];
	return 0;
}

static int see_sample(struct mc_worker *w, struct mc_measurement *meas, u32 round)
{
	u64 ticks;

	return try_windows(w, meas->arg, NULL, &ticks);
}

/**
 * mc_arrive_set_up() - have a measurement take such samples
 * @a: the point; all that is not state is set
 * @meas: the measurement
 */
void mc_arrive_set_up(struct mc_arrive *a, struct mc_measurement *meas)
{
	meas->arg = a;
	meas->hooks.take = take_sample;
	meas->hooks.beside = see_sample;
	meas->hooks.prepare = NULL;
	meas->hooks.verify = keep_counts;
	a->irq_off = meas->settings.irq_off;
}

/**
 * mc_arrive_job() - a thread's part: it stores, or it looks
 * @w: the thread
 * @a: the point
 * @meas: its measurement
 *
 * Context: Worker thread.
 * Return: 0 or a negative errno.
 */
int mc_arrive_job(struct mc_worker *w, struct mc_arrive *a, struct mc_measurement *meas)
{
	if (w->index != a->storer)
		return mc_measure_beside(w, meas);
	a->base = READ_ONCE(*(u8 *)a->at);
	return mc_measure(w, meas);
}
