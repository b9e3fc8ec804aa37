/* SPDX-License-Identifier: GPL-2.0-only */
/* A region of a device: its contents are kept, and brought back. */
#ifndef MEMCACHE_DEVICE_H
#define MEMCACHE_DEVICE_H

#include <fcntl.h>

#include "example.h"

/**
 * struct region - a region that is mapped
 * @word: word for results
 * @contents: its contents before the run
 */
struct region {
	char word[MEMCACHE_MEMORY_WORD];
	uint64_t contents[];
};

/*
 * Map @bytes of a file, which the caller closes, and keep what is in them.
 * Return: 0 or a negative errno, explained.
 */
static inline int map_region(int fd, off_t offset, size_t bytes, const char *word,
			     struct memcache_memory_block *block, char *why)
{
	struct region *region = malloc(sizeof(*region) + bytes);

	if (!region)
		return fail(why, -ENOMEM, "no memory to keep %zu bytes of the region", bytes);
	block->addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (block->addr == MAP_FAILED) {
		free(region);
		return fail(why, -errno, "the region can't be mapped: %s", strerror(errno));
	}
	snprintf(region->word, sizeof(region->word), "%s", word);
	copy_words(region->contents, block->addr, bytes);
	block->bytes = bytes;
	block->own = region;
	return 0;
}

/* Of the type only the driver knows; vfio-pci maps BARs uncached, later kernels some as WC. */
static inline void describe_region(const struct memcache_memory_block *block,
				   struct memcache_memory_facts *facts)
{
	const struct region *region = block->own;

	strcpy(facts->word, region->word);
}

static inline void unmap_region(struct memcache_memory_block *block)
{
	struct region *region = block->own;

	copy_words(block->addr, region->contents, block->bytes);
	munmap(block->addr, block->bytes);
	free(region);
}

#endif /* MEMCACHE_DEVICE_H */
