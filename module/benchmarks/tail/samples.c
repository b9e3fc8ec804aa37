// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of single accesses.
 *
 * A sample is count= accesses of each thread, and its time is their median.
 */
#include "benchmarks/tail/watch.h"
#include "platform/clock.h"
#include "platform/os.h"

#define STEAL_NS	20000	/* shorter spikes are no stolen time */

/*
 * If time was stolen, long spikes are blamed on that. Otherwise their cause is unknown: no walk
 * takes so long, but what nobody counts, as an SMI, may leave an empty TLB behind.
 */
static void find_stolen(struct mc_worker *w, struct mc_watch *t)
{
	u64 least = t->plan.limit + mc_ns_to_ticks(STEAL_NS);
	bool asked = !(t->tally.tail->known >> MC_CAUSE_STEAL & 1), stolen = false;
	u32 i;

	for (i = 0; i < t->tally.n; i++) {
		if ((t->tally.spikes[i].cause != MC_CAUSE_UNKNOWN &&
		     t->tally.spikes[i].cause != MC_CAUSE_WALK) || t->tally.spikes[i].ticks < least)
			continue;
		if (!asked)
			stolen = mc_detector_stolen(&w->detector, w->cpu, true) == MC_STOLEN;
		asked = true;
		t->tally.spikes[i].cause = stolen ? MC_CAUSE_STEAL : MC_CAUSE_UNKNOWN;
	}
}

static void account_spikes(struct mc_worker *w, struct mc_watch *t)
{
	u32 i;

	find_stolen(w, t);
	if (t == t->job->watch && t->job->record.tail->trace->before)
		mc_trace_add(t->job->record.tail->trace, t->tally.spikes, t->tally.n,
			     mc_ns_to_ticks(MC_WATCH_APART_NS), false);
	for (i = 0; i < t->tally.n; i++)
		mc_tail_spike(t->tally.tail, &t->tally.spikes[i]);
}

/* Compare the memory with the value that the last access stored. */
static void verify_last(struct mc_watch *t, struct mc_sampler *sampler)
{
	u64 mask = t->job->settings.mask;
	u64 found = mask == ~0U ? READ_ONCE(*(u32 *)t->memory.at) : READ_ONCE(*(u64 *)t->memory.at);

	mc_sampler_verified(sampler, found == (t->memory.value & mask));
}

static struct mc_watch_job *job_of(struct mc_measurement *meas)
{
	return container_of(meas, struct mc_watch_job, meas);
}

static int watch_take(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_watch *t = &job_of(sampler->shared)->watch[w->index];
	u64 left = t->job->settings.count, ticks;
	int err = 0;

	while (left && !err) {
		t->tally.n = 0;
		err = mc_watch_window(w, t, &t->tally.tail->bins, &left, &ticks);
		if (err)
			break;
		t->tally.ticks += ticks;
		account_spikes(w, t);
	}
	/* A device that is gone returns ones only, which no access has stored. */
	if (err != -ENODEV && t->job->settings.mask)
		verify_last(t, sampler);
	return err;
}

static u64 median_ps(const struct mc_tail *tail)
{
	return mc_tail_ps(tail, mc_bins_at(&tail->bins, 500000000));
}

/* Move the times of all threads since the last call to the first one. Return: their median, ps. */
static u64 gather_times(struct mc_measurement *meas)
{
	struct mc_watch_job *job = job_of(meas);
	struct mc_watch *first = job->watch, *t;

	for (t = first + 1; t < first + job->watchers; t++) {
		mc_tail_join(first->tally.tail, t->tally.tail);
		mc_tail_clear(t->tally.tail);
		first->tally.ticks += t->tally.ticks;
		t->tally.ticks = 0;
	}
	return median_ps(first->tally.tail);
}

/* Add the times that were gathered to the result, unless the clock ran backwards meanwhile. */
static void add_times(struct mc_watch_job *job)
{
	struct mc_watch *first = job->watch;
	const struct mc_tail *tail = first->tally.tail;
	bool bad = false;
	unsigned int i;

	for (i = 0; i < job->watchers; i++)
		bad |= job->meas.each[i].sample.clock_bad;
	for (i = 0; i < job->watchers; i++)
		job->record.tail->known |= job->watch[i].tally.tail->known;
	job->record.tail->khz = tail->khz;
	job->record.tail->clock = tail->clock;
	job->record.tail->median = tail->median;
	if (!bad) {
		mc_tail_join(job->record.tail, tail);
		job->record.ticks += first->tally.ticks;
	}
	mc_tail_clear(first->tally.tail);
	first->tally.ticks = 0;
}

/* The first sample that is kept replaces the warm-ups. */
static void watch_ended(struct mc_measurement *meas)
{
	struct mc_watch_job *job = job_of(meas);

	if (meas->kept && meas->done == 1) {
		mc_tail_clear(job->record.tail);
		job->record.ticks = 0;
	}
	add_times(job);
}

/**
 * mc_watch_keep_rest() - keep what was measured of a sample that did not end
 * @job: the point
 *
 * If it would have been the first one, the warm-ups count, too.
 *
 * Context: Process, once all threads have ended.
 */
void mc_watch_keep_rest(struct mc_watch_job *job)
{
	u64 ps = gather_times(&job->meas), n = job->watch->tally.tail->bins.n;
	u64 warmups = job->meas.done ? 0 : job->record.tail->bins.n;
	unsigned int i;

	if (!mc_measurement_wants(&job->meas) || !(n + warmups))
		return;
	add_times(job);
	if (warmups) {
		/* Times of a clock that ran backwards are not among those that were added. */
		for (i = 0; i < job->watchers; i++)
			job->meas.each[i].sample.clock_bad = false;
		ps = median_ps(job->record.tail);
	}
	mc_measurement_append(&job->meas, ps);
	/* The run may have ended between this sample and the next one. */
	job->record.stopped = warmups || n < job->watchers * job->settings.count;
}

/**
 * mc_watch_set_up() - say how samples are taken
 * @job: the point, whose numbers of threads are known
 */
void mc_watch_set_up(struct mc_watch_job *job)
{
	job->meas.n = job->watchers;
	job->meas.hooks.take = watch_take;
	job->meas.hooks.time = gather_times;
	job->meas.hooks.ended = watch_ended;
}

static int watch_accesses(struct mc_worker *w, struct mc_watch_job *job)
{
	int err = mc_watch_prepare(w, &job->watch[w->index]);

	/* Threads that load the memory never come to the barrier again. */
	if (!err && job->watchers > 1)
		err = mc_barrier(w);
	if (!w->index)
		job->began = mc_ticks();
	return err ? err : mc_measure(w, &job->meas);
}

static int load_memory(struct mc_worker *w, struct mc_watch_job *job)
{
	struct mc_walk walk;
	int err;

	mc_walk_begin(&walk, &job->load[w->index], w->index);
	while (!mc_flag(&job->over)) {
		err = mc_watch_open(w, job);
		if (err)
			return err;
		mc_walk_window(&walk);
		mc_walk_fit(&walk, mc_watch_close(w, job));
	}
	return 0;
}

/**
 * mc_watch_run() - do what a thread does at a point: time accesses, or load the memory
 * @w: the thread
 * @arg: the point, a struct mc_watch_job
 *
 * Context: Worker thread.
 * Return: 0 or what stops the run, a negative errno.
 */
int mc_watch_run(struct mc_worker *w, void *arg)
{
	struct mc_watch_job *job = arg;
	int err;

	if (!w->index)
		job->began = mc_ticks();
	err = mc_barrier(w);
	if (err)
		return err;
	if (w->index >= job->watchers)
		return load_memory(w, job);
	err = watch_accesses(w, job);
	mc_flag_set(&job->over, true);
	return err;
}
