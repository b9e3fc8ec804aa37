/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loops of random accesses: their table, and the arguments that C and assembly
 * share.
 */
#ifndef MC_RANDOM_H
#define MC_RANDOM_H

#include "core/generator.h"

/* Offsets in struct mc_random_args, for loops_random.S. */
#define MC_RANDOM_BLOCKS	0
#define MC_RANDOM_RANGE		8
#define MC_RANDOM_COUNT		16
#define MC_RANDOM_STATE		24
#define MC_RANDOM_VALUE		40
#define MC_RANDOM_SUM		48

/* A block holds 2^18 words of 8 bytes, and is contiguous: 2 MiB. */
#define MC_BLOCK_WORDS_LOG2	18

#ifndef __ASSEMBLER__

#define MC_BLOCK_BYTES		(8ULL << MC_BLOCK_WORDS_LOG2)
#define MC_NOT_IN_BLOCKS							\
	"page: the memory is not in blocks of 2 MiB; page=4k maps it in one piece"

/**
 * struct mc_random_args - arguments of a loop
 * @blocks: addresses of the working set's blocks; loops with byte offsets use the first
 *          one only
 * @range: number of words, or of byte offsets, to choose from
 * @count: number of accesses, a multiple of 8, not 0
 * @state: state of the generator, updated
 * @value: a write stores this plus the number of the word
 * @sum: reads add what they load to this
 */
struct mc_random_args {
	void *const *blocks;
	u64 range;
	u64 count;
	struct mc_random state;
	u64 value;
	u64 sum;
};

enum mc_random_op {
	MC_RANDOM_READ,		/* independent loads */
	MC_RANDOM_CHASE,	/* each load waits for the one before it */
	MC_RANDOM_WRITE,
	MC_RANDOM_NOPS,
};

/**
 * struct mc_random_loop - a row of the table
 * @access: the loop
 * @bare: the same loop without the access: it only computes the addresses
 */
struct mc_random_loop {
	void (*access)(struct mc_random_args *args);
	void (*bare)(struct mc_random_args *args);
};

const struct mc_random_loop *mc_random_loop_find(enum mc_generator generator,
						 enum mc_random_op op,
						 bool bytes);

#endif /* __ASSEMBLER__ */
#endif /* MC_RANDOM_H */
