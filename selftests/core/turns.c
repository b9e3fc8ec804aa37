// SPDX-License-Identifier: GPL-2.0-only
/* measure=each: the engine gives a test one CPU after another, each as the only one. */
#include "measure/test.h"

static struct mc_test the_test;
#define TEST	the_test
#include "stub/engine.h"

/* What the test saw in each record: its threads, and the thread that did its job. */
static struct {
	unsigned int size;
	unsigned int workers;
	unsigned int index;
	int cpu;
	int near;
} seen[RECORDS_MOST];

static unsigned int records;
static unsigned int sizes_checked;	/* sum of the numbers of threads in all checks */

static int note_worker(struct mc_worker *w, void *arg)
{
	seen[records].workers++;
	seen[records].index = w->index;
	EXPECT(w->cpu == mc_threads_cpu(w->threads, w->index));
	seen[records].cpu = w->cpu;
	return mc_barrier(w);
}

static int check_it(struct mc_run *r, const struct mc_point *point)
{
	sizes_checked += mc_threads_size(r->threads);
	return 0;
}

static int set_up_nothing(struct mc_run *r, const struct mc_point *point, void *job)
{
	return 0;
}

static int measure_it(struct mc_run *r, void *job)
{
	int err = mc_threads_run(r->threads, note_worker, NULL);

	seen[records].size = mc_threads_size(r->threads);
	seen[records].near = r->near;
	records++;
	return err;
}

static void fill_it(struct mc_record *record, void *job, const struct mc_run *r)
{
	record->stats.samples = 1;
}

static unsigned int own_threads(const struct mc_request *r)
{
	return 2;
}

static int near_the_last(const struct mc_run *r, const struct mc_point *point)
{
	return 1;
}

static struct mc_test the_test = {
	.spec = { .name = "turns", .help = "a made-up test" },
	.shares = true, .check = check_it, .job_bytes = sizeof(struct mc_measurement),
	.set_up = set_up_nothing, .measure = measure_it, .fill = fill_it,
};

static void costs(void)
{
	records = 0;
	sizes_checked = 0;
	memset(seen, 0, sizeof(seen));
}

static bool with_irq(const struct mc_point *point)
{
	return point->v[MC_KEY_IRQ];
}

/* sched=auto: threads go before others where they may, and where none of them waits for another. */
static void test_what_sched_auto_means(void **state)
{
	static const struct {
		const char *line;
		unsigned int threads;
		bool memoryless, may;
		enum mc_sched had;
	} rows[] = {
		{ "turns cpu=0", 1, false, true, MC_SCHED_FIFO },
		{ "turns cpu=0-1", 2, false, true, MC_SCHED_FIFO },
		{ "turns cpu=0", 2, false, true, MC_SCHED_KEEP },
		{ "turns cpu=0-1 irq=off", 2, false, true, MC_SCHED_KEEP },
		{ "turns cpu=0", 1, true, true, MC_SCHED_KEEP },
		{ "turns cpu=0 sched=keep", 1, false, true, MC_SCHED_KEEP },
		{ "turns cpu=0", 1, false, false, MC_SCHED_KEEP },
		{ "turns cpu=0 sched=fifo", 2, false, false, MC_SCHED_FIFO },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_side who = side;

		reset(rows[i].threads);
		who.goes_first = rows[i].may ? with_irq : NULL;
		run.side = &who;
		the_test.threads = rows[i].threads == 2 ? own_threads : NULL;
		the_test.spec.memoryless = rows[i].memoryless;
		measured(rows[i].line);
		assert_int_equal(rec[0].point.v[MC_KEY_SCHED], rows[i].had);
		assert_int_equal(run.threads->fifo, rows[i].had == MC_SCHED_FIFO);
	}
	the_test.threads = NULL;
	the_test.spec.memoryless = false;
}

static void test_each_cpu_is_the_only_one(void **state)
{
	measured_on(3, "turns cpu=0-2 measure=each size=4K,8K");
	assert_int_equal(n, 2 * 3);
	assert_int_equal(sizes_checked, 2);
	all_show("size_bytes=4096/4096/4096/8192/8192/8192 cpu=0/1/2/0/1/2 threads=1; "
		 "remote_threads=0");
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(seen[i].size, 1);
		assert_int_equal(seen[i].workers, 1);
		assert_int_equal(seen[i].index, 0);
		assert_int_equal(seen[i].cpu, i % 3);
		assert_int_equal(seen[i].near, i % 3);
		/* CPUs 0 and 1 are on node 0, CPU 2 is on node 1. */
		assert_int_equal(wanted[i].wish.node, i % 3 / 2);
		assert_int_equal(wanted[i].bytes, i < 3 ? 4096 : 8192);
	}
}

static void test_with_node_local_too(void **state)
{
	measured_on(4, "turns cpu=0-3 measure=each node=local size=4K");
	assert_int_equal(n, 4);
	for (unsigned int i = 0; i < n; i++) {
		assert_true(wanted[i].alone);
		assert_true(wanted[i].wish.strict);
		assert_int_equal(wanted[i].wish.node, i / 2);
		assert_int_equal(wanted[i].bytes, 4096);
	}
}

static void test_together_is_the_preset(void **state)
{
	measured_on(3, "turns cpu=0-2 size=4K");
	assert_int_equal(n, 1);
	assert_int_equal(rec->cpu, MC_CPU_ALL);
	assert_int_equal(rec->threads, 3);
	assert_int_equal(seen->size, 3);
	assert_int_equal(seen->workers, 3);
}

static void test_what_has_no_single_cpu_is_refused(void **state)
{
	reset(1);
	assert_refused("turns cpu=any measure=each", -EINVAL, "measure");
	reset(2);
	the_test.records = MC_RECORD_OF_PAIR;
	assert_refused("turns cpu=0,1 measure=each", -EINVAL, "measure");
	the_test.records = MC_RECORD_OF_POINT;
	the_test.threads = own_threads;
	assert_refused("turns cpu=0,1 measure=each", -EINVAL, "measure");
	the_test.threads = NULL;
	/* A test that chooses a CPU of several. */
	the_test.near = near_the_last;
	assert_refused("turns cpu=0,1 measure=each", -EINVAL, "measure");
	the_test.near = NULL;
}
