// SPDX-License-Identifier: GPL-2.0-only
#include "types.h"

#define ADDRESS		0x000ffffffffff000ULL
#define PRESENT		1ULL
#define LARGE		0x80ULL

#define MSR_PAT		0x277
#define MSR_MTRR	0x200		/* base and mask of each range, up to 0x21f */
#define MSR_MTRR_DEFAULT	0x2ff

/**
 * x86_write_msr() - the CPU writes a register; those that say nothing of types are ignored
 * @t: the registers
 * @msr: number of the register
 * @value: its new value
 */
void x86_write_msr(struct x86_types *t, uint32_t msr, uint64_t value)
{
	uint32_t i = msr - MSR_MTRR;

	if (msr == MSR_PAT)
		t->pat = value;
	else if (msr == MSR_MTRR_DEFAULT)
		t->mtrr_default = value;
	else if (i < 2 * RANGES_OF_MTRR)
		(i & 1 ? t->mtrr_mask : t->mtrr_base)[i / 2] = value;
}

/* The MTRR type of an address (SDM vol. 3, 12.11.4.1). Nothing is known of the fixed ranges,
 * which lie below 1 MiB.
 */
static enum type mtrr_type(const struct x86_types *t, uint64_t physical)
{
	int found = -1, i;

	if (!(t->mtrr_default & 1 << 11))
		return UC;
	for (i = 0; i < RANGES_OF_MTRR; i++) {
		uint64_t mask = t->mtrr_mask[i] & ADDRESS, base = t->mtrr_base[i];
		int type = base & 7;

		if (!(t->mtrr_mask[i] & 1 << 11) || (physical & mask) != (base & mask))
			continue;
		if (found < 0 || type == UC)
			found = type;
		else if (found != UC && type == WT)
			found = WT;
	}
	return found < 0 ? t->mtrr_default & 7 : (unsigned int)found;
}

/* SDM vol. 3, 12.5.2.2, table 12-7. */
static enum type effective_type(enum type pat, enum type mtrr)
{
	switch (pat) {
	case UC:
	case WC:
		return pat;
	case UC_MINUS:
		return mtrr == WC ? WC : UC;
	case WT:
	case WP:
		return mtrr == UC || mtrr == WC ? UC : pat;
	default:
		return mtrr;
	}
}

/**
 * x86_walk() - walk page tables of four levels (SDM vol. 3, 4.5.4)
 * @t: the registers of the CPU
 * @cr3: its CR3
 * @address: a linear address
 * @read: reads an entry
 */
struct mapping x86_walk(const struct x86_types *t, uint64_t cr3, uint64_t address, read_entry read)
{
	uint64_t table = cr3 & ADDRESS, entry, within;
	struct mapping m = { 0 };
	unsigned int pat;

	for (m.shift = 39; ; m.shift -= 9) {
		entry = read(table + (address >> m.shift & 511) * 8);
		if (!(entry & PRESENT))
			return m;
		if (m.shift == 12 || (m.shift < 39 && entry & LARGE))
			break;
		table = entry & ADDRESS;
	}
	within = (1ULL << m.shift) - 1;
	pat = (entry >> 3 & 3) | (entry >> (m.shift == 12 ? 7 : 12) & 1) << 2;
	m.physical = (entry & ADDRESS & ~within) | (address & within);
	m.type = effective_type(t->pat >> (8 * pat) & 7, mtrr_type(t, m.physical));
	m.found = true;
	return m;
}
