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
#include "platform/clock.h"

/*
 * Disturbed windows are left out if the clean ones cover at least 1/CLEAN_PART of the
 * sample's bytes.
 */
#define CLEAN_PART	4

/**
 * mc_disturbed_windows() - decide which windows of a thread's sample count
 * @sampler: the thread's sampler
 *
 * The clean windows can't stand for the whole sample if the parts of a pass differ in kind.
 *
 * Context: Worker thread.
 */
void mc_disturbed_windows(struct mc_sampler *sampler)
{
	struct mc_sample *sample = &sampler->sample;
	u64 all = sample->counted_bytes + sample->disturbed_bytes;

	sample->in_time = sample->disturbed_windows &&
			  (sampler->shared->disturbed.keep || sampler->pass.readback ||
			   sample->counted_bytes * CLEAN_PART < all);
	if (!sample->in_time)
		return;
	sample->counted_bytes += sample->disturbed_bytes;
	sample->counted_ticks += sample->disturbed_ticks;
	sample->disturbed_windows = 0;
}

/**
 * mc_disturbed_record() - leave out disturbed samples, and say so in the record
 * @meas: the measurement, its samples in the order in which they were taken
 * @rec: the record
 *
 * They are left out if at least as many samples are clean.
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
	if (meas->disturbed.keep || !disturbed || clean < disturbed)
		return;
	for (i = 0; i < meas->done; i++) {
		if (meas->disturbed.seen[i] & MC_IN_TIME)
			meas->samples[i] = MC_NO_SAMPLE;
	}
	meas->left_out |= MC_LEFT_DISTURBED;
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
 * mc_times_json() - append the clock and the detectable disturbances as JSON members
 * @t: the text
 *
 * Context: Process.
 */
void mc_times_json(struct mc_text *t)
{
	static const char * const names[MC_NDISTURBANCES] = {
		"interrupt", "migration", "steal", "preemption", "neighbour",
	};
	u8 kinds = mc_detector_kinds(0);
	const char *comma = "";
	int kind;

	mc_textf(t, "\"clock\":\"%s\",\"clock_khz\":%llu,\"clock_cost_ns\":",
		 mc_clock.counter ? MC_TIME_COUNTER : "monotonic_raw", mc_clock.khz);
	mc_text_fixed(t, mc_clock.cost_ps, 3);
	mc_textf(t, ",\"recognised\":[");
	for (kind = 0; kind < MC_NDISTURBANCES; kind++) {
		if (!(kinds >> kind & 1))
			continue;
		mc_textf(t, "%s\"%s\"", comma, names[kind]);
		comma = ",";
	}
	mc_textf(t, "]");
}
