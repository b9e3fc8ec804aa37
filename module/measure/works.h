/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement of all threads: made ready, and put into a record. */
#ifndef MC_WORKS_H
#define MC_WORKS_H

#include "measure/test.h"

int mc_works_begin(struct mc_works *works, struct mc_run *run,
		   const struct mc_point *point);
u64 mc_works_turns(const struct mc_request *req);
int mc_works_near(const struct mc_run *run, const struct mc_point *point);
int mc_works_turn(struct mc_run *run, struct mc_record *rec, mc_job job,
		  void *arg);

u64 mc_works_close(struct mc_worker *w, struct mc_work *work);
void mc_works_keep(struct mc_works *works, u32 round, u64 ps);
void mc_works_record(struct mc_works *works, struct mc_record *rec);
struct mc_part mc_works_part(const struct mc_works *works,
			     const struct mc_area *area, unsigned int thread);
void mc_works_end(struct mc_works *works);

#endif /* MC_WORKS_H */
