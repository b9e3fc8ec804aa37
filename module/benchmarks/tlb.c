// SPDX-License-Identifier: GPL-2.0-only
/*
 * tlb: the cost of address translation.
 *
 * size= is the reach: one load in each of its pages, in random order, each load at
 * another line of its page. The same number of loads on lines close together takes as
 * long except for the translations, so the difference is their cost. When the reach
 * grows beyond the entries of a TLB, the cost rises in a step.
 */
#include "core/math.h"
#include "measure/chase.h"
#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/os.h"

enum { COL_PAGES, COL_PAGE_BYTES, COL_NS, COL_PACKED_NS, COL_TLB_NS };

#define SMALL		4096ULL
#define LARGE		(2ULL << 20)
#define PACKED_SAMPLES	5

static const struct mc_column columns[] = {
	[COL_PAGES] = { .name = "pages", .roles = MC_COUNT | MC_OVER,
	  .help = "loads in a pass, one in each page" },
	[COL_PAGE_BYTES] = { .name = "page_bytes",
	  .help = "bytes that one translation covers, according to the page tables" },
	[COL_NS] = { .name = "ns_per_load", .unit = "ns a load", .roles = MC_EACH, .decimals = 3,
	  .help = "time of a load in another page each, from the median sample" },
	[COL_PACKED_NS] = { .name = "packed_ns_per_load", .decimals = 3,
	  .help = "time of a load from as many lines close together: few translations" },
	[COL_TLB_NS] = { .name = "tlb_ns", .unit = "ns beyond a TLB hit",
	  .roles = MC_MAIN | MC_EACH, .decimals = 3,
	  .help = "cost of a translation: the difference of the two" },
};

/**
 * struct tlb_job - a point, on one CPU
 * @meas: the measurement
 * @chase: the cycle through the pages
 * @packed: a cycle through as many lines close together
 * @packed_ps: median time of a pass over @packed
 * @at: current element of the cycle
 */
struct tlb_job {
	struct mc_measurement meas;
	struct mc_chase chase;
	struct mc_chase packed;
	u64 packed_ps;
	void **at;
};

/* Distance between loads: the size of the pages that were asked for, if any was. */
static u64 page_of(const struct mc_point *point)
{
	u64 page = point->v[MC_KEY_PAGE];

	if (page == MC_PAGE_AUTO)
		return MC_IN_KERNEL ? LARGE : SMALL;
	return page == MC_PAGE_4K || page == MC_PAGE_OBJECT ? SMALL : LARGE;
}

static int tlb_check(struct mc_run *run, const struct mc_point *point)
{
	u64 page = page_of(point);

	if (point->v[MC_KEY_SIZE] < 2 * page)
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are less than two pages of %lluK",
			       point->v[MC_KEY_SIZE], page >> 10);
	return 0;
}

/* ------------------------------------------------------------- on the thread */

/* Take a few samples of the packed cycle, with the settings of the point. */
static int measure_packed(struct mc_worker *w, struct tlb_job *job)
{
	u64 samples[PACKED_SAMPLES];
	struct mc_sampler sampler = *job->meas.each;
	struct mc_measurement few = {
		.n = 1, .each = &sampler, .samples = samples,
		.settings = {
			.irq_off = job->meas.settings.irq_off, .repeat = PACKED_SAMPLES,
			.warmup = job->meas.settings.warmup,
		},
	};
	struct mc_stats stats;
	int err = mc_chase_link(w, &job->packed);

	sampler.shared = &few;
	job->at = mc_chase_at(&job->packed, 0);
	err = err ? err : mc_measure(w, &few);
	mc_stats_of(&stats, samples, few.done);
	job->packed_ps = stats.median_ps;
	return err;
}

static int tlb_job(struct mc_worker *w, void *arg)
{
	struct tlb_job *job = arg;
	int err = measure_packed(w, job);

	err = err ? err : mc_chase_link(w, &job->chase);
	err = err ? err : mc_chase_walk(w, &job->chase, job->meas.each);
	job->at = mc_chase_at(&job->chase, 0);
	return err ? err : mc_measure(w, &job->meas);
}

/* ---------------------------------------------------------------- the record */

static void tlb_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct tlb_job *job = arg;
	u64 n = job->chase.n, ps, packed;

	mc_measurement_record(&job->meas, rec);
	mc_record_set(rec, COL_PAGES, n);
	if (run->area.page_bytes)
		mc_record_set(rec, COL_PAGE_BYTES, run->area.page_bytes);
	if (!rec->stats.samples)
		return;
	ps = mc_rounded(rec->stats.median_ps, 1, n);
	mc_record_set(rec, COL_NS, ps);
	if (!job->packed_ps)
		return;
	packed = mc_rounded(job->packed_ps, 1, n);
	mc_record_set(rec, COL_PACKED_NS, packed);
	mc_record_set(rec, COL_TLB_NS, ps - min(ps, packed));
}

static int tlb_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	u64 page = page_of(point), n = point->v[MC_KEY_SIZE] / page;
	struct tlb_job *job = arg;

	job->chase = (struct mc_chase){
		.view = run->area.view, .stride = page, .n = n,
		.skew = MC_LINE, .skews = page / MC_LINE,
		.order = MC_CHASE_RANDOM,
	};
	job->packed = (struct mc_chase){
		.view = run->area.view, .stride = MC_LINE, .n = n, .order = MC_CHASE_RANDOM,
	};
	job->meas.each->pass = (struct mc_pass){
		.body = mc_chase_body, .arg = &job->at, .bytes = MC_LINE * n,
	};
	return 0;
}

const struct mc_test mc_test_tlb = {
	.spec = {
		.name = "tlb",
		.help = "cost of address translation: a load in each page; CPUs take turns",
		.presets = "size=64K..64M page=4k",
		.columns = columns,
		.ncolumns = ARRAY_SIZE(columns),
	},
	.pointers = true,
	.records = MC_RECORD_OF_CPU,
	.check = tlb_check,
	.job_bytes = sizeof(struct tlb_job),
	.set_up = tlb_set_up,
	.job = tlb_job,
	.fill = tlb_fill,
};
