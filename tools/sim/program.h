/* SPDX-License-Identifier: GPL-2.0-only */
/* The program whose code is watched: a static one, which lies at the addresses of its file. */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool program_read(const char *file);
bool program_has(uint64_t address, const uint8_t *bytes, size_t n);

#endif /* SIM_PROGRAM_H */
