/* SPDX-License-Identifier: GPL-2.0-only */
/* The access loops over lines in random order; they share the rows of loops.S in loop_table.c. */
#include "arch/x86/macros/loops_bodies.S"
#include "arch/x86/macros/loops_scatter.S"

.macro LOOPS w
LOOP_SCATTER mc_asm_read_scatter\w, \w, DO_READ, prep=PREP_SUM, done=DONE_SUM
.if \w > 8
LOOP_SCATTER mc_asm_ntread_scatter\w, \w, DO_NTREAD, prep=PREP_SUM, done=DONE_SUM, \
	behind=ADD_LOADS
.endif
LOOP_SCATTER mc_asm_write_scatter\w, \w, DO_WRITE, prep=PREP_COUNT, count=1
LOOP_SCATTER mc_asm_ntwrite_scatter\w, \w, DO_NTWRITE, prep=PREP_COUNT, count=1
LOOP_SCATTER mc_asm_copy_scatter\w, \w, DO_COPY, arrays=2
LOOP_SCATTER mc_asm_ntcopy_scatter\w, \w, DO_NTCOPY, arrays=2
LOOP_SCATTER mc_asm_rmw_scatter\w, \w, DO_RMW, prep=PREP_ONES
LOOP_SCATTER mc_asm_triad_scatter\w, \w, DO_TRIAD, arrays=3, prep=PREP_SCALAR
LOOP_SCATTER mc_asm_nttriad_scatter\w, \w, DO_NTTRIAD, arrays=3, prep=PREP_SCALAR
.endm

LOOPS 8
LOOPS 16
LOOPS 32
LOOPS 64

	.section .note.GNU-stack, "", @progbits
