// SPDX-License-Identifier: GPL-2.0-only
/*
 * Huge pages of hugetlbfs: of 1 GiB, which no key of a request asks for, or as the options say.
 *
 *   --memory hugetlb.so         pages of 1 GiB
 *   --memory hugetlb.so,2m      pages of 2 MiB
 */
#include "example.h"

#define SHIFT_OF_SIZE	26	/* MAP_HUGE_SHIFT of linux/mman.h */

static const struct page {
	const char *option;
	unsigned int shift;	/* a page has 2^shift bytes */
} pages[] = { { "1g", 30 }, { "2m", 21 } };

static const struct page *find_page(const char *options)
{
	unsigned int i;

	for (i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		if (!*options || !strcmp(options, pages[i].option))
			return &pages[i];
	}
	return NULL;
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	const struct page *page = find_page(options);
	size_t one;

	if (!page)
		return fail(why, -EINVAL, "the options are 1g or 2m, not %s", options);
	one = 1UL << page->shift;
	bytes = round_up_to(bytes, one);
	block->addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
			   (int)(page->shift << SHIFT_OF_SIZE), -1, 0);
	if (block->addr == MAP_FAILED && errno == EINVAL)
		return fail(why, -EOPNOTSUPP, "this machine has no huge pages of %s", page->option);
	if (block->addr == MAP_FAILED)
		return fail(why, -errno,
			    "too few huge pages of %s are free, and %zu are needed; write their number to /sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages, or boot with hugepagesz=%s hugepages=NUMBER",
			    page->option, bytes / one, one >> 10, page->option);
	block->bytes = bytes;
	block->own = (void *)page;
	return 0;
}

static void describe(const struct memcache_memory_block *block,
		     struct memcache_memory_facts *facts)
{
	const struct page *page = block->own;

	snprintf(facts->word, sizeof(facts->word), "hugetlb:%s", page->option);
	facts->type = MEMCACHE_MEMORY_WB;
	facts->page_bytes = 1UL << page->shift;
}

static void give_back(struct memcache_memory_block *block)
{
	munmap(block->addr, block->bytes);
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe,
	.free = give_back,
};
