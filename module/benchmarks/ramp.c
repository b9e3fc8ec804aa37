// SPDX-License-Identifier: GPL-2.0-only
/*
 * ramp: how fast is a core after a pause?
 *
 * A thread works for MC_WARM_NS, which brings its core to full speed, sleeps for idle=, and
 * then runs a loop over a small working set in steps of STEP_NS. Just before each step it
 * measures the core's clock. A round is all of this, and a sample of a step is its time for
 * a pass in one round. There is a record of the whole and one of each step. Nothing
 * settles before the samples: what other tests wait for is measured here.
 *
 * The last quarter of the steps has the settled speed. A sample of the whole is the median of
 * these steps in one round.
 *
 * The words of each array are consecutive integers before the first round. For the triad
 * a = b + 2 * c they are mantissas of doubles, as in bandwidth.c. The sum of the first array is
 * verified after the last round.
 */
#include "arch/loops.h"
#include "core/math.h"
#include "measure/core_clock.h"
#include "measure/disturbed.h"
#include "measure/measurement.h"
#include "measure/samples.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_IDLE = MC_KEY_FIRST, KEY_OP, KEY_WIDTH, KEY_STEPS };

enum {
	COL_SCOPE, COL_STEP, COL_AT, COL_MB_PER_S, COL_CORE_MHZ, COL_FIRST_MB_PER_S,
	COL_FIRST_CORE_MHZ, COL_IDLE,
};

enum { SCOPE_WHOLE, SCOPE_STEP };

#define STEP_NS		250000ULL
#define WINDOW_NS	25000ULL	/* longest window at full speed */
#define PIECE_NS	50000000ULL	/* a longer pause is interrupted to see a stop */
#define SETTLED_PART	4		/* the last steps: one of so many */
#define ARRAY_LEAST	1024ULL

#define FIRST_WORD	1ULL
#define ONE_BITS	(0x3ffULL << 52)
#define TWO_BITS	(0x400ULL << 52)
#define FOUR_BITS	(0x401ULL << 52)

static const struct mc_key keys[] = {
	{ .name = "idle", .column = "idle_ns", .preset = "0,1ms,5ms,20ms,50ms", .kind = MC_TIME,
	  .max = 1000000000, .help = "how long the core is idle before the steps" },
	{ .name = "op", .column = "op", .preset = "copy", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "read", MC_OP_READ }, { "write", MC_OP_WRITE },
			    { "copy", MC_OP_COPY }, { "triad", MC_OP_TRIAD }),
	  .help = "what the loop does, as in bandwidth" },
	{ .name = "width", .column = "width_bytes", .preset = "max", .kind = MC_CHOICE,
	  .names = mc_width_names, .found = true,
	  .help = "bytes of each access; max: the widest that this CPU has" },
	{ .name = "steps", .column = "steps", .preset = "40", .kind = MC_NUMBER, .min = 4,
	  .max = 400, .single = true, .json_only = true,
	  .help = "number of steps of 0.25 ms; the last quarter has the settled speed" },
};

static const struct mc_column columns[] = {
	[COL_SCOPE] = { .name = "scope",
	  .names = MC_NAMES({ "whole", SCOPE_WHOLE }, { "step", SCOPE_STEP }),
	  .roles = MC_WHICH, .always = true,
	  .help = "what the record is about: all steps, or one" },
	[COL_STEP] = { .name = "step", .roles = MC_WHICH,
	  .help = "number of the step, counted from 1" },
	[COL_AT] = { .name = "at_us", .unit = "time after the pause, us", .roles = MC_OVER,
	  .decimals = 1, .help = "middle of the step" },
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_MAIN,
	  .rate = true,
	  .help = "payload, 10^6 bytes/s, median of the rounds; whole: once it has settled" },
	[COL_CORE_MHZ] = { .name = "core_mhz",
	  .help = "clock of the core just before the step; whole: before the last one" },
	[COL_FIRST_MB_PER_S] = { .name = "first_mb_per_s", .rate = true,
	  .help = "payload in the first step" },
	[COL_FIRST_CORE_MHZ] = { .name = "first_core_mhz",
	  .help = "clock of the core right after the pause" },
	[COL_IDLE] = { .name = "idle_us", .decimals = 1, .json_only = true,
	  .help = "how long the pause really was, median" },
};

/**
 * struct moment - a step in one round
 * @ps: time of a pass; MC_NO_SAMPLE: the clock ran backwards
 * @at: ticks from the end of the pause to the begin of the step
 * @mhz: clock of the core then
 * @disturbed_windows: disturbed windows that do not count
 * @seen: what disturbed it (enum mc_disturbance)
 * @in_time: the time includes the disturbance
 */
struct moment {
	u64 ps;
	u64 at;
	u32 mhz;
	u16 disturbed_windows;
	u8 seen;
	bool in_time;
};

/**
 * struct ramp_job - a point, on one CPU
 * @meas: the measurement
 * @idle_ns: length of a pause
 * @steps: number of steps
 * @done: number of rounds that were kept
 * @moment: array of the steps of each round that is kept
 * @events: array with the events of each step in all of these rounds
 * @slept: array with the real length of each pause, ticks
 * @settled: array for medians of the last steps
 * @scratch: array for medians of rounds
 * @at: progress in the working set
 * @quantum: bytes of an array that a window covers
 */
struct ramp_job {
	struct mc_measurement meas;
	u64 idle_ns;
	u32 steps;
	u32 done;
	struct moment *moment;
	struct mc_events_tally *events;
	u64 *slept;
	u64 *settled;
	u64 *scratch;
	struct mc_progress at;
	u64 quantum;
};

/* Bytes of one array. */
static u64 array_bytes(const struct mc_point *point)
{
	return point->v[MC_KEY_SIZE] / mc_ops[point->v[KEY_OP]].arrays & ~63ULL;
}

static int ramp_check(struct mc_run *run, const struct mc_point *point)
{
	if (array_bytes(point) < ARRAY_LEAST)
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are less than %lluK for each of %u arrays",
			       point->v[MC_KEY_SIZE], ARRAY_LEAST >> 10,
			       mc_ops[point->v[KEY_OP]].arrays);
	return mc_loop_check(point->v[KEY_OP], point->v[KEY_WIDTH], &run->error);
}

/* A window, which @job->at tells of then. */
static int one_window(struct mc_worker *w, struct ramp_job *job)
{
	struct mc_sampler *sampler = job->meas.each;
	int err = mc_pass_window(w, &sampler->pass, &job->at, ~0ULL, job->quantum,
				 job->meas.settings.irq_off);

	if (!err)
		mc_sample_window(w, sampler, &job->at);
	return err;
}

/* --------------------------------------------------------------- the contents */

/* The first word of an array before the first round. */
static u64 first_word(enum mc_op op, unsigned int array)
{
	if (mc_ops[op].stores != MC_STORES_TRIAD || !array)
		return FIRST_WORD;
	return array == 1 ? TWO_BITS : ONE_BITS;
}

/* A pass beside the timed one, whose accesses are no wider. */
static struct mc_pass beside(const struct mc_pass *timed, enum mc_op op)
{
	return mc_pass_beside(timed, op, max(timed->loop->width, MC_WIDTH_SAFE));
}

static int fill(struct mc_worker *w, const struct mc_pass *timed)
{
	struct mc_pass p = beside(timed, MC_OP_FILL);
	unsigned int i;
	int err = 0;

	for (i = 0; i < mc_ops[timed->loop->op].arrays && !err; i++) {
		p.offset[0] = timed->offset[i];
		p.value = first_word(timed->loop->op, i);
		err = mc_pass_untimed(w, &p);
	}
	return err;
}

/* The sum of the first array after whole passes. */
static u64 expected_sum(const struct mc_pass *p)
{
	enum mc_stores stores = mc_ops[p->loop->op].stores;

	if (stores == MC_STORES_COUNTER)
		return mc_pass_sum(p);
	return mc_sum_of_run(stores == MC_STORES_TRIAD ? FOUR_BITS : FIRST_WORD, 1, p->bytes / 8);
}

/* The pass is completed that the last step did not complete. */
static int verify(struct mc_worker *w, struct ramp_job *job)
{
	struct mc_sampler *sampler = job->meas.each;
	const struct mc_pass *p = &sampler->pass;
	struct mc_pass sum = beside(p, MC_OP_SUM);
	int err = 0;

	while (job->at.from && !err)
		err = one_window(w, job);
	err = err ? err : mc_pass_untimed(w, &sum);
	if (!err)
		mc_sampler_verified(sampler, sum.tally.sum == expected_sum(p));
	return err;
}

/* ----------------------------------------------------------------- on the thread */

/* Work until the core has its full speed, and windows have their length. */
static int warm_up(struct mc_worker *w, struct ramp_job *job)
{
	u64 from = mc_ticks(), aim = mc_ns_to_ticks(WINDOW_NS);

	do {
		int err = one_window(w, job);

		if (err)
			return err;
		if (job->at.ticks > aim || job->at.ticks <= aim / 2)
			job->quantum = mc_pass_quantum(&job->meas.each->pass, job->at.ticks > aim ?
						       job->at.bytes / 2 : job->at.bytes * 2);
	} while (w->ended - from < mc_ns_to_ticks(MC_WARM_NS));
	return 0;
}

/* Let the core be idle. Return: 0 or the errno of a stop. */
static int rest(struct mc_worker *w, u64 ns)
{
	int err = 0;
	u64 piece;

	for (; ns && !err; ns -= piece) {
		piece = min(ns, PIECE_NS);
		mc_idle(piece);
		err = mc_threads_stopped(w->threads);
	}
	return err;
}

/* A step, some time after the pause, which ended at @start. It begins with the core's clock. */
static int do_step(struct mc_worker *w, struct ramp_job *job, u64 start,
		   struct mc_events_tally *events, struct moment *out)
{
	struct mc_sampler *sampler = job->meas.each;
	u64 length = mc_pass_length(&sampler->pass), from = mc_ticks(), all = 0;
	int err = mc_window_open(w, job->meas.settings.irq_off);
	struct mc_events_tally one;

	if (err)
		return err;
	out->mhz = mc_core_mhz_now();
	mc_window_close(w);
	mc_sample_begin(w, sampler);
	do {
		err = one_window(w, job);
		if (err)
			return err;
		all += job->at.bytes;
	} while (w->ended - from < mc_ns_to_ticks(STEP_NS));
	mc_disturbed_windows(sampler);
	*out = (struct moment){
		.at = from - start, .mhz = out->mhz, .seen = sampler->sample.seen,
		.disturbed_windows = sampler->sample.disturbed_windows,
		.in_time = sampler->sample.in_time,
		.ps = sampler->sample.clock_bad ? MC_NO_SAMPLE :
		      mc_muldiv(mc_ticks_to_ps(sampler->sample.counted_ticks), length,
				sampler->sample.counted_bytes),
	};
	mc_events_take(w->events, &one);
	mc_events_add(events, &one, length, all);
	return 0;
}

/* The first of the steps that have the settled speed. */
static u32 settled_from(const struct ramp_job *job)
{
	return job->steps - job->steps / SETTLED_PART;
}

/* The median of the last steps in a round, of all or of those that were not disturbed. */
static bool settled_ps(struct ramp_job *job, const struct moment *step, bool all, u64 *ps)
{
	u32 k, n = 0;

	for (k = settled_from(job); k < job->steps; k++) {
		if (step[k].ps != MC_NO_SAMPLE && (all || !step[k].in_time))
			job->settled[n++] = step[k].ps;
	}
	*ps = n ? mc_median(job->settled, n) : MC_NO_SAMPLE;
	return n;
}

/* The whole of a round is a sample. */
static void sum_up(struct ramp_job *job, const struct moment *step)
{
	struct mc_sample *sample = &job->meas.each->sample;
	u32 k;

	*sample = (struct mc_sample){ .worked = 0 };
	for (k = settled_from(job); k < job->steps; k++) {
		sample->seen |= step[k].seen;
		sample->disturbed_windows += step[k].disturbed_windows;
	}
	sample->in_time = !settled_ps(job, step, false, &sample->ps) &&
			  settled_ps(job, step, true, &sample->ps);
	sample->clock_bad = sample->ps == MC_NO_SAMPLE;
}

/*
 * A round. Those that are thrown away use the place of the first one that is kept, and their
 * events are forgotten.
 */
static int take_round(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct ramp_job *job = container_of(sampler->shared, struct ramp_job, meas);
	struct moment *step = &job->moment[job->meas.done * job->steps];
	u64 *slept = &job->slept[job->meas.done], start;
	int err;
	u32 k;

	/* Others have the CPU before a round, and not in it. */
	mc_threads_rest(w, mc_ns_to_ticks(MC_WARM_NS + job->steps * STEP_NS * 3 / 2));
	err = warm_up(w, job);
	start = mc_ticks();
	err = err ? err : rest(w, job->idle_ns);
	*slept = mc_ticks() - start;
	mc_threads_rested(w, *slept);
	start = mc_ticks();
	for (k = 0; k < job->steps && !err; k++) {
		if (!job->meas.done)
			job->events[k] = (struct mc_events_tally){ 0 };
		err = do_step(w, job, start, &job->events[k], &step[k]);
	}
	if (!err)
		sum_up(job, step);
	return err;
}

static int ramp_job(struct mc_worker *w, void *arg)
{
	struct ramp_job *job = arg;
	struct mc_pass *p = &job->meas.each->pass;
	int err = fill(w, p);

	job->quantum = mc_pass_least(p);
	err = err ? err : mc_measure(w, &job->meas);
	return err ? err : verify(w, job);
}

/* ------------------------------------------------------------------ the records */

/* A step in a round. */
static const struct moment *moment_of(const struct ramp_job *job, u32 step, u32 round)
{
	return &job->moment[(u64)round * job->steps + step];
}

static void fill_step(struct mc_record *rec, struct ramp_job *job, u32 step)
{
	u32 i;

	/* Forget the samples of the last record. */
	job->meas.done = 0;
	job->meas.left_out = 0;
	job->meas.disturbed.windows_left_out = 0;
	for (i = 0; i < job->done; i++) {
		const struct moment *m = moment_of(job, step, i);

		job->meas.each->sample = (struct mc_sample){
			.clock_bad = m->ps == MC_NO_SAMPLE, .seen = m->seen,
			.disturbed_windows = m->disturbed_windows, .in_time = m->in_time,
		};
		mc_measurement_append(&job->meas, m->ps);
	}
	job->meas.events = (struct mc_events_total){ 0 };
	mc_events_join(&job->meas.events, &job->events[step]);
	mc_measurement_record(&job->meas, rec);
	rec->steady = MC_STEADY_NOT_KNOWN;
	mc_record_set(rec, COL_SCOPE, SCOPE_STEP);
	mc_record_set(rec, COL_STEP, step + 1);
	if (!rec->stats.samples)
		return;
	mc_record_set(rec, COL_MB_PER_S, mc_mb_per_s(rec->payload_bytes, rec->stats.median_ps));
	for (i = 0; i < job->done; i++)
		job->scratch[i] = moment_of(job, step, i)->at;
	mc_record_set(rec, COL_AT, STEP_NS / 200 +
		      mc_rounded(mc_ticks_to_ps(mc_median(job->scratch, job->done)), 1, 100000));
	for (i = 0; i < job->done; i++)
		job->scratch[i] = moment_of(job, step, i)->mhz;
	mc_record_set(rec, COL_CORE_MHZ, mc_median(job->scratch, job->done));
}

/* Events of the last steps, each of which is a pass of its round. */
static void sum_events(struct ramp_job *job)
{
	struct mc_events_tally sum = { 0 };
	u32 k;

	for (k = settled_from(job); k < job->steps; k++)
		mc_events_add(&sum, &job->events[k], 1, 1);
	mc_events_join(&job->meas.events, &sum);
}

static void fill_whole(struct mc_record *rec, struct ramp_job *job)
{
	const struct mc_record *step = rec + 1;
	u32 k, n = 0;

	mc_record_set(rec, COL_SCOPE, SCOPE_WHOLE);
	if (!rec->stats.samples)
		return;
	/* Were the last steps steady, too? */
	for (k = settled_from(job); k < job->steps; k++)
		job->settled[n++] = step[k].stats.median_ps;
	if (rec->steady != MC_STEADY_NO)
		rec->steady = mc_steady_of(job->settled, n, MC_SAMPLES_PERMILLE);
	mc_record_set(rec, COL_MB_PER_S, mc_mb_per_s(rec->payload_bytes, rec->stats.median_ps));
	if (step->has >> COL_MB_PER_S & 1)
		mc_record_set(rec, COL_FIRST_MB_PER_S, step->value[COL_MB_PER_S]);
	mc_record_set(rec, COL_FIRST_CORE_MHZ, step->value[COL_CORE_MHZ]);
	mc_record_set(rec, COL_CORE_MHZ, step[job->steps - 1].value[COL_CORE_MHZ]);
	mc_record_set(rec, COL_IDLE,
		      mc_rounded(mc_ticks_to_ps(mc_median(job->slept, job->done)), 1, 100000));
}

static void ramp_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct ramp_job *job = arg;
	const struct mc_pass *p = &job->meas.each->pass;
	u32 i;

	for (i = 0; i <= job->steps; i++) {
		rec[i].threads = rec->threads;
		rec[i].cpu = rec->cpu;
		rec[i].point.v[KEY_WIDTH] = p->loop->width;
		rec[i].payload_bytes = p->bytes * mc_ops[p->loop->op].payload;
	}
	job->done = job->meas.done;
	sum_events(job);
	job->meas.each->cal.passes_a_sample = job->steps / SETTLED_PART;
	mc_measurement_record(&job->meas, rec);
	job->meas.each->cal.passes_a_sample = 1;
	for (i = 0; i < job->steps; i++)
		fill_step(&rec[1 + i], job, i);
	fill_whole(rec, job);
}

/* -------------------------------------------------------------------- the run */

static int ramp_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	struct ramp_job *job = arg;
	struct mc_measurement *meas = &job->meas;
	struct mc_pass *p = &job->meas.each->pass;
	unsigned int i;

	mc_settling_begin(&meas->settling, meas->settings.warmup, 0);
	meas->hooks.take = take_round;
	/* Windows this short are not checked for stolen time. */
	meas->disturbed.watched = mc_detector_kinds(-1);
	*p = (struct mc_pass){
		.loop = mc_loop_chosen(point->v[KEY_OP], point->v[KEY_WIDTH]),
		.view = run->area.view, .bytes = array_bytes(point), .value = FIRST_WORD,
		.drain = op->stores && point->v[MC_KEY_TYPE] != MC_WB,
	};
	for (i = 0; i < op->arrays; i++)
		p->offset[i] = i * p->bytes;
	job->idle_ns = point->v[KEY_IDLE];
	job->steps = point->v[KEY_STEPS];
	job->events = mc_measurement_array(meas, job->steps, sizeof(*job->events));
	job->settled = mc_measurement_array(meas, job->steps, sizeof(u64));
	if (!job->events || !job->settled ||
	    !mc_measurement_per_sample(meas, &job->moment, job->steps * sizeof(*job->moment)) ||
	    !mc_measurement_per_sample(meas, &job->slept, sizeof(u64)) ||
	    !mc_measurement_per_sample(meas, &job->scratch, sizeof(u64)))
		return mc_fail(&run->error, -ENOMEM, "repeat: no memory for %u rounds",
			       meas->arrays.room);
	return 0;
}

const struct mc_test mc_test_ramp = {
	.spec = {
		.name = "ramp",
		.help = "how fast a core is after a pause, step by step; CPUs take turns",
		.presets = "size=16K",
		MC_KEYS_AND_COLUMNS,
		.width = KEY_WIDTH,
	},
	.table =
		"rows=idle_ns values=ms_to_95,lost_bytes,first_mb_per_s,mb_per_s,first_core_mhz,core_mhz scope=whole",
	.records = MC_RECORD_OF_STEP,
	.steps = KEY_STEPS,
	.check = ramp_check,
	.job_bytes = sizeof(struct ramp_job),
	.set_up = ramp_set_up,
	.job = ramp_job,
	.fill = ramp_fill,
};
