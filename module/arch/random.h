/* SPDX-License-Identifier: GPL-2.0-only */
/* The loops of random accesses: what C and assembly share, and their table. */
#ifndef MC_RANDOM_H
#define MC_RANDOM_H

#include "core/generator.h"

/* Offsets into struct mc_random_args, for loops_random.S. */
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

/**
 * struct mc_random_args - what a loop is called with
 * @blocks: where the working set's blocks lie; loops that take byte offsets
 *          only go to the first one
 * @range: words, or byte offsets, to choose from
 * @count: accesses, a multiple of 8, not 0
 * @state: of the generator; runs on
 * @value: what is written is this plus the word's number
 * @sum: what was read is added to this
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
	MC_RANDOM_READ,		/* accesses do not wait for each other */
	MC_RANDOM_CHASE,	/* each waits for what the last one has loaded */
	MC_RANDOM_WRITE,
	MC_RANDOM_NOPS,
};

/**
 * struct mc_random_loop - a row of the table
 * @access: the loop
 * @bare: the same, but it only computes the addresses
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
