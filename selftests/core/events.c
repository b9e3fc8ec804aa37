// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/measure/events.c natively, with a team in virtual time: each operation costs a
 * known number of each event, so each figure is known.
 */
#include "cmocka_all.h"

#include "measure/engine.h"
#include "measure/side.h"
#include "platform/os.h"
#include "stub/team.h"
#include "measure/test.h"

#define BATCH		16384		/* operations of a pass */
#define OPERATION_PS	(3 * NS)

static const struct mc_spec *const specs[] = { &mc_test_overhead.spec, NULL };
static struct mc_request req;
static struct mc_run run;
static struct mc_record rec[2];

const struct mc_test *mc_test_of(const struct mc_spec *spec)
{
	return &mc_test_overhead;
}

static int find(struct mc_run *r, const struct mc_point *point,
		const struct mc_wanted *want, struct mc_area *area)
{
	return -ENOMEM;
}

static int check_nothing(struct mc_run *r, const struct mc_point *point)
{
	return 0;
}

u64 mc_clock_wall_ns(void)
{
	return 1;
}

static const struct mc_side side = { .check = check_nothing, .find = find };

/* ---------------------------------------------------------------- the events */

static u64 passes_before[TEAM_MOST];
static u64 share[MC_NEVENTS];	/* part of the time for which an event is on its PMU: 1/N */

static u64 passes_of(const struct mc_worker *w)
{
	return ((struct mc_measurement *)sim.arg)->each[w->index].pass.passes;
}

/* Whatever happens between windows does not count. */
static void count(const struct mc_worker *w, u64 operations, u64 ps)
{
	for (unsigned int i = 0; i < MC_NEVENTS; i++) {
		struct mc_reading *event = &sim.event[w->index][i];

		event->enabled += ps;
		event->running += share[i] ? ps / share[i] : 0;
		event->value += share[i] ? operations * (i + 1) / share[i] : 0;
	}
}

static void opened(struct mc_worker *w)
{
	passes_before[w->index] = passes_of(w);
}

static void closing(struct mc_worker *w)
{
	u64 operations = (passes_of(w) - passes_before[w->index]) * BATCH;

	sim_spend(operations * OPERATION_PS);
	count(w, operations, operations * OPERATION_PS);
}

static void measure(unsigned int threads, unsigned int events, unsigned int refused, int err)
{
	static const char line[] = "overhead item=loop repeat=4 warmup=1";
	u64 n;

	run = (struct mc_run){ .req = &req, .side = &side, .team = sim_reset(threads) };
	sim.opened = opened;
	sim.closing = closing;
	sim.overhead = 1;
	sim.events = events;
	sim.refuses[refused] = err;
	memset(rec, 0, sizeof(rec));
	assert_int_equal(mc_request_parse(&req, line, strlen(line), specs, &run.error), 0);
	assert_int_equal(mc_engine_measure(&run, rec, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(sim.closed, (events - !!err) * threads);
}

static void each_is_on_its_pmu(void)
{
	for (unsigned int i = 0; i < MC_NEVENTS; i++)
		share[i] = 1;
}

/* ----------------------------------------------------------------- the tests */

static void test_events_are_those_of_the_windows_of_all_threads(void **state)
{
	each_is_on_its_pmu();
	for (unsigned int threads = 1; threads <= 3; threads++) {
		measure(threads, MC_NEVENTS, 0, 0);
		assert_int_equal(rec->events.why, MC_EVENTS_COUNTED);
		assert_int_equal(rec->events.counted, (1 << MC_NEVENTS) - 1);
		for (unsigned int i = 0; i < MC_NEVENTS; i++)
			assert_int_equal(rec->events.milli[i],
					 1000ULL * threads * BATCH * (i + 1));
	}
}

static void test_one_that_took_turns_is_scaled_up(void **state)
{
	each_is_on_its_pmu();
	share[1] = 2;
	measure(2, 2, 0, 0);
	assert_int_equal(rec->events.counted, 3);
	assert_int_equal(rec->events.milli[0], 2000ULL * BATCH);
	assert_int_equal(rec->events.milli[1], 2000ULL * BATCH * 2);
}

static void test_one_that_never_ran_is_not_counted(void **state)
{
	each_is_on_its_pmu();
	share[0] = 0;
	measure(1, 2, 0, 0);
	assert_int_equal(rec->events.counted, 2);
	assert_int_equal(rec->events.why, MC_EVENTS_DID_NOT_RUN);
}

static void test_one_that_no_pmu_has_leaves_the_others(void **state)
{
	each_is_on_its_pmu();
	measure(2, 3, 1, ENOENT);
	assert_int_equal(rec->events.counted, 5);
	assert_int_equal(rec->events.why, MC_EVENTS_NO_PMU);
	measure(2, 3, 2, EACCES);
	assert_int_equal(rec->events.counted, 3);
	assert_int_equal(rec->events.why, MC_EVENTS_NOT_OPENED);
}

static void test_nothing_is_counted_unasked(void **state)
{
	char line[MC_ROW_MAX];
	struct mc_text t = MC_TEXT(line);

	each_is_on_its_pmu();
	measure(1, 0, 0, 0);
	assert_int_equal(rec->events.why, MC_EVENTS_NO_COUNTERS);
	mc_record_json(&t, &req, "user", rec);
	assert_non_null(strstr(line, "\"cycles\":null,\"instructions\":null"));
	assert_non_null(strstr(line, "\"events_why\":\"no_counters\""));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_are_those_of_the_windows_of_all_threads),
		cmocka_unit_test(test_one_that_took_turns_is_scaled_up),
		cmocka_unit_test(test_one_that_never_ran_is_not_counted),
		cmocka_unit_test(test_one_that_no_pmu_has_leaves_the_others),
		cmocka_unit_test(test_nothing_is_counted_unasked),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
