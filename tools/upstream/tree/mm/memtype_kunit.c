// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit test of memory types: what all architectures have in common.
 *
 * It asks for a memory type by ioremap*(), memremap() or vmap(), on x86 also by set_memory_*(), and
 * then looks whether the page tables say what was asked for, whether the type has an effect, and
 * whether everything is as before afterwards. The test walks the page tables itself: neither
 * lookup_address() nor the list of reserved memory types takes part. It looks only at memory that
 * it holds, so that nobody can take that away meanwhile.
 *
 * Where types have no effect because a hypervisor or an emulator ignores them, tests are skipped,
 * and say so. Where the architecture knows of no hypervisor, a type without an effect is a failure.
 *
 * arch/ARCH/mm/Makefile makes a module of this file and memtype_kunit.c there.
 * See Documentation/mm/memtype_kunit.rst.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <kunit/memtype.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/pgtable.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>

/* What an entry says that maps a page of this size. */
static struct memtype_mapping mapping(u64 entry, unsigned long size)
{
	return (struct memtype_mapping){ memtype_arch.type_of(entry, size > PAGE_SIZE), size };
}

static struct memtype_mapping walk(unsigned long addr)
{
	struct memtype_mapping none = { TYPE_NONE, PUD_SIZE };
	pgd_t *pgd = memtype_arch.pgd(addr);
	p4d_t *p4d;
	pud_t *pudp, pud;
	pmd_t *pmdp, pmd;
	pte_t pte;

	if (pgd_none(READ_ONCE(*pgd)))
		return none;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(READ_ONCE(*p4d)))
		return none;
	pudp = pud_offset(p4d, addr);
	pud = READ_ONCE(*pudp);
	if (pud_none(pud))
		return none;
	if (pud_leaf(pud))
		return mapping(pud_val(pud), PUD_SIZE);
	pmdp = pmd_offset(pudp, addr);
	pmd = READ_ONCE(*pmdp);
	none.size = PMD_SIZE;
	if (pmd_none(pmd))
		return none;
	if (pmd_leaf(pmd))
		return mapping(pmd_val(pmd), PMD_SIZE);
	pte = READ_ONCE(*pte_offset_kernel(pmdp, addr));
	return mapping(pte_val(pte), PAGE_SIZE);
}

/* Walk the kernel's page tables. The address is of memory that the test holds. */
struct memtype_mapping memtype_kunit_walk(const void *p)
{
	struct memtype_mapping m;

	preempt_disable();
	m = walk((unsigned long)p);
	preempt_enable();
	return m;
}

/* --------------------------------------------------------------------- memory of a test */

/* Memory that can't be turned back is kept: anybody who got it would find it slow. */
static void free_block(void *data)
{
	struct memtype_block *b = data;

	if (b->back && b->back((unsigned long)b->addr, b->pages))
		pr_err("%d pages can't be made WB again; they are lost\n", b->pages);
	else
		__free_pages(b->page, b->order);
}

struct memtype_block *memtype_kunit_get_block(struct kunit *test, unsigned int order)
{
	struct memtype_block *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, order);
	if (!b->page)
		kunit_skip(test, "no free block of order %u", order);
	b->order = order;
	b->pages = 1 << order;
	b->addr = page_address(b->page);
	b->before = memtype_kunit_walk(b->addr);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_block, b), 0);
	return b;
}

static void give_free_back(void *data)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, (struct list_head *)data, lru) {
		unsigned int order = page_private(page);

		list_del(&page->lru);
		set_page_private(page, 0);
		__free_pages(page, order);
		cond_resched();
	}
}

/*
 * Take most of the memory that is free, on all nodes, in blocks of at least this order, until the
 * end of the test. page_private() is the order of a block. Nobody waits for reclaim here, and the
 * last sixteenth is left to others.
 */
struct list_head *memtype_kunit_take_free(struct kunit *test, unsigned int least_order)
{
	struct list_head *taken = kunit_kzalloc(test, sizeof(*taken), GFP_KERNEL);
	long left = global_zone_page_state(NR_FREE_PAGES) / 16 * 15;
	int order = MAX_PAGE_ORDER;

	KUNIT_ASSERT_NOT_NULL(test, taken);
	INIT_LIST_HEAD(taken);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, give_free_back, taken), 0);
	while (left > 0 && order >= (int)least_order) {
		struct page *page = alloc_pages(GFP_NOWAIT | __GFP_NOMEMALLOC | __GFP_NOWARN,
						order);

		if (page) {
			set_page_private(page, order);
			list_add(&page->lru, taken);
			left -= 1 << order;
		} else {
			order--;
		}
		cond_resched();
	}
	if (list_empty(taken))
		kunit_skip(test, "no free block of order %u", least_order);
	return taken;
}

/* Every page has this type, and is mapped by pages of this size or larger ones. */
void memtype_kunit_expect_mapping(struct kunit *test, void *addr, int pages,
				  enum memtype_kind type, unsigned long size, const char *what)
{
	struct memtype_mapping first = memtype_kunit_walk(addr);
	int i, wrong = 0;

	for (i = 0; i < pages; i++) {
		struct memtype_mapping m = memtype_kunit_walk(addr + i * PAGE_SIZE);

		wrong += m.type != type || m.size < size;
	}
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0,
			    "%s: so many of %d pages are not %s, %lu KiB; the first is %s, %lu KiB",
			    what, pages, memtype_arch.names[type], size / SZ_1K,
			    memtype_arch.names[first.type], first.size / SZ_1K);
}

/* ------------------------------------------------------------------------------ timing */

#define PASSES		8

/* The least time of some passes, for each of @count loads or lines of a pass, in picoseconds. */
u64 memtype_kunit_least_ps(void (*pass)(void *p, unsigned long count), void *p, unsigned long count)
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

/* WB memory is as fast as RAM. All other types are not, because nothing is cached. */
static void expect_effect(struct kunit *test, void *p, enum memtype_kind type, const char *what)
{
	void *other = memtype_kunit_get_block(test, 0)->addr;
	u64 here = memtype_kunit_least_ps(memtype_arch.loads, p, MEMTYPE_LOADS);
	u64 ram = memtype_kunit_least_ps(memtype_arch.loads, other, MEMTYPE_LOADS);
	bool cached = type == TYPE_WB, slow = here > 2 * ram;

	kunit_info(test, "%s: a load takes %llu ps, of RAM %llu\n", what, here, ram);
	if (slow == cached && memtype_arch.ignored())
		memtype_kunit_skip_rest(test, "the type has no effect: " MEMTYPE_EXCUSE);
	if (cached) {
		KUNIT_EXPECT_LE_MSG(test, here, 2 * ram, "%s is slower than RAM", what);
		return;
	}
	KUNIT_EXPECT_GT_MSG(test, here, 2 * ram, "%s is as fast as RAM", what);
}

static bool has_wc(void)
{
	return !memtype_arch.has_wc || memtype_arch.has_wc();
}

/* Without PAT, as with the parameter nopat, the kernel gives UC- to those who want WC. */
enum memtype_kind memtype_kunit_type_to_get(struct kunit *test, enum memtype_kind type)
{
	if (type != TYPE_WC || has_wc())
		return type;
	kunit_info(test, "PAT is off: WC memory is UC-\n");
	return TYPE_UC_MINUS;
}

/* ------------------------------------------------------------------------------ free memory */

/* Nobody has freed a page without making it WB again. */
static void memtype_free_pages_are_wb(struct kunit *test)
{
	unsigned long looked = 0, small = 0, wrong = 0, first = 0;
	struct list_head *taken;
	struct page *page;

	memtype_kunit_intrudes(test);
	taken = memtype_kunit_take_free(test, 0);
	list_for_each_entry(page, taken, lru) {
		void *end = page_address(page) + (PAGE_SIZE << page_private(page));
		void *addr = page_address(page);

		looked += 1UL << page_private(page);
		for (; addr < end; addr += PAGE_SIZE) {
			struct memtype_mapping m = memtype_kunit_walk(addr);

			small += m.size == PAGE_SIZE;
			if (m.type != TYPE_WB)
				first = min(wrong++ ? first : ULONG_MAX,
					    page_to_pfn(virt_to_page(addr)));
		}
		cond_resched();
	}
	kunit_info(test, "of %lu free pages, %lu are mapped by a page of %lu KiB\n", looked, small,
		   PAGE_SIZE / SZ_1K);
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0UL, "free pages are not WB, the first at %lu MiB",
			    first >> (20 - PAGE_SHIFT));
}

/* ---------------------------------------------------------------- memory that is no System RAM */

static unsigned long reserved;
module_param(reserved, ulong, 0444);
MODULE_PARM_DESC(reserved,
		 "address of 2 MiB of RAM that nobody uses, as by memmap=2M$ADDRESS or mem=");

KUNIT_DEFINE_ACTION_WRAPPER(unmap_io, memunmap, void *);

static void *map_uc(phys_addr_t at, size_t size)
{
	return (void __force *)ioremap(at, size);
}

static void *map_strict(phys_addr_t at, size_t size)
{
	return (void __force *)memtype_arch.ioremap_strict(at, size);
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

static const struct map_case {
	const char *name;
	void *(*map)(phys_addr_t at, size_t size);
	enum memtype_kind type;
} map_cases[] = {
	{ "ioremap", map_uc, TYPE_UC_MINUS },
	{ "ioremap_wc", map_wc, TYPE_WC },
	{ "ioremap of strict order", map_strict, TYPE_UC },
	{ "memremap WB", memremap_wb, TYPE_WB },
	{ "memremap WC", memremap_wc, TYPE_WC },
};

KUNIT_ARRAY_PARAM_DESC(map, map_cases, name);

static void skip_without_wb(struct kunit *test, const void *p)
{
	const char *reason = memtype_arch.no_wb ? memtype_arch.no_wb() : NULL;

	if (reason && memtype_kunit_walk(p).type == TYPE_UC_MINUS)
		kunit_skip(test, "%s", reason);
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
		skip_without_wb(test, p);
	return p;
}

/* The page tables say what was asked for, and an alias of another type is refused. */
static void memtype_map(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	enum memtype_kind type = memtype_kunit_type_to_get(test, c->type);
	void *alias, *p = map_reserved(test);
	bool large = IS_ALIGNED(reserved | SZ_2M, PMD_SIZE) && arch_vmap_pmd_supported(PAGE_KERNEL);

	memtype_kunit_expect_mapping(test, p, SZ_2M / PAGE_SIZE, type,
				     large ? PMD_SIZE : PAGE_SIZE, c->name);
	if (c->type != TYPE_WB || !memtype_arch.tracked || !has_wc())
		return;
	alias = map_wc(reserved, PAGE_SIZE);
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
	skip_without_wb(test, p);
	memtype_kunit_expect_mapping(test, p, 1, TYPE_WB, PAGE_SIZE, "memremap WB of ACPI tables");
}

/* --------------------------------------------------------------------------------- vmap() */

static const struct vmap_case {
	const char *name;
	enum memtype_kind type;		/* TYPE_NONE: memtype_arch.noncached */
} vmap_cases[] = {
	{ "PAGE_KERNEL", TYPE_WB },
	{ "pgprot_noncached", TYPE_NONE },
	{ "pgprot_writecombine", TYPE_WC },
	{ "pgprot_device", TYPE_UC_MINUS },
};

KUNIT_ARRAY_PARAM_DESC(vmap, vmap_cases, name);

KUNIT_DEFINE_ACTION_WRAPPER(unmap, vunmap, const void *);

static enum memtype_kind vmap_type(const struct vmap_case *c)
{
	return c->type ?: memtype_arch.noncached;
}

/* Such memory is only read here. */
static void *map_page(struct kunit *test)
{
	const struct vmap_case *c = test->param_value;
	const pgprot_t protections[ARRAY_SIZE(vmap_cases)] = {
		PAGE_KERNEL, pgprot_noncached(PAGE_KERNEL), pgprot_writecombine(PAGE_KERNEL),
		pgprot_device(PAGE_KERNEL),
	};
	struct memtype_block *b = memtype_kunit_get_block(test, memtype_arch.vmap_order);
	void *addr;

	if (vmap_type(c) != TYPE_WB && memtype_arch.set)
		memtype_arch.set(test, b, vmap_type(c));
	addr = vmap(&b->page, 1, VM_MAP, protections[c - vmap_cases]);
	KUNIT_ASSERT_NOT_NULL(test, addr);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, unmap, addr), 0);
	return addr;
}

/* vmap() gives what is asked for. */
static void memtype_vmap(struct kunit *test)
{
	const struct vmap_case *c = test->param_value;
	enum memtype_kind type = memtype_kunit_type_to_get(test, vmap_type(c));

	memtype_kunit_expect_mapping(test, map_page(test), 1, type, PAGE_SIZE, c->name);
}

static void memtype_vmap_effect(struct kunit *test)
{
	const struct vmap_case *c = test->param_value;

	expect_effect(test, map_page(test), vmap_type(c), c->name);
}

static struct kunit_case memtype_cases[] = {
	KUNIT_CASE_PARAM(memtype_map, map_gen_params),
	KUNIT_CASE_PARAM(memtype_map_effect, map_gen_params),
	KUNIT_CASE_PARAM(memtype_vmap, vmap_gen_params),
	KUNIT_CASE_PARAM(memtype_vmap_effect, vmap_gen_params),
	KUNIT_CASE(memtype_acpi_tables),
	KUNIT_CASE_SLOW(memtype_free_pages_are_wb),
	{}
};

static struct kunit_suite memtype_suite = {
	.name = "memtype",
	.test_cases = memtype_cases,
};

kunit_test_suite(memtype_suite);

MODULE_DESCRIPTION("KUnit test of memory types");
MODULE_LICENSE("GPL");
