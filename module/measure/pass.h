/* SPDX-License-Identifier: GPL-2.0-only */
/* One traversal of a working set, and the parts of it that windows take. */
#ifndef MC_PASS_H
#define MC_PASS_H

#include "arch/loops.h"
#include "core/view.h"
#include "platform/workers.h"

#define MC_WINDOW_MAX_NS	5000000	/* no timed window may last longer */
#define MC_WINDOW_AIM_NS	2000000	/* what windows are cut to */

/**
 * struct mc_pass - one traversal of a thread's working set
 * @stretch: does that many bytes of payload, a multiple of 64, in place of
 *           @loop, and goes on where it stopped; NULL: @loop
 * @arg: for @stretch
 * @loop: the access loop
 * @readback: comparing loop that runs over the first array behind @loop,
 *            within the pass; NULL: none
 * @view: the buffer
 * @offset: of each array in the buffer
 * @bytes: of each array
 * @streams: that each array is gone through in, a power of two: each has an equal
 *           part of it, of MC_STREAM_BYTES or a multiple; 0 and 1: one after the
 *           other
 * @value: counter loops: the integer that the next pass starts with; byte
 *         loops: the one whose lowest byte it stores
 * @fence: MC_FENCE_*, after each pass
 * @drain: a timed window ends with an sfence: its stores do not go through the
 *         caches, and those still in the CPU's buffers have cost nothing yet
 * @uc_word: for MC_FENCE_UC
 * @passes: passes done
 * @sum: summing loops: total of all passes
 * @wrong: comparing loops: bits that differed, in any word of any pass
 */
struct mc_pass {
	void (*stretch)(struct mc_pass *p, u64 bytes);
	void *arg;
	const struct mc_loop *loop;
	const struct mc_loop *readback;
	const struct mc_view *view;
	u64 offset[MC_ARRAYS_MAX];
	u64 bytes;
	unsigned int streams;
	u64 value;
	u64 fence;
	bool drain;
	void *uc_word;
	u64 passes;
	u64 sum;
	u64 wrong;
};

/**
 * struct mc_progress - where a sample stands
 * @passes: passes ended
 * @from: bytes into the next one
 */
struct mc_progress {
	u64 passes;
	u64 from;
};

u64 mc_pass_turn(unsigned int streams);
u64 mc_pass_least(const struct mc_pass *p);
u64 mc_pass_length(const struct mc_pass *p);
void mc_pass_part(struct mc_pass *p, u64 from, u64 to);
u64 mc_pass_window(struct mc_pass *p, struct mc_progress *at, u64 passes,
		   u64 quantum);
int mc_pass_untimed(struct mc_worker *w, struct mc_pass *p);

#endif /* MC_PASS_H */
