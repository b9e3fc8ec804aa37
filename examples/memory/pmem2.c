// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file that libpmem2 maps: on persistent memory with DAX, its pages are that memory. The
 * file has no name, and goes with the end of the process.
 *
 *   --memory pmem2.so,/mnt/pmem      a file in this directory
 *
 * The few declarations are those of libpmem2.h.
 */
#include <fcntl.h>

#include "example.h"

#define PMEM2_GRANULARITY_PAGE	2

static int (*config_new)(void **config);
static int (*config_delete)(void **config);
static int (*set_granularity)(void *config, int granularity);
static int (*source_from_fd)(void **source, int fd);
static int (*source_delete)(void **source);
static int (*map_new)(void **map, const void *config, const void *source);
static int (*map_delete)(void **map);
static void *(*map_address)(void *map);
static int (*map_granularity)(void *map);
static const char *(*error_text)(void);

static const struct function functions[] = {
	{ "pmem2_config_new", &config_new },
	{ "pmem2_config_delete", &config_delete },
	{ "pmem2_config_set_required_store_granularity", &set_granularity },
	{ "pmem2_source_from_fd", &source_from_fd },
	{ "pmem2_source_delete", &source_delete },
	{ "pmem2_map_new", &map_new },
	{ "pmem2_map_delete", &map_delete },
	{ "pmem2_map_get_address", &map_address },
	{ "pmem2_map_get_store_granularity", &map_granularity },
	{ "pmem2_errormsg", &error_text },
};

/* Map all of a file. Return: the map, or NULL. */
static void *map_file(int fd)
{
	void *config = NULL, *source = NULL, *map = NULL;

	if (config_new(&config) || set_granularity(config, PMEM2_GRANULARITY_PAGE) ||
	    source_from_fd(&source, fd) || map_new(&map, config, source))
		map = NULL;
	if (source)
		source_delete(&source);
	if (config)
		config_delete(&config);
	return map;
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	int fd, err;

	if (!*options)
		return fail(why, -EINVAL,
			    "the options name a directory on persistent memory, as --memory pmem2.so,/mnt/pmem");
	err = load_library("libpmem2.so.1", functions, sizeof(functions) / sizeof(*functions),
			   "the package libpmem2 has it", why);
	if (err)
		return err;
	fd = open(options, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(why, -errno, "no file without a name can be made in %s: %s", options,
			    strerror(errno));
	/* The mapping of whole huge pages, where the file system has them. */
	block->bytes = round_up_to(bytes, 2 << 20);
	err = posix_fallocate(fd, 0, block->bytes);
	if (err) {
		close(fd);
		return fail(why, -err, "%s has no room for %zu MiB: %s", options,
			    block->bytes >> 20, strerror(err));
	}
	block->own = map_file(fd);
	close(fd);
	if (!block->own)
		return fail(why, -EOPNOTSUPP, "libpmem2 can't map a file in %s: %s", options,
			    error_text());
	block->addr = map_address(block->own);
	return 0;
}

/* The granularity tells persistent memory, with cache_line or byte, from a page cache. */
static void describe(const struct memcache_memory_block *block,
		     struct memcache_memory_facts *facts)
{
	static const char * const names[] = { "byte", "cache_line", "page" };
	unsigned int granularity = map_granularity(block->own);

	snprintf(facts->word, sizeof(facts->word), "pmem2:%s",
		 granularity <= PMEM2_GRANULARITY_PAGE ? names[granularity] : "unknown");
	facts->type = MEMCACHE_MEMORY_WB;
}

static void give_back(struct memcache_memory_block *block)
{
	map_delete(&block->own);
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe,
	.free = give_back,
};
