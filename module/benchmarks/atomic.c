// SPDX-License-Identifier: GPL-2.0-only
/*
 * atomic: atomic operations of several CPUs on one word, on a word each of one line, or on a line
 * each.
 *
 * The words are 0 at first, and each thread counts what it does to its word, calibration and
 * warm-ups included. So the words say after each sample whether an operation was lost, and of
 * comparisons how many succeeded.
 */
#include "arch/loops.h"
#include "core/math.h"
#include "measure/measurement.h"
#include "platform/os.h"

enum { KEY_OP = MC_KEY_FIRST, KEY_PLACE, KEY_COUNT, KEY_SPLIT };

enum { COL_NS, COL_MOPS, COL_LEAST, COL_MOST, COL_SUCCEEDED, COL_SPLIT };

enum { PLACE_WORD, PLACE_LINE, PLACE_APART };

#define WORDS	8U	/* of a line */
#define SPLIT	60U	/* offset in a line of a word that ends in the next one */
#define APART	256U	/* bytes: prefetchers that fetch pairs of lines bring no other word along */

static const struct mc_name op_names[] = {
	{ "xadd", MC_OP_XADD }, { "cmpxchg", MC_OP_CMPXCHG }, { "xchg", MC_OP_XCHG },
	{ "fetch_or", MC_OP_FETCH_OR }, { "xadd_llsc", MC_OP_XADD_LLSC },
	{ "cmpxchg_llsc", MC_OP_CMPXCHG_LLSC }, { "xchg_llsc", MC_OP_XCHG_LLSC },
	{ "fetch_or_llsc", MC_OP_FETCH_OR_LLSC }, { }
};

static const struct mc_name place_names[] = {
	{ "word", PLACE_WORD }, { "line", PLACE_LINE }, { "apart", PLACE_APART }, { }
};

static const struct mc_key keys[] = {
	{ .name = "op", .column = "op", .preset = "xadd", .kind = MC_CHOICE, .names = op_names,
	  .help = "the atomic, of 8 bytes; llsc: a pair of an exclusive load and store, on arm64" },
	{ .name = "place", .column = "place", .preset = "word,line,apart", .kind = MC_CHOICE,
	  .names = place_names,
	  .help = "all CPUs on one word; on words of one line (false sharing); on a line each" },
	{ .name = "count", .column = "count", .preset = "64K", .kind = MC_SIZE,
	  .unit = "atomics", .min = WORDS, .max = 1ULL << 40, .multiple = WORDS,
	  .help = "atomics of each thread in a pass" },
	{ .name = "split", .column = "split", .preset = "no", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "no", 0 }, { "yes", 1 }),
	  .help = "words that lie in two lines, in user space: a split lock stops all CPUs" },
};

static const struct mc_column columns[] = {
	[COL_NS] = { .name = "ns_per_op", .unit = "ns an atomic", .roles = MC_MAIN, .decimals = 3,
	  .help = "time of an atomic of one thread: median_ns / count" },
	[COL_MOPS] = { .name = "million_per_s", .unit = "10^6 atomics a second", .rate = true,
	  .help = "atomics of all threads, 10^6/s, from the median sample" },
	[COL_LEAST] = { .name = "share_least_percent", .roles = MC_DETAIL, .decimals = 2,
	  .help = "share of all atomics that the slowest CPU has done" },
	[COL_MOST] = { .name = "share_most_percent", .roles = MC_DETAIL, .decimals = 2,
	  .help = "share of all atomics that the fastest CPU has done" },
	[COL_SUCCEEDED] = { .name = "succeeded_percent", .roles = MC_DETAIL, .decimals = 2,
	  .help = "op=cmpxchg: share of the comparisons that found what was loaded before" },
	[COL_SPLIT] = { .name = "split_lock", .json_only = true,
	  .names = MC_NAMES({ "free", MC_SPLIT_FREE }, { "slowed", MC_SPLIT_SLOWED }),
	  .help = "split=yes: what the kernel does to such a process, by its flags" },
};

/* A thread's part of the point; @did: atomics so far. @bytes in @ticks: those of kept samples. */
struct slice {
	u64 *word;
	void (*run)(struct mc_loop_args *args);
	u64 value;
	u64 did;
	u64 bytes;
	u64 ticks;
};

/**
 * struct atomic_job - a point
 * @meas: the measurement
 * @op: the atomic
 * @place: which words the threads share
 * @slice: array with a slice for each thread
 */
struct atomic_job {
	struct mc_measurement meas;
	enum mc_op op;
	unsigned int place;
	struct slice *slice;
};

static int check_split(struct mc_run *run, const struct mc_point *point)
{
	if (MC_IN_KERNEL)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "split: such a lock can be an oops in the kernel; memcache-user measures it");
	if (point->v[KEY_PLACE] == PLACE_LINE)
		return mc_fail(&run->error, -EINVAL,
			       "split: words of one line do not lie in two; use place=word or place=apart");
	if (mc_cpu_split() == MC_SPLIT_KILLED)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "split: this kernel kills a process for such a lock");
	return 0;
}

/* A word may lie in two lines, where C has none. */
static u64 value_at(const void *word)
{
	u64 value;

	memcpy(&value, word, sizeof(value));
	return value;
}

static int atomic_check(struct mc_run *run, const struct mc_point *point)
{
	unsigned int n = mc_threads_size(run->threads);
	int err;

	if (point->v[MC_KEY_TYPE] != MC_WB)
		return mc_fail(&run->error, -EINVAL,
			       "type: only cached memory surely has atomics; use type=wb");
	if (point->v[MC_KEY_SIZE] < (u64)n * APART)
		return mc_fail(&run->error, -EINVAL,
			       "size: %u threads need %u bytes each for lines that are apart",
			       n, APART);
	err = mc_loop_check(point->v[KEY_OP], MC_WIDTH_MAX, &run->error);
	return err || !point->v[KEY_SPLIT] ? err : check_split(run, point);
}

static void run_atomics(struct mc_loop_args *args)
{
	struct slice *s = args->arg;

	args->a = s->word;
	args->value = s->value;
	s->run(args);
	s->did += args->bytes / 8;
}

static bool compares(const struct atomic_job *job)
{
	return job->op == MC_OP_CMPXCHG || job->op == MC_OP_CMPXCHG_LLSC;
}

/* Number of atomics on the word of thread @i by all threads; *@sharers: how many these are. */
static u64 done_to_word(const struct atomic_job *job, unsigned int i, unsigned int *sharers)
{
	u64 sum = 0;
	unsigned int k;

	for (k = 0, *sharers = 0; k < job->meas.n; k++) {
		if (job->slice[k].word != job->slice[i].word)
			continue;
		sum += job->slice[k].did;
		++*sharers;
	}
	return sum;
}

/* Does the word of thread @i have what the atomics of all threads must have left? */
static bool is_right(const struct atomic_job *job, unsigned int i)
{
	u64 word = value_at(job->slice[i].word);
	unsigned int sharers, n = job->meas.n;
	u64 did = done_to_word(job, i, &sharers);

	if (compares(job) && sharers > 1)
		return word && word <= did;
	switch (mc_ops[job->op].stores) {
	case MC_STORES_ONE_MORE:
		return word == did;
	case MC_STORES_OR:
		return word == 1;
	default:
		return word && word <= n && job->slice[word - 1].word == job->slice[i].word;
	}
}

/* No thread works meanwhile. */
static void atomic_ended(struct mc_measurement *meas)
{
	struct atomic_job *job = container_of(meas, struct atomic_job, meas);
	unsigned int i;

	for (i = 0; i < meas->n; i++) {
		struct slice *s = &job->slice[i];

		mc_sampler_verified(&meas->each[i], is_right(job, i));
		s->bytes += meas->kept ? meas->each[i].sample.counted_bytes : 0;
		s->ticks += meas->kept ? meas->each[i].sample.counted_ticks : 0;
	}
}

/* ---------------------------------------------------------------- the record */

static void set_shares(struct mc_record *rec, const struct atomic_job *job)
{
	u64 least = ~0ULL, most = 0, sum = 0, rate;
	unsigned int i;

	for (i = 0; i < job->meas.n; i++) {
		rate = mc_muldiv(job->slice[i].bytes, 1 << 20, max(job->slice[i].ticks, 1ULL));
		least = min(least, rate);
		most = max(most, rate);
		sum += rate;
	}
	if (!sum)
		return;
	mc_record_set(rec, COL_LEAST, mc_rounded(least, 10000, sum));
	mc_record_set(rec, COL_MOST, mc_rounded(most, 10000, sum));
}

/* Words that threads share count once for each of them, in both sums. */
static void set_succeeded(struct mc_record *rec, const struct atomic_job *job)
{
	u64 found = 0, did = 0;
	unsigned int i, sharers;

	for (i = 0; i < job->meas.n; i++) {
		found += value_at(job->slice[i].word);
		did += done_to_word(job, i, &sharers);
	}
	mc_record_set(rec, COL_SUCCEEDED, mc_rounded(found, 10000, max(did, 1ULL)));
}

static void atomic_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct atomic_job *job = arg;
	struct mc_measurement *meas = &job->meas;
	u64 count = rec->point.v[KEY_COUNT];

	mc_measurement_record(meas, rec);
	if (!meas->done)
		return;
	if (compares(job))
		set_succeeded(rec, job);
	if (!MC_IN_KERNEL && rec->point.v[KEY_SPLIT] && mc_cpu_split() != MC_SPLIT_UNKNOWN)
		mc_record_set(rec, COL_SPLIT, mc_cpu_split());
	if (!rec->stats.samples)
		return;
	mc_record_set(rec, COL_NS, mc_rounded(rec->stats.median_ps, 1, count));
	mc_record_set(rec, COL_MOPS, mc_mb_per_s(meas->n * count, rec->stats.median_ps));
	set_shares(rec, job);
}

static int atomic_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	static const u64 distance[] = { 0, 8, APART };
	struct atomic_job *job = arg;
	unsigned int i;

	job->op = point->v[KEY_OP];
	job->place = point->v[KEY_PLACE];
	job->meas.hooks.ended = atomic_ended;
	job->slice = mc_measurement_threads(&job->meas, sizeof(*job->slice), &run->error);
	if (!job->slice)
		return -ENOMEM;
	for (i = 0; i < job->meas.n; i++) {
		struct mc_pass *p = &job->meas.each[i].pass;
		u64 at = (job->place == PLACE_LINE ? i % WORDS : i) * distance[job->place] +
			 (point->v[KEY_SPLIT] ? SPLIT : 0), left;

		job->slice[i] = (struct slice){
			.word = mc_view_at(run->area.view, at, &left),
			.run = mc_loop_widest(job->op)->run_word, .value = i + 1,
		};
		memset(job->slice[i].word, 0, sizeof(u64));
		p->body = run_atomics;
		p->arg = &job->slice[i];
		p->bytes = 8 * point->v[KEY_COUNT];
	}
	return 0;
}

const struct mc_test mc_test_atomic = {
	.spec = {
		.name = "atomic",
		.help = "atomic operations, alone and of several CPUs on one line",
		.presets = "size=256K cpu=all",
		MC_KEYS_AND_COLUMNS,
	},
	.common = true,
	.check = atomic_check,
	.job_bytes = sizeof(struct atomic_job),
	.set_up = atomic_set_up,
	.fill = atomic_fill,
};
