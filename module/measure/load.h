/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that load memory line by line, at a pace. */
#ifndef MC_LOAD_H
#define MC_LOAD_H

#include "arch/chase.h"
#include "core/keys.h"
#include "core/view.h"

#define MC_LOAD_WINDOW_NS	100000	/* length of such a thread's windows */
#define MC_LOAD_COUNTDOWN	20000ULL	/* the longest countdown behind a line, at once */
#define MC_LOAD_REST		200000ULL	/* counts of a window that does the rest */

/* The mixes, as op= names them. */
enum mc_mix_op {
	MC_MIX_READ, MC_MIX_RW31, MC_MIX_RW21, MC_MIX_RW11, MC_MIX_WRITE, MC_MIX_NTWRITE,
	MC_MIX_RW32, MC_MIX_RW41, MC_MIX_RW91, MC_MIX_NTRW31, MC_MIX_NTRW21, MC_MIX_NTRW11,
	MC_MIX_NTRW32, MC_MIX_NTRW41, MC_MIX_NTRW91, MC_MIX_COPY, MC_MIX_NTCOPY,
	MC_MIX_TRIAD, MC_MIX_NTTRIAD, MC_NMIXES,
	MC_MIX_CHASE = MC_NMIXES,	/* no load: the thread follows pointers */
};

/**
 * struct mc_mix - a step of the load
 * @reads: lines that it reads
 * @writes: lines that it writes then
 * @arrays: 1: these lines are neighbours; otherwise each is of an array of its own, and
 *          what is written is computed from what was read
 * @nt: the stores are non-temporal
 */
struct mc_mix {
	unsigned int reads;
	unsigned int writes;
	unsigned int arrays;
	bool nt;
};

extern const struct mc_mix mc_mixes[MC_NMIXES];
extern const struct mc_name mc_load_words[];
#define MC_LOAD_OPS	(mc_load_words + 1)	/* without chase */
extern const struct mc_name mc_load_patterns[];

/**
 * struct mc_load - what a thread does that loads memory, and where
 * @mix: its steps
 * @random: its lines are at random places
 * @delay: countdown after each line
 * @view: the buffer that holds its slice
 * @start: offset of the slice
 * @slice: bytes of the slice
 * @blocks: random lines: addresses of the blocks of MC_BLOCK_BYTES that hold the slice
 */
struct mc_load {
	const struct mc_mix *mix;
	bool random;
	u64 delay;
	const struct mc_view *view;
	u64 start;
	u64 slice;
	void **blocks;
};

/**
 * struct mc_walk - how far such a thread has come
 * @load: what it does
 * @at: bytes that it has gone through in each array
 * @rounds: how often it began again at the start of its arrays
 * @bytes: bytes of a window
 * @owed: counts that were left over of the countdowns behind the lines of the last windows
 * @args: arguments of the loop. Where the loop writes what it did not read, each word is
 *        their address
 */
struct mc_walk {
	const struct mc_load *load;
	u64 at;
	u64 rounds;
	u64 bytes;
	u64 owed;
	struct mc_paced args;
};

struct mc_measurement;

/* Bytes of a step in each array. */
static inline u64 mc_load_each(const struct mc_load *load)
{
	return (load->mix->reads + load->mix->writes) * MC_LINE / load->mix->arrays;
}

/* Bytes of each array of a slice, in whole lines. */
static inline u64 mc_load_array(const struct mc_load *load)
{
	return load->slice / load->mix->arrays & ~(MC_LINE - 1);
}

int mc_load_begin(struct mc_load *load, struct mc_measurement *meas, struct mc_error *e);

void mc_walk_begin(struct mc_walk *walk, const struct mc_load *load, u64 seed);
u64 mc_walk_steps(struct mc_walk *walk, u64 most);
u64 mc_walk_window(struct mc_walk *walk);
u64 mc_window_fit(u64 much, u64 least, u64 most, u64 ticks, u64 ns);
void mc_walk_fit(struct mc_walk *walk, u64 ticks);

#endif /* MC_LOAD_H */
