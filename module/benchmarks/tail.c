// SPDX-License-Identifier: GPL-2.0-only
/*
 * tail: how long an access takes at worst, and why.
 *
 * Each access is timed by itself. Its time goes into a histogram of fixed size. One that takes
 * longer than spike= is a spike: what the system counts is read behind it, and what has changed
 * since the last look is its cause. So that a change belongs to the spike, the time between two
 * accesses is watched, too: where it was long, the counts are read before the next access.
 * Nothing is read while nothing happens.
 *
 * Spikes without such a cause that end at equal distances are of the memory's refresh. Its period
 * is found before the samples, from spikes that belong to none of them. In each window of a
 * sample, the spikes that end at its pauses' ends are then those of the refresh.
 *
 * A sample is count= accesses of each thread, and its time is their median.
 */
#include "arch/mmio.h"
#include "core/generator.h"
#include "core/period.h"
#include "measure/load.h"
#include "measure/measurement.h"
#include "platform/causes.h"
#include "platform/clock.h"
#include "platform/os.h"

enum {
	KEY_OP = MC_KEY_FIRST, KEY_WIDTH, KEY_COUNT, KEY_PLACES, KEY_FLUSH, KEY_DELAY, KEY_SPIKE,
	KEY_LOAD,
};

enum {
	COL_P50, COL_P99, COL_P99_9, COL_P99_99, COL_P99_999, COL_P99_9999, COL_MAX, COL_MAX_CAUSE,
	COL_ACCESSES, COL_STEP, COL_CLOCK, COL_CLOCK_P99_9, COL_LIMIT, COL_SPIKES, COL_SPIKES_SHARE,
	COL_UNKNOWN_SHARE, COL_REFRESH, COL_PERIOD, COL_PAUSE, COL_COHERENCE, COL_STOPPED,
};

enum { OP_READ, OP_WRITE, OP_ATOMIC };
enum { PLACES_ONE, PLACES_ALL };
enum { REFRESH_NOT_FOUND, REFRESH_FOUND };

#define LINE		MC_LOAD_LINE
#define NO_LOAD		MC_NMIXES
#define LOAD_LEAST	4096ULL	/* bytes that a thread loads, at least */

#define CLOCK_READINGS	10000U	/* pairs of readings that tell what the clock costs, at most */
#define TRIALS		20000U	/* accesses that tell what is usual */
#define TRIALS_LEAST	1000U	/* so many do if they are far apart */
#define SPIKES		4096U	/* kept at once: of a window, or of those that show a period */
#define WINDOWS		64U	/* of trials, and of the search for a period */
#define SHIFT_EACH	8U	/* of so many accesses meanwhile, one is late */
#define STEAL_NS	20000	/* shorter spikes are not of a hypervisor that ran others */
#define GAP_NS		200	/* and two usual steps: a longer gap hides an interrupt */

static const struct mc_name op_names[] = {
	{ "read", OP_READ }, { "write", OP_WRITE }, { "atomic", OP_ATOMIC }, { }
};

static const struct mc_name width_names[] = { { "8", 8 }, { "4", 4 }, { } };

static const struct mc_name places_names[] = {
	{ "one", PLACES_ONE }, { "all", PLACES_ALL }, { }
};

static const struct mc_name flush_names[] = {
	{ "auto", MC_AUTO, .asked_only = true }, { "yes", 1 }, { "no", 0 }, { }
};

static const struct mc_name spike_names[] = { { "auto", MC_AUTO }, { } };

static const struct mc_name load_names[] = {
	{ "none", NO_LOAD }, { "read", MC_MIX_READ }, { "rw21", MC_MIX_RW21 },
	{ "rw11", MC_MIX_RW11 }, { "write", MC_MIX_WRITE }, { "ntwrite", MC_MIX_NTWRITE },
	{ "copy", MC_MIX_COPY }, { }
};

static const struct mc_key keys[] = {
	{
		.name = "op", .column = "op", .preset = "read",
		.kind = MC_CHOICE, .names = op_names,
		.help = "a load, a store and a fence, or a compare and swap",
	}, {
		.name = "width", .column = "width_bytes", .preset = "8",
		.kind = MC_CHOICE, .names = width_names,
		.help = "bytes of an access; some registers of devices answer 4 only",
	}, {
		.name = "count", .column = "count", .preset = "100000",
		.kind = MC_NUMBER, .min = 1000, .max = 1000000000,
		.help = "accesses of each thread in a sample; a result has repeat= samples",
	}, {
		.name = "places", .column = "places", .preset = "one",
		.kind = MC_CHOICE, .names = places_names,
		.help = "all: lines of the memory at random; one: always the same line",
	}, {
		.name = "flush", .column = "flush", .preset = "auto",
		.kind = MC_CHOICE, .names = flush_names, .found = true,
		.help = "flush the line from the caches before each access; auto: with type=wb",
	}, {
		.name = "delay", .column = "access_delay_ns", .preset = "0",
		.kind = MC_TIME, .max = 1000000,
		.help = "time from the end of an access to the next one, at least",
	}, {
		.name = "spike", .preset = "auto", .single = true,
		.kind = MC_TIME, .names = spike_names, .min = 1, .max = 1000000000,
		.help = "a longer access is a spike; auto: half above the median, or more",
	}, {
		.name = "load", .column = "load", .preset = "none",
		.kind = MC_CHOICE, .names = load_names,
		.help = "what all CPUs but the first one do meanwhile, as op= of loaded",
	},
};

#define PERCENTILE(what, part)							\
	{									\
		.name = "p" what "_ns_per_access", .decimals = 3,		\
		.help = "time that " part " % of all accesses took at most",	\
	}

static const struct mc_column columns[] = {
	[COL_P50] = {
		.name = "ns_per_access", .unit = "ns an access", .roles = MC_MAIN | MC_EACH,
		.decimals = 3,
		.help = "time that half of all accesses took at most, without the clock's",
	},
	[COL_P99] = PERCENTILE("99", "99"),
	[COL_P99_9] = PERCENTILE("99_9", "99.9"),
	[COL_P99_99] = PERCENTILE("99_99", "99.99"),
	[COL_P99_999] = PERCENTILE("99_999", "99.999"),
	[COL_P99_9999] = PERCENTILE("99_9999", "99.9999"),
	[COL_MAX] = {
		.name = "max_ns_per_access", .decimals = 3,
		.help = "time of the slowest access",
	},
	[COL_MAX_CAUSE] = {
		.name = "max_cause", .names = mc_cause_names,
		.help = "what was seen to happen during the slowest access",
	},
	[COL_ACCESSES] = {
		.name = "accesses", .json_only = true, .help = "accesses of all threads",
	},
	[COL_STEP] = {
		.name = "step_ns", .decimals = 3, .json_only = true,
		.help = "time from an access to the next, in the fastest window before the samples",
	},
	[COL_CLOCK] = {
		.name = "clock_ns", .decimals = 3, .json_only = true,
		.help = "time of two readings of the clock, the median, which was subtracted",
	},
	[COL_CLOCK_P99_9] = {
		.name = "clock_p99_9_ns", .decimals = 3, .json_only = true,
		.help = "time that 99.9 % of such pairs took at most",
	},
	[COL_LIMIT] = {
		.name = "spike_limit_ns", .decimals = 3, .json_only = true,
		.help = "an access that took longer is a spike",
	},
	[COL_SPIKES] = {
		.name = "spikes", .help = "accesses that took longer than spike=",
	},
	[COL_SPIKES_SHARE] = {
		.name = "spikes_percent", .decimals = 4,
		.help = "share of the time of all windows that spikes took beyond the median",
	},
	[COL_UNKNOWN_SHARE] = {
		.name = "unknown_percent", .decimals = 2,
		.help = "share of that time whose cause nobody saw",
	},
	[COL_REFRESH] = {
		.name = "refresh", .names = (const struct mc_name[]){
			{ "found", REFRESH_FOUND }, { "not_found", REFRESH_NOT_FOUND }, { }
		},
		.help = "do spikes have a period? na: there were too few",
	},
	[COL_PERIOD] = {
		.name = "refresh_period_ns", .decimals = 3,
		.help = "time from a pause of the memory to the next",
	},
	[COL_PAUSE] = {
		.name = "refresh_pause_ns", .decimals = 3,
		.help = "length of such a pause: the longest that an access waits for its end",
	},
	[COL_COHERENCE] = {
		.name = "refresh_coherence_percent", .decimals = 1, .json_only = true,
		.help = "how well spikes keep to the period; random ones: about 5",
	},
	[COL_STOPPED] = {
		.name = "stopped", .json_only = true, .names = (const struct mc_name[]){
			{ "yes", true }, { "no", false }, { }
		},
		.help = "did the run end within a sample, or during warm-ups?",
	},
};

/**
 * struct watch - a thread that times accesses
 * @job: the point
 * @view: the memory
 * @start: offset of the thread's first line
 * @lines: number of its lines
 * @at: the line that was accessed last
 * @random: state of a generator
 * @value: what was stored last
 * @wrong: something else was found in its place
 * @usual: ticks of a usual access
 * @limit: an access of more ticks is a spike
 * @step: ticks from an access to the next, in the fastest window
 * @gap: as many ticks between two accesses are usual
 * @shifts: some accesses come later than they could
 * @known: causes that are counted, a bit each
 * @count: their counts at the last look
 * @window: number of windows so far
 * @n: number of spikes in @spikes
 * @spikes: array of SPIKES spikes
 * @room: array of SPIKES numbers
 * @clock: ticks of two readings of the clock, the median, and what 99.9 % took at most
 * @resolution: the smallest difference between two such readings that is not 0
 * @period: that of the refresh
 * @period_known: there were enough spikes to look for it
 * @ticks: time in windows of the current sample
 * @tail: times of the current sample
 */
struct watch {
	struct tail_job *job;
	const struct mc_view *view;
	u64 start;
	u64 lines;
	void *at;
	struct mc_random random;
	u64 value;
	bool wrong;
	u64 usual;
	u64 limit;
	u64 step;
	u64 gap;
	bool shifts;
	u32 known;
	u64 count[MC_NCAUSES];
	u32 window;
	u32 n;
	struct mc_spike *spikes;
	u64 *room;
	u64 clock[2];
	u64 resolution;
	struct mc_period period;
	bool period_known;
	u64 ticks;
	struct mc_tail *tail;
};

/**
 * struct tail_job - a point
 * @meas: the measurement
 * @point: the point
 * @run: the access
 * @fenced: a fence ends it
 * @one: it is always to the same line
 * @flush: that line is flushed before
 * @delay: ticks between two accesses
 * @watchers: number of threads that time accesses, the first ones; the others load the memory
 * @watch: array with a watch for each thread
 * @load: array with a load for each thread
 * @began: ticks at which the samples began, or, before, the search for a period
 * @over: the last sample was taken
 * @stopped: something else ended it
 * @ticks: time in windows of all samples that were kept; before the first one, of warm-ups
 * @tail: times of all these samples
 */
struct tail_job {
	struct mc_measurement meas;
	const struct mc_point *point;
	mc_mmio_run run;
	bool fenced;
	bool one;
	bool flush;
	u64 delay;
	unsigned int watchers;
	struct watch *watch;
	struct mc_load *load;
	u64 began;
	u32 over;
	bool stopped;
	u64 ticks;
	struct mc_tail *tail;
};

/* ------------------------------------------------------- check the request */

static bool flushes(const struct mc_point *point)
{
	return point->v[KEY_FLUSH] == MC_AUTO ? point->v[MC_KEY_TYPE] == MC_WB :
						 point->v[KEY_FLUSH];
}

static u64 slice_of(const struct mc_point *point, unsigned int threads)
{
	return point->v[MC_KEY_SIZE] / threads & ~(LINE - 1);
}

static int tail_check(struct mc_run *run, const struct mc_point *point)
{
	unsigned int n = mc_threads_size(run->threads);
	bool loaded = point->v[KEY_LOAD] != NO_LOAD;

	if (loaded && n < 2)
		return mc_fail(&run->error, -EINVAL,
			       "load: the first CPU times accesses and others load; list two at least, or all");
	if (slice_of(point, n) < (loaded ? LOAD_LEAST : LINE))
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are too few for %u threads",
			       point->v[MC_KEY_SIZE], n);
	if (flushes(point) && point->v[MC_KEY_TYPE] != MC_WB)
		return mc_fail(&run->error, -EINVAL, "flush: only wb is kept in caches");
	if (point->v[KEY_OP] == OP_ATOMIC &&
	    (point->v[MC_KEY_TYPE] != MC_WB || point->v[MC_KEY_TARGET] != MC_TARGET_RAM))
		return mc_fail(&run->error, -EINVAL,
			       "op: atomic needs type=wb and no target; elsewhere some CPUs refuse it");
	if (point->v[KEY_OP] == OP_ATOMIC && point->v[KEY_WIDTH] != 8)
		return mc_fail(&run->error, -EINVAL, "width: atomic is of 8 bytes");
	return 0;
}

static bool tail_reads_only(const struct mc_point *point)
{
	return point->v[KEY_OP] == OP_READ && point->v[KEY_LOAD] == NO_LOAD;
}

/* ------------------------------------------------------------------- causes */

/* Read the counts, and find those that have changed. Return: bits of enum mc_cause. */
static u32 look(struct mc_worker *w, struct watch *t)
{
	u8 seen = mc_detector_end(&w->detector);
	u64 before[MC_NCAUSES];
	u32 causes = 0, cause;

	memcpy(before, t->count, sizeof(before));
	mc_causes_read(t->known, t->count);
	mc_detector_begin(&w->detector);
	for (cause = 0; cause < MC_NCAUSES; cause++) {
		if (t->known >> cause & 1 && t->count[cause] != before[cause])
			causes |= 1U << cause;
	}
	causes |= seen & MC_BY_PREEMPTION ? 1U << MC_CAUSE_PREEMPTION : 0;
	causes |= seen & MC_BY_MIGRATION ? 1U << MC_CAUSE_MIGRATION : 0;
	causes |= seen & MC_BY_INTERRUPT ? 1U << MC_CAUSE_INTERRUPT : 0;
	return causes | 1U << MC_CAUSE_UNKNOWN;
}

/*
 * Wait for a part of a step, so that the next accesses come at other times of the memory's period
 * than the last ones. Steps of equal length may fall in with it, and then come too early or too
 * late for each pause.
 */
static void shift_phase(struct mc_worker *w, struct watch *t)
{
	u64 from = mc_ticks(), ticks;
	u64 wait = mc_random_below(mc_random_next(&t->random, MC_LCG), 2 * t->usual + 1);

	do {
		ticks = mc_ticks() - from;
	} while (ticks < wait);
	if (ticks > wait + t->gap)
		look(w, t);
}

static void note_spike(struct mc_worker *w, struct watch *t, u64 from, u64 ticks)
{
	t->spikes[t->n++] = (struct mc_spike){
		.at = from - min(from, t->job->began), .ticks = ticks, .window = t->window,
		.cause = __builtin_ctz(look(w, t)),
	};
}

/* ----------------------------------------------------------------- accesses */

static u64 swap_word(void *at, u64 n, u64 value)
{
	return cmpxchg((u64 *)at, value - 1, value);
}

static void *next_line(struct watch *t)
{
	u64 line = mc_random_below(mc_random_next(&t->random, MC_LCG), t->lines);

	return mc_view_at(t->view, t->start + line * LINE, NULL);
}

/* Prepare an access, outside of its time. Return: when the counts were read last, or @ended. */
static u64 prepare_access(struct mc_worker *w, struct watch *t, u64 ended)
{
	const struct tail_job *job = t->job;

	if (!job->one)
		t->at = next_line(t);
	if (job->flush)
		mc_flush(t->at);
	t->value++;
	if (!job->delay)
		return ended;
	while (mc_ticks() - ended < job->delay)
		mc_relax();
	/* An interrupt may have come that made the delay no longer. */
	look(w, t);
	return mc_ticks();
}

/* Time accesses for as long as a window lasts. Return: their number. */
static u64 time_accesses(struct mc_worker *w, struct watch *t, struct mc_bins *bins, u64 most)
{
	const struct tail_job *job = t->job;
	u64 aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS), ended, from, ticks, done = 0;

	/* Events between two windows don't count as causes in this one. */
	look(w, t);
	ended = mc_ticks();
	do {
		if (t->shifts && !(done % SHIFT_EACH)) {
			shift_phase(w, t);
			ended = mc_ticks();
		}
		ended = prepare_access(w, t, ended);
		from = mc_ticks();
		if (from - ended > t->gap) {
			look(w, t);
			from = mc_ticks();
		}
		job->run(t->at, 1, t->value);
		if (job->fenced)
			mc_wait_for_all();
		ended = mc_ticks();
		ticks = ended > from ? ended - from : 0;
		mc_bins_add(bins, ticks);
		if (ticks > t->limit) {
			note_spike(w, t, from, ticks);
			ended = mc_ticks();
		}
	} while (++done < most && ended - w->began < aim && t->n < SPIKES);
	return done;
}

static int open_window(struct mc_worker *w, const struct tail_job *job)
{
	return mc_window_open(w, job->meas.each[w->index].settings.irq_off);
}

/*
 * Close a window. Disturbances are causes here, so no sample is left out for them, as
 * mc_measurement_close() would have it. Return: its duration in ticks, 0 if the clock ran
 * backwards.
 */
static u64 close_window(struct mc_worker *w, struct tail_job *job)
{
	struct mc_sampler *sampler = &job->meas.each[w->index];
	u64 ticks = mc_window_close(w);

	sampler->window_max = max(sampler->window_max, ticks);
	return ticks;
}

/* Time up to *@left accesses in one window. */
static int run_window(struct mc_worker *w, struct watch *t, struct mc_bins *bins, u64 *left,
		      u64 *ticks)
{
	int err = open_window(w, t->job);

	if (err)
		return err;
	*left -= time_accesses(w, t, bins, *left);
	*ticks = close_window(w, t->job);
	t->job->meas.each[w->index].sample.clock_bad |= !*ticks;
	t->window++;
	return 0;
}

/* -------------------------------------------------------- before the samples */

/* Measure what two readings of the clock cost. A slow clock is read less often. */
static int gauge_clock(struct mc_worker *w, struct watch *t, struct mc_bins *bins)
{
	u64 aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS), from, to;
	int err = open_window(w, t->job);

	if (err)
		return err;
	t->resolution = ~0ULL >> 1;
	do {
		from = mc_ticks();
		to = mc_ticks();
		mc_bins_add(bins, to > from ? to - from : 0);
		if (to > from)
			t->resolution = min(t->resolution, to - from);
	} while (bins->n < CLOCK_READINGS && to - w->began < aim);
	close_window(w, t->job);
	t->clock[0] = mc_bins_at(bins, 500000000);
	t->clock[1] = mc_bins_at(bins, 999000000);
	return 0;
}

/*
 * Measure usual accesses: their median, and the time from one to the next in the best window.
 * The faster half of the times shows how much usual ones differ, since rare events make no access
 * faster.
 */
static int gauge_usual(struct mc_worker *w, struct watch *t, struct mc_bins *bins)
{
	u64 left = TRIALS, before = left, spread, ticks, spike;
	int err = 0;

	t->limit = ~0ULL;
	t->gap = ~0ULL;
	t->step = ~0ULL;
	for (; left && !err && (t->window < WINDOWS || TRIALS - left < TRIALS_LEAST);
	     before = left) {
		err = run_window(w, t, bins, &left, &ticks);
		if (!err)
			t->step = min(t->step, ticks / (before - left));
	}
	if (err)
		return err;
	t->usual = mc_bins_at(bins, 500000000);
	spread = t->usual - mc_bins_at(bins, 100000000);
	spike = t->job->point->v[KEY_SPIKE];
	t->limit = spike == MC_AUTO ? t->usual + max(t->usual / 2, 6 * spread) + t->resolution :
				      t->clock[0] + mc_ns_to_ticks(spike);
	t->gap = 2 * t->step + mc_ns_to_ticks(GAP_NS);
	return 0;
}

/* Look for the period of refresh in the spikes of some windows. */
static int gauge_refresh(struct mc_worker *w, struct watch *t, struct mc_bins *bins)
{
	u64 ticks;
	int err = 0;

	t->n = 0;
	t->window = 0;
	t->shifts = true;
	while (!err && t->window < WINDOWS && t->n < SPIKES) {
		u64 left = ~0ULL;

		err = run_window(w, t, bins, &left, &ticks);
	}
	t->shifts = false;
	if (err)
		return err;
	t->period.khz = mc_clock.khz;
	t->period.limit = t->limit;
	/* Times on a coarse clock have the period of its steps. */
	t->period_known = t->resolution < mc_ns_to_ticks(MC_PERIOD_LEAST_NS / 4) &&
			  mc_period_find(&t->period, t->spikes, t->n, min(t->usual, t->limit),
					 t->room, mc_breathe);
	/* The first look is not back at the first spike of a sample. */
	mc_detector_stolen(&w->detector, w->cpu, true);
	return mc_threads_stopped(w->threads);
}

/* The causes that can be seen from the thread's CPU, but for refresh. @counted: by the system */
static u32 find_known(const struct mc_worker *w, u32 counted)
{
	static const struct {
		u8 kind;
		u8 cause;
	} watched[] = {
		{ MC_BY_PREEMPTION, MC_CAUSE_PREEMPTION }, { MC_BY_MIGRATION, MC_CAUSE_MIGRATION },
		{ MC_BY_INTERRUPT, MC_CAUSE_INTERRUPT }, { MC_BY_STEAL, MC_CAUSE_STEAL },
	};
	u32 known = counted | 1U << MC_CAUSE_UNKNOWN;
	u8 kinds = mc_detector_kinds(w->cpu);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(watched); i++)
		known |= kinds & watched[i].kind ? 1U << watched[i].cause : 0;
	return known;
}

static int prepare_watch(struct mc_worker *w, struct watch *t)
{
	int err;

	t->known = mc_causes_known();
	err = gauge_clock(w, t, &t->tail->bins);
	mc_tail_clear(t->tail);
	err = err ? err : gauge_usual(w, t, &t->tail->bins);
	mc_tail_clear(t->tail);
	err = err ? err : gauge_refresh(w, t, &t->tail->bins);
	mc_tail_clear(t->tail);
	t->tail->khz = mc_clock.khz;
	t->tail->clock = t->clock[0];
	t->tail->median = min(t->usual, t->limit);
	t->tail->known = find_known(w, t->known) | (t->period.found ? 1U << MC_CAUSE_REFRESH : 0);
	return err;
}

/* ------------------------------------------------------------------- samples */

/* Were some of the window's spikes that are still unknown those of a hypervisor? */
static void find_stolen(struct mc_worker *w, struct watch *t)
{
	u64 least = t->limit + mc_ns_to_ticks(STEAL_NS);
	bool asked = false, stolen = false;
	u32 i;

	if (!(t->tail->known >> MC_CAUSE_STEAL & 1))
		return;
	for (i = 0; i < t->n; i++) {
		if (t->spikes[i].cause != MC_CAUSE_UNKNOWN || t->spikes[i].ticks < least)
			continue;
		if (!asked)
			stolen = mc_detector_stolen(&w->detector, w->cpu, true) == MC_STOLEN;
		asked = true;
		if (stolen)
			t->spikes[i].cause = MC_CAUSE_STEAL;
	}
}

static void account_spikes(struct mc_worker *w, struct watch *t)
{
	u32 i;

	mc_period_mark(&t->period, t->spikes, t->n);
	find_stolen(w, t);
	for (i = 0; i < t->n; i++)
		mc_tail_spike(t->tail, &t->spikes[i]);
}

/* Compare the memory with the value that the last access stored. */
static void verify_last(struct watch *t)
{
	const struct mc_point *point = t->job->point;
	u64 mask = point->v[KEY_WIDTH] == 8 ? ~0ULL : ~0U;
	u64 found;

	if (point->v[KEY_OP] == OP_READ)
		return;
	found = mask == ~0U ? READ_ONCE(*(u32 *)t->at) : READ_ONCE(*(u64 *)t->at);
	t->wrong |= found != (t->value & mask);
}

/* Can the stored value be verified? A swap stores only if it finds the value of the last one. */
static bool verifies(const struct tail_job *job)
{
	u64 op = job->point->v[KEY_OP];

	return op == OP_WRITE || (op == OP_ATOMIC && job->one);
}

static int take_sample(struct mc_worker *w, struct watch *t)
{
	u64 left = t->job->point->v[KEY_COUNT], ticks;
	int err = 0;

	t->job->meas.each[w->index].sample.clock_bad = false;
	while (left && !err) {
		t->n = 0;
		err = run_window(w, t, &t->tail->bins, &left, &ticks);
		if (err)
			break;
		t->ticks += ticks;
		account_spikes(w, t);
	}
	/* A device that is gone returns ones only, which no access has stored. */
	if (err != -ENODEV && verifies(t->job))
		verify_last(t);
	return err;
}

static u64 median_ps(const struct mc_tail *tail)
{
	return mc_tail_ps(tail, mc_bins_at(&tail->bins, 500000000));
}

/* Move the times of all threads since the last call to the first one. Return: their median, ps. */
static u64 gather_times(struct tail_job *job)
{
	struct watch *first = job->watch, *t;

	for (t = first + 1; t < first + job->watchers; t++) {
		mc_tail_join(first->tail, t->tail);
		mc_tail_clear(t->tail);
		first->ticks += t->ticks;
		t->ticks = 0;
	}
	return median_ps(first->tail);
}

/* Add the times that were gathered to the result, unless the clock ran backwards meanwhile. */
static void add_times(struct tail_job *job)
{
	struct watch *first = job->watch;
	const struct mc_tail *tail = first->tail;
	bool bad = false;
	unsigned int i;

	for (i = 0; i < job->watchers; i++)
		bad |= job->meas.each[i].sample.clock_bad;
	for (i = 0; i < job->watchers; i++)
		job->tail->known |= job->watch[i].tail->known;
	job->tail->khz = tail->khz;
	job->tail->clock = tail->clock;
	job->tail->median = tail->median;
	if (!bad) {
		mc_tail_join(job->tail, tail);
		job->ticks += first->ticks;
	}
	mc_tail_clear(first->tail);
	first->ticks = 0;
}

/* Keep a sample that all threads have ended. The first one that is kept replaces the warm-ups. */
static void keep_sample(struct tail_job *job)
{
	bool warm = job->meas.done;
	u64 ps = gather_times(job);

	if (mc_measurement_keep(&job->meas, ps) && !warm) {
		mc_tail_clear(job->tail);
		job->ticks = 0;
	}
	add_times(job);
}

/*
 * Keep what was measured of a sample that did not end, once all threads have ended. If it would
 * have been the first one, the warm-ups count, too.
 */
static void keep_rest(struct tail_job *job)
{
	u64 ps = gather_times(job), n = job->watch->tail->bins.n;
	u64 warmups = job->meas.done ? 0 : job->tail->bins.n;
	unsigned int i;

	if (!mc_measurement_wants(&job->meas) || !(n + warmups))
		return;
	add_times(job);
	if (warmups) {
		/* Times of a clock that ran backwards are not among those that were added. */
		for (i = 0; i < job->watchers; i++)
			job->meas.each[i].sample.clock_bad = false;
		ps = median_ps(job->tail);
	}
	mc_measurement_add(&job->meas, ps);
	/* The run may have ended between this sample and the next one. */
	job->stopped = warmups || n < job->watchers * job->point->v[KEY_COUNT];
}

static int watch_accesses(struct mc_worker *w, struct tail_job *job)
{
	struct watch *t = &job->watch[w->index];
	/* Threads that load the memory never come to the barrier again. */
	bool alone = job->watchers < job->meas.n;
	int err = prepare_watch(w, t);

	if (!err && !alone)
		err = mc_barrier(w);
	if (!w->index)
		job->began = mc_ticks();
	if (!err && !alone)
		err = mc_barrier(w);
	while (!err && mc_measurement_wants(&job->meas)) {
		err = take_sample(w, t);
		if (!err && !alone)
			err = mc_barrier(w);
		if (!err && !w->index)
			keep_sample(job);
		if (!err && !alone)
			err = mc_barrier(w);
		mc_breathe();
	}
	return err;
}

static int load_memory(struct mc_worker *w, struct tail_job *job)
{
	struct mc_walk walk;
	int err;

	mc_walk_begin(&walk, &job->load[w->index], w->index);
	while (!mc_flag(&job->over)) {
		err = open_window(w, job);
		if (err)
			return err;
		mc_walk_window(&walk);
		mc_walk_fit(&walk, close_window(w, job));
	}
	return 0;
}

static int tail_job(struct mc_worker *w, void *arg)
{
	struct tail_job *job = arg;
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

/* ---------------------------------------------------------------- the record */

/* Percentiles beyond which there would be less than one access are not known. */
static void set_percentiles(struct mc_record *rec, const struct mc_tail *tail)
{
	static const u32 ppb[] = {
		[COL_P50] = 500000000, [COL_P99] = 990000000, [COL_P99_9] = 999000000,
		[COL_P99_99] = 999900000, [COL_P99_999] = 999990000, [COL_P99_9999] = 999999000,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ppb); i++) {
		if (tail->bins.n >= 1000000000 / (1000000000 - ppb[i]))
			mc_record_set(rec, i, mc_tail_ps(tail, mc_bins_at(&tail->bins, ppb[i])));
	}
	mc_record_set(rec, COL_MAX, mc_tail_ps(tail, tail->bins.max));
	if (tail->nworst && tail->worst->ticks == tail->bins.max)
		mc_record_set(rec, COL_MAX_CAUSE, tail->worst->cause);
}

static void set_spikes(struct mc_record *rec, const struct tail_job *job)
{
	const struct mc_tail *tail = job->tail;
	u64 excess = mc_tail_excess(tail), spikes = 0;
	u32 cause;

	for (cause = 0; cause < MC_NCAUSES; cause++)
		spikes += tail->cause[cause].count;
	mc_record_set(rec, COL_SPIKES, spikes);
	mc_record_set(rec, COL_SPIKES_SHARE, mc_muldiv(excess, 1000000, max(job->ticks, 1ULL)));
	if (excess)
		mc_record_set(rec, COL_UNKNOWN_SHARE,
			      mc_muldiv(tail->cause[MC_CAUSE_UNKNOWN].excess, 10000, excess));
}

/* Set the refresh of the first thread that found one. */
static void set_refresh(struct mc_record *rec, const struct tail_job *job)
{
	const struct watch *t = job->watch, *end = t + job->watchers;
	bool known = false;

	for (; t < end && !t->period.found; t++)
		known |= t->period_known;
	if (t == end && known)
		mc_record_set(rec, COL_REFRESH, REFRESH_NOT_FOUND);
	if (t == end)
		return;
	mc_record_set(rec, COL_REFRESH, REFRESH_FOUND);
	mc_record_set(rec, COL_PERIOD, mc_period_ps(&t->period));
	mc_record_set(rec, COL_COHERENCE, t->period.coherence);
	if (t->period.length)
		mc_record_set(rec, COL_PAUSE, mc_ticks_to_ps(t->period.length));
}

static void tail_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct tail_job *job = arg;
	const struct watch *first = job->watch;
	const struct mc_tail *tail = job->tail;
	unsigned int i;

	keep_rest(job);
	mc_measurement_record(&job->meas, rec);
	if (!rec->stats.samples || !tail->bins.n)
		return;
	rec->point.v[KEY_FLUSH] = job->flush;
	set_percentiles(rec, tail);
	mc_record_set(rec, COL_ACCESSES, tail->bins.n);
	mc_record_set(rec, COL_STEP, mc_ticks_to_ps(first->step));
	mc_record_set(rec, COL_CLOCK, mc_ticks_to_ps(first->clock[0]));
	mc_record_set(rec, COL_CLOCK_P99_9, mc_ticks_to_ps(first->clock[1]));
	mc_record_set(rec, COL_LIMIT, mc_tail_ps(tail, first->limit));
	set_spikes(rec, job);
	set_refresh(rec, job);
	mc_record_set(rec, COL_STOPPED, job->stopped);
	rec->tail = job->tail;
	job->tail = NULL;
	if (!verifies(job))
		return;
	rec->verified = MC_VERIFIED_OK;
	for (i = 0; i < job->watchers; i++) {
		if (job->watch[i].wrong)
			rec->verified = MC_VERIFIED_FAILED;
	}
}

/* Give a thread its part of the memory, and room for its spikes or its load. */
static int set_up_thread(struct tail_job *job, struct mc_run *run, unsigned int i)
{
	struct mc_part part = mc_measurement_part(&job->meas, &run->area, i);
	u64 slice = slice_of(job->point, job->meas.n);
	struct watch *t = &job->watch[i];

	if (i >= job->watchers) {
		job->load[i] = (struct mc_load){
			.mix = &mc_mixes[job->point->v[KEY_LOAD]], .view = part.view,
			.start = part.index * slice, .slice = slice,
		};
		return mc_load_begin(&job->load[i], &run->error);
	}
	t->job = job;
	t->view = part.view;
	t->start = part.index * slice;
	t->lines = slice / LINE;
	t->spikes = mc_alloc_array(SPIKES, sizeof(*t->spikes));
	t->room = mc_alloc_array(SPIKES, sizeof(*t->room));
	t->tail = mc_alloc_array(1, sizeof(*t->tail));
	mc_random_seed(&t->random, i);
	t->at = mc_view_at(t->view, t->start, NULL);
	if (job->point->v[KEY_OP] == OP_ATOMIC)
		t->value = READ_ONCE(*(u64 *)t->at);
	return t->spikes && t->room && t->tail ? 0 :
	       mc_fail(&run->error, -ENOMEM, "cpu: no memory for the spikes of %u threads",
		       job->meas.n);
}

static int tail_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	const struct mc_mmio_loop *loops = mc_mmio_loop_find(point->v[KEY_WIDTH]);
	struct tail_job *job = arg;
	u64 op = point->v[KEY_OP];
	unsigned int i, n = job->meas.n;
	int err = 0;

	job->point = point;
	job->run = op == OP_ATOMIC ? swap_word :
		   op == OP_READ ? loops->run[MC_MMIO_READ] : loops->run[MC_MMIO_WRITE];
	job->fenced = op == OP_WRITE;
	job->one = point->v[KEY_PLACES] == PLACES_ONE;
	job->flush = flushes(point);
	job->delay = mc_ns_to_ticks(point->v[KEY_DELAY]);
	job->watchers = point->v[KEY_LOAD] == NO_LOAD ? n : 1;
	job->watch = mc_alloc_array(n, sizeof(*job->watch));
	job->load = mc_alloc_array(n, sizeof(*job->load));
	job->tail = mc_alloc_array(1, sizeof(*job->tail));
	if (!job->watch || !job->load || !job->tail)
		return mc_fail(&run->error, -ENOMEM, "cpu: no memory for %u thread%s", n, MC_S(n));
	for (i = 0; i < n && !err; i++)
		err = set_up_thread(job, run, i);
	return err;
}

static void tail_clean_up(void *arg)
{
	struct tail_job *job = arg;
	unsigned int i;

	for (i = 0; i < job->meas.n && job->watch && job->load; i++) {
		mc_load_end(&job->load[i]);
		mc_free(job->watch[i].tail);
		mc_free(job->watch[i].room);
		mc_free(job->watch[i].spikes);
	}
	mc_free(job->load);
	mc_free(job->watch);
	mc_free(job->tail);
}

/* A stop, and the causes of spikes by their share of the time beyond the median. */
static bool tail_note(struct mc_text *t, const struct mc_record *rec)
{
	u64 excess = rec->tail ? mc_tail_excess(rec->tail) : 0, share;
	const char *comma = "spikes:";
	u32 cause;

	if (rec->value[COL_STOPPED])
		mc_textf(t, "stopped after %llu accesses%s", rec->value[COL_ACCESSES],
			 excess ? "; " : "\n");
	for (cause = 0; excess && cause < MC_NCAUSES; cause++) {
		share = mc_muldiv(rec->tail->cause[cause].excess, 1000, excess);
		if (!rec->tail->cause[cause].count || t->size - t->len < 40)
			continue;
		mc_textf(t, "%s %s %llu.%llu %%", comma, mc_name_of(mc_cause_names, cause),
			 share / 10, share % 10);
		comma = ",";
	}
	if (excess)
		mc_textf(t, " of their time\n");
	return excess || rec->value[COL_STOPPED];
}

const struct mc_test mc_test_tail = {
	.spec = {
		.name = "tail",
		.help = "the slowest of many single accesses, with their causes; refresh of DRAM",
		.keys = keys,
		.nkeys = ARRAY_SIZE(keys),
		.columns = columns,
		.ncolumns = ARRAY_SIZE(columns),
		.width = KEY_WIDTH,
	},
	.histogram = true,
	.causes = true,
	.shares = true,
	.reads_only = tail_reads_only,
	.note = tail_note,
	.check = tail_check,
	.job_bytes = sizeof(struct tail_job),
	.set_up = tail_set_up,
	.job = tail_job,
	.fill = tail_fill,
	.clean_up = tail_clean_up,
};
