// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows and samples.
 *
 * A pass (pass.c) runs in windows. While one is open, the thread holds the vector registers and,
 * if asked, keeps interrupts off. Only time inside windows counts. A window is cut to last about
 * 2 ms. A pass shorter than a window is repeated inside one until the sample is long compared
 * with the cost of reading the clock.
 *
 * Several threads work at once: they wait at a barrier, awake, until all are there. Each then has
 * its passes timed, and works on until those of all threads have been. So where CPUs run at once,
 * no thread is timed while another idles. Where threads take turns, as on a busy machine, they did
 * not overlap for too much of it. Such a sample is taken again, and left out once the tries are
 * used up. A test that takes its samples in another way gives @take; that of threads that do
 * different things at once is in together.c.
 */
#include "measure/disturbed.h"
#include "measure/measurement.h"
#include "measure/threads.h"
#include "platform/clock.h"

#define WINDOWS_A_SAMPLE	8	/* of a sample of a settled loop in a cache */

/*
 * A window longer than half of MC_WINDOW_MAX_NS halves the quantum: even if memory gets
 * half as fast from one window to the next, no window is too long. If it was a
 * hypervisor that took the time, the quantum grows back.
 */
static void adapt_quantum(struct mc_sampler *sampler, u64 bytes, u64 ticks)
{
	if (ticks > mc_ns_to_ticks(MC_WINDOW_MAX_NS) / 2)
		sampler->cal.quantum = mc_pass_quantum(&sampler->pass,
						       min(sampler->cal.quantum, bytes) / 2);
	else if (ticks < mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 4 && bytes > sampler->cal.quantum / 2)
		sampler->cal.quantum = min(sampler->cal.quantum * 2, sampler->cal.quantum_most);
}

/**
 * mc_sample_window() - add the window that was just closed to the sample
 * @w: the thread
 * @sampler: the thread's sampler
 * @at: what the window covered
 *
 * Context: Worker thread.
 */
void mc_sample_window(const struct mc_worker *w, struct mc_sampler *sampler,
		      const struct mc_progress *at)
{
	struct mc_sample *sample = &sampler->sample;

	sampler->window_max = max(sampler->window_max, at->ticks);
	sample->clock_bad |= !at->ticks;
	sample->worked = min(sample->worked, at->worked);
	sample->seen |= w->disturbed;
	if (w->disturbed) {
		sample->disturbed_windows++;
		sample->disturbed_bytes += at->bytes;
		sample->disturbed_ticks += at->ticks;
	} else {
		sample->counted_bytes += at->bytes;
		sample->counted_ticks += at->ticks;
	}
}

/**
 * mc_sample_begin() - begin a sample
 * @w: the thread; its events are counted from now on. NULL: no thread takes the sample
 * @sampler: the thread's sampler
 *
 * Context: Worker thread.
 */
void mc_sample_begin(struct mc_worker *w, struct mc_sampler *sampler)
{
	sampler->sample = (struct mc_sample){
		.worked = ~0ULL, .passes = sampler->cal.passes_a_sample,
	};
	mc_events_clear(w ? w->events : NULL);
}

static void note_window(struct mc_lap *lap, const struct mc_worker *w, u64 ticks)
{
	lap->began = w->began;
	lap->until = max(w->began, w->ended);
	lap->work += ticks;
}

/*
 * Work until all threads have been timed, in whole passes. A part of one would leave in caches what
 * the next sample must find in memory, and data of two passes. The last thread does one, too, or
 * its core would rest until the others have ended theirs.
 */
static int work_on(struct mc_worker *w, struct mc_sampler *sampler)
{
	struct mc_measurement *meas = sampler->shared;
	struct mc_lap *lap = &sampler->lap;
	struct mc_progress at = { 0 };
	bool all_timed = atomic_inc_return(&meas->timed) == meas->n;
	int err;

	do {
		/* An emulator that has one thread for all CPUs lets the next one run. */
		mc_relax();
		err = mc_pass_window(w, &sampler->pass, &at, ~0ULL, sampler->cal.quantum,
				     sampler->shared->settings.irq_off);
		if (err)
			return err;
		adapt_quantum(sampler, at.bytes, at.ticks);
		if (!all_timed)
			note_window(lap, w, at.ticks);
		all_timed = atomic_read(&meas->timed) == meas->n;
	} while (!all_timed || at.from);
	sampler->sample.passes += at.passes;
	return 0;
}

static int take_passes(struct mc_worker *w, struct mc_sampler *sampler)
{
	struct mc_lap *lap = &sampler->lap;
	struct mc_progress at = { 0 };
	u64 from;
	int err;

	*lap = (struct mc_lap){ 0 };
	while (at.passes < sampler->cal.passes_a_sample) {
		if (sampler->shared->hooks.refill) {
			/* The core works, so this is no pause that lets it cool down. */
			from = mc_ticks();
			sampler->shared->hooks.refill(w, sampler);
			w->rests += mc_ticks() - from;
		}
		err = mc_pass_window(w, &sampler->pass, &at, sampler->cal.passes_a_sample,
				     sampler->cal.quantum, sampler->shared->settings.irq_off);
		if (err)
			return err;
		mc_sample_window(w, sampler, &at);
		adapt_quantum(sampler, at.bytes, at.ticks);
		lap->from = lap->from ? lap->from : w->began;
		note_window(lap, w, at.ticks);
	}
	lap->to = w->ended;
	mc_events_take(w->events, &sampler->sample.events);
	sampler->sample.stolen = mc_detector_stolen(&w->detector, w->cpu, false);
	mc_disturbed_windows(sampler);
	return sampler->shared->n > 1 ? work_on(w, sampler) : 0;
}

/*
 * Time one half of a pass, the one that starts at @from, in windows that double from
 * the smallest until one lasts. The quantum becomes that window's size if it is smaller
 * than before. Each window continues where the last one stopped, so it finds nothing in
 * a cache that the last one left there. A window that lasts is repeated, because a
 * hypervisor may have taken the time. Add to *@pass the time of the whole half at the
 * last window's speed.
 */
static int probe_half(struct mc_worker *w, struct mc_sampler *sampler, u64 from, u64 *pass)
{
	u64 half = sampler->pass.bytes, begin = 0;
	u64 bytes = min(half, mc_pass_least(&sampler->pass));
	struct mc_progress at;
	unsigned int slow = 0;

	for (;;) {
		int err;

		begin = begin + bytes > half ? 0 : begin;
		at = (struct mc_progress){ .from = from + begin };
		err = mc_pass_window(w, &sampler->pass, &at, 1, bytes,
				     sampler->shared->settings.irq_off);
		if (err)
			return err;
		begin += at.bytes;
		slow = at.ticks >= mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 2 ? slow + 1 : 0;
		/* No window is larger than one whose plan was full. */
		if (slow == 2 || (!slow && (bytes == half || at.bytes < bytes)))
			break;
		if (!slow)
			bytes = min(bytes * 2, half);
	}
	if (slow)
		sampler->cal.quantum = min(sampler->cal.quantum, bytes);
	*pass += mc_muldiv(half, at.ticks, at.bytes);
	return 0;
}

/*
 * Writing and reading back may differ in speed by a factor of thousands, so each half
 * is probed. The read back then compares words that were never written, so its result
 * is dropped.
 */
static int find_quantum(struct mc_worker *w, struct mc_sampler *sampler, u64 *pass)
{
	struct mc_pass *p = &sampler->pass;
	int err;

	sampler->cal.quantum = mc_pass_length(p);
	err = probe_half(w, sampler, 0, pass);
	if (!err && p->readback) {
		err = probe_half(w, sampler, p->bytes, pass);
		p->tally.wrong = 0;
	}
	return err;
}

/*
 * Number of passes of @length bytes that last @least ticks and an eighth more, if @bytes take
 * @ticks.
 */
static u64 passes_to_last(u64 length, u64 bytes, u64 least, u64 ticks)
{
	return mc_muldiv(bytes, least + least / 8, ticks) / length + 1;
}

/*
 * Find how many passes make a sample of @least ticks, and how many fit in a window. A
 * window of @cost ticks tells the speed well enough, so a sample of several threads, which is
 * much longer, need not be tried in full.
 */
static int find_passes(struct mc_worker *w, struct mc_sampler *sampler, u64 cost, u64 least)
{
	u64 aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS), ticks;
	u64 length = mc_pass_length(&sampler->pass), passes = 1;
	u64 lasting = min(cost, aim / 2);
	unsigned int slow = 0;
	struct mc_progress at;
	bool full;
	u64 share;
	int err;

	for (;;) {
		at = (struct mc_progress){ 0 };
		err = mc_pass_window(w, &sampler->pass, &at, passes, passes * length,
				     sampler->shared->settings.irq_off);
		if (err)
			return err;
		ticks = max(at.ticks, 1ULL);
		slow = ticks >= lasting ? slow + 1 : 0;
		/* A plan that a part of a pass fills: the window is as large as can be. */
		full = at.bytes < length;
		/* A window that lasts is repeated, as in probe_half(). */
		if (slow == 2 || passes >= 1ULL << 20 || full)
			break;
		if (!slow)
			passes = min(passes * 8, passes_to_last(length, at.bytes, lasting, ticks));
	}
	sampler->cal.quantum = mc_muldiv(at.bytes, aim, ticks);
	share = sampler->shared->settings.spread /
		max(sampler->shared->settings.repeat, 1U);
	sampler->cal.passes_settled = share ? passes_to_last(length, at.bytes, share, ticks) : 0;
	if (ticks < least && (ticks >= lasting || full))
		passes = passes_to_last(length, at.bytes, least, ticks);
	sampler->cal.passes_a_sample = passes;
	return 0;
}

/*
 * Find how large windows and samples are. Where samples would last for microseconds, one moment of
 * a busy machine would be the figure. So once the loop has settled, they last longer, in windows of
 * which a disturbance hits few.
 */
static int calibrate(struct mc_worker *w, struct mc_sampler *sampler)
{
	struct mc_calibration *cal = &sampler->cal;
	bool several = sampler->shared->n > 1;
	u64 cost = mc_ns_to_ticks(MC_COSTS_A_SAMPLE * mc_clock.cost_ps / 1000);
	u64 least = max(several ? cost * MC_WINDOWS_AT_ONCE : cost, 1ULL);
	u64 length = mc_pass_length(&sampler->pass), pass = 0;
	int err = find_quantum(w, sampler, &pass);

	if (err)
		return err;
	if (cal->quantum >= length)
		err = find_passes(w, sampler, cost, least);
	else
		cal->passes_a_sample = passes_to_last(1, 1, least, pass);
	cal->passes_settled = max(cal->passes_settled, cal->passes_a_sample);
	if (several)
		cal->quantum = min(cal->quantum,
				   cal->passes_a_sample * length / MC_WINDOWS_AT_ONCE);
	else if (cal->passes_settled > cal->passes_a_sample)
		cal->quantum = min(cal->quantum, max(cal->passes_settled / WINDOWS_A_SAMPLE, 1ULL) *
				   length);
	cal->quantum = mc_pass_quantum(&sampler->pass, cal->quantum);
	cal->quantum_most = cal->quantum;
	return err;
}

/*
 * The time of a pass over the whole working set: all its bytes divided by the sum of the threads'
 * rates. With one thread it is the time of its windows, extrapolated to those that were left out.
 */
static u64 sample_ps(const struct mc_measurement *meas)
{
	const struct mc_sampler *one = meas->each;
	u64 rate = 0, total = 0, ps = mc_ticks_to_ps(one->sample.counted_ticks);

	if (meas->n == 1 && one->sample.disturbed_windows)
		ps = mc_muldiv(ps, mc_pass_length(&one->pass) * one->cal.passes_a_sample,
			       one->sample.counted_bytes);
	if (meas->n == 1)
		return ps / one->cal.passes_a_sample;
	for (; one < meas->each + meas->n; one++) {
		ps = max(mc_ticks_to_ps(one->sample.counted_ticks), 1ULL);
		total += mc_pass_length(&one->pass);
		rate += mc_muldiv(one->sample.counted_bytes, 1000000000000ULL, ps);
	}
	return mc_muldiv(total, 1000000000000ULL, max(rate, 1ULL));
}

/*
 * Did the last thread begin before half of any one's part was timed? And did each work for two
 * thirds of what the one that worked longest did, until all had been timed? One that was away for
 * more than half of the others' time did not.
 */
static bool overlapped(const struct mc_measurement *meas)
{
	u64 least = ~0ULL, most = 0, half = ~0ULL, began = 0, ended = 0, work;
	unsigned int i;

	for (i = 0; i < meas->n; i++) {
		const struct mc_lap *lap = &meas->each[i].lap;

		began = max(began, lap->from);
		ended = max(ended, lap->to);
		half = min(half, lap->from + (lap->to - lap->from) / 2);
	}
	for (i = 0; i < meas->n; i++) {
		const struct mc_lap *lap = &meas->each[i].lap;

		work = lap->work - (lap->until - min(max(lap->began, ended), lap->until));
		least = min(least, work);
		most = max(most, work);
	}
	return began <= half && 3 * least >= 2 * most;
}

/* The sample of all threads: what their parts have in common, or add up to. */
static struct mc_sample join_parts(const struct mc_measurement *meas)
{
	struct mc_sample all = { .worked = ~0ULL };
	const struct mc_sampler *one;

	for (one = meas->each; one < meas->each + meas->n; one++) {
		all.disturbed_windows += one->sample.disturbed_windows;
		all.worked = min(all.worked, one->sample.worked);
		all.seen |= one->sample.seen;
		all.in_time |= one->sample.in_time;
		all.clock_bad |= one->sample.clock_bad;
		all.no_overlap |= one->sample.no_overlap;
		all.stolen = max(all.stolen, one->sample.stolen);
	}
	return all;
}

/* Why the sample of all threads is left out (enum mc_left_out), or 0. */
static u8 why_left_out(const struct mc_sample *all)
{
	if (all->clock_bad)
		return MC_LEFT_CLOCK;
	return all->no_overlap ? MC_LEFT_NO_OVERLAP : 0;
}

/**
 * mc_measurement_mhz() - mean of the clocks of all threads
 * @meas: the measurement
 * @last: the last readings, otherwise those before the first sample that was kept
 *
 * Return: MHz; 0: the clock of a thread is not known.
 */
u64 mc_measurement_mhz(const struct mc_measurement *meas, bool last)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < meas->n; i++) {
		const struct mc_sampler *one = &meas->each[i];
		u64 mhz = last ? one->mhz_last : one->mhz_first;

		if (!mhz)
			return 0;
		sum += mhz;
	}
	return sum / meas->n;
}

/**
 * mc_measurement_append() - add a sample, without asking whether the loop has settled
 * @meas: the measurement; each thread's sample says whether it is bad, what disturbed it, and
 *        which events it has
 * @ps: picoseconds
 *
 * Context: One thread, while none works on a sample of @meas.
 */
void mc_measurement_append(struct mc_measurement *meas, u64 ps)
{
	struct mc_sample all = join_parts(meas);
	u8 bad = why_left_out(&all);
	unsigned int i;

	for (i = 0; i < meas->n; i++)
		mc_events_add(&meas->each[i].counted, &meas->each[i].sample.events, 1, 1);
	meas->left_out |= bad;
	if (meas->cycles)
		meas->cycles[meas->done] = bad ? 0 :
				       mc_muldiv(ps, mc_measurement_mhz(meas, true), 1000);
	meas->samples[meas->done++] = bad ? MC_NO_SAMPLE : ps;
	if (meas->disturbed.seen)
		meas->disturbed.seen[meas->done - 1] = all.seen | (all.in_time ? MC_IN_TIME : 0);
	meas->disturbed.windows_left_out += all.disturbed_windows;
}

/*
 * Time was stolen during one of the samples since a thread has last looked. Nobody knows which one,
 * so all of them are marked.
 */
static void mark_stolen(struct mc_measurement *meas)
{
	struct mc_sampler *one;
	u32 i;

	for (one = meas->each; one < meas->each + meas->n && meas->disturbed.seen; one++) {
		if (one->sample.stolen == MC_NOT_LOOKED)
			continue;
		for (i = one->stolen_from; i < meas->done && one->sample.stolen == MC_STOLEN; i++)
			meas->disturbed.seen[i] |= MC_BY_STEAL | MC_IN_TIME;
		one->stolen_from = meas->done;
	}
}

/* A lone thread must not wait at the barrier: it may be one of several. */
static int wait_for_others(struct mc_worker *w, const struct mc_measurement *meas)
{
	if (!w)
		return 0;
	return meas->n > 1 ? mc_barrier(w) : mc_threads_stopped(w->threads);
}

/* Are there as many as were asked for, and for as long, or is there room for no more? */
static bool has_enough(struct mc_measurement *meas)
{
	if (meas->done < meas->settings.repeat)
		return false;
	return mc_ticks() - meas->quota.began >= meas->settings.least ||
	       (meas->done == meas->arrays.room && !mc_measurement_grow(meas));
}

/*
 * Tell that a sample has ended, and how many more are to come than was said before, by the time
 * that they have taken until now.
 */
static void tick(struct mc_measurement *meas)
{
	u64 repeat = meas->settings.repeat, all = meas->done;
	u64 passed = mc_ticks() - meas->quota.began;

	if (!meas->quota.enough && meas->settings.least)
		all = mc_muldiv(all, meas->settings.least, max(passed, 1ULL));
	all = max(repeat, all);
	meas->hooks.tick(meas->hooks.run, all - meas->quota.foreseen);
	meas->quota.foreseen = all;
}

/*
 * Keep the sample that has just ended, of @ps picoseconds, once the loop has settled. One during
 * which the threads did not work at once is taken again, until the tries are used up.
 */
static void offer(struct mc_measurement *meas, u64 ps)
{
	struct mc_settling *s = &meas->settling;
	const struct mc_sample all = join_parts(meas);
	bool others = all.seen & MC_BY_OTHERS || all.no_overlap || all.stolen == MC_STOLEN;
	bool asked = s->warmups;
	u64 began = s->last;
	u8 bad = why_left_out(&all);

	meas->kept = mc_settling_take(s, bad ? MC_NO_SAMPLE : ps, all.worked == ~0ULL ?
				      s->last - s->began : all.worked, others);
	if (meas->kept && bad == MC_LEFT_NO_OVERLAP && meas->quota.tries_left) {
		meas->quota.tries_left--;
		meas->kept = false;
	}
	if (meas->kept) {
		meas->quota.began = meas->done ? meas->quota.began : began;
		mc_measurement_append(meas, ps);
		/* A sample beyond repeat= brings its own try. */
		meas->quota.tries_left += meas->done > meas->settings.repeat;
		meas->quota.enough = has_enough(meas);
	}
	mark_stolen(meas);
	if (meas->hooks.tick && (meas->kept || asked))
		tick(meas);
}

/* Add traffic of a sample. A kind that was not counted in one of them has no valid sum. */
static void add_traffic(struct mc_measurement *meas, const struct mc_tally *one)
{
	struct mc_tally *sum = &meas->traffic.sum;
	int i;

	sum->counted = meas->done > 1 ? sum->counted & one->counted : one->counted;
	sum->ps += one->ps;
	for (i = 0; i < MC_NTRAFFIC; i++)
		sum->bytes[i] += one->bytes[i];
	for (i = 0; i < meas->n; i++)
		meas->traffic.passes += meas->each[meas->hooks.take ? 0 : i].sample.passes;
}

/* Traffic is that of passes. */
static bool counts_traffic(const struct mc_measurement *meas)
{
	return meas->traffic.counters && meas->each->cal.passes_a_sample;
}

/* Called by the first thread while the others wait. */
static void end_sample(struct mc_measurement *meas)
{
	bool counts = counts_traffic(meas);
	struct mc_sample *first = &meas->each->sample;
	struct mc_tally tally;

	if (counts)
		mc_traffic_stop(meas->traffic.counters, &tally);
	atomic_set(&meas->timed, 0);
	if (meas->hooks.time)
		first->ps = meas->hooks.time(meas);
	if (!meas->hooks.take) {
		first->no_overlap = meas->n > 1 && !meas->disturbed.keep && !overlapped(meas);
		first->ps = sample_ps(meas);
	}
	offer(meas, first->ps);
	if (meas->kept && counts)
		add_traffic(meas, &tally);
	if (meas->hooks.ended)
		meas->hooks.ended(meas);
}

/* The samples that are kept take the positions in turn. */
static int find_position(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	const struct mc_measurement *meas = sampler->shared;
	u32 position = meas->hooks.move ? meas->done % max(meas->positions, 1U) : 0;
	unsigned int i;
	int err;

	if (position == sampler->position)
		return 0;
	sampler->position = position;
	err = meas->hooks.move(w, sampler, round);
	for (i = 0; !err && i < MC_PASSES_A_POSITION; i++)
		err = mc_pass_untimed(w, &sampler->pass);
	return err;
}

/* The clock may change within milliseconds, so it is measured before each sample. */
static int read_clock(struct mc_worker *w, struct mc_sampler *sampler)
{
	int err;

	if (!sampler->shared->hooks.clock || !sampler->shared->settling.settled)
		return 0;
	err = sampler->shared->hooks.clock(w, &sampler->mhz_last);
	if (!sampler->shared->done)
		sampler->mhz_first = sampler->mhz_last;
	return err;
}

static int run_round(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mc_measurement *meas = sampler->shared;
	bool first = sampler == meas->each, counts;
	int err;

	if (meas->settling.settled && sampler->cal.passes_settled > sampler->cal.passes_a_sample)
		sampler->cal.passes_a_sample = sampler->cal.passes_settled;
	err = find_position(w, sampler, round);
	if (!err && meas->hooks.prepare)
		err = meas->hooks.prepare(w, sampler, round);
	err = err ? err : read_clock(w, sampler);
	/* A rest that would come in this sample comes before it. */
	if (w && meas->n > 1)
		mc_threads_rest(w, sampler->lap.work);
	err = err ? err : wait_for_others(w, meas);
	/* Counters are read when all threads have prepared, and before any starts. */
	counts = !err && counts_traffic(meas);
	if (counts && first)
		mc_traffic_start(meas->traffic.counters);
	if (counts)
		err = wait_for_others(w, meas);
	if (!err) {
		mc_sample_begin(w, sampler);
		err = meas->hooks.take ? meas->hooks.take(w, sampler, round) :
					 take_passes(w, sampler);
	}
	err = err ? err : wait_for_others(w, meas);
	if (!err && first)
		end_sample(meas);
	/*
	 * Verification must not count as traffic, and every thread needs to know
	 * whether the sample is kept.
	 */
	if (!err && (counts || meas->n > 1))
		err = wait_for_others(w, meas);
	if (!err && meas->hooks.verify && (meas->kept || meas->hooks.verify_all))
		err = meas->hooks.verify(w, sampler, round);
	/* The thread beside learns whether there is another sample. */
	return err || !meas->hooks.beside ? err : mc_barrier(w);
}

/**
 * mc_measure_beside() - the part of a thread that takes no samples, but works for each
 * @w: the thread
 * @meas: the measurement, of one other thread, with @beside
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno.
 */
int mc_measure_beside(struct mc_worker *w, struct mc_measurement *meas)
{
	int err = 0;
	u32 round;

	for (round = 0; !err && mc_measurement_wants(meas); round++) {
		err = meas->hooks.beside(w, meas, round);
		err = err ? err : mc_barrier(w);
	}
	return err;
}

/* An address that identifies the loop. A test that has one function for several loops gives it. */
static const void *loop_of(const struct mc_pass *p)
{
	if (p->variant)
		return p->variant;
	return p->body ? (const void *)p->body : p->loop;
}

/* Find out how large windows and samples of passes are, and begin to wait until these settle. */
static int begin_passes(struct mc_worker *w, struct mc_sampler *sampler)
{
	struct mc_measurement *meas = sampler->shared;
	int err = calibrate(w, sampler);

	if (sampler == meas->each) {
		atomic_set(&meas->timed, 0);
		meas->quota.tries_left = meas->settings.repeat + MC_TRIES_MORE;
		mc_settling_begin(&meas->settling, meas->settings.warmup, MC_WARM_NS);
		meas->settling.agreed = w->agreed == loop_of(&sampler->pass);
		meas->disturbed.watched = mc_detector_kinds(w->cpu);
	}
	mc_detector_stolen(&w->detector, w->cpu, true);	/* what is stolen counts from now on */
	/*
	 * All threads use the number of passes that the first one calibrated, so that
	 * all do the same.
	 */
	err = err ? err : wait_for_others(w, meas);
	if (!err && sampler != meas->each) {
		sampler->cal.passes_a_sample = meas->each->cal.passes_a_sample;
		sampler->cal.passes_settled = meas->each->cal.passes_settled;
	}
	return err;
}

/**
 * mc_measure() - a thread's part of the measurement of a point (an mc_job)
 * @w: the thread; NULL: the caller takes all samples, and has threads do a part of them
 * @arg: struct mc_measurement of all threads
 *
 * Context: Worker thread, or process.
 * Return: 0, or a negative errno; samples taken until then are kept.
 */
int mc_measure(struct mc_worker *w, void *arg)
{
	struct mc_measurement *meas = arg;
	struct mc_sampler *sampler = &meas->each[w && meas->n > 1 ? w->index : 0];
	int err = 0;
	u32 round;

	if (!meas->hooks.take)
		err = begin_passes(w, sampler);
	else if (sampler == meas->each)
		mc_settling_from_now(&meas->settling);
	for (round = 0; !err && mc_measurement_wants(meas); round++)
		err = run_round(w, sampler, round);
	err = err ? err : read_clock(w, sampler);
	if (meas->hooks.take)
		return err;
	w->agreed = meas->settling.agreed ? loop_of(&sampler->pass) : NULL;
	sampler->sample.stolen = mc_detector_stolen(&w->detector, w->cpu, true);
	err = err ? err : wait_for_others(w, meas);
	if (!err && sampler == meas->each)
		mark_stolen(meas);
	return err;
}
