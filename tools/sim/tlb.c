// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "tlb.h"

/**
 * tlb_make() - make an empty TLB
 * @t: the TLB; what it had is freed
 * @entries: how many it can have; 0: there is no such level
 *
 * Return: false: there is no memory for it.
 */
bool tlb_make(struct tlb *t, uint32_t entries)
{
	uint32_t bits = 4;

	free(t->all);
	free(t->buckets);
	while (1U << bits < 2 * entries)
		bits++;
	*t = (struct tlb){ .entries = entries, .hash_bits = bits };
	t->all = calloc(entries + 1, sizeof(*t->all));
	t->buckets = calloc(1U << bits, sizeof(*t->buckets));
	return t->all && t->buckets;
}

void tlb_empty(struct tlb *t)
{
	if (!t->used)
		return;
	memset(t->buckets, 0, sizeof(*t->buckets) << t->hash_bits);
	t->all[0] = (struct translation){ 0 };
	t->used = 0;
}

static uint32_t *bucket(struct tlb *t, uint64_t key)
{
	return &t->buckets[key * 0x9e3779b97f4a7c15ULL >> (64 - t->hash_bits)];
}

static void unlink_use(struct tlb *t, uint32_t i)
{
	t->all[t->all[i].newer].older = t->all[i].older;
	t->all[t->all[i].older].newer = t->all[i].newer;
}

static void link_newest(struct tlb *t, uint32_t i)
{
	t->all[i].newer = 0;
	t->all[i].older = t->all[0].older;
	t->all[t->all[0].older].newer = i;
	t->all[0].older = i;
}

static void unlink_hash(struct tlb *t, uint32_t i)
{
	uint32_t *at = bucket(t, t->all[i].key);

	while (*at != i)
		at = &t->all[*at].next;
	*at = t->all[i].next;
}

static uint32_t place_for_another(struct tlb *t)
{
	uint32_t i;

	if (t->used < t->entries)
		return ++t->used;
	i = t->all[0].newer;
	unlink_hash(t, i);
	unlink_use(t, i);
	return i;
}

/**
 * tlb_use() - look up a translation, which the TLB has afterwards
 * @t: the TLB
 * @key: the page
 *
 * Return: whether the TLB had it.
 */
bool tlb_use(struct tlb *t, uint64_t key)
{
	uint32_t i = t->all[0].older;

	if (!t->entries)
		return false;
	if (i && t->all[i].key == key)
		return true;
	for (i = *bucket(t, key); i; i = t->all[i].next) {
		if (t->all[i].key == key) {
			unlink_use(t, i);
			link_newest(t, i);
			return true;
		}
	}
	i = place_for_another(t);
	t->all[i].key = key;
	t->all[i].next = *bucket(t, key);
	*bucket(t, key) = i;
	link_newest(t, i);
	return false;
}
