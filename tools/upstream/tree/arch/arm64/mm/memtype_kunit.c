// SPDX-License-Identifier: GPL-2.0-only
/* KUnit test of memory types: what mm/memtype_kunit.c asks of arm64. */
#include <kunit/memtype.h>
#include <linux/io.h>
#include <linux/pgtable.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

/* An entry has an index. The type is in MAIR_EL1. */
static enum memtype_kind type_of(u64 entry, bool large)
{
	u64 mair = read_sysreg(mair_el1);

	if (!(entry & PTE_VALID))
		return TYPE_NONE;
	switch (mair >> (8 * (entry >> 2 & 7)) & 0xff) {
	case MAIR_ATTR_NORMAL:
	case MAIR_ATTR_NORMAL_TAGGED:
		return TYPE_WB;
	case MAIR_ATTR_NORMAL_NC:
		return TYPE_WC;
	case MAIR_ATTR_DEVICE_nGnRE:
		return TYPE_UC_MINUS;
	case MAIR_ATTR_DEVICE_nGnRnE:
		return TYPE_UC;
	default:
		return TYPE_NONE;
	}
}

/* The register may name the middle of the table, where 52 bits of address are not used. */
static pgd_t *pgd(unsigned long addr)
{
	pgd_t *table = __va(read_sysreg(ttbr1_el1) & GENMASK_ULL(47, PAGE_SHIFT));

	return pgd_offset_pgd(table, addr);
}

static bool ignored(void)
{
	return !is_kernel_in_hyp_mode();
}

static void __iomem *map_strict(phys_addr_t at, size_t size)
{
	return ioremap_np(at, size);
}

static void loads(void *line, unsigned long count)
{
	unsigned long zero = 0;

	asm volatile("1:	ldr	%[zero], [%[line], %[zero]]\n"
		     "	and	%[zero], %[zero], xzr\n"
		     "	subs	%[count], %[count], #1\n"
		     "	b.ne	1b"
		     : [zero] "+&r" (zero), [count] "+&r" (count)
		     : [line] "r" (line) : "memory", "cc");
}

/* Nobody tracks types. The direct map stays WB, as for memory of dma_alloc_coherent(). */
const struct memtype_arch memtype_arch = {
	.names = { "none", "Device-nGnRnE", "Device-nGnRE", "Normal-NC", "WT", "WP", "Normal" },
	.noncached = TYPE_UC,
	.type_of = type_of,
	.pgd = pgd,
	.ignored = ignored,
	.ioremap_strict = map_strict,
	.loads = loads,
};
