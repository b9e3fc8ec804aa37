// SPDX-License-Identifier: GPL-2.0-only
/*
 * latency: the duration of a load that waits for the one before it.
 *
 * The working set holds one cycle of pointers. A pass follows all of them, but at most
 * a million. The next pass continues from there, so several samples traverse a large
 * set. CPUs take turns, and each has a record.
 *
 * The distribution of the times is measured afterwards, in batches.
 */
#include "arch/loops.h"
#include "core/math.h"
#include "measure/chase.h"
#include "measure/core_clock.h"
#include "measure/batches.h"
#include "measure/source.h"
#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/os.h"

enum { KEY_PATTERN = MC_KEY_FIRST, KEY_STRIDE };

enum {
	COL_NS, COL_NS_MIN, COL_CYCLES, COL_LEVEL, COL_P50, COL_P99, COL_P999,
	COL_CORE_MHZ, COL_CORE_MHZ_AFTER, COL_LOADS, COL_BATCH_LOADS,
};

#define LOADS_MOST	1048576ULL	/* loads of a pass */
#define COSTS_A_BATCH	32		/* times the clock cost that a batch lasts */

static const struct mc_key keys[] = {
	{ .name = "pattern", .column = "pattern", .preset = "random", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "random", MC_CHASE_RANDOM }, { "page", MC_CHASE_PAGE },
			    { "stride", MC_CHASE_STRIDE }),
	  .help = "order of loads: one random cycle; page by page (TLB-friendly); ascending" },
	{ .name = "stride", .column = "stride_bytes", .preset = "64", .kind = MC_SIZE, .min = 8,
	  .max = 1ULL << 30, .multiple = 8,
	  .help = "bytes between neighbouring elements; 64: one element in each line" },
};

static const struct mc_column columns[] = {
	[COL_NS] = { .name = "ns_per_load", .unit = "ns a load", .roles = MC_MAIN | MC_EACH,
	  .decimals = 3, .help = "time of a load, from the median sample" },
	[COL_NS_MIN] = { .name = "ns_per_load_min", .decimals = 3, .json_only = true,
	  .help = "time of a load, from the fastest sample" },
	[COL_CYCLES] = { .name = "cycles_per_load", .decimals = 2,
	  .help = "cycles of the core per load; its clock is read before each sample" },
	[COL_LEVEL] = { .name = "level", .names = mc_hit_names,
	  .help = "level that served the loads, by sizes that the CPU reports and by time" },
	[COL_P50] = { .name = "p50_ns_per_load", .roles = MC_DETAIL, .decimals = 3,
	  .json_only = true, .help = "time of a load that half of all batches took at most" },
	[COL_P99] = { .name = "p99_ns_per_load", .roles = MC_DETAIL, .decimals = 3,
	  .help = "time of a load that 99 % of all batches took at most" },
	[COL_P999] = { .name = "p999_ns_per_load", .roles = MC_DETAIL, .decimals = 3,
	  .json_only = true, .help = "time of a load that 99.9 % of all batches took at most" },
	[COL_CORE_MHZ] = { .name = "core_mhz", .roles = MC_DETAIL, .json_only = true,
	  .help = "clock of the core before the samples" },
	[COL_CORE_MHZ_AFTER] = { .name = "core_mhz_after", .roles = MC_DETAIL, .json_only = true,
	  .help = "clock of the core after the samples" },
	[COL_LOADS] = { .name = "loads_per_pass", .roles = MC_COUNT | MC_DETAIL,
	  .json_only = true,
	  .help = "loads of a pass: the length of the cycle, at most a million" },
	[COL_BATCH_LOADS] = { .name = "batch_loads", .roles = MC_DETAIL, .json_only = true,
	  .help = "loads timed together for percentiles and histogram" },
};

/**
 * struct latency_job - a point, on one CPU
 * @meas: the measurement
 * @chase: the cycle of pointers at the first position
 * @at: current element of the cycle
 * @loads: number of loads in a pass
 * @before: loads at the end of a refill: twice the lines of the cache before the last one; 0: there
 *          is no refill (mc_source_before_last())
 * @batches: batches of loads
 */
struct latency_job {
	struct mc_measurement meas;
	struct mc_chase chase;
	void **at;
	u64 loads;
	u64 before;
	struct mc_batches batches;
};

static int latency_check(struct mc_run *run, const struct mc_point *point)
{
	u64 size = point->v[MC_KEY_SIZE], stride = point->v[KEY_STRIDE];

	if (size / stride < 2)
		return mc_fail(&run->error, -EINVAL,
			       "stride: %llu bytes leave no second element in size=%llu",
			       stride, size);
	if (point->v[KEY_PATTERN] == MC_CHASE_PAGE &&
	    (stride & (stride - 1) || stride >= MC_CHASE_PAGE_BYTES))
		return mc_fail(&run->error, -EINVAL,
			       "stride: pattern=page takes a power of two below %u",
			       MC_CHASE_PAGE_BYTES);
	return 0;
}

/* ------------------------------------------------------------- on the thread */

static void follow(void *arg, u64 n)
{
	struct latency_job *job = arg;

	job->at = mc_asm_chase(job->at, n);
}

static struct mc_chase chase_of(const struct latency_job *job, u32 position)
{
	struct mc_chase chase = job->chase;

	chase.offset = position * mc_position_bytes(chase.n * chase.stride);
	return chase;
}

/* Each position has a cycle of its own. */
static int link_all(struct mc_worker *w, struct latency_job *job)
{
	u32 position;
	int err = 0;

	for (position = 0; !err && position < job->meas.positions; position++) {
		struct mc_chase chase = chase_of(job, position);

		err = mc_chase_link(w, &chase);
		err = err ? err : mc_chase_walk(w, &chase, job->meas.each);
	}
	return err;
}

static int latency_move(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct latency_job *job = container_of(sampler->shared, struct latency_job, meas);
	struct mc_chase chase = chase_of(job, sampler->position);

	job->at = mc_chase_at(&chase, 0);
	return 0;
}

/* Read the set in order. The loads do not wait for each other, so the last cache is filled soon. */
static void read_set(const struct mc_chase *chase)
{
	const struct mc_loop *loop = mc_loop_find(MC_OP_READ, 8);
	u64 at = chase->offset, end = at + chase->n * chase->stride, left;

	for (; at < end; at += left) {
		struct mc_loop_args args = {
			.passes = 1, .array[0] = mc_view_at(chase->view, at, &left),
		};

		left = min(left, end - at);
		args.bytes = (left + MC_LINE - 1) & ~(MC_LINE - 1);
		loop->run(&args);
	}
}

/*
 * On a busy machine a chase stays in one of two states. In the last cache, it comes back to a line
 * before others take its place. In memory, it comes too late, and as its loads wait for each other,
 * it never gets into the cache by itself. The set is read twice, since a line that was hit once
 * stays for longer. The loads at the end leave in the smaller caches what the chase leaves there.
 */
static void latency_refill(struct mc_worker *w, struct mc_sampler *sampler)
{
	struct latency_job *job = container_of(sampler->shared, struct latency_job, meas);
	struct mc_chase chase = chase_of(job, sampler->position);

	read_set(&chase);
	read_set(&chase);
	follow(job, job->before);
}

static int chase_job(struct mc_worker *w, void *arg)
{
	struct latency_job *job = arg;
	bool irq_off = job->meas.settings.irq_off;
	int err = link_all(w, job);

	job->at = mc_chase_at(&job->chase, 0);
	err = err ? err : mc_measure(w, &job->meas);
	if (err || !job->meas.done || job->meas.samples[0] == MC_NO_SAMPLE)
		return err;
	err = mc_batches_gauge(&job->batches, w, irq_off, follow, job);
	if (job->before)
		latency_refill(w, job->meas.each);
	return err ? err : mc_batches_time(&job->batches, w, irq_off,
					  job->meas.samples[0] / job->loads, COSTS_A_BATCH,
					  follow, job);
}

/* ---------------------------------------------------------------- the record */

static void set_distribution(struct mc_record *rec, struct latency_job *job)
{
	struct mc_stats stats;

	mc_batches_record(&job->batches, &stats, rec);
	if (!job->batches.n)
		return;
	mc_record_set(rec, COL_P50, stats.p50_ps);
	mc_record_set(rec, COL_P99, stats.p99_ps);
	mc_record_set(rec, COL_P999, mc_permille(job->batches.ps, job->batches.n, 999));
	mc_record_set(rec, COL_BATCH_LOADS, job->batches.size);
}

static void latency_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct latency_job *job = arg;
	const struct mc_sampler *first = job->meas.each;

	mc_measurement_record(&job->meas, rec);
	mc_record_set(rec, COL_LOADS, job->loads);
	if (first->mhz_first)
		mc_record_set(rec, COL_CORE_MHZ, first->mhz_first);
	if (first->mhz_last)
		mc_record_set(rec, COL_CORE_MHZ_AFTER, first->mhz_last);
	if (!rec->stats.samples)
		return;
	mc_record_set(rec, COL_NS, mc_rounded(rec->stats.median_ps, 1, job->loads));
	mc_record_set(rec, COL_NS_MIN, mc_rounded(rec->stats.min_ps, 1, job->loads));
	if (job->meas.median_cycles)
		mc_record_set(rec, COL_CYCLES,
			      mc_rounded(job->meas.median_cycles, 1, 10 * job->loads));
	mc_record_set(rec, COL_LEVEL, mc_source_of_chase(run, rec, &job->chase, job->loads));
	set_distribution(rec, job);
}

static int latency_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct latency_job *job = arg;

	job->chase = (struct mc_chase){
		.view = run->area.view, .stride = point->v[KEY_STRIDE],
		.n = point->v[MC_KEY_SIZE] / point->v[KEY_STRIDE],
		.order = point->v[KEY_PATTERN],
	};
	job->loads = min(job->chase.n, LOADS_MOST);
	job->meas.positions = mc_positions(point, job->chase.view,
					   job->chase.n * job->chase.stride);
	job->meas.hooks.move = latency_move;
	if (point->v[MC_KEY_TYPE] == MC_WB && point->v[MC_KEY_TARGET] == MC_TARGET_RAM &&
	    job->chase.stride <= MC_LINE)
		job->before = 2 * mc_source_before_last(mc_threads_cpu(run->threads, run->part),
							point->v[MC_KEY_SIZE]) / MC_LINE;
	job->meas.hooks.refill = job->before ? latency_refill : NULL;
	job->meas.hooks.clock = mc_core_mhz;
	job->meas.each->pass = (struct mc_pass){
		.body = mc_chase_body, .arg = &job->at, .bytes = MC_LINE * job->loads,
	};
	return mc_batches_begin(&job->batches, &job->meas, &run->error);
}

const struct mc_test mc_test_latency = {
	.spec = {
		.name = "latency",
		.help = "latency of loads that wait for each other; CPUs take turns",
		.presets = "size=16K,512K,8M,64M prefetch=auto",
		MC_KEYS_AND_COLUMNS,
	},
	.pointers = true,
	.records = MC_RECORD_OF_CPU,
	.histogram = true,
	.check = latency_check,
	.job_bytes = sizeof(struct latency_job),
	.set_up = latency_set_up,
	.job = chase_job,
	.fill = latency_fill,
};
