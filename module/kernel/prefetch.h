/* SPDX-License-Identifier: GPL-2.0-only */
/* Hardware prefetchers: switched off while a point is measured, then put back. */
#ifndef MC_PREFETCH_H
#define MC_PREFETCH_H

#include "measure/test.h"

int mc_prefetch_init(void);
void mc_prefetch_exit(void);
int mc_prefetch_check(const struct mc_request *req,
		      const struct mc_point *point, struct mc_error *e);
int mc_prefetch_off(struct mc_run *run, struct mc_point *point);
int mc_prefetch_back(struct mc_run *run, struct mc_point *point);
void mc_prefetch_json(struct mc_text *t);

#endif /* MC_PREFETCH_H */
