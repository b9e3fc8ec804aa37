// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single accesses, each timed by itself, in windows.
 *
 * An access that takes longer than spike= is a spike: what the system counts is read behind it,
 * and what has changed since the last look is its cause. So that a change belongs to the spike,
 * the time between two accesses is watched, too: where it was long, the counts are read before
 * the next access. Nothing is read while nothing happens.
 *
 * Spikes without such a cause that end at equal distances are of the memory's refresh. Those of
 * some windows before the samples are kept, so that the reader of the record can find its period.
 */
#include "benchmarks/tail/watch.h"
#include "arch/cores.h"
#include "platform/causes.h"
#include "platform/clock.h"
#include "platform/os.h"

#define CLOCK_READINGS	10000U	/* pairs of readings that tell what the clock costs, at most */
#define TRIALS		20000U	/* accesses that tell what is usual */
#define TRIALS_LEAST	1000U	/* so many do if they are far apart */
#define WINDOWS		64U	/* of trials, and of spikes for a period */
#define SHIFT_EACH	8U	/* of so many accesses meanwhile, one is late */
#define GAP_NS		200	/* and two usual steps: a longer gap hides an interrupt */
#define STILL_NS	1000	/* a clock that is said to stand still does so for longer */
#define STEP_NS		250	/* times on a clock of longer steps have the period of these */

/* ------------------------------------------------------------------- causes */

/* The cause of an interrupt that the detector has seen. A preemption comes with one, too. */
static u32 cause_of_interrupt(void)
{
	return mc_detector_kinds(-1) & MC_BY_PREEMPTION ? MC_CAUSE_INTERRUPT : MC_CAUSE_TAKEN;
}

/* Read the counts, and find those that have changed. Return: bits of enum mc_cause. */
static u32 look(struct mc_worker *w, struct mc_watch *t)
{
	u8 seen = mc_detector_end(&w->detector);
	u64 before[MC_NCAUSES];
	u32 causes = 0, cause;

	memcpy(before, t->counts.count, sizeof(before));
	mc_causes_read(t->plan.known, t->counts.count);
	if (t->plan.smis && !mc_counter_peek(t->plan.smis, &t->counts.count[MC_CAUSE_SMI])) {
		t->plan.known &= ~(1U << MC_CAUSE_SMI);
		t->tally.tail->known &= ~(1U << MC_CAUSE_SMI);
	}
	mc_detector_begin(&w->detector);
	for (cause = 0; cause < MC_NCAUSES; cause++) {
		if (t->plan.known >> cause & 1 && t->counts.count[cause] != before[cause])
			causes |= 1U << cause;
	}
	causes |= seen & MC_BY_PREEMPTION ? 1U << MC_CAUSE_PREEMPTION : 0;
	causes |= seen & MC_BY_MIGRATION ? 1U << MC_CAUSE_MIGRATION : 0;
	causes |= seen & MC_BY_INTERRUPT ? 1U << cause_of_interrupt() : 0;
	return causes | 1U << MC_CAUSE_UNKNOWN;
}

/*
 * Wait for a part of a step, so that the next accesses come at other times of the memory's period
 * than the last ones. Steps of equal length could keep in phase with the pauses, and miss each.
 */
static void shift_phase(struct mc_watch *t)
{
	u64 wait = mc_random_below(mc_random_next(&t->memory.random, MC_LCG),
				   2 * t->plan.usual + 1);
	u64 from = mc_ticks();

	while (mc_ticks() - from < wait)
		;
}

/* Read the events of the core that count walks and cycles. */
static struct mc_core_counts read_core(const struct mc_worker *w, const struct mc_watch *t)
{
	const struct mc_watch_plan *plan = &t->plan;
	struct mc_core_counts now = { .at = plan->cycle_events ? mc_ticks() : 0 };

	now.walks_known = plan->walk_events &&
			  mc_events_peek(w->events, plan->walk_events, &now.walks);
	now.cycles_known = plan->cycle_events &&
			   mc_events_peek(w->events, plan->cycle_events, &now.cycles);
	return now;
}

/*
 * Did the core's clock stand still for more than half of the time beyond the usual, as it does
 * while its frequency or voltage changes? The step before the access gives the cycles of a tick.
 */
static bool stood_still(const struct mc_watch *t, const struct mc_core_counts *now, u64 ticks)
{
	const struct mc_watch_counts *counts = &t->counts;
	const struct mc_core_counts *before = &counts->before;
	u64 cycles = now->cycles - before->cycles, had, still;

	if (!now->cycles_known || !before->cycles_known || !counts->step_cycles)
		return false;
	had = mc_muldiv(cycles, counts->step_ticks, counts->step_cycles);
	still = now->at - before->at - min(had, now->at - before->at);
	return still > max((ticks - min(ticks, t->plan.usual)) / 2, mc_ns_to_ticks(STILL_NS));
}

/* The core's counts come first, since all that follows may have walks. */
static void note_spike(struct mc_worker *w, struct mc_watch *t, u64 from, u64 ticks)
{
	const struct mc_core_counts *before = &t->counts.before;
	struct mc_core_counts now = read_core(w, t);
	u32 causes = look(w, t);

	if (stood_still(t, &now, ticks))
		causes |= 1U << MC_CAUSE_FREQUENCY;
	else if (now.walks_known && before->walks_known && now.walks != before->walks)
		causes |= 1U << MC_CAUSE_WALK;
	t->tally.spikes[t->tally.n++] = (struct mc_spike){
		.at = from - min(from, t->job->began), .ticks = ticks, .window = t->tally.window,
		.cause = __builtin_ctz(causes),
	};
}

/* ----------------------------------------------------------------- accesses */

static void *next_line(struct mc_watch *t)
{
	u64 line = mc_random_below(mc_random_next(&t->memory.random, MC_LCG), t->memory.lines);

	return mc_view_at(t->memory.view, t->memory.start + line * MC_LINE, NULL);
}

/* Prepare an access, outside of its time. Return: when the counts were read last, or @ended. */
static u64 prepare_access(struct mc_worker *w, struct mc_watch *t, u64 ended)
{
	const struct mc_watch_job *job = t->job;

	if (!job->settings.one)
		t->memory.at = next_line(t);
	if (job->settings.flush)
		mc_flush(t->memory.at);
	t->memory.value++;
	if (!job->settings.delay)
		return ended;
	while (mc_ticks() - ended < job->settings.delay)
		mc_relax();
	/* An interrupt within the delay does not prolong it: look for one here. */
	look(w, t);
	return mc_ticks();
}

/* Read what must be known before an access. */
static void count_before(const struct mc_worker *w, struct mc_watch *t)
{
	struct mc_watch_counts *counts = &t->counts;
	struct mc_core_counts before = counts->before;

	if (!t->plan.walk_events && !t->plan.cycle_events)
		return;
	counts->before = read_core(w, t);
	if (before.walks_known && counts->before.walks_known) {
		counts->steps++;
		counts->walked += counts->before.walks != before.walks;
	}
	if (before.cycles_known && counts->before.cycles_known) {
		counts->step_ticks = counts->before.at - before.at;
		counts->step_cycles = counts->before.cycles - before.cycles;
	}
}

/* Time accesses for as long as a window lasts. Return: their number. */
static u64 time_accesses(struct mc_worker *w, struct mc_watch *t, struct mc_bins *bins, u64 most)
{
	const struct mc_watch_job *job = t->job;
	u64 aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS), ended, from, ticks, done = 0;

	/* Events between two windows don't count as causes in this one. */
	look(w, t);
	ended = mc_ticks();
	do {
		if (t->plan.shifts && !(done % SHIFT_EACH)) {
			shift_phase(t);
			ended = mc_ticks();
		}
		ended = prepare_access(w, t, ended);
		count_before(w, t);
		from = mc_ticks();
		if (from - ended > t->plan.gap) {
			look(w, t);
			count_before(w, t);
			from = mc_ticks();
		}
		job->settings.run(t->memory.at, 1, t->memory.value);
		if (job->settings.fenced)
			mc_wait_for_all();
		ended = mc_ticks();
		ticks = ended > from ? ended - from : 0;
		if (ticks > t->plan.limit) {
			note_spike(w, t, from, ticks);
			ended = mc_ticks();
		}
		mc_bins_add(bins, ticks);
	} while (++done < most && ended - w->began < aim && t->tally.n < MC_WATCH_SPIKES);
	return done;
}

/**
 * mc_watch_window() - time accesses in one window
 * @w: the thread
 * @t: its watch
 * @bins: gets their times
 * @left: accesses left to do; those that were done are subtracted
 * @ticks: result: duration of the window, 0 if the clock ran backwards
 *
 * Context: Worker thread.
 * Return: 0 or what stops the run, a negative errno.
 */
int mc_watch_window(struct mc_worker *w, struct mc_watch *t, struct mc_bins *bins, u64 *left,
		    u64 *ticks)
{
	int err = mc_watch_open(w, t->job);

	if (err)
		return err;
	*left -= time_accesses(w, t, bins, *left);
	*ticks = mc_watch_close(w, t->job);
	t->job->meas.each[w->index].sample.clock_bad |= !*ticks;
	t->tally.window++;
	return 0;
}

/* -------------------------------------------------------- before the samples */

/*
 * Is the event that counts cycles on the PMU? In a virtual machine it stops while the hypervisor
 * runs others, which is no change of frequency.
 */
static u32 find_cycle_events(const struct mc_worker *w)
{
	u64 cycles;

	return !mc_hypervisor() && mc_events_peek(w->events, 1U << MC_EVENT_CYCLES, &cycles) ?
	       1U << MC_EVENT_CYCLES : 0;
}

/* Measure what two readings of the clock cost. A slow clock is read less often. */
static int gauge_clock(struct mc_worker *w, struct mc_watch *t, struct mc_bins *bins)
{
	struct mc_watch_plan *plan = &t->plan;
	u64 aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS), from, to;
	int err = mc_watch_open(w, t->job);

	if (err)
		return err;
	plan->resolution = ~0ULL >> 1;
	do {
		from = mc_ticks();
		to = mc_ticks();
		mc_bins_add(bins, to > from ? to - from : 0);
		if (to > from)
			plan->resolution = min(plan->resolution, to - from);
	} while (bins->n < CLOCK_READINGS && to - w->began < aim);
	plan->cycle_events = find_cycle_events(w);
	mc_watch_close(w, t->job);
	plan->clock_median = mc_bins_at(bins, 500000000);
	plan->clock_p999 = mc_bins_at(bins, 999000000);
	return 0;
}

/* Time accesses while none is a spike yet, and find the time from one to the next. */
static int gauge_steps(struct mc_worker *w, struct mc_watch *t, struct mc_bins *bins)
{
	u64 left = TRIALS, before = left, ticks;
	int err = 0;

	t->plan.limit = ~0ULL;
	t->plan.gap = ~0ULL;
	t->plan.step = ~0ULL;
	t->tally.window = 0;
	t->counts.steps = 0;
	t->counts.walked = 0;
	for (; left && !err && (t->tally.window < WINDOWS || TRIALS - left < TRIALS_LEAST);
	     before = left) {
		err = mc_watch_window(w, t, bins, &left, &ticks);
		if (!err)
			t->plan.step = min(t->plan.step, ticks / (before - left));
	}
	return err;
}

/*
 * Measure usual accesses: their median, and the time from one to the next in the best window.
 * The faster half of the times shows how much usual ones differ, since rare events make no access
 * faster.
 */
static int gauge_usual(struct mc_worker *w, struct mc_watch *t, struct mc_bins *bins)
{
	struct mc_watch_plan *plan = &t->plan;
	int err = gauge_steps(w, t, bins);
	u64 spread, spike;

	/*
	 * A walk that most accesses have makes none of them slower than the median, so walks are
	 * not read. Accesses follow each other faster then.
	 */
	if (!err && 2 * t->counts.walked >= t->counts.steps) {
		plan->walk_events = 0;
		if (t->counts.steps) {
			mc_tail_clear(t->tally.tail);
			err = gauge_steps(w, t, bins);
		}
	}
	if (err)
		return err;
	plan->usual = mc_bins_at(bins, 500000000);
	spread = plan->usual - mc_bins_at(bins, 100000000);
	spike = t->job->settings.spike;
	plan->limit = plan->clock_median + mc_ns_to_ticks(spike);
	if (spike == MC_AUTO)
		plan->limit = plan->usual + max(plan->usual / 2, 6 * spread) + plan->resolution;
	plan->gap = 2 * plan->step + mc_ns_to_ticks(GAP_NS);
	return 0;
}

/* Keep the spikes of some windows, from which the period of the refresh can be found. */
static int trace_spikes(struct mc_worker *w, struct mc_watch *t, struct mc_bins *bins)
{
	u64 ticks;
	int err = 0;

	t->tally.n = 0;
	t->tally.window = 0;
	t->plan.shifts = true;
	while (!err && t->tally.window < WINDOWS && t->tally.n < MC_WATCH_SPIKES) {
		u64 left = ~0ULL;

		err = mc_watch_window(w, t, bins, &left, &ticks);
	}
	t->plan.shifts = false;
	if (err)
		return err;
	if (t == t->job->watch && t->plan.resolution < mc_ns_to_ticks(STEP_NS))
		mc_trace_add(t->job->record.tail->trace, t->tally.spikes, t->tally.n,
			     mc_ns_to_ticks(MC_WATCH_APART_NS), true);
	/* The first call only stores the count, so it is made here and not at a sample's spike. */
	mc_detector_stolen(&w->detector, w->cpu, true);
	return mc_threads_stopped(w->threads);
}

/* The causes that can be seen from the thread's CPU. @counted: by the system */
static u32 find_known(const struct mc_worker *w, u32 counted)
{
	const struct {
		u8 kind;
		u8 cause;
	} watched[] = {
		{ MC_BY_PREEMPTION, MC_CAUSE_PREEMPTION }, { MC_BY_MIGRATION, MC_CAUSE_MIGRATION },
		{ MC_BY_INTERRUPT, cause_of_interrupt() }, { MC_BY_STEAL, MC_CAUSE_STEAL },
	};
	u32 known = counted | 1U << MC_CAUSE_UNKNOWN;
	u8 kinds = mc_detector_kinds(w->cpu);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(watched); i++)
		known |= kinds & watched[i].kind ? 1U << watched[i].cause : 0;
	return known;
}

/* Open the event that counts SMIs where nothing else does. tail_clean_up() closes it. */
static void open_smis(struct mc_watch *t)
{
	struct mc_watch_plan *plan = &t->plan;
	struct mc_counter c;
	u64 count;
	int why;

	if (plan->known >> MC_CAUSE_SMI & 1 || !mc_smi_event(&c))
		return;
	plan->smis = mc_event_open(&c, &why);
	if (plan->smis && mc_counter_peek(plan->smis, &count))
		plan->known |= 1U << MC_CAUSE_SMI;
}

/**
 * mc_watch_prepare() - find out before the samples what is usual
 * @w: the thread
 * @t: its watch
 *
 * Context: Worker thread.
 * Return: 0 or what stops the run, a negative errno.
 */
int mc_watch_prepare(struct mc_worker *w, struct mc_watch *t)
{
	struct mc_watch_plan *plan = &t->plan;
	int err;

	plan->known = mc_causes_known();
	open_smis(t);
	plan->walk_events = t->job->settings.walk_events;
	err = gauge_clock(w, t, &t->tally.tail->bins);
	mc_tail_clear(t->tally.tail);
	err = err ? err : gauge_usual(w, t, &t->tally.tail->bins);
	mc_tail_clear(t->tally.tail);
	err = err ? err : trace_spikes(w, t, &t->tally.tail->bins);
	mc_tail_clear(t->tally.tail);
	t->tally.tail->khz = mc_clock.khz;
	t->tally.tail->clock = plan->clock_median;
	t->tally.tail->median = min(plan->usual, plan->limit);
	t->tally.tail->known = find_known(w, plan->known) |
			 (plan->walk_events ? 1U << MC_CAUSE_WALK : 0) |
			 (plan->cycle_events ? 1U << MC_CAUSE_FREQUENCY : 0);
	return err;
}
