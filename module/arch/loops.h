/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops: their table, and the arguments that C and assembly share. The words
 * stored are values of a counter, so a pass leaves known words behind, and a sum verifies
 * them. The data (MC_DATA_*) say by how much the counter grows from word to word. Timed
 * loops store the same few values again and again during a pass, and the next few in the
 * next pass (measure/pass.c). Loops that can only repeat a byte store the lowest byte of
 * the counter, which then counts passes.
 */
#ifndef MC_LOOPS_H
#define MC_LOOPS_H

/* Offsets in struct mc_loop_args, for assembly files. */
#define MC_ARG_A	0
#define MC_ARG_B	8
#define MC_ARG_C	16
#define MC_ARG_D	24
#define MC_ARG_E	32	/* and the other arrays behind it, up to the tenth */
#define MC_ARG_BYTES	80
#define MC_ARG_PASSES	88
#define MC_ARG_VALUE	96
#define MC_ARG_FENCE	104
#define MC_ARG_UC_WORD	112
#define MC_ARG_AT	120
#define MC_ARG_STREAMS	128
#define MC_ARG_DATA	136
#define MC_ARG_SCATTER	144
#define MC_ARG_LANES	152

/* Offsets in struct mc_scatter, for assembly files. */
#define MC_SCATTER_BLOCKS	0
#define MC_SCATTER_OFFSET	8
#define MC_SCATTER_STATE	40
#define MC_SCATTER_MASK		48
#define MC_SCATTER_SHIFT	56
#define MC_SCATTER_REGION	64
#define MC_SCATTER_STEP		72
#define MC_SCATTER_SPAN		80
#define MC_SCATTER_LEFT		88

#define MC_SCATTER_ODD		256	/* an array has an odd number of regions below this */

#define MC_HINT_AHEAD	512	/* bytes from a line to the one that a hint behind it is about */

#define MC_ARRAYS_MAX	10
#define MC_STREAM_ARRAYS	4	/* most arrays of an operation with streams */
#define MC_STREAMS_MAX	16
#define MC_STREAM_BYTES	256	/* bytes of a stream before the next one takes its turn */

#define MC_FENCE_NONE	0
#define MC_FENCE_SFENCE	1
#define MC_FENCE_MFENCE	2
#define MC_FENCE_UC	3
/* Of arm64. Its loops find the fence bit by bit. */
#define MC_FENCE_DMB_SY		4
#define MC_FENCE_DMB_ISH	5
#define MC_FENCE_DMB_ISHLD	6
#define MC_FENCE_DMB_ISHST	7
#define MC_FENCE_DMB_OSH	8
#define MC_FENCE_DMB_OSHLD	9
#define MC_FENCE_DMB_OSHST	10
#define MC_FENCE_DSB_SY		11
#define MC_FENCE_DSB_LD		12
#define MC_FENCE_DSB_ST		13
#define MC_FENCE_DSB_ISH	14
#define MC_FENCE_DSB_ISHST	15
#define MC_NFENCES	16
#define MC_FENCE_LOCKED	MC_NFENCES	/* of x86, not behind passes */

#define MC_DATA_COUNTER	0
#define MC_DATA_RANDOM	1
#define MC_DATA_ZERO	2

/*
 * Step from word to word of MC_DATA_RANDOM: 2^64 divided by the golden ratio, modulo
 * 2^64 and odd. Multiples of it spread evenly over all words, and no two words of a
 * buffer are alike (Knuth, The Art of Computer Programming vol. 3, section 6.4). It is
 * written as a negative number because the assembler computes with signed ones.
 */
#define MC_RANDOM_STEP	-0x61c8864680b583eb

#ifndef __ASSEMBLER__
#include "core/keys.h"
#include "machine/instructions.h"
#include "platform/cpus.h"

/**
 * struct mc_stream - position of a stream in each array
 * @array: address in each array
 */
struct mc_stream {
	void *array[MC_STREAM_ARRAYS];
};

/**
 * struct mc_scatter - order of lines in loops that go through arrays at random
 * @blocks: addresses of the buffer's blocks of MC_BLOCK_BYTES (random.h)
 * @offset: offset of each array in the buffer
 * @state: state of a linear congruential generator
 * @mask: lines of a region, a power of two, less one
 * @shift: half of the bits of @mask, at least 1
 * @region: offset of the current region
 * @step: distance from this region to the next one, modulo @span
 * @span: bytes of all regions together, that is, of an array
 * @left: number of lines to access
 *
 * An array consists of an odd number of regions of equal size. From line to line the region
 * and the line's number in it change, and both cycles together reach each line once.
 */
struct mc_scatter {
	void *const *blocks;
	u64 offset[MC_STREAM_ARRAYS];
	u64 state;
	u64 mask;
	u64 shift;
	u64 region;
	u64 step;
	u64 span;
	u64 left;
};

/**
 * struct mc_loop_args - arguments of a loop
 * @a: the array, or the one to write if there are several
 * @b: second array, to read
 * @c: third array, to read
 * @d: fourth array, to read
 * @array: all arrays, of which @a to @d are the first
 * @bytes: bytes of each array, a multiple of 64, not 0; with several streams the bytes
 *         of each stream, a multiple of MC_STREAM_BYTES
 * @passes: number of passes, not 0
 * @value: counter loops: the first word; the counter goes on from pass to pass. Byte loops:
 *         its lowest byte is stored; it grows by one in each pass, with MC_DATA_ZERO
 *         it does not
 * @fence: fence after each pass (MC_FENCE_*)
 * @uc_word: word on an uncached page, for MC_FENCE_UC
 * @at: start of each stream, for loops over several streams, which ignore @array
 * @streams: number of streams
 * @data: what counter loops and byte loops store (MC_DATA_*)
 * @scatter: order of lines, for loops in random order, which ignore @array, @bytes and
 *           @passes
 * @lanes: result of loops that read: what each of the 4 registers of the loop's width
 *         accumulated, or loaded last, in lanes of 8 bytes
 * @extent: bytes of each call of a function of the kernel; 0: as many as lie side by side
 * @piece: bytes behind which such a loop may let others run; 0: it never does
 * @arg: for a test's own loop
 */
struct mc_loop_args {
	union {
		struct {
			void *a;
			void *b;
			void *c;
			void *d;
		};
		void *array[MC_ARRAYS_MAX];
	};
	u64 bytes;
	u64 passes;
	u64 value;
	u64 fence;
	void *uc_word;
	struct mc_stream *at;
	u64 streams;
	u64 data;
	struct mc_scatter *scatter;
	u64 lanes[32];
	u64 extent;
	u64 piece;
	void *arg;
};

enum mc_op {
#define OP(id, ...) MC_OP_##id
#include "arch/ops.h"
#undef OP
	/* Helpers of other loops. */
	MC_OP_SUM,	/* of all words */
	MC_OP_FILL,	/* stores consecutive values of the counter */
	MC_OP_CHECK,	/* OR of (word ^ counter): 0 if every word is right */
	MC_OP_FLUSH,	/* clflush, or clflushopt, of every line */
	MC_NOPS,
};

/* What an operation leaves in its first array. */
enum mc_stores {
	MC_STORES_NOTHING,
	MC_STORES_COUNTER,	/* the values of the pass, see values_of_pass() */
	MC_STORES_COPY,		/* of the second array */
	MC_STORES_ONE_MORE,	/* the old word plus one */
	MC_STORES_TRIAD,	/* consecutive mantissas, computed from those of the others */
	MC_STORES_BYTE,
	MC_STORES_UNKNOWN,	/* something that nobody can verify */
	MC_STORES_RUN,		/* consecutive values of the counter */
	MC_STORES_OR,		/* the old word, with its lowest bit set */
	MC_STORES_ZERO,		/* zeros, whatever data= says */
};

/* How a function of the kernel moves memory on this CPU. */
enum mc_uses {
	MC_USES_UNKNOWN,
	MC_USES_MOVSB,
	MC_USES_MOVSQ,
	MC_USES_STOSB,
	MC_USES_STOSQ,
	MC_USES_LOOP,
	MC_USES_STREAMING,	/* stores that bypass the caches */
};

/**
 * struct mc_loop - a row of the table of loops
 * @op: its operation
 * @width: bytes of an access: 8, 16, 32, 64; or 1 or 4 if nothing else exists
 * @feature: CPU feature that the width needs
 * @run: the loop
 * @run_streams: the loop over several streams; NULL: there is none
 * @run_scatter: the loop over lines in random order; NULL: there is none
 * @run_word: the loop over the word @a of its arguments, which accesses it once for each 8 of their
 *            @bytes, a multiple of 64; NULL: there is none
 * @normal_only: it makes accesses that fault on device memory, see mc_device_memory()
 */
struct mc_loop {
	enum mc_op op;
	unsigned int width;
	enum mc_feature feature;
	void (*run)(struct mc_loop_args *args);
	void (*run_streams)(struct mc_loop_args *args);
	void (*run_scatter)(struct mc_loop_args *args);
	void (*run_word)(struct mc_loop_args *args);
	bool normal_only;
};

/**
 * struct mc_op_info - properties of an operation
 * @name: as in op=
 * @arrays: number of arrays, all of the same size
 * @payload: bytes moved for each byte of an array, or for each @turn bytes
 * @turn: bytes of each array that the loop takes at a time; 0: it takes lines
 * @stores: contents that it leaves in its first array
 * @needs: CPU feature that it needs at any width
 * @sums: it adds up what it reads: all arrays except one that it writes
 * @nontemporal: its stores bypass the caches
 * @twice: its second array gets the same words as the first one
 * @flushes: it flushes what it has stored, so the memory must be cached: WB
 * @hints: it gives hints about lines, which mean something in cached memory only: WB
 * @atomic: each access is a locked one. Only cached memory surely has those: on others, an arm64
 *          machine may raise an SError, and an x86 one lock its bus
 * @kernels: it is a function of the kernel, which may lack it
 * @processes: its loop is in user space alone
 * @user: number of the array whose addresses are a process's, from 1 on; 0: none
 * @registered: its loop is registered by somebody else, and is there as long as a run holds it
 */
struct mc_op_info {
	const char *name;
	unsigned int arrays;
	unsigned int payload;
	enum mc_stores stores;
	enum mc_feature needs;
	u64 turn;
	bool sums;
	bool nontemporal;
	bool twice;
	bool flushes;
	bool hints;
	bool atomic;
	bool kernels;
	bool processes;
	unsigned int user;
	bool registered;
};

/* Only the row of MC_OP_OWN ever changes, and not while a run holds its loop. */
extern struct mc_op_info mc_ops[MC_NOPS];

/**
 * mc_op_written() - number of arrays that an operation stores to
 * @op: its properties
 *
 * Return: the number; they are the first ones.
 */
static inline unsigned int mc_op_written(const struct mc_op_info *op)
{
	return op->stores ? 1 + op->twice : 0;
}

/*
 * The loops of the architecture, those that call the kernel's functions, and the one that
 * somebody has registered. The rows of an
 * operation are in ascending order of width; the last row of a table has width 0.
 */
extern const struct mc_loop mc_loops[];
extern const struct mc_loop mc_loops_of_kernel[];
extern struct mc_loop mc_loops_of_own[];

#define MC_WIDTH_MAX	0	/* the value of width=max */
#define MC_WIDTH_NARROW	(~0ULL)	/* the widest up to MC_WIDTH_SAFE */
#define MC_WIDTH_SAFE	8U	/* bytes of an access that each device is supposed to answer */
extern const struct mc_name mc_width_names[];

void mc_vectors_clean(void);
enum mc_uses mc_kernel_uses(enum mc_op op);
bool mc_fence_runs(u64 fence);
void mc_fence(u64 fence);
bool mc_device_memory(enum mc_type type);
const struct mc_loop *mc_loop_find(enum mc_op op, unsigned int width);
const struct mc_loop *mc_loop_within(enum mc_op op, unsigned int most);
const struct mc_loop *mc_loop_widest(enum mc_op op);
bool mc_loop_runs(const struct mc_loop *loop);
const struct mc_loop *mc_loop_chosen(enum mc_op op, u64 width);
int mc_loop_check(enum mc_op op, u64 width, struct mc_error *e);
u64 mc_scatter_set(struct mc_scatter *scatter, u64 bytes);
u64 mc_loop_sum(const struct mc_loop *loop, const struct mc_loop_args *args);
u64 mc_loop_or(const struct mc_loop *loop, const struct mc_loop_args *args);

void mc_asm_movdir64b64(struct mc_loop_args *args);
void mc_asm_rep_movsb1(struct mc_loop_args *args);
void mc_asm_rep_stosb1(struct mc_loop_args *args);
void mc_asm_flush64(struct mc_loop_args *args);
void mc_asm_flushopt64(struct mc_loop_args *args);

/* Of arm64, called directly, for loops that call the kernel's functions. */
void mc_asm_fence(const struct mc_loop_args *args);

/* Called directly, by the test overhead and by the verdict. */
void mc_asm_count(u64 count);
void mc_asm_reload(void *line, u64 count);
void mc_asm_flush_reload(void *line, u64 count);
void mc_asm_combine(void *line, u64 count);

/* fill.c, for the verdict. */
#define MC_FILL_LINES	64	/* of a page: more than any CPU has buffers that combine */
void mc_fill_by_lines(void *page, u64 words);
void mc_fill_by_words(void *page, u64 words);

#endif /* __ASSEMBLER__ */
#endif /* MC_LOOPS_H */
