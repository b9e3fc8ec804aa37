/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers in which a CPU describes its caches, made from a price file, and its clock. */
#ifndef SIM_DESCRIBE_H
#define SIM_DESCRIBE_H

#include "prices.h"

unsigned int describe_levels(const struct prices *p);
void describe_x86_cache(const struct prices *p, uint32_t index, uint32_t r[4]);
void describe_x86_clock(uint32_t highest, uint32_t leaf, uint32_t r[4]);
uint64_t describe_arm64_list(const struct prices *p, uint64_t qemus);
uint64_t describe_arm64_cache(const struct prices *p, uint64_t which);

#endif /* SIM_DESCRIBE_H */
