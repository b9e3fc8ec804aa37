// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/c2c.c natively, with a team in virtual time: however large the
 * set, the test notices a stop in every phase, and lets others run.
 */
#include "cmocka_all.h"

#include "measure/side.h"
#include "measure/engine.h"
#include "measure/served.h"
#include "platform/os.h"
#include "stub/team.h"
#include "measure/test.h"

#define BYTES	(1024 * 1024ULL)
#define LEVEL	3	/* column */
#define LINES	(BYTES / 64)
#define OFTEN	(LINES / 1024)	/* pieces of the set; the test asks after each */

static const struct mc_spec *const specs[] = { &mc_test_c2c.spec, NULL };
static struct mc_request req;
static struct mc_run run;
static struct mc_record rec[2];
static u64 n;			/* records */
static unsigned int found;	/* how often the test asked for memory */
static struct mc_span span;
static const struct mc_view view = { .spans = &span, .n = 1 };

/* --------------------------------------------------------- what a run offers */

const struct mc_test *mc_test_of(const struct mc_spec *spec)
{
	return &mc_test_c2c;
}

static int find(struct mc_run *r, const struct mc_point *point,
		const struct mc_wanted *want, struct mc_area *area)
{
	found++;
	*area = (struct mc_area){ .view = &view, .page = MC_PAGE_4K };
	return 0;
}

static int no_node_is_set(void)
{
	return -1;
}

static int check_nothing(struct mc_run *r, const struct mc_point *point)
{
	return 0;
}

/* The writer is CPU 0 of the first pair and CPU 1 of the second one, which has no L2. */
enum mc_hit mc_served_held(const struct mc_record *r, int cpu, u64 bytes)
{
	assert_int_equal(bytes, BYTES);
	return cpu ? MC_HIT_UNKNOWN : MC_HIT_L2;
}

u64 mc_clock_wall_ns(void)
{
	return 1;
}

static void tick(void *r)
{
}

static const struct mc_side side = {
	.check = check_nothing, .tick = tick, .find = find, .node = no_node_is_set,
};

/* --------------------------------------------------------------------- tests */

static void closing(struct mc_worker *w)
{
	sim_spend(10000 * NS);
}

static int measure_line(const char *line, unsigned int threads, unsigned int stop_at)
{
	run = (struct mc_run){ .req = &req, .side = &side, .team = sim_reset(threads) };
	sim.closing = closing;
	sim.stop_at = stop_at;
	found = 0;
	memset(rec, 0, sizeof(rec));
	memset(span.addr, 0, BYTES);
	assert_int_equal(mc_request_parse(&req, line, strlen(line), specs, &run.error), 0);
	return mc_engine_measure(&run, rec, &n);
}

/* Two pairs, with one sample each; the @stop_at-th question whether to stop gets a yes. */
static int measure(const char *state, unsigned int stop_at)
{
	char line[128];

	snprintf(line, sizeof(line), "c2c cpu=0,1 size=1M repeat=1 warmup=0 state=%s", state);
	return measure_line(line, 2, stop_at);
}

/* The lines that the writer has written to, besides the pointer. */
static u64 written(void)
{
	const u64 *word = span.addr;
	u64 i, lines = 0;

	for (i = 0; i < LINES; i++)
		lines += word[8 * i + 1] != 0;
	return lines;
}

static void test_all_of_a_set_is_written_and_seen(void **state)
{
	assert_int_equal(measure("hitm", 0), 0);
	assert_int_equal(n, 2);
	assert_int_equal(rec[0].verified, MC_VERIFIED_OK);
	assert_int_equal(rec[1].verified, MC_VERIFIED_OK);
	assert_int_equal(written(), LINES);
	/* While linking, writing and looking, for either pair. */
	assert_true(sim.asked >= 2 * 2 * OFTEN);
	assert_int_equal(measure("hit", 0), 0);
	assert_int_equal(rec[1].verified, MC_VERIFIED_OK);
	assert_true(sim.asked >= 2 * 3 * OFTEN);
}

static void test_the_cache_of_the_writer_has_a_column(void **state)
{
	assert_int_equal(measure("hitm", 0), 0);
	assert_string_equal(mc_test_c2c.spec.columns[LEVEL].name, "writer_level");
	assert_int_equal(rec[0].value[LEVEL], MC_HIT_L2);
	assert_true(rec[0].has >> LEVEL & 1);
	assert_false(rec[1].has >> LEVEL & 1);
}

/* In the kernel the memory's type is judged each time, which takes a millisecond. */
static void test_memory_is_found_once_a_record(void **state)
{
	assert_int_equal(measure("hitm", 0), 0);
	assert_int_equal(n, 2);
	assert_int_equal(found, 2);
}

static void test_a_stop_is_seen_in_the_middle(void **state)
{
	unsigned int all, at, some = 0, kept = 0;

	assert_int_equal(measure("hitm", 0), 0);
	all = sim.asked;
	for (at = 1; at <= all; at++) {
		assert_int_equal(measure("hitm", at), -ECANCELED);
		/* Only the current phase is finished. */
		assert_true(sim.asked <= at + 8);
		some += written() > 0 && written() < LINES;
		/* Pairs that were measured before are kept. */
		kept += n == 1 && rec[0].stats.samples == 1 && rec[0].verified == MC_VERIFIED_OK;
	}
	assert_true(some >= OFTEN - 1);
	assert_true(kept >= OFTEN - 1);
}

static void test_what_cant_be_run_is_refused(void **state)
{
	static const struct {
		const char *line, *key;
		unsigned int threads;
	} bad[] = {
		{ "c2c cpu=0", "cpu", 1 }, { "c2c cpu=any", "cpu", 1 },
		{ "c2c cpu=0,1 type=uc", "type", 2 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(measure_line(bad[i].line, bad[i].threads, 0), -EINVAL);
		assert_names(&run.error, -EINVAL, bad[i].key);
		assert_int_equal(n, 0);
		assert_int_equal(found, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_a_set_is_written_and_seen),
		cmocka_unit_test(test_the_cache_of_the_writer_has_a_column),
		cmocka_unit_test(test_memory_is_found_once_a_record),
		cmocka_unit_test(test_a_stop_is_seen_in_the_middle),
		cmocka_unit_test(test_what_cant_be_run_is_refused),
	};

	span = (struct mc_span){ aligned_alloc(4096, BYTES), 0, BYTES };
	return cmocka_run_group_tests_name("c2c", tests, NULL, NULL);
}
