// SPDX-License-Identifier: GPL-2.0-only
/*
 * An object of --memory that makes ordinary memory, and does wrong what WRONG says. Each block
 * is a line in the file that OBJECT_LOG names.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memcache_memory.h"

enum wrong {
	NOTHING, VERSION, NO_FREE, UNALIGNED, SMALL, NO_WORD, TWO_WORDS, TYPE, FAILS, SILENT,
	ANOTHER_WORD,
};

#ifndef WRONG
#define WRONG	NOTHING
#endif

#define IS(what)	((what) == WRONG)

static unsigned int blocks;

static void note(const char *what, size_t bytes)
{
	int fd = open(getenv("OBJECT_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	dprintf(fd, "%s %zu\n", what, bytes);
	close(fd);
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	if (IS(FAILS) || (!strcmp(options, "small") && bytes > 1 << 20)) {
		strcpy(why, "there is no more; ask for less");
		return -ENOMEM;
	}
	if (IS(SILENT))
		return -ENODEV;
	block->bytes = (bytes + 4095) & ~4095UL;
	block->own = (void *)options;
	block->addr = mmap(NULL, block->bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	note("allocate", block->bytes);
	if (IS(UNALIGNED))
		block->addr += 64;
	if (IS(SMALL))
		block->bytes -= 4096;
	blocks++;
	return 0;
}

static void describe(const struct memcache_memory_block *block, struct memcache_memory_facts *facts)
{
	const char *options = block->own;

	snprintf(facts->word, sizeof(facts->word), "plain:%s",
		 IS(TWO_WORDS) ? "of two" : *options ? options : "none");
	if (IS(NO_WORD))
		facts->word[0] = 0;
	if (IS(ANOTHER_WORD))
		facts->word[0] = 'a' + blocks;
	facts->type = IS(TYPE) ? 7 : !strcmp(options, "any") ? MEMCACHE_MEMORY_UNKNOWN :
		      !strcmp(options, "wc") ? MEMCACHE_MEMORY_WC : MEMCACHE_MEMORY_WB;
}

static void give_back(struct memcache_memory_block *block)
{
	note("free", block->bytes);
	munmap(block->addr, block->bytes);
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI + (IS(VERSION)),
	.allocate = allocate,
	.describe = describe,
	.free = IS(NO_FREE) ? NULL : give_back,
};
