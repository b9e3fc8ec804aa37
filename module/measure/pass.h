/* SPDX-License-Identifier: GPL-2.0-only */
/* One traversal of a working set, its division into windows, and the plan of a window. */
#ifndef MC_PASS_H
#define MC_PASS_H

#include "arch/loops.h"
#include "core/view.h"
#include "platform/workers.h"

#define MC_WINDOW_MAX_NS	5000000	/* the longest that a timed window may last */
#define MC_WINDOW_AIM_NS	2000000	/* the length that windows are cut to */
#define MC_PLAN_CALLS		32	/* calls of loops that a window makes at most */
#define MC_PLAN_STREAMS		64	/* streams of all of these calls */

/**
 * struct mc_pass_tally - what the loop of a pass has done and found
 * @passes: number of passes
 * @sum: summing loops: total of all passes
 * @uncopied: copies from or to the process: not 0 if one was too short
 * @wrong: comparing loops: OR of all differing bits of all words and passes
 */
struct mc_pass_tally {
	u64 passes;
	u64 sum;
	u64 uncopied;
	u64 wrong;
};

/**
 * struct mc_pass - one traversal of a thread's working set
 * @body: test's own loop, called in place of @loop: covers @bytes of its arguments, payload, a
 *        multiple of 64, and continues where the last call stopped; NULL: @loop is called
 * @arg: the same of its arguments
 * @variant: tells what @body does from what else it can do; NULL: it does one thing
 * @loop: the access loop
 * @readback: comparing loop of the same width that runs over the first array after @loop,
 *            within the pass; NULL: none
 * @view: the buffer
 * @offset: offset of each array in the buffer
 * @bytes: bytes of each array
 * @streams: number of streams for each array, a power of two. Each stream traverses an
 *           equal part of the array, MC_STREAM_BYTES or a multiple of it; 0 and 1: the
 *           array is traversed in one go
 * @turn: bytes of an array in a turn of the loop, or of all streams: a power of two up to a page;
 *        a window covers whole turns. 0: a line
 * @scatter: random order of the lines of each array, which all arrays share; NULL: lines
 *           are in order
 * @whole: a window covers whole passes, however long they last: the speed of a string
 *         instruction depends on its length
 * @user: address of the buffer in the writer's process, for operations of which one array is
 *        there; 0: none
 * @sleeps: its windows may sleep
 * @extent: bytes of each call of a function of the kernel; 0: as many as lie side by side
 * @piece: bytes behind which such a loop may let others run; 0: it never does
 * @data: what the loop stores (MC_DATA_*)
 * @value: counter loops: first word of the next pass; byte loops: integer whose lowest
 *         byte the next pass stores
 * @fence: fence after each pass (MC_FENCE_*)
 * @drain: each timed window ends with an sfence. The stores bypass the caches, and
 *         those that are still in the CPU's buffers have cost nothing yet
 * @uc_word: word on an uncached page, for MC_FENCE_UC
 * @tally: what its loop has done and found
 */
struct mc_pass {
	void (*body)(struct mc_loop_args *args);
	void *arg;
	const void *variant;
	const struct mc_loop *loop;
	const struct mc_loop *readback;
	const struct mc_view *view;
	u64 offset[MC_ARRAYS_MAX];
	u64 bytes;
	unsigned int streams;
	u64 turn;
	struct mc_scatter *scatter;
	bool whole;
	u64 user;
	bool sleeps;
	u64 extent;
	u64 piece;
	u64 data;
	u64 value;
	u64 fence;
	bool drain;
	void *uc_word;
	struct mc_pass_tally tally;
};

/**
 * struct mc_call - a call of a loop, ready to be made
 * @run: the loop, or its variant
 * @loop: the loop, or NULL: a test's own
 * @args: its arguments
 */
struct mc_call {
	void (*run)(struct mc_loop_args *args);
	const struct mc_loop *loop;
	struct mc_loop_args args;
};

/**
 * struct mc_plan - what a thread does in a window, made before it opens
 * @pass: the pass
 * @rounds: how often it makes the calls: more than once only where a call can't do several passes
 * @passes: number of passes that end with a round
 * @n: number of calls
 * @streams: number of streams that they use
 * @call: the calls
 * @stream: the streams
 */
struct mc_plan {
	struct mc_pass *pass;
	u64 rounds;
	u64 passes;
	unsigned int n;
	unsigned int streams;
	struct mc_call call[MC_PLAN_CALLS];
	struct mc_stream stream[MC_PLAN_STREAMS];
};

/**
 * struct mc_progress - progress of a sample
 * @passes: number of passes completed
 * @from: bytes done of the next pass
 * @bytes: bytes of an array that the last window covered
 * @ticks: its duration, 0 if the clock ran backwards
 * @worked: ticks for which the core had worked before it, without a pause
 */
struct mc_progress {
	u64 passes;
	u64 from;
	u64 bytes;
	u64 ticks;
	u64 worked;
};

/* Length of a pass, in bytes of an array: twice as many if it includes a read back. */
static inline u64 mc_pass_length(const struct mc_pass *p)
{
	return p->readback ? 2 * p->bytes : p->bytes;
}

u64 mc_data_step(u64 data);
u64 mc_pass_sum(const struct mc_pass *p);
u64 mc_pass_least(const struct mc_pass *p);
u64 mc_pass_quantum(const struct mc_pass *p, u64 bytes);
int mc_pass_window(struct mc_worker *w, struct mc_pass *p, struct mc_progress *at, u64 passes,
		   u64 quantum, bool irq_off);
struct mc_pass mc_pass_beside(const struct mc_pass *timed, enum mc_op op, unsigned int width);
int mc_pass_untimed(struct mc_worker *w, struct mc_pass *p);

#endif /* MC_PASS_H */
