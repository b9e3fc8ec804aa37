// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory types on arm64. The kernel's direct map stays write-back, because modules can't change
 * it. Pages of another type have a mapping of their own, and nobody accesses them through the
 * direct map meanwhile. Before and after, they are removed from the caches, as for DMA of
 * devices that don't snoop. Otherwise a dirty line could overwrite later stores, and a line
 * that the CPU has prefetched through the direct map could hide them.
 *
 * The attribute of an address is read in two ways: from the page tables, and by the instruction
 * that has the CPU translate the address. They have to agree.
 *
 * Encodings are those of the Arm ARM: "VMSAv8-64 translation table format descriptors",
 * TCR_EL1, TTBR1_EL1, MAIR_EL1, PAR_EL1.
 */
#include <linux/bits.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/fixmap.h>
#include <asm/pgtable.h>
#include <asm/sysreg.h>

#include "kernel/arch.h"
#include "measure/pieces.h"

#define DESCRIPTOR_VALID	BIT(0)
#define DESCRIPTOR_TABLE	BIT(1)	/* except at the last level */
#define LAST_LEVEL		3

#define PAR_FAILED		BIT(0)

/* The layout of the kernel's half of the page tables. */
struct layout {
	unsigned int page_bits;
	unsigned int level_bits;	/* of the address, except at the first level */
	unsigned int address_bits;
	int first_level;		/* -1 to 2 */
};

static struct layout layout_now(void)
{
	u64 tcr = read_sysreg(tcr_el1);
	struct layout l = { .page_bits = 16 };

	switch (tcr & TCR_TG1_MASK) {
	case TCR_TG1_4K:
		l.page_bits = 12;
		break;
	case TCR_TG1_16K:
		l.page_bits = 14;
		break;
	}
	l.level_bits = l.page_bits - 3;
	l.address_bits = 64 - ((tcr & TCR_T1SZ_MASK) >> TCR_T1SZ_OFFSET);
	l.first_level = LAST_LEVEL + 1 -
			(int)DIV_ROUND_UP(l.address_bits - l.page_bits, l.level_bits);
	return l;
}

static phys_addr_t first_table(void)
{
	u64 ttbr = read_sysreg(ttbr1_el1);
	phys_addr_t table = ttbr & GENMASK_ULL(47, 6);

	if (IS_ENABLED(CONFIG_ARM64_PA_BITS_52))
		table |= (ttbr & GENMASK_ULL(5, 2)) << 46;
	return table;
}

/* Return: the descriptor of the mapping, and its size; a descriptor that is not valid: none. */
static u64 find_descriptor(const void *addr, u64 *mapping_bytes)
{
	struct layout l = layout_now();
	unsigned int top = l.address_bits;
	phys_addr_t table = first_table();
	int level;
	u64 d = 0;

	for (level = l.first_level; level <= LAST_LEVEL; level++) {
		unsigned int shift = l.page_bits + (LAST_LEVEL - level) * l.level_bits;
		const u64 *entries = phys_to_virt(table);

		d = READ_ONCE(entries[((u64)addr & GENMASK_ULL(top - 1, 0)) >> shift]);
		*mapping_bytes = 1ULL << shift;
		if (!(d & DESCRIPTOR_VALID) || !(d & DESCRIPTOR_TABLE))
			break;
		table = __pte_to_phys(__pte(d));
		top = shift;
	}
	return d;
}

/* By the CPU itself. Return: PAR_EL1. */
static u64 translate(const void *addr)
{
	unsigned long flags;
	u64 par;

	local_irq_save(flags);	/* an interrupt may translate something else */
	asm volatile("at s1e1r, %1\n\tisb\n\tmrs %0, par_el1" : "=r" (par) : "r" (addr) : "memory");
	local_irq_restore(flags);
	return par;
}

/* A type as a byte of MAIR_EL1. Memory with tags (MTE) is write-back, too. */
static enum mc_attr attr_of(u8 encoded)
{
	switch (encoded) {
	case 0xff:
	case 0xf0:
		return MC_ATTR_WB;
	case 0xbb:
		return MC_ATTR_WT;
	case 0x44:
		return MC_ATTR_NC;
	case 0x04:
		return MC_ATTR_NGNRE;
	case 0x00:
		return MC_ATTR_NGNRNE;
	default:
		return MC_ATTR_MIXED;	/* Linux has no other one */
	}
}

/* MC_ATTR_MIXED: the CPU translates the address with another attribute. */
enum mc_attr mc_attr_read(const void *addr, u64 *mapping_bytes)
{
	u64 descriptor = find_descriptor(addr, mapping_bytes), par;
	u8 encoded;

	if (!(descriptor & DESCRIPTOR_VALID)) {
		*mapping_bytes = 0;
		return MC_ATTR_NA;
	}
	encoded = read_sysreg(mair_el1) >> 8 * (descriptor >> 2 & 7);
	par = translate(addr);
	if (par & PAR_FAILED || par >> 56 != encoded)
		return MC_ATTR_MIXED;
	return attr_of(encoded);
}

/* Lines are as long as all of the machine's CPUs can do. */
static void clean_piece(void *addr, unsigned int bytes)
{
	u64 line = 4ULL << (read_sanitised_ftr_reg(SYS_CTR_EL0) >> 16 & 0xf);
	u64 at;

	for (at = 0; at < bytes; at += line)
		asm volatile("dc civac, %0" : : "r" ((u8 *)addr + at) : "memory");
}

/* Write back and empty the caches. */
static void clean(void *addr, u64 bytes)
{
	mc_in_pieces(addr, bytes, clean_piece);
	dsb(sy);
}

/* Linux's MAIR_EL1 has no write-through. */
bool mc_attr_settable(enum mc_type type)
{
	return type != MC_WT;
}

bool mc_attr_direct(enum mc_type type)
{
	return type == MC_WB;
}

/* Until WB is set, nobody may access the pages through the direct map. */
int mc_attr_set(void *addr, unsigned int pages, enum mc_type type)
{
	clean(addr, (u64)pages << PAGE_SHIFT);
	return 0;
}

void __iomem *mc_attr_map(u64 start, u64 bytes, enum mc_type type)
{
	switch (type) {
	case MC_WB:
		return ioremap_cache(start, bytes);
	case MC_WC:
		return ioremap_wc(start, bytes);
	case MC_NP:
		return ioremap_np(start, bytes);
	default:	/* it has no WT, which the reader of the attribute finds out */
		return ioremap(start, bytes);
	}
}

void mc_attr_leave(void *addr, u64 bytes, enum mc_type type)
{
	if (type == MC_WB)
		clean(addr, bytes);
}

enum mc_attr mc_attr_of(enum mc_type type)
{
	static const enum mc_attr attrs[MC_NALL_TYPES] = {
		[MC_WB] = MC_ATTR_WB,
		[MC_WC] = MC_ATTR_NC,
		[MC_UC] = MC_ATTR_NGNRE,
		[MC_WT] = MC_ATTR_WT,
		[MC_NP] = MC_ATTR_NGNRNE,
	};

	return attrs[type];
}

void mc_attr_json(struct mc_text *t)
{
	mc_textf(t, "\"page_table_levels\":%d,\"pat\":null",
		 LAST_LEVEL + 1 - layout_now().first_level);
}

/* ------------------------------------------------------- tables for a look */

#define BITS_INDEX	7	/* in the bits of a mapping: the byte of MAIR_EL1 */
#define BITS_SHARED(b)	((b) >> 3 & 3)
#define BITS_WRITABLE	32
#define TCR_LPA2	BIT_ULL(59)	/* then TCR_EL1 has the shareability, and no entry */

static enum mc_entry decode(u64 d, unsigned int shift, u64 *phys, u8 *bits)
{
	bool last = shift == PAGE_SHIFT;

	if (!(d & DESCRIPTOR_VALID) || (last && !(d & DESCRIPTOR_TABLE)))
		return MC_ENTRY_NONE;
	*phys = __pte_to_phys(__pte(d));
	if (d & DESCRIPTOR_TABLE && !last)
		return MC_ENTRY_TABLE;
	*phys = *phys >> shift << shift;
	*bits = (d >> 2 & 7) | (d >> 8 & 3) << 3 | (d & PTE_WRITE ? BITS_WRITABLE : 0);
	return MC_ENTRY_LEAF;
}

const char *mc_tables_begin(struct mc_tables *t, struct mc_range *areas, struct mc_look *look)
{
	struct layout l = layout_now();
	u64 mair = read_sysreg(mair_el1), first = -(1ULL << l.address_bits);
	unsigned int i;

	*t = (struct mc_tables){
		.levels = LAST_LEVEL + 1 - l.first_level, .address_bits = l.address_bits,
		.root = first_table(), .ignored = PTE_AF | PTE_RDONLY | PTE_CONT, .decode = decode,
	};
	for (i = 0; i < t->levels; i++)
		t->shift[i] = l.page_bits + (t->levels - 1 - i) * l.level_bits;
	first = max_t(u64, PAGE_OFFSET, first);
	areas[MC_AREA_DIRECT] = (struct mc_range){ first, PAGE_END - first };
	areas[MC_AREA_VMALLOC] = (struct mc_range){ VMALLOC_START, VMALLOC_END - VMALLOC_START };
	areas[MC_AREA_FIXMAP] = (struct mc_range){ FIXADDR_START, FIXADDR_TOP - FIXADDR_START };
	for (i = 0; i < ARRAY_SIZE(look->attrs); i++)
		look->attrs[i] = attr_of(mair >> 8 * (i & BITS_INDEX));
	return NULL;
}

unsigned int mc_tables_address_bits(void)
{
	u64 features = read_sanitised_ftr_reg(SYS_ID_AA64MMFR0_EL1);

	return id_aa64mmfr0_parange_to_phys_shift(features & 0xf);
}

void mc_tables_bits_json(struct mc_text *t, u8 bits)
{
	static const char * const shared[] = { "non", NULL, "outer", "inner" };
	const char *word = read_sysreg(tcr_el1) & TCR_LPA2 ? NULL : shared[BITS_SHARED(bits)];

	mc_textf(t, "\"attr_index\":%u,\"mair\":\"0x%02x\",\"shareable\":", bits & BITS_INDEX,
		 (u8)(read_sysreg(mair_el1) >> 8 * (bits & BITS_INDEX)));
	if (word)
		mc_textf(t, "\"%s\"", word);
	else
		mc_textf(t, "null");
	mc_textf(t, ",\"writable\":%s", bits & BITS_WRITABLE ? "true" : "false");
}
