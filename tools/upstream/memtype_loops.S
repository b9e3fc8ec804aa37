/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loops that memtype_kunit.c times. They are assembly, so that compilers and sanitizers have no
 * part in the time. All are void loop(void *p, unsigned long count).
 */
#include <linux/cfi_types.h>
#include <linux/linkage.h>

.text

#ifdef CONFIG_ARM64
/* Load the same line. Each load needs the value of the one before. */
SYM_TYPED_FUNC_START(memtype_loads)
	mov	x2, xzr
.Lload:
	ldr	x2, [x0, x2]
	and	x2, x2, xzr
	subs	x1, x1, #1
	b.ne	.Lload
	ret
SYM_FUNC_END(memtype_loads)
#else
/* Load the same line. Each load needs the value of the one before. */
SYM_TYPED_FUNC_START(memtype_loads)
	xor	%eax, %eax
.Lload:
	mov	(%rdi,%rax), %rax
	and	$0, %eax
	dec	%rsi
	jnz	.Lload
	RET
SYM_FUNC_END(memtype_loads)

/* The same, but the line comes from memory each time: the load waits for the flush. */
SYM_TYPED_FUNC_START(memtype_flushed_loads)
	xor	%eax, %eax
.Lflushed_load:
	clflush	(%rdi)
	mfence
	mov	(%rdi,%rax), %rax
	and	$0, %eax
	dec	%rsi
	jnz	.Lflushed_load
	RET
SYM_FUNC_END(memtype_flushed_loads)

/* Read lines, one after the other. */
SYM_TYPED_FUNC_START(memtype_read_lines)
.Lread_line:
	.irp	at, 0, 8, 16, 24, 32, 40, 48, 56
	mov	\at(%rdi), %rax
	.endr
	add	$64, %rdi
	dec	%rsi
	jnz	.Lread_line
	RET
SYM_FUNC_END(memtype_read_lines)

/* Write lines, one after the other. Write-combining buffers are part of the time. */
SYM_TYPED_FUNC_START(memtype_write_lines)
.Lwrite_line:
	.irp	at, 0, 8, 16, 24, 32, 40, 48, 56
	mov	%rdi, \at(%rdi)
	.endr
	add	$64, %rdi
	dec	%rsi
	jnz	.Lwrite_line
	sfence
	RET
SYM_FUNC_END(memtype_write_lines)
#endif
