// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "cache.h"

/**
 * cache_make() - make an empty cache
 * @c: the cache; what it had is freed
 * @bytes: its size; 0: there is no such cache
 * @ways: number of ways
 *
 * Return: false: there is no memory for it.
 */
bool cache_make(struct cache *c, uint32_t bytes, uint32_t ways)
{
	free(c->lines);
	*c = (struct cache){ .sets = bytes / 64 / ways, .ways = ways };
	if (!c->sets)
		return true;
	c->mask = c->sets & (c->sets - 1) ? 0 : c->sets - 1;
	c->lines = calloc((size_t)c->sets * ways, sizeof(*c->lines));
	return c->lines;
}

void cache_empty(struct cache *c)
{
	if (c->sets)
		memset(c->lines, 0, (size_t)c->sets * c->ways * sizeof(*c->lines));
}

static struct way *set_of(const struct cache *c, uint64_t line)
{
	return &c->lines[(c->mask ? line & c->mask : line % c->sets) * c->ways];
}

static struct way *find(const struct cache *c, uint64_t line)
{
	struct way *set;
	uint32_t i;

	if (!c->sets)
		return NULL;
	set = set_of(c, line);
	for (i = 0; i < c->ways; i++) {
		if (set[i].tag == line + 1)
			return &set[i];
	}
	return NULL;
}

bool cache_has(const struct cache *c, uint64_t line)
{
	return find(c, line);
}

/**
 * cache_use() - look a line up, and make it the most recently used one of its set
 * @c: the cache
 * @line: number of the line
 *
 * Return: its way; NULL: the cache doesn't have it.
 */
struct way *cache_use(struct cache *c, uint64_t line)
{
	struct way *found = find(c, line);

	if (found)
		found->used = ++c->uses;
	return found;
}

static struct way *oldest_of(const struct cache *c, uint64_t line)
{
	struct way *set = set_of(c, line), *oldest = set;
	uint32_t i;

	for (i = 1; i < c->ways; i++) {
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	return oldest;
}

/** cache_victim() - the way whose line a new one would push out; its tag is 0 if it is free */
struct way cache_victim(const struct cache *c, uint64_t line)
{
	return *oldest_of(c, line);
}

/**
 * cache_fill() - bring a line into a cache that doesn't have it
 * @c: the cache
 * @line: number of the line
 *
 * Return: what made room for it; its tag is 0 if nothing had to.
 */
struct way cache_fill(struct cache *c, uint64_t line)
{
	struct way *oldest = oldest_of(c, line), evicted = *oldest;

	*oldest = (struct way){ .tag = line + 1, .used = ++c->uses };
	return evicted;
}

/**
 * cache_clean() - have a line in a cache count as what memory has
 * @c: the cache
 * @line: number of the line
 *
 * Return: whether the cache has the line, and it differed from memory.
 */
bool cache_clean(struct cache *c, uint64_t line)
{
	struct way *found = find(c, line);
	bool dirty = found && found->dirty;

	if (dirty)
		found->dirty = false;
	return dirty;
}

/**
 * cache_drop() - remove a line from a cache, if it is there
 * @c: the cache
 * @line: number of the line
 */
void cache_drop(struct cache *c, uint64_t line)
{
	struct way *found = find(c, line);

	if (found)
		*found = (struct way){ 0 };
}
