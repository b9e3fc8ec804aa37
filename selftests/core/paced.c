// SPDX-License-Identifier: GPL-2.0-only
/* The loop that loads memory at a pace: the lines that it writes, and what it writes. */
#include "cmocka_all.h"

#include "arch/chase.h"
#include "core/view.h"

#define LINES	64
#define LINE	64
#define GUARD	0xa5a5a5a5a5a5a5a5ULL

struct line {
	u64 word[LINE / 8];
};

/* Three arrays, and a line behind each. */
static _Alignas(4096) struct line array[3][LINES + 1];

static void fill(void)
{
	for (int i = 0; i < 3; i++)
		for (int l = 0; l <= LINES; l++)
			for (int w = 0; w < LINE / 8; w++)
				array[i][l].word[w] = l < LINES ? 1000 * i + 8 * l + w : GUARD;
}

static bool written(int i, int l)
{
	for (int w = 0; w < LINE / 8; w++)
		if (array[i][l].word[w] == 1000 * (u64)i + 8 * l + w)
			return false;
	return true;
}

static void assert_guards(void)
{
	for (int i = 0; i < 3; i++)
		for (int w = 0; w < LINE / 8; w++)
			assert_int_equal(array[i][LINES].word[w], GUARD);
}

/* Of each step's lines, those behind the ones that are read are written, and no others. */
static void run_mix(u64 reads, u64 writes, u64 nt, u64 steps, u64 delay)
{
	struct mc_paced args = {
		.steps = steps, .delay = delay, .reads = reads, .end = reads + writes, .nt = nt,
		.stride = (reads + writes) * LINE,
	};

	fill();
	for (u64 i = 0; i < args.end; i++)
		args.place[i] = &array[0][i];
	mc_asm_paced(&args);
	for (u64 l = 0; l < LINES; l++)
		assert_int_equal(written(0, l), l < steps * args.end && l % args.end >= reads);
	assert_guards();
}

static void test_each_mix_writes_its_lines(void **state)
{
	for (u64 nt = 0; nt < 2; nt++)
		for (u64 reads = 0; reads < MC_PACED_MOST; reads++)
			for (u64 writes = !reads; reads + writes <= MC_PACED_MOST; writes++)
				for (u64 steps = 1; steps <= LINES / (reads + writes); steps++)
					run_mix(reads, writes, nt, steps, 3 * (steps % 3));
}

static u64 word_of(int i, u64 w)
{
	return array[i][w / (LINE / 8)].word[w % (LINE / 8)];
}

/* a = b for two arrays, a = b + 2 c for three. */
static void test_what_is_computed(void **state)
{
	for (u64 nt = 0; nt < 2; nt++) {
		for (int arrays = 2; arrays <= 3; arrays++) {
			struct mc_paced args = {
				.steps = LINES, .reads = arrays - 1, .end = arrays, .nt = nt,
				.combine = 1, .stride = LINE,
				.place = { array[0], array[1], array[2] },
			};

			fill();
			mc_asm_paced(&args);
			for (u64 i = 0; i < LINES * LINE / 8; i++) {
				u64 first = word_of(0, i), second = 1000 + i;

				assert_int_equal(first, i);
				assert_int_equal(word_of(arrays - 1, i),
						 arrays == 2 ? first : second + 2 * first);
				if (arrays == 3)
					assert_int_equal(word_of(1, i), second);
			}
			assert_guards();
		}
	}
}

#define BLOCK_LINES	(MC_BLOCK_BYTES / LINE)
#define START		100			/* of the part in its first block, in lines */
#define PART		(BLOCK_LINES + 5000)	/* lines of the part */

/* Random lines lie in the part and nowhere else, all over it, and later calls go on. */
static void test_random_lines(void **state)
{
	u64 lines = START + PART + 100, hit = 0;
	struct line *memory = calloc(2, MC_BLOCK_BYTES);
	void *blocks[2];
	struct mc_span spans[] = {
		{ (u8 *)memory + MC_BLOCK_BYTES, 0, MC_BLOCK_BYTES },
		{ memory, MC_BLOCK_BYTES, MC_BLOCK_BYTES },
	};
	struct mc_view view = { spans, 2 };
	struct mc_paced args = {
		.steps = 5000, .end = 1, .blocks = blocks, .start = START * LINE, .lines = PART,
		.state = 1,
	};

	assert_true(mc_view_blocks(&view, 0, lines * LINE, MC_BLOCK_BYTES, blocks));
	for (int call = 0; call < 20; call++) {
		u64 before = args.state;

		mc_asm_paced(&args);
		assert_int_not_equal(args.state, before);
	}
	for (u64 l = 0; l < lines; l++) {
		struct line *at = mc_view_at(&view, l * LINE, NULL);

		hit += !!at->word[0];
		for (int w = 1; w < LINE / 8; w++)
			assert_int_equal(!!at->word[w], !!at->word[0]);
		assert_true(!at->word[0] || (l >= START && l < START + PART));
	}
	/* Of random draws as many as lines 2.65 times, a share of exp(-2.65) misses a line. */
	assert_in_range(hit * 1000 / PART, 900, 960);
	free(memory);
}

/* A view whose blocks have gaps has no list of them. */
static void test_blocks_are_contiguous(void **state)
{
	u8 memory[256];
	struct mc_span spans[] = { { memory, 0, 96 }, { memory + 128, 96, 128 } };
	struct mc_view view = { spans, 2 };
	void *blocks[4];

	assert_true(mc_view_blocks(&view, 0, 96, 64, blocks));
	assert_ptr_equal(blocks[0], memory);
	assert_ptr_equal(blocks[1], memory + 64);
	assert_false(mc_view_blocks(&view, 0, 97, 64, blocks));
	assert_true(mc_view_blocks(&view, 96, 224, 64, blocks));
	assert_ptr_equal(blocks[0], memory + 128);
}
