// SPDX-License-Identifier: GPL-2.0-only
/* What tests that measure with mc_measure() do alike before and after it. */
#include "clock.h"
#include "os.h"
#include "works.h"

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
		.n = mc_team_size(run->team), .tick = mc_run_tick, .run = run,
	};
	works->each = mc_alloc_array(works->n, sizeof(*works->each));
	works->samples = mc_alloc_array(point->v[MC_KEY_REPEAT], sizeof(u64));
	if (!works->each || !works->samples)
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
	rec->left_out = works->left_out;
	mc_stats_of(&rec->stats, works->samples, works->done);
}

/**
 * mc_works_end() - give back what mc_works_begin() took
 * @works: the measurement
 *
 * Context: Process, may sleep.
 */
void mc_works_end(struct mc_works *works)
{
	mc_free(works->samples);
	mc_free(works->each);
}
