/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bodies of loops over doubles. The architecture has the sums and products, whose names say which
 * arrays they are of, and two ways to store them. The macros at the end take rows of loops.def.
 */

.macro DO_SCALE w, k, o
	TWICE_B \w, \k, \o
	STORE_DOUBLES \w, \k, \o
.endm

.macro DO_ADD w, k, o
	B_PLUS_C \w, \k, \o
	STORE_DOUBLES \w, \k, \o
.endm

.macro DO_TRIAD w, k, o
	B_PLUS_2C \w, \k, \o
	STORE_DOUBLES \w, \k, \o
.endm

.macro DO_NTTRIAD w, k, o
	B_PLUS_2C \w, \k, \o
	STREAM_DOUBLES \w, \k, \o
.endm

.macro DO_TRIAD4 w, k, o
	B_PLUS_CD \w, \k, \o
	STORE_DOUBLES \w, \k, \o
.endm

.macro DO_NTTRIAD4 w, k, o
	B_PLUS_CD \w, \k, \o
	STREAM_DOUBLES \w, \k, \o
.endm

/* A file defines what MAKE(bytes, feature, name, arguments of LOOP) makes of a row of loops.def. */
#define LOOPS(widths, orders, name, op, ...)	LOOPS_##orders(widths, mc_asm_##name, __VA_ARGS__)
#define LOOPS_ANY_ORDER(widths, ...)		widths(MAKE, __VA_ARGS__)
#ifndef LOOPS_ATOMIC
#define LOOPS_ATOMIC				LOOPS_ANY_ORDER
#define LOOPS_EXCLUSIVE(...)
#endif
#define MIX(...)
