/* SPDX-License-Identifier: GPL-2.0-only */
/* The file `mappings`: what types memory is mapped with, by the kernel and by a process. */
#ifndef MC_MAPPINGS_H
#define MC_MAPPINGS_H

#include <linux/kref.h>

#include "kernel/look.h"

/* A line of the file, terminator included: of a line and an error, each byte may become \u00XX. */
#define MC_MAPPING_MAX	8192

/**
 * struct mc_answer - the answer to a line; constant once it can be read
 * @ref: reference count
 * @line: the line
 * @error: why it is refused, or ended early
 * @look: the answer
 * @ranges: what @look.ranges points to
 */
struct mc_answer {
	struct kref ref;
	char line[512];
	struct mc_error error;
	struct mc_look look;
	struct mc_range ranges[MC_LOOK_RANGES];
};

int mc_mappings_line(const char *line, size_t len);
struct mc_answer *mc_mappings_get(void);
void mc_mappings_put(struct mc_answer *a);
void mc_mappings_json(struct mc_text *t, const struct mc_answer *a, u64 i);
void mc_mappings_exit(void);

#endif /* MC_MAPPINGS_H */
