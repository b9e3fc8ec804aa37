// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that work at once, each in memory of its own: how mc_measure() has them take a sample.
 * Each works until all are at it. Then its windows are timed until one thread, the leader, ends the
 * sample: it is long enough, and every thread has moved something. Each works on until the last
 * windows of all have closed.
 */
#include "measure/measurement.h"
#include "measure/together.h"
#include "platform/clock.h"
#include "platform/os.h"

#define CHASE_NS	500000	/* length of a window in which pointers are followed */
#define LOADS_LEAST	64ULL	/* fewest loads in it */

/*
 * Ticks of the window that was just closed in which the thread is known to have worked. A short
 * gap before it belongs to it: windows of a small slice take no longer than it takes to open one.
 */
static u64 time_inside(const struct mc_worker *w, u64 last_ended, u64 ticks)
{
	u64 gap = w->began - last_ended;

	if (mc_shared_window(w))
		return 0;
	return w->disturbed & MC_BY_PREEMPTION || gap > mc_ns_to_ticks(MC_PAUSE_NS) ?
	       ticks : ticks + gap;
}

/**
 * struct windows - what a thread's windows add up to. It is on the thread's stack, in one line:
 * what runs between windows finds none of its lines in caches that the load goes through
 * @bytes: bytes that were moved
 * @ticks: duration of the windows
 * @from: ticks at which the first one could open
 * @to: ticks at which the last one closed
 * @inside: ticks in which the thread is known to have worked
 * @longest: duration of the longest one, ticks
 * @irq_off: interrupts are off in them
 * @seen: disturbances seen (enum mc_disturbance)
 * @clock_bad: one ended before it began
 */
struct windows {
	u64 bytes;
	u64 ticks;
	u64 from;
	u64 to;
	u64 inside;
	u64 longest;
	bool irq_off;
	u8 seen;
	bool clock_bad;
};

static void add_window(const struct mc_worker *w, struct windows *sum, u64 bytes, u64 ticks)
{
	sum->bytes += bytes;
	sum->ticks += ticks;
	sum->inside += time_inside(w, sum->to, ticks);
	sum->to = w->ended;
	sum->longest = max(sum->longest, ticks);
	sum->seen |= w->disturbed;
	sum->clock_bad |= !ticks;
}

/* Work in a window, and count down behind its lines in as many more as it takes. */
static int work_once(struct mc_worker *w, struct mc_together_thread *me, struct windows *sum,
		     bool timed)
{
	u64 loads = timed ? me->loads : LOADS_LEAST, all = 0, bytes, ticks;
	void **at = me->at;

	do {
		int err = mc_window_open(w, sum->irq_off);

		if (err)
			return err;
		if (at)
			at = mc_asm_chase(at, loads);
		bytes = at ? loads * MC_LINE : mc_walk_window(&me->walk);
		ticks = mc_window_close(w);
		add_window(w, sum, bytes, ticks);
		all += ticks;
	} while (me->walk.owed);
	me->at = at;
	if (!at)
		mc_walk_fit(&me->walk, all);
	else if (timed)
		me->loads = mc_window_fit(loads, LOADS_LEAST, me->chase.n, all, CHASE_NS);
	return 0;
}

/* Work until all threads have come so far. */
static int work_until(struct mc_worker *w, struct mc_together *t, struct windows *sum,
		      atomic_t *there)
{
	int err = 0;

	atomic_inc_return(there);
	while (!err && atomic_read(there) < (int)t->n) {
		/* An emulator that has one thread for all CPUs lets the next one run. */
		mc_relax();
		err = work_once(w, &t->each[w->index], sum, false);
	}
	return err;
}

/* The leader ends a sample that is long enough, and in which all threads have moved something. */
static void lead(struct mc_together *t, const struct windows *sum)
{
	if (sum->bytes < t->least_bytes || sum->to - sum->from < t->least_ticks ||
	    atomic_read(&t->moved) < t->n)
		return;
	/* No thread asks for these before it has seen that the sample is over. */
	atomic_set(&t->begun, 0);
	atomic_set(&t->moved, 0);
	mc_flag_set(&t->over, t->over + 1);
}

static void note_sums(struct mc_sampler *sampler, const struct windows *sum)
{
	struct mc_sample *sample = &sampler->sample;

	sampler->lap = (struct mc_lap){ .from = sum->from, .to = sum->to, .work = sum->inside };
	sample->counted_bytes = sum->bytes;
	sample->counted_ticks = sum->ticks;
	sample->seen = sum->seen;
	sample->in_time = sum->seen;
	sample->clock_bad = sum->clock_bad;
}

static int take_sample(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_together *t = sampler->shared->arg;
	struct mc_together_thread *me = &t->each[w->index];
	struct windows sum = { .irq_off = sampler->shared->settings.irq_off };
	int err = work_once(w, me, &sum, false);
	bool moved = false;

	err = err ? err : work_until(w, t, &sum, &t->begun);
	mc_events_clear(w->events);
	sum = (struct windows){
		.from = w->ended, .to = w->ended, .longest = sum.longest, .irq_off = sum.irq_off,
	};
	while (!err && mc_flag(&t->over) == round) {
		err = work_once(w, me, &sum, true);
		if (!moved && sum.bytes) {
			moved = true;
			atomic_inc_return(&t->moved);
		}
		if (w->index == t->leader)
			lead(t, &sum);
	}
	mc_events_take(w->events, &me->now);
	note_sums(sampler, &sum);
	err = err ? err : work_until(w, t, &sum, &sampler->shared->timed);
	sampler->window_max = max(sampler->window_max, sum.longest);
	return err;
}

/* Add up what the threads have done in a sample that is kept. */
static void sample_ended(struct mc_measurement *meas)
{
	struct mc_together *t = meas->arg;
	unsigned int i;

	for (i = 0; i < t->n && meas->kept; i++) {
		struct mc_together_thread *me = &t->each[i];
		u64 bytes = meas->each[i].sample.counted_bytes;

		me->bytes += bytes;
		me->ticks += meas->each[i].lap.to - meas->each[i].lap.from;
		mc_events_add(&me->events, &me->now, me->pass, bytes);
	}
}

/**
 * mc_together_begin() - let threads that work at once take the samples
 * @t: result; the test says what each thread does (mc_together_set()), which one leads, and when a
 *     sample ends
 * @run: the run
 * @meas: its measurement, whose @arg this is from now on
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM, explained in @run->error.
 */
int mc_together_begin(struct mc_together *t, struct mc_run *run, struct mc_measurement *meas)
{
	*t = (struct mc_together){ .n = meas->n };
	t->each = mc_measurement_threads(meas, sizeof(*t->each), &run->error);
	if (!t->each)
		return -ENOMEM;
	meas->arg = t;
	meas->hooks.take = take_sample;
	meas->hooks.ended = sample_ended;
	meas->quota.tries_left = meas->settings.repeat + MC_TRIES_MORE;
	mc_settling_begin(&meas->settling, meas->settings.warmup, MC_WARM_NS);
	/* Windows this short are not checked for stolen time. */
	meas->disturbed.watched = mc_detector_kinds(-1);
	return 0;
}

/**
 * mc_together_set() - say what a thread does
 * @meas: the measurement, whose threads have begun
 * @thread: its index
 * @load: what it does, and where; its @mix is NULL: it follows pointers there
 * @e: result: what is wrong
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_together_set(struct mc_measurement *meas, unsigned int thread, const struct mc_load *load,
		    struct mc_error *e)
{
	struct mc_together_thread *me = &((struct mc_together *)meas->arg)->each[thread];

	me->load = *load;
	me->pass = load->slice;
	if (!mc_together_chases(me))
		return mc_load_begin(&me->load, meas, e);
	me->chase = (struct mc_chase){
		.view = load->view, .offset = load->start, .stride = MC_LINE,
		.n = load->slice / MC_LINE, .order = MC_CHASE_RANDOM,
	};
	return 0;
}

/**
 * mc_together_measure() - link a thread's pointers, or go to the begin of its memory; then measure
 * @w: the thread
 * @meas: the measurement, which says what each thread does
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno as of mc_measure().
 */
int mc_together_measure(struct mc_worker *w, struct mc_measurement *meas)
{
	struct mc_together_thread *me = &((struct mc_together *)meas->arg)->each[w->index];
	int err = 0;

	if (mc_together_chases(me)) {
		err = mc_chase_link(w, &me->chase);
		me->at = mc_chase_at(&me->chase, 0);
		me->loads = LOADS_LEAST;
	} else {
		mc_walk_begin(&me->walk, &me->load, w->index);
	}
	err = err ? err : mc_barrier(w);
	return err ? err : mc_measure(w, meas);
}
