/* SPDX-License-Identifier: GPL-2.0-only */
/* The data source of the accesses of a record: which cache level, or memory, served them. */
#ifndef MC_SOURCE_H
#define MC_SOURCE_H

#include "core/chase.h"
#include "core/level.h"
#include "measure/test.h"

#define MC_AUTO_MOST	(16ULL << 30)	/* a larger set takes minutes */

/* The column `level`, for tests that set @level of struct mc_test. */
#define MC_LEVEL_COLUMN {						\
	.name = "level", .names = mc_hit_names,				\
	.help = "smallest cache that holds the working set, by what the CPU reports; between: " \
		"none does, and it is less than four times the last caches, or one that was " \
		"found",							\
}

u64 mc_source_caches(const u64 *cpus, unsigned int level);
u64 mc_source_unlisted(const u64 *cpus);
u64 mc_source_largest(const u64 *cpus);
u64 mc_source_before_last(int cpu, u64 bytes);
void mc_source_sizes(struct mc_request *req);
void mc_source_record(const struct mc_run *run, struct mc_record *rec);
enum mc_hit mc_source_of_held(const struct mc_record *rec, int cpu, const struct mc_chase *chase);
enum mc_hit mc_source_of_chase(const struct mc_run *run, const struct mc_record *rec,
			       const struct mc_chase *chase, u64 loads);

#endif /* MC_SOURCE_H */
