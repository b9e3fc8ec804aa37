// SPDX-License-Identifier: GPL-2.0-only
/* Distributions of single accesses, and the causes of long ones. */
#include "core/tail.h"

const struct mc_name mc_cause_names[] = {
	{ "preemption", MC_CAUSE_PREEMPTION }, { "migration", MC_CAUSE_MIGRATION },
	{ "smi", MC_CAUSE_SMI }, { "nmi", MC_CAUSE_NMI }, { "softirq", MC_CAUSE_SOFTIRQ },
	{ "interrupt", MC_CAUSE_INTERRUPT }, { "interrupt_or_preemption", MC_CAUSE_TAKEN },
	{ "steal", MC_CAUSE_STEAL },
	{ "refresh", MC_CAUSE_REFRESH }, { "walk", MC_CAUSE_WALK },
	{ "frequency", MC_CAUSE_FREQUENCY }, { "unknown", MC_CAUSE_UNKNOWN }, { }
};

/* ---------------------------------------------------------------- histogram */

/**
 * mc_bins_at() - a percentile, nearest rank
 * @b: the histogram
 * @ppb: 990000000 for the 99th percentile, in billionths
 *
 * Return: ticks: the middle of the bin in which so many billionths of all times end, but never
 * more than the longest; 0 if there are no times.
 */
u64 mc_bins_at(const struct mc_bins *b, u32 ppb)
{
	/* Rounded up, without an overflow. */
	u64 rank = b->n - mc_muldiv(b->n, 1000000000 - ppb, 1000000000), below = 0, middle;
	u32 bin;

	for (bin = 0; bin < MC_TAIL_BINS - 1; bin++) {
		below += b->count[bin];
		if (below && below >= rank)
			break;
	}
	if (bin == MC_TAIL_BINS - 1)
		return b->max;
	middle = (mc_bin_from(bin, MC_TAIL_LOG2) + mc_bin_from(bin + 1, MC_TAIL_LOG2) - 1) / 2;
	return middle < b->max ? middle : b->max;
}

static void join_bins(struct mc_bins *b, const struct mc_bins *more)
{
	u32 bin;

	b->n += more->n;
	b->max = b->max > more->max ? b->max : more->max;
	for (bin = 0; bin < MC_TAIL_BINS; bin++)
		b->count[bin] += more->count[bin];
}

/* ------------------------------------------------------------------- spikes */

/**
 * mc_tail_clear() - forget all times, but not how they are measured
 * @t: the distribution
 */
void mc_tail_clear(struct mc_tail *t)
{
	memset(&t->bins, 0, sizeof(t->bins));
	memset(t->cause, 0, sizeof(t->cause));
	memset(t->worst, 0, sizeof(t->worst));
	memset(t->slot, 0, sizeof(t->slot));
	t->nworst = 0;
	t->slot_ticks = 0;
}

static void keep_worst(struct mc_tail *t, const struct mc_spike *spike)
{
	u32 i = t->nworst;

	if (i == MC_TAIL_WORST && t->worst[i - 1].ticks >= spike->ticks)
		return;
	if (i < MC_TAIL_WORST)
		t->nworst++;
	else
		i--;
	for (; i && t->worst[i - 1].ticks < spike->ticks; i--)
		t->worst[i] = t->worst[i - 1];
	t->worst[i] = *spike;
}

static void keep_longer(struct mc_spike *kept, const struct mc_spike *spike)
{
	if (kept->ticks < spike->ticks)
		*kept = *spike;
}

/* Make slots twice as long, so that they reach twice as far. */
static void widen_slots(struct mc_tail *t)
{
	u32 cause, i;

	for (cause = 0; cause < MC_NCAUSES; cause++) {
		struct mc_spike *slot = t->slot[cause];

		for (i = 0; i < MC_TAIL_SLOTS; i++) {
			struct mc_spike spike = slot[i];

			memset(&slot[i], 0, sizeof(slot[i]));
			keep_longer(&slot[i / 2], &spike);
		}
	}
	t->slot_ticks *= 2;
}

static void keep_in_slot(struct mc_tail *t, const struct mc_spike *spike)
{
	if (!t->slot_ticks)
		t->slot_ticks = t->khz ? t->khz : 1;	/* a millisecond at first */
	while (spike->at / t->slot_ticks >= MC_TAIL_SLOTS)
		widen_slots(t);
	keep_longer(&t->slot[spike->cause][spike->at / t->slot_ticks], spike);
}

/**
 * mc_tail_spike() - account for a spike, which is in the histogram already
 * @t: the distribution
 * @spike: the spike, with its cause
 */
void mc_tail_spike(struct mc_tail *t, const struct mc_spike *spike)
{
	struct mc_cause_sum *sum = &t->cause[spike->cause];

	sum->count++;
	sum->excess += spike->ticks > t->median ? spike->ticks - t->median : 0;
	sum->longest = sum->longest > spike->ticks ? sum->longest : spike->ticks;
	keep_worst(t, spike);
	keep_in_slot(t, spike);
}

/**
 * mc_tail_join() - add a distribution to another one
 * @t: the sum
 * @more: what is added
 */
void mc_tail_join(struct mc_tail *t, const struct mc_tail *more)
{
	u32 cause, i;

	join_bins(&t->bins, &more->bins);
	for (i = 0; i < more->nworst; i++)
		keep_worst(t, &more->worst[i]);
	for (cause = 0; cause < MC_NCAUSES; cause++) {
		struct mc_cause_sum *sum = &t->cause[cause];
		const struct mc_cause_sum *other = &more->cause[cause];

		sum->count += other->count;
		sum->excess += other->excess;
		sum->longest = sum->longest > other->longest ? sum->longest : other->longest;
		for (i = 0; i < MC_TAIL_SLOTS; i++) {
			if (more->slot[cause][i].ticks)
				keep_in_slot(t, &more->slot[cause][i]);
		}
	}
}

/**
 * mc_trace_add() - keep spikes one by one, as long as there is room
 * @trace: the trace
 * @spikes: spikes in the order of their times, whatever their cause is
 * @n: their number
 * @apart: ticks; what begins so soon after a spike is of the same event
 * @before: they are from before the samples
 */
void mc_trace_add(struct mc_trace *trace, const struct mc_spike *spikes, u32 n, u64 apart,
		  bool before)
{
	u64 ended = 0;
	u32 i;

	for (i = 0; i < n && trace->n < (before ? MC_TRACE_BEFORE : MC_TRACE); i++) {
		const struct mc_spike *s = &spikes[i];
		bool close = i && s->window == s[-1].window && s->at - ended < apart;

		ended = s->at + s->ticks;
		if (s->cause != MC_CAUSE_UNKNOWN)
			continue;
		trace->unknown += !before;
		if (close)
			continue;
		trace->spike[trace->n].at = s->at;
		trace->spike[trace->n].ticks = s->ticks < ~0U ? (u32)s->ticks : ~0U;
		trace->spike[trace->n++].window = s->window;
		trace->before += before;
	}
}

/**
 * mc_tail_ps() - the time of an access
 * @t: the distribution
 * @ticks: its ticks, the reading of the clock included
 *
 * Return: picoseconds without it.
 */
u64 mc_tail_ps(const struct mc_tail *t, u64 ticks)
{
	return ticks > t->clock ? mc_muldiv(ticks - t->clock, 1000000000, t->khz) : 0;
}

/**
 * mc_tail_excess() - the time by which all spikes exceeded the median
 * @t: the distribution
 *
 * Return: ticks.
 */
u64 mc_tail_excess(const struct mc_tail *t)
{
	u64 sum = 0;
	u32 cause;

	for (cause = 0; cause < MC_NCAUSES; cause++)
		sum += t->cause[cause].excess;
	return sum;
}

/* --------------------------------------------------------------------- JSON */

static void show_ns(struct mc_text *text, const char *before, u64 ps)
{
	mc_textf(text, "%s%llu.%03llu", before, ps / 1000, ps % 1000);
}

/* Times since the begin, and sums, have no reading of the clock in them. */
static u64 span_ps(const struct mc_tail *t, u64 ticks)
{
	return mc_muldiv(ticks, 1000000000, t->khz);
}

static void show_spike(struct mc_text *text, const struct mc_tail *t,
		       const struct mc_spike *spike, const char *comma)
{
	mc_textf(text, "%s[", comma);
	show_ns(text, "", span_ps(t, spike->at));
	show_ns(text, ",", mc_tail_ps(t, spike->ticks));
	mc_textf(text, ",\"%s\"]", mc_name_of(mc_cause_names, spike->cause));
}

/* Times that are no longer than the clock's are shown as one bin, that of 0. */
static void show_bins(struct mc_text *text, const struct mc_tail *t)
{
	const char *comma = "";
	u64 count = 0;
	u32 bin;

	for (bin = 0; bin < MC_TAIL_BINS; bin++) {
		count += t->bins.count[bin];
		if (!count || (bin + 1 < MC_TAIL_BINS &&
			       mc_bin_from(bin + 1, MC_TAIL_LOG2) <= t->clock))
			continue;
		mc_textf(text, "%s[", comma);
		show_ns(text, "", mc_tail_ps(t, mc_bin_from(bin, MC_TAIL_LOG2)));
		mc_textf(text, ",%llu]", count);
		comma = ",";
		count = 0;
	}
}

/* A list of each window: when it began, then of each spike the time since the last and its own. */
static void show_windows(struct mc_text *text, const struct mc_tail *t, const char *name, u32 from,
			 u32 to)
{
	const struct mc_trace *trace = t->trace;
	u64 ended = 0;
	u32 i;

	mc_textf(text, "\"%s\":[", name);
	for (i = from; i < to; i++) {
		u64 at = span_ps(t, trace->spike[i].at) / 1000;
		u64 ns = mc_tail_ps(t, trace->spike[i].ticks) / 1000;

		if (i == from || trace->spike[i].window != trace->spike[i - 1].window) {
			mc_textf(text, "%s[%llu", i == from ? "" : "],", at);
			ended = at;
		}
		mc_textf(text, ",%llu,%llu", at - (at < ended ? at : ended), ns);
		ended = at + ns;
	}
	mc_textf(text, "%s]", from < to ? "]" : "");
}

static void show_trace(struct mc_text *text, const struct mc_tail *t)
{
	mc_textf(text, ",\"trace_ns\":{\"unknown\":%u,", t->trace->unknown);
	show_windows(text, t, "before", 0, t->trace->before);
	mc_textf(text, ",");
	show_windows(text, t, "during", t->trace->before, t->trace->n);
	mc_textf(text, "}");
}

static void show_cause(struct mc_text *text, const struct mc_tail *t, u32 cause)
{
	const struct mc_cause_sum *sum = &t->cause[cause];

	mc_textf(text, "%s{\"cause\":\"%s\"", cause ? "," : "", mc_name_of(mc_cause_names, cause));
	if (!(t->known >> cause & 1)) {
		mc_textf(text, ",\"count\":null,\"excess_ns\":null,\"longest_ns\":null}");
		return;
	}
	mc_textf(text, ",\"count\":%llu", sum->count);
	show_ns(text, ",\"excess_ns\":", span_ps(t, sum->excess));
	if (sum->count)
		show_ns(text, ",\"longest_ns\":", mc_tail_ps(t, sum->longest));
	else
		mc_textf(text, ",\"longest_ns\":null");
	mc_textf(text, "}");
}

/**
 * mc_tail_json() - append a distribution as members of a JSON object, each with a comma before it
 * @text: the text
 * @t: the distribution
 */
void mc_tail_json(struct mc_text *text, const struct mc_tail *t)
{
	const char *comma = "";
	u32 cause, i;

	mc_textf(text, ",\"histogram_ns_count\":[");
	show_bins(text, t);
	mc_textf(text, "],\"tail\":{\"causes\":[");
	for (cause = 0; cause < MC_NCAUSES; cause++)
		show_cause(text, t, cause);
	mc_textf(text, "],\"worst\":[");
	for (i = 0; i < t->nworst; i++)
		show_spike(text, t, &t->worst[i], i ? "," : "");
	mc_textf(text, "],\"spikes\":[");
	for (cause = 0; cause < MC_NCAUSES; cause++) {
		for (i = 0; i < MC_TAIL_SLOTS; i++) {
			if (!t->slot[cause][i].ticks)
				continue;
			show_spike(text, t, &t->slot[cause][i], comma);
			comma = ",";
		}
	}
	mc_textf(text, "]");
	if (t->trace)
		show_trace(text, t);
	mc_textf(text, "}");
}
