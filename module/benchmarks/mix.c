// SPDX-License-Identifier: GPL-2.0-only
/*
 * mix: groups of CPUs that do different things at once.
 *
 * Each thread has memory of its own. It follows pointers there, or it accesses lines, in
 * order or at random, and counts down after each line. A sample is the time in which the
 * first thread has worked for SAMPLE_NS and every thread has completed a window
 * (measure/together.c). Records are of all threads, of each group and of each thread, and
 * all of them are of the same samples.
 *
 * Before the first sample, memory that is written holds consecutive integers. After the
 * last one, each line must hold what the load has left there.
 */
#include "core/math.h"
#include "measure/chase.h"
#include "measure/measurement.h"
#include "measure/side.h"
#include "measure/together.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_GROUPS = MC_KEY_FIRST, KEY_PATTERN, KEY_DELAY };

enum { COL_SCOPE, COL_GROUP, COL_OP, COL_MB_PER_S, COL_NS };

enum { SCOPE_TOTAL, SCOPE_GROUP, SCOPE_THREAD };

#define WORDS		(MC_LINE / 8)
#define SAMPLE_NS	5000000
#define STEPS_AT_ONCE	64		/* steps that are verified without a breath */
#define PER_1000_S	1000000000000000ULL	/* picoseconds */

static const struct mc_key keys[] = {
	{ .name = "groups", .column = "groups", .preset = "0:read", .kind = MC_GROUPS,
	  .names = mc_load_words, .single = true, .json_only = true, .help =
	  "groups of CPUs and what they do, e.g. 0-3:read+4,5:ntwrite:size=64M+6:chase; OP as in loaded, or chase: follow pointers",
	},
	{ .name = "pattern", .column = "pattern", .preset = "sequential", .kind = MC_CHOICE,
	  .names = mc_load_patterns, .grouped = true,
	  .help = "order of the lines: one after another, or each at a random place" },
	{ .name = "delay", .column = "delay_cycles", .preset = "0", .kind = MC_NUMBER,
	  .max = 1000000, .grouped = true,
	  .help = "countdown after each line; a count takes about a cycle" },
};

static const struct mc_column columns[] = {
	[COL_SCOPE] = { .name = "scope",
	  .names = MC_NAMES({ "total", SCOPE_TOTAL }, { "group", SCOPE_GROUP },
			    { "thread", SCOPE_THREAD }), .roles = MC_WHICH, .always = true,
	  .help = "what the record is about: all threads, a group or a thread" },
	[COL_GROUP] = { .name = "group", .roles = MC_WHICH,
	  .help = "number of the group in groups=, counted from 1" },
	[COL_OP] = { .name = "group_op", .names = mc_load_words, .roles = MC_WHICH,
	  .help = "what the group does" },
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_MAIN,
	  .rate = true,
	  .help = "payload, lines of pointers included, 10^6 bytes/s, median sample" },
	[COL_NS] = { .name = "ns_per_load", .unit = "ns a load", .decimals = 3,
	  .help = "op chase: time of a load, from the median sample" },
};

/**
 * struct part - a thread's part of a sample
 * @ps: time of a pass over its memory; 0: the clock ran backwards
 * @seen: what disturbed it (enum mc_disturbance)
 */
struct part {
	u64 ps;
	u8 seen;
};

/**
 * struct mix_job - a point
 * @meas: the measurement
 * @together: the threads
 * @part: array with the threads' parts of each sample
 * @groups: the groups of the request
 * @fill: loop that fills the memory of threads
 * @done: number of samples that were kept, once all have been taken
 */
struct mix_job {
	struct mc_measurement meas;
	struct mc_together together;
	struct part *part;
	const struct mc_group *groups;
	const struct mc_loop *fill;
	u32 done;
};

/* ------------------------------------------------------- check the request */

/* Can a group do what it should, where and how it should? */
static int check_group(struct mc_run *run, unsigned int g, const struct mc_point *point)
{
	const struct mc_group *group = &run->req->group[g];
	struct mc_point merged;
	unsigned int i;
	int err;

	if (group->op == MC_MIX_CHASE && group->given & (1U << KEY_PATTERN | 1U << KEY_DELAY))
		return mc_fail(&run->error, -EINVAL,
			       "groups: group %u follows pointers; it takes size= and node= only",
			       g + 1);
	mc_group_point(group, point, &merged);
	err = run->side->check(run, &merged);
	for (i = 0; i < mc_threads_size(run->threads) && !err; i++) {
		if (run->req->group_of[mc_threads_cpu(run->threads, i)] == g + 1 &&
		    run->placement->thread[i].bytes < MC_CHASE_PAGE_BYTES)
			err = mc_fail(&run->error, -EINVAL,
				      "size: %llu bytes are less than a page for each thread of group %u",
				      merged.v[MC_KEY_SIZE], g + 1);
	}
	return err;
}

static int mix_check(struct mc_run *run, const struct mc_point *point)
{
	unsigned int g;
	int err = 0;

	if (point->v[MC_KEY_TARGET] != MC_TARGET_RAM)
		return mc_fail(&run->error, -EINVAL,
			       "target: groups have memory of their own; use target=ram");
	if (!point->v[MC_KEY_SMT])
		return mc_fail(&run->error, -EINVAL,
			       "smt: groups= names the CPUs; leave the second CPUs of cores out there");
	for (g = 0; g < run->req->ngroups && !err; g++)
		err = check_group(run, g, point);
	return err;
}

/* ------------------------------------------------------------- what it writes */

static bool writes(const struct mc_together_thread *m)
{
	return !mc_together_chases(m) && m->load.mix->writes;
}

/* Fill the memory of a thread that writes. */
static int fill(struct mc_worker *w, const struct mix_job *job, const struct mc_together_thread *m)
{
	const struct mc_load *load = &m->load;
	struct mc_pass fill = {
		.loop = job->fill, .view = load->view,
		.offset = { load->start }, .bytes = load->slice,
		.data = MC_DATA_COUNTER, .value = 1,
	};

	return writes(m) ? mc_pass_untimed(w, &fill) : 0;
}

/* Does a line hold the words @first, @first + @step, ...? */
static bool holds(const void *line, u64 first, u64 step)
{
	const u64 *word = line;
	unsigned int i;
	u64 wrong = 0;

	for (i = 0; i < WORDS; i++)
		wrong |= READ_ONCE(word[i]) ^ (first + i * step);
	return !wrong;
}

/* The first word with which the line at an offset of a slice was filled. */
static u64 word_filled_at(u64 offset)
{
	return 1 + offset / 8;
}

/*
 * Does a line of a step hold what it should? The step is @at bytes behind the begin of each
 * array; @written is each word that was written without being computed.
 */
static bool line_is_right(const struct mc_load *load, u64 at, unsigned int line, u64 written,
			  const void *where)
{
	const struct mc_mix *mix = load->mix;
	u64 array = mc_load_array(load), first = 0, weights = 0;
	unsigned int i;

	if (mix->arrays == 1)
		return line < mix->reads ? holds(where, word_filled_at(at + line * MC_LINE), 1) :
					   holds(where, written, 0);
	if (line < mix->reads)
		return holds(where, word_filled_at(line * array + at), 1);
	for (i = 0; i < mix->reads; i++) {
		u64 weight = i + 1 < mix->reads ? 2 : 1;

		first += weight * word_filled_at(i * array + at);
		weights += weight;
	}
	return holds(where, first, weights);
}

/* Walk as the load has walked, and look at each line. */
static int verify_in_order(struct mc_worker *w, const struct mc_together_thread *m, bool *right)
{
	const struct mc_walk *walked = &m->walk;
	const struct mc_load *load = &m->load;
	u64 each = mc_load_each(load), written = (unsigned long)&walked->args, k, steps;
	u64 end = walked->rounds ? mc_load_array(load) : walked->at;
	struct mc_walk walk;
	unsigned int i;
	int err = 0;

	mc_walk_begin(&walk, load, 0);
	while (walk.at + each <= end && !err) {
		steps = mc_walk_steps(&walk, min((end - walk.at) / each, (u64)STEPS_AT_ONCE));
		for (k = 0; k < steps; k++) {
			for (i = 0; i < walk.args.end; i++)
				*right &= line_is_right(load, walk.at - (steps - k) * each,
						       i, written,
						       (u8 *)walk.args.place[i] + k * each);
		}
		err = mc_threads_pause(w, 0);
	}
	return err;
}

/* Each line holds what it was filled with, or what the load writes; some were written. */
static int verify_random(struct mc_worker *w, const struct mc_together_thread *m, bool *right)
{
	const struct mc_load *load = &m->load;
	u64 at, found = 0, written = (unsigned long)&m->walk.args;
	int err = 0;

	for (at = 0; at < load->slice && !err; at += MC_LINE) {
		void *line = mc_view_at(load->view, load->start + at, NULL);
		bool new = holds(line, written, 0);

		*right &= new || holds(line, word_filled_at(at), 1);
		found += new;
		err = mc_threads_pause(w, at / MC_LINE % STEPS_AT_ONCE);
	}
	*right &= found > 0;
	return err;
}

/* What is computed from lines at random places is not known beforehand. */
static int verify(struct mc_worker *w, struct mc_sampler *sampler,
		  const struct mc_together_thread *m)
{
	const struct mc_load *load = &m->load;
	bool right = true;
	int err;

	if (!writes(m) || (load->random && load->mix->arrays > 1))
		return 0;
	mc_drain();
	err = load->random ? verify_random(w, m, &right) : verify_in_order(w, m, &right);
	if (!err)
		mc_sampler_verified(sampler, right);
	return err;
}

/* --------------------------------------------------------- parts of a sample */

/**
 * struct scope - what a record is about
 * @kind: SCOPE_*
 * @group: the group, counted from 0, if not all
 * @from: the first thread that may belong to it
 * @to: the one behind the last
 */
struct scope {
	u64 kind;
	unsigned int group;
	unsigned int from;
	unsigned int to;
};

static const struct mc_together_thread *next_of(const struct mix_job *job,
						const struct scope *scope, unsigned int *i)
{
	for (; *i < scope->to; (*i)++) {
		if (scope->kind != SCOPE_GROUP || job->together.each[*i].group == scope->group)
			return &job->together.each[(*i)++];
	}
	return NULL;
}

/* All of the threads, put together. */
struct sum {
	unsigned int threads;
	u64 bytes;
	bool chase;		/* all of them follow pointers */
	enum mc_verified verified;
	bool unchecked;		/* what one has written was not verified */
};

static struct sum sum_of(const struct mix_job *job, const struct scope *scope)
{
	struct sum sum = { .chase = true };
	unsigned int i = scope->from;
	const struct mc_together_thread *m;

	while ((m = next_of(job, scope, &i))) {
		sum.threads++;
		sum.bytes += m->pass;
		sum.chase &= mc_together_chases(m);
		sum.verified = max(sum.verified, job->meas.each[i - 1].verified);
		sum.unchecked |= writes(m) && !job->meas.each[i - 1].verified;
	}
	if (sum.unchecked && sum.verified == MC_VERIFIED_OK)
		sum.verified = MC_VERIFIED_OFF;
	return sum;
}

/* Join the threads' parts of a sample. Return: the time in which they move all of their bytes. */
static u64 join_parts(struct mix_job *job, const struct scope *scope, const struct sum *sum,
		      u32 sample)
{
	struct mc_sample *joined = &job->meas.each->sample;
	const struct part *part = &job->part[(u64)sample * job->together.n];
	unsigned int i = scope->from;
	const struct mc_together_thread *m;
	u64 rate = 0, ps = 0;

	joined->clock_bad = false;
	joined->seen = 0;
	while ((m = next_of(job, scope, &i))) {
		ps = part[i - 1].ps;
		joined->clock_bad |= !ps;
		joined->seen |= part[i - 1].seen;
		if (ps)
			rate += mc_muldiv(m->pass, PER_1000_S, ps);
	}
	joined->in_time = joined->seen;
	return sum->threads > 1 ? mc_muldiv(sum->bytes, PER_1000_S, max(rate, 1ULL)) : ps;
}

/*
 * The next sample is the current one, until it is kept. While pointers are followed, only windows
 * count.
 */
static u64 mix_time(struct mc_measurement *meas)
{
	struct mix_job *job = container_of(meas, struct mix_job, meas);
	struct scope total = { .kind = SCOPE_TOTAL, .to = meas->n };
	struct part *part = &job->part[(u64)meas->done * meas->n];
	struct sum sum = sum_of(job, &total);
	unsigned int i;

	for (i = 0; i < meas->n; i++) {
		const struct mc_together_thread *m = &job->together.each[i];
		const struct mc_sampler *one = &meas->each[i];
		u64 ps = mc_ticks_to_ps(mc_together_chases(m) ? one->sample.counted_ticks :
								one->lap.to - one->lap.from);

		part[i].ps = one->sample.clock_bad ? 0 :
			     mc_muldiv(ps, m->pass, one->sample.counted_bytes);
		part[i].seen = one->sample.seen;
	}
	return join_parts(job, &total, &sum, meas->done);
}

static int mix_job(struct mc_worker *w, void *arg)
{
	struct mix_job *job = arg;
	const struct mc_together_thread *m = &job->together.each[w->index];
	int err = fill(w, job, m);

	err = err ? err : mc_together_measure(w, &job->meas);
	return err ? err : verify(w, &job->meas.each[w->index], m);
}

/* ---------------------------------------------------------------- the records */

/* Where the memory of a group or of a thread is. */
static void say_where(struct mc_record *rec, const struct mix_job *job,
		      const struct scope *scope, const struct mc_run *run)
{
	unsigned int i = scope->from;
	bool first = true;

	rec->remote_threads = 0;
	while (next_of(job, scope, &i)) {
		int node = mc_node_of(run->placement, i - 1)->area.memory_node;

		if (node < 0)
			rec->remote_threads = MC_NOT_KNOWN;
		else if (rec->remote_threads != MC_NOT_KNOWN)
			rec->remote_threads +=
				mc_cpu_node(mc_threads_cpu(run->threads, i - 1)) != node;
		if (first)
			rec->memory_node = node;
		else if (rec->memory_node != node)
			rec->memory_node = MC_NODE_MIXED;
		first = false;
	}
}

static void fill_record(struct mc_record *rec, struct mix_job *job,
			const struct scope *scope, const struct mc_run *run)
{
	struct sum sum = sum_of(job, scope);
	const struct mc_together_thread *m;
	unsigned int thread = scope->from;
	u32 i;

	job->meas.done = 0;
	job->meas.left_out = 0;
	for (i = 0; i < job->done; i++)
		mc_measurement_append(&job->meas, join_parts(job, scope, &sum, i));
	job->meas.events = (struct mc_events_total){ 0 };
	while ((m = next_of(job, scope, &thread)))
		mc_events_join(&job->meas.events, &m->events);
	mc_measurement_record(&job->meas, rec);
	rec->threads = sum.threads;
	rec->payload_bytes = sum.bytes;
	rec->verified = sum.verified;
	mc_record_set(rec, COL_SCOPE, scope->kind);
	if (scope->kind != SCOPE_TOTAL) {
		mc_record_set(rec, COL_GROUP, scope->group + 1);
		mc_record_set(rec, COL_OP, job->groups[scope->group].op);
		say_where(rec, job, scope, run);
	}
	if (!rec->stats.samples)
		return;
	mc_record_set(rec, COL_MB_PER_S, mc_mb_per_s(sum.bytes, rec->stats.median_ps));
	if (sum.chase)
		mc_record_set(rec, COL_NS, mc_rounded(rec->stats.median_ps,
						      sum.threads * MC_LINE, sum.bytes));
}

/* All threads, each group, each thread. */
static void mix_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct mix_job *job = arg;
	unsigned int i, n = job->together.n;
	struct scope scope = { .kind = SCOPE_TOTAL, .to = n };
	struct mc_sampler *first = job->meas.each;

	job->done = job->meas.done;
	/* From now on, the first sampler stands for the threads of a record. */
	for (i = 1; i < n; i++)
		first->window_max = max(first->window_max, job->meas.each[i].window_max);
	job->meas.n = 1;
	first->sample = (struct mc_sample){ 0 };
	fill_record(rec++, job, &scope, run);
	for (i = 0; i < run->req->ngroups; i++, rec++) {
		scope = (struct scope){ SCOPE_GROUP, i, 0, n };
		rec->group = i + 1;
		fill_record(rec, job, &scope, run);
	}
	for (i = 0; i < n; i++, rec++) {
		scope = (struct scope){ SCOPE_THREAD, job->together.each[i].group, i, i + 1 };
		rec->cpu = mc_threads_cpu(run->threads, i);
		fill_record(rec, job, &scope, run);
	}
}

/* -------------------------------------------------------------------- the run */

static int set_up_thread(struct mc_run *run, struct mix_job *job, unsigned int i,
			 const struct mc_point *point)
{
	unsigned int g = run->req->group_of[mc_threads_cpu(run->threads, i)] - 1;
	const struct mc_thread_part *part = &run->placement->thread[i];
	unsigned int op = job->groups[g].op;
	struct mc_load load = {
		.mix = op == MC_MIX_CHASE ? NULL : &mc_mixes[op],
		.view = mc_node_of(run->placement, i)->area.view,
		.start = part->start, .slice = part->bytes,
	};
	struct mc_point merged;

	mc_group_point(&job->groups[g], point, &merged);
	load.random = merged.v[KEY_PATTERN];
	load.delay = merged.v[KEY_DELAY];
	job->together.each[i].group = g;
	return mc_together_set(&job->meas, i, &load, &run->error);
}

static int mix_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct mix_job *job = arg;
	unsigned int i, n = job->meas.n;
	int err = mc_together_begin(&job->together, run, &job->meas);

	if (err)
		return err;
	job->groups = run->req->group;
	job->fill = mc_loop_within(MC_OP_FILL, mc_point_width(run, point));
	job->meas.hooks.time = mix_time;
	job->together.least_ticks = mc_ns_to_ticks(SAMPLE_NS);
	if (!mc_measurement_per_sample(&job->meas, &job->part, n * sizeof(*job->part)))
		return mc_fail(&run->error, -ENOMEM, "repeat: no memory for %u sample%s",
			       job->meas.arrays.room, MC_S(job->meas.arrays.room));
	for (i = 0; i < n && !err; i++)
		err = set_up_thread(run, job, i, point);
	return err;
}

const struct mc_test mc_test_mix = {
	.spec = {
		.name = "mix",
		.help = "groups of CPUs that do different things at once",
		.presets = "size=auto cpu=all",
		MC_KEYS_AND_COLUMNS,
	},
	.table = "rows=who values=group_op,mb_per_s,ns_per_load",
	.pointers = true,
	.records = MC_RECORD_OF_GROUP,
	.shares = true,
	.check = mix_check,
	.job_bytes = sizeof(struct mix_job),
	.set_up = mix_set_up,
	.job = mix_job,
	.fill = mix_fill,
};
