// SPDX-License-Identifier: GPL-2.0-only
/* User-Mode Linux has neither devices nor physical memory of its own. */
#include "kernel/target.h"

/**
 * mc_target_init() - nothing: there is no device to bind
 *
 * Return: 0.
 */
int mc_target_init(void)
{
	return 0;
}

/**
 * mc_target_exit() - nothing
 */
void mc_target_exit(void)
{
}

/**
 * mc_target_room() - bytes that a request's target has
 * @req: the request
 *
 * Return: 0, since there is no target.
 */
u64 mc_target_room(const struct mc_request *req)
{
	return 0;
}

/**
 * mc_target_check() - refuse a target
 * @run: the run
 * @point: a point of it
 *
 * Return: -EOPNOTSUPP, explained in @run->error.
 */
int mc_target_check(struct mc_run *run, const struct mc_point *point)
{
	return mc_fail(&run->error, -EOPNOTSUPP,
		       "target: User-Mode Linux has no devices, so target=ram only");
}

/**
 * mc_target_find() - never called, since each target is refused
 * @run: the run
 * @point: a point of it
 * @area: not set
 *
 * Return: -EOPNOTSUPP.
 */
int mc_target_find(struct mc_run *run, const struct mc_point *point, struct mc_area *area)
{
	return mc_target_check(run, point);
}

/**
 * mc_target_end() - nothing
 * @run: the run
 */
void mc_target_end(struct mc_run *run)
{
}

/**
 * mc_target_back() - how far a run is that brings back the contents of its target
 * @done: not set
 * @all: not set
 *
 * Return: false, since there is no target.
 */
bool mc_target_back(u64 *done, u64 *all)
{
	return false;
}

/**
 * mc_target_give_up() - nothing
 */
void mc_target_give_up(void)
{
}
