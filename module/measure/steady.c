// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a loop has settled: by the time for which its core has worked, and by its samples,
 * whose last ones agree.
 */
#include "measure/steady.h"
#include "platform/clock.h"
#include "platform/os.h"

/**
 * mc_core_note_work() - note that a window with a loop over memory has just been closed
 * @w: the thread
 *
 * A pause takes away as much as work of the same time has brought, up to MC_WARM_NS: a
 * short pause costs little, a long one all. A window in which other threads had the CPU
 * counts as a pause, since nobody knows which part of it they had.
 *
 * Context: Worker thread.
 * Return: ticks for which the core had worked without a pause when the window began.
 */
u64 mc_core_note_work(struct mc_worker *w)
{
	u64 pause = w->began > w->left_off ? w->began - w->left_off : 0, before;
	u64 ticks = w->ended > w->began ? w->ended - w->began : 0;

	if (mc_shared_window(w)) {
		pause += ticks;
		ticks = 0;
	}
	if (w->disturbed & MC_BY_MIGRATION)
		w->worked = 0;
	if (pause > mc_ns_to_ticks(MC_PAUSE_NS)) {
		w->worked = min(w->worked, mc_ns_to_ticks(MC_WARM_NS));
		w->worked -= min(w->worked, pause);
	}
	before = w->worked;
	w->worked += ticks;
	w->left_off = w->ended;
	return before;
}

/**
 * mc_settling_begin() - begin to wait for a loop to settle
 * @s: result
 * @warmups: least number of samples to throw away
 * @least_ns: the threads must have worked for so long before a sample is kept; 0: there is
 *            nothing that settles
 *
 * Context: One thread.
 */
void mc_settling_begin(struct mc_settling *s, u32 warmups, u64 least_ns)
{
	*s = (struct mc_settling){
		.warmups = warmups, .least = mc_ns_to_ticks(least_ns),
		.settled = !warmups && !least_ns,
	};
	mc_settling_from_now(s);
}

/**
 * mc_settling_from_now() - note that what settles begins now, and that all before was set-up
 * @s: the settling
 *
 * Context: One thread, before the first sample.
 */
void mc_settling_from_now(struct mc_settling *s)
{
	s->began = mc_ticks();
	s->from = s->began;
	s->last = s->began;
}

/* Do the last samples that were thrown away agree? */
static bool agrees(const struct mc_settling *s)
{
	u64 recent[MC_STEADY_SAMPLES];
	u32 i;

	if (s->seen < MC_STEADY_SAMPLES)
		return false;
	for (i = 0; i < MC_STEADY_SAMPLES; i++)
		recent[i] = s->recent[(s->seen + i) % MC_STEADY_SAMPLES];
	return mc_steady_of(recent, MC_STEADY_SAMPLES, MC_WARMUP_PERMILLE) == MC_STEADY_YES;
}

/**
 * mc_settling_take() - take note of a sample that has just ended: is it kept?
 * @s: the settling
 * @ps: the time of the sample
 * @worked: ticks for which the threads had worked before it, without a pause
 * @others: others had the CPU of a thread for a part of it
 *
 * It is kept if the loop had settled before it.
 *
 * Context: One thread, while the others wait.
 * Return: true or false.
 */
bool mc_settling_take(struct mc_settling *s, u64 ps, u64 worked, bool others)
{
	u64 now = mc_ticks(), took = now - s->last;
	bool kept = s->settled && (worked >= s->least || s->gave_up);

	s->last = now;
	if (kept || s->warmups)
		s->from = now;
	if (kept) {
		s->others = 0;
		s->worked = s->worked ? s->worked : worked;
		return true;
	}
	s->warmups -= !!s->warmups;
	s->recent[s->seen++ % MC_STEADY_SAMPLES] = ps;
	s->others = others ? s->seen : s->others;
	if (!s->warmups && !s->settled) {
		s->agreed |= agrees(s);
		/* Long samples need not: if ten outlast a core's warm-up, each averages it out. */
		s->settled = s->agreed || !s->least ||
			     took > mc_ns_to_ticks(MC_WARM_NS / MC_STEADY_SAMPLES);
	}
	if (!s->warmups && now - s->from > mc_ns_to_ticks(MC_WAIT_MOST_NS)) {
		/* Others delay the work in all of the wait, and are seen in the last samples. */
		s->changes |= !s->others || (worked >= s->least &&
					  s->seen - s->others >= MC_STEADY_SAMPLES);
		s->gave_up = true;
		s->settled = true;
	}
	return false;
}

/**
 * mc_settling_verdict() - was the loop steady, before its samples and during them?
 * @s: the settling
 * @samples: array of @n samples in the order in which they were taken; some may be
 *           MC_NO_SAMPLE. The order changes
 * @n: number of samples
 * @others: the time of one of them includes time that others had
 *
 * Return: MC_STEADY_NOT_KNOWN if there are too few samples to tell, or if others may be what
 * changed.
 */
enum mc_steady mc_settling_verdict(const struct mc_settling *s, u64 *samples, u32 n, bool others)
{
	enum mc_steady kept = mc_steady_of(samples, n, MC_SAMPLES_PERMILLE);

	if (s->changes || (kept == MC_STEADY_NO && !others))
		return MC_STEADY_NO;
	if (s->gave_up || kept == MC_STEADY_NO)
		return MC_STEADY_NOT_KNOWN;
	return s->agreed ? MC_STEADY_YES : kept;
}
