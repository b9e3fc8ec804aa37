/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buffer for each point: a standing one of size_mb, made at load, or a larger
 * one, or one on another node, that lives as long as the run.
 */
#ifndef MC_KERNEL_MEMORY_H
#define MC_KERNEL_MEMORY_H

#include "kernel/buffers.h"
#include "measure/area.h"

int mc_memory_init(u64 bytes, int node, struct mc_error *e);
void mc_memory_exit(void);
int mc_memory_find(struct mc_run *run, const struct mc_point *point,
		   const struct mc_wanted *want, struct mc_area *area);
void mc_memory_drop(void);
int mc_memory_node(void);
int mc_memory_check(const struct mc_point *point, struct mc_error *e);
struct mc_buffer *mc_memory_permanent(enum mc_type type);
void mc_memory_known(enum mc_type type, enum mc_attr *attribute, struct mc_verdict *verdict);
struct mc_buffer *mc_memory_fence(void);
void *mc_memory_uc_word(struct mc_error *e);
void mc_memory_show(struct mc_text *t);
void mc_memory_json(struct mc_text *t);

#endif /* MC_KERNEL_MEMORY_H */
