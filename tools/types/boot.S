/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An option ROM. The BIOS calls it when memory, ACPI and PCI are set up. It makes the
 * witness put a kernel into memory (load.c) and jumps to the kernel's PVH entry: in
 * protected mode, with flat segments and no paging, and with ebx pointing to hvm_start_info.
 */
#define BASE		0xd0000	/* where the runner places it */
#define AT_INFO		0x6000	/* as in load.c */
#define AT_PVH_ENTRY	0x6100
#define PORT_LOAD	0x4ffc	/* as in bochs.h */

	.code16
	.globl _start
_start:
	.byte 0x55, 0xaa, 1		/* a ROM of one block of 512 bytes */
	cli
	movw $PORT_LOAD, %dx
	outb %al, %dx
	lgdtl %cs:(gdt_pointer - _start)
	movl %cr0, %eax
	orl $1, %eax
	movl %eax, %cr0
	ljmpl $8, $(BASE + protected - _start)
	.code32
protected:
	movw $16, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	movl $AT_INFO, %ebx
	jmp *AT_PVH_ENTRY
	.balign 8
gdt:
	.quad 0
	.quad 0x00cf9a000000ffff	/* 8: code, 4 GiB */
	.quad 0x00cf92000000ffff	/* 16: data */
gdt_pointer:
	.word gdt_pointer - gdt - 1
	.long BASE + gdt - _start
	.org 512
