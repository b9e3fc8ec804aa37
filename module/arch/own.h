/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The description of a user's loop. `memcache loop` builds it into a shared object and a
 * module, and memcache reads it to run the loop as op=own. C and assembly include this
 * file, which includes no other one.
 */
#ifndef MC_OWN_H
#define MC_OWN_H

#define MC_OWN_ABI	1	/* grows when a field changes its meaning */

#define MC_OWN_NAME_MAX		64
#define MC_OWN_ARRAYS_MAX	4
#define MC_OWN_TURN_MIN		64
#define MC_OWN_TURN_MAX		4096	/* a page: pieces of a buffer are whole pages */

/* The data that the loop leaves in its first array: values of enum mc_stores. */
#define MC_OWN_NOTHING	0
#define MC_OWN_COPY	2
#define MC_OWN_RMW	3
#define MC_OWN_TRIAD	4
#define MC_OWN_UNKNOWN	6

/* The feature that the CPU must have: values of enum mc_feature. */
#define MC_OWN_BASE		0
#define MC_OWN_SSE41		1
#define MC_OWN_AVX2		3
#define MC_OWN_AVX512F		4
#define MC_OWN_CLFLUSHOPT	5
#define MC_OWN_CLWB		6
#define MC_OWN_MOVDIR64B	7

/* Bits of the loop's flags. */
#define MC_OWN_NONTEMPORAL	1
#define MC_OWN_FLUSHES		2
#define MC_OWN_WRITES_TWO	4	/* the first two arrays, not only the first one */
#define MC_OWN_FLAGS		7	/* all of them */

#ifndef __ASSEMBLER__

struct mc_loop_args;

/**
 * struct mc_own - description of a loop
 * @abi: MC_OWN_ABI
 * @layout: MC_ARG_LANES of the sources that the loop was built with: the layout of its
 *          arguments
 * @name: name of the loop, and the checksum of its file
 * @arrays: number of arrays
 * @turn: bytes of each array in a turn, a power of two
 * @payload: bytes that a turn loads and stores
 * @width: bytes of an access
 * @stores: data that the loop leaves in its first array (MC_OWN_NOTHING to MC_OWN_UNKNOWN)
 * @feature: CPU feature that its registers need (MC_OWN_BASE to MC_OWN_AVX512F)
 * @needs: CPU feature that other instructions of it need (MC_OWN_BASE to MC_OWN_MOVDIR64B)
 * @flags: MC_OWN_NONTEMPORAL and those below it
 * @run: distance from this description to the function, so that nothing needs relocating
 */
struct mc_own {
	unsigned int abi;
	unsigned int layout;
	char name[MC_OWN_NAME_MAX];
	unsigned int arrays;
	unsigned int turn;
	unsigned int payload;
	unsigned int width;
	unsigned int stores;
	unsigned int feature;
	unsigned int needs;
	unsigned int flags;
	long long run;
};

#ifdef __KERNEL__
struct module;

/* In the module that has the loop. */
extern const struct mc_own mc_own;
void mc_own_run(struct mc_loop_args *args);

int mc_own_register(const struct mc_own *own, void (*run)(struct mc_loop_args *args),
		    struct module *owner);
void mc_own_unregister(void);
#endif

const char *mc_own_set(const struct mc_own *own, void (*run)(struct mc_loop_args *args));
void mc_own_clear(void);
const char *mc_own_name(void);

#endif /* __ASSEMBLER__ */
#endif /* MC_OWN_H */
