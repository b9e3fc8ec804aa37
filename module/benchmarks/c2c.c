// SPDX-License-Identifier: GPL-2.0-only
/*
 * c2c: the cost of loading a line that another CPU's cache holds.
 *
 * This runs for each ordered pair of CPUs that pairs= chooses. The writer takes the lines
 * into its cache, modified (HITM) or clean (HIT). Then the reader follows a cycle of
 * pointers through them once, so that the writer's cache serves each of its loads. With
 * loads=independent it reads all lines in order, as fast as it can. The test checks that the
 * reader sees what the writer has written. With state=cas the two hand one word back and forth,
 * by compare and swap.
 */
#include "core/math.h"
#include "measure/chase.h"
#include "measure/source.h"
#include "measure/test.h"
#include "measure/measurement.h"
#include "measure/pairs.h"
#include "platform/clock.h"
#include "platform/os.h"

enum {
	KEY_STATE = MC_KEY_FIRST, KEY_LOADS, KEY_HOME, KEY_STRIDE, KEY_PAIRS, KEY_SEED, KEY_SKIP,
	KEY_MOST,
};

enum {
	COL_WRITER, COL_READER, COL_SIBLINGS, COL_SHARES, COL_DISTANCE, COL_LEVEL, COL_NS,
	COL_MB_PER_S, COL_NS_MIN, COL_LINES,
};

enum { HITM, HIT, CAS };
enum { DEPENDENT, INDEPENDENT };
enum { HOME_WRITER, HOME_READER };
enum { WRITER, READER };

#define LINES_AT_ONCE	1024ULL	/* of a window: at 4 us a line, 4 ms; or turns of a CPU */
#define TRIES		32768ULL	/* failed ones of a window, of which some move the line */

static const struct mc_name most_names[] = { { "all", MC_AUTO }, { } };

static const struct mc_name yes_no[] = { { "yes", 1 }, { "no", 0 }, { } };

static const struct mc_key keys[] = {
	{ .name = "state", .column = "state", .preset = "hitm,hit", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "hitm", HITM }, { "hit", HIT }, { "cas", CAS }),
	  .help =
	  "state of the lines in the writer's cache; hitm: modified; hit: clean; cas: the two swap one word in turn",
	},
	{ .name = "loads", .column = "loads", .preset = "dependent", .kind = MC_CHOICE,
	  .if_any = true,
	  .names = MC_NAMES({ "dependent", DEPENDENT }, { "independent", INDEPENDENT }),
	  .help =
	  "dependent: each waits for the one before it; independent: all lines in order, for bandwidth",
	},
	{ .name = "home", .column = "home", .preset = "writer", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "writer", HOME_WRITER }, { "reader", HOME_READER }),
	  .help = "CPU whose node has the memory, with node=auto" },
	{ .name = "stride", .column = "stride_bytes", .preset = "320", .kind = MC_SIZE,
	  .min = MC_LINE, .max = 1ULL << 30, .multiple = MC_LINE, .found = true,
	  .help = "bytes from line to line; at 320, prefetchers don't bring the next along" },
	{ .name = "pairs", .column = "pairs", .preset = "auto", .kind = MC_NUMBER,
	  .names = MC_NAMES({ "auto", MC_AUTO }, { "all", MC_PAIRS_ALL }),
	  .min = 1, .max = 4096, .single = true, .json_only = true,
	  .help = "pairs of each class (shares and distance); auto: all of 64 CPUs, 64 of more" },
	{ .name = "seed", .column = "seed", .preset = "1", .kind = MC_NUMBER,
	  .max = 0xffffffff, .single = true, .json_only = true,
	  .help = "begin of the random numbers that choose pairs" },
	{ .name = "skip", .preset = "0", .kind = MC_NUMBER, .max = 1ULL << 42, .single = true,
	  .json_only = true,
	  .help = "results at the beginning that are left out: those of a run that is continued" },
	{ .name = "most", .preset = "all", .kind = MC_NUMBER, .names = most_names, .min = 1,
	  .max = 1ULL << 42, .single = true, .json_only = true,
	  .help = "results at most" },
};

static const struct mc_column columns[] = {
	[COL_WRITER] = { .name = "writer_cpu", .roles = MC_WHICH, .always = true,
	  .help = "CPU whose cache has the lines" },
	[COL_READER] = { .name = "reader_cpu", .roles = MC_WHICH, .always = true,
	  .help = "CPU that loads the lines" },
	[COL_SIBLINGS] = { .name = "siblings", .always = true, .names = yes_no,
	  .help = "the two are threads of one core and share its caches" },
	[COL_SHARES] = { .name = "shares", .always = true, .names = mc_shares_names,
	  .help = "the nearest thing that the two share: core, cache, node, socket" },
	[COL_DISTANCE] = { .name = "node_distance", .json_only = true,
	  .help = "distance between their nodes, as the firmware says; 10: one node" },
	[COL_LEVEL] = { .name = "writer_level", .names = mc_hit_names,
	  .help = "smallest cache of the writer that holds the lines, by what it reports" },
	[COL_NS] = { .name = "ns_per_line", .unit = "ns a line", .roles = MC_MAIN | MC_EACH,
	  .decimals = 3, .help = "time of a load of a line, or of a turn, from the median sample" },
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .rate = true,
	  .help = "loads=independent: payload of the reader, 10^6 bytes/s, median sample" },
	[COL_NS_MIN] = { .name = "ns_per_line_min", .decimals = 3,
	  .help = "time of a load of a line, or of a turn, from the fastest sample" },
	[COL_LINES] = { .name = "lines", .roles = MC_COUNT, .json_only = true,
	  .help = "lines in the working set: one in each stride" },
};

/**
 * struct c2c_job - a point, for one pair of CPUs
 * @meas: the measurement
 * @chase: the cycle of pointers
 * @flush: flushes the lines from all caches
 * @loads: the reader's part. With loads=independent, it reads the lines of this pass. Otherwise
 *	   each of them stands for a line of the cycle, or for a turn
 * @at: where in the cycle it is
 * @state: HITM, HIT or CAS
 * @who: thread indices of writer and reader
 * @value: number that the writer has written beside each pointer
 * @turned: CAS: the reader has ended its turns of this sample
 * @missed: CAS: so many turns were left, since the other CPU was away
 */
struct c2c_job {
	struct mc_measurement meas;
	struct mc_chase chase;
	struct mc_pass flush;
	struct mc_pass loads;
	void **at;
	unsigned int state;
	unsigned int who[2];
	u64 value;
	u32 turned;
	u64 missed;
};

static int c2c_near(const struct mc_run *run, const struct mc_point *point)
{
	unsigned int who[2];

	mc_pair_of(run, who);
	return mc_threads_cpu(run->threads, who[point->v[KEY_HOME] == HOME_WRITER ?
					  WRITER : READER]);
}

static int c2c_check(struct mc_run *run, const struct mc_point *point)
{
	if (mc_threads_size(run->threads) < 2)
		return mc_fail(&run->error, -EINVAL,
			       "cpu: a line goes from one CPU to another; list two at least, or all");
	if (point->v[MC_KEY_TYPE] != MC_WB)
		return mc_fail(&run->error, -EINVAL,
			       "type: only wb is kept in caches");
	if (point->v[MC_KEY_SIZE] < 2 * point->v[KEY_STRIDE])
		return mc_fail(&run->error, -EINVAL,
			       "stride: %llu bytes have less than two lines so far apart",
			       point->v[MC_KEY_SIZE]);
	if (point->v[KEY_STATE] == CAS && point->v[KEY_LOADS] == INDEPENDENT)
		return mc_fail(&run->error, -EINVAL,
			       "loads: with state=cas, each turn waits for the one before it");
	if (point->v[KEY_LOADS] == INDEPENDENT && point->v[KEY_STRIDE] != MC_LINE &&
	    mc_request_given(run->req, KEY_STRIDE))
		return mc_fail(&run->error, -EINVAL,
			       "stride: loads=independent takes all lines, 64 bytes apart");
	return point->v[KEY_STATE] == CAS ?
		mc_loop_check(MC_OP_CMPXCHG, MC_WIDTH_MAX, &run->error) : 0;
}

/* ------------------------------------------------------------ on the threads */

/*
 * Touch all lines in the order of the cycle. This is not timed, so other tasks may run,
 * and a stop is noticed: working sets may be large.
 */
static int traverse(struct mc_worker *w, const struct c2c_job *job, bool write)
{
	void **at = mc_chase_at(&job->chase, 0);
	u64 left = job->chase.n, n;
	int err = mc_threads_stopped(w->threads);

	for (; left && !err; left -= n) {
		n = min(left, LINES_AT_ONCE);
		at = write ? mc_asm_dirty(at, n, job->value) : mc_asm_chase(at, n);
		err = mc_threads_pause(w, 0);
	}
	return err;
}

/* The word that goes back and forth, beside the first pointer. */
static u64 *word_of(const struct c2c_job *job)
{
	return (u64 *)mc_chase_at(&job->chase, 0) + 1;
}

/* The writer's turns, until the reader has ended its own. */
static int answer(struct mc_worker *w, struct c2c_job *job)
{
	u64 left = LINES_AT_ONCE;

	while (left && !mc_flag(&job->turned) && !mc_threads_stopped(w->threads)) {
		left = mc_asm_turns(word_of(job), 1 + 2 * (LINES_AT_ONCE - left), left, TRIES);
		mc_breathe();
	}
	return mc_threads_stopped(w->threads);
}

static int make_lines(struct mc_worker *w, struct c2c_job *job, u32 round)
{
	int err = 0;

	if (job->state == CAS) {
		WRITE_ONCE(*word_of(job), 0);
		mc_flag_set(&job->turned, 0);
		return 0;
	}

	if (job->state == HITM || !round) {
		job->value = round + 1;
		err = traverse(w, job, true);
	}
	if (!err && job->state == HIT) {
		err = mc_pass_untimed(w, &job->flush);
		err = err ? err : traverse(w, job, false);
	}
	return err;
}

/* The reader's turns, as the loop of a pass. */
static void take_turns(struct mc_loop_args *args)
{
	struct c2c_job *job = args->arg;

	job->missed = mc_asm_turns(word_of(job), 0, args->bytes / MC_LINE, TRIES);
}

static int load_lines(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct c2c_job *job = container_of(sampler->shared, struct c2c_job, meas);
	u64 ticks, *ps = &sampler->sample.ps;
	struct mc_progress at = { 0 };
	int err;

	job->at = mc_chase_at(&job->chase, 0);
	while (!at.passes) {
		err = mc_pass_window(w, &job->loads, &at, 1, LINES_AT_ONCE * MC_LINE,
				     job->meas.settings.irq_off);
		if (err)
			return err;
		ticks = mc_measurement_window(w, sampler, at.ticks);
		/*
		 * Reading the clock takes as long as a line or two, so it is
		 * subtracted.
		 */
		*ps += mc_ticks_to_ps(ticks);
		*ps -= min(*ps, mc_clock.cost_ps);
	}
	sampler->sample.no_overlap = job->missed;
	mc_flag_set(&job->turned, 1);
	mc_events_take(w->events, &sampler->sample.events);
	return 0;
}

static int verify_lines(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct c2c_job *job = container_of(sampler->shared, struct c2c_job, meas);
	bool right = true;
	int err = 0;
	u64 i;

	/* The writer may be about to make its last turn. */
	if (job->state == CAS)
		right = sampler->sample.no_overlap ||
			READ_ONCE(*word_of(job)) - 2 * LINES_AT_ONCE + 1 <= 1;
	for (i = 0; i < job->chase.n && !err && job->state != CAS; i++) {
		right &= (u64)(unsigned long)mc_chase_at(&job->chase, i)[1] == job->value;
		err = mc_threads_pause(w, i % LINES_AT_ONCE);
	}
	mc_sampler_verified(sampler, right);
	return err;
}

/* The first ones are there. */
static int wait_for_lines(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	return round ? mc_barrier(w) : 0;
}

/* The writer's part of a sample. */
static int serve_lines(struct mc_worker *w, struct mc_measurement *meas, u32 round)
{
	struct c2c_job *job = container_of(meas, struct c2c_job, meas);
	int err = make_lines(w, job, round);

	err = err ? err : mc_barrier(w);
	return err || job->state != CAS ? err : answer(w, job);
}

static int pair_job(struct mc_worker *w, void *arg)
{
	struct c2c_job *job = arg;
	bool reads = w->index == job->who[READER];
	int err = reads ? mc_barrier(w) : mc_chase_link(w, &job->chase);

	if (err)
		return err;
	return reads ? mc_measure(w, &job->meas) : mc_measure_beside(w, &job->meas);
}

/* ---------------------------------------------------------------- the record */

static void c2c_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct c2c_job *job = arg;
	int writer = mc_threads_cpu(run->threads, job->who[WRITER]);
	int reader = mc_threads_cpu(run->threads, job->who[READER]);
	enum mc_hit level = job->state == CAS ? MC_HIT_UNKNOWN :
					mc_source_of_held(rec, writer, &job->chase);
	u64 turns = job->state == CAS ? 2 * LINES_AT_ONCE : job->chase.n;

	mc_measurement_record(&job->meas, rec);
	mc_record_set(rec, COL_WRITER, writer);
	mc_record_set(rec, COL_READER, reader);
	mc_record_set(rec, COL_SIBLINGS, mc_cpu_core(writer) == mc_cpu_core(reader));
	mc_record_set(rec, COL_SHARES, mc_pair_shares(writer, reader));
	if (mc_pair_distance(writer, reader))
		mc_record_set(rec, COL_DISTANCE, mc_pair_distance(writer, reader));
	mc_record_set(rec, COL_LINES, job->state == CAS ? 1 : job->chase.n);
	if (level != MC_HIT_UNKNOWN)
		mc_record_set(rec, COL_LEVEL, level);
	rec->point.v[KEY_STRIDE] = job->chase.stride;
	if (!rec->stats.samples)
		return;
	mc_record_set(rec, COL_NS, mc_rounded(rec->stats.median_ps, 1, turns));
	mc_record_set(rec, COL_NS_MIN, mc_rounded(rec->stats.min_ps, 1, turns));
	if (job->loads.loop)
		mc_record_set(rec, COL_MB_PER_S,
			      mc_mb_per_s(job->loads.bytes, rec->stats.median_ps));
}

static int c2c_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	const struct mc_view *view = run->area.view;
	u64 size = point->v[MC_KEY_SIZE], stride = point->v[KEY_STRIDE];
	struct c2c_job *job = arg;

	mc_pair_of(run, job->who);
	job->meas.hooks.take = load_lines;
	job->meas.hooks.prepare = wait_for_lines;
	job->meas.hooks.verify = verify_lines;
	/* The writer puts right what a warm-up has spoilt. */
	job->meas.hooks.verify_all = true;
	job->meas.hooks.beside = serve_lines;
	job->state = point->v[KEY_STATE];
	/* A loop reads lines that lie side by side. */
	stride = point->v[KEY_LOADS] == INDEPENDENT ? MC_LINE : stride;
	job->chase = (struct mc_chase){
		.view = view, .stride = stride, .n = size / stride,
		.order = MC_CHASE_RANDOM,
	};
	job->loads = (struct mc_pass){
		.view = view, .arg = &job->at, .body = mc_chase_body,
		.bytes = job->chase.n * MC_LINE,
	};
	if (point->v[KEY_LOADS] == INDEPENDENT) {
		job->loads.body = NULL;
		job->loads.loop = mc_loop_widest(MC_OP_READ);
	} else if (job->state == CAS) {
		job->loads.body = take_turns;
		job->loads.arg = job;
		job->loads.bytes = LINES_AT_ONCE * MC_LINE;
	}
	job->flush = (struct mc_pass){
		.loop = mc_loop_widest(MC_OP_FLUSH), .view = view, .bytes = size,
	};
	return 0;
}

const struct mc_test mc_test_c2c = {
	.spec = {
		.name = "c2c",
		.help = "loads of lines that another CPU's cache holds, pair by pair",
		.presets = "size=80K cpu=all",
		MC_KEYS_AND_COLUMNS,
	},
	.pointers = true,
	.records = MC_RECORD_OF_PAIR,
	.pairs = KEY_PAIRS,
	.table = "rows=writer_cpu columns=reader_cpu value=mb_per_s,ns_per_line",
	.near = c2c_near,
	.check = c2c_check,
	.job_bytes = sizeof(struct c2c_job),
	.set_up = c2c_set_up,
	.job = pair_job,
	.fill = c2c_fill,
};
