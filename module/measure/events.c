// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cycles, instructions and misses, from the PMU of the core, on either side. Each thread
 * opens its own events, which count only while it runs, and reads them just outside of
 * each window, where it may sleep.
 */
#include "core/math.h"
#include "measure/events.h"
#include "measure/test.h"
#include "platform/os.h"

/* An open event, its reading at the start of the window, and the sum of windows. */
struct open_event {
	void *event;
	unsigned int which;
	struct mc_reading from;
	struct mc_reading sum;
};

/**
 * struct mc_events - the events of a thread
 * @why: why some event is not counted
 * @n: number of open events
 * @each: array of @n events
 */
struct mc_events {
	enum mc_events_why why;
	unsigned int n;
	struct open_event each[MC_NEVENTS];
};

/* The set of counters, as the threads' job. */
struct opening {
	const struct mc_counter *set;
	unsigned int n;
	struct mc_events *events;
};

/* An event that can't be opened does not keep the others from counting. */
static int open_mine(struct mc_worker *w, void *arg)
{
	const struct opening *o = arg;
	struct mc_events *events = &o->events[w->index];
	unsigned int i;

	events->why = MC_EVENTS_COUNTED;
	for (i = 0; i < o->n; i++) {
		struct open_event *one = &events->each[events->n];
		int why = 0;

		if (!o->set[i].core)
			continue;
		one->event = mc_event_open(&o->set[i], &why);
		one->which = o->set[i].event;
		if (one->event)
			events->n++;
		else
			events->why = why == -ENOENT || why == -ENODEV || why == -EOPNOTSUPP ?
				      MC_EVENTS_NO_PMU : MC_EVENTS_NOT_OPENED;
	}
	w->events = events;
	return 0;
}

/**
 * mc_events_begin() - open the events of each thread
 * @run: the run, with its threads; gets the events
 *
 * Context: Process, may sleep.
 * Return: 0, or -ENOMEM or the errno of a stop, explained in @run->error.
 */
int mc_events_begin(struct mc_run *run)
{
	struct opening o = { 0 };
	struct mc_counter *set = mc_counters_copy(&o.n);
	int err = 0;

	if (!set && o.n)
		return mc_fail(&run->error, -ENOMEM, "counters: no memory for %u", o.n);
	if (set && mc_counters_any(set, o.n, true)) {
		o.set = set;
		o.events = mc_alloc_array(mc_threads_size(run->threads), sizeof(*o.events));
		run->events = o.events;
		err = o.events ? mc_threads_run(run->threads, open_mine, &o) :
				 mc_fail(&run->error, -ENOMEM, "counters: no memory");
	}
	mc_free(set);
	return err;
}

/**
 * mc_events_end() - close the events of a run
 * @run: the run; its threads have no job, and open no more windows
 *
 * Context: Process, may sleep.
 */
void mc_events_end(struct mc_run *run)
{
	unsigned int i, k;

	for (i = 0; run->events && i < mc_threads_size(run->threads); i++) {
		for (k = 0; k < run->events[i].n; k++)
			mc_counter_close(run->events[i].each[k].event);
	}
	mc_free(run->events);
	run->events = NULL;
}

/**
 * mc_events_start() - read the events before a window opens
 * @events: the thread's events, or NULL
 *
 * Context: The thread, may sleep.
 */
void mc_events_start(struct mc_events *events)
{
	unsigned int i;

	for (i = 0; events && i < events->n; i++)
		mc_counter_read(events->each[i].event, &events->each[i].from);
}

/**
 * mc_events_stop() - add what was counted since mc_events_start()
 * @events: the thread's events, or NULL
 *
 * Context: The thread, may sleep.
 */
void mc_events_stop(struct mc_events *events)
{
	struct mc_reading now;
	unsigned int i;

	/* In the reverse order: the first event then sees no more of the others' reads. */
	for (i = events ? events->n : 0; i--;) {
		struct open_event *one = &events->each[i];

		mc_counter_read(one->event, &now);
		one->sum.value += now.value - one->from.value;
		one->sum.enabled += now.enabled - one->from.enabled;
		one->sum.running += now.running - one->from.running;
	}
}

/**
 * mc_events_peek() - read some of the events without sleeping
 * @events: the thread's events, or NULL
 * @which: a bit for each event that is meant
 * @count: result: the sum of those that the thread has
 *
 * Context: The thread, interrupts may be off.
 * Return: false: there are none, or one of them is not on the PMU now.
 */
bool mc_events_peek(const struct mc_events *events, u32 which, u64 *count)
{
	bool any = false;
	unsigned int i;
	u64 value;

	*count = 0;
	for (i = 0; events && i < events->n; i++) {
		if (!(which >> events->each[i].which & 1))
			continue;
		if (!mc_counter_peek(events->each[i].event, &value))
			return false;
		*count += value;
		any = true;
	}
	return any;
}

/**
 * mc_events_clear() - forget the windows until now
 * @events: the thread's events, or NULL
 */
void mc_events_clear(struct mc_events *events)
{
	unsigned int i;

	for (i = 0; events && i < events->n; i++)
		events->each[i].sum = (struct mc_reading){ 0 };
}

/**
 * mc_events_take() - copy what was counted since mc_events_clear()
 * @events: the thread's events, or NULL
 * @tally: result
 */
void mc_events_take(const struct mc_events *events, struct mc_events_tally *tally)
{
	unsigned int i;

	*tally = (struct mc_events_tally){ .missing = ~0U };
	if (!events)
		return;
	tally->why = events->why;
	for (i = 0; i < events->n; i++) {
		tally->missing &= ~(1U << events->each[i].which);
		tally->sum[events->each[i].which] = events->each[i].sum;
	}
}

/**
 * mc_events_add() - add a sample of a thread to the sum of its samples
 * @sum: the sum
 * @one: the sample
 * @pass: work of a pass
 * @done: work of the sample, in the same unit; its counts are scaled from @done to @pass
 */
void mc_events_add(struct mc_events_tally *sum, const struct mc_events_tally *one,
		   u64 pass, u64 done)
{
	unsigned int i;

	sum->why = max(sum->why, one->why);
	sum->missing |= one->missing;
	for (i = 0; i < MC_NEVENTS; i++) {
		sum->sum[i].value += mc_muldiv(one->sum[i].value, pass, done);
		sum->sum[i].enabled += one->sum[i].enabled;
		sum->sum[i].running += one->sum[i].running;
	}
}

/**
 * mc_events_join() - add what a thread has counted to the total of several threads
 * @all: the total
 * @one: events of the thread; if it counts none, nothing is added
 *
 * An event that took turns with others is scaled up by the thread's own times: threads run
 * for different times, on cores that may differ in what they can count. The time for which
 * an event was open may be 0, if its clock is coarse and the samples are short.
 */
void mc_events_join(struct mc_events_total *all, const struct mc_events_tally *one)
{
	unsigned int i;

	if (one->why == MC_EVENTS_NO_COUNTERS)
		return;
	all->why = max(all->why, one->why);
	all->missing |= one->missing;
	for (i = 0; i < MC_NEVENTS; i++) {
		const struct mc_reading *r = &one->sum[i];
		u64 on = min(r->running, r->enabled), value = r->value;
		u32 off;

		if (one->missing >> i & 1)
			continue;
		if (r->enabled) {
			off = mc_muldiv(r->enabled - on, 1000000, r->enabled);
			all->off_ppm[i] = max(all->off_ppm[i], off);
			all->timed |= 1U << i;
			all->idle |= !on << i;
			value = on ? mc_muldiv(value, r->enabled, on) : 0;
		}
		all->value[i] += value;
	}
}

/**
 * mc_events_record() - put events into a record
 * @all: events of all threads and samples
 * @passes: number of passes in these samples
 * @rec: result
 */
void mc_events_record(const struct mc_events_total *all, u64 passes, struct mc_events_counted *rec)
{
	u32 none = all->missing | all->idle;
	unsigned int i;

	rec->why = all->why;
	if (all->why == MC_EVENTS_NO_COUNTERS || !passes)
		return;
	rec->timed = all->timed & ~all->missing;
	if (rec->timed & all->idle)
		rec->why = MC_EVENTS_DID_NOT_RUN;
	for (i = 0; i < MC_NEVENTS; i++) {
		rec->ran_ppm[i] = 1000000 - all->off_ppm[i];
		if (none >> i & 1)
			continue;
		rec->counted |= 1U << i;
		rec->milli[i] = mc_rounded(all->value[i], 1000, passes);
	}
}
