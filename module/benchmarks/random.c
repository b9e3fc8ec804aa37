// SPDX-License-Identifier: GPL-2.0-only
/*
 * random: reads and writes at random places of a working set.
 *
 * The loops generate their addresses themselves. A bare loop, which generates them
 * without accessing memory, measures what that costs. Afterwards the same numbers are
 * generated once more, one by one and untimed, to verify the result: reads add up what
 * they load, and the words hold consecutive integers; a write stores a number of the
 * round plus the number of the word.
 *
 * All threads access the same working set, each in its own sequence.
 */
#include "arch/loops.h"
#include "arch/random.h"
#include "core/math.h"
#include "measure/source.h"
#include "measure/measurement.h"
#include "platform/os.h"

enum {
	KEY_OP = MC_KEY_FIRST,
	KEY_COUNT,
	KEY_MODE,
	KEY_GENERATOR,
	KEY_ALIGN,
	KEY_VERIFY,
};

enum { COL_NS_PER_ACCESS, COL_GENERATOR_NS, COL_ACCESSES, COL_LEVEL };

enum { OP_READ, OP_WRITE };
enum { INDEPENDENT, DEPENDENT };

#define FIRST		0x10000000000ULL /* integer in the first word that is read */
#define BARE_SAMPLES	10		/* samples of the generator alone */
#define BARE_WARMUPS	2
#define REPLAY_AT_ONCE	8192ULL		/* accesses; uncached, these take 3 ms */

static const struct mc_key keys[] = {
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "read", OP_READ }, { "write", OP_WRITE }),
	  .help = "access to each address: a load or a store of 8 bytes" },
	{ .name = "count", .column = "count", .preset = "1M", .kind = MC_SIZE,
	  .unit = "accesses", .min = 8, .max = 1ULL << 40, .multiple = 8,
	  .help = "accesses of each thread in a pass" },
	{ .name = "mode", .column = "mode", .preset = "independent", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "independent", INDEPENDENT }, { "dependent", DEPENDENT }),
	  .help = "dependent: each load waits for the one before it" },
	{ .name = "generator", .column = "generator", .preset = "lcg", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "lcg", MC_LCG }, { "xorshift128+", MC_XORSHIFT }),
	  .help = "generator of the addresses, within the timed loop" },
	{ .name = "align", .column = "align_bytes", .preset = "8", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "8", 8 }, { "1", 1 }),
	  .help = "alignment; 1: also across lines, size=2M at most, writes unverified" },
	{ .name = "verify", .column = "verify", .preset = "each", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "each", 1 }, { "off", 0 }), .found = true, .json_only = true,
	  .help = "check the sum of what was read, and what was written, after each sample" },
};

static const struct mc_column columns[] = {
	[COL_NS_PER_ACCESS] = { .name = "ns_per_access", .unit = "ns an access",
	  .roles = MC_MAIN, .decimals = 3,
	  .help = "time of an access of one thread, generator included: median_ns / count" },
	[COL_GENERATOR_NS] = { .name = "generator_ns", .decimals = 3,
	  .help = "time of an address in the same loop without accesses; the two overlap" },
	[COL_ACCESSES] = { .name = "accesses", .json_only = true,
	  .help = "accesses of all threads in a pass" },
	[COL_LEVEL] = MC_LEVEL_COLUMN,
};

/* A thread's part of the point. */
struct slice {
	struct mc_random_args args;
	void (*run)(struct mc_random_args *args);
	struct mc_random replay;	/* the generator's state at the start of the sample */
};

/**
 * struct job - a point
 * @meas: the measurement
 * @generator: generator of the places
 * @op: the access
 * @bytes: places are bytes, otherwise words
 * @verify: check after each sample
 * @drain: windows end with an sfence
 * @words: words in the working set
 * @range: number of places
 * @count: accesses in a pass
 * @loop: the timed loop and the bare one
 * @blocks: the working set in contiguous blocks
 * @fill: writes what the loop reads
 * @slice: array with a slice for each thread
 * @bare_ps: time of a place without an access
 */
struct job {
	struct mc_measurement meas;
	enum mc_generator generator;
	enum mc_random_op op;
	bool bytes;
	bool verify;
	bool drain;
	u64 words;
	u64 range;
	u64 count;
	const struct mc_random_loop *loop;
	void **blocks;
	struct mc_pass fill;
	struct slice *slice;
	u64 bare_ps;
};

/* ------------------------------------------------------- check the request */

static int random_check(struct mc_run *run, const struct mc_point *point)
{
	if (point->v[KEY_MODE] == DEPENDENT && point->v[KEY_OP] != OP_READ)
		return mc_fail(&run->error, -EINVAL,
			       "mode: dependent needs op=read; a write loads nothing to wait for");
	if (point->v[KEY_ALIGN] == 1 && point->v[MC_KEY_SIZE] > MC_BLOCK_BYTES)
		return mc_fail(&run->error, -EINVAL,
			       "align: 1 takes size=2M at most, not %llu bytes",
			       point->v[MC_KEY_SIZE]);
	if (point->v[KEY_ALIGN] == 1 && mc_device_memory(point->v[MC_KEY_TYPE]))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "align: 1 makes accesses that fault on device memory, which type=%s is on this CPU; use align=8",
			       mc_type_name(point->v[MC_KEY_TYPE]));
	return 0;
}

/* ----------------------------------------------------------- untimed work */

static int random_prepare(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct job *job = sampler->shared->arg;
	struct slice *s = &job->slice[w->index];

	s->replay = s->args.state;
	s->args.sum = 0;
	s->args.value = (round + 1) * job->words;
	if (round || w->index || job->op == MC_RANDOM_WRITE)
		return 0;
	return mc_pass_untimed(w, &job->fill);
}

/* Does the word @index hold what the last write to it should have stored? */
static bool is_written(const struct job *job, const struct slice *s, u64 index)
{
	u64 *block = job->blocks[index >> MC_BLOCK_WORDS_LOG2];

	/* Another thread may have written the word, too, but it stores the same. */
	return block[index % (MC_BLOCK_BYTES / 8)] == s->args.value + index;
}

/*
 * Generate the next @n places again. Return: the sum that reads must give. *@ok becomes
 * false if a write is wrong.
 */
static u64 replay(const struct job *job, struct slice *s, u64 n, bool *ok)
{
	u64 sum = 0, place;

	for (; n; n--) {
		place = mc_random_below(mc_random_next(&s->replay, job->generator), job->range);
		if (job->op == MC_RANDOM_WRITE)
			*ok &= is_written(job, s, place);
		else
			sum += mc_random_word(FIRST, job->bytes ? place : 8 * place);
	}
	return sum;
}

static int random_verify(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct job *job = sampler->shared->arg;
	struct slice *s = &job->slice[w->index];
	u64 left = sampler->sample.passes * job->count, sum = 0, n;
	bool ok = true;
	int err = mc_threads_stopped(w->threads);

	for (; left && !err; left -= n) {
		n = min(left, REPLAY_AT_ONCE);
		sum += replay(job, s, n, &ok);
		err = mc_threads_pause(w, 0);
	}
	if (err)
		return err;
	/* Both generators are in the same state, so no access was left out. */
	ok &= !memcmp(&s->replay, &s->args.state, sizeof(s->replay));
	mc_sampler_verified(sampler, ok && sum == s->args.sum);
	return 0;
}

/* ----------------------------------------------------------------- the run */

static void run_accesses(struct mc_loop_args *args)
{
	struct slice *s = args->arg;

	s->args.count = args->bytes / 8;
	s->run(&s->args);
}

static void set_up_threads(struct mc_measurement *meas, struct job *job, bool bare)
{
	unsigned int i;

	meas->arg = job;
	meas->hooks.prepare = bare ? NULL : random_prepare;
	meas->hooks.verify = bare || !job->verify ? NULL : random_verify;
	for (i = 0; i < meas->n; i++) {
		struct mc_sampler *sampler = &meas->each[i];
		struct slice *s = &job->slice[i];

		*s = (struct slice){
			.args = { .blocks = job->blocks, .range = job->range },
			.run = bare ? job->loop->bare : job->loop->access,
		};
		mc_random_seed(&s->args.state, i);
		sampler->pass.body = run_accesses;
		sampler->pass.arg = s;
		sampler->pass.bytes = 8 * job->count;
		sampler->pass.drain = job->drain;
	}
}

/*
 * Measure the cost of one place in picoseconds. The fastest sample counts: the loop
 * uses no memory, and any disturbance only adds time.
 */
static int measure_bare(struct mc_run *run, const struct mc_point *point, struct job *job)
{
	struct mc_point few = *point;
	struct mc_measurement meas;
	struct mc_stats stats;
	int err;

	few.v[MC_KEY_REPEAT] = BARE_SAMPLES;
	few.v[MC_KEY_WARMUP] = BARE_WARMUPS;
	few.v[MC_KEY_TIME] = 0;
	err = mc_measurement_begin(&meas, run, &few);
	if (!err) {
		meas.hooks.tick = NULL;
		set_up_threads(&meas, job, true);
		err = mc_threads_run(run->threads, mc_measure, &meas);
		mc_stats_of(&stats, meas.samples, meas.done);
		job->bare_ps = mc_rounded(stats.min_ps, 1, job->count);
	}
	mc_measurement_end(&meas);
	return err;
}

static void random_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct job *job = arg;
	struct mc_measurement *meas = &job->meas;

	mc_measurement_record(meas, rec);
	rec->point.v[KEY_VERIFY] = job->verify;
	rec->payload_bytes = 8 * meas->n * job->count;
	mc_record_set(rec, COL_ACCESSES, meas->n * job->count);
	if (rec->stats.samples)
		mc_record_set(rec, COL_NS_PER_ACCESS,
			      mc_rounded(rec->stats.median_ps, 1, job->count));
	if (job->bare_ps)
		mc_record_set(rec, COL_GENERATOR_NS, job->bare_ps);
}

static int random_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	const struct mc_view *view = run->area.view;
	u64 size = point->v[MC_KEY_SIZE];
	bool write = point->v[KEY_OP] == OP_WRITE;
	struct job *job = arg;
	int err;

	job->generator = point->v[KEY_GENERATOR];
	job->op = write ? MC_RANDOM_WRITE :
		  point->v[KEY_MODE] == DEPENDENT ? MC_RANDOM_CHASE : MC_RANDOM_READ;
	job->bytes = point->v[KEY_ALIGN] == 1;
	/* Overlapping writes leave nothing that can be predicted. */
	job->verify = point->v[KEY_VERIFY] && !(job->bytes && write);
	job->drain = write && point->v[MC_KEY_TYPE] != MC_WB;
	job->words = size / 8;
	job->range = job->bytes ? size - 7 : size / 8;
	job->count = point->v[KEY_COUNT];
	job->loop = mc_random_loop_find(job->generator, job->op, job->bytes);
	job->fill = (struct mc_pass){
		.loop = mc_loop_within(MC_OP_FILL, mc_point_width(run, point)), .view = view,
		.bytes = size, .value = FIRST,
	};
	job->slice = mc_measurement_array(&job->meas, job->meas.n, sizeof(*job->slice));
	job->blocks = mc_measurement_array(&job->meas, size / MC_BLOCK_BYTES + 1, sizeof(void *));
	if (!job->slice || !job->blocks)
		return mc_fail(&run->error, -ENOMEM,
			       "size: no memory for the list of blocks");
	if (!mc_view_blocks(view, 0, size, MC_BLOCK_BYTES, job->blocks))
		return mc_fail(&run->error, -ENOMEM, MC_NOT_IN_BLOCKS);
	err = measure_bare(run, point, job);
	set_up_threads(&job->meas, job, false);
	return err;
}

const struct mc_test mc_test_random = {
	.spec = {
		.name = "random",
		.help = "reads and writes at random addresses of a working set",
		.presets = "size=auto",
		MC_KEYS_AND_COLUMNS,
	},
	.level = COL_LEVEL,
	.common = true,
	.check = random_check,
	.job_bytes = sizeof(struct job),
	.set_up = random_set_up,
	.fill = random_fill,
};
