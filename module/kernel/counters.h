/* SPDX-License-Identifier: GPL-2.0-only */
/* The file `counters`: which perf counters are read around each sample. */
#ifndef MC_KERNEL_COUNTERS_H
#define MC_KERNEL_COUNTERS_H

#include "core/text.h"

int mc_counters_write(const char *text, size_t len, bool replace);
void mc_counters_show(struct mc_text *t);
void mc_counters_exit(void);

#endif /* MC_KERNEL_COUNTERS_H */
