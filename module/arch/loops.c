// SPDX-License-Identifier: GPL-2.0-only
/* The operations, and what finds a loop for one in the architecture's tables. */
#include "arch/loops.h"
#include "core/math.h"

static_assert(offsetof(struct mc_loop_args, a) == MC_ARG_A);
static_assert(offsetof(struct mc_loop_args, b) == MC_ARG_B);
static_assert(offsetof(struct mc_loop_args, c) == MC_ARG_C);
static_assert(offsetof(struct mc_loop_args, d) == MC_ARG_D);
static_assert(offsetof(struct mc_loop_args, array[4]) == MC_ARG_E);
static_assert(offsetof(struct mc_loop_args, bytes) == MC_ARG_BYTES);
static_assert(offsetof(struct mc_loop_args, passes) == MC_ARG_PASSES);
static_assert(offsetof(struct mc_loop_args, value) == MC_ARG_VALUE);
static_assert(offsetof(struct mc_loop_args, fence) == MC_ARG_FENCE);
static_assert(offsetof(struct mc_loop_args, uc_word) == MC_ARG_UC_WORD);
static_assert(offsetof(struct mc_loop_args, at) == MC_ARG_AT);
static_assert(offsetof(struct mc_loop_args, streams) == MC_ARG_STREAMS);
static_assert(offsetof(struct mc_loop_args, data) == MC_ARG_DATA);
static_assert(offsetof(struct mc_loop_args, scatter) == MC_ARG_SCATTER);
static_assert(offsetof(struct mc_loop_args, lanes) == MC_ARG_LANES);

static_assert(offsetof(struct mc_scatter, blocks) == MC_SCATTER_BLOCKS);
static_assert(offsetof(struct mc_scatter, offset) == MC_SCATTER_OFFSET);
static_assert(offsetof(struct mc_scatter, state) == MC_SCATTER_STATE);
static_assert(offsetof(struct mc_scatter, mask) == MC_SCATTER_MASK);
static_assert(offsetof(struct mc_scatter, shift) == MC_SCATTER_SHIFT);
static_assert(offsetof(struct mc_scatter, region) == MC_SCATTER_REGION);
static_assert(offsetof(struct mc_scatter, step) == MC_SCATTER_STEP);
static_assert(offsetof(struct mc_scatter, span) == MC_SCATTER_SPAN);
static_assert(offsetof(struct mc_scatter, left) == MC_SCATTER_LEFT);

static const struct mc_loop *const tables[] = {
	mc_loops, mc_loops_of_kernel, mc_loops_of_own
};

/* CPU features that an operation needs at any width; those of one width are in its row. */
struct mc_op_info mc_ops[MC_NOPS] = {
#define OP(id, ...) \
	[MC_OP_##id] = { __VA_ARGS__ }
#include "arch/ops.h"
#undef OP
	[MC_OP_SUM] = { "sum", 1, 1, .sums = true },
	[MC_OP_FILL] = { "fill", 1, 1, MC_STORES_RUN },
	[MC_OP_CHECK] = { "check", 1, 1 },
	[MC_OP_FLUSH] = { "flush", 1, 1 },
};

/**
 * mc_loop_find() - find the loop for an operation and a width
 * @op: operation
 * @width: bytes an access
 *
 * Return: the loop, whether or not this CPU can run it, or NULL if there is none.
 */
const struct mc_loop *mc_loop_find(enum mc_op op, unsigned int width)
{
	const struct mc_loop *loop;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (loop = tables[i]; READ_ONCE(loop->width); loop++) {
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
 * mc_loop_within() - find the widest loop, up to a width, that this CPU can run
 * @op: operation
 * @most: bytes of an access at most
 *
 * Return: the loop, or NULL if the CPU can run none, or there is none.
 */
const struct mc_loop *mc_loop_within(enum mc_op op, unsigned int most)
{
	const struct mc_loop *best = NULL, *loop;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (loop = tables[i]; READ_ONCE(loop->width); loop++) {
			if (loop->op == op && loop->width <= most && mc_loop_runs(loop))
				best = loop;
		}
	}
	return best;
}

/**
 * mc_loop_widest() - find the widest loop that this CPU can run
 * @op: operation
 *
 * Return: the loop, or NULL if the CPU can run none, or there is none.
 */
const struct mc_loop *mc_loop_widest(enum mc_op op)
{
	return mc_loop_within(op, ~0U);
}

/* The words of width=. */
const struct mc_name mc_width_names[] = {
	{ "8", 8 }, { "16", 16 }, { "32", 32 }, { "64", 64 },
	{ "max", MC_WIDTH_MAX, .asked_only = true }, { }
};

/**
 * mc_loop_chosen() - find the loop that a request asks for
 * @op: operation
 * @width: bytes an access, or MC_WIDTH_MAX, or MC_WIDTH_NARROW
 *
 * Return: the loop, or NULL as mc_loop_find() and mc_loop_widest().
 */
const struct mc_loop *mc_loop_chosen(enum mc_op op, u64 width)
{
	if (width == MC_WIDTH_NARROW)
		return mc_loop_within(op, MC_WIDTH_SAFE);
	return width == MC_WIDTH_MAX ? mc_loop_widest(op) : mc_loop_find(op, width);
}

/**
 * mc_loop_check() - does the loop exist that a request asks for, and can this CPU run it?
 * @op: op=
 * @width: width=
 * @e: says what is wrong
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int mc_loop_check(enum mc_op op, u64 width, struct mc_error *e)
{
	const struct mc_loop *loop = mc_loop_chosen(op, width);
	const char *name = mc_ops[op].name;

	if (!mc_cpu_has(mc_ops[op].needs))
		return mc_fail(e, -EOPNOTSUPP,
			       "op: this CPU has no instruction for op=%s", name);
	if (!loop && width == MC_WIDTH_NARROW)
		return mc_fail(e, -EINVAL,
			       "width: op=%s has no access of %u bytes or less, and a device may not answer wider ones; width= says which to make",
			       name, MC_WIDTH_SAFE);
	if (!loop && width == MC_WIDTH_MAX)
		return mc_fail(e, -EOPNOTSUPP,
			       "width: this CPU has no access of any width for op=%s", name);
	if (!loop)
		return mc_fail(e, -EINVAL,
			       "width: op=%s has no access of %llu bytes", name, width);
	if (!mc_loop_runs(loop))
		return mc_fail(e, -EOPNOTSUPP,
			       "width: this CPU has no access of %u bytes for op=%s; width=max uses the widest it has",
			       loop->width, name);
	return 0;
}

/**
 * mc_scatter_set() - set the order of the lines of an array
 * @scatter: result: all but the blocks, the offsets and the number of lines
 * @bytes: bytes of the array, at least a line
 *
 * Return: bytes that the order covers: @bytes, or up to 1/128 less, so that the number of
 * regions is odd and below MC_SCATTER_ODD.
 */
u64 mc_scatter_set(struct mc_scatter *scatter, u64 bytes)
{
	u64 odd = bytes / 64, each = 64, step;
	unsigned int bits = 0;

	while (odd % 2 == 0 || odd >= MC_SCATTER_ODD) {
		odd /= 2;
		each *= 2;
		bits++;
	}
	/* The golden ratio spreads successive regions evenly. */
	for (step = odd * 618 / 1000 + 1; mc_gcd(odd, step) > 1; step++)
		;
	scatter->state = 0;
	scatter->mask = each / 64 - 1;
	scatter->shift = bits > 1 ? bits / 2 : 1;
	scatter->region = 0;
	scatter->span = odd * each;
	scatter->step = step % odd * each;
	return scatter->span;
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
