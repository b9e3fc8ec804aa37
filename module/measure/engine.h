/* SPDX-License-Identifier: GPL-2.0-only */
/* A run on either side: check every point, then measure each. */
#ifndef MC_ENGINE_H
#define MC_ENGINE_H

#include "measure/test.h"

#define MC_MAX_RECORDS	262144	/* results that a request may have at most */

int mc_engine_cpus(struct mc_request *req, struct mc_error *e);
u64 mc_engine_records(const struct mc_request *req);
unsigned int mc_engine_threads(const struct mc_request *req);
u64 mc_engine_samples(const struct mc_request *req);
int mc_engine_check(struct mc_run *run);
void mc_engine_note(struct mc_text *t, const struct mc_request *req,
		    const struct mc_record *records, u64 n);
int mc_engine_measure(struct mc_run *run, struct mc_record *records, u64 *n);
const char *mc_engine_state(int err, u64 n);

/* Does a request, its CPUs resolved, need more threads than it has CPUs? */
static inline bool mc_engine_shares_cpus(const struct mc_request *req)
{
	return mc_engine_threads(req) > (req->any_cpu ? 1 : req->ncpus);
}

#endif /* MC_ENGINE_H */
