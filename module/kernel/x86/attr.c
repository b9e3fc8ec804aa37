// SPDX-License-Identifier: GPL-2.0-only
/* Memory types on x86: the kernel sets them, page tables and the PAT show them. */
#include <linux/io.h>
#include <linux/mem_encrypt.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <asm/cacheflush.h>
#include <asm/fixmap.h>
#include <asm/pgtable.h>

#include "kernel/arch.h"
#include "measure/pieces.h"

/* Older kernels know only the bit of AMD's processors. */
#ifdef MC_HAVE_CC_MKDEC
#include <asm/coco.h>
#else
#define cc_mkdec(entry)	(entry)
#endif

#define MSR_PAT		0x277	/* Intel SDM vol. 4, IA32_PAT: a byte for each entry */

/* Encodings of a PAT entry: Intel SDM vol. 3, table "Memory types in PAT". */
static const enum mc_attr pat_types[8] = {
	[0] = MC_ATTR_UC, [1] = MC_ATTR_WC, [4] = MC_ATTR_WT,
	[5] = MC_ATTR_WP, [6] = MC_ATTR_WB, [7] = MC_ATTR_UC_MINUS,
};

/* By PWT and PCD, without a PAT: Intel SDM vol. 3, "Page-level types". */
static const enum mc_attr no_pat_types[4] = {
	MC_ATTR_WB, MC_ATTR_WT, MC_ATTR_UC_MINUS, MC_ATTR_UC,
};

static bool read_pat(u64 *pat)
{
	return boot_cpu_has(X86_FEATURE_PAT) && !mc_msr_read(MSR_PAT, pat);
}

/* The PAT bit is bit 7 of a 4 KiB entry, and bit 12 of a larger one. */
static unsigned int index_of(u64 flags, bool large)
{
	return (flags & _PAGE_PWT ? 1 : 0) + (flags & _PAGE_PCD ? 2 : 0) +
	       (flags & (large ? _PAGE_PAT_LARGE : _PAGE_PAT) ? 4 : 0);
}

static enum mc_attr attr_at(unsigned int index)
{
	u64 pat;

	if (!read_pat(&pat))
		return no_pat_types[index & 3];
	return pat_types[pat >> (8 * index) & 7];
}

/**
 * mc_attr_read() - what the page tables say of a kernel address
 * @addr: the address
 * @mapping_bytes: result: size of the mapping, 0 if there is none
 *
 * Context: Process; the mapping must not be removed meanwhile.
 * Return: the attribute, MC_ATTR_NA if the address is not mapped or nobody knows.
 */
enum mc_attr mc_attr_read(const void *addr, u64 *mapping_bytes)
{
	unsigned int level;
	pte_t *pte = lookup_address((unsigned long)addr, &level);

	*mapping_bytes = 0;
	if (!pte || !(pte_val(*pte) & _PAGE_PRESENT))
		return MC_ATTR_NA;
	*mapping_bytes = page_level_size(level);
	return attr_at(index_of(pte_val(*pte), level != PG_LEVEL_4K));
}

/**
 * mc_attr_settable() - can pages have a memory type here?
 * @type: the type
 *
 * Return: true for those that the kernel has a function for; the actual type is read back
 * later.
 */
bool mc_attr_settable(enum mc_type type)
{
	return type < MC_NTYPES;
}

/**
 * mc_attr_direct() - can pages have a memory type in the direct map?
 * @type: the type, one that pages can have
 *
 * Return: true; on arm64 for write-back only.
 */
bool mc_attr_direct(enum mc_type type)
{
	return true;
}

/**
 * mc_attr_try() - does memory take the accesses of the loops?
 * @line: a line of it, which keeps its contents
 *
 * Context: Process.
 * Return: NULL: it does; or, on arm64, the accesses that fault.
 */
const char *mc_attr_try(void *line)
{
	return NULL;
}

/**
 * mc_attr_set() - give pages of the direct map a memory type
 * @addr: direct-map address of the first one
 * @pages: number of pages
 * @type: the type; between WC and UC, WB must be set first
 *
 * Context: Process, may sleep.
 * Return: 0 or the kernel's negative errno.
 */
int mc_attr_set(void *addr, unsigned int pages, enum mc_type type)
{
	static int (*const set[MC_NTYPES])(unsigned long addr, int pages) = {
		[MC_WB] = set_memory_wb,
		[MC_WC] = set_memory_wc,
		[MC_UC] = set_memory_uc,
	};

	return set[type]((unsigned long)addr, pages);
}

/**
 * mc_attr_map() - map physical addresses that are not the kernel's memory
 * @start: the first one, at the beginning of a page
 * @bytes: whole pages
 * @type: the type asked for; the actual one is read back later
 *
 * Context: Process, may sleep.
 * Return: the mapping, for iounmap(), or NULL.
 */
void __iomem *mc_attr_map(u64 start, u64 bytes, enum mc_type type)
{
	static void __iomem *(*const map[MC_NALL_TYPES])(resource_size_t start,
							 unsigned long bytes) = {
		[MC_WB] = ioremap_cache,
		[MC_WC] = ioremap_wc,
		[MC_UC] = ioremap,
		[MC_WT] = ioremap_wt,
		[MC_NP] = ioremap_uc,
	};

	return map[type](start, bytes);
}

/**
 * mc_attr_leave() - before a mapping is removed: write back and empty the caches of it
 * @addr: the first address that was accessed
 * @bytes: number of bytes
 * @type: the type of the mapping
 *
 * The next mapping may bypass the caches.
 *
 * Context: Process, may sleep.
 */
void mc_attr_leave(void *addr, u64 bytes, enum mc_type type)
{
	if (type == MC_WB || type == MC_WT)
		mc_in_pieces(addr, bytes, clflush_cache_range);
}

/**
 * mc_attr_of() - what the page tables say of a mapping if it has its type
 * @type: the type
 *
 * Return: the attribute.
 */
enum mc_attr mc_attr_of(enum mc_type type)
{
	static const enum mc_attr attrs[MC_NALL_TYPES] = {
		[MC_WB] = MC_ATTR_WB,
		[MC_WC] = MC_ATTR_WC,
		[MC_UC] = MC_ATTR_UC_MINUS,
		[MC_WT] = MC_ATTR_WT,
		[MC_NP] = MC_ATTR_UC,
	};

	return attrs[type];
}

/**
 * mc_attr_json() - append the page-table layout as JSON members
 * @t: the text
 */
void mc_attr_json(struct mc_text *t)
{
	unsigned int i;
	u64 pat;

	mc_textf(t, "\"page_table_levels\":%d,\"pat\":", pgtable_l5_enabled() ? 5 : 4);
	if (!read_pat(&pat)) {
		mc_textf(t, "null");
		return;
	}
	for (i = 0; i < 8; i++)
		mc_textf(t, "%s\"%s\"", i ? "," : "[", mc_attr_name(pat_types[pat >> (8 * i) & 7]));
	mc_textf(t, "]");
}

/* ------------------------------------------------------- tables for a look */

#define BITS_INDEX	7	/* in the bits of a mapping: the entry of the PAT */
#define BITS_MARKED	8	/* the bit that tells encrypted or shared memory */
#define BITS_WRITABLE	16

/* The bit of an entry that marks memory as encrypted (SME, SEV), or as shared (TDX). */
static u64 encryption_mask(void)
{
	return sme_me_mask ? sme_me_mask : cc_mkdec(0);
}

static enum mc_entry decode(u64 entry, unsigned int shift, u64 *phys, u8 *bits)
{
	bool large = shift > PAGE_SHIFT && shift <= PUD_SHIFT && entry & _PAGE_PSE;

	if (!(entry & _PAGE_PRESENT))
		return MC_ENTRY_NONE;
	*phys = entry & PTE_PFN_MASK;
	if (shift > PAGE_SHIFT && !large)
		return MC_ENTRY_TABLE;
	*phys = *phys >> shift << shift;
	*bits = index_of(entry, large) | (entry & encryption_mask() ? BITS_MARKED : 0) |
		(entry & _PAGE_RW ? BITS_WRITABLE : 0);
	return MC_ENTRY_LEAF;
}

/* Intel SDM vol. 3, "Memory type range registers"; AMD APM vol. 2 for SYSCFG and TOM2. */
#define MTRR_CAP		0xfe
#define MTRR_DEFAULT		0x2ff
#define MTRR_VARIABLE(i)	(0x200 + 2 * (i))
#define MTRR_VALID		BIT_ULL(11)
#define AMD_SYSCFG		0xc0010010
#define AMD_TOM2		0xc001001d
#define TOM2_IS_WB		(BIT_ULL(21) | BIT_ULL(22))	/* it is on, and means WB */

static void read_mtrrs(struct mc_mtrrs *m)
{
	static const u16 fixed[MC_MTRR_FIXED] = {
		0x250, 0x258, 0x259, 0x268, 0x269, 0x26a, 0x26b, 0x26c, 0x26d, 0x26e, 0x26f,
	};
	u64 cap, preset, base, mask, top = BIT_ULL(boot_cpu_data.x86_phys_bits) - 1;
	unsigned int i;

	m->there = boot_cpu_has(X86_FEATURE_MTRR) && !mc_msr_read(MTRR_CAP, &cap) &&
		   !mc_msr_read(MTRR_DEFAULT, &preset);
	if (!m->there)
		return;
	m->on = preset & MTRR_VALID;
	m->fixed_on = preset & BIT_ULL(10) && cap & BIT_ULL(8);
	m->preset = preset;
	for (i = 0; i < min_t(u64, cap & 0xff, MC_MTRR_VARIABLE); i++) {
		if (mc_msr_read(MTRR_VARIABLE(i), &base) ||
		    mc_msr_read(MTRR_VARIABLE(i) + 1, &mask)) {
			m->on = false;	/* then the types are not known */
			continue;
		}
		if (!(mask & MTRR_VALID))
			continue;
		m->variable[m->n].base = base;
		m->variable[m->n++].mask = mask & top & PAGE_MASK;
	}
	for (i = 0; m->fixed_on && i < MC_MTRR_FIXED; i++)
		mc_msr_read(fixed[i], &m->fixed[i]);
	if ((boot_cpu_data.x86_vendor == X86_VENDOR_AMD ||
	     boot_cpu_data.x86_vendor == X86_VENDOR_HYGON) &&
	    !mc_msr_read(AMD_SYSCFG, &mask) && (mask & TOM2_IS_WB) == TOM2_IS_WB &&
	    !mc_msr_read(AMD_TOM2, &base))
		m->wb_below = base & PAGE_MASK;
}

/**
 * mc_tables_begin() - find the kernel's page tables
 * @t: result; without read()
 * @areas: array of MC_AREA_USER ranges of virtual addresses; result, by enum mc_look_area
 * @look: result: its attributes and MTRRs
 *
 * Context: Process that has memory of its own.
 * Return: NULL, or why they can't be walked, as in User-Mode Linux.
 */
const char *mc_tables_begin(struct mc_tables *t, struct mc_range *areas, struct mc_look *look)
{
	static const u8 shifts[] = { 48, 39, 30, 21, 12 };
	unsigned int i, skip = pgtable_l5_enabled() ? 0 : 1;

	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		return "the page tables of this guest of Xen have addresses of the machine";
	*t = (struct mc_tables){
		.levels = 5 - skip, .address_bits = skip ? 48 : 57,
		.root = __pa(current->mm->pgd), .ignored = _PAGE_ACCESSED | _PAGE_DIRTY,
		.decode = decode,
	};
	memcpy(t->shift, shifts + skip, t->levels);
	areas[MC_AREA_DIRECT] = (struct mc_range){ PAGE_OFFSET, VMALLOC_START - PAGE_OFFSET };
	areas[MC_AREA_VMALLOC] = (struct mc_range){
		VMALLOC_START, VMALLOC_END - VMALLOC_START + 1
	};
	areas[MC_AREA_FIXMAP] = (struct mc_range){ FIXADDR_START, FIXADDR_TOP - FIXADDR_START };
	preempt_disable();	/* registers are those of this CPU */
	for (i = 0; i < ARRAY_SIZE(look->attrs); i++)
		look->attrs[i] = attr_at(i & BITS_INDEX);
	read_mtrrs(&look->mtrrs);
	preempt_enable();
	return NULL;
}

/**
 * mc_tables_address_bits() - how wide physical addresses are
 *
 * Return: bits.
 */
unsigned int mc_tables_address_bits(void)
{
	return boot_cpu_data.x86_phys_bits;
}

/**
 * mc_tables_bits_json() - append attribute bits as JSON members
 * @t: the text
 * @bits: the bits
 */
void mc_tables_bits_json(struct mc_text *t, u8 bits)
{
	bool marked = bits & BITS_MARKED;

	mc_textf(t, "\"attr_index\":%u,\"pwt\":%u,\"pcd\":%u,\"pat\":%u,\"encrypted\":%s",
		 bits & BITS_INDEX, bits & 1, bits >> 1 & 1, bits >> 2 & 1,
		 !encryption_mask() ? "null" : marked == !!sme_me_mask ? "true" : "false");
	mc_textf(t, ",\"writable\":%s", bits & BITS_WRITABLE ? "true" : "false");
}
