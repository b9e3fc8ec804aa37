// SPDX-License-Identifier: GPL-2.0-only
#include "machine.h"

/* Nothing costs anything, and no cache has more than 64 lines. */
static const struct prices free_prices = {
	.wc_buffers = 8, .l1_bytes = 4096, .l1_ways = 8, .l2_ways = 16, .l3_ways = 16, .l3_cpus = 8,
};

struct machine machine;
_Alignas(MC_BLOCK_BYTES) u8 memory[MACHINE_BYTES];

/* Two CPUs make a node, as in threads.c. Each node has half of the memory. */
static const struct shape shape = {
	.ncpus = THREADS_MOST, .node = { 0, 0, 1, 1 }, .nranges = 2, .ranges = {
		{ 0, MACHINE_BYTES / 2, 0 }, { MACHINE_BYTES / 2, MACHINE_BYTES, 1 },
	},
};

/* A machine with empty caches. @prices: those that are not 0; @bytes: of each span */
struct mc_view machine_make(const char *prices, u64 bytes, const struct machine *of)
{
	struct prices p = free_prices;
	char why[200];

	if (!prices_set(&p, prices, why, sizeof(why)))
		fail_msg("%s", why);
	assert_null(model_make(&p, &shape));
	machine = *of;
	for (unsigned int i = 0; i < 2; i++) {
		machine.spans[i] = (struct mc_span){ memory + i * bytes, 0, bytes };
		machine.node[i] = (struct mc_view){ &machine.spans[i], 1 };
	}
	return machine.node[0];
}

/* ------------------------------------------------------------------- accesses */

static u64 spent;		/* by the accesses of the current call */

/* The price of an access, for the thread that is running. */
u64 machine_price(const struct access *a)
{
	return model_access(sim_self(), (sim.now[sim_self()] + spent) / NS, a) * NS;
}

static void touch(const void *at, unsigned int bytes, enum operation operation, bool streaming)
{
	struct access a = {
		.physical = (const u8 *)at - memory, .bytes = bytes, .operation = operation,
		.type = machine.type, .streaming = streaming,
	};

	if (a.physical >= MACHINE_BYTES) {
		EXPECT(!"an access outside of the memory");
		return;
	}
	a.page_shift = __builtin_ctzll(machine.covered);
	a.page = a.physical >> a.page_shift;
	spent += machine.price ? machine.price(&a, sim.now[sim_self()] + spent) : machine_price(&a);
}

static bool is_kept(const void *at)
{
	return !machine.keeps || machine.keeps(at);
}

static void begin(void)
{
	EXPECT(!machine.turn || sim_self() == *machine.turn);
	spent = machine.call_ps;
}

static void end(void)
{
	sim_spend(machine.spend ? machine.spend(spent) : spent);
}

/* --------------------------------------------------------------- loops of chases */

/* The first event of a core counts the loads. */
void **mc_asm_chase(void **at, u64 loads)
{
	begin();
	machine.calls++;
	sim.event[sim_self()][0].value += loads;
	for (u64 i = 0; i < loads; i++) {
		touch(at, 8, LOAD, false);
		at = *at;
	}
	end();
	return at;
}

void **mc_asm_dirty(void **at, u64 lines, u64 value)
{
	begin();
	for (u64 i = 0; i < lines; i++) {
		touch(at + 1, 8, STORE, false);
		if (is_kept(at))
			((u64 *)at)[1] = value;
		at = *at;
	}
	end();
	return at;
}

u64 mc_asm_turns(u64 *word, u64 from, u64 turns, u64 tries)
{
	for (; turns && tries; end(), sim_yield()) {
		begin();
		touch(word, 8, STORE, false);
		if (*word != from) {
			tries--;
			continue;
		}
		(*word)++;
		from += 2;
		turns--;
	}
	return turns;
}

void mc_asm_clock(u64 cycles)
{
	EXPECT(machine.core_mhz);
	sim_spend(machine.call_ps);
	if (machine.core_mhz)
		sim_spend(cycles / 96 * 96 * 1000000 / machine.core_mhz);
}

/* The words of a line, which the compiler handles together. */
typedef u64 words __attribute__((vector_size(LINE), may_alias));

/* The line that is next in a step: lines at random places follow each other here. */
static words *place_of(struct mc_paced *args, u64 step, u64 line)
{
	u64 offset;

	if (!args->lines)
		return (words *)((u8 *)args->place[line] + step * args->stride);
	offset = args->start + args->state++ % args->lines * LINE;
	return (words *)((u8 *)args->blocks[offset / MC_BLOCK_BYTES] + offset % MC_BLOCK_BYTES);
}

static void run_step(struct mc_paced *args, u64 step)
{
	words computed = { 0 }, constant = computed + (unsigned long)args;

	for (u64 line = 0; line < args->end; line++) {
		bool writes = line >= args->reads;
		words *at = place_of(args, step, line);

		if (!writes)
			computed = 2 * computed + *at;
		else if (is_kept(at))
			*at = args->combine ? computed : constant;
		spent += args->delay * machine.count_ps;
		touch(at, LINE, writes ? STORE : LOAD, writes && args->nt);
	}
}

void mc_asm_paced(struct mc_paced *args)
{
	EXPECT(args->steps && args->end <= MC_PACED_MOST);
	/* The rest of a countdown, beside a line of nobody. */
	if (!args->stride && !args->lines) {
		EXPECT(args->steps == 1 && args->reads == 1 && args->end == 1);
		sim_spend(args->delay * machine.count_ps);
		return;
	}
	begin();
	for (u64 step = 0; step < args->steps; step++)
		run_step(args, step);
	end();
	if (machine.paced)
		machine.paced(args);
}

/* ------------------------------------------------------------ loops over arrays */

/* Loops of @width bytes store the values of the counter that four registers hold. */
static void store(const struct mc_loop_args *args, u64 *word, u64 i, enum mc_op op,
		  unsigned int width)
{
	u64 values = op == MC_OP_FILL ? args->bytes / 8 : 4 * width / 8;
	const u64 *from = args->b;

	if (!is_kept(word))
		return;
	if (mc_ops[op].stores == MC_STORES_COPY)
		*word = from[i];
	else
		*word = args->value + (args->passes - 1) * values + i % values;
}

/* A pass goes line by line; of each line, the arrays that are read come before the others. */
static void run_line(struct mc_loop_args *args, u64 from, enum mc_op op, unsigned int width)
{
	unsigned int written = mc_op_written(&mc_ops[op]), at;
	bool both = mc_ops[op].payload > mc_ops[op].arrays;

	for (int i = mc_ops[op].arrays - 1; i >= 0; i--) {
		for (at = 0; at < LINE; at += width) {
			u64 *word = (u64 *)((u8 *)args->array[i] + from + at);

			if (i >= (int)written || both)
				touch(word, width, LOAD, false);
			if (op == MC_OP_CMPXCHG)
				touch(word, width, LOAD, false);
			if (i < (int)written)
				touch(word, width, STORE, mc_ops[op].nontemporal);
		}
	}
}

static void run(struct mc_loop_args *args, enum mc_op op, unsigned int width)
{
	u64 pass, i, before = 0;

	begin();
	/* The caches know the lines after one pass: others cost as much as the second one. */
	for (pass = 0; pass < args->passes && pass < 2; pass++) {
		before = spent;
		for (i = 0; i < args->bytes; i += LINE) {
			if (op == MC_OP_FLUSH)
				touch((u8 *)args->a + i, LINE, FLUSH, false);
			else
				run_line(args, i, op, width);
		}
	}
	spent += (spent - before) * (args->passes - pass);
	memset(args->lanes, 0, sizeof(args->lanes));
	for (i = 0; op != MC_OP_FLUSH && i < args->bytes / 8; i++) {
		if (mc_ops[op].stores)
			store(args, (u64 *)args->a + i, i, op, width);
		else if (op == MC_OP_SUM)
			args->lanes[0] += ((const u64 *)args->a)[i];
	}
	end();
}

/* Atomics on one word; one that is not kept is lost. */
static void run_word(struct mc_loop_args *args, enum mc_op op)
{
	u64 *word = args->a, i;

	begin();
	for (i = 0; i < args->bytes / 8; i++) {
		if (op == MC_OP_CMPXCHG)
			touch(word, 8, LOAD, false);
		touch(word, 8, LOAD, false);
		touch(word, 8, STORE, false);
		if (!is_kept(word))
			continue;
		if (mc_ops[op].stores == MC_STORES_ONE_MORE)
			++*word;
		else
			*word = op == MC_OP_XCHG ? args->value : (*word | 1);
	}
	end();
}

#define LOOP(op, width)						\
	static void run_##op##width(struct mc_loop_args *args)	\
	{							\
		run(args, MC_OP_##op, width);			\
	}
#define ATOMIC(op)						\
	LOOP(op, 8)						\
	static void run_word_##op(struct mc_loop_args *args)	\
	{							\
		run_word(args, MC_OP_##op);			\
	}
#define ROW_ATOMIC(op)	{ MC_OP_##op, 8, MC_CPU_BASE, run_##op##8, .run_word = run_word_##op }
#define ROW(op, width)	{ MC_OP_##op, width, MC_CPU_BASE, run_##op##width }

LOOP(READ, 8)
LOOP(READ, 16)
LOOP(READ, 64)
LOOP(WRITE, 8)
LOOP(WRITE, 64)
LOOP(NTWRITE, 8)
LOOP(NTWRITE, 64)
LOOP(COPY, 8)
LOOP(READ_PREFETCHNTA, 8)
LOOP(WRITE_PREFETCHW, 8)
LOOP(RMW, 8)
ATOMIC(XADD)
ATOMIC(CMPXCHG)
ATOMIC(XCHG)
ATOMIC(FETCH_OR)
LOOP(SCALE, 8)
LOOP(ADD, 8)
LOOP(TRIAD4, 8)
LOOP(SUM, 8)
LOOP(SUM, 64)
LOOP(FILL, 8)
LOOP(FILL, 64)

void mc_asm_flush64(struct mc_loop_args *args)
{
	run(args, MC_OP_FLUSH, LINE);
}

const struct mc_loop mc_loops[] = {
	ROW(READ, 8), ROW(READ, 16), ROW(READ, 64), ROW(WRITE, 8), ROW(WRITE, 64),
	ROW(NTWRITE, 8), ROW(NTWRITE, 64), ROW(COPY, 8), ROW(RMW, 8),
	ROW(READ_PREFETCHNTA, 8), ROW(WRITE_PREFETCHW, 8),
	ROW_ATOMIC(XADD), ROW_ATOMIC(CMPXCHG), ROW_ATOMIC(XCHG), ROW_ATOMIC(FETCH_OR),
	ROW(SCALE, 8), ROW(ADD, 8), ROW(TRIAD4, 8), ROW(SUM, 8), ROW(SUM, 64),
	ROW(FILL, 8), ROW(FILL, 64),
	{ MC_OP_FLUSH, LINE, MC_CPU_BASE, mc_asm_flush64 }, { }
};

const struct mc_loop mc_loops_of_kernel[] = { { } };

bool mc_device_memory(enum mc_type type)
{
	return false;
}

bool mc_fence_runs(u64 fence)
{
	return fence <= MC_FENCE_MFENCE || fence == MC_FENCE_LOCKED;
}

/* ------------------------------------------------------------------ single accesses */

static u64 word_before;		/* what a word had that is in a write-combining buffer */

/* A line of the test itself is cached, and costs nothing. */
static bool is_own(const u8 *at)
{
	return (u64)(at - memory) >= MACHINE_BYTES;
}

/* Return: the first 8 bytes, or less. */
static u64 load_one(const u8 *at, unsigned int width)
{
	u64 word = 0;

	if (is_own(at))
		return 0;
	if (!machine.price && model_is_held(sim_self(), at - memory))
		word = word_before;
	else
		memcpy(&word, at, min(width, 8U));
	touch(at, width, LOAD, false);
	return machine.wide_ones && width >= 8 ? ~0ULL : word;
}

static void store_one(u8 *at, unsigned int width, u64 value)
{
	if (is_own(at))
		return;
	memcpy(&word_before, at, min(width, 8U));
	for (unsigned int i = 0; i < width && is_kept(at); i++)
		at[i] = value >> 8 * (i % 8);
	touch(at, width, STORE, false);
}

static u64 run_single(void *to, u64 n, u64 value, enum mc_mmio_op op, unsigned int width)
{
	unsigned int step = op == MC_MMIO_BURST ? LINE : width;
	u64 mask = width < 8 ? (1ULL << 8 * width) - 1 : ~0ULL, word = 0, wrong = 0;

	begin();
	for (u8 *at = to; n; n--, at += step) {
		for (u8 *w = at; op != MC_MMIO_READ && w < at + step; w += width)
			store_one(w, width, value);
		if (op == MC_MMIO_BURST)
			touch(at, 1, DRAIN, false);
		if (op == MC_MMIO_READ || op == MC_MMIO_WRITE_READ)
			word = load_one(at, width);
		wrong |= word ^ (value & mask);
	}
	end();
	return op == MC_MMIO_READ ? word : op == MC_MMIO_WRITE_READ ? wrong : 0;
}

enum { W1 = 1, W2 = 2, W4 = 4, W8 = 8, W16 = 16, W32 = 32 };

#define SINGLES(bytes)								\
	MC_MMIO_DECLARE(bytes);							\
	u64 mc_asm_mmio_read##bytes(void *at, u64 n, u64 value)			\
	{									\
		return run_single(at, n, value, MC_MMIO_READ, W##bytes);	\
	}									\
	u64 mc_asm_mmio_write##bytes(void *at, u64 n, u64 value)		\
	{									\
		return run_single(at, n, value, MC_MMIO_WRITE, W##bytes);	\
	}									\
	u64 mc_asm_mmio_write_read##bytes(void *at, u64 n, u64 value)		\
	{									\
		return run_single(at, n, value, MC_MMIO_WRITE_READ, W##bytes);	\
	}									\
	u64 mc_asm_mmio_burst##bytes(void *at, u64 n, u64 value)		\
	{									\
		return run_single(at, n, value, MC_MMIO_BURST, W##bytes);	\
	}

SINGLES(1)
SINGLES(2)
SINGLES(4)
SINGLES(8)
SINGLES(16)
SINGLES(32)

const struct mc_mmio_loop mc_mmio_loops[] = {
	MC_MMIO_ROW(1, MC_CPU_BASE), MC_MMIO_ROW(2, MC_CPU_BASE), MC_MMIO_ROW(4, MC_CPU_BASE),
	MC_MMIO_ROW(8, MC_CPU_BASE), MC_MMIO_ROW(16, MC_CPU_BASE),
	MC_MMIO_ROW(32, MC_CPU_AVX2), { }
};

/* A line in eight stores. */
static void copy_line(void *to, const void *from)
{
	begin();
	for (unsigned int i = 0; i < LINE; i += 8)
		store_one((u8 *)to + i, 8, *(const u64 *)((const u8 *)from + i));
	end();
}

const struct mc_mmio_copy mc_mmio_ways[MC_NWAYS] = {
	[MC_WAY_C_LOOP] = { copy_line },
	[MC_WAY_MOVDIR64B] = { copy_line, MC_CPU_BASE, .direct = true },
	[MC_WAY_REP_MOVSB] = { copy_line, MC_CPU_AVX512F },
};

void mc_fence(u64 fence)
{
	begin();
	if (fence != MC_FENCE_NONE)
		touch(memory, 1, DRAIN, false);
	end();
}
