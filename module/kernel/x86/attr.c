// SPDX-License-Identifier: GPL-2.0-only
/* Memory types on x86: the kernel sets them, page tables and the PAT show them. */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <asm/cacheflush.h>
#include <asm/pgtable.h>

#include "kernel/arch.h"
#include "measure/pieces.h"

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
static enum mc_attr attr_of(unsigned long flags, bool large)
{
	unsigned long pat_bit = large ? _PAGE_PAT_LARGE : _PAGE_PAT;
	unsigned int index = (flags & _PAGE_PWT ? 1 : 0) +
			     (flags & _PAGE_PCD ? 2 : 0) +
			     (flags & pat_bit ? 4 : 0);
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
	return attr_of(pte_val(*pte), level != PG_LEVEL_4K);
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

	mc_textf(t, "\"page_table_levels\":%d,\"pat\":",
		 pgtable_l5_enabled() ? 5 : 4);
	if (!read_pat(&pat)) {
		mc_textf(t, "null");
		return;
	}
	for (i = 0; i < 8; i++)
		mc_textf(t, "%s\"%s\"", i ? "," : "[",
			 mc_attr_name(pat_types[pat >> (8 * i) & 7]));
	mc_textf(t, "]");
}
