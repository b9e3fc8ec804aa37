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

static int refuse_targets(const struct mc_request *req, u64 *bytes, struct mc_error *e)
{
	return mc_fail(e, -EOPNOTSUPP,
		       "target: User-Mode Linux has no devices, so target=ram only");
}

static const struct mc_target_ops target_ops = { .find = refuse_targets };

struct mc_opened mc_opened = { .ops = &target_ops };

bool mc_target_back(u64 *done, u64 *all)
{
	return false;
}

void mc_target_give_up(void)
{
}
