/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops, one copy for the module and for user space.
 *
 * A loop is one line at the end of this file: LOOP name, width, and the body
 * macro that does one access of that width at an offset. 256 bytes an
 * iteration, 64 bytes an iteration for what is left; no call, no load and no
 * store but the access itself.
 *
 * Registers: rdi arguments, rsi passes left, rdx/r9/r10 the arrays' running
 * pointers, rcx end of the 256-byte part, r11 end of all, r8/rbx/rbp the
 * arrays' starts, rax fence. Data number k (2 to 5) is r1k, xmmk, ymmk or
 * zmmk; xmm0 is the counters' step for a round of four registers, xmm1 the
 * step for a line, xmm6 and up are for the body.
 */
#include "function.S"
#include "../../loops.h"

/* The preprocessor does not look into the strings that W is given. */
	.set lanes, MC_ARG_LANES

	.text

/* Pick the instruction for the width: W width, 8-, 16-, 32-, 64-byte form. */
.macro W w:req, i8, i16:req, i32:req, i64:req
	.if \w == 8
	\i8
	.elseif \w == 16
	\i16
	.elseif \w == 32
	\i32
	.else
	\i64
	.endif
.endm

/* ---- bodies: one access of width w at offset o with data number k ---- */

.macro DO_READ w, k, o
	W \w, "addq \o(%rdx), %r1\k", "paddq \o(%rdx), %xmm\k", \
		"vpaddq \o(%rdx), %ymm\k, %ymm\k", \
		"vpaddq \o(%rdx), %zmm\k, %zmm\k"
.endm

.macro DO_NTREAD w, k, o
	.if \w == 16
	movntdqa \o(%rdx), %xmm6
	paddq %xmm6, %xmm\k
	.elseif \w == 32
	vmovntdqa \o(%rdx), %ymm6
	vpaddq %ymm6, %ymm\k, %ymm\k
	.else
	vmovntdqa \o(%rdx), %zmm6
	vpaddq %zmm6, %zmm\k, %zmm\k
	.endif
.endm

.macro DO_WRITE w, k, o
	W \w, "movq %r1\k, \o(%rdx)", "movdqa %xmm\k, \o(%rdx)", \
		"vmovdqa %ymm\k, \o(%rdx)", "vmovdqa64 %zmm\k, \o(%rdx)"
.endm

.macro DO_NTWRITE w, k, o
	W \w, "movnti %r1\k, \o(%rdx)", "movntdq %xmm\k, \o(%rdx)", \
		"vmovntdq %ymm\k, \o(%rdx)", "vmovntdq %zmm\k, \o(%rdx)"
.endm

.macro DO_COPY w, k, o
	W \w, "movq \o(%r9), %r1\k", "movdqa \o(%r9), %xmm\k", \
		"vmovdqa \o(%r9), %ymm\k", "vmovdqa64 \o(%r9), %zmm\k"
	DO_WRITE \w, \k, \o
.endm

.macro DO_NTCOPY w, k, o
	W \w, "movq \o(%r9), %r1\k", "movdqa \o(%r9), %xmm\k", \
		"vmovdqa \o(%r9), %ymm\k", "vmovdqa64 \o(%r9), %zmm\k"
	DO_NTWRITE \w, \k, \o
.endm

/* xmm1 holds ones here. */
.macro DO_RMW w, k, o
	.if \w == 8
	addq $1, \o(%rdx)
	.elseif \w == 16
	movdqa \o(%rdx), %xmm\k
	paddq %xmm1, %xmm\k
	.elseif \w == 32
	vpaddq \o(%rdx), %ymm1, %ymm\k
	.else
	vpaddq \o(%rdx), %zmm1, %zmm\k
	.endif
	.if \w > 8
	DO_WRITE \w, \k, \o
	.endif
.endm

/* xmm1 holds the scalar 2.0 here. */
.macro DO_TRIAD w, k, o
	.if \w == 8
	movsd \o(%r10), %xmm\k
	mulsd %xmm1, %xmm\k
	addsd \o(%r9), %xmm\k
	movsd %xmm\k, \o(%rdx)
	.elseif \w == 16
	movapd \o(%r10), %xmm\k
	mulpd %xmm1, %xmm\k
	addpd \o(%r9), %xmm\k
	movapd %xmm\k, \o(%rdx)
	.elseif \w == 32
	vmovapd \o(%r10), %ymm\k
	vfmadd213pd \o(%r9), %ymm1, %ymm\k
	vmovapd %ymm\k, \o(%rdx)
	.else
	vmovapd \o(%r10), %zmm\k
	vfmadd213pd \o(%r9), %zmm1, %zmm\k
	vmovapd %zmm\k, \o(%rdx)
	.endif
.endm

/* xmm6 collects the differences; rax does for 8 bytes, in place of a fence. */
.macro DO_CHECK w, k, o
	.if \w == 8
	movq \o(%rdx), %r9
	xorq %r1\k, %r9
	orq %r9, %rax
	.elseif \w == 16
	movdqa \o(%rdx), %xmm7
	pxor %xmm\k, %xmm7
	por %xmm7, %xmm6
	.elseif \w == 32
	vpxor \o(%rdx), %ymm\k, %ymm7
	vpor %ymm7, %ymm6, %ymm6
	.else
	vpxorq \o(%rdx), %zmm\k, %zmm7
	vporq %zmm7, %zmm6, %zmm6
	.endif
.endm

/* One line, thrown out of all caches; w is 64. */
.macro DO_FLUSH w, k, o
	clflush \o(%rdx)
.endm

/* ---- counters: four registers hold the next 4 * w / 8 integers ---- */

.macro COUNTER_STEP w, step8, vstep
	.irp k, 2, 3, 4, 5
	W \w, "addq $\step8, %r1\k", "paddq %xmm\vstep, %xmm\k", \
		"vpaddq %ymm\vstep, %ymm\k, %ymm\k", \
		"vpaddq %zmm\vstep, %zmm\k, %zmm\k"
	.endr
.endm

.macro COUNTER_INIT w
	movq MC_ARG_VALUE(%rdi), %rax
	.if \w == 8
	leaq 0(%rax), %r12
	leaq 1(%rax), %r13
	leaq 2(%rax), %r14
	leaq 3(%rax), %r15
	.elseif \w == 16
	movq %rax, %xmm2
	punpcklqdq %xmm2, %xmm2
	movdqa %xmm2, %xmm3
	movdqa %xmm2, %xmm4
	movdqa %xmm2, %xmm5
	paddq mc_lanes+0(%rip), %xmm2
	paddq mc_lanes+16(%rip), %xmm3
	paddq mc_lanes+32(%rip), %xmm4
	paddq mc_lanes+48(%rip), %xmm5
	movdqa mc_step8(%rip), %xmm0
	movdqa mc_step8(%rip), %xmm1
	.elseif \w == 32
	vmovq %rax, %xmm5
	vpbroadcastq %xmm5, %ymm5
	vpaddq mc_lanes+0(%rip), %ymm5, %ymm2
	vpaddq mc_lanes+32(%rip), %ymm5, %ymm3
	vpaddq mc_lanes+64(%rip), %ymm5, %ymm4
	vpaddq mc_lanes+96(%rip), %ymm5, %ymm5
	vmovdqa mc_step16(%rip), %ymm0
	vmovdqa mc_step8(%rip), %ymm1
	.else
	vpbroadcastq %rax, %zmm5
	vpaddq mc_lanes+0(%rip), %zmm5, %zmm2
	vpaddq mc_lanes+64(%rip), %zmm5, %zmm3
	vpaddq mc_lanes+128(%rip), %zmm5, %zmm4
	vpaddq mc_lanes+192(%rip), %zmm5, %zmm5
	vmovdqa64 mc_step32(%rip), %zmm0
	vmovdqa64 mc_step8(%rip), %zmm1
	.endif
.endm

/* ---- what a loop does before its first and after its last pass ---- */

.macro PREP_NONE w
.endm

.macro PREP_SUM w
	.irp k, 2, 3, 4, 5
	W \w, "xorq %r1\k, %r1\k", "pxor %xmm\k, %xmm\k", \
		"vpxor %xmm\k, %xmm\k, %xmm\k", "vpxor %xmm\k, %xmm\k, %xmm\k"
	.endr
.endm

.macro PREP_COUNT w
	COUNTER_INIT \w
.endm

.macro PREP_CHECK w
	COUNTER_INIT \w
	W \w, "xorl %eax, %eax", "pxor %xmm6, %xmm6", \
		"vpxor %xmm6, %xmm6, %xmm6", "vpxor %xmm6, %xmm6, %xmm6"
.endm

.macro PREP_ONES w
	W \w, "", "movdqa mc_ones(%rip), %xmm1", "vmovdqa mc_ones(%rip), %ymm1", \
		"vmovdqa64 mc_ones(%rip), %zmm1"
.endm

.macro PREP_SCALAR w
	W \w, "movsd mc_two(%rip), %xmm1", "movapd mc_two(%rip), %xmm1", \
		"vmovapd mc_two(%rip), %ymm1", "vmovapd mc_two(%rip), %zmm1"
.endm

.macro DONE_NONE w
.endm

.macro DONE_SUM w
	.irp k, 2, 3, 4, 5
	W \w, "movq %r1\k, lanes+8*(\k-2)(%rdi)", \
		"movdqu %xmm\k, lanes+16*(\k-2)(%rdi)", \
		"vmovdqu %ymm\k, lanes+32*(\k-2)(%rdi)", \
		"vmovdqu64 %zmm\k, lanes+64*(\k-2)(%rdi)"
	.endr
.endm

.macro DONE_CHECK w
	.irp k, 2, 3, 4, 5
	W \w, "movq %rax, lanes+8*(\k-2)(%rdi)", \
		"movdqu %xmm6, lanes+16*(\k-2)(%rdi)", \
		"vmovdqu %ymm6, lanes+32*(\k-2)(%rdi)", \
		"vmovdqu64 %zmm6, lanes+64*(\k-2)(%rdi)"
	.endr
.endm

/* ---- the loop around a body ---- */

/* Bodies for n bytes: four registers in turn, counters stepped behind them. */
.macro BODIES n, w, body, count
	.set mc_o, 0
	.rept \n / (4 * \w)
	\body \w, 2, mc_o
	\body \w, 3, mc_o+\w
	\body \w, 4, mc_o+2*\w
	\body \w, 5, mc_o+3*\w
	.set mc_o, mc_o + 4*\w
	.if \count
	COUNTER_STEP \w, 4, 0
	.endif
	.endr
.endm

/*
 * Bodies for one line; where it takes fewer than four registers, the counters
 * of all four still advance by the line's eight integers.
 */
.macro LINE w, body, count
	.if \w <= 16
	BODIES 64, \w, \body, \count
	.else
	\body \w, 2, 0
	.if \w == 32
	\body \w, 3, 32
	.endif
	.if \count
	COUNTER_STEP \w, 8, 1
	.endif
	.endif
.endm

.macro ADVANCE n, arrays
	addq $\n, %rdx
	.if \arrays > 1
	addq $\n, %r9
	.endif
	.if \arrays > 2
	addq $\n, %r10
	.endif
.endm

.macro FENCE
	testl %eax, %eax
	jz .Lpassed\@
	cmpl $MC_FENCE_MFENCE, %eax
	je .Lmfence\@
	ja .Luc\@
	sfence
	jmp .Lpassed\@
.Lmfence\@:
	mfence
	jmp .Lpassed\@
.Luc\@:
	movq MC_ARG_UC_WORD(%rdi), %r9
	movq %rsi, (%r9)
	movq (%r9), %r9
.Lpassed\@:
.endm

.macro LOOP name, w, body, arrays=1, prep=PREP_NONE, done=DONE_NONE, count=0, fence=1, vector=1
FUNCTION \name
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq MC_ARG_A(%rdi), %r8
	movq MC_ARG_B(%rdi), %rbx
	movq MC_ARG_C(%rdi), %rbp
	movq MC_ARG_PASSES(%rdi), %rsi
	movq MC_ARG_BYTES(%rdi), %rcx
	leaq (%r8,%rcx), %r11
	andq $-256, %rcx
	addq %r8, %rcx
	\prep \w
	.if \fence
	movq MC_ARG_FENCE(%rdi), %rax
	.endif
.Lpass\@:
	movq %r8, %rdx
	.if \arrays > 1
	movq %rbx, %r9
	.endif
	.if \arrays > 2
	movq %rbp, %r10
	.endif
	cmpq %rcx, %rdx
	je .Llines\@
	.balign 64
.Lmain\@:
	BODIES 256, \w, \body, \count
	ADVANCE 256, \arrays
	cmpq %rcx, %rdx
	jne .Lmain\@
.Llines\@:
	cmpq %r11, %rdx
	je .Ldone\@
.Lline\@:
	LINE \w, \body, \count
	ADVANCE 64, \arrays
	cmpq %r11, %rdx
	jne .Lline\@
.Ldone\@:
	.if \fence
	FENCE
	.endif
	decq %rsi
	jnz .Lpass\@
	\done \w
	.if \w > 16 && \vector
	vzeroupper
	.endif
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
FUNCTION_END \name
.endm

/* ---- the loops; loop_table.c has a row for each ---- */

.macro LOOPS w
LOOP mc_asm_read\w, \w, DO_READ, prep=PREP_SUM, done=DONE_SUM
.if \w > 8
LOOP mc_asm_ntread\w, \w, DO_NTREAD, prep=PREP_SUM, done=DONE_SUM
.endif
LOOP mc_asm_write\w, \w, DO_WRITE, prep=PREP_COUNT, count=1
LOOP mc_asm_ntwrite\w, \w, DO_NTWRITE, prep=PREP_COUNT, count=1
LOOP mc_asm_copy\w, \w, DO_COPY, arrays=2
LOOP mc_asm_ntcopy\w, \w, DO_NTCOPY, arrays=2
LOOP mc_asm_rmw\w, \w, DO_RMW, prep=PREP_ONES
LOOP mc_asm_triad\w, \w, DO_TRIAD, arrays=3, prep=PREP_SCALAR
LOOP mc_asm_check\w, \w, DO_CHECK, prep=PREP_CHECK, done=DONE_CHECK, count=1, fence=0
.endm

LOOPS 8
LOOPS 16
LOOPS 32
LOOPS 64
LOOP mc_asm_flush64, 64, DO_FLUSH, fence=0, vector=0

/* ---- for the test overhead: an empty loop of count iterations ---- */

FUNCTION mc_asm_count
1:
	decq %rdi
	jnz 1b
FUNCTION_END mc_asm_count

/* ---- for the verdict: one line, and what the hardware does with it ---- */

/* count x 8 loads of one word, each address made of the last load: all 0. */
FUNCTION mc_asm_reload
	xorl %eax, %eax
1:
	.rept 8
	movq (%rdi,%rax), %rax
	.endr
	decq %rsi
	jnz 1b
FUNCTION_END mc_asm_reload

/* The same with the line thrown out of the caches before each load. */
FUNCTION mc_asm_flush_reload
	xorl %eax, %eax
1:
	.rept 8
	clflush (%rdi)
	mfence
	movq (%rdi,%rax), %rax
	.endr
	decq %rsi
	jnz 1b
FUNCTION_END mc_asm_flush_reload

/*
 * count x eight 8-byte stores that fill a line, and an sfence: write-combining
 * memory sends one burst, uncached memory eight writes. Stores 0.
 */
FUNCTION mc_asm_combine
	xorl %eax, %eax
1:
	.irp o, 0, 8, 16, 24, 32, 40, 48, 56
	movq %rax, \o(%rdi)
	.endr
	sfence
	decq %rsi
	jnz 1b
FUNCTION_END mc_asm_combine

	.section .rodata
	.balign 64
mc_lanes:
	.set mc_i, 0
	.rept 32
	.quad mc_i
	.set mc_i, mc_i + 1
	.endr
mc_step8:
	.fill 8, 8, 8
mc_step16:
	.fill 8, 8, 16
mc_step32:
	.fill 8, 8, 32
mc_ones:
	.fill 8, 8, 1
mc_two:
	.rept 8
	.quad 0x4000000000000000
	.endr

	.section .note.GNU-stack, "", @progbits
