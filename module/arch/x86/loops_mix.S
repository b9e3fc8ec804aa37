/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mixes of reads and writes: after each line that is written, one line of each other
 * array is read. The sums are in rax, r14 and r15, or in xmm12 to xmm15, separate from
 * the counters, so that no read waits for a write. More than four arrays need registers
 * that 8-byte words take, so these mixes have wider accesses only.
 */
#include "arch/x86/macros/loops_common.S"
#include "arch/x86/macros/loops_scatter.S"
#include "machine/widths.def"

	.text

/*
 * With 8-byte words one register is left to count, r12, and one to store. None is left
 * for a step, so these loops count by one whatever the data.
 */
.macro COUNT_BY_ONE store, k, o
	leaq \k-2(%r12), %r13
	\store %r13, \o(%rdx)
.endm

.macro STEP_MIX w, vstep
	.if \w == 8
	addq $4, %r12
	.else
	COUNTER_STEP \w, \vstep
	.endif
.endm

.macro DO_COUNT w, k, o
	.if \w == 8
	COUNT_BY_ONE movq, \k, \o
	.else
	DO_WRITE \w, \k, \o
	.endif
.endm

.macro DO_NTCOUNT w, k, o
	.if \w == 8
	COUNT_BY_ONE movnti, \k, \o
	.else
	DO_NTWRITE \w, \k, \o
	.endif
.endm

/* The same words to two arrays. */
.macro DO_COUNT_TWICE w, k, o
	DO_WRITE \w, \k, \o
	DO_WRITE \w, \k, \o, r9
.endm

.macro DO_NTCOUNT_TWICE w, k, o
	DO_NTWRITE \w, \k, \o
	DO_NTWRITE \w, \k, \o, r9
.endm

/* Add up the line at o of the array that register r points into. */
.macro ADD_LINE w, k, o, r
	.if \w == 8
	addq \o(%\r), %rax
	addq \o+8(%\r), %r14
	addq \o+16(%\r), %r15
	addq \o+24(%\r), %rax
	addq \o+32(%\r), %r14
	addq \o+40(%\r), %r15
	addq \o+48(%\r), %rax
	addq \o+56(%\r), %r14
	.elseif \w == 16
	paddq \o(%\r), %xmm12
	paddq \o+16(%\r), %xmm13
	paddq \o+32(%\r), %xmm14
	paddq \o+48(%\r), %xmm15
	.elseif \w == 64
	vpaddq \o(%\r), %zmm1\k, %zmm1\k
	.elseif \k == 3
	vpaddq \o(%\r), %ymm12, %ymm12
	vpaddq \o+32(%\r), %ymm13, %ymm13
	.else
	vpaddq \o(%\r), %ymm14, %ymm14
	vpaddq \o+32(%\r), %ymm15, %ymm15
	.endif
.endm

.macro ADD_LINES w, k, o, from:vararg
	.irp r, \from
	ADD_LINE \w, \k, \o, \r
	.endr
.endm

.macro READ_ONE w, k, o
	ADD_LINES \w, \k, \o, r9
.endm

.macro READ_TWO w, k, o
	ADD_LINES \w, \k, \o, r9, r10
.endm

.macro READ_THREE w, k, o
	ADD_LINES \w, \k, \o, r9, r10, r8
.endm

.macro READ_LAST_THREE w, k, o
	ADD_LINES \w, \k, \o, r10, r8, rax
.endm

.macro READ_FOUR w, k, o
	ADD_LINES \w, \k, \o, r9, r10, r8, rax
.endm

.macro READ_NINE w, k, o
	ADD_LINES \w, \k, \o, r9, r10, r8, rax, r12, r13, r14, r15, rbx
.endm

.macro PREP_MIX w
	.if \w == 8
	movq MC_ARG_VALUE(%rdi), %r12
	xorl %eax, %eax
	xorl %r14d, %r14d
	xorl %r15d, %r15d
	.else
	COUNTER_INIT \w
	.irp k, 2, 3, 4, 5
	W \w, "", "pxor %xmm1\k, %xmm1\k", "vpxor %xmm1\k, %xmm1\k, %xmm1\k", \
		"vpxor %xmm1\k, %xmm1\k, %xmm1\k"
	.endr
	.endif
.endm

.macro DONE_MIX w
	.if \w == 8
	movq %rax, lanes(%rdi)
	movq %r14, lanes+8(%rdi)
	movq %r15, lanes+16(%rdi)
	movq $0, lanes+24(%rdi)
	.else
	.irp k, 2, 3, 4, 5
	W \w, "", "movdqu %xmm1\k, lanes+16*(\k-2)(%rdi)", \
		"vmovdqu %ymm1\k, lanes+32*(\k-2)(%rdi)", \
		"vmovdqu64 %zmm1\k, lanes+64*(\k-2)(%rdi)"
	.endr
	.endif
.endm

/* With ordinary stores, and with non-temporal ones. */
.macro MIX name, w, arrays, behind, twice
LOOP mc_asm_\name\w, \w, DO_COUNT\twice, arrays=\arrays, prep=PREP_MIX, done=DONE_MIX, \
	behind=\behind, renew=1, step=STEP_MIX
LOOP mc_asm_nt\name\w, \w, DO_NTCOUNT\twice, arrays=\arrays, prep=PREP_MIX, \
	done=DONE_MIX, behind=\behind, renew=1, step=STEP_MIX
.if \w > 8 && \arrays <= MC_STREAM_ARRAYS
LOOP_SCATTER mc_asm_\name\()_scatter\w, \w, DO_COUNT, arrays=\arrays, prep=PREP_MIX, \
	done=DONE_MIX, behind=\behind, count=1
LOOP_SCATTER mc_asm_nt\name\()_scatter\w, \w, DO_NTCOUNT, arrays=\arrays, prep=PREP_MIX, \
	done=DONE_MIX, behind=\behind, count=1
.endif
.endm

#define LOOPS(...)
#define MIX(count, name, op, arrays, ...)	OF_##count(MAKE, name, arrays, __VA_ARGS__)
#define OF_FEW		OF_ALL
#define OF_MANY		OF_VECTORS
#define MAKE(bytes, feature, name, ...)	MIX name, bytes, __VA_ARGS__;
#include "arch/loops.def"

	.section .note.GNU-stack, "", @progbits
