/* SPDX-License-Identifier: GPL-2.0-only */
/* The access loops over lines in random order; they share the rows of loops.S in loop_table.c. */
#include "arch/arm64/macros/loops_bodies.S"
#include "arch/arm64/macros/loops_scatter.S"

LOOPS_ORDERED LOOP_SCATTER, scatter

	.section .note.GNU-stack, "", @progbits
