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
static void adapt(struct mc_work *work, u64 bytes, u64 ticks)
{
	if (ticks > mc_ns_to_ticks(MC_WINDOW_MAX_NS) / 2)
		work->quantum = max(min(work->quantum, bytes) / 2 & ~63ULL,
				    mc_pass_least(&work->pass));
	else if (ticks < mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 4 &&
		 bytes > work->quantum / 2)
		work->quantum = min(work->quantum * 2, work->quantum_most);
}

/* Before the gate. */
static void race_ready(struct mc_worker *w, struct mc_work *work)
{
	work->race_ticks = 0;
	work->race_together = 0;
	work->race_last = 0;
	mc_flag_set(&work->racing, false);
	mc_race_start(w);
}

/* In its first window: the others see when the thread began. */
static void race_begin(const struct mc_worker *w, struct mc_work *work)
{
	if (work->racing)
		return;
	work->race_from = w->began;
	mc_flag_set(&work->racing, true);
}

/* When the last thread began, ~0 while one has not. */
static u64 race_last(struct mc_work *work)
{
	const struct mc_works *works = work->shared;
	u64 last = 0;
	unsigned int i;

	if (work->race_last)
		return work->race_last;
	for (i = 0; i < works->n; i++) {
		const struct mc_work *one = &works->each[i];

		if (!mc_flag(&one->racing))
			return ~0ULL;
		last = max(last, one->race_from);
	}
	work->race_last = last;
	return last;
}

/* Of a sample so far, whether or not it will be left out. */
static bool anything(const struct mc_work *work)
{
	return work->counted_bytes || work->hit_bytes;
}

/*
 * Of a window counts the part during which all threads were at it. If nothing may be
 * left out, a thread that was never at it together with the others has a window, too.
 */
static void account(struct mc_worker *w, struct mc_work *work, u64 bytes,
		    u64 ticks)
{
	u64 from = w->began, to = w->ended, part = ticks;

	work->window_max = max(work->window_max, ticks);
	if (to <= from)
		work->clock_bad = true;
	if (work->shared->n > 1) {
		to = min(to, mc_race_first(w));
		work->race_ticks += to > from ? to - from : 0;
		from = max(from, race_last(work));
		part = to > from ? to - from : 0;
		work->race_together += part;
		if (!part && (anything(work) || !work->shared->keep_disturbed))
			return;
		if (part)
			bytes = mc_muldiv(bytes, part, ticks);
		else
			part = ticks;
	}
	mc_disturbed_window(work, w->disturbed, bytes, part);
}

static int one_sample(struct mc_worker *w, struct mc_work *work)
{
	struct mc_progress at = { 0 };
	u64 bytes, ticks;
	int err;

	mc_disturbed_reset(work);
	work->clock_bad = false;
	w->finishes = false;
	while (at.passes < work->passes_a_sample) {
		err = mc_window_open(w, work->irq_off);
		if (err)
			return err;
		race_begin(w, work);
		bytes = mc_pass_window(&work->pass, &at, work->passes_a_sample,
				       work->quantum);
		w->finishes = at.passes >= work->passes_a_sample;
		ticks = mc_window_close(w);
		account(w, work, bytes, ticks);
		adapt(work, bytes, ticks);
	}
	w->finishes = false;
	mc_disturbed_sample(w, work);
	return 0;
}

/*
 * One half of a pass, that from @from on, in windows that grow from the least
 * until one lasts: that is the quantum, if it is the smaller one. They go on
 * from each other, so that none finds in a cache what the last one has left
 * there, and one that lasts is tried again: it may be a hypervisor who took the
 * time. To *@pass is added what the half takes at the last window's speed.
 */
static int probe(struct mc_worker *w, struct mc_work *work, u64 from, u64 *pass)
{
	u64 all = work->pass.bytes, at = 0, ticks;
	u64 bytes = min(all, mc_pass_least(&work->pass));
	unsigned int slow = 0;

	for (;;) {
		int err = mc_window_open(w, work->irq_off);

		if (err)
			return err;
		at = at + bytes > all ? 0 : at;
		mc_pass_part(&work->pass, from + at, from + at + bytes);
		ticks = mc_window_close(w);
		at += bytes;
		slow = ticks >= mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 2 ? slow + 1 : 0;
		if (slow == 2 || (!slow && bytes == all))
			break;
		if (!slow)
			bytes = min(bytes * 2, all);
	}
	if (slow)
		work->quantum = min(work->quantum, bytes);
	*pass += mc_muldiv(all, ticks, bytes);
	return 0;
}

/*
 * Writing and reading back may differ by a factor of thousands, so each is
 * probed. What was compared without having been written says nothing.
 */
static int find_quantum(struct mc_worker *w, struct mc_work *work, u64 *pass)
{
	struct mc_pass *p = &work->pass;
	int err;

	work->quantum = mc_pass_length(p);
	err = probe(w, work, 0, pass);
	if (!err && p->readback) {
		err = probe(w, work, p->bytes, pass);
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
static int find_passes(struct mc_worker *w, struct mc_work *work, u64 least)
{
	u64 aim = mc_ns_to_ticks(MC_WINDOW_AIM_NS), ticks;
	u64 length = mc_pass_length(&work->pass), passes = 1;
	u64 lasting = min(least, aim / 2);
	unsigned int slow = 0;
	struct mc_progress at;
	int err;

	for (;;) {
		at = (struct mc_progress){ 0 };
		err = mc_window_open(w, work->irq_off);
		if (err)
			return err;
		mc_pass_window(&work->pass, &at, passes, passes * length);
		ticks = max(mc_window_close(w), 1ULL);
		slow = ticks >= lasting ? slow + 1 : 0;
		/* One that lasts is tried again, as in probe(). */
		if (slow == 2 || passes >= 1ULL << 20)
			break;
		if (!slow)
			passes = min(passes * 8, enough(passes, lasting, ticks));
	}
	work->quantum = mc_muldiv(passes * length, aim, ticks);
	if (ticks < least && ticks >= lasting)
		passes = enough(passes, least, ticks);
	work->passes_a_sample = passes;
	return 0;
}

/*
 * How far apart threads are that come out of the gate: in a virtual machine it can be
 * milliseconds. All find the same.
 */
static int find_skew(struct mc_worker *w, struct mc_work *work)
{
	const struct mc_works *works = work->shared;
	u64 first, last;
	unsigned int trial, i;
	int err = 0;

	work->skew = 0;
	for (trial = 0; works->n > 1 && trial < MC_SKEW_TRIALS; trial++) {
		err = mc_gate(w);
		/* After a stop nobody waits, and another one may still look at the last. */
		if (err)
			break;
		work->race_from = mc_ticks();
		err = mc_gate(w);
		if (err)
			break;
		first = work->race_from;
		last = first;
		for (i = 0; i < works->n; i++) {
			first = min(first, works->each[i].race_from);
			last = max(last, works->each[i].race_from);
		}
		work->skew = max(work->skew, last - first);
	}
	work->skew = min(work->skew, mc_ns_to_ticks(MC_SKEW_MAX_NS));
	return err;
}

static int calibrate(struct mc_worker *w, struct mc_work *work)
{
	bool race = work->shared->n > 1;
	u64 cost = mc_ns_to_ticks(MC_COSTS_A_SAMPLE * mc_clock.cost_ps / 1000);
	u64 least = race ? cost * MC_WINDOWS_A_RACE : cost;
	u64 length = mc_pass_length(&work->pass), pass = 0;
	int err = find_skew(w, work);

	err = err ? err : find_quantum(w, work, &pass);
	if (err)
		return err;
	least = max(max(least, work->skew * MC_SKEWS_A_RACE), 1ULL);
	if (work->quantum >= length)
		err = find_passes(w, work, least);
	else
		work->passes_a_sample = enough(1, least, pass);
	if (race)
		work->quantum = min(work->quantum, work->passes_a_sample *
				    length / MC_WINDOWS_A_RACE);
	work->quantum = max(work->quantum & ~63ULL, mc_pass_least(&work->pass));
	work->quantum_most = work->quantum;
	return err;
}

/* What a sample's windows take, those too that were left out. */
static u64 work_ps(const struct mc_work *one)
{
	u64 all = mc_pass_length(&one->pass) * one->passes_a_sample;
	u64 ps = mc_ticks_to_ps(one->counted_ticks);

	return one->hit_windows ? mc_muldiv(ps, all, one->counted_bytes) : ps;
}

/*
 * The time of a pass over the whole working set: all its bytes over the sum of
 * the threads' rates. With one thread that is the time of its windows.
 */
static u64 sample_ps(const struct mc_works *works)
{
	u64 rate = 0, total = 0;
	unsigned int i;

	if (works->n == 1)
		return work_ps(works->each) / works->each->passes_a_sample;
	for (i = 0; i < works->n; i++) {
		const struct mc_work *one = &works->each[i];
		u64 ps = max(mc_ticks_to_ps(one->counted_ticks), 1ULL);

		total += mc_pass_length(&one->pass);
		rate += mc_muldiv(one->counted_bytes, 1000000000000ULL, ps);
	}
	return mc_muldiv(total, 1000000000000ULL, max(rate, 1ULL));
}

/* Was each thread at it, with the others, for half of what the longest one was? */
static bool overlapped(const struct mc_works *works)
{
	u64 least = ~0ULL, most = 0;
	unsigned int i;

	for (i = 0; i < works->n; i++) {
		least = min(least, works->each[i].race_together);
		most = max(most, works->each[i].race_ticks);
	}
	return least > most / 2;
}

/* Why the sample is left out (enum mc_left_out), or 0. */
static u8 why_bad(const struct mc_works *works)
{
	unsigned int i;

	for (i = 0; i < works->n; i++) {
		if (works->each[i].clock_bad)
			return MC_LEFT_CLOCK;
	}
	if (works->n == 1 || works->keep_disturbed || overlapped(works))
		return 0;
	return MC_LEFT_NO_OVERLAP;
}

static void keep_sample(struct mc_works *works, u8 bad)
{
	works->left_out |= bad;
	works->samples[works->done++] = bad ? MC_NO_SAMPLE : sample_ps(works);
	mc_disturbed_keep(works);
}

/* A lone thread has nobody to wait for, though others may run beside it. */
static int meet(struct mc_worker *w, const struct mc_works *works)
{
	return works->n > 1 ? mc_gate(w) : mc_team_stopped(w->team);
}

/**
 * mc_works_tally() - add what was counted in a sample, before it is kept
 * @works: the measurement
 * @one: what was counted
 *
 * Of a kind of which one sample was not counted, the sum is not known.
 *
 * Context: One thread at a time.
 */
void mc_works_tally(struct mc_works *works, const struct mc_tally *one)
{
	struct mc_tally *sum = &works->tally;
	int i;

	sum->counted = works->done ? sum->counted & one->counted : one->counted;
	sum->ps += one->ps;
	for (i = 0; i < MC_NTRAFFIC; i++)
		sum->bytes[i] += one->bytes[i];
}

/* By the first thread, while no other does anything. */
static void end_sample(struct mc_works *works, bool kept)
{
	u8 bad = why_bad(works);
	struct mc_tally tally;

	works->again = kept && bad == MC_LEFT_NO_OVERLAP && works->tries_left;
	kept &= !works->again;

	if (works->counting) {
		mc_counting_stop(works->counting, &tally);
		if (kept)
			mc_works_tally(works, &tally);
	}
	if (works->again) {
		works->tries_left--;
		mc_disturbed_mark(works);
		return;
	}
	if (kept)
		keep_sample(works, bad);
	if (works->tick)
		works->tick(works->run);
}

/* When all are prepared the counters are read, and then all start together. */
static int begin_sample(struct mc_worker *w, struct mc_works *works, bool first)
{
	int err = meet(w, works);

	if (err || !works->counting)
		return err;
	if (first)
		mc_counting_start(works->counting);
	return meet(w, works);
}

static int one_round(struct mc_worker *w, struct mc_work *work, u32 round,
		     bool *again)
{
	struct mc_works *all = work->shared;
	bool first = work == all->each;
	int err = work->prepare ? work->prepare(w, work, round) : 0;

	race_ready(w, work);
	err = err ? err : begin_sample(w, all, first);
	err = err ? err : one_sample(w, work);
	err = err ? err : meet(w, all);
	if (!err && first)
		end_sample(all, round >= work->warmup);
	/*
	 * Verification is not to be counted, and each thread has to know whether the
	 * sample is taken again.
	 */
	if (!err && (all->counting || all->n > 1))
		err = meet(w, all);
	*again = all->again;
	return err ? err : work->verify ? work->verify(w, work, round) : 0;
}

/**
 * mc_measure() - a thread's part of the measurement of a point (an mc_job)
 * @w: the thread
 * @works: struct mc_works of all threads
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno; samples done until then are kept.
 */
int mc_measure(struct mc_worker *w, void *works)
{
	struct mc_works *all = works;
	struct mc_work *work = &all->each[all->n > 1 ? w->index : 0];
	bool again = false;
	u32 round;
	int err = calibrate(w, work);

	if (work == all->each)
		all->tries_left = work->repeat + MC_TRIES_MORE;

	mc_disturbed_begin(w, work);
	/* All go by the first thread's count, so that all do the same. */
	err = err ? err : meet(w, all);
	if (!err && work != all->each)
		work->passes_a_sample = all->each->passes_a_sample;
	for (round = 0; !err && round < work->warmup + work->repeat; round += !again)
		err = one_round(w, work, round, &again);
	mc_disturbed_last(w, work);
	err = err ? err : meet(w, all);
	if (!err && work == all->each)
		mc_disturbed_mark(all);
	return err;
}

/**
 * mc_sum_of_run() - sum of consecutive integers
 * @first: the first
 * @n: how many
 *
 * Context: Any.
 * Return: n * first + n * (n - 1) / 2, modulo 2^64.
 */
u64 mc_sum_of_run(u64 first, u64 n)
{
	u64 pairs = n & 1 ? (n - 1) / 2 * n : n / 2 * (n - 1);

	return n * first + pairs;
}
