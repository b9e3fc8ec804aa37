// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows and samples.
 *
 * A pass (pass.c) is done in windows: stretches of bytes during which vector
 * registers are held and, if asked, interrupts are off. Only time inside windows
 * counts. A window is cut so that it lasts about 2 ms; a pass shorter than a
 * window is repeated inside one until the sample is long against the cost of
 * reading the clock.
 *
 * Several threads race: all start at the gate, and only what they do between the
 * last one's start and the first one's end is counted, so nobody is measured while
 * another idles. That can be little where others want the CPUs, too: a sample whose
 * threads did not overlap for most of it is taken again, and left out if that has
 * been tried often enough.
 */
#include "measure/disturbed.h"
#include "platform/clock.h"
#include "platform/os.h"

/*
 * After a long window the next one takes half of its @bytes: even if memory gets
 * half as fast from one to the next, none is too long. If it was a hypervisor
 * who took the time, windows grow back.
 */
static void adapt(struct mc_sampler *sampler, u64 bytes, u64 ticks)
{
	if (ticks > mc_ns_to_ticks(MC_WINDOW_MAX_NS) / 2)
		sampler->quantum = max(min(sampler->quantum, bytes) / 2 & ~63ULL,
				       mc_pass_least(&sampler->pass));
	else if (ticks < mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 4 &&
		 bytes > sampler->quantum / 2)
		sampler->quantum = min(sampler->quantum * 2, sampler->quantum_most);
}

/* Before the gate. */
static void race_ready(struct mc_worker *w, struct mc_sampler *sampler)
{
	sampler->race_ticks = 0;
	sampler->race_together = 0;
	sampler->race_last = 0;
	mc_flag_set(&sampler->racing, false);
	mc_race_start(w);
}

/* In its first window: the others see when the thread began. */
static void race_begin(const struct mc_worker *w, struct mc_sampler *sampler)
{
	if (sampler->racing)
		return;
	sampler->race_from = w->began;
	mc_flag_set(&sampler->racing, true);
}

/* When the last thread began, ~0 while one has not. */
static u64 race_last(struct mc_sampler *sampler)
{
	const struct mc_measurement *meas = sampler->shared;
	u64 last = 0;
	unsigned int i;

	if (sampler->race_last)
		return sampler->race_last;
	for (i = 0; i < meas->n; i++) {
		const struct mc_sampler *one = &meas->each[i];

		if (!mc_flag(&one->racing))
			return ~0ULL;
		last = max(last, one->race_from);
	}
	sampler->race_last = last;
	return last;
}

/* Of a sample so far, whether or not it will be left out. */
static bool anything(const struct mc_sampler *sampler)
{
	return sampler->counted_bytes || sampler->hit_bytes;
}

/*
 * Of a window counts the part during which all threads were at it. If nothing may be
 * left out, a thread that was never at it together with the others has a window, too.
 */
static void account(struct mc_worker *w, struct mc_sampler *sampler, u64 bytes,
		    u64 ticks)
{
	u64 from = w->began, to = w->ended, part = ticks;

	sampler->window_max = max(sampler->window_max, ticks);
	if (to <= from)
		sampler->clock_bad = true;
	if (sampler->shared->n > 1) {
		to = min(to, mc_race_first(w));
		sampler->race_ticks += to > from ? to - from : 0;
		from = max(from, race_last(sampler));
		part = to > from ? to - from : 0;
		sampler->race_together += part;
		if (!part && (anything(sampler) || !sampler->shared->keep_disturbed))
			return;
		if (part)
			bytes = mc_muldiv(bytes, part, ticks);
		else
			part = ticks;
	}
	mc_disturbed_window(sampler, w->disturbed, bytes, part);
}

static int one_sample(struct mc_worker *w, struct mc_sampler *sampler)
{
	struct mc_progress at = { 0 };
	u64 bytes, ticks;
	int err;

	mc_disturbed_reset(sampler);
	sampler->clock_bad = false;
	w->finishes = false;
	while (at.passes < sampler->passes_a_sample) {
		err = mc_window_open(w, sampler->irq_off);
		if (err)
			return err;
		race_begin(w, sampler);
		bytes = mc_pass_window(&sampler->pass, &at, sampler->passes_a_sample,
				       sampler->quantum);
		w->finishes = at.passes >= sampler->passes_a_sample;
		ticks = mc_window_close(w);
		account(w, sampler, bytes, ticks);
		adapt(sampler, bytes, ticks);
	}
	w->finishes = false;
	mc_disturbed_sample(w, sampler);
	return 0;
}

/*
 * One half of a pass, that from @from on, in windows that grow from the least
 * until one lasts: that is the quantum, if it is the smaller one. They go on
 * from each other, so that none finds in a cache what the last one has left
 * there, and one that lasts is tried again: it may be a hypervisor who took the
 * time. To *@pass is added what the half takes at the last window's speed.
 */
static int probe(struct mc_worker *w, struct mc_sampler *sampler, u64 from, u64 *pass)
{
	u64 all = sampler->pass.bytes, at = 0, ticks;
	u64 bytes = min(all, mc_pass_least(&sampler->pass));
	unsigned int slow = 0;

	for (;;) {
		int err = mc_window_open(w, sampler->irq_off);

		if (err)
			return err;
		at = at + bytes > all ? 0 : at;
		mc_pass_part(&sampler->pass, from + at, from + at + bytes);
		ticks = mc_window_close(w);
		at += bytes;
		slow = ticks >= mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 2 ? slow + 1 : 0;
		if (slow == 2 || (!slow && bytes == all))
			break;
		if (!slow)
			bytes = min(bytes * 2, all);
	}
	if (slow)
		sampler->quantum = min(sampler->quantum, bytes);
	*pass += mc_muldiv(all, ticks, bytes);
	return 0;
}

/*
 * Writing and reading back may differ by a factor of thousands, so each is
 * probed. What was compared without having been written says nothing.
 */
static int find_quantum(struct mc_worker *w, struct mc_sampler *sampler, u64 *pass)
{
	struct mc_pass *p = &sampler->pass;
	int err;

	sampler->quantum = mc_pass_length(p);
	err = probe(w, sampler, 0, pass);
	if (!err && p->readback) {
		err = probe(w, sampler, p->bytes, pass);
		p->wrong = 0;
	}
	return err;
}

/* Passes that take @least and an eighth more, if @passes take @ticks. */
static u64 enough(u64 passes, u64 least, u64 ticks)
{
	return mc_muldiv(passes, least + least / 8, ticks) + 1;
}

/* How many passes make a sample of @least ticks, and how many fit a window. */
static int find_passes(struct mc_worker *w, struct mc_sampler *sampler, u64 least)
{
	u64 aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS), ticks;
	u64 length = mc_pass_length(&sampler->pass), passes = 1;
	u64 lasting = min(least, aim / 2);
	unsigned int slow = 0;
	struct mc_progress at;
	int err;

	for (;;) {
		at = (struct mc_progress){ 0 };
		err = mc_window_open(w, sampler->irq_off);
		if (err)
			return err;
		mc_pass_window(&sampler->pass, &at, passes, passes * length);
		ticks = max(mc_window_close(w), 1ULL);
		slow = ticks >= lasting ? slow + 1 : 0;
		/* One that lasts is tried again, as in probe(). */
		if (slow == 2 || passes >= 1ULL << 20)
			break;
		if (!slow)
			passes = min(passes * 8, enough(passes, lasting, ticks));
	}
	sampler->quantum = mc_muldiv(passes * length, aim, ticks);
	if (ticks < least && ticks >= lasting)
		passes = enough(passes, least, ticks);
	sampler->passes_a_sample = passes;
	return 0;
}

/*
 * How far apart threads are that come out of the gate: in a virtual machine it can be
 * milliseconds. All find the same.
 */
static int find_skew(struct mc_worker *w, struct mc_sampler *sampler)
{
	const struct mc_measurement *meas = sampler->shared;
	u64 first, last;
	unsigned int trial, i;
	int err = 0;

	sampler->skew = 0;
	for (trial = 0; meas->n > 1 && trial < MC_SKEW_TRIALS; trial++) {
		err = mc_gate(w);
		/* After a stop nobody waits, and another one may still look at the last. */
		if (err)
			break;
		sampler->race_from = mc_ticks();
		err = mc_gate(w);
		if (err)
			break;
		first = sampler->race_from;
		last = first;
		for (i = 0; i < meas->n; i++) {
			first = min(first, meas->each[i].race_from);
			last = max(last, meas->each[i].race_from);
		}
		sampler->skew = max(sampler->skew, last - first);
	}
	sampler->skew = min(sampler->skew, mc_ns_to_ticks(MC_SKEW_MAX_NS));
	return err;
}

static int calibrate(struct mc_worker *w, struct mc_sampler *sampler)
{
	bool race = sampler->shared->n > 1;
	u64 cost = mc_ns_to_ticks(MC_COSTS_A_SAMPLE * mc_clock.cost_ps / 1000);
	u64 least = race ? cost * MC_WINDOWS_A_RACE : cost;
	u64 length = mc_pass_length(&sampler->pass), pass = 0;
	int err = find_skew(w, sampler);

	err = err ? err : find_quantum(w, sampler, &pass);
	if (err)
		return err;
	least = max(max(least, sampler->skew * MC_SKEWS_A_RACE), 1ULL);
	if (sampler->quantum >= length)
		err = find_passes(w, sampler, least);
	else
		sampler->passes_a_sample = enough(1, least, pass);
	if (race)
		sampler->quantum = min(sampler->quantum, sampler->passes_a_sample *
				       length / MC_WINDOWS_A_RACE);
	sampler->quantum = max(sampler->quantum & ~63ULL, mc_pass_least(&sampler->pass));
	sampler->quantum_most = sampler->quantum;
	return err;
}

/* What a sample's windows take, those too that were left out. */
static u64 work_ps(const struct mc_sampler *one)
{
	u64 all = mc_pass_length(&one->pass) * one->passes_a_sample;
	u64 ps = mc_ticks_to_ps(one->counted_ticks);

	return one->hit_windows ? mc_muldiv(ps, all, one->counted_bytes) : ps;
}

/*
 * The time of a pass over the whole working set: all its bytes over the sum of
 * the threads' rates. With one thread that is the time of its windows.
 */
static u64 sample_ps(const struct mc_measurement *meas)
{
	u64 rate = 0, total = 0;
	unsigned int i;

	if (meas->n == 1)
		return work_ps(meas->each) / meas->each->passes_a_sample;
	for (i = 0; i < meas->n; i++) {
		const struct mc_sampler *one = &meas->each[i];
		u64 ps = max(mc_ticks_to_ps(one->counted_ticks), 1ULL);

		total += mc_pass_length(&one->pass);
		rate += mc_muldiv(one->counted_bytes, 1000000000000ULL, ps);
	}
	return mc_muldiv(total, 1000000000000ULL, max(rate, 1ULL));
}

/* Was each thread at it, with the others, for half of what the longest one was? */
static bool overlapped(const struct mc_measurement *meas)
{
	u64 least = ~0ULL, most = 0;
	unsigned int i;

	for (i = 0; i < meas->n; i++) {
		least = min(least, meas->each[i].race_together);
		most = max(most, meas->each[i].race_ticks);
	}
	return least > most / 2;
}

/* Why the sample is left out (enum mc_left_out), or 0. */
static u8 why_bad(const struct mc_measurement *meas)
{
	unsigned int i;

	for (i = 0; i < meas->n; i++) {
		if (meas->each[i].clock_bad)
			return MC_LEFT_CLOCK;
	}
	if (meas->n == 1 || meas->keep_disturbed || overlapped(meas))
		return 0;
	return MC_LEFT_NO_OVERLAP;
}

static void keep_sample(struct mc_measurement *meas, u8 bad)
{
	meas->left_out |= bad;
	meas->samples[meas->done++] = bad ? MC_NO_SAMPLE : sample_ps(meas);
	mc_disturbed_keep(meas);
}

/* A lone thread has nobody to wait for, though others may run beside it. */
static int meet(struct mc_worker *w, const struct mc_measurement *meas)
{
	return meas->n > 1 ? mc_gate(w) : mc_team_stopped(w->team);
}

/**
 * mc_measurement_tally() - add what was counted in a sample, before it is kept
 * @meas: the measurement
 * @one: what was counted
 *
 * Of a kind of which one sample was not counted, the sum is not known.
 *
 * Context: One thread at a time.
 */
void mc_measurement_tally(struct mc_measurement *meas, const struct mc_tally *one)
{
	struct mc_tally *sum = &meas->tally;
	int i;

	sum->counted = meas->done ? sum->counted & one->counted : one->counted;
	sum->ps += one->ps;
	for (i = 0; i < MC_NTRAFFIC; i++)
		sum->bytes[i] += one->bytes[i];
}

/* By the first thread, while no other does anything. */
static void end_sample(struct mc_measurement *meas, bool kept)
{
	u8 bad = why_bad(meas);
	struct mc_tally tally;

	meas->again = kept && bad == MC_LEFT_NO_OVERLAP && meas->tries_left;
	kept &= !meas->again;

	if (meas->counting) {
		mc_traffic_stop(meas->counting, &tally);
		if (kept)
			mc_measurement_tally(meas, &tally);
	}
	if (meas->again) {
		meas->tries_left--;
		mc_disturbed_mark(meas);
		return;
	}
	if (kept)
		keep_sample(meas, bad);
	if (meas->tick)
		meas->tick(meas->run);
}

/* When all are prepared the counters are read, and then all start together. */
static int begin_sample(struct mc_worker *w, struct mc_measurement *meas, bool first)
{
	int err = meet(w, meas);

	if (err || !meas->counting)
		return err;
	if (first)
		mc_traffic_start(meas->counting);
	return meet(w, meas);
}

static int one_round(struct mc_worker *w, struct mc_sampler *sampler, u32 round,
		     bool *again)
{
	struct mc_measurement *all = sampler->shared;
	bool first = sampler == all->each;
	int err = sampler->prepare ? sampler->prepare(w, sampler, round) : 0;

	race_ready(w, sampler);
	err = err ? err : begin_sample(w, all, first);
	err = err ? err : one_sample(w, sampler);
	err = err ? err : meet(w, all);
	if (!err && first)
		end_sample(all, round >= sampler->warmup);
	/*
	 * Verification is not to be counted, and each thread has to know whether the
	 * sample is taken again.
	 */
	if (!err && (all->counting || all->n > 1))
		err = meet(w, all);
	*again = all->again;
	return err ? err : sampler->verify ? sampler->verify(w, sampler, round) : 0;
}

/**
 * mc_measure() - a thread's part of the measurement of a point (an mc_job)
 * @w: the thread
 * @meas: struct mc_measurement of all threads
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno; samples done until then are kept.
 */
int mc_measure(struct mc_worker *w, void *meas)
{
	struct mc_measurement *all = meas;
	struct mc_sampler *sampler = &all->each[all->n > 1 ? w->index : 0];
	bool again = false;
	u32 round;
	int err = calibrate(w, sampler);

	if (sampler == all->each)
		all->tries_left = sampler->repeat + MC_TRIES_MORE;

	mc_disturbed_begin(w, sampler);
	/* All go by the first thread's count, so that all do the same. */
	err = err ? err : meet(w, all);
	if (!err && sampler != all->each)
		sampler->passes_a_sample = all->each->passes_a_sample;
	for (round = 0; !err && round < sampler->warmup + sampler->repeat; round += !again)
		err = one_round(w, sampler, round, &again);
	mc_disturbed_last(w, sampler);
	err = err ? err : meet(w, all);
	if (!err && sampler == all->each)
		mc_disturbed_mark(all);
	return err;
}

/**
 * mc_sum_of_run() - sum of consecutive integers
 * @first: the first
 * @n: how many
 *
 * Return: n * first + n * (n - 1) / 2, modulo 2^64.
 */
u64 mc_sum_of_run(u64 first, u64 n)
{
	u64 pairs = n & 1 ? (n - 1) / 2 * n : n / 2 * (n - 1);

	return n * first + pairs;
}
