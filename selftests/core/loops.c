// SPDX-License-Identifier: GPL-2.0-only
/* The access loops: every one that this CPU can run, against plain C. */
#include "cmocka_all.h"

#include "arch/random.h"
#include "stub/cpu.h"

#define MOST	2048		/* bytes of an array */
#define GUARD	256
#define CANARY	0xa5a5a5a5a5a5a5a5ULL

/* Four arrays with guards around each. */
static _Alignas(256) struct {
	u64 before[GUARD / 8];
	u64 word[MOST / 8];
	u64 behind[GUARD / 8];
} array[MC_ARRAYS_MAX];

static u64 model[MOST / 8];
static u64 uc_word[8];

bool mc_cpu_has(enum mc_feature feature)
{
	return cpu_runs(feature);
}

static u64 operand(int i, u64 word)
{
	/* Doubles whose mantissas count, as bandwidth.c has them; the fourth array is a factor. */
	if (i == 3)
		return 0x400ULL << 52;
	return (i == 1 ? 0x400ULL : 0x3ffULL) << 52 | (1000 * (u64)i + word);
}

static void fill(void)
{
	for (int i = 0; i < MC_ARRAYS_MAX; i++) {
		for (int w = 0; w < GUARD / 8; w++) {
			array[i].before[w] = CANARY;
			array[i].behind[w] = CANARY;
		}
		for (int w = 0; w < MOST / 8; w++)
			array[i].word[w] = operand(i, w);
	}
	memcpy(model, array[0].word, sizeof(model));
}

/* Nothing but the first arrays was written, and nothing around the arrays. */
static void assert_guards_behind(int written)
{
	for (int i = 0; i < MC_ARRAYS_MAX; i++) {
		for (int w = 0; w < GUARD / 8; w++) {
			assert_int_equal(array[i].before[w], CANARY);
			assert_int_equal(array[i].behind[w], CANARY);
		}
		for (int w = 0; i >= written && w < MOST / 8; w++)
			if (array[i].word[w] != operand(i, w))
				fail_msg("word %d of array %d was written", w, i);
	}
}

static void assert_guards(void)
{
	assert_guards_behind(1);
}

static double as_double(u64 bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static u64 as_bits(double d)
{
	u64 bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* Arrays that a mix reads while it writes others. */
static int reads_beside(enum mc_op op)
{
	return mc_ops[op].stores == MC_STORES_COUNTER ?
	       mc_ops[op].arrays - mc_op_written(&mc_ops[op]) : 0;
}

/* What a loop over doubles computes. */
static double computed(enum mc_op op, u64 w)
{
	double b = as_double(array[1].word[w]), c = as_double(array[2].word[w]);

	if (op == MC_OP_SCALE)
		return 2 * b;
	if (op == MC_OP_ADD)
		return b + c;
	return b + c * (mc_ops[op].arrays > 3 ? as_double(array[3].word[w]) : 2);
}

static u64 data;	/* MC_DATA_*, in the arguments of each loop */

/* The step that loops count by. */
static u64 step_of(enum mc_op op, unsigned int width)
{
	static const u64 steps[] = { 1, 0x9e3779b97f4a7c15, 0 };

	/* These count by one whatever the data; the test bandwidth refuses other data. */
	return reads_beside(op) && width == 8 ? 1 : steps[data];
}

/* Do to @model what @passes passes in order do. Return: the sum of what they read. */
static u64 expect(const struct mc_loop *loop, u64 words, u64 passes, u64 first)
{
	u64 step = step_of(loop->op, loop->width), sum = 0;
	/* A pass stores the values of four registers again and again; the next has new ones. */
	u64 values = mc_ops[loop->op].stores == MC_STORES_COUNTER ? loop->width / 2 : words;

	for (u64 p = 0, value = first; p < passes; p++, value += values * step) {
		for (u64 w = 0; w < words; w++) {
			for (int i = 1; i <= reads_beside(loop->op); i++)
				sum += array[i + mc_ops[loop->op].twice].word[w];
			switch (mc_ops[loop->op].stores) {
			case MC_STORES_COUNTER:
			case MC_STORES_RUN:
				model[w] = value + w % values * step;
				break;
			case MC_STORES_COPY:
				model[w] = array[1].word[w];
				break;
			case MC_STORES_BYTE:
				model[w] = 0x0101010101010101 *
					   ((first + (step ? p : 0)) & 0xff);
				break;
			case MC_STORES_ONE_MORE:
				model[w]++;
				break;
			case MC_STORES_OR:
				model[w] |= 1;
				break;
			case MC_STORES_TRIAD:
				model[w] = as_bits(computed(loop->op, w));
				break;
			default:
				sum += model[w];
			}
		}
	}
	return sum;
}

static struct mc_loop_args args_for(u64 bytes, u64 passes, u64 value)
{
	struct mc_loop_args args = {
		.bytes = bytes, .passes = passes, .value = value, .uc_word = uc_word,
		.data = data,
	};

	for (int i = 0; i < MC_ARRAYS_MAX; i++)
		args.array[i] = array[i].word;
	return args;
}

/* Is @word among the words that were loaded last? */
static bool holds(const struct mc_loop_args *args, unsigned int width, u64 word)
{
	for (unsigned int i = 0; i < width / 2; i++)
		if (args->lanes[i] == word)
			return true;
	return false;
}

static void run_one(const struct mc_loop *loop, u64 bytes, u64 passes, u64 fence)
{
	/* The lowest byte overflows. */
	struct mc_loop_args args = args_for(bytes, passes, 254);
	u64 sum;

	fill();
	uc_word[0] = 0;
	args.fence = fence;
	sum = expect(loop, bytes / 8, passes, 254);
	memset(args.lanes, 0xa5, sizeof(args.lanes));
	loop->run(&args);
	assert_memory_equal(array[0].word, model, MOST);
	assert_guards_behind(1 + mc_ops[loop->op].twice);
	if (mc_ops[loop->op].twice) {
		assert_memory_equal(array[1].word, array[0].word, bytes);
		for (u64 w = bytes / 8; w < MOST / 8; w++)
			assert_int_equal(array[1].word[w], operand(1, w));
	}
	if (mc_ops[loop->op].sums)
		assert_int_equal(mc_loop_sum(loop, &args), sum);
	if (loop->op == MC_OP_READ)
		assert_true(holds(&args, loop->width, model[bytes / 8 - 1]));
	assert_int_equal(uc_word[0] != 0, fence == MC_FENCE_UC);
}

static void with_all_loops(void (*check)(const struct mc_loop *loop),
			   enum mc_op from, enum mc_op to)
{
	for (enum mc_op op = from; op <= to; op++) {
		for (unsigned int width = 1; width <= 64; width *= 2) {
			const struct mc_loop *loop = mc_loop_find(op, width);

			if (loop && mc_loop_runs(loop))
				check(loop);
		}
	}
}

static void all_lengths(const struct mc_loop *loop)
{
	for (data = MC_DATA_COUNTER; data <= MC_DATA_ZERO; data++)
		for (u64 bytes = 64; bytes <= MOST; bytes += 64)
			for (u64 passes = 1; passes <= 3; passes++)
				run_one(loop, bytes, passes, MC_FENCE_NONE);
	data = MC_DATA_COUNTER;
}

static void test_every_length_and_number_of_passes(void **state)
{
	with_all_loops(all_lengths, MC_OP_READ, MC_OP_CHECK - 1);
}

static void all_fences(const struct mc_loop *loop)
{
	for (u64 fence = MC_FENCE_NONE; fence < MC_NFENCES; fence++)
		if (mc_fence_runs(fence))
			run_one(loop, 448, 2, fence);
}

static void test_every_fence(void **state)
{
	with_all_loops(all_fences, MC_OP_READ, MC_OP_CHECK - 1);
}

/* The result of a counter that goes through @n streams, 256 bytes of each in turn. */
static void expect_counter(u64 n, u64 each, u64 passes, u64 value, u64 step)
{
	const u64 turn = MC_STREAM_BYTES / 8;

	for (u64 i = 0; i < passes * n * each / 8; i++) {
		u64 stream = i / turn % n, round = i / turn / n % (each / 8 / turn);

		model[stream * each / 8 + round * turn + i % turn] = value + i * step;
	}
}

static void run_streams(const struct mc_loop *loop, u64 n, u64 each, u64 passes, u64 fence)
{
	struct mc_stream at[MC_STREAMS_MAX];
	struct mc_loop_args args = args_for(each, passes, 254);
	u64 sum;

	for (u64 s = 0; s < n; s++)
		for (int i = 0; i < MC_STREAM_ARRAYS; i++)
			at[s].array[i] = array[i].word + s * each / 8;
	fill();
	uc_word[0] = 0;
	sum = expect(loop, n * each / 8, passes, 254);
	if (mc_ops[loop->op].stores == MC_STORES_COUNTER)
		expect_counter(n, each, passes, 254, step_of(loop->op, loop->width));
	memset(args.lanes, 0xa5, sizeof(args.lanes));
	args.at = at;
	args.streams = n;
	args.fence = fence;
	loop->run_streams(&args);
	assert_memory_equal(array[0].word, model, MOST);
	assert_guards();
	if (mc_ops[loop->op].sums)
		assert_int_equal(mc_loop_sum(loop, &args), sum);
	if (loop->op == MC_OP_READ)
		assert_true(holds(&args, loop->width, model[n * each / 8 - 1]));
	assert_int_equal(uc_word[0] != 0, fence == MC_FENCE_UC);
}

static void all_streams(const struct mc_loop *loop)
{
	if (!loop->run_streams)
		return;
	assert_int_equal((size_t)loop->run_streams % 64, 0);
	for (u64 n = 2; n <= MOST / MC_STREAM_BYTES; n++)
		for (u64 each = MC_STREAM_BYTES; n * each <= MOST; each += MC_STREAM_BYTES)
			for (u64 fence = MC_FENCE_NONE; fence <= MC_FENCE_UC; fence++)
				run_streams(loop, n, each, 1 + fence, fence);
	for (u64 fence = MC_FENCE_UC + 1; fence < MC_NFENCES; fence++)
		if (mc_fence_runs(fence))
			run_streams(loop, 2, MC_STREAM_BYTES, 2, fence);
	for (data = MC_DATA_RANDOM; data <= MC_DATA_ZERO; data++)
		run_streams(loop, 2, MOST / 2 / MC_STREAM_BYTES * MC_STREAM_BYTES, 2,
			    MC_FENCE_NONE);
	data = MC_DATA_COUNTER;
}

static void test_every_number_of_streams(void **state)
{
	assert_non_null(mc_loop_find(MC_OP_READ, 8)->run_streams);
	with_all_loops(all_streams, MC_OP_READ, MC_OP_CHECK - 1);
}

/* The arrays lie in two blocks of a buffer. */
static void scatter_over(struct mc_scatter *scatter, u64 bytes, int arrays)
{
	static void *blocks[2];

	blocks[0] = (u8 *)array - (MC_BLOCK_BYTES - 4096);
	blocks[1] = (u8 *)array + 4096;
	assert_int_equal(mc_scatter_set(scatter, bytes), bytes);
	scatter->blocks = blocks;
	for (int i = 0; i < arrays; i++)
		scatter->offset[i] = MC_BLOCK_BYTES - 4096 +
				     ((u8 *)array[i].word - (u8 *)array);
}

/* A pass from any place in the order on does to each word what it should. */
static void run_scattered(const struct mc_loop *loop, u64 bytes, u64 passes, u64 begin, u64 fence)
{
	struct mc_loop_args args = args_for(bytes, passes, 254);
	u64 lines = bytes / 64, step = step_of(loop->op, loop->width), sum, stored = 0;
	bool counts = mc_ops[loop->op].stores == MC_STORES_COUNTER;
	struct mc_scatter scatter;

	scatter_over(&scatter, bytes, mc_ops[loop->op].arrays);
	args.scatter = &scatter;
	if (begin) {
		scatter.left = begin;
		loop->run_scatter(&args);
	}
	fill();
	uc_word[0] = 0;
	sum = expect(loop, bytes / 8, passes, 254);
	memset(args.lanes, 0xa5, sizeof(args.lanes));
	args.fence = fence;
	scatter.left = lines * passes;
	loop->run_scatter(&args);
	for (u64 w = 0; w < bytes / 8 && counts; w++)
		stored += array[0].word[w];
	/* The counter goes from line to line in the order of the accesses. */
	for (u64 i = (passes - 1) * bytes / 8; i < passes * bytes / 8 && counts; i++)
		stored -= 254 + i * step;
	assert_int_equal(stored, 0);
	if (counts)
		assert_memory_equal(array[0].word + bytes / 8, model + bytes / 8, MOST - bytes);
	else
		assert_memory_equal(array[0].word, model, MOST);
	assert_guards();
	if (mc_ops[loop->op].sums)
		assert_int_equal(mc_loop_sum(loop, &args), sum);
	assert_int_equal(uc_word[0] != 0, fence == MC_FENCE_UC);
}

static void all_scattered(const struct mc_loop *loop)
{
	if (!loop->run_scatter)
		return;
	assert_int_equal((size_t)loop->run_scatter % 64, 0);
	for (data = MC_DATA_COUNTER; data <= MC_DATA_ZERO; data++)
		for (u64 bytes = 64; bytes <= MOST; bytes += 64)
			for (u64 passes = 1; passes <= 2; passes++)
				run_scattered(loop, bytes, passes, bytes / 128,
					      (passes + bytes / 64) % (MC_FENCE_UC + 1));
	data = MC_DATA_COUNTER;
	for (u64 fence = MC_FENCE_UC + 1; fence < MC_NFENCES; fence++)
		if (mc_fence_runs(fence))
			run_scattered(loop, 256, 2, 1, fence);
}

static void test_every_loop_in_random_order(void **state)
{
	assert_non_null(mc_loop_find(MC_OP_READ, 8)->run_scatter);
	with_all_loops(all_scattered, MC_OP_READ, MC_OP_CHECK - 1);
}

/* Each line once a pass, far from the line before it, and in no simple order. */
static void test_the_random_order(void **state)
{
	static const u64 sizes[] = { 1 << 20, 3 << 20, 5 << 19, 64 * 12345, 64 * 99991 };
	static u64 at[1 << 17];
	static u8 seen[1 << 17];

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *memory = aligned_alloc(4096, 8 << 20);
		void *blocks[4];
		struct mc_scatter scatter;
		struct mc_loop_args args = { .scatter = &scatter, .value = 1, .data = 0 };
		u64 bytes = mc_scatter_set(&scatter, sizes[i]), lines = bytes / 64, near = 0;

		assert_in_range(bytes, sizes[i] - sizes[i] / 128, sizes[i]);
		for (int b = 0; b < 4; b++)
			blocks[b] = memory + b * MC_BLOCK_BYTES;
		memset(memory, 0, 8 << 20);
		memset(seen, 0, sizeof(seen));
		scatter.blocks = blocks;
		scatter.offset[0] = 0;
		scatter.left = lines;
		mc_loop_find(MC_OP_WRITE, 8)->run_scatter(&args);
		for (u64 l = 0; l < lines; l++) {
			u64 turn = *(u64 *)(memory + l * 64) / 8;

			assert_true(turn < lines && !seen[turn]++);
			at[turn] = l;
		}
		for (u64 turn = 1; turn < lines; turn++)
			near += at[turn] - at[turn - 1] + 64 < 128;
		assert_true(near < lines / 64);
		free(memory);
	}
}

/* Each access to one word is there, and no other word changes. */
static void on_one_word(const struct mc_loop *loop)
{
	for (u64 n = 8; n <= 24 && loop->run_word; n += 8) {
		struct mc_loop_args args = args_for(8 * n, 1, 77);
		u64 stores = mc_ops[loop->op].stores;

		fill();
		model[0] = stores == MC_STORES_ONE_MORE ? model[0] + n :
			   stores == MC_STORES_OR ? model[0] | 1 : 77;
		loop->run_word(&args);
		assert_memory_equal(array[0].word, model, MOST);
		assert_guards();
	}
	assert_int_equal(!loop->run_word, !mc_ops[loop->op].atomic);
}

static void test_atomics_on_one_word(void **state)
{
	with_all_loops(on_one_word, MC_OP_READ, MC_OP_CHECK);
}

static u64 compare(const struct mc_loop *loop, u64 bytes)
{
	struct mc_loop_args args = args_for(bytes, 1, 5);

	loop->run(&args);
	return mc_loop_or(loop, &args);
}

static void compares_other_data(const struct mc_loop *loop)
{
	for (data = MC_DATA_RANDOM; data <= MC_DATA_ZERO; data++) {
		for (u64 w = 0; w < MOST / 8; w++)
			array[0].word[w] = 5 + w % (loop->width / 2) *
					       step_of(loop->op, loop->width);
		assert_int_equal(compare(loop, MOST), 0);
		array[0].word[MOST / 8 - 1] ^= 1ULL << 40;
		assert_int_equal(compare(loop, MOST), 1ULL << 40);
	}
	data = MC_DATA_COUNTER;
}

static void finds_each_bit(const struct mc_loop *loop)
{
	for (u64 bytes = 64; bytes <= MOST; bytes += 192) {
		for (u64 w = 0; w < bytes / 8; w++)
			array[0].word[w] = 5 + w % (loop->width / 2);
		assert_int_equal(compare(loop, bytes), 0);
		for (u64 w = 0; w < bytes / 8; w++) {
			array[0].word[w] ^= 1ULL << (w % 64);
			assert_int_equal(compare(loop, bytes), 1ULL << (w % 64));
			array[0].word[w] ^= 1ULL << (w % 64);
		}
		/* Data behind the array are not compared. */
		array[0].word[bytes / 8 % (MOST / 8)] ^= bytes < MOST;
		assert_int_equal(compare(loop, bytes), 0);
	}
}

static void test_compare_finds_any_wrong_bit(void **state)
{
	fill();
	with_all_loops(finds_each_bit, MC_OP_CHECK, MC_OP_CHECK);
	with_all_loops(compares_other_data, MC_OP_CHECK, MC_OP_CHECK);
}

static void test_flush_changes_nothing(void **state)
{
	const struct mc_loop *widest = mc_loop_widest(MC_OP_FLUSH);

	/* One line after the other takes forty times as long. */
	assert_ptr_equal(widest->run, cpu_runs(MC_CPU_CLFLUSHOPT) ? mc_asm_flushopt64 :
								   mc_asm_flush64);
	fill();
	for (u64 bytes = 64; bytes <= MOST; bytes += 64) {
		struct mc_loop_args args = args_for(bytes, 2, 0);

		mc_asm_flush64(&args);
		widest->run(&args);
		assert_memory_equal(array[0].word, model, MOST);
		assert_guards();
	}
}

static void test_loops_are_aligned(void **state)
{
	for (enum mc_op op = 0; op < MC_NOPS; op++)
		for (unsigned int width = 1; width <= 64; width *= 2)
			if (mc_loop_find(op, width))
				assert_int_equal((size_t)mc_loop_find(op, width)->run % 64, 0);
}

static void test_the_table(void **state)
{
	assert_null(mc_loop_find(MC_OP_NTREAD, 8));
	assert_null(mc_loop_find(MC_OP_READ, 12));
	assert_null(mc_loop_find(MC_OP_REP_MOVSB, 8));
	assert_null(mc_loop_find(MC_OP_READ, 0));
	for (enum mc_op op = 0; op < MC_NOPS; op++) {
		const struct mc_loop *widest = mc_loop_widest(op);

		assert_non_null(mc_ops[op].name);
		assert_in_range(mc_ops[op].arrays, 1, MC_ARRAYS_MAX);
		/*
		 * Every CPU has SSE2; user space has none of the kernel's functions, and nobody
		 * has registered a loop.
		 */
		if (!mc_ops[op].kernels && !mc_ops[op].registered && cpu_runs(mc_ops[op].needs) &&
		    op != MC_OP_NTREAD && !widest)
			fail_msg("op=%s has no row in a table of loops", mc_ops[op].name);
		if (mc_ops[op].kernels || mc_ops[op].registered || !cpu_runs(mc_ops[op].needs))
			assert_null(widest);
		if (!widest)
			continue;
		assert_true(cpu_runs(widest->feature));
		assert_int_equal(widest->op, op);
		for (unsigned int width = 2 * widest->width; width <= 64; width *= 2)
			assert_false(mc_loop_find(op, width) &&
				     mc_loop_runs(mc_loop_find(op, width)));
	}
}

static void test_verdict_loops_leave_zeros(void **state)
{
	_Alignas(64) u64 line[8] = { 0 };

	mc_asm_reload(line, 3);
	mc_asm_flush_reload(line, 3);
	for (int i = 0; i < 8; i++)
		assert_int_equal(line[i], 0);
	memset(line, 0xff, sizeof(line));
	mc_asm_combine(line, 1);
	for (int i = 0; i < 8; i++)
		assert_int_equal(line[i], 0);
}

/* A process may have written to the line that a verdict uses. */
static void test_verdict_loops_take_any_content(void **state)
{
	_Alignas(4096) static u8 page[4096];

	for (int byte = 0; byte < 256; byte += 5) {
		memset(page, byte, sizeof(page));
		mc_asm_reload(page, 3);
		mc_asm_flush_reload(page, 3);
	}
}
