// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "machine.h"

#define WINDOWS_MOST	60000

/**
 * struct window - a window that has ended
 * @record: number of the record, from 1 on
 * @cpu: CPU that it was on
 * @did: counts of what was done in it
 */
static struct window {
	unsigned int record;
	unsigned int cpu;
	struct tally did;
} *windows;

static struct tally began[CPUS_MOST];
static struct tally told_of[CPUS_MOST];	/* what CPUs had done at the last report */
static bool is_open[CPUS_MOST];
static unsigned int nwindows, lost, record;

/* The place of a width among the counts: its log2, or the place of the rest. */
static unsigned int place_of(unsigned int bytes)
{
	return bytes && !(bytes & (bytes - 1)) && bytes <= 64 ? __builtin_ctz(bytes) : NWIDTHS - 1;
}

void tally_fence(unsigned int cpu, enum fence fence)
{
	vcpus[cpu].tally.fences[fence]++;
}

void tally_access(unsigned int cpu, const struct access *a)
{
	struct tally *t = &vcpus[cpu].tally;

	switch (a->operation) {
	case FLUSH:
		t->flushes++;
		break;
	case CLEAN:
		t->cleans++;
		break;
	default:
		t->accesses[a->type][a->operation][place_of(a->bytes)]++;
		t->streaming[a->type][place_of(a->bytes)] += a->streaming;
	}
}

static struct tally counts_of(unsigned int cpu, int64_t now)
{
	struct tally t = vcpus[cpu].tally;

	t.ns = now;
	t.happened = *model_happened(cpu);
	return t;
}

/* What was done between two counts. */
static struct tally between(const struct tally *then, struct tally now)
{
	const uint64_t *from = (const uint64_t *)then;
	uint64_t *to = (uint64_t *)&now;
	size_t i;

	for (i = 0; i < sizeof(now) / sizeof(uint64_t); i++)
		to[i] -= from[i];
	return now;
}

/**
 * tally_window_begin() - a CPU reads the clock, and its window begins
 * @cpu: the CPU
 * @now: its time
 */
void tally_window_begin(unsigned int cpu, int64_t now)
{
	began[cpu] = counts_of(cpu, now);
	is_open[cpu] = true;
}

/**
 * tally_window_end() - a CPU reads the clock, and its window ends
 * @cpu: the CPU
 * @now: its time
 */
void tally_window_end(unsigned int cpu, int64_t now)
{
	if (!is_open[cpu])
		return;
	is_open[cpu] = false;
	if (!windows)
		windows = malloc(WINDOWS_MOST * sizeof(*windows));
	if (windows && nwindows < WINDOWS_MOST)
		windows[nwindows++] = (struct window){
			record, cpu, between(&began[cpu], counts_of(cpu, now)) };
	else
		lost++;
}

/** tally_mark() - the windows from here on belong to the next record */
void tally_mark(void)
{
	record++;
}

/*
 * Counts by width as a member of a JSON object, which is left out if all are 0. @first: the object
 * has no member yet; updated.
 */
static void report_widths(FILE *f, const char *name, const uint64_t *widths, bool *first)
{
	bool none = true;
	int i;

	for (i = 0; i < NWIDTHS; i++) {
		if (!widths[i])
			continue;
		if (none)
			fprintf(f, "%s\"%s\":{", *first ? "" : ",", name);
		fprintf(f, "%s\"%d\":%lu", none ? "" : ",", i < NWIDTHS - 1 ? 1 << i : 0,
			widths[i]);
		none = *first = false;
	}
	if (!none)
		fprintf(f, "}");
}

static void report_one(FILE *f, const struct tally *t)
{
	static const char *const types[NTYPES] = {
		[UC] = "uc", [WC] = "wc", [WT] = "wt", [WP] = "wp", [WB] = "wb",
		[UC_MINUS] = "uc-",
	};
	const struct happened *h = &t->happened;
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "ticks", t->ns }, { "charged", t->charged },
		{ "sfence", t->fences[FENCE_SFENCE] },
		{ "mfence", t->fences[FENCE_MFENCE] }, { "dsb", t->fences[FENCE_DSB] },
		{ "flush", t->flushes }, { "clwb", t->cleans }, { "hint", t->hints },
		{ "interrupts", t->interrupts },
		{ "l1", h->level[0] }, { "l2", h->level[1] }, { "l3", h->level[2] },
		{ "clean", h->clean }, { "dirty", h->dirty }, { "memory", h->memory },
		{ "wc_lines", h->wc_lines }, { "wc_words", h->wc_words },
		{ "tlb_misses", h->tlb_misses }, { "walks", h->walks },
		{ "waited_ns", h->waited_ns }, { "prefetched", h->prefetched },
		{ "still_ns", h->still_ns },
	};
	size_t i;
	int type;
	bool first;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		fprintf(f, "%s\"%s\":%lu", i ? "," : "{", counts[i].name, counts[i].n);
	for (type = 0; type < NTYPES; type++) {
		if (!types[type])
			continue;
		fprintf(f, ",\"%s\":{", types[type]);
		first = true;
		report_widths(f, "load", t->accesses[type][LOAD], &first);
		report_widths(f, "store", t->accesses[type][STORE], &first);
		report_widths(f, "streaming", t->streaming[type], &first);
		fprintf(f, "}");
	}
	fprintf(f, "}");
}

/**
 * tally_report() - write the counts since tally_clear() as a line of JSON
 * @f: file to write to
 *
 * Those of each CPU with its caches and TLBs, and of each window.
 */
void tally_report(FILE *f)
{
	unsigned int i;

	fprintf(f, "{\"cpus\":[");
	for (i = 0; i < nvcpus; i++) {
		struct tally t = between(&told_of[i], counts_of(i, 0));

		fprintf(f, "%s", i ? "," : "");
		report_one(f, &t);
	}
	fprintf(f, "],\"lost\":%u,\"windows\":[", lost);
	for (i = 0; i < nwindows; i++) {
		fprintf(f, "%s{\"record\":%u,\"cpu\":%u,\"did\":", i ? "," : "",
			windows[i].record, windows[i].cpu);
		report_one(f, &windows[i].did);
		fprintf(f, "}");
	}
	fprintf(f, "]}\n");
}

/** tally_clear() - count from here on; a window that is open is forgotten */
void tally_clear(void)
{
	unsigned int i;

	for (i = 0; i < nvcpus; i++) {
		told_of[i] = counts_of(i, 0);
		is_open[i] = false;
	}
	nwindows = 0;
	lost = 0;
	record = 0;
}
