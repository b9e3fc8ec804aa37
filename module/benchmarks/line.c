// SPDX-License-Identifier: GPL-2.0-only
/*
 * line: the size of a cache line, and what is fetched along with one.
 *
 * The line size: in each page of the working set one word at a random place is flushed.
 * If the word some bytes after it is gone, too, it was in the same line. CLFLUSH works
 * on lines, so prefetchers do not disturb this figure.
 *
 * What is fetched together: everything is flushed, one word of each page is loaded, and
 * after a while a word some bytes after it. If that load is fast, the word came along.
 * This figure shows what prefetchers do.
 *
 * A sample has fourteen windows, each with its own untimed work before it.
 */
#include "core/step.h"
#include "measure/chase.h"
#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { COL_LINE, COL_PAIR, COL_SAME_NS, COL_OTHER_NS };

#define NDISTANCES	7
#define NEAREST		8U
#define FURTHEST	(NEAREST << (NDISTANCES - 1))	/* 512 */
#define PAGE_BYTES	MC_CHASE_PAGE_BYTES
#define SKEWS		7	/* places in a page, FURTHEST apart; the last one stays free */
#define SIZE_LEAST	(16 * PAGE_BYTES)
#define SIZE_MOST	(1024 * PAGE_BYTES)	/* for one window: at 4 us a load, 4 ms */
#define SETTLE_NS	2000	/* a prefetch has completed by then */

static const struct mc_column columns[] = {
	[COL_LINE] = { .name = "line_bytes", .help = "bytes that a CLFLUSH of one word evicts" },
	[COL_PAIR] = { .name = "pair_bytes",
	  .help = "bytes that a load of one word fetches, if these are more than its line" },
	[COL_SAME_NS] = { .name = "same_ns", .roles = MC_EACH, .decimals = 3,
	  .help = "time of a load that hits the line or the pair" },
	[COL_OTHER_NS] = { .name = "other_ns", .decimals = 3,
	  .help = "time of a load that misses it" },
};

/**
 * struct line_job - a point, on one CPU
 * @meas: the measurement
 * @view: the buffer
 * @pages: number of its pages
 * @flush: flushes all of it from the caches
 * @start: the words that are flushed or loaded first
 * @flushed: fastest load after a flushed word, picoseconds, for each distance
 * @loaded: fastest load after a loaded word, the same way
 */
struct line_job {
	struct mc_measurement meas;
	const struct mc_view *view;
	u64 pages;
	struct mc_pass flush;
	struct mc_chase start;
	u64 flushed[NDISTANCES];
	u64 loaded[NDISTANCES];
};

static int line_check(struct mc_run *run, const struct mc_point *point)
{
	u64 size = point->v[MC_KEY_SIZE];

	if (point->v[MC_KEY_TYPE] != MC_WB)
		return mc_fail(&run->error, -EINVAL,
			       "type: only wb is kept in caches");
	if (size < SIZE_LEAST || size > SIZE_MOST)
		return mc_fail(&run->error, -EINVAL,
			       "size: line takes %uK to %uK, so that the lines it loads fit in the L2 cache",
			       SIZE_LEAST >> 10, SIZE_MOST >> 10);
	return 0;
}

/* ------------------------------------------------------------- on the thread */

static int link_words(struct mc_worker *w, const struct line_job *job, u64 offset,
		      struct mc_chase *c)
{
	*c = (struct mc_chase){
		.view = job->view, .offset = offset, .stride = PAGE_BYTES,
		.skew = FURTHEST, .skews = SKEWS, .n = job->pages,
		.order = MC_CHASE_RANDOM,
	};
	return mc_chase_link(w, c);
}

static int time_words(struct mc_worker *w, struct line_job *job, const struct mc_chase *c, u64 *ps)
{
	struct mc_sampler *sampler = job->meas.each;
	int err;

	/* The events are those of the window that is the sample: the last one. */
	mc_events_clear(w->events);
	err = mc_window_open(w, job->meas.settings.irq_off);
	if (err)
		return err;
	mc_asm_chase(mc_chase_at(c, 0), c->n);
	*ps = mc_ticks_to_ps(mc_measurement_window(w, sampler, mc_window_close(w)));
	*ps -= min(*ps, mc_clock.cost_ps);
	return 0;
}

static void flush_words(const struct mc_chase *c)
{
	struct mc_loop_args args = { .bytes = 64, .passes = 1 };
	u64 i;

	for (i = 0; i < c->n; i++) {
		args.a = (void *)((unsigned long)mc_chase_at(c, i) & ~63UL);
		mc_asm_flush64(&args);
	}
	mc_wait_for_all();
}

static void wait_for_prefetch(void)
{
	u64 from = mc_ticks(), wait = mc_ns_to_ticks(SETTLE_NS);

	while (mc_ticks() - from < wait)
		mc_relax();
}

/* Everything is in the caches except the flushed words, and what shares their lines. */
static int time_after_flush(struct mc_worker *w, struct line_job *job,
			    const struct mc_chase *behind, u64 *ps)
{
	mc_asm_chase(mc_chase_at(&job->start, 0), job->start.n);
	mc_asm_chase(mc_chase_at(behind, 0), behind->n);
	flush_words(&job->start);
	return time_words(w, job, behind, ps);
}

/* Nothing is in the caches except the loaded words, and what was fetched with them. */
static int time_after_load(struct mc_worker *w, struct line_job *job,
			   const struct mc_chase *behind, u64 *ps)
{
	int err = mc_pass_untimed(w, &job->flush);

	if (err)
		return err;
	mc_wait_for_all();
	mc_asm_chase(mc_chase_at(&job->start, 0), job->start.n);
	wait_for_prefetch();
	return time_words(w, job, behind, ps);
}

static int measure_distance(struct mc_worker *w, struct line_job *job, int d, u64 *loaded)
{
	struct mc_chase behind;
	u64 flushed;
	int err = link_words(w, job, NEAREST << d, &behind);

	err = err ? err : time_after_flush(w, job, &behind, &flushed);
	err = err ? err : time_after_load(w, job, &behind, loaded);
	if (err)
		return err;
	job->flushed[d] = min(job->flushed[d], flushed / job->pages);
	job->loaded[d] = min(job->loaded[d], *loaded / job->pages);
	return 0;
}

/* The word at the largest distance has not come along: its time is the sample. */
static int line_take(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct line_job *job = container_of(sampler->shared, struct line_job, meas);
	int err = 0, d;

	for (d = 0; !err && d < NDISTANCES; d++)
		err = measure_distance(w, job, d, &sampler->sample.ps);
	mc_events_take(w->events, &sampler->sample.events);
	return err;
}

static int line_job(struct mc_worker *w, void *arg)
{
	struct line_job *job = arg;
	int err = link_words(w, job, 0, &job->start);

	return err ? err : mc_measure(w, &job->meas);
}

/* ---------------------------------------------------------------- the record */

/* The distance at which these times go from one level to another; 0: none, or not known. */
static u64 distance_of_step(const u64 *ps, u64 before, u64 after)
{
	unsigned int d = mc_step_at(ps, NDISTANCES, before, after);

	return d ? NEAREST << d : 0;
}

static void line_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct line_job *job = arg;
	u64 same = job->flushed[NDISTANCES - 1], other = job->flushed[0];
	u64 line, pair;

	mc_measurement_record(&job->meas, rec);
	if (!rec->stats.samples)
		return;
	mc_record_set(rec, COL_SAME_NS, same);
	mc_record_set(rec, COL_OTHER_NS, other);
	/* If a miss costs no more than a hit, lines can't be told apart. */
	if (other < 2 * same)
		return;
	line = distance_of_step(job->flushed, other, same);
	pair = distance_of_step(job->loaded, same, other);
	if (line)
		mc_record_set(rec, COL_LINE, line);
	if (line && pair > line)
		mc_record_set(rec, COL_PAIR, pair);
}

static int line_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct line_job *job = arg;

	job->meas.hooks.take = line_take;
	job->view = run->area.view;
	job->pages = point->v[MC_KEY_SIZE] / PAGE_BYTES;
	job->flush = (struct mc_pass){
		.loop = mc_loop_widest(MC_OP_FLUSH), .view = job->view,
		.bytes = job->pages * PAGE_BYTES,
	};
	memset(job->flushed, 0xff, sizeof(job->flushed));
	memset(job->loaded, 0xff, sizeof(job->loaded));
	return 0;
}

const struct mc_test mc_test_line = {
	.spec = {
		.name = "line",
		.help = "size of a cache line, and what is fetched along with it; CPUs take turns",
		.presets = "size=1M",
		.columns = columns,
		.ncolumns = ARRAY_SIZE(columns),
	},
	.pointers = true,
	.records = MC_RECORD_OF_CPU,
	.check = line_check,
	.job_bytes = sizeof(struct line_job),
	.set_up = line_set_up,
	.job = line_job,
	.fill = line_fill,
};
