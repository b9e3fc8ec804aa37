/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit test of memory types: what mm/memtype_kunit.c and the files of architectures, which are
 * linked with it into one module, have for each other.
 */
#ifndef _KUNIT_MEMTYPE_H
#define _KUNIT_MEMTYPE_H

#include <kunit/test.h>
#include <linux/mm.h>

/* Types have the names of x86. Those of other architectures that correspond are in memtype_arch. */
enum memtype_kind { TYPE_NONE, TYPE_UC, TYPE_UC_MINUS, TYPE_WC, TYPE_WT, TYPE_WP, TYPE_WB };

/* What the page tables say of an address, and the size of the page. */
struct memtype_mapping {
	enum memtype_kind type;
	unsigned long size;
};

/* Pages of a test, in the direct map. */
struct memtype_block {
	struct page *page;
	void *addr;
	int pages;
	unsigned int order;
	struct memtype_mapping before;	/* what the page tables said at first */
	/* makes them WB again; NULL: they are WB */
	int (*back)(unsigned long addr, int pages);
};

/**
 * struct memtype_arch - what the common tests ask of an architecture
 * @names: of the types
 * @noncached: the type that pgprot_noncached() stands for
 * @vmap_order: of the block whose first page is given to vmap()
 * @type_of: the type in an entry of a page table, which may map a large page
 * @pgd: the entry of a kernel address in the top table; preemption is off
 * @ignored: types may have no effect on this machine, and no kernel could help that
 * @has_wc: those who ask for WC get it, and not UC-; NULL: always
 * @tracked: where all types are there, another type than that of an earlier mapping is refused
 * @no_wb: why no memory is WB on this machine, or NULL; NULL: it can be
 * @ioremap_strict: map for accesses of strict order; UC- and Device-nGnRE are not as strict
 * @set: give the pages of the direct map this type before vmap() does; NULL: they stay WB
 * @loads: load so often from a line, each time with the value of the load before
 */
struct memtype_arch {
	const char *names[TYPE_WB + 1];
	enum memtype_kind noncached;
	unsigned int vmap_order;
	enum memtype_kind (*type_of)(u64 entry, bool large);
	pgd_t *(*pgd)(unsigned long addr);
	bool (*ignored)(void);
	bool (*has_wc)(void);
	bool tracked;
	const char *(*no_wb)(void);
	void __iomem *(*ioremap_strict)(phys_addr_t at, size_t size);
	void (*set)(struct kunit *test, struct memtype_block *b, enum memtype_kind type);
	void (*loads)(void *line, unsigned long count);
};

extern const struct memtype_arch memtype_arch;

/* Loads in a timed pass. Interrupts are off meanwhile. */
#define MEMTYPE_LOADS	512
#define MEMTYPE_EXCUSE	"the hypervisor or emulator ignores memory types"

struct memtype_mapping memtype_kunit_walk(const void *p);
struct memtype_block *memtype_kunit_get_block(struct kunit *test, unsigned int order);
struct list_head *memtype_kunit_take_free(struct kunit *test, unsigned int least_order);
void memtype_kunit_expect_mapping(struct kunit *test, void *addr, int pages,
				  enum memtype_kind type, unsigned long size, const char *what);
u64 memtype_kunit_least_ps(void (*pass)(void *p, unsigned long count), void *p,
			   unsigned long count);
enum memtype_kind memtype_kunit_type_to_get(struct kunit *test, enum memtype_kind type);

/*
 * Skip the rest of a test. A skip would hide what was wrong before, so that stays a failure.
 * Inline, so that objtool sees that it does not return.
 */
static inline void memtype_kunit_skip_rest(struct kunit *test, const char *reason)
{
	KUNIT_ASSERT_NE(test, READ_ONCE(test->status), KUNIT_FAILURE);
	kunit_skip(test, "%s", reason);
}

/* The rest of a test splits pages of the direct map, takes memory or holds interrupts off. */
static inline void memtype_kunit_intrudes(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_MEMTYPE_KUNIT_INTRUSIVE))
		kunit_skip(test, "CONFIG_MEMTYPE_KUNIT_INTRUSIVE is off");
}

#endif
