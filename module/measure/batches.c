// SPDX-License-Identifier: GPL-2.0-only
/* Memory for batches, and what a record says of them. */
#include "core/stats.h"
#include "measure/batches.h"

/**
 * mc_batches_begin() - take memory for the times of batches
 * @b: the batches
 * @meas: the measurement, whose end frees it
 * @e: says what is wrong
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_batches_begin(struct mc_batches *b, struct mc_measurement *meas, struct mc_error *e)
{
	b->ps = mc_measurement_array(meas, MC_BATCHES_MOST, sizeof(*b->ps));
	if (!b->ps)
		return mc_fail(e, -ENOMEM, "repeat: no memory for %u batches", MC_BATCHES_MOST);
	b->cost_ps = mc_clock.cost_ps;
	return 0;
}

/**
 * mc_batches_record() - give a record the histogram of the batches
 * @b: the batches; their times are sorted afterwards
 * @stats: result: their statistics
 * @rec: the record; it gets no histogram if there are no batches, or no memory for one
 *
 * Context: Process, may sleep.
 */
void mc_batches_record(const struct mc_batches *b, struct mc_stats *stats, struct mc_record *rec)
{
	mc_stats_of(stats, b->ps, b->n);
	if (!b->n)
		return;
	rec->histogram = mc_alloc_array(1, sizeof(*rec->histogram));
	if (rec->histogram)
		mc_histogram_of(rec->histogram, b->ps, b->n);
}
