/* SPDX-License-Identifier: GPL-2.0-only */
/* The effective memory type of an address, from page tables and registers of the guest. */
#ifndef SIM_TYPES_H
#define SIM_TYPES_H

#include "model.h"

#define RANGES_OF_MTRR	16

/**
 * struct mapping - what the page tables say of an address
 * @physical: the physical address
 * @shift: log2 of the size of the page
 * @type: effective memory type
 * @found: false: it isn't mapped
 */
struct mapping {
	uint64_t physical;
	unsigned int shift;
	enum type type;
	bool found;
};

/**
 * struct x86_types - the registers of an x86 CPU that say something of types
 * @pat: IA32_PAT
 * @mtrr_default: IA32_MTRR_DEF_TYPE
 * @mtrr_base: IA32_MTRR_PHYSBASEn
 * @mtrr_mask: IA32_MTRR_PHYSMASKn
 */
struct x86_types {
	uint64_t pat;
	uint64_t mtrr_default;
	uint64_t mtrr_base[RANGES_OF_MTRR];
	uint64_t mtrr_mask[RANGES_OF_MTRR];
};

#define X86_PAT_AT_RESET	0x0007040600070406ULL

/* Reads an entry of a page table at a physical address. */
typedef uint64_t (*read_entry)(uint64_t physical);

void x86_write_msr(struct x86_types *t, uint32_t msr, uint64_t value);
struct mapping x86_walk(const struct x86_types *t, uint64_t cr3, uint64_t address,
			read_entry read);
struct mapping arm64_walk(uint64_t ttbr, uint64_t mair, uint64_t address, read_entry read);

#endif /* SIM_TYPES_H */
