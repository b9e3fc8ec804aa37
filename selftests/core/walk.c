// SPDX-License-Identifier: GPL-2.0-only
/* Whether a chase is one cycle of all elements: walks that take turns find what one finds. */
#include "cmocka_all.h"

#include "measure/chase.h"
#include "stub/threads.h"

#define MOST	70000ULL

static void *memory[MOST];
static const struct mc_span span = { memory, 0, sizeof(memory) };
static const struct mc_view view = { &span, 1 };
static struct mc_worker *worker;

static struct mc_chase link_cycle(u64 n)
{
	struct mc_chase c = { .view = &view, .stride = 8, .n = n, .order = MC_CHASE_RANDOM };

	mc_random_seed(&c.random, n);
	assert_int_equal(mc_chase_build(&c, n), 0);
	return c;
}

static bool walk_cycle(const struct mc_chase *c)
{
	static void *before[MOST];
	struct mc_sampler sampler = { .verified = MC_VERIFIED_OFF };

	memcpy(before, memory, sizeof(memory));
	assert_int_equal(mc_chase_walk(worker, c, &sampler), 0);
	assert_true(sampler.verified);
	/* The marks of the beginnings of walks are gone. */
	assert_memory_equal(before, memory, sizeof(memory));
	return sampler.verified == MC_VERIFIED_OK;
}

static const u64 sizes[] = { 2, 3, 1023, 1024, 1025, 4096, 33000, MOST };

static void test_one_cycle(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct mc_chase c = link_cycle(sizes[i]);

		assert_true(walk_cycle(&c));
	}
}

/* Two elements exchange what they point to: then there are two cycles. */
static void test_two_cycles(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		u64 n = sizes[i];
		struct { u64 a, b; } with[] = { { 0, 1 }, { 0, n - 1 }, { n / 3, n / 2 } };

		for (unsigned int k = 0; k < ARRAY_SIZE(with); k++) {
			struct mc_chase c = link_cycle(n);
			void *kept = memory[with[k].a];

			if (with[k].a == with[k].b)
				continue;
			memory[with[k].a] = memory[with[k].b];
			memory[with[k].b] = kept;
			assert_false(walk_cycle(&c));
		}
	}
}

/* An element is left out, or a walk never comes back to a beginning. */
static void test_what_is_no_cycle_of_all(void **state)
{
	for (unsigned int i = 2; i < ARRAY_SIZE(sizes); i++) {
		struct mc_chase c = link_cycle(sizes[i]);
		void **skips = mc_chase_at(&c, 7);

		*skips = *(void **)*skips;
		assert_false(walk_cycle(&c));
		c = link_cycle(sizes[i]);
		/* An element that is no beginning. */
		memory[5] = &memory[5];
		assert_false(walk_cycle(&c));
	}
}

static void test_a_stop_leaves_no_mark(void **state)
{
	struct mc_chase c = link_cycle(MOST);
	static void *before[MOST];
	struct mc_sampler sampler = { .verified = MC_VERIFIED_OFF };

	memcpy(before, memory, sizeof(memory));
	sim.asked = 0;
	sim.stop_at = 3;
	assert_int_equal(mc_chase_walk(worker, &c, &sampler), -ECANCELED);
	assert_int_equal(sampler.verified, MC_VERIFIED_OFF);
	assert_memory_equal(before, memory, sizeof(memory));
	sim.stop_at = 0;
}

static int choose_worker(void **state)
{
	worker = mc_threads_worker(sim_reset(1), 0);
	return 0;
}

#define SET_UP_ALL	choose_worker
