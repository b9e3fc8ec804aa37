/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory: which CPUs have a line in their L1 or L2, and which one has changed it. */
#ifndef SIM_DIRECTORY_H
#define SIM_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

bool directory_make(void);
void directory_empty(void);
unsigned int directory_sharers(uint64_t line);
int directory_owner(uint64_t line);
void directory_add(uint64_t line, unsigned int cpu);
void directory_own(uint64_t line, unsigned int cpu);
void directory_clean(uint64_t line);
void directory_remove(uint64_t line, unsigned int cpu);

#endif /* SIM_DIRECTORY_H */
