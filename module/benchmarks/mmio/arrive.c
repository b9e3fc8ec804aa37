// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU stores, and another one polls the place until it sees what was stored. A CPU that reads
 * its own store back can't tell: the read drives out what it looks for.
 *
 * Behind every second store and its fence there is a flag in ordinary memory. The other CPU waits
 * for the flag, and then looks at the place once. If it does not see the store, the flag has
 * overtaken it, and the fence was not enough.
 */
#include "arch/loops.h"
#include "benchmarks/mmio/arrive.h"
#include "measure/events.h"
#include "platform/clock.h"
#include "platform/os.h"

#define LIMIT_NS	40000ULL	/* a store that is not seen by then is driven out */
#define APART_NS	1024		/* polls come at all times before a store */

enum { STORER, OTHER };

static u64 value_of(const struct mc_arrive *a, u32 turn)
{
	return ((a->base + turn) & 0xff) * 0x0101010101010101ULL;
}

static u64 look(const struct mc_arrive *a)
{
	return a->run[MC_MMIO_READ](a->at, 1, 0);
}

/* @ns: how long to wait at most; 0: until the run is stopped */
static bool await(struct mc_worker *w, const struct mc_arrive_word *word, u32 turn, u64 ns)
{
	u64 until = mc_ticks() + mc_ns_to_ticks(ns);

	while (mc_flag(&word->turn) != turn) {
		if (mc_threads_stopped(w->threads) || (ns && mc_ticks() >= until))
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

	if (!await(w, &a->ready, turn, 0))
		return;
	from = store(w, a, turn);
	if (!await(w, &a->seen, turn, LIMIT_NS)) {
		a->sample.late++;
		drive_out(a);
		a->sample.lost += !await(w, &a->seen, turn, LIMIT_NS);
		WRITE_ONCE(a->over.turn, turn);
		await(w, &a->seen, turn, 0);
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

	if (!await(w, &a->ready, turn, 0))
		return;
	store(w, a, turn);
	WRITE_ONCE(a->flag.turn, turn);
	await(w, &a->seen, turn, 0);
	a->sample.flags++;
	drive_out(a);
}

/* The other CPU's window is open at the same time. */
static int take_sample(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_arrive *a = sampler->shared->arg;
	unsigned int i;
	int err;

	a->sample = (struct mc_arrive_counts){ 0 };
	err = mc_barrier(w);
	err = err ? err : mc_window_open(w, a->irq_off);
	if (err)
		return err;
	sampler->sample.ps = 0;
	for (i = 0; i < MC_ARRIVE_STORES; i++) {
		time_store(w, a, &sampler->sample);
		try_to_overtake(w, a);
	}
	mc_measurement_window(w, sampler, mc_window_close(w));
	mc_events_take(w->events, &sampler->sample.events);
	err = mc_barrier(w);
	sampler->sample.seen |= a->disturbed;
	sampler->sample.in_time = sampler->sample.seen;
	return err;
}

/* The other CPU learns whether there is another sample. */
static int begin_sample(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	return round ? mc_barrier(w) : 0;
}

static int keep_counts(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_arrive *a = sampler->shared->arg;
	u64 *all = (u64 *)&a->all, *one = (u64 *)&a->sample;
	size_t i;

	for (i = 0; i < sizeof(a->all) / sizeof(u64); i++)
		all[i] += one[i];
	return 0;
}

/* ------------------------------------------------------------- the other CPU */

static bool sees(const struct mc_arrive *a, u32 turn)
{
	return look(a) == (value_of(a, turn) & a->mask);
}

static void poll(struct mc_worker *w, struct mc_arrive *a)
{
	u32 turn = ++a->turn[OTHER];
	u64 from = mc_ticks(), looks = 1;

	mc_flag_set(&a->ready.turn, turn);
	while (!sees(a, turn) && !mc_threads_stopped(w->threads) && READ_ONCE(a->over.turn) != turn)
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
	if (await(w, &a->flag, turn, 0)) {
		mc_wait_for_all();	/* nothing is loaded before the flag has been seen */
		a->sample.overtakes += !sees(a, turn);
	}
	mc_flag_set(&a->seen.turn, turn);
}

static int see_samples(struct mc_worker *w, struct mc_arrive *a, struct mc_measurement *meas)
{
	unsigned int i;
	int err = 0;

	while (!err && mc_measurement_wants(meas)) {
		err = mc_barrier(w);
		err = err ? err : mc_window_open(w, a->irq_off);
		if (err)
			break;
		for (i = 0; i < MC_ARRIVE_STORES; i++) {
			poll(w, a);
			wait_for_flag(w, a);
		}
		mc_window_close(w);
		a->disturbed = w->disturbed;
		err = mc_barrier(w);
		/* It is decided whether the sample is kept. */
		err = err ? err : mc_barrier(w);
	}
	return err;
}

/**
 * mc_arrive_set_up() - have a measurement take such samples
 * @a: the point; all that is not state is set
 * @meas: the measurement
 */
void mc_arrive_set_up(struct mc_arrive *a, struct mc_measurement *meas)
{
	struct mc_settings *settings = &meas->each->settings;

	meas->arg = a;
	meas->hooks.take = take_sample;
	settings->prepare = begin_sample;
	settings->verify = keep_counts;
	a->irq_off = settings->irq_off;
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
	int err;

	if (w->index != a->storer)
		return see_samples(w, a, meas);
	a->base = READ_ONCE(*(u8 *)a->at);
	err = mc_measure(w, meas);
	return err ? err : mc_barrier(w);
}
