// SPDX-License-Identifier: GPL-2.0-only
#include "instruction.h"

/**
 * struct pattern - a kind of instruction
 * @mask: the bits that tell
 * @value: their value
 * @kind: what it does
 */
static const struct pattern {
	uint32_t mask;
	uint32_t value;
	enum kind kind;
} patterns[] = {
	/* Arm ARM (DDI 0487), C5.1 and C6.2: system instructions */
	{ 0xfffff0ff, 0xd503309f, DSB },
	{ 0xffffffe0, 0xd50b7e20, FLUSHES },		/* DC CIVAC */
	{ 0xffffffe0, 0xd5087620, FLUSHES },		/* DC IVAC */
	{ 0xffffffe0, 0xd50b7a20, CLEANS },		/* DC CVAC */
	{ 0xffffffe0, 0xd50b7c20, CLEANS },		/* DC CVAP */
	{ 0xffffffe0, 0xd50b7d20, CLEANS },		/* DC CVADP */
	{ 0xffc00008, 0xf9800000, HINTS },		/* PRFM, of data */
	{ 0xffffffe0, 0xd53be040, READS_CLOCK },	/* MRS CNTVCT_EL0 */
	{ 0xffffffe0, 0xd53be0c0, READS_CLOCK },	/* MRS CNTVCTSS_EL0 */
	{ 0xffffffc0, 0xd5182000, CHANGES_TRANSLATIONS },	/* MSR TTBR0_EL1, TTBR1_EL1 */
	{ 0xffffffe0, 0xd518a200, CHANGES_TRANSLATIONS },	/* MSR MAIR_EL1 */
	{ 0xffffffff, 0xd69f03e0, RETURNS_FROM_INTERRUPT },	/* ERET */
	{ 0xfff8f000, 0xd5088000, CHANGES_ALL_TRANSLATIONS },	/* TLBI */
};

/**
 * instruction_arm64() - decode an instruction
 * @word: the instruction
 */
struct instruction instruction_arm64(uint32_t word)
{
	struct instruction in = { ORDINARY, NO_REGISTER, NO_REGISTER, 1, 0 };
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		if ((word & patterns[i].mask) != patterns[i].value)
			continue;
		in.kind = patterns[i].kind;
		if (in.kind == FLUSHES || in.kind == CLEANS)
			in.base = word & 31;
		break;
	}
	return in;
}
