/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions that do something to caches, buffers, translations or time. */
#ifndef SIM_INSTRUCTION_H
#define SIM_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind {
	ORDINARY,
	STREAMS,		/* its stores are non-temporal */
	SFENCE,			/* these fences wait for the write-combining buffers */
	MFENCE,
	DSB,			/* arm64 */
	FLUSHES,		/* a line goes out of all caches */
	CLEANS,			/* a line is written back, and stays */
	HINTS,			/* about a line: a prefetch, or CLDEMOTE */
	READS_CLOCK,		/* from here on, also code that is not watched is looked at */
	WRITES_MSR,		/* x86: ecx, edx:eax */
	CHANGES_TRANSLATIONS,	/* of this CPU */
	CHANGES_ALL_TRANSLATIONS,	/* of all CPUs */
	CLEANS_CACHES,		/* all changed lines are written back, and stay */
	EMPTIES_CACHES,		/* they are written back, and no cache has any line */
	LOSES_CACHES,		/* no cache has any line, and changes are lost */
	RETURNS_FROM_INTERRUPT,	/* or from an exception */
};

#define NO_REGISTER	-1

/**
 * struct instruction - an instruction, decoded as far as the machine needs it
 * @kind: what it does
 * @base: register with the address of the line that it flushes or cleans, or NO_REGISTER
 * @index: register that is added to it, times @scale, or NO_REGISTER
 * @scale: 1, 2, 4 or 8
 * @offset: added to these; with NO_REGISTER for both, from the next instruction's address
 * @halves: it accesses 32 bytes, of which QEMU tells in two halves
 */
struct instruction {
	enum kind kind;
	int base;
	int index;
	unsigned int scale;
	int32_t offset;
	bool halves;
};

struct instruction instruction_x86(const uint8_t *bytes, size_t n);
struct instruction instruction_arm64(uint32_t word);

#endif /* SIM_INSTRUCTION_H */
