// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tally.h"

#define WINDOWS_MOST	20000

struct tally tally;

/**
 * struct window - a window that has ended
 * @record: number of the record, from 1 on
 * @did: counts of what was done in it
 */
static struct window {
	unsigned int record;
	struct tally did;
} *windows;

static struct tally began;
static unsigned int nwindows, lost, record;
static bool open;

static struct tally now_is(uint64_t now)
{
	tally.ticks = now;
	tally.happened = happened;
	return tally;
}

/**
 * tally_window_begin() - the clock is read, and a window begins
 * @now: the time
 */
void tally_window_begin(uint64_t now)
{
	began = now_is(now);
	open = true;
}

/**
 * tally_window_end() - the clock is read, and the current window ends
 * @now: the time
 */
void tally_window_end(uint64_t now)
{
	struct tally ended = now_is(now);
	const uint64_t *from = (const uint64_t *)&began;
	uint64_t *to = (uint64_t *)&ended;
	size_t i;

	if (!open)
		return;
	open = false;
	for (i = 0; i < sizeof(ended) / sizeof(uint64_t); i++)
		to[i] -= from[i];
	if (!windows)
		windows = malloc(WINDOWS_MOST * sizeof(*windows));
	if (windows && nwindows < WINDOWS_MOST)
		windows[nwindows++] = (struct window){ record, ended };
	else
		lost++;
}

/** tally_mark() - the windows from here on belong to the next record */
void tally_mark(void)
{
	record++;
}

static void report_one(FILE *f, const struct tally *t)
{
	static const char *const types[NTYPES] = {
		[UC] = "uc", [WC] = "wc", [WT] = "wt", [WP] = "wp", [WB] = "wb",
		[UC_MINUS] = "uc-",
	};
	static const char *const kinds[NACCESSES] = {
		[LOAD] = "load", [STORE] = "store", [EXECUTE] = "execute",
		[READ_MODIFY_WRITE] = "rmw",
	};
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "ticks", t->ticks }, { "charged", t->charged },
		{ "interrupts", t->interrupts }, { "sfence", t->fences[SFENCE] },
		{ "mfence", t->fences[MFENCE] }, { "lfence", t->fences[LFENCE] },
		{ "flush", t->flushes }, { "clwb", t->clwbs },
		{ "l1", t->happened.level[0] }, { "l2", t->happened.level[1] },
		{ "l3", t->happened.level[2] }, { "memory", t->happened.level[3] },
		{ "wc_full", t->happened.wc_full }, { "wc_words", t->happened.wc_words },
		{ "tlb_misses", t->happened.tlb_misses },
	};
	size_t i;
	int type, kind;
	bool first;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		fprintf(f, "%s\"%s\":%lu", i ? "," : "{", counts[i].name, counts[i].n);
	for (type = 0; type < NTYPES; type++) {
		if (!types[type])
			continue;
		fprintf(f, ",\"%s\":{", types[type]);
		first = true;
		for (kind = 0; kind < NACCESSES; kind++)
			widths_print(f, kinds[kind], t->accesses[type][kind], &first);
		widths_print(f, "streaming", t->streaming[type], &first);
		fprintf(f, "}");
	}
	fprintf(f, "}");
}

/**
 * tally_report() - write the counts, all and those of each window, as a line of JSON
 * @file: file to write to
 */
void tally_report(int file)
{
	char *text = NULL;
	size_t n = 0, done = 0;
	FILE *f = open_memstream(&text, &n);
	struct tally all = tally;
	unsigned int i;

	all.happened = happened;
	fprintf(f, "{\"all\":");
	report_one(f, &all);
	fprintf(f, ",\"lost\":%u,\"windows\":[", lost);
	for (i = 0; i < nwindows; i++) {
		fprintf(f, "%s", i ? "," : "");
		fprintf(f, "{\"record\":%u,\"did\":", windows[i].record);
		report_one(f, &windows[i].did);
		fprintf(f, "}");
	}
	fprintf(f, "]}\n");
	fclose(f);
	while (done < n) {
		ssize_t written = write(file, text + done, n - done);

		if (written <= 0)
			break;
		done += written;
	}
	free(text);
}

void tally_clear(void)
{
	memset(&tally, 0, sizeof(tally));
	memset(&happened, 0, sizeof(happened));
	nwindows = 0;
	lost = 0;
	record = 0;
	open = false;
}
