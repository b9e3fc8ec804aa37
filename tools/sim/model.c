// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "cache.h"
#include "combine.h"
#include "directory.h"
#include "model.h"
#include "tlb.h"

#define LINES_OF_PAGE	64

/**
 * struct cpu - what a CPU has of its own
 * @l1: its first level of cache
 * @l2: its second level
 * @tlb: its first level of TLB
 * @tlb2: its second level
 * @combiner: its write-combining buffers
 * @prefetches: the prefetcher is on
 * @chance: state of its random numbers, which are the same each time
 * @stood: how many times its clock should have stood still until its last access
 * @happened: counts
 */
static struct cpu {
	struct cache l1;
	struct cache l2;
	struct tlb tlb;
	struct tlb tlb2;
	struct combiner combiner;
	bool prefetches;
	uint32_t chance;
	int64_t stood;
	struct happened happened;
} cpus[CPUS_MOST];

static struct cache l3s[CPUS_MOST];	/* one for each l3_cpus neighbours */
static int64_t free_at[NODES_MOST];	/* when a controller has served all requests so far */
static struct traffic traffic[NODES_MOST];
static int64_t there_at;		/* when all uncached stores that were sent are there */
static struct prices prices;
static struct shape shape;

/* The node whose memory has a line; -1: a device's, which no memory controller serves. */
static int node_of(uint64_t line)
{
	uint64_t physical = line * 64;
	unsigned int i;

	for (i = 0; i < shape.nranges; i++) {
		if (physical >= shape.ranges[i].from && physical < shape.ranges[i].to)
			return shape.ranges[i].node;
	}
	return -1;
}

/* The node whose prices a line has; a device's line has those of node 0. */
static unsigned int pricing_node(uint64_t line)
{
	int node = node_of(line);

	return node < 0 ? 0 : node;
}

static struct cache *l3_of(unsigned int cpu)
{
	return &l3s[cpu / prices.l3_cpus];
}

/* ------------------------------------------------------------- memory controllers */

/*
 * A controller serves one request after the other, and pauses at multiples of a time. Return: how
 * long a request waits until its controller turns to it.
 */
static uint64_t serve(int64_t now, uint64_t line, bool write)
{
	int node = node_of(line);
	int64_t start, into;

	if (node < 0)
		return 0;
	traffic[node].read += !write;
	traffic[node].written += write;
	start = now > free_at[node] ? now : free_at[node];
	if (prices.refresh_every_ns && prices.refresh_ns) {
		into = start % prices.refresh_every_ns;
		if (into < prices.refresh_ns)
			start += prices.refresh_ns - into;
	}
	if (prices.service_ns[node])
		free_at[node] = start + prices.service_ns[node];
	return start - now;
}

/* The same for a request that a CPU waits for. */
static uint64_t request(unsigned int cpu, int64_t now, uint64_t line, bool write)
{
	uint64_t waited = serve(now, line, write);

	cpus[cpu].happened.waited_ns += waited;
	return waited;
}

/* A changed line goes back to memory; nobody waits for that. */
static void write_back(int64_t now, uint64_t line)
{
	serve(now, line, true);
}

/* ------------------------------------------------------------------------- caches */

/* A line has come to an L3; dirty: it differs from memory. */
static void keep_in_l3(unsigned int cpu, int64_t now, uint64_t line, bool dirty)
{
	struct cache *l3 = l3_of(cpu);
	struct way *way = cache_use(l3, line), evicted;

	if (!way) {
		evicted = cache_fill(l3, line);
		if (evicted.tag && evicted.dirty)
			write_back(now, evicted.tag - 1);
		way = cache_use(l3, line);
	}
	way->dirty |= dirty;
}

/* The CPU that had changed the line writes it back: L3 has it then, or memory. */
static void give_up_change(unsigned int cpu, int64_t now, uint64_t line)
{
	directory_clean(line);
	if (l3_of(cpu)->sets)
		keep_in_l3(cpu, now, line, true);
	else
		write_back(now, line);
}

/* One of a CPU's caches has lost a line. If the other one lacks it, too, the CPU has lost it. */
static void drop_sharer(unsigned int cpu, int64_t now, uint64_t line)
{
	if (cache_has(&cpus[cpu].l1, line) || cache_has(&cpus[cpu].l2, line))
		return;
	if (directory_owner(line) == (int)cpu)
		give_up_change(cpu, now, line);
	directory_remove(line, cpu);
}

static void fill(struct cache *c, unsigned int cpu, int64_t now, uint64_t line)
{
	struct way evicted = cache_fill(c, line);

	if (evicted.tag)
		drop_sharer(cpu, now, evicted.tag - 1);
}

/* Write a line back to memory if any cache has changed it. The caches keep it. */
static void clean_everywhere(int64_t now, uint64_t line)
{
	bool dirty = directory_owner(line) >= 0;
	unsigned int i;

	directory_clean(line);
	for (i = 0; i < shape.ncpus; i += prices.l3_cpus)
		dirty |= cache_clean(l3_of(i), line);
	if (dirty)
		write_back(now, line);
}

/* Take a line from all CPUs but one, whose own copy is about to differ from memory. It
 * has the others' changes, so these are not written.
 */
static void take_from_others(unsigned int cpu, uint64_t line)
{
	unsigned int i, sharers = directory_sharers(line) & ~(1U << cpu);

	for (i = 0; sharers >> i; i++) {
		if (!(sharers >> i & 1))
			continue;
		cache_drop(&cpus[i].l1, line);
		cache_drop(&cpus[i].l2, line);
		directory_remove(line, i);
	}
	/* The copies in the L3s of other CPUs are no longer right. */
	for (i = 0; i < shape.ncpus; i += prices.l3_cpus) {
		if (l3_of(i) != l3_of(cpu))
			cache_drop(l3_of(i), line);
	}
}

/* Throw a line out of all caches. A changed line goes back to memory first. */
static void drop_everywhere(int64_t now, uint64_t line)
{
	unsigned int i;

	clean_everywhere(now, line);
	for (i = 0; i < shape.ncpus; i++) {
		cache_drop(&cpus[i].l1, line);
		cache_drop(&cpus[i].l2, line);
		directory_remove(line, i);
	}
	for (i = 0; i < shape.ncpus; i += prices.l3_cpus)
		cache_drop(l3_of(i), line);
}

/* The node of the nearest copy: the CPU's own node if it has one, or that of the first sharer. */
static unsigned int nearest_node(unsigned int cpu, unsigned int sharers)
{
	unsigned int i, first = __builtin_ctz(sharers);

	for (i = first; sharers >> i; i++) {
		if (sharers >> i & 1 && shape.node[i] == shape.node[cpu])
			return shape.node[cpu];
	}
	return shape.node[first];
}

/* The price of asking the node that has the line in its memory which CPUs have copies. */
static uint64_t ask_home(unsigned int here, uint64_t line)
{
	return prices.home_ns[here][pricing_node(line)];
}

/* The price of finding a line that the CPU's own caches lack. */
static uint64_t cost_beyond_own(unsigned int cpu, int64_t now, uint64_t line)
{
	unsigned int here = shape.node[cpu], others = directory_sharers(line) & ~(1U << cpu);
	struct happened *h = &cpus[cpu].happened;
	struct cache *l3 = l3_of(cpu);
	int owner = directory_owner(line);

	if (owner >= 0 && owner != (int)cpu) {
		h->dirty++;
		give_up_change(cpu, now, line);
		return ask_home(here, line) + prices.dirty_ns[here][shape.node[owner]];
	}
	if (cache_use(l3, line)) {
		h->level[2]++;
		return prices.l3_ns;
	}
	if (l3->sets)
		keep_in_l3(cpu, now, line, false);
	if (others) {
		h->clean++;
		return ask_home(here, line) + prices.clean_ns[here][nearest_node(cpu, others)];
	}
	h->memory++;
	clean_everywhere(now, line);		/* an L3 of other CPUs may have changed it */
	return prices.memory_ns[here][pricing_node(line)] +
	       request(cpu, now, line, false);
}

static void prefetch(unsigned int cpu, int64_t now, uint64_t line)
{
	struct cpu *c = &cpus[cpu];
	uint64_t next = line + 1, last = line | (LINES_OF_PAGE - 1);

	if (!c->prefetches || !c->l2.sets)
		return;
	for (; next <= last && next <= line + prices.prefetch_lines; next++) {
		if (directory_sharers(next) >> cpu & 1)
			continue;
		if (directory_owner(next) >= 0) {
			give_up_change(cpu, now, next);
		} else if (!cache_use(l3_of(cpu), next)) {
			if (!directory_sharers(next)) {
				clean_everywhere(now, next);
				serve(now, next, false);	/* nobody waits for that, either */
			}
			if (l3_of(cpu)->sets)
				keep_in_l3(cpu, now, next, false);
		}
		fill(&c->l2, cpu, now, next);
		directory_add(next, cpu);
		c->happened.prefetched++;
	}
}

static uint64_t load(unsigned int cpu, int64_t now, uint64_t line, bool for_store)
{
	struct cpu *c = &cpus[cpu];
	uint64_t cost;

	if (cache_use(&c->l1, line)) {
		c->happened.level[0]++;
		return prices.l1_ns;
	}
	if (cache_use(&c->l2, line)) {
		c->happened.level[1]++;
		cost = prices.l2_ns;
	} else {
		cost = cost_beyond_own(cpu, now, line);
		directory_add(line, cpu);
		if (c->l2.sets)
			fill(&c->l2, cpu, now, line);
	}
	fill(&c->l1, cpu, now, line);
	if (!for_store && prices.prefetch_lines)
		prefetch(cpu, now, line);
	return cost;
}

static uint64_t store(unsigned int cpu, int64_t now, uint64_t line)
{
	unsigned int here = shape.node[cpu], others = directory_sharers(line) & ~(1U << cpu);
	bool has = directory_sharers(line) >> cpu & 1;
	uint64_t cost = load(cpu, now, line, true);

	if (others) {
		/* A line that the CPU lacked came together with the right to change it. */
		if (has)
			cost += ask_home(here, line) +
				prices.clean_ns[here][nearest_node(cpu, others)];
		take_from_others(cpu, line);
	}
	directory_own(line, cpu);
	cache_clean(l3_of(cpu), line);		/* the CPU's own copy is the newer one */
	return cost;
}

/* -------------------------------------------------------------- posted stores */

static void post(int64_t sent_at)
{
	int64_t at = sent_at + prices.arrive_ns;

	if (prices.arrive_ns && at > there_at)
		there_at = at;
}

/* Return: how long a load of uncached memory waits for them. */
static uint64_t push(int64_t now)
{
	return there_at > now ? there_at - now : 0;
}

/* ------------------------------------------------------------ write combining */

static uint64_t price_of_sent(unsigned int cpu, int64_t now, const struct sent *sent)
{
	struct happened *h = &cpus[cpu].happened;
	uint64_t cost = 0;
	uint32_t i;

	h->wc_lines += sent->lines;
	h->wc_words += sent->words;
	for (i = 0; i < sent->lines; i++)
		cost += prices.wc_line_ns + request(cpu, now + cost, sent->line, true);
	for (i = 0; i < sent->words; i++)
		cost += prices.wc_word_ns + request(cpu, now + cost, sent->line, true);
	if (sent->lines || sent->words)
		post(now + cost);
	return cost;
}

static uint64_t drain(unsigned int cpu, int64_t now)
{
	struct sent sent = { 0 };

	if (!cpus[cpu].combiner.written)
		return 0;
	combine_drain(&cpus[cpu].combiner, &sent);
	return price_of_sent(cpu, now, &sent);
}

static uint64_t send_line(unsigned int cpu, int64_t now, uint64_t line)
{
	struct sent sent = { 0 };

	if (!cpus[cpu].combiner.written)
		return 0;
	combine_send(&cpus[cpu].combiner, line, &sent);
	return price_of_sent(cpu, now, &sent);
}

/* Is this one of so many cases in 1000? The numbers are those of a linear congruence. */
static bool draw_chance(unsigned int cpu, uint32_t of_1000)
{
	uint32_t *x = &cpus[cpu].chance;

	*x = *x * 1664525 + 1013904223;
	return (*x >> 8) % 1000 < of_1000;
}

static uint64_t combine(unsigned int cpu, int64_t now, uint64_t physical, unsigned int bytes)
{
	struct sent sent = { 0 };
	uint64_t cost;

	combine_store(&cpus[cpu].combiner, physical, bytes, &sent);
	cost = price_of_sent(cpu, now, &sent);
	if (prices.wc_early && draw_chance(cpu, prices.wc_early))
		cost += send_line(cpu, now + cost, physical / 64);
	return cost;
}

/* -------------------------------------------------------------------- accesses */

static uint64_t cost_of_cached_line(unsigned int cpu, int64_t now, uint64_t line, bool stores)
{
	uint64_t cost = send_line(cpu, now, line);

	return cost + (stores ? store(cpu, now + cost, line) : load(cpu, now + cost, line, false));
}

static uint64_t cost_of_cached(unsigned int cpu, int64_t now, const struct access *a)
{
	uint64_t first = a->physical / 64, last = (a->physical + a->bytes - 1) / 64;
	uint64_t cost = cost_of_cached_line(cpu, now, first, a->operation == STORE);

	return last == first ? cost :
	       cost + cost_of_cached_line(cpu, now + cost, last, a->operation == STORE);
}

static uint64_t cost_of_uncached(unsigned int cpu, int64_t now, const struct access *a)
{
	bool stores = a->operation == STORE;
	uint64_t cost = drain(cpu, now);

	cost += stores ? prices.uc_store_ns : push(now + cost) + prices.uc_load_ns;
	cost += request(cpu, now + cost, a->physical / 64, stores);
	if (stores)
		post(now + cost);
	return cost;
}

static uint64_t cost_of_write_combining(unsigned int cpu, int64_t now, const struct access *a)
{
	uint64_t cost;

	if (a->operation == STORE)
		return combine(cpu, now, a->physical, a->bytes);
	cost = send_line(cpu, now, a->physical / 64);
	cost += push(now + cost) + prices.wc_load_ns;
	return cost + request(cpu, now + cost, a->physical / 64, false);
}

static uint64_t translate(unsigned int cpu, const struct access *a)
{
	struct cpu *c = &cpus[cpu];
	uint64_t key = a->page << 6 | a->page_shift;

	if (!prices.tlb_entries || tlb_use(&c->tlb, key))
		return 0;
	c->happened.tlb_misses++;
	if (prices.tlb2_entries && tlb_use(&c->tlb2, key))
		return prices.tlb2_ns;
	c->happened.walks++;
	return prices.tlb_miss_ns;
}

/* A non-temporal store to memory that is cached throws its lines out of the caches, and is combined
 * (Intel SDM vol. 1, 10.4.6.2).
 */
static uint64_t cost_of_streaming(unsigned int cpu, int64_t now, const struct access *a)
{
	uint64_t line;

	for (line = a->physical / 64; line <= (a->physical + a->bytes - 1) / 64; line++)
		drop_everywhere(now, line);
	return combine(cpu, now, a->physical, a->bytes);
}

/* UC takes no notice of the hint that a store is non-temporal. */
static uint64_t cost_of_type(unsigned int cpu, int64_t now, const struct access *a)
{
	switch (a->type) {
	case WC:
		return cost_of_write_combining(cpu, now, a);
	case WB:
	case WT:
	case WP:
		if (!a->streaming || a->operation != STORE)
			return cost_of_cached(cpu, now, a);
		return cost_of_streaming(cpu, now, a);
	default:
		return cost_of_uncached(cpu, now, a);
	}
}

/* The price of an access that takes no account of the CPU's clock. */
static uint64_t cost_of_access(unsigned int cpu, int64_t now, const struct access *a)
{
	uint64_t cost;

	switch (a->operation) {
	case FLUSH:
		drop_everywhere(now, a->physical / 64);
		return prices.flush_ns;
	case CLEAN:
		clean_everywhere(now, a->physical / 64);
		return prices.clwb_ns;
	case DRAIN:
		return drain(cpu, now);
	default:
		cost = translate(cpu, a);
		return cost + cost_of_type(cpu, now + cost, a);
	}
}

/* The time for which the CPU's clock stands still until @now, the end of an access. */
static uint64_t stand_still(unsigned int cpu, int64_t now)
{
	struct cpu *c = &cpus[cpu];
	int64_t due = prices.still_every_ns ? now / prices.still_every_ns : 0;
	bool is_due = due != c->stood;

	c->stood = due;
	if (!is_due)
		return 0;
	c->happened.still_ns += prices.still_ns;
	return prices.still_ns;
}

/**
 * model_access() - a CPU accesses memory, or flushes a line
 * @cpu: the CPU
 * @now: its time
 * @a: what it does
 *
 * Return: what that costs, in nanoseconds.
 */
uint64_t model_access(unsigned int cpu, int64_t now, const struct access *a)
{
	uint64_t cost = cost_of_access(cpu, now, a);

	return cost + stand_still(cpu, now + cost);
}

/* Does the CPU keep all lines that it has, if L1 gets this one, which L1 or L2 has? */
static bool keeps_its_lines(const struct cpu *c, uint64_t line)
{
	struct way victim;

	if (cache_has(&c->l1, line))
		return true;
	victim = cache_victim(&c->l1, line);
	return !victim.tag || cache_has(&c->l2, victim.tag - 1);
}

/**
 * model_is_private() - whether an access concerns only what the CPU has of its own
 * @cpu: the CPU
 * @a: the access
 *
 * So it is if the CPU's own caches have the line, no other CPU has it, and others see no trace of
 * the access: the line does not begin to differ from memory, and no other line leaves the CPU.
 */
bool model_is_private(unsigned int cpu, const struct access *a)
{
	uint64_t line = a->physical / 64;

	return a->operation <= STORE && a->type == WB && !a->streaming &&
	       directory_sharers(line) == 1U << cpu &&
	       (a->operation == LOAD || directory_owner(line) == (int)cpu) &&
	       (a->physical + a->bytes - 1) / 64 == line && !prices.prefetch_lines &&
	       keeps_its_lines(&cpus[cpu], line);
}

/** model_is_held() - whether a write-combining buffer of another CPU has a store to this address */
bool model_is_held(unsigned int cpu, uint64_t physical)
{
	unsigned int i;

	for (i = 0; i < shape.ncpus; i++) {
		if (i != cpu && combine_has(&cpus[i].combiner, physical / 64))
			return true;
	}
	return false;
}

void model_forget_translations(unsigned int cpu)
{
	tlb_empty(&cpus[cpu].tlb);
	tlb_empty(&cpus[cpu].tlb2);
}

static void clean_lines_of(const struct cache *c, int64_t now)
{
	uint32_t i;

	for (i = 0; i < c->sets * c->ways; i++) {
		if (c->lines[i].tag)
			clean_everywhere(now, c->lines[i].tag - 1);
	}
}

/** model_clean_caches() - all lines that a cache has changed go back to memory: WBNOINVD, WBINVD */
void model_clean_caches(int64_t now)
{
	unsigned int i;

	for (i = 0; i < shape.ncpus; i++) {
		clean_lines_of(&cpus[i].l1, now);
		clean_lines_of(&cpus[i].l2, now);
		clean_lines_of(&l3s[i], now);
	}
}

/**
 * model_forget_caches() - the caches of all CPUs are empty afterwards: WBINVD, INVD
 *
 * Changes that are only in the caches are lost, as by INVD (Intel SDM vol. 2). WBINVD calls
 * model_clean_caches() first, which writes them to memory.
 */
void model_forget_caches(void)
{
	unsigned int i;

	for (i = 0; i < shape.ncpus; i++) {
		cache_empty(&cpus[i].l1);
		cache_empty(&cpus[i].l2);
		cache_empty(&l3s[i]);
	}
	directory_empty();
}

void model_switch_prefetcher(unsigned int cpu, bool on)
{
	cpus[cpu].prefetches = on;
}

const struct prices *model_prices(void)
{
	return &prices;
}

const struct happened *model_happened(unsigned int cpu)
{
	return &cpus[cpu].happened;
}

/** model_traffic() - what a node's controller has moved since the start */
const struct traffic *model_traffic(unsigned int node)
{
	return &traffic[node];
}

static bool make_cpu(struct cpu *c, const struct prices *p)
{
	memset(&c->combiner, 0, sizeof(c->combiner));
	c->combiner.n = p->wc_buffers;
	c->chance = 1;
	return cache_make(&c->l1, p->l1_bytes, p->l1_ways) &&
	       cache_make(&c->l2, p->l2_bytes, p->l2_ways) &&
	       tlb_make(&c->tlb, p->tlb_entries) && tlb_make(&c->tlb2, p->tlb2_entries);
}

/**
 * model_make() - make the machine's memory anew, with empty caches, buffers and TLBs
 * @p: prices, which prices_read() or prices_set() found right
 * @s: CPUs and nodes
 *
 * Prefetchers that were switched off stay so. Lines that the caches of the previous machine have
 * changed are not written: its time has ended.
 *
 * Return: NULL, or what is wrong.
 */
const char *model_make(const struct prices *p, const struct shape *s)
{
	static bool made;
	bool good = directory_make();
	unsigned int i;

	prices = *p;
	shape = *s;
	there_at = 0;
	for (i = 0; i < CPUS_MOST; i++) {
		good = good && make_cpu(&cpus[i], p) &&
		       cache_make(&l3s[i], p->l3_bytes, p->l3_ways);
		if (!made)
			cpus[i].prefetches = true;
	}
	memset(free_at, 0, sizeof(free_at));
	made = good;
	return good ? NULL : "no memory for the caches";
}
