/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of accesses by their width. */
#ifndef SIM_WIDTHS_H
#define SIM_WIDTHS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NWIDTHS	8	/* 1, 2, 4 … 64 bytes, and the rest */

unsigned int width_of(unsigned int bytes);
void widths_print(FILE *to, const char *name, const uint64_t *widths, bool *first);

#endif /* SIM_WIDTHS_H */
