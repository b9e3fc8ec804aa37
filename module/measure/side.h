/* SPDX-License-Identifier: GPL-2.0-only */
/* What the engine asks of the side that it runs on: the kernel, or a process. */
#ifndef MC_SIDE_H
#define MC_SIDE_H

#include "measure/area.h"
#include "measure/test.h"

/**
 * struct mc_side - a side
 * @check: can this side do what a point asks for? Called for every point before the
 *         first one is measured. Return: 0, -EINVAL or -EOPNOTSUPP, explained in the
 *         run's error
 * @begin: the run's threads are there and can be stopped from now on; NULL: nothing
 *         is to be done
 * @end: they no longer can, and memory of the run alone can go; NULL: nothing is to
 *       be done
 * @tick: a sample is done, warm-ups included; NULL: nobody counts them
 * @find: a buffer for a point. What it fills in is valid until the next call for a
 *        point's only buffer, or @drop. Return: 0 or a negative errno, explained in
 *        the run's error
 * @drop: give back the memory that the run alone has
 * @node: node that the user has set for all memory, or -1
 * @uc_word: a word on an uncached page that is never measured. Return: its address, or
 *           NULL, explained in the run's error
 * @prefetch_off: switch prefetchers off if a point asks for it, and put what came of it
 *                in place of what was asked. Return: 0 or a negative errno, explained in
 *                the run's error. NULL: this side never can
 * @prefetch_back: put them back; the point is told if they were not off until now.
 *                 Return: as @prefetch_off
 */
struct mc_side {
	int (*check)(struct mc_run *run, const struct mc_point *point);
	void (*begin)(struct mc_run *run);
	void (*end)(struct mc_run *run);
	void (*tick)(void *run);
	int (*find)(struct mc_run *run, const struct mc_point *point,
		    const struct mc_wanted *want, struct mc_area *area);
	void (*drop)(void);
	int (*node)(void);
	void *(*uc_word)(struct mc_run *run);
	int (*prefetch_off)(struct mc_run *run, struct mc_point *point);
	int (*prefetch_back)(struct mc_run *run, struct mc_point *point);
};

#endif /* MC_SIDE_H */
