// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops: one row for each line in loops*.S. */
#include "arch/loops.h"

static_assert(offsetof(struct mc_loop_args, a) == MC_ARG_A);
static_assert(offsetof(struct mc_loop_args, b) == MC_ARG_B);
static_assert(offsetof(struct mc_loop_args, c) == MC_ARG_C);
static_assert(offsetof(struct mc_loop_args, d) == MC_ARG_D);
static_assert(offsetof(struct mc_loop_args, bytes) == MC_ARG_BYTES);
static_assert(offsetof(struct mc_loop_args, passes) == MC_ARG_PASSES);
static_assert(offsetof(struct mc_loop_args, value) == MC_ARG_VALUE);
static_assert(offsetof(struct mc_loop_args, fence) == MC_ARG_FENCE);
static_assert(offsetof(struct mc_loop_args, uc_word) == MC_ARG_UC_WORD);
static_assert(offsetof(struct mc_loop_args, at) == MC_ARG_AT);
static_assert(offsetof(struct mc_loop_args, streams) == MC_ARG_STREAMS);
static_assert(offsetof(struct mc_loop_args, data) == MC_ARG_DATA);
static_assert(offsetof(struct mc_loop_args, lanes) == MC_ARG_LANES);

#define ROW(lower, upper, bytes, feature)				\
	{ MC_OP_##upper, bytes, feature, mc_asm_##lower##bytes }

#define ROW_STREAMS(lower, upper, bytes, feature)			\
	{ MC_OP_##upper, bytes, feature, mc_asm_##lower##bytes,		\
	  mc_asm_##lower##_streams##bytes }

#define DECLARE(op)							\
	void mc_asm_##op##8(struct mc_loop_args *args);			\
	void mc_asm_##op##16(struct mc_loop_args *args);		\
	void mc_asm_##op##32(struct mc_loop_args *args);		\
	void mc_asm_##op##64(struct mc_loop_args *args)

DECLARE(read);
DECLARE(read_streams);
DECLARE(ntread);
DECLARE(ntread_streams);
DECLARE(write);
DECLARE(write_streams);
DECLARE(ntwrite);
DECLARE(ntwrite_streams);
DECLARE(copy);
DECLARE(copy_streams);
DECLARE(ntcopy);
DECLARE(ntcopy_streams);
DECLARE(rmw);
DECLARE(rmw_streams);
DECLARE(triad);
DECLARE(triad_streams);
DECLARE(nttriad);
DECLARE(nttriad_streams);
DECLARE(rw31);
DECLARE(rw21);
DECLARE(rw11);
DECLARE(write_clflushopt);
DECLARE(write_clwb);
DECLARE(sum);
DECLARE(check);

/* The rows of an operation are in ascending order of width. */
static const struct mc_loop loops[] = {
	ROW_STREAMS(read, READ, 8, MC_CPU_SSE2),
	ROW_STREAMS(read, READ, 16, MC_CPU_SSE2),
	ROW_STREAMS(read, READ, 32, MC_CPU_AVX2),
	ROW_STREAMS(read, READ, 64, MC_CPU_AVX512F),
	ROW_STREAMS(ntread, NTREAD, 16, MC_CPU_SSE41),
	ROW_STREAMS(ntread, NTREAD, 32, MC_CPU_AVX2),
	ROW_STREAMS(ntread, NTREAD, 64, MC_CPU_AVX512F),
	ROW_STREAMS(write, WRITE, 8, MC_CPU_SSE2),
	ROW_STREAMS(write, WRITE, 16, MC_CPU_SSE2),
	ROW_STREAMS(write, WRITE, 32, MC_CPU_AVX2),
	ROW_STREAMS(write, WRITE, 64, MC_CPU_AVX512F),
	ROW_STREAMS(ntwrite, NTWRITE, 8, MC_CPU_SSE2),
	ROW_STREAMS(ntwrite, NTWRITE, 16, MC_CPU_SSE2),
	ROW_STREAMS(ntwrite, NTWRITE, 32, MC_CPU_AVX2),
	ROW_STREAMS(ntwrite, NTWRITE, 64, MC_CPU_AVX512F),
	ROW_STREAMS(copy, COPY, 8, MC_CPU_SSE2),
	ROW_STREAMS(copy, COPY, 16, MC_CPU_SSE2),
	ROW_STREAMS(copy, COPY, 32, MC_CPU_AVX2),
	ROW_STREAMS(copy, COPY, 64, MC_CPU_AVX512F),
	ROW_STREAMS(ntcopy, NTCOPY, 8, MC_CPU_SSE2),
	ROW_STREAMS(ntcopy, NTCOPY, 16, MC_CPU_SSE2),
	ROW_STREAMS(ntcopy, NTCOPY, 32, MC_CPU_AVX2),
	ROW_STREAMS(ntcopy, NTCOPY, 64, MC_CPU_AVX512F),
	ROW_STREAMS(rmw, RMW, 8, MC_CPU_SSE2),
	ROW_STREAMS(rmw, RMW, 16, MC_CPU_SSE2),
	ROW_STREAMS(rmw, RMW, 32, MC_CPU_AVX2),
	ROW_STREAMS(rmw, RMW, 64, MC_CPU_AVX512F),
	ROW_STREAMS(triad, TRIAD, 8, MC_CPU_SSE2),
	ROW_STREAMS(triad, TRIAD, 16, MC_CPU_SSE2),
	ROW_STREAMS(triad, TRIAD, 32, MC_CPU_AVX2),
	ROW_STREAMS(triad, TRIAD, 64, MC_CPU_AVX512F),
	ROW_STREAMS(nttriad, NTTRIAD, 8, MC_CPU_SSE2),
	ROW_STREAMS(nttriad, NTTRIAD, 16, MC_CPU_SSE2),
	ROW_STREAMS(nttriad, NTTRIAD, 32, MC_CPU_AVX2),
	ROW_STREAMS(nttriad, NTTRIAD, 64, MC_CPU_AVX512F),
	ROW(rw31, RW31, 8, MC_CPU_SSE2),
	ROW(rw31, RW31, 16, MC_CPU_SSE2),
	ROW(rw31, RW31, 32, MC_CPU_AVX2),
	ROW(rw31, RW31, 64, MC_CPU_AVX512F),
	ROW(rw21, RW21, 8, MC_CPU_SSE2),
	ROW(rw21, RW21, 16, MC_CPU_SSE2),
	ROW(rw21, RW21, 32, MC_CPU_AVX2),
	ROW(rw21, RW21, 64, MC_CPU_AVX512F),
	ROW(rw11, RW11, 8, MC_CPU_SSE2),
	ROW(rw11, RW11, 16, MC_CPU_SSE2),
	ROW(rw11, RW11, 32, MC_CPU_AVX2),
	ROW(rw11, RW11, 64, MC_CPU_AVX512F),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 8, MC_CPU_SSE2),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 16, MC_CPU_SSE2),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 32, MC_CPU_AVX2),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 64, MC_CPU_AVX512F),
	ROW(write_clwb, WRITE_CLWB, 8, MC_CPU_SSE2),
	ROW(write_clwb, WRITE_CLWB, 16, MC_CPU_SSE2),
	ROW(write_clwb, WRITE_CLWB, 32, MC_CPU_AVX2),
	ROW(write_clwb, WRITE_CLWB, 64, MC_CPU_AVX512F),
	ROW(movdir64b, MOVDIR64B, 64, MC_CPU_SSE2),
	ROW(rep_movsb, REP_MOVSB, 1, MC_CPU_SSE2),
	ROW(rep_stosb, REP_STOSB, 1, MC_CPU_SSE2),
	ROW(sum, SUM, 8, MC_CPU_SSE2),
	ROW(sum, SUM, 16, MC_CPU_SSE2),
	ROW(sum, SUM, 32, MC_CPU_AVX2),
	ROW(sum, SUM, 64, MC_CPU_AVX512F),
	ROW(check, CHECK, 8, MC_CPU_SSE2),
	ROW(check, CHECK, 16, MC_CPU_SSE2),
	ROW(check, CHECK, 32, MC_CPU_AVX2),
	ROW(check, CHECK, 64, MC_CPU_AVX512F),
	ROW(flush, FLUSH, 64, MC_CPU_SSE2),
	ROW(flushopt, FLUSH, 64, MC_CPU_CLFLUSHOPT),
	{ }
};

static const struct mc_loop *const tables[] = { loops, mc_loops_of_kernel };

/* CPU features that an operation needs at any width; those of one width are in its row. */
const struct mc_op_info mc_ops[MC_NOPS] = {
#define OP(id, ...) { __VA_ARGS__ }
#include "arch/ops.h"
#undef OP
	[MC_OP_SUM] = { "sum", 1, 1, .sums = true },
	[MC_OP_CHECK] = { "check", 1, 1 },
	[MC_OP_FLUSH] = { "flush", 1, 1 },
};

/**
 * mc_loop_find() - find the loop for an operation and a width
 * @op: operation
 * @width: bytes an access
 *
 * Return: the loop, whether or not this CPU can run it, or NULL if there is none
 * (movntdqa has no 8-byte form).
 */
const struct mc_loop *mc_loop_find(enum mc_op op, unsigned int width)
{
	const struct mc_loop *loop;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (loop = tables[i]; loop->width; loop++) {
			if (loop->op == op && loop->width == width)
				return loop;
		}
	}
	return NULL;
}

/**
 * mc_loop_runs() - can this CPU run a loop?
 * @loop: the loop
 *
 * Return: true if it can.
 */
bool mc_loop_runs(const struct mc_loop *loop)
{
	return mc_cpu_has(loop->feature) && mc_cpu_has(mc_ops[loop->op].needs);
}

/**
 * mc_vectors_clean() - empty the upper halves of the vector registers
 *
 * The last user of the registers may have left data in the upper halves. Some CPUs then
 * run SSE instructions, which must preserve it, at half their speed.
 *
 * Context: Vector registers may be used.
 */
void mc_vectors_clean(void)
{
	if (mc_cpu_has(MC_CPU_AVX))
		asm volatile("vzeroupper");
}

/**
 * mc_loop_widest() - find the widest loop that this CPU can run
 * @op: operation
 *
 * Return: the loop, or NULL if the CPU can run none, or there is none.
 */
const struct mc_loop *mc_loop_widest(enum mc_op op)
{
	const struct mc_loop *best = NULL, *loop;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (loop = tables[i]; loop->width; loop++) {
			if (loop->op == op && mc_loop_runs(loop))
				best = loop;
		}
	}
	return best;
}

/**
 * mc_loop_sum() - sum that a summing loop has computed
 * @loop: the loop that ran
 * @args: what it ran with
 *
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
 * mc_loop_or() - differences that a comparing loop has found
 * @loop: the loop that ran
 * @args: what it ran with
 *
 * Return: 0 if every word was right.
 */
u64 mc_loop_or(const struct mc_loop *loop, const struct mc_loop_args *args)
{
	unsigned int i;
	u64 bits = 0;

	for (i = 0; i < loop->width / 2; i++)
		bits |= args->lanes[i];
	return bits;
}
