// SPDX-License-Identifier: GPL-2.0-only
/*
 * loaded: latency while other CPUs load the memory.
 *
 * One CPU follows pointers. All other CPUs access memory of their own line by line, in
 * order or at random, and count down from delay= after each line: the longer the delay,
 * the lower the load.
 * A sample is the time of so many loads, in which each of the others has completed a window, too
 * (measure/together.c). What the others move in the samples that are kept is the load.
 */
#include "core/math.h"
#include "measure/chase.h"
#include "measure/source.h"
#include "measure/measurement.h"
#include "measure/together.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_OP = MC_KEY_FIRST, KEY_PATTERN, KEY_DELAY, KEY_LATENCY_CPU };

enum {
	COL_LATENCY_CPU, COL_NS, COL_MB_PER_S, COL_LOAD_MB_PER_S, COL_DELAY_NS,
	COL_LOADS, COL_LEVEL,
};

#define LOADS_MOST	32768ULL	/* loads of a sample */
#define GAUGE_LINES	64ULL		/* one page, which fits in L1 */
#define GAUGE_ROUNDS	8

static const struct mc_key keys[] = {
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE,
	  .names = MC_LOAD_OPS, .help =
	  "operation of the load; rw31: 3 lines read, 1 written; nt: non-temporal; copy: a=b, triad: a=b+2c",
	},
	{ .name = "pattern", .column = "pattern", .preset = "sequential", .kind = MC_CHOICE,
	  .names = mc_load_patterns,
	  .help = "order of the load's lines: one after another, or each at a random place" },
	{ .name = "delay", .column = "delay_cycles",
	  .preset = "0,2,8,15,50,100,200,300,400,500,700,1000,1300,1700,2500,3500,5000,9000,20000",
	  .kind = MC_NUMBER, .max = 1000000,
	  .help = "countdown after each line of the load; a count takes about a cycle" },
	{ .name = "latency_cpu", .preset = "auto", .single = true, .kind = MC_NUMBER,
	  .names = MC_NAMES({ "auto", MC_AUTO }), .max = MC_MAX_CPUS - 1,
	  .help = "CPU of cpu= that follows pointers; auto: the first one" },
};

static const struct mc_column columns[] = {
	[COL_LATENCY_CPU] = { .name = "latency_cpu",
	  .help = "CPU that followed pointers; the others made load" },
	[COL_NS] = { .name = "ns_per_load", .unit = "ns a load", .roles = MC_MAIN | MC_EACH,
	  .decimals = 3, .help = "time of a load, from the median sample" },
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_OVER,
	  .rate = true,
	  .help = "payload of all threads, lines of pointers included, 10^6 bytes/s" },
	[COL_LOAD_MB_PER_S] = { .name = "load_mb_per_s", .unit = "MB/s of the load",
	  .rate = true, .json_only = true,
	  .help = "payload of the threads that make load, 10^6 bytes/s" },
	[COL_DELAY_NS] = { .name = "delay_ns", .decimals = 3,
	  .help = "time that the countdown adds to a line, measured in L1" },
	[COL_LOADS] = { .name = "loads_per_pass", .roles = MC_COUNT | MC_DETAIL,
	  .json_only = true, .help = "number of pointers followed in a pass" },
	[COL_LEVEL] = MC_LEVEL_COLUMN,
};

/**
 * struct loaded_job - a point
 * @meas: the measurement of latency
 * @together: the threads, whose leader follows pointers
 * @loads: least number of loads in a sample
 * @delay: the countdown of the load
 * @delay_ps: duration of the countdown
 * @delay_known: it was measured
 */
struct loaded_job {
	struct mc_measurement meas;
	struct mc_together together;
	u64 loads;
	u64 delay;
	u64 delay_ps;
	bool delay_known;
};

/* ------------------------------------------------------- check the request */

/* Index of the thread that follows pointers; the number of threads if there is none. */
static unsigned int chaser_of(const struct mc_run *run, const struct mc_point *point)
{
	unsigned int i, n = mc_threads_size(run->threads);

	if (point->v[KEY_LATENCY_CPU] == MC_AUTO)
		return 0;
	for (i = 0; i < n; i++) {
		if (mc_threads_cpu(run->threads, i) == (int)point->v[KEY_LATENCY_CPU])
			break;
	}
	return i;
}

static u64 slice_of(const struct mc_run *run, const struct mc_point *point)
{
	return point->v[MC_KEY_SIZE] / mc_threads_size(run->threads) & ~(MC_LINE - 1);
}

static int loaded_check(struct mc_run *run, const struct mc_point *point)
{
	if (mc_threads_size(run->threads) < 2)
		return mc_fail(&run->error, -EINVAL,
			       "cpu: one CPU follows pointers and others load; list two at least, or all");
	if (chaser_of(run, point) == mc_threads_size(run->threads))
		return mc_fail(&run->error, -EINVAL,
			       "latency_cpu: %llu is not one of cpu=",
			       point->v[KEY_LATENCY_CPU]);
	if (slice_of(run, point) < MC_CHASE_PAGE_BYTES)
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are less than a page for each of %u threads",
			       point->v[MC_KEY_SIZE], mc_threads_size(run->threads));
	return 0;
}

static int loaded_near(const struct mc_run *run, const struct mc_point *point)
{
	return mc_threads_cpu(run->threads, chaser_of(run, point));
}

/* --------------------------------------------------------------- the samples */

/* Measure what the countdown adds to a line in L1, by the fastest of some rounds. */
static int measure_delay(struct mc_worker *w, struct loaded_job *job)
{
	const struct mc_chase *chase = &job->together.each[job->together.leader].chase;
	struct mc_paced args = {
		.reads = 1, .end = 1, .stride = MC_LINE,
		.place[0] = mc_view_at(chase->view, chase->offset, NULL),
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
			best[i % 2] = min(best[i % 2], mc_ticks_to_ps(ticks) / lines);
	}
	/* No round may have lasted a tick: then only the time of no delay is known. */
	job->delay_known = !job->delay || max(best[0], best[1]) != ~0ULL;
	job->delay_ps = job->delay ? best[1] - min(best[0], best[1]) : 0;
	return 0;
}

/*
 * The sample is that of the thread that follows pointers: the picoseconds that job->loads loads
 * take. Where a loading thread was out of its windows for more than half of it, it is one of
 * another load.
 */
static u64 loaded_time(struct mc_measurement *meas)
{
	struct loaded_job *job = container_of(meas, struct loaded_job, meas);
	struct mc_sampler *chaser = &meas->each[job->together.leader], *one;
	u64 loads = chaser->sample.counted_bytes / MC_LINE;

	for (one = meas->each; one < meas->each + meas->n; one++) {
		if (one == chaser)
			continue;
		one->sample = (struct mc_sample){
			.worked = ~0ULL, .counted_bytes = one->sample.counted_bytes,
			.no_overlap = !meas->disturbed.keep &&
				 one->lap.work < (one->lap.to - one->lap.from) / 2,
		};
	}
	return mc_muldiv(mc_ticks_to_ps(chaser->sample.counted_ticks), job->loads, loads);
}

static int loaded_job(struct mc_worker *w, void *arg)
{
	struct loaded_job *job = arg;
	int err = w->index == job->together.leader ? measure_delay(w, job) : 0;

	return err ? err : mc_together_measure(w, &job->meas);
}

/* ---------------------------------------------------------------- the record */

/* Payload of all loading threads, in 1000 bytes a second. */
static u64 load_rate(const struct loaded_job *job)
{
	u64 rate = 0;
	unsigned int i;

	for (i = 0; i < job->together.n; i++) {
		const struct mc_together_thread *load = &job->together.each[i];

		if (i != job->together.leader && load->ticks)
			rate += mc_mb_per_s(load->bytes, mc_ticks_to_ps(load->ticks));
	}
	return rate;
}

static void loaded_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct loaded_job *job = arg;
	u64 rate = load_rate(job), ps;

	mc_events_join(&job->meas.events, &job->together.each[job->together.leader].events);
	mc_measurement_record(&job->meas, rec);
	mc_record_set(rec, COL_LATENCY_CPU, mc_threads_cpu(run->threads, job->together.leader));
	mc_record_set(rec, COL_LOADS, job->loads);
	if (job->delay_known)
		mc_record_set(rec, COL_DELAY_NS, job->delay_ps);
	if (!rec->stats.samples)
		return;
	ps = max(mc_rounded(rec->stats.median_ps, 1, job->loads), 1ULL);
	mc_record_set(rec, COL_NS, ps);
	mc_record_set(rec, COL_LOAD_MB_PER_S, rate);
	rate += mc_mb_per_s(MC_LINE * job->loads, rec->stats.median_ps);
	mc_record_set(rec, COL_MB_PER_S, rate);
}

static int loaded_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct loaded_job *job = arg;
	struct mc_together *together = &job->together;
	u64 slice = slice_of(run, point);
	unsigned int i;
	int err = mc_together_begin(together, run, &job->meas);

	if (err)
		return err;
	job->meas.hooks.time = loaded_time;
	job->delay = point->v[KEY_DELAY];
	job->loads = min(slice / MC_LINE, LOADS_MOST);
	together->leader = chaser_of(run, point);
	together->least_bytes = job->loads * MC_LINE;
	for (i = 0; i < together->n && !err; i++) {
		struct mc_part part = mc_measurement_part(together->n, &run->area, i);
		struct mc_load load = {
			.mix = i == together->leader ? NULL : &mc_mixes[point->v[KEY_OP]],
			.random = point->v[KEY_PATTERN], .delay = job->delay,
			.view = part.view, .start = part.index * slice, .slice = slice,
		};

		err = mc_together_set(&job->meas, i, &load, &run->error);
	}
	together->each[together->leader].pass = together->least_bytes;
	return err;
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
		MC_KEYS_AND_COLUMNS,
	},
	.table = "rows=delay_cycles values=delay_ns,ns_per_load,mb_per_s,load_mb_per_s",
	.pointers = true,
	.level = COL_LEVEL,
	.uncached = loaded_uncached,
	.near = loaded_near,
	.near_only = true,
	.shares = true,
	.check = loaded_check,
	.job_bytes = sizeof(struct loaded_job),
	.set_up = loaded_set_up,
	.job = loaded_job,
	.fill = loaded_fill,
};
