/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TYPES_LOAD_H
#define TYPES_LOAD_H

#include <stdint.h>

uint64_t load_bytes(void);
void load(void);

#endif /* TYPES_LOAD_H */
