/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of the requests for bandwidth, and the sizes of their arrays. */
#ifndef MC_BANDWIDTH_CHECK_H
#define MC_BANDWIDTH_CHECK_H

#include "arch/loops.h"
#include "measure/test.h"

enum {
	KEY_OP = MC_KEY_FIRST,
	KEY_WIDTH,
	KEY_FENCE,
	KEY_VERIFY,
	KEY_READBACK,
	KEY_STREAMS,
	KEY_DATA,
	KEY_PATTERN,
	KEY_ALIGN,
	KEY_DISTANCE,
	KEY_TAIL,
	KEY_EXTENT,
	KEY_PIECE,
};

#define MC_BANDWIDTH_PAGE	4096U	/* of which the lowest bits of two addresses may be alike */

static inline const struct mc_loop *mc_bandwidth_loop(const struct mc_point *point)
{
	return mc_loop_chosen(point->v[KEY_OP], point->v[KEY_WIDTH]);
}

/* Are the arrays anywhere but side by side, in whole lines? */
static inline bool mc_bandwidth_odd(const struct mc_point *point)
{
	return point->v[KEY_ALIGN] || point->v[KEY_TAIL] || point->v[KEY_DISTANCE] != MC_AUTO;
}

/* Does the function do a page, whatever one would ask for? */
static inline bool mc_bandwidth_takes_turn(const struct mc_op_info *op)
{
	return op->turn && op != &mc_ops[MC_OP_CLEAR_PAGES];
}

/* Bytes beside the whole lines of an array, where it may begin and end later. */
static inline u64 mc_bandwidth_room(const struct mc_point *point)
{
	if (!mc_bandwidth_odd(point))
		return 0;
	return point->v[KEY_DISTANCE] == MC_AUTO ? 128 : MC_BANDWIDTH_PAGE + 128;
}

/* Bytes of an array in a turn of the loop, or of all streams: a power of two. */
static inline u64 mc_bandwidth_turn(const struct mc_point *point)
{
	u64 turn = mc_ops[point->v[KEY_OP]].turn, streams = point->v[KEY_STREAMS];

	return max(turn, streams > 1 ? MC_STREAM_BYTES * streams : MC_LINE);
}

u64 mc_bandwidth_bytes(const struct mc_run *run, const struct mc_point *point);
int mc_bandwidth_check(struct mc_run *run, const struct mc_point *point);

#endif /* MC_BANDWIDTH_CHECK_H */
