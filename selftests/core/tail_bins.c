// SPDX-License-Identifier: GPL-2.0-only
/* module/core/tail.c: histograms in fixed memory, spikes and their causes, and both as JSON. */
#include "cmocka_all.h"
#include "json.h"

#include "core/record.h"
#include "core/stats.h"
#include "core/tail.h"
#include "stub/chance.h"

#define TIMES	200000U

static u64 times[TIMES];
static struct mc_tail tail, other;

static void start(struct mc_tail *t)
{
	memset(t, 0, sizeof(*t));
	t->khz = 1000000;	/* a tick is a nanosecond */
	t->clock = 20;
	t->median = 100;
	t->known = ~0U & ~(1U << MC_CAUSE_SMI);
}

/* Bins follow each other without a gap, and the middle of each is within 1 % of its times. */
static void bins_are_narrow(void **state)
{
	u32 bin;

	start(&tail);
	for (bin = 0; bin < MC_TAIL_BINS - 1; bin++) {
		u64 from = mc_bin_from(bin, MC_TAIL_LOG2), to = mc_bin_from(bin + 1, MC_TAIL_LOG2);

		assert_true(to > from);
		assert_int_equal(mc_bin_of(from, MC_TAIL_LOG2), bin);
		assert_int_equal(mc_bin_of(to - 1, MC_TAIL_LOG2), bin);
		assert_true((to - 1 - from) * 100 <= 2 * from);
	}
	/* The last one has all longer times. */
	assert_true(mc_bin_from(bin, MC_TAIL_LOG2) > 1ULL << 36);
	mc_bins_add(&tail.bins, ~0ULL);
	assert_int_equal(tail.bins.count[bin], 1);
}

static void add(struct mc_bins *b, u64 ticks)
{
	times[b->n] = ticks;
	mc_bins_add(b, ticks);
}

/* Each percentile is within 1 % of that of the sorted times. */
static void percentiles_are_those_of_sorted_times(void **state)
{
	static const u32 ppb[] = {
		1, 500000000, 990000000, 999000000, 999900000, 999990000,
		1000000000,
	};

	for (u32 scale = 0; scale < 20; scale++) {
		start(&tail);
		for (u32 i = 0; i < TIMES; i++)
			add(&tail.bins, ((100 + chance(100)) << scale) +
			    (i % 1000 ? 0 : chance(1000) << scale));
		mc_sort_times(times, TIMES);
		for (u32 i = 0; i < ARRAY_SIZE(ppb); i++) {
			u64 rank = ((u64)TIMES * ppb[i] + 999999999) / 1000000000;
			u64 exact = times[rank - 1], found = mc_bins_at(&tail.bins, ppb[i]);

			assert_in_range(found, exact - exact / 100, exact + exact / 100);
		}
	}
	memset(&tail.bins, 0, sizeof(tail.bins));
	assert_int_equal(mc_bins_at(&tail.bins, 500000000), 0);
}

static void spike(struct mc_tail *t, u64 at, u64 ticks, u32 cause)
{
	mc_bins_add(&t->bins, ticks);
	mc_tail_spike(t, &(struct mc_spike){ .at = at, .ticks = ticks, .cause = cause });
}

/* The sum of all causes is the time beyond the median, in parts and together. */
static void causes_add_up(void **state)
{
	u64 excess = 0, largest = 0;

	start(&tail);
	start(&other);
	for (u32 i = 0; i < 10000; i++) {
		u64 ticks = 200 + chance(100000);

		excess += ticks - 100;
		largest = ticks > largest ? ticks : largest;
		spike(i % 2 ? &tail : &other, i * 1000000ULL, ticks, chance(MC_NCAUSES));
	}
	assert_true(mc_tail_excess(&tail) < excess);
	mc_tail_join(&tail, &other);
	assert_int_equal(mc_tail_excess(&tail), excess);
	assert_int_equal(tail.bins.n, 10000);
	assert_int_equal(tail.nworst, MC_TAIL_WORST);
	assert_int_equal(tail.worst->ticks, largest);
	for (u32 i = 1; i < MC_TAIL_WORST; i++)
		assert_true(tail.worst[i - 1].ticks >= tail.worst[i].ticks);
	mc_tail_clear(&tail);
	assert_int_equal(mc_tail_excess(&tail), 0);
	assert_int_equal(tail.bins.n + tail.nworst + tail.slot_ticks, 0);
	assert_int_equal(tail.median, 100);
}

/* However long it takes, each stretch of time keeps the longest spike of each cause. */
static void slots_reach_over_all_of_the_time(void **state)
{
	u32 kept = 0;

	start(&tail);
	for (u64 i = 0; i < 100000; i++)
		spike(&tail, i * 10000000, 1000 + i % 777, MC_CAUSE_REFRESH);
	spike(&tail, 500000000000, 123456, MC_CAUSE_REFRESH);
	for (u32 i = 0; i < MC_TAIL_SLOTS; i++) {
		const struct mc_spike *one = &tail.slot[MC_CAUSE_REFRESH][i];

		if (!one->ticks)
			continue;
		kept++;
		assert_int_equal(one->at / tail.slot_ticks, i);
		assert_true(one->ticks == 1776 || one->ticks == 123456);
	}
	assert_in_range(kept, MC_TAIL_SLOTS / 2, MC_TAIL_SLOTS);
}

static void as_json(void **state)
{
	static const char *const parts[] = {
		",\"histogram_ns_count\":[[80.000,2],[400.000,1],[996.000,1]],",
		"\"tail\":{\"causes\":[{\"cause\":\"preemption\",\"count\":0,",
		"{\"cause\":\"smi\",\"count\":null,\"excess_ns\":null,\"longest_ns\":null},",
		"{\"cause\":\"steal\",\"count\":0,\"excess_ns\":0.000,\"longest_ns\":null},",
		"{\"cause\":\"refresh\",\"count\":1,\"excess_ns\":320.000,\"longest_ns\":400.000},",
		"{\"cause\":\"unknown\",\"count\":1,\"excess_ns\":920.000,\"longest_ns\":1000.000}],",
		"\"worst\":[[9000.000,1000.000,\"unknown\"],[5000.000,400.000,\"refresh\"]],",
		"\"spikes\":[[5000.000,400.000,\"refresh\"],[9000.000,1000.000,\"unknown\"]]}",
	};
	const char *text;

	start(&tail);
	mc_bins_add(&tail.bins, 100);
	mc_bins_add(&tail.bins, 100);
	spike(&tail, 5000, 420, MC_CAUSE_REFRESH);
	spike(&tail, 9000, 1020, MC_CAUSE_UNKNOWN);
	text = WRITTEN(mc_tail_json, &tail);
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		assert_non_null(strstr(text, parts[i]));
}

/*
 * One of a known cause is not kept, nor what comes right behind a spike in its window. The numbers
 * of a window begin with its time.
 */
static void spikes_one_by_one(void **state)
{
	static const struct mc_spike before[] = {
		{ 1000, 320, 0, MC_CAUSE_UNKNOWN }, { 9000, 420, 0, MC_CAUSE_UNKNOWN },
		{ 20000, 5000, 1, MC_CAUSE_INTERRUPT }, { 25400, 300, 1, MC_CAUSE_UNKNOWN },
		{ 33000, 370, 1, MC_CAUSE_UNKNOWN },
	};
	static const struct mc_spike during[] = {
		{ 50000, 330, 7, MC_CAUSE_UNKNOWN }, { 50500, 330, 7, MC_CAUSE_UNKNOWN },
		{ 51000, 340, 8, MC_CAUSE_UNKNOWN },	/* soon behind, but in another window */
	};
	static struct mc_trace trace;
	const char *text;

	start(&tail);
	tail.trace = &trace;
	text = WRITTEN(mc_tail_json, &tail);
	assert_non_null(strstr(text, ",\"trace_ns\":{\"unknown\":0,\"before\":[],\"during\":[]}}"));
	mc_trace_add(&trace, before, ARRAY_SIZE(before), 500, true);
	mc_trace_add(&trace, during, ARRAY_SIZE(during), 500, false);
	text = WRITTEN(mc_tail_json, &tail);
	assert_non_null(strstr(text, ",\"trace_ns\":{\"unknown\":3,"));
	assert_non_null(strstr(text, "\"before\":[[1000,0,300,7700,400],[33000,0,350]],"));
	assert_non_null(strstr(text, "],\"during\":[[50000,0,310],[51000,0,320]]}}"));
	/* When there is no more room, nothing is counted. */
	for (u32 i = 0; i < MC_TRACE; i++)
		mc_trace_add(&trace, during, 1, 0, false);
	assert_int_equal(trace.n, MC_TRACE);
	assert_int_equal(trace.before, 3);
	assert_int_equal(trace.unknown, 1 + MC_TRACE - 3);
}

/* The longest line that there can be fits the buffer of a record. */
static void the_longest_json_fits(void **state)
{
	static struct mc_trace trace;
	static char text[MC_TAIL_ROW_MAX];
	struct mc_text t = MC_TEXT(text);

	start(&tail);
	tail.known = ~0U;
	for (u32 bin = 0; bin < MC_TAIL_BINS; bin++)
		tail.bins.count[bin] = 9999999999ULL;
	for (u32 cause = 0; cause < MC_NCAUSES; cause++) {
		for (u32 i = 0; i < MC_TAIL_SLOTS; i++)
			spike(&tail, i * 100000000000ULL, 99999999999ULL, cause);
	}
	tail.trace = &trace;
	for (u32 i = 0; i < MC_TRACE; i++) {
		struct mc_spike one = { i * 10000000000ULL, ~0U, i / 2, MC_CAUSE_UNKNOWN };

		mc_trace_add(&trace, &one, 1, 0, i < MC_TRACE_BEFORE);
	}
	mc_tail_json(&t, &tail);
	assert_false(t.cut);
	assert_in_range(t.len, 100000, sizeof(text) - 8192);
}
