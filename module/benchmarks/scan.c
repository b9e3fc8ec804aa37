// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan: bandwidth and latency of each region of the machine's memory.
 *
 * All memory that is free, but for a reserve, is taken, and measured region by region in
 * order of physical addresses. So each region is measured in those parts that nobody used.
 * All threads share them for the bandwidth. Then the first thread follows pointers: one
 * cycle of lines that are spread evenly over the region, so that it passes through as many
 * banks, channels and modules as there are behind it. The lines are flushed before each
 * sample, and a sample follows each pointer once, so no cache serves a load. For the
 * bandwidth, too, the region is flushed before each sample unless it is far larger than the
 * caches.
 *
 * Each thread's words are consecutive integers. Their sum is verified once the bandwidth
 * of the region is known, and the chase must be one cycle.
 */
#include "core/math.h"
#include "measure/chase.h"
#include "measure/measurement.h"
#include "measure/source.h"
#include "platform/os.h"

enum { KEY_REGION = MC_KEY_FIRST, KEY_OP };

enum { COL_BEGIN, COL_ADDRESS, COL_COVERED, COL_MB_PER_S, COL_NS, COL_NS_MIN, COL_LEVEL };

#define MIB		(1024 * 1024ULL)
#define PART_LEAST	4096ULL		/* bytes of a thread */
#define COVERED_LEAST	MIB		/* less says little about a region */
#define FAR_LARGER	8		/* times the caches */
#define ONCE_LEAST	(32 * MIB)	/* a pass over this much is a sample */
#define LOADS		65536ULL	/* lines in the cycle */
#define FLUSHED_AT_ONCE	1024

static const struct mc_key keys[] = {
	{ .name = "region", .column = "region_bytes", .preset = "1G", .kind = MC_SIZE,
	  .min = MC_REGION_LEAST, .max = 1ULL << 40, .multiple = MC_REGION_LEAST,
	  .help = "bytes of a region, a power of two" },
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "read", MC_OP_READ }, { "write", MC_OP_WRITE },
			    { "ntwrite", MC_OP_NTWRITE }),
	  .help = "what bandwidth is measured of; nt: non-temporal" },
};

static const struct mc_column columns[] = {
	[COL_BEGIN] = { .name = "begin_mib", .unit = "MiB", .roles = MC_OVER | MC_WHICH,
	  .always = true,
	  .help = "where the region begins; without physical addresses, in virtual memory" },
	[COL_ADDRESS] = { .name = "physical_address", .roles = MC_WHICH, .text = true,
	  .help = "where the region begins; in user space, only with CAP_SYS_ADMIN" },
	[COL_COVERED] = { .name = "covered_bytes",
	  .help = "how much of the region was free, and so was measured" },
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_MAIN,
	  .rate = true, .help = "payload of all threads, 10^6 bytes/s, from the median sample" },
	[COL_NS] = { .name = "ns_per_load", .unit = "ns a load", .decimals = 3,
	  .help = "time of a load that waits for the one before it, on the first CPU" },
	[COL_NS_MIN] = { .name = "ns_per_load_min", .decimals = 3, .json_only = true,
	  .help = "the same from the fastest sample" },
	[COL_LEVEL] = { .name = "level", .names = mc_hit_names,
	  .help = "memory: the bandwidth is that of memory; na: caches served some of it" },
};

/**
 * struct scan_job - a region
 * @meas: the measurement of the bandwidth
 * @flushed: the region is flushed from the caches before each sample
 * @latency: the measurement of the latency
 * @chase: the cycle of pointers; none: the region is too small
 * @at: current element of the cycle
 */
struct scan_job {
	struct mc_measurement meas;
	bool flushed;
	struct mc_measurement latency;
	struct mc_chase chase;
	void **at;
};

/* ------------------------------------------------------- check the request */

static int scan_check(struct mc_run *run, const struct mc_point *point)
{
	u64 page = point->v[MC_KEY_PAGE], region = point->v[KEY_REGION];

	if (point->v[MC_KEY_TARGET] != MC_TARGET_RAM)
		return mc_fail(&run->error, -EINVAL,
			       "target: scan goes through all of the machine's memory; use target=ram");
	if (point->v[MC_KEY_TYPE] != MC_WB)
		return mc_fail(&run->error, -EINVAL,
			       "type: scan leaves memory as it is; use type=wb");
	if (MC_IN_KERNEL && page == MC_PAGE_4K)
		return mc_fail(&run->error, -EINVAL,
			       "page: scan goes through the direct map; use page=auto");
	if (page == MC_PAGE_2M)
		return mc_fail(&run->error, -EINVAL, "page: scan takes auto, thp or 4k");
	if (region & (region - 1))
		return mc_fail(&run->error, -EINVAL,
			       "region: %llu bytes are no power of two; 1G is one", region);
	if (point->v[MC_KEY_SIZE] < MC_REGION_LEAST)
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are less than the smallest region, 2M",
			       point->v[MC_KEY_SIZE]);
	return 0;
}

/* ------------------------------------------------------------- on the threads */

/* In a second pass, caches would serve some of what they were flushed of. */
static int flush_part(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_pass flush = mc_pass_beside(&sampler->pass, MC_OP_FLUSH, ~0U);

	if (sampler->pass.bytes * sampler->shared->n >= ONCE_LEAST)
		sampler->cal.passes_a_sample = 1;
	return mc_pass_untimed(w, &flush);
}

static int bandwidth_job(struct mc_worker *w, void *arg)
{
	struct scan_job *job = arg;
	struct mc_sampler *sampler = &job->meas.each[w->index];
	struct mc_pass fill = mc_pass_beside(&sampler->pass, MC_OP_FILL, ~0U);
	struct mc_pass sum = mc_pass_beside(&sampler->pass, MC_OP_SUM, ~0U);
	u64 words = mc_sum_of_run(fill.value, 1, fill.bytes / 8);
	int err = mc_pass_untimed(w, &fill);

	err = err ? err : mc_measure(w, &job->meas);
	err = err ? err : mc_pass_untimed(w, &sum);
	/* Those that were stored are those of the last pass. */
	if (mc_ops[sampler->pass.loop->op].stores)
		words = mc_pass_sum(&sampler->pass);
	if (!err)
		mc_sampler_verified(sampler, sum.tally.sum == words);
	return err;
}

/* Before each sample: no cache has a line of the cycle, which the sample follows once. */
static int flush_lines(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	const struct scan_job *job = container_of(sampler->shared, struct scan_job, latency);
	int err = 0;
	u64 i;

	for (i = 0; i < job->chase.n && !err; i++) {
		mc_flush(mc_chase_at(&job->chase, i));
		err = mc_threads_pause(w, i % FLUSHED_AT_ONCE);
	}
	sampler->cal.passes_a_sample = 1;
	return err;
}

static int chase_job(struct mc_worker *w, void *arg)
{
	struct scan_job *job = arg;
	int err = mc_chase_link(w, &job->chase);

	job->at = mc_chase_at(&job->chase, 0);
	err = err ? err : mc_measure(w, &job->latency);
	return err ? err : mc_chase_walk(w, &job->chase, job->meas.each);
}

/* A region of little memory says little, and is left out. */
static int scan_measure(struct mc_run *run, void *arg)
{
	struct scan_job *job = arg;
	unsigned int first = 0;
	int err;

	if (!job->chase.n)
		return 0;
	err = mc_threads_run(run->threads, bandwidth_job, job);
	return err ? err : mc_threads_run_some(run->threads, &first, 1, chase_job, job);
}

/* ------------------------------------------------------------------- the record */

static void fill_bandwidth(struct mc_record *rec, struct scan_job *job)
{
	u64 payload = job->meas.each->pass.bytes * job->meas.n;

	mc_measurement_record(&job->meas, rec);
	rec->payload_bytes = payload;
	if (rec->stats.samples)
		mc_record_set(rec, COL_MB_PER_S, mc_mb_per_s(payload, rec->stats.median_ps));
	if (!job->flushed || job->meas.each->cal.passes_a_sample == 1)
		mc_record_set(rec, COL_LEVEL, MC_HIT_MEMORY);
}

static void fill_latency(struct mc_record *rec, struct scan_job *job)
{
	struct mc_measurement *meas = &job->latency;
	struct mc_stats stats;

	if (!meas->done)
		return;
	mc_stats_of(&stats, meas->samples, meas->done);
	if (!stats.samples)
		return;
	mc_record_set(rec, COL_NS, mc_rounded(stats.median_ps, 1, job->chase.n));
	mc_record_set(rec, COL_NS_MIN, mc_rounded(stats.min_ps, 1, job->chase.n));
}

static void say_where(struct mc_record *rec, const struct mc_region *region)
{
	char address[24];
	struct mc_text t = MC_TEXT(address);

	/* Results are of a region; size= was the most memory for all of them. */
	rec->point.v[MC_KEY_SIZE] = rec->point.v[KEY_REGION];
	mc_record_set(rec, COL_BEGIN, region->at / MIB);
	mc_record_set(rec, COL_COVERED, region->bytes);
	if (!region->physical)
		return;
	mc_textf(&t, "0x%llx", region->at);
	mc_record_set_text(rec, COL_ADDRESS, address);
}

static void scan_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct scan_job *job = arg;

	if (!job->chase.n)
		return;
	say_where(rec, &run->area.region);
	fill_bandwidth(rec, job);
	fill_latency(rec, job);
}

/* Why a region has no address, or no level. */
static bool scan_note(struct mc_text *t, const struct mc_record *rec)
{
	if (!(rec->has & 1U << COL_ADDRESS))
		mc_textf(t, "physical_address: needs CAP_SYS_ADMIN; regions are virtual memory\n");
	else if (!(rec->has & 1U << COL_LEVEL))
		mc_textf(t,
			 "region: several passes a sample where level is na; use larger regions\n");
	else
		return false;
	return true;
}

/* ---------------------------------------------------------------------- the run */

static void set_up_bandwidth(struct scan_job *job, const struct mc_run *run,
			     const struct mc_point *point, u64 bytes)
{
	unsigned int i;

	job->flushed = run->area.region.bytes / FAR_LARGER <
		       mc_source_caches(run->req->any_cpu ? NULL : run->req->cpus, 0);
	job->meas.hooks.prepare = job->flushed ? flush_part : NULL;
	for (i = 0; i < job->meas.n; i++) {
		job->meas.each[i].pass = (struct mc_pass){
			.loop = mc_loop_widest(point->v[KEY_OP]), .view = run->area.view,
			.offset = { i * bytes }, .bytes = bytes, .data = MC_DATA_COUNTER,
			.value = (i + 1ULL) << 40, .drain = mc_ops[point->v[KEY_OP]].nontemporal,
		};
	}
}

/* The elements of the cycle: as many lines as there are, at most LOADS, evenly spread. */
static void set_up_chase(struct scan_job *job, const struct mc_run *run)
{
	u64 bytes = run->area.region.bytes, n = min(bytes / MC_LINE, LOADS);
	u64 stride = bytes / n & ~(MC_LINE - 1);
	struct mc_measurement *meas = &job->latency;

	job->chase = (struct mc_chase){
		.view = run->area.view, .stride = stride, .n = n, .order = MC_CHASE_RANDOM,
		/* Each at another place of its stride: all channels, all sets. */
		.skew = MC_LINE, .skews = stride / MC_LINE,
	};
	meas->n = 1;
	meas->settings.least /= 2;	/* the bandwidth has the other half of time= */
	meas->hooks.tick = NULL;
	meas->traffic.counters = NULL;
	meas->hooks.prepare = flush_lines;
	meas->each->pass = (struct mc_pass){
		.body = mc_chase_body, .arg = &job->at, .bytes = MC_LINE * n,
	};
}

static int scan_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	u64 region = run->area.region.bytes;
	u64 bytes = region / mc_threads_size(run->threads) & ~(MC_LINE - 1);
	struct scan_job *job = arg;
	int err;

	if (region < COVERED_LEAST || bytes < PART_LEAST)
		return 0;
	err = mc_measurement_begin(&job->latency, run, point);
	if (err)
		return err;
	job->meas.settings.least /= 2;	/* of time= */
	set_up_bandwidth(job, run, point, bytes);
	set_up_chase(job, run);
	return 0;
}

static void scan_clean_up(void *arg)
{
	struct scan_job *job = arg;

	mc_measurement_end(&job->latency);
}

const struct mc_test mc_test_scan = {
	.spec = {
		.name = "scan",
		.help = "bandwidth and latency of each region of the machine's memory",
		.presets = "size=65536G cpu=all repeat=5 warmup=1",
		MC_KEYS_AND_COLUMNS,
	},
	.pointers = true,
	.records = MC_RECORD_OF_REGION,
	.region = KEY_REGION,
	.table = "rows=begin_mib values=memory_node,covered_bytes,mb_per_s,ns_per_load",
	.note = scan_note,
	.check = scan_check,
	.job_bytes = sizeof(struct scan_job),
	.set_up = scan_set_up,
	.measure = scan_measure,
	.fill = scan_fill,
	.clean_up = scan_clean_up,
};
