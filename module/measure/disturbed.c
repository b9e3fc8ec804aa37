// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows and samples that an interrupt, a migration, a preemption or stolen time has
 * disturbed, and which of them are left out. The disturbance itself is detected, not inferred
 * from the duration: nothing is left out for being slow.
 *
 * A sample leaves out its disturbed windows if the others are a good part of it.
 * Otherwise the whole sample counts as disturbed. Disturbed samples are left out if at
 * least as many samples are clean: where most samples are disturbed, that is how this
 * machine runs.
 */
#include "measure/disturbed.h"
#include "platform/os.h"

/*
 * Disturbed windows are left out if the clean ones cover at least 1/CLEAN_PART of the
 * sample's bytes.
 */
#define CLEAN_PART	4

/*
 * Flag in a sample's byte of @disturbed in struct mc_measurement: the sample's time
 * includes the disturbance.
 */
#define MC_IN_TIME	0x80

/*
 * Can the clean windows stand for the whole sample? Not if the parts of a pass differ
 * in kind.
 */
static bool can_do_without(const struct mc_sampler *sampler)
{
	const struct mc_sample *sample = &sampler->sample;
	u64 all = sample->counted_bytes + sample->disturbed_bytes;

	return !sampler->shared->disturbed.keep && !sampler->pass.readback &&
	       sample->counted_bytes * CLEAN_PART >= all;
}

/**
 * mc_disturbed_windows() - decide which windows of a thread's sample count
 * @sampler: the thread's sampler
 *
 * Context: Worker thread.
 */
void mc_disturbed_windows(struct mc_sampler *sampler)
{
	struct mc_sample *sample = &sampler->sample;

	sample->in_time = sample->disturbed_windows && !can_do_without(sampler);
	if (!sample->in_time)
		return;
	sample->counted_bytes += sample->disturbed_bytes;
	sample->counted_ticks += sample->disturbed_ticks;
	sample->disturbed_windows = 0;
}

/*
 * Time was stolen during one of the samples since the last check. Nobody knows which
 * one, so all of them are marked.
 */
static void mark_stolen(struct mc_measurement *meas, struct mc_sampler *sampler)
{
	u32 i;

	if (sampler->stolen == MC_NOT_LOOKED)
		return;
	for (i = sampler->stolen_from; i < meas->done && sampler->stolen == MC_STOLEN; i++)
		meas->disturbed.seen[i] |= MC_BY_STEAL | MC_IN_TIME;
	sampler->stolen_from = meas->done;
	sampler->stolen = MC_NOT_LOOKED;
}

/**
 * mc_disturbed_keep() - record the disturbances of the sample that was just kept
 * @meas: the measurement
 *
 * Context: One thread, while the others wait.
 */
void mc_disturbed_keep(struct mc_measurement *meas)
{
	u8 seen = 0;
	unsigned int i;

	if (!meas->disturbed.seen)
		return;
	for (i = 0; i < meas->n; i++) {
		const struct mc_sampler *one = &meas->each[i];

		seen |= one->sample.seen | (one->sample.in_time ? MC_IN_TIME : 0);
		meas->disturbed.windows_left_out += one->sample.disturbed_windows;
	}
	meas->disturbed.seen[meas->done - 1] = seen;
}

/**
 * mc_disturbed_mark() - mark the samples from which time was stolen
 * @meas: the measurement, whose threads have checked for stolen time
 *
 * Context: One thread, while the others wait.
 */
void mc_disturbed_mark(struct mc_measurement *meas)
{
	unsigned int i;

	for (i = 0; i < meas->n && meas->disturbed.seen; i++)
		mark_stolen(meas, &meas->each[i]);
}

/* Disturbed samples are left out if at least as many samples are clean. */
static void leave_out_disturbed(struct mc_measurement *meas, u32 disturbed, u32 clean)
{
	u32 i;

	if (meas->disturbed.keep || !disturbed || clean < disturbed)
		return;
	for (i = 0; i < meas->done; i++) {
		if (meas->disturbed.seen[i] & MC_IN_TIME)
			meas->samples[i] = MC_NO_SAMPLE;
	}
	meas->left_out |= MC_LEFT_DISTURBED;
}

/**
 * mc_disturbed_record() - leave out disturbed samples, and say so in the record
 * @meas: the measurement, its samples in the order in which they were taken
 * @rec: the record
 *
 * Context: Process.
 */
void mc_disturbed_record(struct mc_measurement *meas, struct mc_record *rec)
{
	u32 i, disturbed = 0, clean = 0;
	int kind;

	if (!meas->disturbed.seen || meas->disturbed.unwatched)
		return;
	rec->watched = meas->disturbed.watched;
	rec->windows_left_out = meas->disturbed.windows_left_out;
	for (i = 0; i < meas->done; i++) {
		u8 seen = meas->disturbed.seen[i];

		for (kind = 0; kind < MC_NDISTURBANCES; kind++)
			rec->disturbed[kind] += seen >> kind & 1;
		if (meas->samples[i] == MC_NO_SAMPLE)
			continue;
		disturbed += seen & MC_IN_TIME ? 1 : 0;
		clean += seen & MC_IN_TIME ? 0 : 1;
	}
	leave_out_disturbed(meas, disturbed, clean);
}

/**
 * mc_disturbed_by_others() - does the time of a sample that is used include time of others?
 * @meas: the measurement, behind mc_disturbed_record()
 *
 * Context: Process.
 * Return: true or false.
 */
bool mc_disturbed_by_others(const struct mc_measurement *meas)
{
	u32 i;

	for (i = 0; i < meas->done && meas->disturbed.seen; i++)
		if (meas->samples[i] != MC_NO_SAMPLE && meas->disturbed.seen[i] & MC_IN_TIME &&
		    meas->disturbed.seen[i] & MC_BY_OTHERS)
			return true;
	return false;
}

/**
 * mc_disturbed_json() - append the detectable disturbances as a JSON member
 * @t: the text
 *
 * Context: Process.
 */
void mc_disturbed_json(struct mc_text *t)
{
	static const char * const names[MC_NDISTURBANCES] = {
		"interrupt", "migration", "steal", "preemption", "neighbour",
	};
	u8 kinds = mc_detector_kinds(0);
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
