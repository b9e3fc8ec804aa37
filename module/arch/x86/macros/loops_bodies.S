/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bodies of the loops in loops.S, loops_streams.S and loops_scatter.S, and the code
 * before the first and after the last pass. The streaming loads of a line fill xmm12 to xmm15.
 */
#include "arch/x86/macros/loops_common.S"
#include "machine/widths.def"

/* ---- bodies: one access of width w at offset o with data number k ---- */

/*
 * Only load. Adding up as well, from memory or after the load, stops at 95 to 100 of
 * the 128 bytes a cycle that L1 of Intel's Golden Cove can deliver.
 */
.macro DO_READ w, k, o
	W \w, "movq \o(%rdx), %r1\k", "movdqa \o(%rdx), %xmm\k", \
		"vmovdqa \o(%rdx), %ymm\k", "vmovdqa64 \o(%rdx), %zmm\k"
.endm

.macro DO_SUM w, k, o
	W \w, "addq \o(%rdx), %r1\k", "paddq \o(%rdx), %xmm\k", \
		"vpaddq \o(%rdx), %ymm\k, %ymm\k", \
		"vpaddq \o(%rdx), %zmm\k, %zmm\k"
.endm

/*
 * Only load: on WC memory a streaming load fetches its line into a buffer that the next
 * access to another line may take, so the loads of a line come back to back.
 */
.macro DO_NTREAD w, k, o
	.if \w == 16
	movntdqa \o(%rdx), %xmm1\k
	.elseif \w == 32
	vmovntdqa \o(%rdx), %ymm1\k
	.else
	vmovntdqa \o(%rdx), %zmm1\k
	.endif
.endm

/* After a line: add up what it loaded. */
.macro ADD_LOADS w, k, o
	.if \w == 16
	.irp i, 2, 3, 4, 5
	paddq %xmm1\i, %xmm\i
	.endr
	.elseif \w == 64
	vpaddq %zmm1\k, %zmm\k, %zmm\k
	.elseif \k == 3
	vpaddq %ymm12, %ymm2, %ymm2
	vpaddq %ymm13, %ymm3, %ymm3
	.else
	vpaddq %ymm14, %ymm4, %ymm4
	vpaddq %ymm15, %ymm5, %ymm5
	.endif
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

/*
 * MOVRS, which says that other CPUs will read the line, too: 0f 38 8b with 8 bytes, EVEX f3 map 5
 * 6f with vectors, as LLVM 20 has it; older assemblers lack it. The displacement has four bytes.
 */
.macro DO_MOVRS w, k, o
	.if \w == 8
	.byte 0x4c, 0x0f, 0x38, 0x8b, 0x92 + 8 * \k
	.else
	.byte 0x62, 0xf5, 0xfe, 0x08 + \w / 32 * 0x20, 0x6f, 0x82 + 8 * \k
	.endif
	.long \o
.endm

/* Atomics. No instruction of x86 that sets any bits gives the old word, too. */
.macro DO_XADD w, k, o
	movl $1, %r1\k\()d
	lock xaddq %r1\k, \o(%rdx)
.endm

.macro DO_CMPXCHG w, k, o
	movq \o(%rdx), %rax
	leaq 1(%rax), %r1\k
	lock cmpxchgq %r1\k, \o(%rdx)
.endm

.macro DO_XCHG w, k, o
	movq %r1\k, %rax
	xchgq %rax, \o(%rdx)
.endm

.macro DO_FETCH_OR w, k, o
	lock orq $1, \o(%rdx)
.endm

/*
 * xmm1 holds the scalar 2.0 here. For 32 bytes, a multiplication and an addition do without the
 * FMA. They reach 97 % of what the ports of a Zen 3 can do in L1, once its core has settled.
 */
.macro B_PLUS_2C w, k, o
	.if \w == 8
	movsd \o(%r10), %xmm\k
	mulsd %xmm1, %xmm\k
	addsd \o(%r9), %xmm\k
	.elseif \w == 16
	movapd \o(%r10), %xmm\k
	mulpd %xmm1, %xmm\k
	addpd \o(%r9), %xmm\k
	.elseif \w == 32
	vmulpd \o(%r10), %ymm1, %ymm\k
	vaddpd \o(%r9), %ymm\k, %ymm\k
	.else
	vmovapd \o(%r10), %zmm\k
	vfmadd213pd \o(%r9), %zmm1, %zmm\k
	.endif
.endm

.macro TWICE_B w, k, o
	.if \w == 8
	movsd \o(%r9), %xmm\k
	mulsd %xmm1, %xmm\k
	.elseif \w == 16
	movapd \o(%r9), %xmm\k
	mulpd %xmm1, %xmm\k
	.elseif \w == 32
	vmulpd \o(%r9), %ymm1, %ymm\k
	.else
	vmulpd \o(%r9), %zmm1, %zmm\k
	.endif
.endm

.macro ADD_B w, k, o
	W \w, "addsd \o(%r9), %xmm\k", "addpd \o(%r9), %xmm\k", \
		"vaddpd \o(%r9), %ymm\k, %ymm\k", "vaddpd \o(%r9), %zmm\k, %zmm\k"
.endm

.macro LOAD_C w, k, o
	W \w, "movsd \o(%r10), %xmm\k", "movapd \o(%r10), %xmm\k", \
		"vmovapd \o(%r10), %ymm\k", "vmovapd \o(%r10), %zmm\k"
.endm

.macro B_PLUS_C w, k, o
	LOAD_C \w, \k, \o
	ADD_B \w, \k, \o
.endm

.macro B_PLUS_CD w, k, o
	LOAD_C \w, \k, \o
	W \w, "mulsd \o(%r8), %xmm\k", "mulpd \o(%r8), %xmm\k", \
		"vmulpd \o(%r8), %ymm\k, %ymm\k", "vmulpd \o(%r8), %zmm\k, %zmm\k"
	ADD_B \w, \k, \o
.endm

.macro STORE_DOUBLES w, k, o
	W \w, "movsd %xmm\k, \o(%rdx)", "movapd %xmm\k, \o(%rdx)", \
		"vmovapd %ymm\k, \o(%rdx)", "vmovapd %zmm\k, \o(%rdx)"
.endm

.macro STREAM_DOUBLES w, k, o
	.if \w == 8
	movq %xmm\k, %r1\k
	.endif
	DO_NTWRITE \w, \k, \o
.endm

/* xmm6 collects the differences; for 8 bytes rax does. */
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

/* Flush one line from all caches; w is 64. */
.macro DO_FLUSH w, k, o
	clflush \o(%rdx)
.endm

/* ---- behind a line: flushes, and hints about it or about one that the loop will come to ---- */

.macro FLUSH_LINE w, k, o
	clflushopt \o(%rdx)
.endm

.macro WRITE_LINE_BACK w, k, o
	clwb \o(%rdx)
.endm

.macro DEMOTE_LINE w, k, o
	cldemote \o(%rdx)
.endm

.macro HINT_NTA w, k, o
	prefetchnta \o + MC_HINT_AHEAD(%rdx)
.endm

.macro HINT_WRITE w, k, o
	prefetchw \o + MC_HINT_AHEAD(%rdx)
.endm

/* ---- code before the first and after the last pass ---- */

.macro PREP_SUM w
	.irp k, 2, 3, 4, 5
	W \w, "xorq %r1\k, %r1\k", "pxor %xmm\k, %xmm\k", \
		"vpxor %xmm\k, %xmm\k, %xmm\k", "vpxor %xmm\k, %xmm\k, %xmm\k"
	.endr
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

.macro DONE_SUM w
	.irp k, 2, 3, 4, 5
	W \w, "movq %r1\k, lanes+8*(\k-2)(%rdi)", \
		"movdqu %xmm\k, lanes+16*(\k-2)(%rdi)", \
		"vmovdqu %ymm\k, lanes+32*(\k-2)(%rdi)", \
		"vmovdqu64 %zmm\k, lanes+64*(\k-2)(%rdi)"
	.endr
.endm

.macro DONE_FLUSH w
	mfence
.endm

.macro DONE_CHECK w
	.irp k, 2, 3, 4, 5
	W \w, "movq %rax, lanes+8*(\k-2)(%rdi)", \
		"movdqu %xmm6, lanes+16*(\k-2)(%rdi)", \
		"vmovdqu %ymm6, lanes+32*(\k-2)(%rdi)", \
		"vmovdqu64 %zmm6, lanes+64*(\k-2)(%rdi)"
	.endr
.endm

#include "arch/macros/bodies.S"

	.section .rodata
	.balign 64
mc_ones:
	.fill 8, 8, 1
mc_two:
	.rept 8
	.quad 0x4000000000000000
	.endr

	.text
