// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each access of each loop, as the CPU executes it: how many there are of each word or line,
 * how wide they are, and whether they are loads, stores or flushes, ordinary ones or streaming.
 */
#include <sys/mman.h>

#include "cmocka_all.h"

#include "arch/chase.h"
#include "arch/mmio.h"
#include "measure/pass.h"
#include "measure/threads.h"
#include "stub/watched.h"

#define ARRAY	4096		/* bytes of an array, and of a page */
#define LINE	64
#define PASSES	2

/* Accesses that a call should make to each place of @width bytes of an array, in each pass. */
struct wanted {
	unsigned int loads;
	unsigned int stores;
	unsigned int flushes;	/* of each line */
	unsigned int width;
	enum how load_how;
	enum how store_how;
	enum how flush_how;
};

static u8 *array(unsigned int i)
{
	return watched.memory + i * ARRAY;
}

/* ------------------------------------------------------- the loops of bandwidth */

static bool is_flush(const struct access *a)
{
	return a->how == FLUSH || a->how == WRITE_BACK;
}

static struct wanted wanted_of(const struct mc_loop *loop, unsigned int i)
{
	const struct mc_op_info *op = &mc_ops[loop->op];
	bool written = i < mc_op_written(op);
	struct wanted w = {
		.width = loop->width, .stores = written,
		/* What of the payload is not stores is loads; a comparison needs one more. */
		.loads = !written + (op->payload > op->arrays) + (loop->op == MC_OP_CMPXCHG),
		.store_how = op->nontemporal ? STREAMING : op->atomic ? LOCKED : ORDINARY,
		.load_how = loop->op == MC_OP_NTREAD ? STREAMING : ORDINARY,
		.flushes = op->flushes,
		.flush_how = loop->op == MC_OP_WRITE_CLWB ? WRITE_BACK : FLUSH,
	};

	if (loop->op == MC_OP_FLUSH)
		w = (struct wanted){ .flushes = 1, .width = LINE, .flush_how = FLUSH };
	return w;
}

static const struct mc_loop *this_loop;
static const char *this_form;

#define EXPECT(condition)							\
	do {									\
		if (!(condition))						\
			fail_msg("%s%u, %s: " #condition			\
				 ", as stub/watched.c decodes it",		\
				 mc_ops[this_loop->op].name, this_loop->width,	\
				 this_form);					\
	} while (0)

static void check_access(const struct access *a, const struct wanted *w)
{
	if (is_flush(a)) {
		EXPECT(a->how == w->flush_how);
		EXPECT(a->offset % LINE == 0);
		return;
	}
	EXPECT(a->width == w->width);
	EXPECT(a->offset % w->width == 0);
	EXPECT(!a->load || a->store || a->how == w->load_how);
	EXPECT(!a->store || a->how == w->store_how);
}

static struct {
	unsigned int loads, stores, flushes;
} seen[WATCHED_BYTES];

static void count_accesses(void)
{
	memset(seen, 0, sizeof(seen));
	for (unsigned int i = 0; i < watched.n; i++) {
		const struct access *a = &watched.access[i];
		const struct wanted w = wanted_of(this_loop, a->offset / ARRAY);

		check_access(a, &w);
		seen[a->offset].loads += a->load && !is_flush(a);
		seen[a->offset].stores += a->store && !is_flush(a);
		seen[a->offset].flushes += is_flush(a);
	}
}

/* Each place of the first @bytes of each array has its accesses, and nothing else has any. */
static void assert_all(u64 bytes)
{
	count_accesses();
	for (u64 at = 0; at < WATCHED_BYTES; at++) {
		unsigned int i = at / ARRAY;
		const struct wanted w = wanted_of(this_loop, i);
		bool inside = i < mc_ops[this_loop->op].arrays && at % ARRAY < bytes;
		unsigned int place = inside && at % w.width == 0 ? PASSES : 0;
		unsigned int line = inside && at % LINE == 0 ? PASSES : 0;

		EXPECT(seen[at].loads == w.loads * place);
		EXPECT(seen[at].stores == w.stores * place);
		EXPECT(seen[at].flushes == w.flushes * line);
	}
}

/* From one access to the next, each array is traversed from its start to its end. */
static void assert_in_order(void)
{
	u64 next[WATCHED_BYTES / ARRAY] = { 0 };

	for (unsigned int i = 0; i < watched.n; i++) {
		u64 at = watched.access[i].offset % ARRAY;
		u64 *from = &next[watched.access[i].offset / ARRAY];

		EXPECT(is_flush(&watched.access[i]) || at >= *from || !at);
		*from = at;
	}
}

/* A line is flushed only after its last store. */
static void assert_flushed_last(void)
{
	for (unsigned int i = 0; i + 1 < watched.n; i++) {
		const struct access *a = &watched.access[i];

		if (is_flush(a) && mc_ops[this_loop->op].stores)
			EXPECT(a[1].offset / LINE != a->offset / LINE);
	}
}

/* Loads of a line come back to back: none of another line is between them. */
static void assert_back_to_back(void)
{
	unsigned int a_line = LINE / this_loop->width;

	for (unsigned int i = 0; i < watched.n; i++)
		EXPECT(watched.access[i].offset % LINE == i % a_line * this_loop->width);
}

static void assert_fences(u64 fence, unsigned int passes)
{
	bool flushes = this_loop->run == mc_asm_flushopt64;

	/* These two are helpers, which take no fence. */
	if (this_loop->op == MC_OP_FLUSH || this_loop->op == MC_OP_CHECK)
		fence = MC_FENCE_NONE;
	EXPECT(watched.sfences == (fence == MC_FENCE_SFENCE ? passes : 0));
	EXPECT(watched.mfences == (fence == MC_FENCE_MFENCE ? passes : 0) + flushes);
}

/* A hint a line and pass, and of the right kind: about the line that is full, or one ahead. */
static void assert_hints(u64 lines)
{
	static const struct {
		enum mc_op op;
		enum how how;
		u64 ahead;
	} rows[] = {
		{ MC_OP_READ_PREFETCHNTA, PREFETCH_NTA, MC_HINT_AHEAD },
		{ MC_OP_WRITE_PREFETCHW, PREFETCH_WRITE, MC_HINT_AHEAD },
		{ MC_OP_WRITE_CLDEMOTE, DEMOTE, 0 },
	};
	u64 n = lines * PASSES, sum = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		bool these = this_loop->op == rows[i].op;

		EXPECT(watched.hints[rows[i].how] == (these ? n : 0));
		sum += these ? n * rows[i].ahead + PASSES * LINE * (lines * (lines - 1) / 2) : 0;
	}
	EXPECT(watched.hinted == sum);
}

static struct mc_loop_args args_of(u64 bytes, u64 fence)
{
	struct mc_loop_args args = { .bytes = bytes, .passes = PASSES, .fence = fence };

	for (unsigned int i = 0; i < MC_ARRAYS_MAX; i++)
		args.array[i] = array(i);
	return args;
}

/* A turn of the main part, and lines of the rest. */
static void check_in_order(u64 fence)
{
	const u64 bytes = 256 + 2 * LINE;
	struct mc_loop_args args = args_of(bytes, fence);

	this_form = "in order";
	WATCH(this_loop->run(&args));
	assert_all(bytes);
	if (this_loop->width > 1)
		assert_in_order();
	assert_flushed_last();
	assert_hints(bytes / LINE);
	if (this_loop->op == MC_OP_NTREAD)
		assert_back_to_back();
	assert_fences(fence, PASSES);
}

static void check_streams(u64 fence)
{
	struct mc_stream at[2];
	struct mc_loop_args args = args_of(MC_STREAM_BYTES, fence);

	this_form = "streams";
	for (unsigned int s = 0; s < 2; s++)
		for (unsigned int i = 0; i < MC_STREAM_ARRAYS; i++)
			at[s].array[i] = array(i) + s * MC_STREAM_BYTES;
	args.at = at;
	args.streams = 2;
	WATCH(this_loop->run_streams(&args));
	assert_all(2 * MC_STREAM_BYTES);
	assert_fences(fence, PASSES);
}

static void check_scattered(u64 fence)
{
	const u64 bytes = 6 * LINE;
	struct mc_loop_args args = args_of(bytes, fence);
	void *const blocks[] = { watched.memory };
	struct mc_scatter scatter;

	this_form = "random order";
	assert_int_equal(mc_scatter_set(&scatter, bytes), bytes);
	scatter.blocks = blocks;
	scatter.left = PASSES * bytes / LINE;
	for (unsigned int i = 0; i < MC_STREAM_ARRAYS; i++)
		scatter.offset[i] = i * ARRAY;
	args.scatter = &scatter;
	WATCH(this_loop->run_scatter(&args));
	assert_all(bytes);
	if (this_loop->op == MC_OP_NTREAD)
		assert_back_to_back();
	assert_fences(fence, 1);
}

static void check_one_word(void)
{
	struct mc_loop_args args = args_of(2 * LINE, MC_FENCE_NONE);
	const struct wanted w = wanted_of(this_loop, 0);

	this_form = "one word";
	WATCH(this_loop->run_word(&args));
	count_accesses();
	EXPECT(seen[0].loads == 16 * w.loads && seen[0].stores == 16 * w.stores);
	EXPECT(watched.n == 16 * w.loads);
}

static void test_each_loop_does_its_accesses_and_no_others(void **state)
{
	for (this_loop = mc_loops; this_loop->width; this_loop++) {
		if (!mc_loop_runs(this_loop))
			continue;
		if (this_loop->run_word)
			check_one_word();
		for (u64 fence = MC_FENCE_NONE; fence <= MC_FENCE_MFENCE; fence++) {
			check_in_order(fence);
			if (this_loop->run_streams)
				check_streams(fence);
			if (this_loop->run_scatter)
				check_scattered(fence);
		}
	}
}

/* Put other bytes in place of some, wherever they are in the code from @from to @end. */
static void replace(u8 *from, const u8 *end, const char *bytes, const char *others, size_t n)
{
	u8 *page = (u8 *)((uintptr_t)from & -4096UL);

	assert_int_equal(mprotect(page, end - page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	for (; from < end; from++)
		if (!memcmp(from, bytes, n))
			memcpy(from, others, n);
	assert_int_equal(mprotect(page, end - page, PROT_READ | PROT_EXEC), 0);
}

/*
 * MOVRS differs in a byte from MOVBE, and in the map of opcodes from VMOVDQU64. So that a CPU that
 * lacks it shows each load, its loops get these.
 */
static void test_loads_for_others_are_those_of_a_read(void **state)
{
	u8 *from = (u8 *)mc_loop_find(MC_OP_READ_MOVRS, 8)->run;

	if (!__builtin_cpu_supports("avx512vl"))
		skip();
	if (!mc_cpu_has(MC_CPU_MOVRS)) {
		replace(from, from + 4096, "\x4c\x0f\x38\x8b", "\x4c\x0f\x38\xf0", 4);
		replace(from, from + 4096, "\x62\xf5\xfe", "\x62\xf1\xfe", 3);
	}
	for (unsigned int width = 8; width <= 64; width *= 2) {
		this_loop = mc_loop_find(MC_OP_READ_MOVRS, width);
		assert_non_null(this_loop);
		check_in_order(MC_FENCE_NONE);
	}
}

/* ----------------------------------------------------------------- the others */

/* The next access is one of @width bytes at @offset. */
static void assert_next(unsigned int *i, u64 offset, unsigned int width, bool store, enum how how)
{
	const struct access *a = &watched.access[(*i)++];

	assert_true(*i <= watched.n);
	assert_int_equal(a->offset, offset);
	assert_int_equal(a->store, store);
	assert_int_equal(a->load, !store);
	assert_int_equal(a->how, how);
	if (how != FLUSH)
		assert_int_equal(a->width, width);
}

#define ELEMENTS	21	/* two turns of eight loads, and a rest */

/* A cycle of pointers, whose elements are in the order 0, 5, 10, … */
static u64 element(unsigned int i)
{
	return i * 5 % ELEMENTS * LINE;
}

/* Return: the first one. */
static void **link_elements(void)
{
	for (unsigned int i = 0; i < ELEMENTS; i++)
		*(void **)(watched.memory + element(i)) = watched.memory + element(i + 1);
	return (void **)watched.memory;
}

static void test_turns_end_with_the_turns_or_the_tries(void **state)
{
	u64 word = 4;

	assert_int_equal(mc_asm_turns(&word, 4, 1, 1), 0);
	assert_int_equal(mc_asm_turns(&word, 4, 2, 9), 2);
	assert_int_equal(word, 5);
}

static void test_a_chase_loads_each_element_once(void **state)
{
	void **first = link_elements(), **came_to;

	for (u64 n = 1; n <= ELEMENTS; n++) {
		unsigned int i = 0;

		WATCH(came_to = mc_asm_chase(first, n));
		for (unsigned int k = 0; k < n; k++)
			assert_next(&i, element(k), 8, false, ORDINARY);
		assert_int_equal(watched.n, i);
		assert_ptr_equal(came_to, watched.memory + element(n));
	}
}

/* One store a line, so that it is not more than modified, and the load of the pointer. */
static void test_a_line_is_dirtied_by_one_store(void **state)
{
	void **first = link_elements(), **came_to;

	for (u64 n = 1; n <= ELEMENTS; n++) {
		unsigned int i = 0;

		WATCH(came_to = mc_asm_dirty(first, n, 7));
		for (unsigned int k = 0; k < n; k++) {
			assert_next(&i, element(k) + 8, 8, true, ORDINARY);
			assert_next(&i, element(k), 8, false, ORDINARY);
		}
		assert_int_equal(watched.n, i);
		assert_ptr_equal(came_to, watched.memory + element(n));
	}
}

/* 3 times 8 accesses. */
static void test_the_loops_of_the_verdict(void **state)
{
	unsigned int i = 0, k;

	memset(watched.memory, 0, LINE);
	WATCH(mc_asm_reload(watched.memory, 3));
	for (k = 0; k < 3 * 8; k++)
		assert_next(&i, 0, 1, false, ORDINARY);
	assert_int_equal(watched.n, i);
	WATCH(mc_asm_flush_reload(watched.memory, 3));
	for (i = 0, k = 0; k < 3 * 8; k++) {
		assert_next(&i, 0, LINE, false, FLUSH);
		assert_next(&i, 0, 1, false, ORDINARY);
	}
	assert_int_equal(watched.n, i);
	assert_int_equal(watched.mfences, 3 * 8);
	WATCH(mc_asm_combine(watched.memory, 3));
	for (i = 0, k = 0; k < 3 * 8; k++)
		assert_next(&i, k % 8 * 8, 8, true, ORDINARY);
	assert_int_equal(watched.n, i);
	assert_int_equal(watched.sfences, 3);
	assert_int_equal(watched.sfences_behind, 1);
}

static void step_lines(u64 reads, u64 writes, bool nt, bool combine)
{
	struct mc_paced args = {
		.steps = 3, .reads = reads, .end = reads + writes, .nt = nt, .combine = combine,
		.delay = 1, .stride = LINE,
	};
	unsigned int i = 0;

	for (unsigned int k = 0; k < args.end; k++)
		args.place[k] = array(k);
	WATCH(mc_asm_paced(&args));
	for (u64 s = 0; s < args.steps; s++)
		for (u64 k = 0; k < args.end; k++)
			for (u64 at = 0; at < LINE; at += 16)
				assert_next(&i, k * ARRAY + s * LINE + at, 16, k >= reads,
					    k >= reads && nt ? STREAMING : ORDINARY);
	assert_int_equal(watched.n, i);
}

static void test_a_load_at_a_pace(void **state)
{
	for (u64 reads = 0; reads <= 3; reads++)
		for (u64 writes = !reads; writes <= 2; writes++)
			for (int how = 0; how < 4; how++)
				step_lines(reads, writes, how & 1, how & 2);
}

static void random_accesses(enum mc_generator g, enum mc_random_op op, bool bytes)
{
	static u64 memory[4096];
	void *const blocks[] = { watched.memory }, *const others[] = { memory };
	struct mc_random_args args = { .blocks = blocks, .range = 100, .count = 16 };
	const struct mc_random_loop *loop = mc_random_loop_find(g, op, bytes);
	struct mc_random again;

	mc_random_seed(&args.state, 3);
	again = args.state;
	WATCH(loop->access(&args));
	assert_int_equal(watched.n, args.count);
	for (unsigned int i = 0; i < args.count; ) {
		u64 place = mc_random_below(mc_random_next(&again, g), args.range);

		assert_next(&i, bytes ? place : 8 * place, 8, op == MC_RANDOM_WRITE, ORDINARY);
	}
	/* The loop without accesses takes the same steps. */
	args.blocks = bytes ? blocks : others;
	WATCH(loop->bare(&args));
	assert_int_equal(watched.n, 0);
}

static void test_random_accesses(void **state)
{
	for (enum mc_generator g = 0; g < MC_NGENERATORS; g++)
		for (enum mc_random_op op = 0; op < MC_RANDOM_NOPS; op++)
			for (int bytes = 0; bytes < 2; bytes++)
				random_accesses(g, op, bytes);
}

static void single_accesses(const struct mc_mmio_loop *loop, u64 n)
{
	unsigned int w = loop->width, i, k, o, op;

	for (op = MC_MMIO_READ; op <= MC_MMIO_BURST; op++) {
		WATCH(loop->run[op](watched.memory, n, 0x1122334455667788));
		for (i = 0, k = 0; k < n; k++) {
			if (op == MC_MMIO_WRITE || op == MC_MMIO_WRITE_READ)
				assert_next(&i, k * w, w, true, ORDINARY);
			if (op == MC_MMIO_READ || op == MC_MMIO_WRITE_READ)
				assert_next(&i, k * w, w, false, ORDINARY);
			for (o = 0; op == MC_MMIO_BURST && o < LINE; o += w)
				assert_next(&i, k * LINE + o, w, true, ORDINARY);
		}
		assert_int_equal(watched.n, i);
	}
	/* Those of the bursts. */
	assert_int_equal(watched.sfences, n);
	assert_int_equal(watched.sfences_behind, 1);
}

static void test_single_accesses(void **state)
{
	const struct mc_mmio_loop *loop;

	for (loop = mc_mmio_loops; loop->width; loop++)
		for (u64 n = 1; n <= 5 && mc_cpu_has(loop->feature); n += 2)
			single_accesses(loop, n);
}

/* Each addition waits one cycle for the one before it. */
static void test_a_clock_adds_once_a_cycle(void **state)
{
	for (u64 cycles = 0; cycles <= 96 * 4; cycles += 96) {
		WATCH(mc_asm_clock(cycles));
		assert_int_equal(watched.additions, cycles);
	}
}

/* ------------------------------------------------------------------- a window */

static struct mc_progress at;
static struct mc_threads the_threads;
static struct mc_plan the_plan;
static struct mc_worker the_worker = { .threads = &the_threads, .plan = &the_plan };

/* The last thing in a window is the SFENCE, once all of the window's stores have been made. */
static void test_a_window_waits_for_its_stores(void **state)
{
	const struct mc_span span = { watched.memory, 0, WATCHED_BYTES };
	const struct mc_view view = { &span, 1 };

	for (int drain = 0; drain < 2; drain++) {
		for (int parts = 1; parts <= 2; parts++) {
			struct mc_pass p = {
				.loop = mc_loop_find(MC_OP_NTWRITE, 16), .view = &view,
				.bytes = parts * ARRAY, .drain = drain,
			};

			at = (struct mc_progress){ 0 };
			for (int part = 0; part < parts; part++) {
				WATCH(mc_pass_window(&the_worker, &p, &at, 1, ARRAY, false));
				assert_int_equal(watched.n, ARRAY / 16);
				assert_int_equal(watched.sfences, drain);
				assert_int_equal(watched.sfences_behind, drain);
			}
			assert_int_equal(at.passes, 1);
		}
	}
}

static int begin_to_watch(void **state)
{
	watched_begin();
	return 0;
}

#define SET_UP_ALL	begin_to_watch
