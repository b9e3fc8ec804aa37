/* SPDX-License-Identifier: GPL-2.0-only */
/* Pointer chases. */
#ifndef MC_CHASE_H
#define MC_CHASE_H

#include "arch/chase.h"
#include "arch/loops.h"
#include "core/chase.h"
#include "measure/samples.h"

void mc_chase_body(struct mc_loop_args *args);
int mc_chase_link(struct mc_worker *w, struct mc_chase *c);
int mc_chase_walk(struct mc_worker *w, const struct mc_chase *c, struct mc_sampler *sampler);

#endif /* MC_CHASE_H */
