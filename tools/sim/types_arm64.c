// SPDX-License-Identifier: GPL-2.0-only
#include "types.h"

#define ADDRESS		0x0000fffffffff000ULL
#define VALID		1ULL
#define TABLE		2ULL

/* The type of an attribute in MAIR_EL1 (Arm ARM, D19.2.97), by the x86 type that behaves so:
 * Device memory is UC, Normal Non-cacheable is WC.
 */
static enum type type_of(uint8_t attribute)
{
	if (!(attribute >> 4))
		return UC;
	return attribute == 0x44 ? WC : WB;
}

/**
 * arm64_walk() - walk page tables of four levels of 4 KiB (Arm ARM, D8.3)
 * @ttbr: TTBR0_EL1 or TTBR1_EL1
 * @mair: MAIR_EL1
 * @address: a virtual address
 * @read: reads an entry
 */
struct mapping arm64_walk(uint64_t ttbr, uint64_t mair, uint64_t address, read_entry read)
{
	uint64_t table = ttbr & ADDRESS, entry, within;
	struct mapping m = { 0 };

	for (m.shift = 39; ; m.shift -= 9) {
		entry = read(table + (address >> m.shift & 511) * 8);
		if (!(entry & VALID))
			return m;
		if (m.shift == 12 || !(entry & TABLE))
			break;
		table = entry & ADDRESS;
	}
	within = (1ULL << m.shift) - 1;
	m.physical = (entry & ADDRESS & ~within) | (address & within);
	m.type = type_of(mair >> (8 * (entry >> 2 & 7)));
	m.found = true;
	return m;
}
