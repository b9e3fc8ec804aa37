/* SPDX-License-Identifier: GPL-2.0-only */
/* A cache of lines, each of which is found in one set of ways. */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct way - room for a line in a cache
 * @tag: number of the line plus 1; 0: it is free
 * @used: when it was used last, in uses of this cache
 * @dirty: the line differs from memory
 */
struct way {
	uint64_t tag;
	uint64_t used;
	bool dirty;
};

/**
 * struct cache - a cache
 * @sets: number of sets; 0: there is no such cache
 * @mask: @sets less 1, if that is a power of two; 0: it isn't
 * @ways: number of ways in a set
 * @uses: number of uses so far
 * @lines: all ways of all sets
 */
struct cache {
	uint32_t sets;
	uint32_t mask;
	uint32_t ways;
	uint64_t uses;
	struct way *lines;
};

bool cache_make(struct cache *c, uint32_t bytes, uint32_t ways);
void cache_empty(struct cache *c);
bool cache_has(const struct cache *c, uint64_t line);
struct way *cache_use(struct cache *c, uint64_t line);
struct way cache_victim(const struct cache *c, uint64_t line);
struct way cache_fill(struct cache *c, uint64_t line);
bool cache_clean(struct cache *c, uint64_t line);
void cache_drop(struct cache *c, uint64_t line);

#endif /* SIM_CACHE_H */
