// SPDX-License-Identifier: GPL-2.0-only
/* User-Mode Linux has neither devices nor physical memory of its own. */
#include "kernel/target.h"

int mc_target_init(void)
{
	return 0;
}

void mc_target_exit(void)
{
}

u64 mc_target_room(const struct mc_request *req)
{
	return 0;
}

int mc_target_check(struct mc_run *run, const struct mc_point *point)
{
	return mc_fail(&run->error, -EOPNOTSUPP,
		       "target: User-Mode Linux has no devices, so target=ram only");
}

/* Never called, since each target is refused. */
int mc_target_find(struct mc_run *run, const struct mc_point *point, struct mc_area *area)
{
	return mc_target_check(run, point);
}

void mc_target_end(struct mc_run *run)
{
}

bool mc_target_back(u64 *done, u64 *all)
{
	return false;
}

void mc_target_give_up(void)
{
}
