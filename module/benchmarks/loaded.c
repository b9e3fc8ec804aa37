// SPDX-License-Identifier: GPL-2.0-only
/*
 * loaded: latency while other CPUs load the memory.
 *
 * One CPU follows pointers. All other CPUs access memory of their own line by line, in
 * order or at random, and count down from delay= after each line: the longer the delay,
 * the lower the load.
 * The clock starts once all of them are running. What they move during the samples is the
 * load. They stop when the last sample is taken.
 */
#include "measure/chase.h"
#include "measure/load.h"
#include "measure/served.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_OP = MC_KEY_OWN, KEY_PATTERN, KEY_DELAY, KEY_LATENCY_CPU };

enum {
	COL_LATENCY_CPU, COL_NS, COL_MB_PER_S, COL_LOAD_MB_PER_S, COL_DELAY_NS,
	COL_LOADS, COL_LEVEL,
};

#define LINE		MC_LOAD_LINE
#define LOADS_MOST	32768ULL	/* loads of a sample */
#define GAUGE_LINES	64ULL		/* one page, which fits in L1 */
#define GAUGE_ROUNDS	8

static const struct mc_name auto_names[] = { { "auto", MC_AUTO }, { } };

static const struct mc_key keys[] = {
	{
		.name = "op", .column = "op", .preset = "read",
		.kind = MC_CHOICE, .names = MC_LOAD_OPS,
		.help =
			"operation of the load; rw31: 3 lines read, 1 written; nt: non-temporal; copy: a=b, triad: a=b+2c",
	}, {
		.name = "pattern", .column = "pattern", .preset = "sequential",
		.kind = MC_CHOICE, .names = mc_load_patterns,
		.help = "order of the load's lines: one after another, or each at a random place",
	}, {
		.name = "delay", .column = "delay_cycles", .preset =
			"0,2,8,15,50,100,200,300,400,500,700,1000,1300,1700,2500,3500,5000,9000,20000",
		.kind = MC_NUMBER, .max = 1000000,
		.help = "countdown after each line of the load; a count takes about a cycle",
	}, {
		.name = "latency_cpu", .preset = "auto", .single = true,
		.kind = MC_NUMBER, .names = auto_names, .max = MC_MAX_CPUS - 1,
		.help = "CPU of cpu= that follows pointers; auto: the first one",
	},
};

static const struct mc_column columns[] = {
	[COL_LATENCY_CPU] = {
		.name = "latency_cpu", .help = "CPU that followed pointers; the others made load",
	},
	[COL_NS] = {
		.name = "ns_per_load", .unit = "ns a load", .roles = MC_MAIN | MC_EACH,
		.decimals = 3, .help = "time of a load, from the median sample",
	},
	[COL_MB_PER_S] = {
		.name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_OVER, .decimals = 1,
		.help = "payload of all threads, lines of pointers included, 10^6 bytes/s",
	},
	[COL_LOAD_MB_PER_S] = {
		.name = "load_mb_per_s", .unit = "MB/s of the load", .decimals = 1,
		.json_only = true,
		.help = "payload of the threads that make load, 10^6 bytes/s",
	},
	[COL_DELAY_NS] = {
		.name = "delay_ns", .decimals = 3,
		.help = "time that the countdown adds to a line, measured in L1",
	},
	[COL_LOADS] = {
		.name = "loads_per_pass", .roles = MC_COUNT | MC_DETAIL, .json_only = true,
		.help = "number of pointers followed in a pass",
	},
	[COL_LEVEL] = MC_LEVEL_COLUMN,
};

/**
 * struct load_done - what a loading thread has done up to the end of a window, and of those that
 * count down behind it
 * @bytes: bytes that it has moved
 * @inside: ticks that it has spent in windows in which nobody preempted it
 * @ended: ticks at the end of the window; 0: there was none yet
 */
struct load_done {
	u64 bytes;
	u64 inside;
	u64 ended;
};

/**
 * struct share - a loading thread
 * @windows: number of windows that it has completed
 * @done: what it has done up to the last window, at @windows modulo 2, and up to that before
 * @before: what it had done when the sample began
 * @bytes: bytes that it has moved in all samples that were kept
 * @ticks: time that it took for them
 * @load: what it does, and where
 */
struct share {
	u32 windows;
	struct load_done done[2];
	struct load_done before;
	u64 bytes;
	u64 ticks;
	struct mc_load load;
};

/**
 * struct loaded_job - a point
 * @meas: the measurement of latency
 * @chase: the cycle of pointers
 * @at: current element of the cycle
 * @loads: least number of loads in a sample
 * @quantum: number of loads in a window
 * @area: the memory
 * @slice: bytes of the memory that each thread has
 * @delay: the countdown of the load
 * @delay_ps: duration of the countdown
 * @chaser: index of the thread that follows pointers
 * @n: number of threads
 * @over: the last sample was taken
 * @share: array of @n shares
 */
struct loaded_job {
	struct mc_measurement meas;
	struct mc_chase chase;
	void **at;
	u64 loads;
	u64 quantum;
	const struct mc_area *area;
	u64 slice;
	u64 delay;
	u64 delay_ps;
	unsigned int chaser;
	unsigned int n;
	u32 over;
	struct share *share;
};

/* ------------------------------------------------------- check the request */

/* Index of the thread that follows pointers; the team's size if there is none. */
static unsigned int chaser_of(const struct mc_run *run,
			      const struct mc_point *point)
{
	unsigned int i, n = mc_team_size(run->team);

	if (point->v[KEY_LATENCY_CPU] == MC_AUTO)
		return 0;
	for (i = 0; i < n; i++) {
		if (mc_team_cpu(run->team, i) == (int)point->v[KEY_LATENCY_CPU])
			break;
	}
	return i;
}

static u64 slice_of(const struct mc_run *run, const struct mc_point *point)
{
	return point->v[MC_KEY_SIZE] / mc_team_size(run->team) & ~(LINE - 1);
}

static int loaded_check(struct mc_run *run, const struct mc_point *point)
{
	if (mc_team_size(run->team) < 2)
		return mc_fail(&run->error, -EINVAL,
			       "cpu: one CPU follows pointers and others load; list two at least, or all");
	if (chaser_of(run, point) == mc_team_size(run->team))
		return mc_fail(&run->error, -EINVAL,
			       "latency_cpu: %llu is not one of cpu=",
			       point->v[KEY_LATENCY_CPU]);
	if (slice_of(run, point) < MC_CHASE_PAGE_BYTES)
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are less than a page for each of %u threads",
			       point->v[MC_KEY_SIZE], mc_team_size(run->team));
	return 0;
}

static int loaded_near(const struct mc_run *run, const struct mc_point *point)
{
	return mc_team_cpu(run->team, chaser_of(run, point));
}

/* ------------------------------------------------------------------ the load */

/*
 * Ticks that the thread has spent in the window that was just closed. A short gap before it
 * belongs to it: windows of a small slice take no longer than it takes to open one.
 */
static u64 time_inside(const struct mc_worker *w, u64 last_ended, u64 ticks)
{
	u64 gap = w->began - last_ended;

	if (mc_shared_window(w))
		return 0;
	return w->disturbed & MC_BY_PREEMPTION || gap > mc_ns_to_ticks(MC_PAUSE_NS) ?
	       ticks : ticks + gap;
}

/* Called by the loading thread, while others may read what it had done before. */
static void publish_done(struct share *s, const struct load_done *done)
{
	struct load_done *next = &s->done[(s->windows + 1) % 2];

	WRITE_ONCE(next->bytes, done->bytes);
	WRITE_ONCE(next->inside, done->inside);
	WRITE_ONCE(next->ended, done->ended);
	mc_flag_set(&s->windows, s->windows + 1);
}

/* Bytes, time in windows and last end of the thread, which goes on working meanwhile. */
static struct load_done read_done(const struct share *s)
{
	struct load_done done;
	u32 windows;

	do {
		const struct load_done *from;

		windows = mc_flag(&s->windows);
		from = &s->done[windows % 2];
		done.bytes = READ_ONCE(from->bytes);
		done.inside = READ_ONCE(from->inside);
		done.ended = READ_ONCE(from->ended);
		mc_order_reads();
	} while (READ_ONCE(s->windows) != windows);
	return done;
}

/* Work in a window, and count down behind it in as many more as it takes. */
static int load_once(struct mc_worker *w, struct share *s, struct mc_walk *walk, bool irq_off)
{
	struct load_done done = s->done[s->windows % 2];
	u64 all = 0, ticks;

	do {
		int err = mc_window_open(w, irq_off);

		if (err)
			return err;
		done.bytes += mc_walk_window(walk);
		ticks = mc_window_close(w);
		done.inside += time_inside(w, done.ended, ticks);
		done.ended = w->ended;
		all += ticks;
	} while (walk->owed);
	mc_walk_fit(walk, all);
	publish_done(s, &done);
	return 0;
}

static int load_until_end(struct mc_worker *w, struct loaded_job *job)
{
	struct share *s = &job->share[w->index];
	struct mc_walk walk;
	int err = 0;

	mc_walk_begin(&walk, &s->load, w->index);
	while (!err && !mc_flag(&job->over))
		err = load_once(w, s, &walk, job->meas.each->settings.irq_off);
	return err;
}

/* ------------------------------------------------------------- the latency */

/* Measure what the countdown adds to a line in L1, by the fastest of some rounds. */
static int measure_delay(struct mc_worker *w, struct loaded_job *job)
{
	struct mc_paced args = {
		.reads = 1, .end = 1, .stride = LINE,
		.place[0] = mc_view_at(job->chase.view, job->chase.offset, NULL),
	};
	u64 best[2] = { ~0ULL, ~0ULL };
	int i;

	for (i = 0; i < 2 * GAUGE_ROUNDS; i++) {
		u64 lines = job->delay > 1000 ? 4 : GAUGE_LINES, ticks;
		int err = mc_window_open(w, false);

		if (err)
			return err;
		args.delay = i % 2 ? job->delay : 0;
		args.steps = lines;
		mc_asm_paced(&args);
		ticks = mc_window_close(w);
		if (ticks)
			best[i % 2] = min(best[i % 2],
					  mc_ticks_to_ps(ticks) / lines);
	}
	job->delay_ps = best[1] - min(best[0], best[1]);
	return 0;
}

/* Wait until each loading thread has completed a window that ended at @ticks or later. */
static int wait_for_load(struct mc_worker *w, struct loaded_job *job, u64 ticks)
{
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		while (i != job->chaser && read_done(&job->share[i]).ended < ticks) {
			if (mc_team_stopped(w->team))
				return mc_team_stopped(w->team);
			mc_relax();
			mc_breathe();
		}
	}
	return 0;
}

/* Has each loading thread completed a window since note_load()? */
static bool load_went_on(const struct loaded_job *job)
{
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		const struct share *s = &job->share[i];

		if (i != job->chaser && read_done(s).ended == s->before.ended)
			return false;
	}
	return true;
}

static void note_load(struct loaded_job *job)
{
	unsigned int i;

	for (i = 0; i < job->n; i++)
		job->share[i].before = read_done(&job->share[i]);
}

/*
 * Was each loading thread in its windows for at least half of the sample that has just ended?
 * From its last window before the sample to the first that ended after it, so that a window
 * in which it was preempted does not count, even if it reaches out of the sample.
 */
static bool load_was_there(const struct loaded_job *job)
{
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		const struct share *s = &job->share[i];
		struct load_done now = read_done(s);

		if (i != job->chaser &&
		    now.inside - s->before.inside < (now.ended - s->before.ended) / 2)
			return false;
	}
	return true;
}

/* The load of the sample that was just kept. */
static void add_load(struct loaded_job *job)
{
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		struct share *s = &job->share[i];
		struct load_done now = read_done(s);

		s->bytes += now.bytes - s->before.bytes;
		s->ticks += now.ended - s->before.ended;
	}
}

/* Run one window of a sample. */
static int chase_window(struct mc_worker *w, struct loaded_job *job, u64 *ticks)
{
	struct mc_sampler *sampler = job->meas.each;
	int err = mc_window_open(w, sampler->settings.irq_off);

	if (err)
		return err;
	job->at = mc_asm_chase(job->at, job->quantum);
	*ticks = mc_measurement_close(w, sampler);
	return 0;
}

/*
 * Take a sample: the picoseconds that job->loads loads take, and the events of their CPU.
 * It continues until every loading thread has completed a window. A sample during which one
 * of them was out of its windows for more than half of the time is of another load.
 */
static int one_sample(struct mc_worker *w, struct loaded_job *job)
{
	u64 loads = 0, all = 0, ticks = 0;
	bool apart;
	int err;

	mc_sample_begin(w, job->meas.each);
	note_load(job);
	while (loads < job->loads || !load_went_on(job)) {
		err = chase_window(w, job, &ticks);
		if (err)
			return err;
		loads += job->quantum;
		all += ticks;
		job->quantum = mc_chase_fit(job->quantum, job->loads, ticks);
	}
	err = wait_for_load(w, job, w->ended);
	if (err)
		return err;
	apart = !job->meas.keep_disturbed && !load_was_there(job);
	job->meas.each->sample.apart = apart;
	if (!mc_measurement_keep(&job->meas, mc_muldiv(mc_ticks_to_ps(all), job->loads, loads)))
		return 0;
	mc_measurement_events(&job->meas, w->events, job->loads, loads);
	if (!apart)
		add_load(job);
	return 0;
}

static int chase_under_load(struct mc_worker *w, struct loaded_job *job)
{
	int err = wait_for_load(w, job, 1);

	job->at = mc_chase_at(&job->chase, 0);
	job->quantum = min(MC_CHASE_LEAST, job->loads);
	while (!err && mc_measurement_wants(&job->meas))
		err = one_sample(w, job);
	return err;
}

static int loaded_job(struct mc_worker *w, void *arg)
{
	struct loaded_job *job = arg;
	int err = 0;

	if (w->index == job->chaser) {
		err = measure_delay(w, job);
		err = err ? err : mc_chase_link(w, &job->chase);
	}
	err = err ? err : mc_barrier(w);
	if (err)
		return err;
	if (w->index != job->chaser)
		return load_until_end(w, job);
	err = chase_under_load(w, job);
	mc_flag_set(&job->over, true);
	return err;
}

/* ---------------------------------------------------------------- the record */

/* Payload of all loading threads, in tenths of 10^6 bytes a second. */
static u64 load_rate(const struct loaded_job *job)
{
	u64 rate = 0;
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		const struct share *s = &job->share[i];

		if (s->ticks)
			rate += mc_muldiv(s->bytes, 10000000, mc_ticks_to_ps(s->ticks));
	}
	return rate;
}

static void fill_record(struct mc_record *rec, struct loaded_job *job,
			const struct mc_team *team)
{
	u64 rate = load_rate(job), ps;

	mc_measurement_record(&job->meas, rec);
	mc_record_set(rec, COL_LATENCY_CPU, mc_team_cpu(team, job->chaser));
	mc_record_set(rec, COL_LOADS, job->loads);
	mc_record_set(rec, COL_DELAY_NS, job->delay_ps);
	if (!rec->stats.samples)
		return;
	ps = max(rec->stats.median_ps / job->loads, 1ULL);
	mc_record_set(rec, COL_NS, ps);
	mc_record_set(rec, COL_LOAD_MB_PER_S, rate);
	mc_record_set(rec, COL_MB_PER_S, rate + LINE * 10000000 / ps);
}

/* Find each thread's slice, and let those of the load be gone through. */
static int place_slices(struct mc_run *run, struct loaded_job *job,
			const struct mc_point *point)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < job->n && !err; i++) {
		struct mc_part part = mc_measurement_part(&job->meas, job->area, i);

		job->share[i].load = (struct mc_load){
			.mix = &mc_mixes[point->v[KEY_OP]],
			.random = point->v[KEY_PATTERN], .delay = job->delay,
			.view = part.view, .start = part.index * job->slice,
			.slice = job->slice,
		};
		if (i != job->chaser)
			err = mc_load_begin(&job->share[i].load, &run->error);
	}
	return err;
}

static void free_shares(struct loaded_job *job)
{
	unsigned int i;

	for (i = 0; i < job->n; i++)
		mc_load_end(&job->share[i].load);
	mc_free(job->share);
}

static int measure(struct mc_run *run, const struct mc_point *point,
		   struct loaded_job *job, struct mc_record *rec)
{
	int err = mc_measurement_begin(&job->meas, run, point);

	if (err)
		goto end;
	job->share = mc_alloc_array(job->n, sizeof(*job->share));
	if (!job->share) {
		err = mc_fail(&run->error, -ENOMEM, "cpu: no memory for %u thread%s",
			      job->n, MC_S(job->n));
		goto end;
	}
	mc_measurement_settle(&job->meas, MC_WARM_NS);
	job->meas.tries_left = job->meas.each->settings.repeat + MC_TRIES_MORE;
	err = place_slices(run, job, point);
	if (!err) {
		job->chase.view = job->share[job->chaser].load.view;
		job->chase.offset = job->share[job->chaser].load.start;
		err = mc_team_run(run->team, loaded_job, job);
		fill_record(rec, job, run->team);
	}
	free_shares(job);
end:
	mc_measurement_end(&job->meas);
	return err;
}

static int loaded_run(struct mc_run *run, const struct mc_point *point,
		      struct mc_record *rec)
{
	struct loaded_job job = { .area = &run->area };

	job.slice = slice_of(run, point);
	job.delay = point->v[KEY_DELAY];
	job.chaser = chaser_of(run, point);
	job.n = mc_team_size(run->team);
	job.chase = (struct mc_chase){
		.stride = LINE, .n = job.slice / LINE,
		.order = MC_CHASE_RANDOM,
	};
	job.loads = min(job.chase.n, LOADS_MOST);
	return measure(run, point, &job, rec);
}

static enum mc_uncached loaded_uncached(const struct mc_point *point)
{
	return mc_mixes[point->v[KEY_OP]].nt ? MC_UNCACHED_SOME : MC_UNCACHED_NONE;
}

const struct mc_test mc_test_loaded = {
	.spec = {
		.name = "loaded",
		.help = "latency on one CPU while all others load the memory",
		.presets = "size=auto cpu=all prefetch=auto",
		.keys = keys,
		.nkeys = ARRAY_SIZE(keys),
		.columns = columns,
		.ncolumns = ARRAY_SIZE(columns),
	},
	.table = "rows=delay_cycles values=delay_ns,ns_per_load,mb_per_s,load_mb_per_s",
	.pointers = true,
	.level = COL_LEVEL,
	.uncached = loaded_uncached,
	.near = loaded_near,
	.near_only = true,
	.shares = true,
	.check = loaded_check,
	.run = loaded_run,
};
