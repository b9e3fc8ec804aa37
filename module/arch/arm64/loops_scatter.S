/* SPDX-License-Identifier: GPL-2.0-only */
/* The access loops over lines in random order. */
#include "arch/arm64/macros/loops_bodies.S"
#include "arch/arm64/macros/loops_scatter.S"

#define COUNTS				count=1
#define LOOPS_IN_ORDER(...)
#define MAKE(bytes, feature, name, ...)	LOOP_SCATTER name##_scatter##bytes, bytes, __VA_ARGS__;
#include "arch/loops.def"

	.section .note.GNU-stack, "", @progbits
