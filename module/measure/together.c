// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that work at once, each in memory of its own, window by window until the end. Where
 * one sample ends, the next one begins, and nobody waits: one thread, the leader, ends a sample
 * that is long enough and in which every thread has moved something. A window belongs to the
 * sample in which it began. Sample 0 lasts until every thread works; it is discarded.
 *
 * The samples of mc_measure() are not like that. Between them each thread prepares its memory
 * and verifies what its loop has left there, and the counters of DRAM traffic are read while no
 * thread works. So its threads wait for each other before each sample and after it.
 */
#include "measure/together.h"
#include "platform/clock.h"
#include "platform/os.h"

/**
 * mc_together_begin() - make room for threads that work at once
 * @t: result, for mc_together_end() even after an error; the test fills in what each thread
 *     does, when a sample ends, and what happens then
 * @run: the run
 * @meas: its measurement
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM, explained in @run->error.
 */
int mc_together_begin(struct mc_together *t, struct mc_run *run, struct mc_measurement *meas)
{
	*t = (struct mc_together){ .meas = meas, .n = meas->n };
	t->each = mc_alloc_array(t->n, sizeof(*t->each));
	if (!t->each)
		return mc_fail(&run->error, -ENOMEM, "cpu: no memory for %u thread%s", t->n,
			       MC_S(t->n));
	/* Windows this short are not checked for stolen time. */
	meas->disturbed.watched = mc_detector_kinds(-1);
	return 0;
}

/**
 * mc_together_end() - free what mc_together_begin() and mc_load_begin() allocated
 * @t: the threads
 *
 * Context: Process.
 */
void mc_together_end(struct mc_together *t)
{
	unsigned int i;

	for (i = 0; i < t->n && t->each; i++)
		mc_load_end(&t->each[i].load);
	mc_free(t->each);
}

/**
 * mc_together_done() - what a thread has done in a sample
 * @t: the threads
 * @thread: index of the thread
 * @sample: the number that t->ended() was called with
 *
 * Context: t->ended().
 * Return: what it has done.
 */
const struct mc_work_tally *mc_together_done(const struct mc_together *t,
					     unsigned int thread, u32 sample)
{
	return &t->each[thread].done[sample % 2];
}

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

static void add_window(struct mc_work_tally *done, const struct mc_worker *w, u64 bytes, u64 ticks)
{
	done->bytes += bytes;
	done->ticks += ticks;
	done->inside += time_inside(w, done->to, ticks);
	done->from = done->from ? done->from : w->began;
	done->to = w->ended;
	done->seen |= w->disturbed;
	done->clock_bad |= !ticks;
}

/**
 * struct cursor - where a thread is in its memory
 * @at: the next pointer; NULL: it follows none
 * @loads: number of pointers that it follows in a window
 * @walk: how far it has gone through its memory otherwise
 */
struct cursor {
	void **at;
	u64 loads;
	struct mc_walk *walk;
};

/* Work in a window, and count down behind its lines in as many more as it takes. */
static int work_once(struct mc_worker *w, const struct mc_together *t, struct cursor *cursor,
		     struct mc_work_tally *done)
{
	struct mc_sampler *sampler = &t->meas->each[w->index];
	u64 all = 0, bytes, ticks, loads = cursor->loads;
	struct mc_walk *walk = cursor->walk;
	void **at = cursor->at;

	do {
		int err = mc_window_open(w, sampler->settings.irq_off);

		if (err)
			return err;
		if (at)
			at = mc_asm_chase(at, loads);
		bytes = at ? loads * MC_LOAD_LINE : mc_walk_window(walk);
		ticks = mc_window_close(w);
		add_window(done, w, bytes, ticks);
		sampler->window_max = max(sampler->window_max, ticks);
		all += ticks;
	} while (walk->owed);
	cursor->at = at;
	if (at)
		cursor->loads = mc_chase_fit(loads, t->each[w->index].loads, all);
	else
		mc_walk_fit(walk, all);
	return 0;
}

/* What the leader has done says whether the sample is long enough. */
static void end_sample(struct mc_together *t, const struct mc_work_tally *done)
{
	bool over;
	unsigned int i;

	if (t->now && (done->bytes < t->least_bytes || done->to - done->from < t->least_ticks))
		return;
	/* Acquires: what each thread has done in the sample before. */
	for (i = 0; i < t->n; i++) {
		if (mc_flag(&t->each[i].reached) != t->now + 1)
			return;
	}
	over = t->now > 1 && t->ended(t, t->now - 1);
	mc_flag_set(&t->now, over ? MC_TOGETHER_OVER : t->now + 1);
}

static void end_part(struct mc_worker *w, struct mc_together_thread *me, u32 sample,
		     struct mc_work_tally *done)
{
	mc_events_take(w->events, &done->events);
	mc_events_clear(w->events);
	me->done[sample % 2] = *done;
	*done = (struct mc_work_tally){ .from = done->to, .to = done->to };
}

/**
 * mc_together_work() - work at once with the other threads, until the last sample has ended
 * @w: the thread, which has just passed the barrier
 * @t: the threads
 * @walk: result: how far a thread has gone through its memory that follows no pointers. It must
 *        stay where it is, since the load may store its address
 *
 * Context: Worker thread.
 * Return: 0, or the errno of the stop.
 */
int mc_together_work(struct mc_worker *w, struct mc_together *t, struct mc_walk *walk)
{
	struct mc_together_thread *me = &t->each[w->index];
	struct cursor cursor = { .loads = min(MC_CHASE_LEAST, me->loads), .walk = walk };
	struct mc_work_tally done = { 0 };
	u32 sample = 0, now = 0;

	*walk = (struct mc_walk){ 0 };
	if (me->chases)
		cursor.at = mc_chase_at(&me->chase, 0);
	else
		mc_walk_begin(walk, &me->load, w->index);
	mc_events_clear(w->events);
	if (w->index == t->leader)
		mc_settling_from_now(&t->meas->settling);
	while (now != MC_TOGETHER_OVER) {
		int err = work_once(w, t, &cursor, &done);

		if (err)
			return err;
		if (done.bytes)
			mc_flag_set(&me->reached, sample + 1);
		if (w->index == t->leader)
			end_sample(t, &done);
		now = mc_flag(&t->now);
		if (now != sample)
			end_part(w, me, sample, &done);
		sample = now;
	}
	return 0;
}
