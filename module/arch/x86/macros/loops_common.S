/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The macros that all files of access loops use: the loop around a body. The module and
 * memcache-user build from the same files.
 *
 * Registers: rdi arguments, rsi passes left, rdx/r9/r10/r8 running pointers into the
 * arrays, rcx end of the 256-byte part, r11 end of all, rbx bytes. Loops over more than
 * four arrays also point with rax, r12 to r15 and, if there are ten, rbx; xmm6 then has
 * the bytes. During the passes
 * the arguments are on the stack, and edi is the fence. rbp stays unchanged, because an
 * interrupt may unwind the stack, and some kernels follow rbp for that. Data number k
 * (2 to 5) is in r1k, xmmk, ymmk or zmmk. xmm0 is the step of the counters for a round
 * of four registers, xmm1 the step for a line. rax, xmm6 and up are for the body.
 *
 * The counters of timed loops advance once a pass (renew), so that each pass stores other
 * words, and those of a round are stored again and again during the pass. On Zen 3 any
 * further instruction beside eight stores costs up to a tenth of the rate of L2. Loops
 * that fill arrays, and those that take lines in another order, count all words (count).
 * Nothing is loaded from the arguments between passes: on Zen 5 this made passes of 4
 * KiB last 30 % longer.
 */
#include "arch/x86/macros/function.S"

/* A row of mc_data, offsets in it, and its size. */
#define MC_DATA_WORDS	32
#define MC_DATA_COPIES	8
#define MC_DATA_LANES	0
#define MC_DATA_STEP8	256
#define MC_DATA_STEP16	320
#define MC_DATA_STEP32	384
#define MC_DATA_BYTES	448
#include "arch/macros/accesses.S"

/* The preprocessor does not expand names in the strings that W gets. */
	.set lanes, MC_ARG_LANES

/*
 * ---- counters: four registers hold the next 4 * w / 8 words ----
 *
 * With 8 bytes an access, r8 is the step for a round of four registers. With 8 and 16 bytes
 * a line is a whole number of rounds, so only wider loops need the step for a line.
 */

.macro COUNTER_STEP w, vstep
	.irp k, 2, 3, 4, 5
	W \w, "addq %r8, %r1\k", "paddq %xmm\vstep, %xmm\k", \
		"vpaddq %ymm\vstep, %ymm\k, %ymm\k", \
		"vpaddq %zmm\vstep, %zmm\k, %zmm\k"
	.endr
.endm

/* Point rax to the row of mc_data for the data that the arguments ask for. */
.macro DATA_ROW
	imulq $MC_DATA_BYTES, MC_ARG_DATA(%rdi), %rax
	leaq mc_data(%rip), %r12
	addq %r12, %rax
.endm

.macro COUNTER_INIT w
	DATA_ROW
	.if \w == 8
	movq MC_ARG_VALUE(%rdi), %r12
	movq MC_DATA_LANES+8(%rax), %r13
	movq MC_DATA_LANES+16(%rax), %r14
	movq MC_DATA_LANES+24(%rax), %r15
	movq MC_DATA_LANES+32(%rax), %r8
	addq %r12, %r13
	addq %r12, %r14
	addq %r12, %r15
	.elseif \w == 16
	movq MC_ARG_VALUE(%rdi), %xmm2
	punpcklqdq %xmm2, %xmm2
	movdqa %xmm2, %xmm3
	movdqa %xmm2, %xmm4
	movdqa %xmm2, %xmm5
	paddq MC_DATA_LANES+0(%rax), %xmm2
	paddq MC_DATA_LANES+16(%rax), %xmm3
	paddq MC_DATA_LANES+32(%rax), %xmm4
	paddq MC_DATA_LANES+48(%rax), %xmm5
	movdqa MC_DATA_STEP8(%rax), %xmm0
	movdqa MC_DATA_STEP8(%rax), %xmm1
	.elseif \w == 32
	vpbroadcastq MC_ARG_VALUE(%rdi), %ymm5
	vpaddq MC_DATA_LANES+0(%rax), %ymm5, %ymm2
	vpaddq MC_DATA_LANES+32(%rax), %ymm5, %ymm3
	vpaddq MC_DATA_LANES+64(%rax), %ymm5, %ymm4
	vpaddq MC_DATA_LANES+96(%rax), %ymm5, %ymm5
	vmovdqa MC_DATA_STEP16(%rax), %ymm0
	vmovdqa MC_DATA_STEP8(%rax), %ymm1
	.else
	vpbroadcastq MC_ARG_VALUE(%rdi), %zmm5
	vpaddq MC_DATA_LANES+0(%rax), %zmm5, %zmm2
	vpaddq MC_DATA_LANES+64(%rax), %zmm5, %zmm3
	vpaddq MC_DATA_LANES+128(%rax), %zmm5, %zmm4
	vpaddq MC_DATA_LANES+192(%rax), %zmm5, %zmm5
	vmovdqa64 MC_DATA_STEP32(%rax), %zmm0
	vmovdqa64 MC_DATA_STEP8(%rax), %zmm1
	.endif
.endm

/* ---- bodies that several files use ---- */

.macro DO_WRITE w, k, o, to=rdx
	W \w, "movq %r1\k, \o(%\to)", "movdqa %xmm\k, \o(%\to)", \
		"vmovdqa %ymm\k, \o(%\to)", "vmovdqa64 %zmm\k, \o(%\to)"
.endm

.macro DO_NTWRITE w, k, o, to=rdx
	W \w, "movnti %r1\k, \o(%\to)", "movntdq %xmm\k, \o(%\to)", \
		"vmovntdq %ymm\k, \o(%\to)", "vmovntdq %zmm\k, \o(%\to)"
.endm

/* ---- the loop around a body ---- */

/*
 * Do an instruction with each pointer: EACH arrays, instruction and its first operand. The
 * order is that of the arrays.
 */
.macro EACH arrays, what:vararg
	.set mc_n, 0
	.irp r, rdx, r9, r10, r8, rax, r12, r13, r14, r15, rbx
	.if mc_n < \arrays
	\what, %\r
	.endif
	.set mc_n, mc_n + 1
	.endr
.endm

.macro START arrays
	movq MC_ARG_A(%rdi), %rdx
	.if \arrays > 1
	movq MC_ARG_B(%rdi), %r9
	.endif
	.if \arrays > 2
	movq MC_ARG_C(%rdi), %r10
	.endif
	.if \arrays > 3
	movq MC_ARG_D(%rdi), %r8
	.endif
.endm

/* The arrays from the fifth on, whose registers the code before the first pass uses. */
.macro START_MORE w, arrays
	.set mc_n, 4
	.if \arrays == MC_ARRAYS_MAX
	W \w, "", "movq %rbx, %xmm6", "vmovq %rbx, %xmm6", "vmovq %rbx, %xmm6"
	.endif
	.irp r, rax, r12, r13, r14, r15, rbx
	.if mc_n < \arrays
	movq MC_ARG_E+8*(mc_n-4)(%rdi), %\r
	.endif
	.set mc_n, mc_n + 1
	.endr
.endm

.macro ADVANCE n, arrays
	EACH \arrays, addq $\n
.endm

/*
 * Move the pointers from the ends of their arrays back to the starts. With ten arrays rcx
 * gets the bytes meanwhile.
 */
.macro REWIND w, arrays
	.if \arrays == MC_ARRAYS_MAX
	W \w, "", "movq %xmm6, %rcx", "vmovq %xmm6, %rcx", "vmovq %xmm6, %rcx"
	EACH \arrays, subq %rcx
	andq $-256, %rcx
	addq %rdx, %rcx
	.else
	EACH \arrays, subq %rbx
	.endif
.endm

/* The fence after a pass; r holds MC_FENCE_*, args is the place of the arguments. */
.macro FENCE r, args
	testl %\r, %\r
	jz .Lpassed\@
	cmpl $MC_FENCE_MFENCE, %\r
	je .Lmfence\@
	ja .Luc\@
	sfence
	jmp .Lpassed\@
.Lmfence\@:
	mfence
	jmp .Lpassed\@
.Luc\@:
	pushq %r9
	movq \args, %r9
	movq MC_ARG_UC_WORD(%r9), %r9
	movq %rsi, (%r9)
	movq (%r9), %r9
	popq %r9
.Lpassed\@:
.endm

.macro LOOP name, w, body, arrays=1, prep=PREP_NONE, done=DONE_NONE, \
	behind=BEHIND_NONE, count=0, renew=0, step=COUNTER_STEP, fence=1, vector=1
FUNCTION_TYPED \name
	SAVE
	START \arrays
	movq MC_ARG_PASSES(%rdi), %rsi
	movq MC_ARG_BYTES(%rdi), %rbx
	leaq (%rdx,%rbx), %r11
	movq %rbx, %rcx
	andq $-256, %rcx
	addq %rdx, %rcx
	\prep \w
	START_MORE \w, \arrays
	pushq %rdi
	movl MC_ARG_FENCE(%rdi), %edi
.Lpass\@:
	cmpq %rcx, %rdx
	je .Llines\@
	.balign 64
.Lmain\@:
	ACCESSES 256, \w, \body, \behind, \count
	ADVANCE 256, \arrays
	cmpq %rcx, %rdx
	jne .Lmain\@
.Llines\@:
	cmpq %r11, %rdx
	je .Ldone\@
.Lline\@:
	LINE \w, \body, \behind, \count
	ADVANCE 64, \arrays
	cmpq %r11, %rdx
	.if \renew && \w > 16
	je .Ldone\@
	LINE \w, \body, \behind, 0, 1
	ADVANCE 64, \arrays
	cmpq %r11, %rdx
	je .Ldone\@
	LINE \w, \body, \behind, 0, 2
	ADVANCE 64, \arrays
	.else
	jne .Lline\@
	.endif
.Ldone\@:
	REWIND \w, \arrays
	.if \fence
	FENCE edi, "8(%rsp)"
	.endif
	.if \renew
	\step \w, 0
	.endif
	decq %rsi
	jnz .Lpass\@
	popq %rdi
	\done \w
	.if \w > 16 && \vector
	vzeroupper
	.endif
	RESTORE
FUNCTION_END \name
.endm
