// SPDX-License-Identifier: GPL-2.0-only
/* The table of random loops: one row for each line in loops_random.S. */
#include "arch/random.h"

#define OFFSET(member)	offsetof(struct mc_random_args, member)

static_assert(OFFSET(blocks) == MC_RANDOM_BLOCKS);
static_assert(OFFSET(range) == MC_RANDOM_RANGE);
static_assert(OFFSET(count) == MC_RANDOM_COUNT);
static_assert(OFFSET(state) == MC_RANDOM_STATE);
static_assert(OFFSET(value) == MC_RANDOM_VALUE);
static_assert(OFFSET(sum) == MC_RANDOM_SUM);

#define LOOP(name)	mc_asm_##name(struct mc_random_args *args)

#define PROTOTYPES(name)						\
	void LOOP(name##_words), LOOP(name##_words_bare),		\
	     LOOP(name##_bytes), LOOP(name##_bytes_bare)

#define ROW(name)							\
	{								\
		{ .access = mc_asm_##name##_words,			\
		  .bare = mc_asm_##name##_words_bare },			\
		{ .access = mc_asm_##name##_bytes,			\
		  .bare = mc_asm_##name##_bytes_bare }			\
	}

PROTOTYPES(lcg_read);
PROTOTYPES(lcg_chase);
PROTOTYPES(lcg_write);
PROTOTYPES(xorshift_read);
PROTOTYPES(xorshift_chase);
PROTOTYPES(xorshift_write);

static const struct mc_random_loop loops[MC_NGENERATORS][MC_RANDOM_NOPS][2] = {
	[MC_LCG] = {
		[MC_RANDOM_READ] = ROW(lcg_read),
		[MC_RANDOM_CHASE] = ROW(lcg_chase),
		[MC_RANDOM_WRITE] = ROW(lcg_write),
	},
	[MC_XORSHIFT] = {
		[MC_RANDOM_READ] = ROW(xorshift_read),
		[MC_RANDOM_CHASE] = ROW(xorshift_chase),
		[MC_RANDOM_WRITE] = ROW(xorshift_write),
	},
};

/**
 * mc_random_loop_find() - find the loops for a kind of access
 * @generator: generator of the places
 * @op: the access
 * @bytes: access any byte of the first block, otherwise any word
 *
 * Return: the loops.
 */
const struct mc_random_loop *mc_random_loop_find(enum mc_generator generator,
						 enum mc_random_op op,
						 bool bytes)
{
	return &loops[generator][op][bytes];
}
