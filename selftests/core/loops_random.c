// SPDX-License-Identifier: GPL-2.0-only
/* The loops of random accesses, and the generators of their addresses, against plain C. */
#include "cmocka_all.h"

#include "arch/random.h"

#define BLOCKS	3
#define WORDS	(BLOCKS << MC_BLOCK_WORDS_LOG2)
#define SEED	{ { 0x123456789abcdef, 0xfedcba987654321 } }

/* Blocks in a random order, with a gap of a block between two of them. */
static u64 memory[5][1 << MC_BLOCK_WORDS_LOG2];
static void *const blocks[BLOCKS] = { memory[4], memory[0], memory[2] };
static u64 model[WORDS];

static u64 *word(u64 i)
{
	return (u64 *)blocks[i >> MC_BLOCK_WORDS_LOG2] +
	       i % (1 << MC_BLOCK_WORDS_LOG2);
}

/* ------------------------------------------------------------- the generators */

static u64 next(u64 *s, enum mc_generator generator)
{
	u64 a = s[0], b = s[1];

	if (generator == MC_LCG) {
		s[0] = a * 6364136223846793005 + 1442695040888963407;
		return a;
	}
	/* The generator as its author wrote it. */
	s[0] = b;
	a ^= a << 23;
	s[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
	return s[1] + b;
}

static void test_generators_are_those_of_the_books(void **state)
{
	for (enum mc_generator g = 0; g < MC_NGENERATORS; g++) {
		struct mc_random r = SEED;
		u64 s[2] = { r.s[0], r.s[1] };

		for (int i = 0; i < 1000; i++)
			assert_true(mc_random_next(&r, g) == next(s, g));
	}
}

static void test_seeds_differ(void **state)
{
	struct mc_random a, b;

	mc_random_seed(&a, 0);
	for (u64 seed = 1; seed < 1000; seed++) {
		mc_random_seed(&b, seed);
		assert_true(b.s[0] && b.s[1] && b.s[0] != b.s[1]);
		assert_true(a.s[0] != b.s[0] && a.s[1] != b.s[1]);
	}
	mc_random_seed(&b, 0);
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_below_reaches_all_and_no_more(void **state)
{
	static const u64 ranges[] = { 1, 2, 128, 1017, 1ULL << 18, ~0ULL };

	for (unsigned int i = 0; i < ARRAY_SIZE(ranges); i++) {
		assert_int_equal(mc_random_below(0, ranges[i]), 0);
		assert_true(mc_random_below(~0ULL, ranges[i]) == ranges[i] - 1);
	}
	assert_int_equal(mc_random_below(~0ULL, 0), 0);
	assert_int_equal(mc_random_below(1ULL << 63, 128), 64);
}

/* Each of 128 places gets its share of 2^17 numbers: 1024 +- 6 deviations. */
static void test_places_are_spread_evenly(void **state)
{
	for (enum mc_generator g = 0; g < MC_NGENERATORS; g++) {
		unsigned int hits[128] = { 0 };
		struct mc_random r;

		mc_random_seed(&r, 5);
		for (int i = 0; i < 1 << 17; i++)
			hits[mc_random_below(mc_random_next(&r, g), 128)]++;
		for (int i = 0; i < 128; i++)
			assert_in_range(hits[i], 1024 - 192, 1024 + 192);
	}
}

static void test_word_is_what_a_load_finds(void **state)
{
	static const u64 firsts[] = { 0, 1ULL << 40, 0xfffffffffffffffe, 0x00ffffffffffffff };
	u64 words[16], found;

	for (unsigned int i = 0; i < ARRAY_SIZE(firsts); i++) {
		for (int k = 0; k < 16; k++)
			words[k] = firsts[i] + k;
		for (int offset = 0; offset <= 15 * 8; offset++) {
			memcpy(&found, (char *)words + offset, 8);
			assert_true(mc_random_word(firsts[i], offset) == found);
		}
	}
}

/* ------------------------------------------------------------------ the loops */

static void fill(void)
{
	memset(memory, 0xa5, sizeof(memory));
	for (u64 i = 0; i < WORDS; i++)
		*word(i) = model[i] = (1ULL << 40) + i;
}

/* Do an access of the model. Return: the word that it loads. */
static u64 model_access(enum mc_random_op op, bool bytes, u64 place, u64 value)
{
	u8 *at = (u8 *)model + (bytes ? place : 8 * place);
	u64 found, store = value + place;

	memcpy(&found, at, 8);
	if (op == MC_RANDOM_WRITE)
		memcpy(at, &store, 8);
	return op == MC_RANDOM_WRITE ? 0 : found;
}

static void assert_memory_is_model(void)
{
	for (u64 i = 0; i < BLOCKS; i++)
		assert_memory_equal(blocks[i], model + (i << MC_BLOCK_WORDS_LOG2), MC_BLOCK_BYTES);
	for (u64 i = 0; i < 1 << MC_BLOCK_WORDS_LOG2; i++)
		assert_true(memory[1][i] == memory[3][i] && memory[1][i] == 0xa5a5a5a5a5a5a5a5);
}

/* Several calls continue each other, like one call. */
static void run_one(enum mc_generator g, enum mc_random_op op, bool bytes, u64 range)
{
	const struct mc_random_loop *loop = mc_random_loop_find(g, op, bytes);
	struct mc_random_args args = {
		.blocks = blocks, .range = range, .state = SEED, .sum = 77,
		.value = 1ULL << 50,
	};
	u64 s[2] = { args.state.s[0], args.state.s[1] }, sum = 77;

	for (args.count = 8; args.count <= 1024; args.count *= 2) {
		loop->access(&args);
		for (u64 i = 0; i < args.count; i++)
			sum += model_access(op, bytes, mc_random_below(next(s, g), range),
					    args.value);
		assert_true(args.sum == sum);
		assert_memory_equal(args.state.s, s, sizeof(s));
	}
	assert_true(args.blocks == blocks && args.range == range);
	assert_true(args.value == 1ULL << 50);
}

static void run_bare(enum mc_generator g, enum mc_random_op op, bool bytes, u64 range)
{
	const struct mc_random_loop *loop = mc_random_loop_find(g, op, bytes);
	struct mc_random_args args = {
		.blocks = blocks, .range = range, .state = SEED, .count = 4096,
		.value = 1ULL << 50,
	};
	u64 s[2] = { args.state.s[0], args.state.s[1] };

	loop->bare(&args);
	for (int i = 0; i < 4096; i++)
		next(s, g);
	assert_memory_equal(args.state.s, s, sizeof(s));
}

typedef void (*runner)(enum mc_generator g, enum mc_random_op op, bool bytes, u64 range);

static void all_loops(runner run)
{
	static const u64 ranges[] = { 1, 128, 100, 1 << 18, (1 << 18) + 1, WORDS };

	for (enum mc_generator g = 0; g < MC_NGENERATORS; g++) {
		for (enum mc_random_op op = 0; op < MC_RANDOM_NOPS; op++) {
			fill();
			for (unsigned int i = 0; i < ARRAY_SIZE(ranges); i++) {
				run(g, op, false, ranges[i]);
				assert_memory_is_model();
			}
			fill();
			for (u64 range = 1; range <= 64; range++)
				run(g, op, true, range);
			run(g, op, true, MC_BLOCK_BYTES - 7);
			assert_memory_is_model();
		}
	}
}

static void test_loops_do_what_c_does(void **state)
{
	all_loops(run_one);
}

static void test_bare_loops_stay_away_from_memory(void **state)
{
	all_loops(run_bare);
}

static void test_loops_are_aligned_and_differ(void **state)
{
	const void *seen[MC_NGENERATORS * MC_RANDOM_NOPS * 4];
	unsigned int n = 0;

	for (enum mc_generator g = 0; g < MC_NGENERATORS; g++) {
		for (enum mc_random_op op = 0; op < MC_RANDOM_NOPS; op++) {
			for (int bytes = 0; bytes < 2; bytes++) {
				seen[n++] = mc_random_loop_find(g, op, bytes)->access;
				seen[n++] = mc_random_loop_find(g, op, bytes)->bare;
			}
		}
	}
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal((size_t)seen[i] % 64, 0);
		for (unsigned int k = 0; k < i; k++)
			assert_ptr_not_equal(seen[i], seen[k]);
	}
}
