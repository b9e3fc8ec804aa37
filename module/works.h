/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement of all threads: made ready, and put into a record. */
#ifndef MC_WORKS_H
#define MC_WORKS_H

#include "tests.h"

int mc_works_begin(struct mc_works *works, struct mc_run *run,
		   const struct mc_point *point);
void mc_works_record(struct mc_works *works, struct mc_record *rec);
void mc_works_end(struct mc_works *works);

#endif /* MC_WORKS_H */
