// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct happened happened;

static struct prices prices;
static uint32_t ticks_x1000 = 1000;	/* ticks in 1000 ns, times 1 */

static uint64_t ticks(uint64_t ns)
{
	return ns * ticks_x1000 / 1000;
}

/* ------------------------------------------------------------------ caches */

/**
 * struct line - a place for a line in a cache
 * @tag: number of the line plus 1; 0: the place is free
 * @used: time of its last use
 */
struct line {
	uint64_t tag;
	uint64_t used;
};

/**
 * struct cache - a level of cache
 * @sets: number of sets; 0: the machine does not have this level
 * @ways: number of places in a set
 * @lines: all places
 */
static struct cache {
	uint32_t sets;
	uint32_t ways;
	struct line *lines;
} caches[NLEVELS];

static uint64_t stamp;

static struct line *set_of(const struct cache *c, uint64_t line)
{
	return &c->lines[line % c->sets * c->ways];
}

static struct line *find(const struct cache *c, uint64_t line)
{
	struct line *set = set_of(c, line);
	uint32_t i;

	for (i = 0; i < c->ways; i++) {
		if (set[i].tag == line + 1) {
			set[i].used = ++stamp;
			return &set[i];
		}
	}
	return NULL;
}

static void fill(const struct cache *c, uint64_t line)
{
	struct line *set = set_of(c, line), *oldest = set;
	uint32_t i;

	for (i = 1; i < c->ways; i++) {
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	*oldest = (struct line){ .tag = line + 1, .used = ++stamp };
}

static void drop(uint64_t line)
{
	struct line *found;
	int i;

	for (i = 0; i < NLEVELS; i++) {
		found = caches[i].sets ? find(&caches[i], line) : NULL;
		if (found)
			*found = (struct line){ 0 };
	}
}

/* The first level that has the line. All levels before it have it afterwards. */
static uint64_t through_caches(uint64_t line)
{
	const uint32_t ns[NLEVELS + 1] = {
		prices.l1_ns, prices.l2_ns, prices.l3_ns, prices.memory_ns,
	};
	int level, i;

	for (level = 0; level < NLEVELS; level++) {
		if (caches[level].sets && find(&caches[level], line))
			break;
	}
	for (i = 0; i < level; i++) {
		if (caches[i].sets)
			fill(&caches[i], line);
	}
	happened.level[level]++;
	return ticks(ns[level]);
}

void model_forget_caches(void)
{
	int i;

	for (i = 0; i < NLEVELS; i++)
		memset(caches[i].lines, 0,
		       (size_t)caches[i].sets * caches[i].ways * sizeof(struct line));
}

/* -------------------------------------------------- write-combining buffers */

#define BUFFERS_MOST	64

/**
 * struct buffer - a write-combining buffer
 * @line: number of the line
 * @written: a bit for each of its bytes; 0: the buffer is free
 */
static struct buffer {
	uint64_t line;
	uint64_t written;
} buffers[BUFFERS_MOST];

static uint32_t next_buffer;

static uint64_t send(struct buffer *b)
{
	uint32_t words = 0;
	int i;

	if (b->written == ~0ULL) {
		b->written = 0;
		happened.wc_full++;
		return ticks(prices.wc_line_ns);
	}
	for (i = 0; i < LINE_BYTES; i += 8)
		words += (b->written >> i & 0xff) != 0;
	b->written = 0;
	happened.wc_words += words;
	return ticks((uint64_t)words * prices.wc_word_ns);
}

static struct buffer *buffer_of(uint64_t line)
{
	uint32_t i;

	for (i = 0; i < prices.wc_buffers; i++) {
		if (buffers[i].written && buffers[i].line == line)
			return &buffers[i];
	}
	return NULL;
}

/* A load of a line that is still in a buffer waits until the line was sent. */
static uint64_t send_line(uint64_t line)
{
	struct buffer *b = buffer_of(line);

	return b ? send(b) : 0;
}

uint64_t model_drain(void)
{
	uint64_t cost = 0;
	uint32_t i;

	for (i = 0; i < prices.wc_buffers; i++)
		cost += send(&buffers[i]);
	return cost;
}

static uint64_t combine(uint64_t line, unsigned int from, unsigned int bytes)
{
	uint64_t mask = bytes >= 64 ? ~0ULL : (1ULL << bytes) - 1, cost = 0;
	struct buffer *b = buffer_of(line);

	if (!b) {
		b = &buffers[next_buffer++ % prices.wc_buffers];
		cost = send(b);
		b->line = line;
	}
	b->written |= mask << from;
	return b->written == ~0ULL ? cost + send(b) : cost;
}

/* --------------------------------------------------------------- the TLB */

#define TLB_MOST	65536
#define TLB_HASH	262144U

/**
 * struct translation - an entry of the TLB
 * @key: number of the page and log2 of its size
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

/* Entry 0 is the end of every list: its @older is the newest one, its @newer the oldest. */
static struct translation tlb[TLB_MOST + 1];
static uint32_t tlb_used, tlb_hash[TLB_HASH];

static uint32_t *bucket(uint64_t key)
{
	return &tlb_hash[key * 0x9e3779b97f4a7c15ULL >> (64 - 18)];
}

static void unlink_use(uint32_t i)
{
	tlb[tlb[i].newer].older = tlb[i].older;
	tlb[tlb[i].older].newer = tlb[i].newer;
}

static void link_newest(uint32_t i)
{
	tlb[i].newer = 0;
	tlb[i].older = tlb[0].older;
	tlb[tlb[0].older].newer = i;
	tlb[0].older = i;
}

static void unlink_hash(uint32_t i)
{
	uint32_t *at = bucket(tlb[i].key);

	while (*at != i)
		at = &tlb[*at].next;
	*at = tlb[i].next;
}

static uint32_t place_for_another(void)
{
	uint32_t i;

	if (tlb_used < prices.tlb_entries)
		return ++tlb_used;
	i = tlb[0].newer;
	unlink_hash(i);
	unlink_use(i);
	return i;
}

/**
 * model_translate() - look up the translation for an access
 * @page: number of the page
 * @page_shift: log2 of its size
 *
 * Return: its price.
 */
uint64_t model_translate(uint64_t page, unsigned int page_shift)
{
	uint64_t key = page << 6 | page_shift;
	uint32_t i = tlb[0].older;

	if (i && tlb[i].key == key)
		return 0;
	for (i = *bucket(key); i; i = tlb[i].next) {
		if (tlb[i].key == key) {
			unlink_use(i);
			link_newest(i);
			return 0;
		}
	}
	i = place_for_another();
	tlb[i].key = key;
	tlb[i].next = *bucket(key);
	*bucket(key) = i;
	link_newest(i);
	happened.tlb_misses++;
	return ticks(prices.tlb_miss_ns);
}

bool model_translates(void)
{
	return prices.tlb_entries && prices.tlb_miss_ns;
}

void model_forget_translations(void)
{
	if (!tlb_used)
		return;
	memset(tlb_hash, 0, sizeof(tlb_hash));
	tlb[0] = (struct translation){ 0 };
	tlb_used = 0;
}

/* ------------------------------------------------------------- prices */

static uint64_t cached(uint64_t physical, unsigned int bytes)
{
	uint64_t first = physical / LINE_BYTES, last = (physical + bytes - 1) / LINE_BYTES;
	uint64_t cost = send_line(first) + through_caches(first);

	return last == first ? cost : cost + send_line(last) + through_caches(last);
}

/* Note all bytes of a store, which may reach into the next line. */
static uint64_t combine_all(uint64_t physical, unsigned int bytes)
{
	unsigned int from = physical % LINE_BYTES, here = LINE_BYTES - from;
	uint64_t line = physical / LINE_BYTES;

	if (bytes <= here)
		return combine(line, from, bytes);
	return combine(line, from, here) + combine(line + 1, 0, bytes - here);
}

static uint64_t uncached(enum access access)
{
	uint64_t cost = model_drain();

	if (access != STORE)
		cost += ticks(prices.uc_load_ns);
	if (access != LOAD)
		cost += ticks(prices.uc_store_ns);
	return cost;
}

static uint64_t write_combining(enum access access, uint64_t physical, unsigned int bytes)
{
	uint64_t cost = 0;

	if (access != STORE)
		cost = send_line(physical / LINE_BYTES) + ticks(prices.wc_load_ns);
	if (access != LOAD)
		cost += combine_all(physical, bytes);
	return cost;
}

/**
 * model_access() - the CPU accesses memory
 * @type: effective type of the memory
 * @access: kind of access
 * @streaming: the instruction is non-temporal
 * @physical: physical address
 * @bytes: number of bytes
 *
 * A non-temporal store to memory that is cached throws the line out of the caches
 * and is combined (Intel SDM vol. 1, 10.4.6.2). UC takes no notice of the hint.
 *
 * Return: what it costs.
 */
uint64_t model_access(enum type type, enum access access, bool streaming,
		      uint64_t physical, unsigned int bytes)
{
	switch (type) {
	case WC:
		return write_combining(access, physical, bytes);
	case WB:
	case WT:
	case WP:
		if (!streaming || access != STORE)
			return cached(physical, bytes);
		drop(physical / LINE_BYTES);
		return combine_all(physical, bytes);
	default:
		return uncached(access);
	}
}

/**
 * model_flush() - a CLFLUSH or CLFLUSHOPT
 * @physical: an address in the line
 *
 * Return: what it costs.
 */
uint64_t model_flush(uint64_t physical)
{
	drop(physical / LINE_BYTES);
	return ticks(prices.flush_ns);
}

/* ------------------------------------------------------------------ settings */

static const char *make_cache(struct cache *c, uint32_t bytes, uint32_t ways)
{
	free(c->lines);
	*c = (struct cache){ 0 };
	if (!bytes)
		return NULL;
	if (!ways || bytes % ((uint64_t)ways * LINE_BYTES))
		return "a cache's bytes are not ways of whole sets of 64-byte lines";
	c->ways = ways;
	c->sets = bytes / LINE_BYTES / ways;
	c->lines = calloc((size_t)c->sets * ways, sizeof(*c->lines));
	return c->lines ? NULL : "no memory for the caches";
}

/**
 * model_configure() - set other prices, and empty the caches, the buffers and the TLB
 * @p: the prices
 * @ticks_per_ns_x1000: the machine's clock
 *
 * Return: NULL, or what is wrong with them.
 */
const char *model_configure(const struct prices *p, uint32_t ticks_per_ns_x1000)
{
	const char *why;

	if (!p->wc_buffers || p->wc_buffers > BUFFERS_MOST)
		return "wc_buffers is 1 to 64";
	if (p->tlb_entries > TLB_MOST)
		return "tlb_entries is 0 to 65536";
	if (!p->l1_bytes || (p->l3_bytes && !p->l2_bytes))
		return "a level of cache has none before it";
	prices = *p;
	ticks_x1000 = ticks_per_ns_x1000;
	memset(buffers, 0, sizeof(buffers));
	model_forget_translations();
	why = make_cache(&caches[0], p->l1_bytes, p->l1_ways);
	if (!why)
		why = make_cache(&caches[1], p->l2_bytes, p->l2_ways);
	return why ? why : make_cache(&caches[2], p->l3_bytes, p->l3_ways);
}

const struct prices *model_prices(void)
{
	return &prices;
}
