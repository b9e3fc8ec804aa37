/* SPDX-License-Identifier: GPL-2.0-only */
/* Work on much memory, piece by piece. */
#ifndef MC_MEASURE_PIECES_H
#define MC_MEASURE_PIECES_H

#include "core/shim.h"

void mc_in_pieces(void *addr, u64 bytes, void (*work)(void *addr, unsigned int bytes));

#endif /* MC_MEASURE_PIECES_H */
