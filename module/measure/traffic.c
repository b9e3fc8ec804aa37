// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DRAM counters of a run, on either side. They are open while the run lasts, and
 * read around each sample. Between runs the module holds no reference to a driver.
 */
#include "measure/traffic.h"
#include "platform/clock.h"
#include "platform/os.h"

#define IDLE_MS		100		/* how long the idle traffic is counted */
#define STALLED_PS	20000000000ULL	/* 20 ms: no clock of perf is that coarse */

/**
 * mc_counters_try() - open counters of DRAM traffic on trial
 * @set: array of @n counters; a result says which events of cores are not counted, and why
 * @n: number of counters
 * @e: result: which one can't be opened, and why
 *
 * Context: Process, may sleep.
 * Return: 0, in the module -EINVAL, or in a process the negative errno of perf.
 */
int mc_counters_try(const struct mc_counter *set, unsigned int n, struct mc_error *e)
{
	const struct mc_counter *c;
	int why = 0;

	for (c = set; c < set + n; c++) {
		void *event;

		if (c->core)
			continue;
		event = mc_counter_open(c, &why);
		if (!event)
			return mc_fail(e, MC_IN_KERNEL ? -EINVAL : why,
				       "counters: line %u: type=%llu config=0x%llx can't be opened on CPU %llu: %s (error %d)",
				       c->line, c->type, c->config, c->cpu,
				       why == -ENODEV ? "it is not online" :
				       why == -ENOENT ? "no PMU has that" :
				       why == -EACCES || why == -EPERM ?
				       "it takes root or CAP_PERFMON" :
				       why == -EOPNOTSUPP ? "this kernel has no such counters" :
							    "the PMU refuses",
				       -why);
		mc_counter_close(event);
	}
	return 0;
}

/* Open all counters or report none: a sum that lacks one of its parts would be wrong. */
static void open_all(struct mc_traffic_count *c, const struct mc_counter *set, unsigned int n)
{
	unsigned int i;
	int why;

	c->why = MC_DRAM_COUNTED;
	for (i = 0; i < n; i++) {
		struct mc_open_counter *o = &c->each[c->n];

		if (set[i].core)
			continue;
		o->event = mc_counter_open(&set[i], &why);
		if (!o->event) {
			c->why = MC_DRAM_NOT_OPENED;
			return;
		}
		o->traffic = set[i].traffic;
		o->scale = set[i].scale;
		c->n++;
	}
}

/**
 * mc_traffic_begin() - open the counters for a run
 * @e: gets -ENOMEM, if there are counters but no memory
 *
 * If there are counters, this takes a tenth of a second, to count the traffic of the
 * idle machine.
 *
 * Context: Process, may sleep.
 * Return: the counters, or NULL if none are set or @e says why.
 */
struct mc_traffic_count *mc_traffic_begin(struct mc_error *e)
{
	unsigned int n = 0;
	struct mc_counter *set = mc_counters_copy(&n);
	bool any = !set || mc_counters_any(set, n, false);
	struct mc_traffic_count *c = set && any ? mc_alloc_array(1, sizeof(*c)) : NULL;

	if (c) {
		open_all(c, set, n);
		mc_traffic_start(c);
		if (c->why == MC_DRAM_COUNTED)
			mc_sleep_ms(IDLE_MS);
		mc_traffic_stop(c, &c->idle);
	} else if (n && any) {
		mc_fail(e, -ENOMEM, "counters: no memory for %u", n);
	}
	mc_free(set);
	return c;
}

/**
 * mc_traffic_start() - read the counters at the start of a sample
 * @c: the counters
 *
 * Context: Process, may sleep.
 */
void mc_traffic_start(struct mc_traffic_count *c)
{
	unsigned int i;

	for (i = 0; i < c->n; i++)
		mc_counter_read(c->each[i].event, &c->each[i].from);
	c->began = mc_ticks();
}

/*
 * Bytes that a counter has counted in the last @ps. A counter that took turns with
 * others ran for part of the time only, and is scaled up. A counter whose clock stands
 * still is gone, but not at once: where the TSC is not steady, that clock advances in
 * timer ticks. Return: false if the counter did not run.
 */
static bool counted_by(struct mc_open_counter *o, u64 ps, u64 *bytes)
{
	struct mc_reading now;
	u64 value, enabled, running;

	mc_counter_read(o->event, &now);
	value = now.value - o->from.value;
	enabled = now.enabled - o->from.enabled;
	running = now.running - o->from.running;
	*bytes = (running ? mc_muldiv(value, enabled, running) : value) * o->scale;
	o->stalled_ps = enabled ? 0 : o->stalled_ps + ps;
	return enabled ? running : o->stalled_ps < STALLED_PS;
}

/**
 * mc_traffic_stop() - traffic since the start of a sample
 * @c: the counters
 * @tally: result
 *
 * Context: Process, may sleep.
 */
void mc_traffic_stop(struct mc_traffic_count *c, struct mc_tally *tally)
{
	u32 wrong = 0;
	unsigned int i;
	u64 bytes = 0;

	*tally = (struct mc_tally){ .ps = mc_ticks_to_ps(mc_ticks() - c->began) };
	if (c->why == MC_DRAM_NOT_OPENED)
		return;
	for (i = 0; i < c->n; i++) {
		struct mc_open_counter *o = &c->each[i];

		tally->counted |= 1U << o->traffic;
		if (counted_by(o, tally->ps, &bytes))
			tally->bytes[o->traffic] += bytes;
		else
			wrong |= 1U << o->traffic;
	}
	if (wrong)
		c->why = MC_DRAM_DID_NOT_RUN;
	tally->counted &= ~wrong;
}

/**
 * mc_traffic_end() - close the counters of a run
 * @c: the counters, or NULL
 *
 * Context: Process, may sleep.
 */
void mc_traffic_end(struct mc_traffic_count *c)
{
	unsigned int i;

	for (i = 0; c && i < c->n; i++)
		mc_counter_close(c->each[i].event);
	mc_free(c);
}
