// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit test of memory types.
 *
 * It asks for a memory type by set_memory_*(), ioremap*(), memremap() or vmap(), and then looks
 * whether the page tables say what was asked for, whether the type has an effect, and whether
 * everything is as before afterwards. The test walks the page tables itself: neither
 * lookup_address() nor the list of reserved memory types takes part.
 *
 * Where types have no effect because a hypervisor or an emulator ignores them, tests are skipped,
 * and say so. Where excused() knows of no hypervisor, a type without an effect is a failure.
 *
 * See Documentation/mm/memtype_kunit.rst.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/pgtable.h>
#include <linux/set_memory.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#include <asm/cpufeature.h>
#include <asm/memtype.h>
#include <asm/msr.h>
#include <asm/mtrr.h>
#define HAVE_TYPES	1	/* the test can read them from page tables */
#define HAVE_SET_MEMORY	1	/* RAM can be given another type */
#elif defined(CONFIG_ARM64)
#include <asm/sysreg.h>
#include <asm/virt.h>
#define HAVE_TYPES	1
#define HAVE_SET_MEMORY	0
#define pat_enabled()	true	/* all types are always there */
#else
#define HAVE_TYPES	0
#define HAVE_SET_MEMORY	0
#endif
#define HAVE_SPEEDS	(HAVE_SET_MEMORY && IS_ENABLED(CONFIG_MEMTYPE_KUNIT_BENCHMARK))

#if HAVE_TYPES
/* Types have the names of x86. Those of arm64 that correspond are in type_names. */
enum type { TYPE_NONE, TYPE_UC, TYPE_UC_MINUS, TYPE_WC, TYPE_WT, TYPE_WP, TYPE_WB };

/* What the page tables say of an address, and the size of the page. */
struct mapping {
	enum type type;
	unsigned long size;
};

#ifdef CONFIG_X86_64
#define TYPE_NONCACHED	TYPE_UC_MINUS	/* what pgprot_noncached() asks for */

static const char * const type_names[] = { "none", "UC", "UC-", "WC", "WT", "WP", "WB" };

/* An entry has an index. The type is in the PAT register, whoever wrote that. */
static enum type type_of(u64 entry, bool large)
{
	static const enum type types[8] = { TYPE_UC, TYPE_WC, TYPE_NONE, TYPE_NONE, TYPE_WT,
					    TYPE_WP, TYPE_WB, TYPE_UC_MINUS };
	unsigned int index = 0, low, high;

	if (!(entry & _PAGE_PRESENT))
		return TYPE_NONE;
	if (entry & _PAGE_PWT)
		index |= 1;
	if (entry & _PAGE_PCD)
		index |= 2;
	if (entry & (large ? _PAGE_PAT_LARGE : _PAGE_PAT))
		index |= 4;
	rdmsr(MSR_IA32_CR_PAT, low, high);
	return types[(index & 4 ? high : low) >> (8 * (index & 3)) & 7];
}

static pgd_t *kernel_table(void)
{
	return __va(read_cr3_pa());
}
#else
#define TYPE_NONCACHED	TYPE_UC

static const char * const type_names[] = { "none", "Device-nGnRnE", "Device-nGnRE", "Normal-NC",
					   "WT", "WP", "Normal" };

/* An entry has an index. The type is in MAIR_EL1. */
static enum type type_of(u64 entry, bool large)
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
static pgd_t *kernel_table(void)
{
	return __va(read_sysreg(ttbr1_el1) & GENMASK_ULL(47, PAGE_SHIFT));
}
#endif

/* Walk the kernel's page tables. */
static struct mapping walk(const void *p)
{
	unsigned long addr = (unsigned long)p;
	struct mapping none = { TYPE_NONE, PUD_SIZE };
	pgd_t *pgd = pgd_offset_pgd(kernel_table(), addr);
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;
	pte_t *pte;

	if (pgd_none(READ_ONCE(*pgd)))
		return none;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(READ_ONCE(*p4d)))
		return none;
	pud = pud_offset(p4d, addr);
	if (pud_none(READ_ONCE(*pud)))
		return none;
	if (pud_leaf(*pud))
		return (struct mapping){ type_of(pud_val(*pud), true), PUD_SIZE };
	pmd = pmd_offset(pud, addr);
	none.size = PMD_SIZE;
	if (pmd_none(READ_ONCE(*pmd)))
		return none;
	if (pmd_leaf(*pmd))
		return (struct mapping){ type_of(pmd_val(*pmd), true), PMD_SIZE };
	pte = pte_offset_kernel(pmd, addr);
	return (struct mapping){ type_of(pte_val(*pte), false), PAGE_SIZE };
}

/* --------------------------------------------------------------------- memory of a test */

/* Pages of a test, in the direct map. */
struct block {
	struct page *page;
	void *addr;
	int pages;
	unsigned int order;
	struct mapping before;	/* what the page tables said at first */
	bool changed;		/* they may be something else than WB */
};

/* Memory that can't be turned back is kept: anybody who got it would find it slow. */
static void free_block(void *data)
{
	struct block *b = data;

#if HAVE_SET_MEMORY
	if (b->changed && set_memory_wb((unsigned long)b->addr, b->pages)) {
		pr_err("%d pages can't be made WB again; they are lost\n", b->pages);
		return;
	}
#endif
	__free_pages(b->page, b->order);
}

static struct block *get_block(struct kunit *test, unsigned int order)
{
	struct block *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, order);
	if (!b->page)
		kunit_skip(test, "no free block of order %u", order);
	b->order = order;
	b->pages = 1 << order;
	b->addr = page_address(b->page);
	b->before = walk(b->addr);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_block, b), 0);
	return b;
}

/* Every page has this type, and is mapped by pages of this size or larger ones. */
static void expect_mapping(struct kunit *test, void *addr, int pages, enum type type,
			   unsigned long size, const char *what)
{
	struct mapping first = walk(addr);
	int i, wrong = 0;

	for (i = 0; i < pages; i++) {
		struct mapping m = walk(addr + i * PAGE_SIZE);

		wrong += m.type != type || m.size < size;
	}
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0,
			    "%s: so many of %d pages are not %s, %lu KiB; the first is %s, %lu KiB",
			    what, pages, type_names[type], size / SZ_1K, type_names[first.type],
			    first.size / SZ_1K);
}

/* ------------------------------------------------------------------------------ timing */

/* Loads of a line, and lines that are stored, in a timed pass. Interrupts are off meanwhile. */
#define LOADS		512
#define LINES		64
#define PASSES		8

/* memtype_loops.S; nothing but memtype_write_lines() writes, so that any RAM may be read. */
asmlinkage void memtype_loads(void *line, unsigned long count);
#if HAVE_SET_MEMORY
asmlinkage void memtype_flushed_loads(void *line, unsigned long count);
asmlinkage void memtype_read_lines(void *lines, unsigned long count);
asmlinkage void memtype_write_lines(void *lines, unsigned long count);
/* Only speeds need it, but the type that kCFI checks is emitted for what C takes the address of. */
__ADDRESSABLE(memtype_read_lines);
#endif

/* The least time of some passes, for each of @count loads or lines of a pass, in picoseconds. */
static u64 least_ps(void (*pass)(void *p, unsigned long count), void *p, unsigned long count)
{
	u64 ns, least = U64_MAX;
	unsigned long flags;
	int i;

	for (i = 0; i < PASSES; i++) {
		local_irq_save(flags);
		ns = ktime_get_ns();
		pass(p, count);
		ns = ktime_get_ns() - ns;
		local_irq_restore(flags);
		least = min(least, ns);
	}
	return least * 1000 / count;
}

/* Types may have no effect here, and no kernel could help that. */
static bool excused(void)
{
#ifdef CONFIG_X86_64
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
#else
	return !is_kernel_in_hyp_mode();
#endif
}

#define EXCUSE	"the hypervisor or emulator ignores memory types"

/* Skip the rest of a test. A skip would hide what was wrong before, so that stays a failure. */
static void skip_rest(struct kunit *test, const char *reason)
{
	KUNIT_ASSERT_NE(test, test->status, KUNIT_FAILURE);
	kunit_skip(test, "%s", reason);
}

/* WB memory is as fast as RAM. All other types are not, because nothing is cached. */
static void expect_effect(struct kunit *test, void *p, enum type type, const char *what)
{
	u64 here = least_ps(memtype_loads, p, LOADS);
	u64 ram = least_ps(memtype_loads, get_block(test, 0)->addr, LOADS);
	bool cached = type == TYPE_WB, slow = here > 2 * ram;

	kunit_info(test, "%s: a load takes %llu ps, of RAM %llu\n", what, here, ram);
	if (slow == cached && excused())
		skip_rest(test, "the type has no effect: " EXCUSE);
	if (cached) {
		KUNIT_EXPECT_LE_MSG(test, here, 2 * ram, "%s is slower than RAM", what);
		return;
	}
	KUNIT_EXPECT_GT_MSG(test, here, 2 * ram, "%s is as fast as RAM", what);
}

/* Without PAT, as with the parameter nopat, the kernel gives UC- to those who want WC. */
static enum type type_to_get(struct kunit *test, enum type type)
{
	if (type != TYPE_WC || pat_enabled())
		return type;
	kunit_info(test, "PAT is off: WC memory is UC-\n");
	return TYPE_UC_MINUS;
}

#if HAVE_SET_MEMORY
/* ------------------------------------------------------------------------ set_memory_*() */

#define ORDER_2M	(PMD_SHIFT - PAGE_SHIFT)

/* set_memory_uc() gives UC-, as ioremap() does. */
static const struct set_case {
	const char *name;
	int (*set)(unsigned long addr, int pages);
	int (*other)(unsigned long addr, int pages);
	enum type type;
	unsigned int order;
} set_cases[] = {
	{ "uc, a page", set_memory_uc, set_memory_wc, TYPE_UC_MINUS, 0 },
	{ "wc, a page", set_memory_wc, set_memory_uc, TYPE_WC, 0 },
	{ "uc, 2 MiB", set_memory_uc, set_memory_wc, TYPE_UC_MINUS, ORDER_2M },
	{ "wc, 2 MiB", set_memory_wc, set_memory_uc, TYPE_WC, ORDER_2M },
};

KUNIT_ARRAY_PARAM_DESC(set, set_cases, name);

static void change(struct kunit *test, struct block *b, int (*set)(unsigned long addr, int pages))
{
	b->changed = true;
	KUNIT_ASSERT_EQ(test, set((unsigned long)b->addr, b->pages), 0);
	b->changed = set != set_memory_wb;
}

/*
 * The page tables say what was asked for; another type is refused until the memory is WB again;
 * a block of 2 MiB stays one page. A single page splits its large page, and that stays split:
 * set_memory_wb() collapses none (set_memory_rox() does, since 41d88484c71c).
 */
static void memtype_set_memory(struct kunit *test)
{
	const struct set_case *c = test->param_value;
	enum type type = type_to_get(test, c->type);
	struct block *b = get_block(test, c->order);
	unsigned long size = min(b->before.size, PAGE_SIZE << c->order);

	expect_mapping(test, b->addr, b->pages, TYPE_WB, size, "before");
	change(test, b, c->set);
	expect_mapping(test, b->addr, b->pages, type, size, "after it was set");
	if (pat_enabled()) {
		KUNIT_EXPECT_EQ_MSG(test, c->other((unsigned long)b->addr, b->pages), -EBUSY,
				    "another type is not refused");
		expect_mapping(test, b->addr, b->pages, type, size, "after one was refused");
	}
	change(test, b, set_memory_wb);
	expect_mapping(test, b->addr, b->pages, TYPE_WB, size, "afterwards");
	if (size < b->before.size)
		kunit_info(test, "a page of %lu KiB of the direct map is now split\n",
			   b->before.size / SZ_1K);
}

/* What a type costs: loads of the same line, also after a flush; stores that fill one. In ps. */
struct times {
	u64 load, flushed, line;
};

static struct times measure(struct kunit *test, void *p, const char *what)
{
	struct times t = {
		.load = least_ps(memtype_loads, p, LOADS),
		.flushed = least_ps(memtype_flushed_loads, p, LOADS),
		.line = least_ps(memtype_write_lines, p, LINES),
	};

	kunit_info(test, "%s: a load takes %llu ps, %llu after CLFLUSH; a line of stores %llu\n",
		   what, t.load, t.flushed, t.line);
	return t;
}

/* Loads from UC and WC memory take at least twice as long, and stores to WC leave by lines. */
static void memtype_effect(struct kunit *test)
{
	struct block *b = get_block(test, ORDER_2M);
	struct times wb, uc, wc, again;

	wb = measure(test, b->addr, "WB");
	change(test, b, set_memory_uc);
	uc = measure(test, b->addr, "UC-");
	change(test, b, set_memory_wb);
	again = measure(test, b->addr, "WB again");
	change(test, b, set_memory_wc);
	wc = measure(test, b->addr, "WC");
	change(test, b, set_memory_wb);

	if (uc.load <= 2 * wb.load && excused())
		skip_rest(test, "UC- memory is as fast as WB: " EXCUSE);
	KUNIT_EXPECT_GT_MSG(test, uc.load, 2 * wb.load, "UC- memory is as fast as WB");
	KUNIT_EXPECT_LT_MSG(test, 2 * again.load, uc.load, "memory that is WB again is slow");
	if (!pat_enabled())
		skip_rest(test, "PAT is off: WC memory is UC-");
	KUNIT_EXPECT_GT_MSG(test, wc.load, 2 * wb.load, "WC memory is as fast as WB");
	KUNIT_EXPECT_LT_MSG(test, 2 * wc.line, uc.line, "WC memory does not combine stores");
}

/* -------------------------------------------------------------------- all of the direct map */

/* Of so many pages the first free one is read. */
#define EACH		(SZ_8M / PAGE_SIZE)

static struct page *find_free_page(unsigned long pfn)
{
	unsigned long end = pfn + EACH;

	for (; pfn < end; pfn++) {
		struct page *page = pfn_to_online_page(pfn);

		if (page && is_free_buddy_page(page) && !PageHWPoison(page))
			return page;
	}
	return NULL;
}

/*
 * RAM that the page tables call WB has to be cached. An MTRR that leaves out some of the RAM
 * would have it uncached.
 */
static void memtype_ram_is_cached(struct kunit *test)
{
	unsigned long pfn, slow = 0, looked = 0, first = 0;
	int node;

	for_each_online_node(node) {
		for (pfn = node_start_pfn(node); pfn < node_end_pfn(node); pfn += EACH) {
			struct page *page = find_free_page(pfn);
			void *addr = page ? page_address(page) : NULL;

			if (!page || walk(addr).type != TYPE_WB)
				continue;
			looked++;
			if (2 * least_ps(memtype_loads, addr, LOADS) >=
			    least_ps(memtype_flushed_loads, addr, LOADS))
				first = slow++ ? first : page_to_pfn(page);
			cond_resched();
		}
	}
	kunit_info(test, "of %lu pages that are WB, %lu are not cached\n", looked, slow);
	if (slow && excused())
		skip_rest(test, "CLFLUSH makes no load slower: " EXCUSE);
	KUNIT_EXPECT_EQ_MSG(test, slow, 0UL, "there is RAM that is not cached, first at %lu MiB",
			    first >> (20 - PAGE_SHIFT));
}
#endif

/* Nobody has freed a page without making it WB again. */
static void memtype_free_pages_are_wb(struct kunit *test)
{
	unsigned long pfn, next, wrong = 0, first = 0, small = 0, large = 0;
	int node;

	for_each_online_node(node) {
		for (pfn = node_start_pfn(node); pfn < node_end_pfn(node); pfn = next) {
			struct mapping m = walk(pfn_to_kaddr(pfn));

			next = ALIGN(pfn + 1, m.size / PAGE_SIZE);
			if (!(pfn % PTRS_PER_PTE))
				cond_resched();
			if (m.type == TYPE_NONE)
				continue;
			if (m.size == PAGE_SIZE)
				small++;
			else
				large += m.size / PMD_SIZE;
			for (; m.type != TYPE_WB && pfn < next; pfn++) {
				struct page *page = pfn_to_online_page(pfn);

				if (page && is_free_buddy_page(page))
					first = wrong++ ? first : pfn;
			}
		}
	}
	kunit_info(test, "direct map: %lu x %lu KiB in large pages, %lu x %lu KiB\n", large,
		   PMD_SIZE / SZ_1K, small, PAGE_SIZE / SZ_1K);
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0UL, "free pages are not WB, the first at %lu MiB",
			    first >> (20 - PAGE_SHIFT));
}

/* ---------------------------------------------------------------- memory that is no System RAM */

static unsigned long reserved;
module_param(reserved, ulong, 0444);
MODULE_PARM_DESC(reserved,
		 "physical address of 2 MiB of RAM that nobody uses, as by memmap=2M$ADDRESS or mem=");

static void unmap_io(void *addr)
{
	iounmap((void __iomem *)addr);
}

static void *map_uc(phys_addr_t at, size_t size)
{
	return (void __force *)ioremap(at, size);
}

/* The type that a strict order needs. UC- and Device-nGnRE are not as strict. */
static void *map_strict(phys_addr_t at, size_t size)
{
#ifdef CONFIG_X86_64
	return (void __force *)ioremap_uc(at, size);
#else
	return (void __force *)ioremap_np(at, size);
#endif
}

static void *map_wc(phys_addr_t at, size_t size)
{
	return (void __force *)ioremap_wc(at, size);
}

static void *memremap_wb(phys_addr_t at, size_t size)
{
	return memremap(at, size, MEMREMAP_WB);
}

static void *memremap_wc(phys_addr_t at, size_t size)
{
	return memremap(at, size, MEMREMAP_WC);
}

/* The alias asks for a type that x86 refuses meanwhile. On arm64, nobody looks. */
static const struct map_case {
	const char *name;
	void *(*map)(phys_addr_t at, size_t size);
	void *(*alias)(phys_addr_t at, size_t size);
	enum type type;
} map_cases[] = {
	{ "ioremap", map_uc, NULL, TYPE_UC_MINUS },
	{ "ioremap_wc", map_wc, NULL, TYPE_WC },
	{ HAVE_SET_MEMORY ? "ioremap_uc" : "ioremap_np", map_strict, NULL, TYPE_UC },
	{ "memremap WB", memremap_wb, HAVE_SET_MEMORY ? map_wc : NULL, TYPE_WB },
	{ "memremap WC", memremap_wc, NULL, TYPE_WC },
};

KUNIT_ARRAY_PARAM_DESC(map, map_cases, name);

/*
 * Where firmware has not enabled the MTRRs, as qboot of QEMU, no memory is WB, and the kernel
 * gives UC- to those who want WB. A guest whose CPU has no MTRRs gets WB.
 */
static void skip_if_mtrrs_forbid_wb(struct kunit *test, const void *p)
{
#ifdef CONFIG_X86_64
	u32 low, high;

	if (walk(p).type == TYPE_UC_MINUS && boot_cpu_has(X86_FEATURE_MTRR) &&
	    !rdmsr_safe(MSR_MTRRdefType, &low, &high) && !(low & MTRR_DEF_TYPE_E))
		kunit_skip(test, "the firmware has left the MTRRs off, so no memory is WB");
#endif
}

/* Map the memory that reserved= names, or skip the test. */
static void *map_reserved(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	void *p;

	if (!reserved)
		kunit_skip(test, KBUILD_MODNAME ".reserved= names no memory");
	KUNIT_ASSERT_EQ_MSG(test, region_intersects(reserved, SZ_2M, IORESOURCE_SYSTEM_RAM,
						    IORES_DESC_NONE),
			    REGION_DISJOINT, "reserved= is memory that the kernel uses");
	p = c->map(reserved, SZ_2M);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, unmap_io, p), 0);
	if (c->type == TYPE_WB)
		skip_if_mtrrs_forbid_wb(test, p);
	return p;
}

/* The page tables say what was asked for, and an alias of another type is refused. */
static void memtype_map(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	enum type type = type_to_get(test, c->type);
	void *alias, *p = map_reserved(test);
	bool large = IS_ALIGNED(reserved | SZ_2M, PMD_SIZE) && arch_vmap_pmd_supported(PAGE_KERNEL);

	expect_mapping(test, p, SZ_2M / PAGE_SIZE, type, large ? PMD_SIZE : PAGE_SIZE, c->name);
	if (!c->alias || !pat_enabled())
		return;
	alias = c->alias(reserved, PAGE_SIZE);
	KUNIT_EXPECT_NULL_MSG(test, alias, "another type is not refused");
	if (alias)
		unmap_io(alias);
}

static void memtype_map_effect(struct kunit *test)
{
	const struct map_case *c = test->param_value;

	expect_effect(test, map_reserved(test), c->type, c->name);
}

static int note_first(struct resource *found, void *data)
{
	*(resource_size_t *)data = found->start;
	return 1;
}

/* ACPI tables are in RAM: memremap() gives WB, also where the guest has no MTRRs. */
static void memtype_acpi_tables(struct kunit *test)
{
	resource_size_t at = 0;
	void *p;

	walk_iomem_res_desc(IORES_DESC_ACPI_TABLES, IORESOURCE_MEM, 0, -1, &at, note_first);
	if (!at)
		kunit_skip(test, "no memory is listed as ACPI tables");
	p = memremap(at & PAGE_MASK, PAGE_SIZE, MEMREMAP_WB);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, unmap_io, p), 0);
	skip_if_mtrrs_forbid_wb(test, p);
	expect_mapping(test, p, 1, TYPE_WB, PAGE_SIZE, "memremap WB of ACPI tables");
}

/* --------------------------------------------------------------------------------- vmap() */

static const struct vmap_case {
	const char *name;
	enum type type;
} vmap_cases[] = {
	{ "PAGE_KERNEL", TYPE_WB },
	{ "pgprot_noncached", TYPE_NONCACHED },
	{ "pgprot_writecombine", TYPE_WC },
	{ "pgprot_device", TYPE_UC_MINUS },
};

KUNIT_ARRAY_PARAM_DESC(vmap, vmap_cases, name);

static void unmap(void *addr)
{
	vunmap(addr);
}

/*
 * On x86 the direct map gets the same type before, because two types of a page at once are not
 * allowed, and vmap() does not look. On arm64 it stays WB, as for memory of dma_alloc_coherent().
 * Such memory is only read here.
 */
static void *map_page(struct kunit *test)
{
	const struct vmap_case *c = test->param_value;
	const pgprot_t protections[ARRAY_SIZE(vmap_cases)] = {
		PAGE_KERNEL, pgprot_noncached(PAGE_KERNEL), pgprot_writecombine(PAGE_KERNEL),
		pgprot_device(PAGE_KERNEL),
	};
	struct block *b = get_block(test, 0);
	void *addr;

#if HAVE_SET_MEMORY
	if (c->type != TYPE_WB)
		change(test, b, c->type == TYPE_WC ? set_memory_wc : set_memory_uc);
#endif
	addr = vmap(&b->page, 1, VM_MAP, protections[c - vmap_cases]);
	KUNIT_ASSERT_NOT_NULL(test, addr);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, unmap, addr), 0);
	return addr;
}

/* vmap() gives what is asked for. */
static void memtype_vmap(struct kunit *test)
{
	const struct vmap_case *c = test->param_value;

	expect_mapping(test, map_page(test), 1, type_to_get(test, c->type), PAGE_SIZE, c->name);
}

static void memtype_vmap_effect(struct kunit *test)
{
	const struct vmap_case *c = test->param_value;

	expect_effect(test, map_page(test), c->type, c->name);
}
#endif

/* --------------------------------------------------------------------------------- speeds */

#if HAVE_SPEEDS
/* Interrupts are off while so many lines are read or written. */
#define SPEED_LINES	1024

/* The speed of each type, in MB/s. Nothing is expected of it. */
static void memtype_speeds(struct kunit *test)
{
	static const struct {
		const char *name;
		int (*set)(unsigned long addr, int pages);
	} types[] = { { "WB", set_memory_wb }, { "UC-", set_memory_uc }, { "WC", set_memory_wc } };
	struct block *b = get_block(test, ORDER_2M);
	int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		u64 read, write;

		change(test, b, types[i].set);
		/* A line has 64 bytes; bytes in a picosecond, times 10^6, are MB/s. */
		read = least_ps(memtype_read_lines, b->addr, SPEED_LINES) ?: 1;
		write = least_ps(memtype_write_lines, b->addr, SPEED_LINES) ?: 1;
		kunit_info(test, "%s: reads %llu MB/s, writes %llu MB/s\n", types[i].name,
			   64000000 / read, 64000000 / write);
		change(test, b, set_memory_wb);
	}
}
#endif

#define ABSENT(name, reason)							\
static void name(struct kunit *test)						\
{										\
	kunit_skip(test, reason);						\
}

#if !HAVE_TYPES
#define NO_TYPES	"the test knows no memory types of this architecture"
ABSENT(memtype_map, NO_TYPES)
ABSENT(memtype_map_effect, NO_TYPES)
ABSENT(memtype_vmap, NO_TYPES)
ABSENT(memtype_vmap_effect, NO_TYPES)
ABSENT(memtype_acpi_tables, NO_TYPES)
ABSENT(memtype_free_pages_are_wb, NO_TYPES)
#endif
#if !HAVE_SET_MEMORY
#define NO_SET_MEMORY	"this architecture has no set_memory_uc()"
ABSENT(memtype_set_memory, NO_SET_MEMORY)
ABSENT(memtype_effect, NO_SET_MEMORY)
ABSENT(memtype_ram_is_cached, "this architecture has no MTRRs")
#endif
#if !HAVE_SPEEDS
ABSENT(memtype_speeds, "CONFIG_MEMTYPE_KUNIT_BENCHMARK is off, or RAM has one type only")
#endif

static struct kunit_case memtype_cases[] = {
#if HAVE_SET_MEMORY
	KUNIT_CASE_PARAM(memtype_set_memory, set_gen_params),
#else
	KUNIT_CASE(memtype_set_memory),
#endif
#if HAVE_TYPES
	KUNIT_CASE_PARAM(memtype_map, map_gen_params),
	KUNIT_CASE_PARAM(memtype_map_effect, map_gen_params),
	KUNIT_CASE_PARAM(memtype_vmap, vmap_gen_params),
	KUNIT_CASE_PARAM(memtype_vmap_effect, vmap_gen_params),
#else
	KUNIT_CASE(memtype_map),
	KUNIT_CASE(memtype_map_effect),
	KUNIT_CASE(memtype_vmap),
	KUNIT_CASE(memtype_vmap_effect),
#endif
	KUNIT_CASE(memtype_acpi_tables),
	KUNIT_CASE(memtype_effect),
	KUNIT_CASE_SLOW(memtype_ram_is_cached),
	KUNIT_CASE_SLOW(memtype_free_pages_are_wb),
	KUNIT_CASE_SLOW(memtype_speeds),
	{}
};

static struct kunit_suite memtype_suite = {
	.name = "memtype",
	.test_cases = memtype_cases,
};

kunit_test_suite(memtype_suite);

MODULE_DESCRIPTION("KUnit test of memory types");
MODULE_LICENSE("GPL");
