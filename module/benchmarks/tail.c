// SPDX-License-Identifier: GPL-2.0-only
/*
 * tail: how long an access takes at worst, and why.
 *
 * tail/watch.c times the accesses and finds the causes of the slow ones. A sample is count=
 * accesses of each thread, and its time is their median.
 */
#include "benchmarks/tail/watch.h"
#include "core/math.h"
#include "platform/clock.h"
#include "platform/os.h"

enum {
	KEY_OP = MC_KEY_FIRST, KEY_WIDTH, KEY_COUNT, KEY_PLACES, KEY_FLUSH, KEY_DELAY, KEY_SPIKE,
	KEY_LOAD,
};

enum {
	COL_P50, COL_P99, COL_P99_9, COL_P99_99, COL_P99_999, COL_P99_9999, COL_MAX, COL_MAX_CAUSE,
	COL_ACCESSES, COL_STEP, COL_CLOCK, COL_CLOCK_P99_9, COL_LIMIT, COL_SPIKES, COL_SPIKES_SHARE,
	COL_UNKNOWN_SHARE, COL_STOPPED,
};

enum { OP_READ, OP_WRITE, OP_ATOMIC };
enum { PLACES_ONE, PLACES_ALL };

#define NO_LOAD		MC_NMIXES
#define LOAD_LEAST	4096ULL	/* bytes that a thread loads, at least */
#define STEAL_NS	20000	/* shorter spikes are no stolen time */

static const struct mc_key keys[] = {
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "read", OP_READ }, { "write", OP_WRITE }, { "atomic", OP_ATOMIC }),
	  .help = "a load, a store and a fence, or a compare and swap" },
	{ .name = "width", .column = "width_bytes", .preset = "8", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "8", 8 }, { "4", 4 }),
	  .help = "bytes of an access; some registers of devices answer 4 only" },
	{ .name = "count", .column = "count", .preset = "100000", .kind = MC_NUMBER, .min = 1000,
	  .max = 1000000000,
	  .help = "accesses of each thread in a sample; a result has repeat= samples" },
	{ .name = "places", .column = "places", .preset = "one", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "one", PLACES_ONE }, { "all", PLACES_ALL }),
	  .help = "all: lines of the memory at random; one: always the same line" },
	{ .name = "flush", .column = "flush", .preset = "auto", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "auto", MC_AUTO, .asked_only = true }, { "yes", 1 }, { "no", 0 }),
	  .found = true,
	  .help = "flush the line from the caches before each access; auto: with type=wb" },
	{ .name = "delay", .column = "access_delay_ns", .preset = "0", .kind = MC_TIME,
	  .max = 1000000, .help = "time from the end of an access to the next one, at least" },
	{ .name = "spike", .preset = "auto", .single = true, .kind = MC_TIME,
	  .names = MC_NAMES({ "auto", MC_AUTO }), .min = 1, .max = 1000000000,
	  .help = "a longer access is a spike; auto: half above the median, or more" },
	{ .name = "load", .column = "load", .preset = "none", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "none", NO_LOAD }, { "read", MC_MIX_READ }, { "rw21", MC_MIX_RW21 },
			    { "rw11", MC_MIX_RW11 }, { "write", MC_MIX_WRITE },
			    { "ntwrite", MC_MIX_NTWRITE }, { "copy", MC_MIX_COPY }),
	  .help = "what all CPUs but the first one do meanwhile, as op= of loaded" },
};

#define PERCENTILE(what, part)							\
	{									\
		.name = "p" what "_ns_per_access", .decimals = 3,		\
		.help = "time that " part " % of all accesses took at most",	\
	}

static const struct mc_column columns[] = {
	[COL_P50] = { .name = "ns_per_access", .unit = "ns an access",
	  .roles = MC_MAIN | MC_EACH, .decimals = 3,
	  .help = "time that half of all accesses took at most, without the clock's" },
	[COL_P99] = PERCENTILE("99", "99"),
	[COL_P99_9] = PERCENTILE("99_9", "99.9"),
	[COL_P99_99] = PERCENTILE("99_99", "99.99"),
	[COL_P99_999] = PERCENTILE("99_999", "99.999"),
	[COL_P99_9999] = PERCENTILE("99_9999", "99.9999"),
	[COL_MAX] = { .name = "max_ns_per_access", .decimals = 3,
	  .help = "time of the slowest access" },
	[COL_MAX_CAUSE] = { .name = "max_cause", .names = mc_cause_names,
	  .help = "what was seen to happen during the slowest access" },
	[COL_ACCESSES] = { .name = "accesses", .json_only = true,
	  .help = "accesses of all threads" },
	[COL_STEP] = { .name = "step_ns", .decimals = 3, .json_only = true,
	  .help = "time from an access to the next, in the fastest window before the samples" },
	[COL_CLOCK] = { .name = "clock_ns", .decimals = 3, .json_only = true,
	  .help = "time of two readings of the clock, the median, which was subtracted" },
	[COL_CLOCK_P99_9] = { .name = "clock_p99_9_ns", .decimals = 3, .json_only = true,
	  .help = "time that 99.9 % of such pairs took at most" },
	[COL_LIMIT] = { .name = "spike_limit_ns", .decimals = 3, .json_only = true,
	  .help = "an access that took longer is a spike" },
	[COL_SPIKES] = { .name = "spikes", .help = "accesses that took longer than spike=" },
	[COL_SPIKES_SHARE] = { .name = "spikes_percent", .decimals = 4,
	  .help = "share of the time of all windows that spikes took beyond the median" },
	[COL_UNKNOWN_SHARE] = { .name = "unknown_percent", .decimals = 2,
	  .help = "share of that time whose cause nobody saw; refresh of the memory is in it" },
	[COL_STOPPED] = { .name = "stopped", .json_only = true,
	  .names = MC_NAMES({ "yes", true }, { "no", false }),
	  .help = "did the run end within a sample, or during warm-ups?" },
};

/* ------------------------------------------------------- check the request */

static bool flushes(const struct mc_point *point)
{
	return point->v[KEY_FLUSH] == MC_AUTO ? point->v[MC_KEY_TYPE] == MC_WB :
						 point->v[KEY_FLUSH];
}

static u64 slice_of(const struct mc_point *point, unsigned int threads)
{
	return point->v[MC_KEY_SIZE] / threads & ~(MC_LINE - 1);
}

static int tail_check(struct mc_run *run, const struct mc_point *point)
{
	unsigned int n = mc_threads_size(run->threads);
	bool loaded = point->v[KEY_LOAD] != NO_LOAD;

	if (loaded && n < 2)
		return mc_fail(&run->error, -EINVAL,
			       "load: the first CPU times accesses and others load; list two at least, or all");
	if (slice_of(point, n) < (loaded ? LOAD_LEAST : MC_LINE))
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

/* --------------------------------------------------------------- the samples */

/*
 * If time was stolen, long spikes are blamed on that. Otherwise their cause is unknown: no walk
 * takes so long, but what nobody counts, as an SMI, may leave an empty TLB behind.
 */
static void find_stolen(struct mc_worker *w, struct mc_watch *t)
{
	u64 least = t->plan.limit + mc_ns_to_ticks(STEAL_NS);
	bool asked = !(t->tally.tail->known >> MC_CAUSE_STEAL & 1), stolen = false;
	u32 i;

	for (i = 0; i < t->tally.n; i++) {
		if ((t->tally.spikes[i].cause != MC_CAUSE_UNKNOWN &&
		     t->tally.spikes[i].cause != MC_CAUSE_WALK) || t->tally.spikes[i].ticks < least)
			continue;
		if (!asked)
			stolen = mc_detector_stolen(&w->detector, w->cpu, true) == MC_STOLEN;
		asked = true;
		t->tally.spikes[i].cause = stolen ? MC_CAUSE_STEAL : MC_CAUSE_UNKNOWN;
	}
}

static void account_spikes(struct mc_worker *w, struct mc_watch *t)
{
	u32 i;

	find_stolen(w, t);
	if (t == t->job->watch && t->job->record.tail->trace->before)
		mc_trace_add(t->job->record.tail->trace, t->tally.spikes, t->tally.n,
			     mc_ns_to_ticks(MC_WATCH_APART_NS), false);
	for (i = 0; i < t->tally.n; i++)
		mc_tail_spike(t->tally.tail, &t->tally.spikes[i]);
}

/* Compare the memory with the value that the last access stored. */
static void verify_last(struct mc_watch *t, struct mc_sampler *sampler)
{
	u64 mask = t->job->settings.mask;
	u64 found = mask == ~0U ? READ_ONCE(*(u32 *)t->memory.at) : READ_ONCE(*(u64 *)t->memory.at);

	mc_sampler_verified(sampler, found == (t->memory.value & mask));
}

static struct mc_watch_job *job_of(struct mc_measurement *meas)
{
	return container_of(meas, struct mc_watch_job, meas);
}

static int tail_take(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_watch *t = &job_of(sampler->shared)->watch[w->index];
	u64 left = t->job->settings.count, ticks;
	int err = 0;

	while (left && !err) {
		t->tally.n = 0;
		err = mc_watch_window(w, t, &t->tally.tail->bins, &left, &ticks);
		if (err)
			break;
		t->tally.ticks += ticks;
		account_spikes(w, t);
	}
	/* A device that is gone returns ones only, which no access has stored. */
	if (err != -ENODEV && t->job->settings.mask)
		verify_last(t, sampler);
	return err;
}

static u64 median_ps(const struct mc_tail *tail)
{
	return mc_tail_ps(tail, mc_bins_at(&tail->bins, 500000000));
}

/* Move the times of all threads since the last call to the first one. Return: their median, ps. */
static u64 gather_times(struct mc_measurement *meas)
{
	struct mc_watch_job *job = job_of(meas);
	struct mc_watch *first = job->watch, *t;

	for (t = first + 1; t < first + job->watchers; t++) {
		mc_tail_join(first->tally.tail, t->tally.tail);
		mc_tail_clear(t->tally.tail);
		first->tally.ticks += t->tally.ticks;
		t->tally.ticks = 0;
	}
	return median_ps(first->tally.tail);
}

/* Add the times that were gathered to the result, unless the clock ran backwards meanwhile. */
static void add_times(struct mc_watch_job *job)
{
	struct mc_watch *first = job->watch;
	const struct mc_tail *tail = first->tally.tail;
	bool bad = false;
	unsigned int i;

	for (i = 0; i < job->watchers; i++)
		bad |= job->meas.each[i].sample.clock_bad;
	for (i = 0; i < job->watchers; i++)
		job->record.tail->known |= job->watch[i].tally.tail->known;
	job->record.tail->khz = tail->khz;
	job->record.tail->clock = tail->clock;
	job->record.tail->median = tail->median;
	if (!bad) {
		mc_tail_join(job->record.tail, tail);
		job->record.ticks += first->tally.ticks;
	}
	mc_tail_clear(first->tally.tail);
	first->tally.ticks = 0;
}

/* The first sample that is kept replaces the warm-ups. */
static void tail_ended(struct mc_measurement *meas)
{
	struct mc_watch_job *job = job_of(meas);

	if (meas->kept && meas->done == 1) {
		mc_tail_clear(job->record.tail);
		job->record.ticks = 0;
	}
	add_times(job);
}

/*
 * Keep what was measured of a sample that did not end. If it would have been the first one, the
 * warm-ups count, too.
 */
static void keep_rest(struct mc_watch_job *job)
{
	u64 ps = gather_times(&job->meas), n = job->watch->tally.tail->bins.n;
	u64 warmups = job->meas.done ? 0 : job->record.tail->bins.n;
	unsigned int i;

	if (!mc_measurement_wants(&job->meas) || !(n + warmups))
		return;
	add_times(job);
	if (warmups) {
		/* Times of a clock that ran backwards are not among those that were added. */
		for (i = 0; i < job->watchers; i++)
			job->meas.each[i].sample.clock_bad = false;
		ps = median_ps(job->record.tail);
	}
	mc_measurement_append(&job->meas, ps);
	/* The run may have ended between this sample and the next one. */
	job->record.stopped = warmups || n < job->watchers * job->settings.count;
}

static int watch_accesses(struct mc_worker *w, struct mc_watch_job *job)
{
	int err = mc_watch_prepare(w, &job->watch[w->index]);

	/* Threads that load the memory never come to the barrier again. */
	if (!err && job->watchers > 1)
		err = mc_barrier(w);
	if (!w->index)
		job->began = mc_ticks();
	return err ? err : mc_measure(w, &job->meas);
}

static int load_memory(struct mc_worker *w, struct mc_watch_job *job)
{
	struct mc_walk walk;
	int err;

	mc_walk_begin(&walk, &job->load[w->index], w->index);
	while (!mc_flag(&job->over)) {
		err = mc_watch_open(w, job);
		if (err)
			return err;
		mc_walk_window(&walk);
		mc_walk_fit(&walk, mc_watch_close(w, job));
	}
	return 0;
}

/* A thread times accesses, or it loads the memory. */
static int tail_job(struct mc_worker *w, void *arg)
{
	struct mc_watch_job *job = arg;
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

static void set_spikes(struct mc_record *rec, const struct mc_watch_job *job)
{
	const struct mc_tail *tail = job->record.tail;
	u64 excess = mc_tail_excess(tail), spikes = 0;
	u32 cause;

	for (cause = 0; cause < MC_NCAUSES; cause++)
		spikes += tail->cause[cause].count;
	mc_record_set(rec, COL_SPIKES, spikes);
	mc_record_set(rec, COL_SPIKES_SHARE,
		      mc_rounded(excess, 1000000, max(job->record.ticks, 1ULL)));
	if (excess)
		mc_record_set(rec, COL_UNKNOWN_SHARE,
			      mc_rounded(tail->cause[MC_CAUSE_UNKNOWN].excess, 10000, excess));
}

static void tail_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct mc_watch_job *job = arg;
	const struct mc_watch *first = job->watch;
	const struct mc_tail *tail = job->record.tail;
	unsigned int i;

	keep_rest(job);
	for (i = job->watchers; i < job->threads; i++)
		job->meas.each->window_max = max(job->meas.each->window_max,
						 job->meas.each[i].window_max);
	mc_measurement_record(&job->meas, rec);
	if (!rec->stats.samples || !tail->bins.n)
		return;
	rec->point.v[KEY_FLUSH] = job->settings.flush;
	set_percentiles(rec, tail);
	mc_record_set(rec, COL_ACCESSES, tail->bins.n);
	mc_record_set(rec, COL_STEP, mc_ticks_to_ps(first->plan.step));
	mc_record_set(rec, COL_CLOCK, mc_ticks_to_ps(first->plan.clock_median));
	mc_record_set(rec, COL_CLOCK_P99_9, mc_ticks_to_ps(first->plan.clock_p999));
	mc_record_set(rec, COL_LIMIT, mc_tail_ps(tail, first->plan.limit));
	set_spikes(rec, job);
	mc_record_set(rec, COL_STOPPED, job->record.stopped);
	rec->tail = job->record.tail;
	job->record.tail = NULL;
}

/* ---------------------------------------------------------------- the accesses */

static u64 swap_word(void *at, u64 n, u64 value)
{
	return cmpxchg((u64 *)at, value - 1, value);
}

/* Give a thread its part of the memory, and room for its spikes or its load. */
static int set_up_thread(struct mc_watch_job *job, struct mc_run *run,
			 const struct mc_point *point, unsigned int i)
{
	struct mc_part part = mc_measurement_part(job->threads, &run->area, i);
	u64 slice = slice_of(point, job->threads);
	struct mc_watch *t = &job->watch[i];
	struct mc_watch_memory *memory = &t->memory;
	struct mc_watch_tally *tally = &t->tally;

	if (i >= job->watchers) {
		job->load[i] = (struct mc_load){
			.mix = &mc_mixes[point->v[KEY_LOAD]], .view = part.view,
			.start = part.index * slice, .slice = slice,
		};
		return mc_load_begin(&job->load[i], &job->meas, &run->error);
	}
	t->job = job;
	memory->view = part.view;
	memory->start = part.index * slice;
	memory->lines = slice / MC_LINE;
	tally->spikes = mc_measurement_array(&job->meas, MC_WATCH_SPIKES, sizeof(*tally->spikes));
	tally->tail = mc_measurement_array(&job->meas, 1, sizeof(*tally->tail));
	mc_random_seed(&memory->random, i);
	memory->at = mc_view_at(memory->view, memory->start, NULL);
	if (point->v[KEY_OP] == OP_ATOMIC)
		memory->value = READ_ONCE(*(u64 *)memory->at);
	return tally->spikes && tally->tail ? 0 :
	       mc_fail(&run->error, -ENOMEM, "cpu: no memory for the spikes of %u threads",
		       job->threads);
}

static int tail_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	const struct mc_mmio_loop *loops = mc_mmio_loop_find(point->v[KEY_WIDTH]);
	struct mc_watch_job *job = arg;
	struct mc_watch_settings *set = &job->settings;
	struct mc_tail *tail;
	u64 op = point->v[KEY_OP];
	unsigned int i, n = job->meas.n;
	int err = 0;

	set->count = point->v[KEY_COUNT];
	set->walk_events = op == OP_READ ? 1U << MC_EVENT_LOAD_WALKS :
			   op == OP_WRITE ? 1U << MC_EVENT_STORE_WALKS :
			   1U << MC_EVENT_LOAD_WALKS | 1U << MC_EVENT_STORE_WALKS;
	set->spike = point->v[KEY_SPIKE];
	set->run = op == OP_ATOMIC ? swap_word :
		   op == OP_READ ? loops->run[MC_MMIO_READ] : loops->run[MC_MMIO_WRITE];
	set->fenced = op == OP_WRITE;
	set->one = point->v[KEY_PLACES] == PLACES_ONE;
	/* A swap stores only if it finds the value of the last one. */
	if (op == OP_WRITE || (op == OP_ATOMIC && set->one))
		set->mask = point->v[KEY_WIDTH] == 8 ? ~0ULL : ~0U;
	set->flush = flushes(point);
	set->delay = mc_ns_to_ticks(point->v[KEY_DELAY]);
	job->threads = n;
	job->watchers = point->v[KEY_LOAD] == NO_LOAD ? n : 1;
	job->meas.n = job->watchers;
	job->meas.hooks.take = tail_take;
	job->meas.hooks.time = gather_times;
	job->meas.hooks.ended = tail_ended;
	job->watch = mc_measurement_array(&job->meas, n, sizeof(*job->watch));
	job->load = mc_measurement_array(&job->meas, n, sizeof(*job->load));
	tail = mc_alloc_array(1, sizeof(*tail) + sizeof(*tail->trace));
	job->record.tail = tail;
	if (!job->watch || !job->load || !tail)
		return mc_fail(&run->error, -ENOMEM, "cpu: no memory for %u thread%s", n, MC_S(n));
	tail->trace = (struct mc_trace *)(tail + 1);
	for (i = 0; i < n && !err; i++)
		err = set_up_thread(job, run, point, i);
	return err;
}

static void tail_clean_up(void *arg)
{
	struct mc_watch_job *job = arg;
	unsigned int i;

	for (i = 0; i < job->threads && job->watch; i++) {
		if (job->watch[i].plan.smis)
			mc_counter_close(job->watch[i].plan.smis);
	}
	mc_free(job->record.tail);
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
		share = mc_rounded(rec->tail->cause[cause].excess, 1000, excess);
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
		MC_KEYS_AND_COLUMNS,
		.width = KEY_WIDTH,
	},
	.histogram = true,
	.causes = true,
	.shares = true,
	.reads_only = tail_reads_only,
	.note = tail_note,
	.check = tail_check,
	.job_bytes = sizeof(struct mc_watch_job),
	.set_up = tail_set_up,
	.job = tail_job,
	.fill = tail_fill,
	.clean_up = tail_clean_up,
};
