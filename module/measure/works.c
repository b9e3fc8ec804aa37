// SPDX-License-Identifier: GPL-2.0-only
/* What tests that measure with mc_measure() do alike before and after it. */
#include "core/math.h"
#include "measure/disturbed.h"
#include "measure/side.h"
#include "measure/works.h"
#include "platform/clock.h"
#include "platform/os.h"

/**
 * mc_works_begin() - make ready to measure a point
 * @works: result, to be given back by mc_works_end() in any case; each thread's
 *         pass is left to the test
 * @run: the run
 * @point: asks for interrupts, warm-ups and samples
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM, explained in @run->error.
 */
int mc_works_begin(struct mc_works *works, struct mc_run *run,
		   const struct mc_point *point)
{
	unsigned int i;

	*works = (struct mc_works){
		.n = mc_team_size(run->team), .counting = run->counting,
		.tick = run->side->tick, .run = run,
		.keep_disturbed = point->v[MC_KEY_DISTURBED],
	};
	works->each = mc_alloc_array(works->n, sizeof(*works->each));
	works->samples = mc_alloc_array(point->v[MC_KEY_REPEAT], sizeof(u64));
	works->disturbed = mc_alloc_array(point->v[MC_KEY_REPEAT], 1);
	if (!works->each || !works->samples || !works->disturbed)
		return mc_fail(&run->error, -ENOMEM,
			       "repeat: no memory for %llu samples",
			       point->v[MC_KEY_REPEAT]);
	for (i = 0; i < works->n; i++) {
		works->each[i].shared = works;
		works->each[i].irq_off = !point->v[MC_KEY_IRQ];
		works->each[i].warmup = point->v[MC_KEY_WARMUP];
		works->each[i].repeat = point->v[MC_KEY_REPEAT];
	}
	return 0;
}

/**
 * mc_works_part() - a thread's part of the memory
 * @works: the measurement, of all threads
 * @area: the memory
 * @thread: index of the thread
 *
 * Context: Any.
 * Return: the part.
 */
struct mc_part mc_works_part(const struct mc_works *works,
			     const struct mc_area *area, unsigned int thread)
{
	const struct mc_homes *homes = area->homes;
	const struct mc_home *home;

	if (!homes)
		return (struct mc_part){ area->view, thread, works->n };
	home = &homes->home[homes->seat[thread].home];
	return (struct mc_part){
		home->area.view, homes->seat[thread].index, home->threads
	};
}

/**
 * mc_works_turns() - a test's parts, if CPUs take turns (see struct mc_test)
 * @req: the request
 *
 * Context: Any.
 * Return: how many there are; 1 for cpu=any.
 */
u64 mc_works_turns(const struct mc_request *req)
{
	return req->any_cpu ? 1 : req->ncpus;
}

/**
 * mc_works_near() - the CPU whose turn it is
 * @run: the run
 * @point: the point
 *
 * Context: Any.
 * Return: the CPU, -1 if it is not bound.
 */
int mc_works_near(const struct mc_run *run, const struct mc_point *point)
{
	return mc_team_cpu(run->team, run->part);
}

/**
 * mc_works_turn() - have the CPU whose turn it is do a job
 * @run: the run
 * @rec: told that this CPU alone has worked
 * @job: the job
 * @arg: its argument
 *
 * Context: Process, may sleep.
 * Return: 0, or the errno of what stopped the run.
 */
int mc_works_turn(struct mc_run *run, struct mc_record *rec, mc_job job,
		  void *arg)
{
	unsigned int who = run->part;

	rec->threads = 1;
	rec->cpu = mc_team_cpu(run->team, who);
	return mc_team_run_some(run->team, &who, 1, job, arg);
}

/**
 * mc_works_close() - end a timed window of a test that does without mc_measure()
 * @w: the thread
 * @work: told of windows that are long, or that the clock denies
 *
 * Context: Worker thread; may schedule once the window is closed.
 * Return: ticks that it lasted, 0 if the clock ran backwards.
 */
u64 mc_works_close(struct mc_worker *w, struct mc_work *work)
{
	u64 ticks = mc_window_close(w);

	work->clock_bad |= !ticks;
	work->window_max = max(work->window_max, ticks);
	work->seen |= w->disturbed;
	work->in_time = work->seen;
	/* Where windows are that short, nobody looks at stolen time between them. */
	work->shared->watched = mc_witness_kinds(-1);
	return ticks;
}

/**
 * mc_works_keep() - put away a sample of a test that does without mc_measure()
 * @works: the measurement; if a window of the first thread's work was bad, so is
 *         the sample
 * @round: number of the sample, warm-ups counted
 * @ps: picoseconds
 *
 * Context: Worker thread, one at a time.
 */
void mc_works_keep(struct mc_works *works, u32 round, u64 ps)
{
	bool bad = works->each->clock_bad;

	if (round >= works->each->warmup) {
		if (bad)
			works->left_out |= MC_LEFT_CLOCK;
		works->samples[works->done++] = bad ? MC_NO_SAMPLE : ps;
		mc_disturbed_keep(works);
	}
	mc_disturbed_reset(works->each);
	if (works->tick)
		works->tick(works->run);
}

static void record_dram(const struct mc_works *works, struct mc_dram *dram)
{
	u64 passes = works->done * works->each->passes_a_sample;
	const struct mc_tally *idle;
	int i;

	dram->why = mc_counting_why(works->counting);
	if (!works->counting || !passes)
		return;
	idle = mc_counting_idle(works->counting);
	dram->counted = works->tally.counted;
	dram->counted_ps = works->tally.ps / passes;
	for (i = 0; i < MC_NTRAFFIC; i++) {
		dram->bytes[i] = works->tally.bytes[i] / passes;
		dram->idle_kb_per_s[i] = mc_muldiv(idle->bytes[i], 1000000000,
						   idle->ps);
	}
}

/**
 * mc_works_record() - put what was measured into a record
 * @works: the measurement; its samples are sorted
 * @rec: gets statistics, why samples are missing, and the longest window
 *
 * Context: Process.
 */
void mc_works_record(struct mc_works *works, struct mc_record *rec)
{
	u64 longest = 0;
	unsigned int i;

	for (i = 0; i < works->n; i++)
		longest = max(longest, works->each[i].window_max);
	rec->window_max_ps = mc_ticks_to_ps(longest);
	mc_disturbed_record(works, rec);
	rec->left_out = works->left_out;
	mc_stats_of(&rec->stats, works->samples, works->done);
	record_dram(works, &rec->dram);
}

/**
 * mc_works_end() - give back what mc_works_begin() took
 * @works: the measurement
 *
 * Context: Process, may sleep.
 */
void mc_works_end(struct mc_works *works)
{
	mc_free(works->disturbed);
	mc_free(works->samples);
	mc_free(works->each);
}
