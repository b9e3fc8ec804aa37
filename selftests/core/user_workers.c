// SPDX-License-Identifier: GPL-2.0-only
/* The threads of memcache-user: what a run costs those that have no part in it. */
#include "cmocka_all.h"
#include <sys/resource.h>

#include "clock.h"
#include "user.h"
#include "workers.h"

#define THREADS	6
#define JOBS	2000

struct mc_clock mc_clock;

u64 mc_clock_raw_ns(void)
{
	return 0;
}

bool mc_user_read_file(const char *path, char *buf, size_t size)
{
	return false;
}

/* No job here opens a window. */
void mc_witness_begin(struct mc_witness *v)
{
}

u8 mc_witness_end(struct mc_witness *v)
{
	return 0;
}

static unsigned int done[THREADS];
static long slept[THREADS];

static int count(struct mc_worker *w, void *arg)
{
	done[w->index]++;
	return 0;
}

/* How often the thread has gone to sleep so far. */
static int look(struct mc_worker *w, void *arg)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	slept[w->index] = usage.ru_nvcsw;
	return 0;
}

static void test_who_has_no_part_sleeps_on(void **state)
{
	static struct mc_request req = { .any_cpu = true };
	const unsigned int turn = 3;
	struct mc_error e = { 0 };
	struct mc_team *team = mc_team_start(&req, THREADS, &e);

	assert_non_null(team);
	for (int i = 0; i < JOBS; i++)
		assert_int_equal(mc_team_run_some(team, &turn, 1, count, NULL), 0);
	assert_int_equal(mc_team_run(team, look, NULL), 0);
	mc_team_end(team);
	for (unsigned int i = 0; i < THREADS; i++) {
		assert_int_equal(done[i], i == turn ? JOBS : 0);
		/* Its start, the end, and a lock now and then. */
		if (i != turn)
			assert_in_range(slept[i], 0, JOBS / 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_has_no_part_sleeps_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
