/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which buffer serves which point: standing ones of size_mb made at load, and
 * larger ones, or ones on another node, that live as long as the run.
 */
#ifndef MC_POOL_H
#define MC_POOL_H

#include "kernel/buffers.h"
#include "measure/test.h"

int mc_pool_init(u64 bytes, int node, struct mc_error *e);
void mc_pool_exit(void);
int mc_pool_check(const struct mc_point *point, struct mc_error *e);
struct mc_buffer *mc_pool_standing(enum mc_type type);
void mc_pool_known(enum mc_type type, enum mc_attr *attribute,
		   struct mc_verdict *verdict);
struct mc_buffer *mc_pool_fence(void);
void *mc_pool_uc_word(struct mc_error *e);
void mc_pool_show(struct mc_text *t);
void mc_pool_json(struct mc_text *t);

#endif /* MC_POOL_H */
