/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions that the witness counts or acts on. */
#ifndef TYPES_INSTRUCTIONS_H
#define TYPES_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum kind { ORDINARY, STREAMING, FENCE_S, FENCE_M, FENCE_L, WRITE_BACK, READ_CLOCK };

enum kind instruction_kind(const uint8_t *b, const uint8_t *end, bool is64);

#endif /* TYPES_INSTRUCTIONS_H */
