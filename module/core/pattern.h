/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of a file that the test `file` writes: a header, then words that are all
 * different, so that a reader can check each byte wherever it begins.
 */
#ifndef MC_CORE_PATTERN_H
#define MC_CORE_PATTERN_H

#include "core/shim.h"

#define MC_PATTERN_HEADER	32	/* bytes */

/**
 * struct mc_pattern - the contents of a file
 * @seed: selects the pattern
 * @bytes: size of the file
 */
struct mc_pattern {
	u64 seed;
	u64 bytes;
};

int mc_pattern_read(struct mc_pattern *p, const void *header);
void mc_pattern_fill(const struct mc_pattern *p, void *data, u64 offset, u64 bytes);
u64 mc_pattern_check(const struct mc_pattern *p, const void *data, u64 offset, u64 bytes);

#endif /* MC_CORE_PATTERN_H */
