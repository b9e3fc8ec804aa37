// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of windows and samples that an interrupt, a migration or stolen
 * time has disturbed. It is seen, not inferred from how long they took: none is
 * left out for being slow.
 *
 * Of a sample those windows are left out that were hit, while others make up a
 * good part of it. If they do not, the sample was hit, and is left out if at least
 * half of the samples were not: where each one is hit, that is how it is here.
 */
#include "measure/disturbed.h"
#include "platform/os.h"

/* Of a sample's bytes: so many windows must be clean for the others to be left out. */
#define CLEAN_PART	4

/* In a sample's byte of struct mc_works, beside what happened: its time has it. */
#define MC_IN_TIME	0x80

/**
 * mc_disturbed_begin() - before a thread's first sample
 * @w: the thread
 * @work: its part
 *
 * Context: Worker thread.
 */
void mc_disturbed_begin(struct mc_worker *w, struct mc_work *work)
{
	struct mc_works *works = work->shared;

	work->stolen = MC_NOT_LOOKED;
	work->stolen_from = 0;
	if (work == works->each)
		works->watched = mc_witness_kinds(w->cpu);
	mc_witness_stolen(&w->witness, w->cpu, true);
}

/**
 * mc_disturbed_reset() - a sample begins
 * @work: the thread's part
 *
 * Context: Worker thread.
 */
void mc_disturbed_reset(struct mc_work *work)
{
	work->counted_bytes = 0;
	work->counted_ticks = 0;
	work->hit_windows = 0;
	work->hit_bytes = 0;
	work->hit_ticks = 0;
	work->seen = 0;
	work->in_time = false;
}

/**
 * mc_disturbed_window() - count a window
 * @work: the thread's part
 * @seen: what disturbed it
 * @bytes: done in it
 * @ticks: its time
 *
 * Context: Worker thread.
 */
void mc_disturbed_window(struct mc_work *work, u8 seen, u64 bytes, u64 ticks)
{
	work->seen |= seen;
	work->hit_windows += !!seen;
	work->hit_bytes += seen ? bytes : 0;
	work->hit_ticks += seen ? ticks : 0;
	work->counted_bytes += seen ? 0 : bytes;
	work->counted_ticks += seen ? 0 : ticks;
}

/* Where parts of a pass differ in kind, some of them are not the whole. */
static bool can_do_without(const struct mc_work *work)
{
	u64 all = work->counted_bytes + work->hit_bytes;

	return !work->shared->keep_disturbed && !work->pass.readback &&
	       work->counted_bytes * CLEAN_PART >= all;
}

/**
 * mc_disturbed_sample() - a thread's part of a sample is done
 * @w: the thread
 * @work: its part; told what counts of it
 *
 * Context: Worker thread.
 */
void mc_disturbed_sample(struct mc_worker *w, struct mc_work *work)
{
	work->stolen = mc_witness_stolen(&w->witness, w->cpu, false);
	if (!work->hit_windows || can_do_without(work))
		return;
	work->counted_bytes += work->hit_bytes;
	work->counted_ticks += work->hit_ticks;
	work->hit_windows = 0;
	work->in_time = true;
}

/* It was in one of the samples since the last look: which one, nobody knows. */
static void mark_stolen(struct mc_works *works, struct mc_work *work)
{
	u32 i;

	if (work->stolen == MC_NOT_LOOKED)
		return;
	for (i = work->stolen_from; i < works->done && work->stolen == MC_STOLEN; i++)
		works->disturbed[i] |= MC_BY_STEAL | MC_IN_TIME;
	work->stolen_from = works->done;
	work->stolen = MC_NOT_LOOKED;
}

/**
 * mc_disturbed_keep() - the last of the samples done was kept
 * @works: the measurement
 *
 * Context: One thread, while no other does anything.
 */
void mc_disturbed_keep(struct mc_works *works)
{
	u8 seen = 0;
	unsigned int i;

	if (!works->disturbed)
		return;
	for (i = 0; i < works->n; i++) {
		const struct mc_work *one = &works->each[i];

		seen |= one->seen | (one->in_time ? MC_IN_TIME : 0);
		works->windows_left_out += one->hit_windows;
	}
	works->disturbed[works->done - 1] = seen;
	mc_disturbed_mark(works);
}

/**
 * mc_disturbed_last() - a thread's last sample is done
 * @w: the thread
 * @work: its part
 *
 * Context: Worker thread.
 */
void mc_disturbed_last(struct mc_worker *w, struct mc_work *work)
{
	work->stolen = mc_witness_stolen(&w->witness, w->cpu, true);
}

/**
 * mc_disturbed_mark() - mark the samples from which time was stolen
 * @works: the measurement, each thread's part of which was told of thefts
 *
 * Context: One thread, while no other does anything.
 */
void mc_disturbed_mark(struct mc_works *works)
{
	unsigned int i;

	for (i = 0; i < works->n && works->disturbed; i++)
		mark_stolen(works, &works->each[i]);
}

/* Samples that were hit are left out if at least as many were not. */
static void leave_out(struct mc_works *works, u32 hit, u32 clean)
{
	u32 i;

	if (works->keep_disturbed || !hit || clean < hit)
		return;
	for (i = 0; i < works->done; i++) {
		if (works->disturbed[i] & MC_IN_TIME)
			works->samples[i] = MC_NO_SAMPLE;
	}
	works->left_out |= MC_LEFT_DISTURBED;
}

/**
 * mc_disturbed_record() - leave out, and tell a record of it
 * @works: the measurement, its samples in the order in which they were taken
 * @rec: the record
 *
 * Context: Process.
 */
void mc_disturbed_record(struct mc_works *works, struct mc_record *rec)
{
	u32 i, hit = 0, clean = 0;
	int kind;

	if (!works->disturbed || works->unwatched)
		return;
	rec->watched = works->watched;
	rec->windows_left_out = works->windows_left_out;
	for (i = 0; i < works->done; i++) {
		u8 seen = works->disturbed[i];

		for (kind = 0; kind < MC_NDISTURBANCES; kind++)
			rec->disturbed[kind] += seen >> kind & 1;
		if (works->samples[i] == MC_NO_SAMPLE)
			continue;
		hit += seen & MC_IN_TIME ? 1 : 0;
		clean += seen & MC_IN_TIME ? 0 : 1;
	}
	leave_out(works, hit, clean);
}

/**
 * mc_disturbed_json() - append what can be recognised here as a JSON member
 * @t: the text
 *
 * Context: Process.
 */
void mc_disturbed_json(struct mc_text *t)
{
	static const char * const names[MC_NDISTURBANCES] = {
		"interrupt", "migration", "steal",
	};
	u8 kinds = mc_witness_kinds(0);
	const char *comma = "";
	int kind;

	mc_textf(t, "\"recognised\":[");
	for (kind = 0; kind < MC_NDISTURBANCES; kind++) {
		if (!(kinds >> kind & 1))
			continue;
		mc_textf(t, "%s\"%s\"", comma, names[kind]);
		comma = ",";
	}
	mc_textf(t, "]");
}
