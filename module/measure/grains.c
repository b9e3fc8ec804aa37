// SPDX-License-Identifier: GPL-2.0-only
/* Memory for grains, and what a record says of them. */
#include "core/stats.h"
#include "measure/grains.h"

/**
 * mc_grains_begin() - take memory for the times of grains
 * @g: the grains
 * @e: says what is wrong
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_grains_begin(struct mc_grains *g, struct mc_error *e)
{
	g->ps = mc_alloc_array(MC_GRAINS_MOST, sizeof(*g->ps));
	if (!g->ps)
		return mc_fail(e, -ENOMEM, "repeat: no memory for %u grains", MC_GRAINS_MOST);
	g->cost_ps = mc_clock.cost_ps;
	return 0;
}

/**
 * mc_grains_record() - give a record the histogram of the grains
 * @g: the grains; their times are sorted afterwards
 * @stats: result: their statistics
 * @rec: the record; it gets no histogram if there are no grains, or no memory for one
 *
 * Context: Process, may sleep.
 */
void mc_grains_record(const struct mc_grains *g, struct mc_stats *stats, struct mc_record *rec)
{
	mc_stats_of(stats, g->ps, g->n);
	if (!g->n)
		return;
	rec->histogram = mc_alloc_array(1, sizeof(*rec->histogram));
	if (rec->histogram)
		mc_histogram_of(rec->histogram, g->ps, g->n);
}

/**
 * mc_grains_end() - give the memory of the grains back
 * @g: the grains
 *
 * Context: Process, may sleep.
 */
void mc_grains_end(struct mc_grains *g)
{
	mc_free(g->ps);
	g->ps = NULL;
}
