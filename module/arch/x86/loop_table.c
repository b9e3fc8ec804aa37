// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops: a row for each line in loops.S. */
#include "../../loops.h"
#include "../../arch.h"

static_assert(offsetof(struct mc_loop_args, a) == MC_ARG_A);
static_assert(offsetof(struct mc_loop_args, b) == MC_ARG_B);
static_assert(offsetof(struct mc_loop_args, c) == MC_ARG_C);
static_assert(offsetof(struct mc_loop_args, bytes) == MC_ARG_BYTES);
static_assert(offsetof(struct mc_loop_args, passes) == MC_ARG_PASSES);
static_assert(offsetof(struct mc_loop_args, value) == MC_ARG_VALUE);
static_assert(offsetof(struct mc_loop_args, fence) == MC_ARG_FENCE);
static_assert(offsetof(struct mc_loop_args, uc_word) == MC_ARG_UC_WORD);
static_assert(offsetof(struct mc_loop_args, lanes) == MC_ARG_LANES);

#define ROW(lower, upper, bytes, feature)				\
	{ MC_OP_##upper, bytes, feature, mc_asm_##lower##bytes }

#define DECLARE(op)							\
	void mc_asm_##op##8(struct mc_loop_args *args);			\
	void mc_asm_##op##16(struct mc_loop_args *args);		\
	void mc_asm_##op##32(struct mc_loop_args *args);		\
	void mc_asm_##op##64(struct mc_loop_args *args)

DECLARE(read);
DECLARE(ntread);
DECLARE(write);
DECLARE(ntwrite);
DECLARE(copy);
DECLARE(ntcopy);
DECLARE(rmw);
DECLARE(triad);
DECLARE(check);

/* An operation's widths stand in ascending order. */
static const struct mc_loop loops[] = {
	ROW(read, READ, 8, MC_CPU_SSE2),
	ROW(read, READ, 16, MC_CPU_SSE2),
	ROW(read, READ, 32, MC_CPU_AVX2),
	ROW(read, READ, 64, MC_CPU_AVX512F),
	ROW(ntread, NTREAD, 16, MC_CPU_SSE41),
	ROW(ntread, NTREAD, 32, MC_CPU_AVX2),
	ROW(ntread, NTREAD, 64, MC_CPU_AVX512F),
	ROW(write, WRITE, 8, MC_CPU_SSE2),
	ROW(write, WRITE, 16, MC_CPU_SSE2),
	ROW(write, WRITE, 32, MC_CPU_AVX2),
	ROW(write, WRITE, 64, MC_CPU_AVX512F),
	ROW(ntwrite, NTWRITE, 8, MC_CPU_SSE2),
	ROW(ntwrite, NTWRITE, 16, MC_CPU_SSE2),
	ROW(ntwrite, NTWRITE, 32, MC_CPU_AVX2),
	ROW(ntwrite, NTWRITE, 64, MC_CPU_AVX512F),
	ROW(copy, COPY, 8, MC_CPU_SSE2),
	ROW(copy, COPY, 16, MC_CPU_SSE2),
	ROW(copy, COPY, 32, MC_CPU_AVX2),
	ROW(copy, COPY, 64, MC_CPU_AVX512F),
	ROW(ntcopy, NTCOPY, 8, MC_CPU_SSE2),
	ROW(ntcopy, NTCOPY, 16, MC_CPU_SSE2),
	ROW(ntcopy, NTCOPY, 32, MC_CPU_AVX2),
	ROW(ntcopy, NTCOPY, 64, MC_CPU_AVX512F),
	ROW(rmw, RMW, 8, MC_CPU_SSE2),
	ROW(rmw, RMW, 16, MC_CPU_SSE2),
	ROW(rmw, RMW, 32, MC_CPU_AVX2),
	ROW(rmw, RMW, 64, MC_CPU_AVX512F),
	ROW(triad, TRIAD, 8, MC_CPU_SSE2),
	ROW(triad, TRIAD, 16, MC_CPU_SSE2),
	ROW(triad, TRIAD, 32, MC_CPU_AVX2),
	ROW(triad, TRIAD, 64, MC_CPU_AVX512F),
	ROW(check, CHECK, 8, MC_CPU_SSE2),
	ROW(check, CHECK, 16, MC_CPU_SSE2),
	ROW(check, CHECK, 32, MC_CPU_AVX2),
	ROW(check, CHECK, 64, MC_CPU_AVX512F),
	ROW(flush, FLUSH, 64, MC_CPU_SSE2),
};

const struct mc_op_info mc_ops[MC_NOPS] = {
	[MC_OP_READ] = { "read", .arrays = 1, .payload = 1 },
	[MC_OP_NTREAD] = { "ntread", .arrays = 1, .payload = 1 },
	[MC_OP_WRITE] = { "write", .arrays = 1, .payload = 1, .writes = true },
	[MC_OP_NTWRITE] = { "ntwrite", .arrays = 1, .payload = 1, .writes = true,
			    .streams = true },
	[MC_OP_COPY] = { "copy", .arrays = 2, .payload = 2, .writes = true },
	[MC_OP_NTCOPY] = { "ntcopy", .arrays = 2, .payload = 2, .writes = true,
			   .streams = true },
	[MC_OP_RMW] = { "rmw", .arrays = 1, .payload = 2, .writes = true },
	[MC_OP_TRIAD] = { "triad", .arrays = 3, .payload = 3, .writes = true },
	[MC_OP_CHECK] = { "check", .arrays = 1, .payload = 1 },
	[MC_OP_FLUSH] = { "flush", .arrays = 1, .payload = 1 },
};

/**
 * mc_loop_find() - the loop for an operation and a width
 * @op: operation
 * @width: bytes an access
 *
 * Context: Any.
 * Return: the loop, whether or not this CPU can run it, or NULL if there is
 * none (movntdqa has no 8-byte form).
 */
const struct mc_loop *mc_loop_find(enum mc_op op, unsigned int width)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		if (loops[i].op == op && loops[i].width == width)
			return &loops[i];
	}
	return NULL;
}

/**
 * mc_loop_widest() - the widest loop that this CPU can run
 * @op: operation
 *
 * Context: Any.
 * Return: the loop, or NULL if the CPU can run none.
 */
const struct mc_loop *mc_loop_widest(enum mc_op op)
{
	const struct mc_loop *best = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		if (loops[i].op == op && mc_cpu_has(loops[i].feature))
			best = &loops[i];
	}
	return best;
}

/**
 * mc_loop_sum() - what a summing loop found
 * @loop: the loop that ran
 * @args: what it ran with
 *
 * Context: Any.
 * Return: the sum of all 64-bit words of all passes, modulo 2^64.
 */
u64 mc_loop_sum(const struct mc_loop *loop, const struct mc_loop_args *args)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < loop->width / 2; i++)
		sum += args->lanes[i];
	return sum;
}

/**
 * mc_loop_or() - what a comparing loop found
 * @loop: the loop that ran
 * @args: what it ran with
 *
 * Context: Any.
 * Return: 0 if every word was what it should be.
 */
u64 mc_loop_or(const struct mc_loop *loop, const struct mc_loop_args *args)
{
	unsigned int i;
	u64 bits = 0;

	for (i = 0; i < loop->width / 2; i++)
		bits |= args->lanes[i];
	return bits;
}
