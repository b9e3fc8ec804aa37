// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit test of memory types: what mm/memtype_kunit.c asks of x86-64, and the tests of
 * set_memory_*() and of MTRRs, which only x86 has.
 */
#include <kunit/memtype.h>
#include <linux/cpufeature.h>
#include <linux/io.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/set_memory.h>
#include <asm/memtype.h>
#include <asm/msr.h>
#include <asm/mtrr.h>

#define ORDER_2M	(PMD_SHIFT - PAGE_SHIFT)

/* An entry has an index. The type is in the PAT register, whoever wrote that. */
static enum memtype_kind type_of(u64 entry, bool large)
{
	static const enum memtype_kind types[8] = { TYPE_UC, TYPE_WC, TYPE_NONE, TYPE_NONE, TYPE_WT,
						    TYPE_WP, TYPE_WB, TYPE_UC_MINUS };
	static u64 pat;		/* it does not change, and a hypervisor may trap the read */
	unsigned int index = 0, low, high;

	if (!(entry & _PAGE_PRESENT))
		return TYPE_NONE;
	if (entry & _PAGE_PWT)
		index |= 1;
	if (entry & _PAGE_PCD)
		index |= 2;
	if (entry & (large ? _PAGE_PAT_LARGE : _PAGE_PAT))
		index |= 4;
	if (!pat) {
		rdmsr(MSR_IA32_CR_PAT, low, high);
		pat = (u64)high << 32 | low;
	}
	return types[pat >> (8 * index) & 7];
}

/* All top tables have the same entries of the kernel. Under Xen, CR3 says nothing of them. */
static pgd_t *pgd(unsigned long addr)
{
	return pgd_offset(current->active_mm, addr);
}

static bool ignored(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/*
 * Where firmware has not enabled the MTRRs, as qboot of QEMU, no memory is WB, and the kernel
 * gives UC- to those who want WB. A guest whose CPU has no MTRRs gets WB.
 */
static const char *no_wb(void)
{
	u32 low, high;

	if (!boot_cpu_has(X86_FEATURE_MTRR) || rdmsr_safe(MSR_MTRRdefType, &low, &high) ||
	    low & MTRR_DEF_TYPE_E)
		return NULL;
	return "the firmware has left the MTRRs off, so no memory is WB";
}

static void __iomem *map_strict(phys_addr_t at, size_t size)
{
	return ioremap_uc(at, size);
}

static void change(struct kunit *test, struct memtype_block *b,
		   int (*set)(unsigned long addr, int pages))
{
	b->back = set_memory_wb;
	KUNIT_ASSERT_EQ(test, set((unsigned long)b->addr, b->pages), 0);
	if (set == set_memory_wb)
		b->back = NULL;
}

/* Two types of a page at once are not allowed, and vmap() does not look. */
static void set(struct kunit *test, struct memtype_block *b, enum memtype_kind type)
{
	change(test, b, type == TYPE_WC ? set_memory_wc : set_memory_uc);
}

/* --------------------------------------------------------------------- loops that are timed */

/* They are assembly, so that compilers and sanitizers have no part in the time. */
static void loads(void *line, unsigned long count)
{
	unsigned long zero = 0;

	asm volatile("1:	mov	(%[line],%[zero]), %[zero]\n"
		     "	and	$0, %k[zero]\n"
		     "	dec	%[count]\n"
		     "	jnz	1b"
		     : [zero] "+&r" (zero), [count] "+&r" (count)
		     : [line] "r" (line) : "memory", "cc");
}

/* The same, but the line comes from memory each time: the load waits for the flush. */
static void flushed_loads(void *line, unsigned long count)
{
	unsigned long zero = 0;

	asm volatile("1:	clflush	(%[line])\n"
		     "	mfence\n"
		     "	mov	(%[line],%[zero]), %[zero]\n"
		     "	and	$0, %k[zero]\n"
		     "	dec	%[count]\n"
		     "	jnz	1b"
		     : [zero] "+&r" (zero), [count] "+&r" (count)
		     : [line] "r" (line) : "memory", "cc");
}

/* Read lines, one after the other. */
static void read_lines(void *lines, unsigned long count)
{
	unsigned long value;

	asm volatile("1:\n"
		     "	.irp	at, 0, 8, 16, 24, 32, 40, 48, 56\n"
		     "	mov	\\at(%[lines]), %[value]\n"
		     "	.endr\n"
		     "	add	$64, %[lines]\n"
		     "	dec	%[count]\n"
		     "	jnz	1b"
		     : [lines] "+&r" (lines), [count] "+&r" (count), [value] "=&r" (value)
		     : : "memory", "cc");
}

/* Write lines, one after the other. Write-combining buffers are part of the time. */
static void write_lines(void *lines, unsigned long count)
{
	asm volatile("1:\n"
		     "	.irp	at, 0, 8, 16, 24, 32, 40, 48, 56\n"
		     "	mov	%[lines], \\at(%[lines])\n"
		     "	.endr\n"
		     "	add	$64, %[lines]\n"
		     "	dec	%[count]\n"
		     "	jnz	1b\n"
		     "	sfence"
		     : [lines] "+&r" (lines), [count] "+&r" (count) : : "memory", "cc");
}

const struct memtype_arch memtype_arch = {
	.names = { "none", "UC", "UC-", "WC", "WT", "WP", "WB" },
	.noncached = TYPE_UC_MINUS,
	.vmap_order = ORDER_2M,
	.type_of = type_of,
	.pgd = pgd,
	.ignored = ignored,
	.has_wc = pat_enabled,
	.tracked = true,
	.no_wb = no_wb,
	.ioremap_strict = map_strict,
	.set = set,
	.loads = loads,
};

/* ------------------------------------------------------------------------ set_memory_*() */

/* set_memory_uc() gives UC-, as ioremap() does. */
static const struct set_case {
	const char *name;
	int (*set)(unsigned long addr, int pages);
	int (*other)(unsigned long addr, int pages);
	enum memtype_kind type;
	unsigned int order;
} set_cases[] = {
	{ "uc, a page", set_memory_uc, set_memory_wc, TYPE_UC_MINUS, 0 },
	{ "wc, a page", set_memory_wc, set_memory_uc, TYPE_WC, 0 },
	{ "uc, 2 MiB", set_memory_uc, set_memory_wc, TYPE_UC_MINUS, ORDER_2M },
	{ "wc, 2 MiB", set_memory_wc, set_memory_uc, TYPE_WC, ORDER_2M },
};

KUNIT_ARRAY_PARAM_DESC(set, set_cases, name);

/*
 * The page tables say what was asked for; another type is refused until the memory is WB again;
 * a block of 2 MiB stays one page. A single page splits its large page, and that stays split:
 * set_memory_wb() collapses none (set_memory_rox() does, since 41d88484c71c).
 */
static void memtype_set_memory(struct kunit *test)
{
	const struct set_case *c = test->param_value;
	enum memtype_kind type = memtype_kunit_type_to_get(test, c->type);
	struct memtype_block *b;
	unsigned long size;

	if (!c->order)
		memtype_kunit_intrudes(test);
	b = memtype_kunit_get_block(test, c->order);
	size = min(b->before.size, PAGE_SIZE << c->order);
	memtype_kunit_expect_mapping(test, b->addr, b->pages, TYPE_WB, size, "before");
	change(test, b, c->set);
	memtype_kunit_expect_mapping(test, b->addr, b->pages, type, size, "after it was set");
	if (pat_enabled()) {
		KUNIT_EXPECT_EQ_MSG(test, c->other((unsigned long)b->addr, b->pages), -EBUSY,
				    "another type is not refused");
		memtype_kunit_expect_mapping(test, b->addr, b->pages, type, size,
					     "after one was refused");
	}
	change(test, b, set_memory_wb);
	memtype_kunit_expect_mapping(test, b->addr, b->pages, TYPE_WB, size, "afterwards");
	if (size < b->before.size)
		kunit_info(test, "a page of %lu KiB of the direct map is now split\n",
			   b->before.size / SZ_1K);
}

/* Lines that are stored in a timed pass */
#define LINES		64

/* What a type costs: loads of the same line, also after a flush; stores that fill one. In ps. */
struct times {
	u64 load, flushed, line;
};

static struct times measure(struct kunit *test, void *p, const char *what)
{
	struct times t = {
		.load = memtype_kunit_least_ps(loads, p, MEMTYPE_LOADS),
		.flushed = memtype_kunit_least_ps(flushed_loads, p, MEMTYPE_LOADS),
		.line = memtype_kunit_least_ps(write_lines, p, LINES),
	};

	kunit_info(test, "%s: a load takes %llu ps, %llu after CLFLUSH; a line of stores %llu\n",
		   what, t.load, t.flushed, t.line);
	return t;
}

/* Loads from UC and WC memory take at least twice as long, and stores to WC leave by lines. */
static void memtype_effect(struct kunit *test)
{
	struct memtype_block *b = memtype_kunit_get_block(test, ORDER_2M);
	struct times wb, uc, wc, again;

	wb = measure(test, b->addr, "WB");
	change(test, b, set_memory_uc);
	uc = measure(test, b->addr, "UC-");
	change(test, b, set_memory_wb);
	again = measure(test, b->addr, "WB again");
	change(test, b, set_memory_wc);
	wc = measure(test, b->addr, "WC");
	change(test, b, set_memory_wb);

	if (uc.load <= 2 * wb.load && ignored())
		memtype_kunit_skip_rest(test, "UC- memory is as fast as WB: " MEMTYPE_EXCUSE);
	KUNIT_EXPECT_GT_MSG(test, uc.load, 2 * wb.load, "UC- memory is as fast as WB");
	KUNIT_EXPECT_LT_MSG(test, 2 * again.load, uc.load, "memory that is WB again is slow");
	if (!pat_enabled())
		memtype_kunit_skip_rest(test, "PAT is off: WC memory is UC-");
	KUNIT_EXPECT_GT_MSG(test, wc.load, 2 * wb.load, "WC memory is as fast as WB");
	KUNIT_EXPECT_LT_MSG(test, 2 * wc.line, uc.line, "WC memory does not combine stores");
}

/* ------------------------------------------------------------------------------ MTRRs */

/*
 * RAM that the page tables call WB has to be cached. An MTRR that leaves out some of the RAM
 * would have it uncached.
 */
static void memtype_ram_is_cached(struct kunit *test)
{
	unsigned long slow = 0, looked = 0, first = 0;
	struct list_head *taken;
	struct page *page;

	memtype_kunit_intrudes(test);
	taken = memtype_kunit_take_free(test, ORDER_2M);
	list_for_each_entry(page, taken, lru) {
		void *addr = page_address(page);

		if (memtype_kunit_walk(addr).type != TYPE_WB)
			continue;
		looked++;
		if (2 * memtype_kunit_least_ps(loads, addr, LINES) >=
		    memtype_kunit_least_ps(flushed_loads, addr, LINES))
			first = slow++ ? min(first, page_to_pfn(page)) : page_to_pfn(page);
		cond_resched();
	}
	kunit_info(test, "of %lu blocks that are WB, %lu are not cached\n", looked, slow);
	if (slow && ignored())
		memtype_kunit_skip_rest(test, "CLFLUSH makes no load slower: " MEMTYPE_EXCUSE);
	KUNIT_EXPECT_EQ_MSG(test, slow, 0UL, "there is RAM that is not cached, first at %lu MiB",
			    first >> (20 - PAGE_SHIFT));
}

/* --------------------------------------------------------------------------------- speeds */

/* Interrupts are off while so many lines are read or written. */
#define SPEED_LINES	1024

/* The speed of each type, in MB/s. Nothing is expected of it. */
static void memtype_speeds(struct kunit *test)
{
	static const struct {
		const char *name;
		int (*set)(unsigned long addr, int pages);
	} types[] = { { "WB", set_memory_wb }, { "UC-", set_memory_uc }, { "WC", set_memory_wc } };
	struct memtype_block *b;
	int i;

	memtype_kunit_intrudes(test);
	b = memtype_kunit_get_block(test, ORDER_2M);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		u64 read, write;

		change(test, b, types[i].set);
		/* A line has 64 bytes; bytes in a picosecond, times 10^6, are MB/s. */
		read = memtype_kunit_least_ps(read_lines, b->addr, SPEED_LINES) ?: 1;
		write = memtype_kunit_least_ps(write_lines, b->addr, SPEED_LINES) ?: 1;
		kunit_info(test, "%s: reads %llu MB/s, writes %llu MB/s\n", types[i].name,
			   64000000 / read, 64000000 / write);
		change(test, b, set_memory_wb);
	}
}

static struct kunit_case memtype_x86_cases[] = {
	KUNIT_CASE_PARAM(memtype_set_memory, set_gen_params),
	KUNIT_CASE(memtype_effect),
	KUNIT_CASE_SLOW(memtype_ram_is_cached),
	KUNIT_CASE_SLOW(memtype_speeds),
	{}
};

static struct kunit_suite memtype_x86_suite = {
	.name = "memtype_x86",
	.test_cases = memtype_x86_cases,
};

kunit_test_suite(memtype_x86_suite);
