/* SPDX-License-Identifier: GPL-2.0-only */
/* What the engine needs from the side it runs on: the kernel, or a process. */
#ifndef MC_SIDE_H
#define MC_SIDE_H

#include "measure/area.h"
#include "measure/test.h"

#define MC_SPREAD_NS	30000000	/* spread_ns of struct mc_side, where times are real */

/**
 * struct mc_side - operations of the kernel, or of user space
 * @spread_ns: how long the samples of a set in a cache last together, at least
 * @check: test whether this side can do what a point asks for. Called for every point
 *         before the first one is measured. Return: 0, -EINVAL or -EOPNOTSUPP,
 *         explained in the run's error
 * @goes_first: may the threads of a point go before all others, as sched=auto asks? NULL: no
 * @begin: called once the run's threads exist, so that they can be stopped; may be NULL
 * @end: called when the run's threads can no longer be stopped and the run's private
 *       memory can be freed; may be NULL
 * @tick: called after each sample, warm-ups included; @more: so many samples more are to come than
 *        mc_engine_samples() said, and than was said since then. May be NULL
 * @result: called with each result that is kept, as soon as it is there; may be NULL
 * @find: find a buffer for a point. The result is valid until @drop, or until the next
 *        call if it is the point's only buffer. Return: 0 or a negative errno,
 *        explained in the run's error
 * @drop: free the memory that belongs to this run alone
 * @node: node that the user has set for all memory, or -1
 * @uc_word: find a word on an uncached page that no test measures. Return: its address,
 *           or NULL, explained in the run's error
 * @user_map: map the first bytes of the point's buffer in the process that wrote the request, until
 *            the next @find or @drop. Return: the address, or 0, explained in the run's error
 * @loop_hold: keep the loop of op=own until @loop_drop. Return: 0, or -EOPNOTSUPP if there
 *             is none, explained in the run's error
 * @loop_drop: the run no longer needs that loop
 * @prefetch_off: switch prefetchers off if the point asks for it, and store the outcome
 *                in the point in place of the request. Return: 0 or a negative errno,
 *                explained in the run's error. NULL: this side never can
 * @prefetch_back: restore the prefetchers; correct the point if they did not stay off
 *                 until now. Return: as @prefetch_off
 */
struct mc_side {
	u64 spread_ns;
	int (*check)(struct mc_run *run, const struct mc_point *point);
	bool (*goes_first)(const struct mc_point *point);
	void (*begin)(struct mc_run *run);
	void (*end)(struct mc_run *run);
	void (*tick)(void *run, u64 more);
	void (*result)(struct mc_run *run, const struct mc_record *rec);
	int (*find)(struct mc_run *run, const struct mc_point *point,
		    const struct mc_wanted *want, struct mc_area *area);
	void (*drop)(void);
	int (*node)(void);
	void *(*uc_word)(struct mc_run *run);
	u64 (*user_map)(struct mc_run *run, u64 bytes);
	int (*loop_hold)(struct mc_run *run);
	void (*loop_drop)(void);
	int (*prefetch_off)(struct mc_run *run, struct mc_point *point);
	int (*prefetch_back)(struct mc_run *run, struct mc_point *point);
};

#endif /* MC_SIDE_H */
