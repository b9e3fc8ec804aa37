/* SPDX-License-Identifier: GPL-2.0-only */
/* A TLB of one level: fully associative, the least recently used translation makes room. */
#ifndef SIM_TLB_H
#define SIM_TLB_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct translation - an entry of a TLB; lists are of indices
 * @key: the page
 * @newer: the next newer entry, by last use
 * @older: the next older entry, by last use
 * @next: the next entry with the same hash
 */
struct translation {
	uint64_t key;
	uint32_t newer;
	uint32_t older;
	uint32_t next;
};

/**
 * struct tlb - a TLB
 * @entries: how many it can have; 0: there is no such level
 * @used: how many it has
 * @hash_bits: log2 of the number of buckets
 * @all: the entries; entry 0 is the end of each list: its @older is the newest one, its @newer
 *	the oldest
 * @buckets: the first entry of each hash
 */
struct tlb {
	uint32_t entries;
	uint32_t used;
	uint32_t hash_bits;
	struct translation *all;
	uint32_t *buckets;
};

bool tlb_make(struct tlb *t, uint32_t entries);
void tlb_empty(struct tlb *t);
bool tlb_use(struct tlb *t, uint64_t key);

#endif /* SIM_TLB_H */
