/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops: their table, and the arguments that C and assembly share.
 * Every word stored is the next integer of a counter, so what a pass leaves
 * behind is a run of consecutive integers, and a sum proves it.
 */
#ifndef MC_LOOPS_H
#define MC_LOOPS_H

/* Offsets into struct mc_loop_args, for loops.S. */
#define MC_ARG_A	0
#define MC_ARG_B	8
#define MC_ARG_C	16
#define MC_ARG_BYTES	24
#define MC_ARG_PASSES	32
#define MC_ARG_VALUE	40
#define MC_ARG_FENCE	48
#define MC_ARG_UC_WORD	56
#define MC_ARG_LANES	64

#define MC_FENCE_NONE	0
#define MC_FENCE_SFENCE	1
#define MC_FENCE_MFENCE	2
#define MC_FENCE_UC	3

#ifndef __ASSEMBLER__
#include "core/shim.h"

/**
 * struct mc_loop_args - what a loop is called with
 * @a: the array, or the one written where there are several
 * @b: second array, read
 * @c: third array, read
 * @bytes: of each array, a multiple of 64, not 0
 * @passes: how often all of it is traversed, not 0
 * @value: counter loops: the first integer; it runs on from pass to pass
 * @fence: MC_FENCE_*, executed after each pass
 * @uc_word: for MC_FENCE_UC: a word on an uncached page
 * @lanes: out, from loops that read: what each of the 4 registers of the
 *         loop's width accumulated, 8 bytes a lane
 */
struct mc_loop_args {
	void *a;
	void *b;
	void *c;
	u64 bytes;
	u64 passes;
	u64 value;
	u64 fence;
	void *uc_word;
	u64 lanes[32];
};

enum mc_op {
	MC_OP_READ,	/* sum of all words */
	MC_OP_NTREAD,	/* the same with movntdqa */
	MC_OP_WRITE,	/* counter */
	MC_OP_NTWRITE,	/* counter, non-temporal */
	MC_OP_COPY,	/* a = b */
	MC_OP_NTCOPY,	/* a = b, non-temporal stores */
	MC_OP_RMW,	/* a += 1, as integers */
	MC_OP_TRIAD,	/* a = b + 2 * c, as doubles */
	MC_OP_CHECK,	/* OR of (word ^ counter): 0 if every word is right */
	MC_OP_FLUSH,	/* clflush of every line */
	MC_NOPS,
};

/* What a loop needs of the CPU; mc_cpu_has() tells. */
enum mc_feature {
	MC_CPU_SSE2,
	MC_CPU_SSE41,
	MC_CPU_AVX2,	/* and FMA */
	MC_CPU_AVX512F,
};

/**
 * struct mc_loop - a row of the table of loops
 * @op: what it does
 * @width: bytes an access: 8, 16, 32, 64
 * @feature: what it needs of the CPU
 * @run: the loop
 */
struct mc_loop {
	enum mc_op op;
	unsigned int width;
	enum mc_feature feature;
	void (*run)(struct mc_loop_args *args);
};

/**
 * struct mc_op_info - what an operation does to memory
 * @name: as in op=
 * @arrays: arrays it works on, each of the same size
 * @payload: bytes it moves for each byte of an array
 * @writes: it writes its first array
 * @streams: it does so with non-temporal stores
 */
struct mc_op_info {
	const char *name;
	unsigned int arrays;
	unsigned int payload;
	bool writes;
	bool streams;
};

extern const struct mc_op_info mc_ops[MC_NOPS];

/**
 * mc_drain() - wait until all stores have left the CPU's buffers
 *
 * Context: Any.
 */
static inline void mc_drain(void)
{
	asm volatile("sfence" : : : "memory");
}

const struct mc_loop *mc_loop_find(enum mc_op op, unsigned int width);
const struct mc_loop *mc_loop_widest(enum mc_op op);
u64 mc_loop_sum(const struct mc_loop *loop, const struct mc_loop_args *args);
u64 mc_loop_or(const struct mc_loop *loop, const struct mc_loop_args *args);

void mc_asm_flush64(struct mc_loop_args *args);

/* Straight into assembly: for the test overhead, and for the verdict. */
void mc_asm_count(u64 count);
void mc_asm_reload(void *line, u64 count);
void mc_asm_flush_reload(void *line, u64 count);
void mc_asm_combine(void *line, u64 count);

#endif /* __ASSEMBLER__ */
#endif /* MC_LOOPS_H */
