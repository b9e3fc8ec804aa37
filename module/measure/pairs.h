/* SPDX-License-Identifier: GPL-2.0-only */
/* The pairs of CPUs that a request measures, and what the CPUs of a pair share. */
#ifndef MC_PAIRS_H
#define MC_PAIRS_H

#include "measure/test.h"
#include "platform/cpus.h"

/* The nearest thing that two CPUs share. */
enum mc_shares {
	MC_SHARES_CORE, MC_SHARES_L2, MC_SHARES_L3, MC_SHARES_L4,
	MC_SHARES_NODE, MC_SHARES_SOCKET, MC_SHARES_NOTHING,
};

extern const struct mc_name mc_shares_names[];
enum mc_shares mc_pair_shares(int a, int b);

/* The distance between the nodes of two CPUs, as the firmware says: 10 within one; 0: not known. */
static inline unsigned int mc_pair_distance(int a, int b)
{
	return mc_node_distance(mc_cpu_own_node(a), mc_cpu_own_node(b));
}

/* Number of all ordered pairs of CPUs of a request, its CPUs resolved; at least 1. */
static inline u64 mc_pairs_all(const struct mc_request *req)
{
	u64 cpus = req->any_cpu ? 1 : req->ncpus;

	return cpus > 1 ? cpus * (cpus - 1) : 1;
}

int mc_pairs_find(const struct mc_request *req, u32 **pairs, u64 *n, struct mc_error *e);

#endif /* MC_PAIRS_H */
