// SPDX-License-Identifier: GPL-2.0-only
/*
 * mix: groups of CPUs that do different things at once.
 *
 * Each thread has memory of its own. It follows pointers there, or it accesses lines, in
 * order or at random, and counts down after each line. A sample is the time in which the
 * first thread has worked for SAMPLE_NS and every thread has completed a window. Where
 * one sample ends, the next one begins, and nobody waits. A window counts for the sample
 * in which it began. Records are of all threads, of each group and of each thread, and
 * all of them are of the same samples.
 *
 * Before the first sample, memory that is written holds consecutive integers. After the
 * last one, each line must hold what the load has left there.
 */
#include "core/math.h"
#include "measure/chase.h"
#include "measure/load.h"
#include "measure/measurement.h"
#include "measure/side.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_GROUPS = MC_KEY_OWN, KEY_PATTERN, KEY_DELAY };

enum { COL_SCOPE, COL_GROUP, COL_OP, COL_MB_PER_S, COL_NS };

enum { SCOPE_TOTAL, SCOPE_GROUP, SCOPE_THREAD };

#define LINE		MC_LOAD_LINE
#define WORDS		(LINE / 8)
#define SAMPLE_NS	5000000
#define STEPS_AT_ONCE	64		/* steps that are verified without a breath */
#define PER_1000_S	1000000000000000ULL	/* picoseconds */

static const struct mc_name scope_names[] = {
	{ "total", SCOPE_TOTAL }, { "group", SCOPE_GROUP }, { "thread", SCOPE_THREAD }, { }
};

static const struct mc_key keys[] = {
	{
		.name = "groups", .column = "groups", .preset = "0:read",
		.kind = MC_GROUPS, .names = mc_load_words, .single = true, .json_only = true,
		.help =
			"groups of CPUs and what they do, e.g. 0-3:read+4,5:ntwrite:size=64M+6:chase; OP as in loaded, or chase: follow pointers",
	}, {
		.name = "pattern", .column = "pattern", .preset = "sequential",
		.kind = MC_CHOICE, .names = mc_load_patterns, .grouped = true,
		.help = "order of the lines: one after another, or each at a random place",
	}, {
		.name = "delay", .column = "delay_cycles", .preset = "0",
		.kind = MC_NUMBER, .max = 1000000, .grouped = true,
		.help = "countdown after each line; a count takes about a cycle",
	},
};

static const struct mc_column columns[] = {
	[COL_SCOPE] = {
		.name = "scope", .names = scope_names, .roles = MC_WHICH, .always = true,
		.help = "what the record is about: all threads, a group or a thread",
	},
	[COL_GROUP] = {
		.name = "group", .roles = MC_WHICH,
		.help = "number of the group in groups=, counted from 1",
	},
	[COL_OP] = {
		.name = "group_op", .names = mc_load_words, .roles = MC_WHICH,
		.help = "what the group does",
	},
	[COL_MB_PER_S] = {
		.name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_MAIN, .decimals = 1,
		.help = "payload, lines of pointers included, 10^6 bytes/s, median sample",
	},
	[COL_NS] = {
		.name = "ns_per_load", .unit = "ns a load", .decimals = 3,
		.help = "op chase: time of a load, from the median sample",
	},
};

/**
 * struct member - a thread
 * @group: its group, counted from 0
 * @chases: it follows pointers
 * @chase: the pointers
 * @load: what it does otherwise
 * @bytes: payload of a pass over its memory
 * @ps: time of such a pass in each sample; 0: the clock ran backwards
 * @seen: what disturbed each sample (enum mc_disturbance)
 * @done: number of samples
 * @events: events of its CPU in a pass, times @done
 * @reached: one more than the number of the sample in which it has completed a window
 * @checked: what it has written was verified
 * @ok: it was right
 */
struct member {
	unsigned int group;
	bool chases;
	struct mc_chase chase;
	struct mc_load load;
	u64 bytes;
	u64 *ps;
	u8 *seen;
	u32 done;
	struct mc_events_tally events;
	u32 reached;
	bool checked;
	bool ok;
};

/**
 * struct mix_job - a point
 * @meas: the measurement
 * @n: number of threads
 * @member: array of @n threads
 * @groups: the groups of the request
 * @fill: loop that fills the memory of threads
 * @skip: number of samples that are not kept: until all threads are at it, and warm-ups
 * @all: number of samples
 * @now: number of the current sample; @all: it is the end
 * @from: ticks at its begin
 */
struct mix_job {
	struct mc_measurement meas;
	unsigned int n;
	struct member *member;
	const struct mc_group *groups;
	const struct mc_loop *fill;
	u32 skip;
	u32 all;
	u32 now;
	u64 from;
};

/* ------------------------------------------------------- check the request */

/* Can a group do what it should, where and how it should? */
static int check_group(struct mc_run *run, unsigned int g, const struct mc_point *point)
{
	const struct mc_group *group = &run->req->group[g];
	struct mc_point own;
	unsigned int i;
	int err;

	if (group->op == MC_MIX_CHASE && group->given & (1U << KEY_PATTERN | 1U << KEY_DELAY))
		return mc_fail(&run->error, -EINVAL,
			       "groups: group %u follows pointers; it takes size= and node= only",
			       g + 1);
	mc_group_point(group, point, &own);
	err = run->side->check(run, &own);
	for (i = 0; i < mc_team_size(run->team) && !err; i++) {
		if (run->req->group_of[mc_team_cpu(run->team, i)] == g + 1 &&
		    run->homes->seat[i].bytes < MC_CHASE_PAGE_BYTES)
			err = mc_fail(&run->error, -EINVAL,
				      "size: %llu bytes are less than a page for each thread of group %u",
				      own.v[MC_KEY_SIZE], g + 1);
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

static bool writes(const struct member *m)
{
	return !m->chases && m->load.mix->writes;
}

/* Fill a thread's memory, and link its pointers. */
static int prepare(struct mc_worker *w, const struct mix_job *job, struct member *m)
{
	struct mc_pass fill = {
		.loop = job->fill, .view = m->load.view,
		.offset = { m->load.start }, .bytes = m->load.slice,
		.data = MC_DATA_COUNTER, .value = 1,
	};

	if (m->chases)
		return mc_chase_link(w, &m->chase);
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
static u64 filled(u64 offset)
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
		return line < mix->reads ? holds(where, filled(at + line * LINE), 1) :
					   holds(where, written, 0);
	if (line < mix->reads)
		return holds(where, filled(line * array + at), 1);
	for (i = 0; i < mix->reads; i++) {
		u64 weight = i + 1 < mix->reads ? 2 : 1;

		first += weight * filled(i * array + at);
		weights += weight;
	}
	return holds(where, first, weights);
}

/* Walk as the load has walked, and look at each line. */
static int verify_in_order(struct mc_worker *w, struct member *m, const struct mc_walk *load)
{
	u64 each = mc_load_each(&m->load), written = (unsigned long)&load->args, k, steps;
	u64 end = load->rounds ? mc_load_array(&m->load) : load->at;
	struct mc_walk walk;
	unsigned int i;

	mc_walk_begin(&walk, &m->load, 0);
	while (walk.at + each <= end) {
		steps = mc_walk_steps(&walk, min((end - walk.at) / each, (u64)STEPS_AT_ONCE));
		for (k = 0; k < steps; k++) {
			for (i = 0; i < walk.args.end; i++)
				m->ok &= line_is_right(&m->load, walk.at - (steps - k) * each,
						       i, written,
						       (u8 *)walk.args.place[i] + k * each);
		}
		mc_breathe();
		if (mc_team_stopped(w->team))
			return mc_team_stopped(w->team);
	}
	m->checked = true;
	return 0;
}

/* Each line holds what it was filled with, or what the load writes; some were written. */
static int verify_random(struct mc_worker *w, struct member *m, const struct mc_walk *load)
{
	u64 at, hit = 0, written = (unsigned long)&load->args;

	for (at = 0; at < m->load.slice; at += LINE) {
		void *line = mc_view_at(m->load.view, m->load.start + at, NULL);
		bool new = holds(line, written, 0);

		m->ok &= new || holds(line, filled(at), 1);
		hit += new;
		if (at / LINE % STEPS_AT_ONCE)
			continue;
		mc_breathe();
		if (mc_team_stopped(w->team))
			return mc_team_stopped(w->team);
	}
	m->ok &= hit > 0;
	m->checked = true;
	return 0;
}

/* What is computed from lines at random places is not known beforehand. */
static int verify(struct mc_worker *w, struct member *m, const struct mc_walk *load)
{
	if (!writes(m) || (m->load.random && m->load.mix->arrays > 1))
		return 0;
	mc_drain();
	return m->load.random ? verify_random(w, m, load) : verify_in_order(w, m, load);
}

/* ---------------------------------------------------------------- the samples */

/**
 * struct part - what a thread has done in a sample
 * @bytes: bytes moved
 * @ticks: duration of its windows
 * @from: ticks at the begin of the first one
 * @to: ticks at the end of the last one
 */
struct part {
	u64 bytes;
	u64 ticks;
	u64 from;
	u64 to;
};

/* The first thread ends a sample that is long enough, once all have a part in it. */
static void end_sample(struct mc_worker *w, struct mix_job *job)
{
	unsigned int i;

	if (w->index || (job->now && w->ended - job->from < mc_ns_to_ticks(SAMPLE_NS)))
		return;
	for (i = 0; i < job->n; i++) {
		if (mc_flag(&job->member[i].reached) != job->now + 1)
			return;
	}
	job->from = w->ended;
	if (job->now && job->meas.tick)
		job->meas.tick(job->meas.run);
	mc_flag_set(&job->now, job->now + 1);
}

/* Keep a thread's part of a sample. While pointers are followed, only windows count. */
static void keep_part(struct mc_worker *w, struct mix_job *job, struct mc_sampler *sampler,
		      u32 sample, struct part *part)
{
	struct member *m = &job->member[w->index];
	struct mc_events_tally events;
	u64 ticks = m->chases ? part->ticks : part->to - part->from;

	if (sample >= job->skip) {
		m->ps[m->done] = sampler->sample.clock_bad ? 0 :
			mc_muldiv(mc_ticks_to_ps(ticks), m->bytes, part->bytes);
		m->seen[m->done++] = sampler->sample.seen;
		mc_events_take(w->events, &events);
		mc_events_add(&m->events, &events, m->bytes, part->bytes);
	}
	mc_sample_begin(w, sampler);
	*part = (struct part){ 0 };
}

/* Work in windows until the end. */
static int work(struct mc_worker *w, struct mix_job *job, struct mc_walk *walk)
{
	struct member *m = &job->member[w->index];
	struct mc_sampler *sampler = &job->meas.each[w->index];
	void **at = m->chases ? mc_chase_at(&m->chase, 0) : NULL;
	u64 loads = MC_CHASE_LEAST, ticks, bytes, all = 0;
	struct part part = { 0 };
	u32 sample = 0, now = 0;

	mc_sample_begin(w, sampler);
	while (now < job->all) {
		int err = mc_window_open(w, sampler->settings.irq_off);

		if (err)
			return err;
		if (m->chases)
			at = mc_asm_chase(at, loads);
		bytes = m->chases ? loads * LINE : mc_walk_window(walk);
		ticks = mc_measurement_close(w, sampler);
		part.from = part.bytes ? part.from : w->began;
		part.to = w->ended;
		part.ticks += ticks;
		part.bytes += bytes;
		all += ticks;
		/* The countdown behind the lines goes on, and is of the same sample. */
		if (!m->chases && walk->owed)
			continue;
		if (m->chases)
			loads = mc_chase_fit(loads, m->chase.n, ticks);
		else
			mc_walk_fit(walk, all);
		all = 0;
		if (part.bytes)
			mc_flag_set(&m->reached, sample + 1);
		end_sample(w, job);
		now = mc_flag(&job->now);
		if (now != sample)
			keep_part(w, job, sampler, sample, &part);
		sample = now;
	}
	return 0;
}

static int mix_job(struct mc_worker *w, void *arg)
{
	struct mix_job *job = arg;
	struct member *m = &job->member[w->index];
	struct mc_walk walk;
	int err = prepare(w, job, m);

	if (!m->chases)
		mc_walk_begin(&walk, &m->load, w->index);
	err = err ? err : mc_barrier(w);
	err = err ? err : work(w, job, &walk);
	return err ? err : verify(w, m, &walk);
}

/* ---------------------------------------------------------------- the records */

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

static const struct member *next_of(const struct mix_job *job, const struct scope *scope,
				    unsigned int *i)
{
	for (; *i < scope->to; (*i)++) {
		if (scope->kind != SCOPE_GROUP || job->member[*i].group == scope->group)
			return &job->member[(*i)++];
	}
	return NULL;
}

/* All of the threads, put together. */
struct sum {
	unsigned int threads;
	u64 bytes;
	bool chase;		/* all of them follow pointers */
	bool ok;
	bool checked;		/* all that write were verified, and there are some */
	bool unchecked;		/* one was not */
};

static struct sum sum_of(const struct mix_job *job, const struct scope *scope)
{
	struct sum sum = { .chase = true, .ok = true };
	unsigned int i = scope->from;
	const struct member *m;

	while ((m = next_of(job, scope, &i))) {
		sum.threads++;
		sum.bytes += m->bytes;
		sum.chase &= m->chases;
		sum.ok &= m->ok;
		sum.checked |= m->checked;
		sum.unchecked |= writes(m) && !m->checked;
	}
	return sum;
}

/* Keep a sample of these threads: the time in which they move all of their bytes. */
static void keep_sample(struct mix_job *job, const struct scope *scope,
			const struct sum *sum, u32 sample)
{
	struct mc_sampler *first = job->meas.each;
	unsigned int i = scope->from;
	const struct member *m;
	u64 rate = 0, ps = 0;

	while ((m = next_of(job, scope, &i))) {
		ps = m->ps[sample];
		first->sample.clock_bad |= !ps;
		first->sample.seen |= m->seen[sample];
		if (ps)
			rate += mc_muldiv(m->bytes, PER_1000_S, ps);
	}
	first->sample.in_time = first->sample.seen;
	if (sum->threads > 1)
		ps = mc_muldiv(sum->bytes, PER_1000_S, max(rate, 1ULL));
	mc_measurement_add(&job->meas, ps);
}

/* The events of these threads in @done samples. */
static void sum_events(struct mix_job *job, const struct scope *scope, u32 done)
{
	unsigned int i = scope->from;
	const struct member *m;

	job->meas.events = (struct mc_events_total){ 0 };
	while ((m = next_of(job, scope, &i)))
		mc_events_join(&job->meas.events, &m->events, done, max(m->done, 1U));
}

static void say_verified(struct mc_record *rec, const struct sum *sum)
{
	if (!sum->ok)
		rec->verified = MC_VERIFIED_FAILED;
	else if (sum->checked && !sum->unchecked)
		rec->verified = MC_VERIFIED_OK;
}

/* Where the memory of a group or of a thread is. */
static void say_where(struct mc_record *rec, const struct mix_job *job,
		      const struct scope *scope, const struct mc_run *run)
{
	unsigned int i = scope->from;
	bool first = true;

	rec->remote_threads = 0;
	while (next_of(job, scope, &i)) {
		const struct mc_home *home = &run->homes->home[run->homes->seat[i - 1].home];
		int node = home->area.memory_node;

		if (node < 0)
			rec->remote_threads = MC_NOT_KNOWN;
		else if (rec->remote_threads != MC_NOT_KNOWN)
			rec->remote_threads += mc_cpu_node(mc_team_cpu(run->team, i - 1)) != node;
		if (first)
			rec->memory_node = node;
		else if (rec->memory_node != node)
			rec->memory_node = MC_NODE_MIXED;
		first = false;
	}
}

static void fill_record(struct mc_record *rec, struct mix_job *job,
			const struct scope *scope, const struct mc_run *run, u32 done)
{
	struct sum sum = sum_of(job, scope);
	u32 i;

	job->meas.done = 0;
	job->meas.left_out = 0;
	for (i = 0; i < done; i++)
		keep_sample(job, scope, &sum, i);
	sum_events(job, scope, done);
	mc_measurement_record(&job->meas, rec);
	rec->threads = sum.threads;
	rec->payload_bytes = sum.bytes;
	say_verified(rec, &sum);
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
		mc_record_set(rec, COL_NS, mc_muldiv(rec->stats.median_ps,
						     sum.threads * LINE, sum.bytes));
}

/* Number of samples of which every thread has its part. */
static u32 whole_samples(const struct mix_job *job)
{
	u32 done = job->member->done;
	unsigned int i;

	for (i = 1; i < job->n; i++)
		done = min(done, job->member[i].done);
	return done;
}

/* From now on, the first sampler stands for the threads of a record. */
static void join_samplers(struct mc_measurement *meas)
{
	unsigned int i;

	for (i = 1; i < meas->n; i++)
		meas->each->window_max = max(meas->each->window_max,
					     meas->each[i].window_max);
	meas->each->sample = (struct mc_sample){ 0 };
	meas->n = 1;
	meas->tick = NULL;
}

/* All threads, each group, each thread. */
static void fill_records(struct mc_record *rec, struct mix_job *job,
			 const struct mc_run *run)
{
	struct scope scope = { .kind = SCOPE_TOTAL, .to = job->n };
	u32 done = whole_samples(job);
	unsigned int i;

	join_samplers(&job->meas);
	fill_record(rec++, job, &scope, run, done);
	for (i = 0; i < run->req->ngroups; i++, rec++) {
		scope = (struct scope){ SCOPE_GROUP, i, 0, job->n };
		rec->group = i + 1;
		fill_record(rec, job, &scope, run, done);
	}
	for (i = 0; i < job->n; i++, rec++) {
		scope = (struct scope){ SCOPE_THREAD, job->member[i].group, i, i + 1 };
		rec->cpu = mc_team_cpu(run->team, i);
		fill_record(rec, job, &scope, run, done);
	}
}

/* -------------------------------------------------------------------- the run */

static int set_up_member(struct mc_run *run, struct mix_job *job, unsigned int i,
			 const struct mc_point *point)
{
	unsigned int g = run->req->group_of[mc_team_cpu(run->team, i)] - 1;
	const struct mc_seat *seat = &run->homes->seat[i];
	const struct mc_view *view = run->homes->home[seat->home].area.view;
	struct member *m = &job->member[i];
	struct mc_point own;

	mc_group_point(&job->groups[g], point, &own);
	m->group = g;
	m->bytes = seat->bytes;
	m->ok = true;
	m->chases = job->groups[g].op == MC_MIX_CHASE;
	m->ps = mc_alloc_array(point->v[MC_KEY_REPEAT], sizeof(u64));
	m->seen = mc_alloc_array(point->v[MC_KEY_REPEAT], 1);
	if (!m->ps || !m->seen)
		return mc_fail(&run->error, -ENOMEM, "repeat: no memory for %llu sample%s",
			       point->v[MC_KEY_REPEAT], MC_S(point->v[MC_KEY_REPEAT]));
	m->load = (struct mc_load){
		.view = view, .start = seat->start, .slice = seat->bytes,
	};
	if (m->chases) {
		m->chase = (struct mc_chase){
			.view = view, .offset = seat->start, .stride = LINE,
			.n = seat->bytes / LINE, .order = MC_CHASE_RANDOM,
		};
		return 0;
	}
	m->load.mix = &mc_mixes[job->groups[g].op];
	m->load.random = own.v[KEY_PATTERN];
	m->load.delay = own.v[KEY_DELAY];
	return mc_load_begin(&m->load, &run->error);
}

static int set_up(struct mc_run *run, struct mix_job *job, const struct mc_point *point)
{
	unsigned int i;
	int err = mc_measurement_begin(&job->meas, run, point);

	if (err)
		return err;
	job->n = job->meas.n;
	job->groups = run->req->group;
	job->fill = mc_loop_within(MC_OP_FILL, mc_point_width(run, point));
	job->skip = max(1 + point->v[MC_KEY_WARMUP], (u64)MC_WARM_NS / SAMPLE_NS);
	job->meas.settling.worked = mc_ns_to_ticks(job->skip * SAMPLE_NS);
	job->all = job->skip + point->v[MC_KEY_REPEAT];
	job->member = mc_alloc_array(job->n, sizeof(*job->member));
	if (!job->member)
		return mc_fail(&run->error, -ENOMEM, "groups: no memory for %u thread%s",
			       job->n, MC_S(job->n));
	for (i = 0; i < job->n && !err; i++)
		err = set_up_member(run, job, i, point);
	return err;
}

static void clean_up(struct mix_job *job)
{
	unsigned int i;

	for (i = 0; i < job->n && job->member; i++) {
		mc_load_end(&job->member[i].load);
		mc_free(job->member[i].seen);
		mc_free(job->member[i].ps);
	}
	mc_free(job->member);
	mc_measurement_end(&job->meas);
}

static int mix_run(struct mc_run *run, const struct mc_point *point, struct mc_record *rec)
{
	struct mix_job job = { .n = 0 };
	int err = set_up(run, &job, point);

	if (!err) {
		err = mc_team_run(run->team, mix_job, &job);
		fill_records(rec, &job, run);
	}
	clean_up(&job);
	return err;
}

const struct mc_test mc_test_mix = {
	.spec = {
		.name = "mix",
		.help = "groups of CPUs that do different things at once",
		.presets = "size=auto cpu=all",
		.keys = keys,
		.nkeys = ARRAY_SIZE(keys),
		.columns = columns,
		.ncolumns = ARRAY_SIZE(columns),
	},
	.table = "rows=who values=group_op,mb_per_s,ns_per_load",
	.pointers = true,
	.records = MC_RECORD_OF_GROUP,
	.shares = true,
	.check = mix_check,
	.run = mix_run,
};
