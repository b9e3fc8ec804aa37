// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers. Memory is allocated in 2 MiB blocks as long as there are any, so that
 * changing its type leaves the kernel's direct map in 2 MiB mappings. Every
 * block is write-back again before it is freed; a block that can't be turned back
 * is leaked on purpose, because another owner would not expect its type.
 */
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/vmalloc.h>

#include "kernel/arch.h"
#include "kernel/buffers.h"
#include "platform/os.h"

#define BLOCK_ORDER	(PMD_SHIFT - PAGE_SHIFT)

/**
 * struct mc_chunk - a physical block of a buffer
 * @page: its first page
 * @order: it has 2^order pages
 * @changed: its type may have changed, so it must be turned back
 */
struct mc_chunk {
	struct page *page;
	unsigned int order;
	bool changed;
};

static atomic64_t leaked;

/**
 * mc_buffer_mapping() - size of the mappings that cover most of a buffer
 * @b: the buffer, audited
 *
 * Return: bytes of such a mapping in the direct map; 0 if page tables can't be read.
 */
u64 mc_buffer_mapping(const struct mc_buffer *b)
{
	return mc_level_most(b->after);
}

/**
 * mc_level_most() - size of the mappings that cover most of some memory
 * @levels: the bytes that each level maps
 *
 * Return: bytes of such a mapping; 0 if nothing is mapped.
 */
u64 mc_level_most(const u64 *levels)
{
	static const u64 bytes[MC_NLEVELS] = { PAGE_SIZE, PMD_SIZE, PUD_SIZE };
	enum mc_level level, most = MC_LEVEL_4K;

	for (level = 0; level < MC_NLEVELS; level++) {
		if (levels[level] > levels[most])
			most = level;
	}
	return levels[most] ? bytes[most] : 0;
}

/**
 * mc_pages_leaked() - pages that could not be turned back to write-back
 *
 * Return: pages leaked since load.
 */
u64 mc_pages_leaked(void)
{
	return atomic64_read(&leaked);
}

static u64 chunk_bytes(const struct mc_chunk *c)
{
	return PAGE_SIZE << c->order;
}

/* ------------------------------------------------------------- allocate */

/*
 * A block of the largest order available, at most @order. The OOM killer stays out:
 * it was this user who asked for too much. Only whole blocks are worth reclaim; for
 * small ones it would evict what others need.
 */
static struct page *alloc_block(struct mc_node_wish wish, unsigned int *order)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	int node = wish.node < 0 ? NUMA_NO_NODE : wish.node;

	/* Nodes of CXL or persistent memory may have nothing else. */
	if (wish.node >= 0 && !node_state(node, N_NORMAL_MEMORY))
		gfp |= __GFP_HIGHMEM | __GFP_MOVABLE;
	if (wish.strict)
		gfp |= __GFP_THISNODE;
	for (;;) {
		gfp_t now = gfp | (*order == BLOCK_ORDER ? __GFP_RETRY_MAYFAIL : __GFP_NORETRY) |
			    (*order ? __GFP_COMP : 0);
		struct page *page = alloc_pages_node(node, now, *order);

		if (page || !*order)
			return page;
		(*order)--;
	}
}

/*
 * Called between blocks: has the run been stopped? At load, without @threads, only a
 * fatal signal counts.
 */
static int check_stopped(struct mc_threads *threads, struct mc_error *e)
{
	int err = threads ? mc_threads_look(threads) : fatal_signal_pending(current) ? -EINTR : 0;

	cond_resched();
	if (!err)
		return 0;
	return mc_fail(e, err,
		       "run: stopped by a %s while its memory was being prepared; earlier results are kept",
		       err == -EINTR ? "signal" : "write to stop");
}

/* Make room for one more block; the list doubles, since blocks may be small. */
static int grow_chunks(struct mc_buffer *b)
{
	/* At most 2^25 of them, since size= is at most 2^46. */
	unsigned int room = b->room ? 2 * b->room :
				      (unsigned int)DIV_ROUND_UP_ULL(b->bytes, PMD_SIZE);
	struct mc_chunk *more;

	if (b->nchunks < b->room)
		return 0;
	more = mc_alloc_array(room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	if (b->nchunks)
		memcpy(more, b->chunks, b->nchunks * sizeof(*more));
	mc_free(b->chunks);
	b->chunks = more;
	b->room = room;
	return 0;
}

/*
 * A buffer smaller than 2 MiB still gets a whole block, so that the direct map keeps
 * its 2 MiB mapping. Once whole blocks have run out, smaller ones are used.
 */
static int alloc_chunks(struct mc_buffer *b, struct mc_threads *threads, struct mc_error *e)
{
	unsigned int order = BLOCK_ORDER;
	u64 have = 0;
	int err;

	while (have < b->bytes) {
		struct page *page = grow_chunks(b) ? NULL : alloc_block(b->wish, &order);

		if (!page)
			return mc_fail(e, -ENOMEM,
				       "size: memory ran out after %llu MiB of %llu",
				       have >> 20, b->bytes >> 20);
		b->chunks[b->nchunks++] = (struct mc_chunk){ page, order, false };
		have += PAGE_SIZE << order;
		err = check_stopped(threads, e);
		if (err)
			return err;
	}
	return 0;
}

/* ------------------------------------------------ what the page tables say */

static enum mc_level level_of(u64 mapping_bytes)
{
	if (mapping_bytes >= PUD_SIZE)
		return MC_LEVEL_1G;
	return mapping_bytes >= PMD_SIZE ? MC_LEVEL_2M : MC_LEVEL_4K;
}

/**
 * mc_attr_walk() - read the attribute of kernel addresses, mapping by mapping
 * @addr: the first address
 * @bytes: number of bytes
 * @so_far: attribute of others that belong to them, or MC_ATTR_NA
 * @levels: the bytes of each level are added here; or NULL
 *
 * Context: Process; the mapping must not be removed meanwhile.
 * Return: the attribute, combined with @so_far; MC_ATTR_NA if an address is not mapped.
 */
enum mc_attr mc_attr_walk(const void *addr, u64 bytes, enum mc_attr so_far, u64 *levels)
{
	u64 at = 0, span, step;

	while (at < bytes) {
		enum mc_attr attr = mc_attr_read((const u8 *)addr + at, &span);

		if (!span)
			return MC_ATTR_NA;
		so_far = so_far == MC_ATTR_NA || so_far == attr ? attr : MC_ATTR_MIXED;
		/* A mapping may begin before these bytes and end after them. */
		step = span - (((unsigned long)addr + at) & (span - 1));
		step = min(step, bytes - at);
		if (levels)
			levels[level_of(span)] += step;
		at += step;
		cond_resched();
	}
	return so_far;
}

static enum mc_attr walk_chunks(const struct mc_buffer *b, u64 *levels)
{
	enum mc_attr attr = MC_ATTR_NA;
	unsigned int i;

	memset(levels, 0, sizeof(u64) * MC_NLEVELS);
	for (i = 0; i < b->nchunks; i++)
		attr = mc_attr_walk(page_address(b->chunks[i].page),
				    chunk_bytes(&b->chunks[i]), attr, levels);
	return attr;
}

static void free_chunk(struct mc_chunk *c)
{
	void *addr = page_address(c->page);

	if (c->changed &&
	    (mc_attr_set(addr, 1U << c->order, MC_WB) ||
	     mc_attr_walk(addr, chunk_bytes(c), MC_ATTR_NA, NULL) != MC_ATTR_WB)) {
		pr_err("memcache: %u pages could not be turned back to write-back and are leaked\n",
		       1U << c->order);
		atomic64_add(1ULL << c->order, &leaked);
		return;
	}
	__free_pages(c->page, c->order);
}

static int node_of(const struct mc_buffer *b)
{
	int node = page_to_nid(b->chunks[0].page);
	unsigned int i;

	for (i = 1; i < b->nchunks; i++) {
		if (page_to_nid(b->chunks[i].page) != node)
			return MC_NODE_MIXED;
	}
	return node;
}

static enum mc_zone zone_of(const struct mc_buffer *b)
{
	const struct page *first = b->chunks[0].page;
	unsigned int i;

	for (i = 1; i < b->nchunks; i++) {
		if (page_zonenum(b->chunks[i].page) != page_zonenum(first))
			return MC_ZONE_MIXED;
	}
	return mc_zone_named(page_zone(first)->name);
}

/**
 * mc_buffer_audit() - read the attribute back from the page tables
 * @b: the buffer; its attribute and levels are updated, and the attribute is `mixed`
 *     if its 4 KiB mapping has another one. Where the direct map can't have the type, only the
 *     4 KiB mapping counts
 *
 * Context: Process.
 */
void mc_buffer_audit(struct mc_buffer *b)
{
	b->attribute = walk_chunks(b, b->after);
	if (!mc_attr_direct(b->type))
		b->attribute = MC_ATTR_NA;
	if (b->mapped.n)
		b->attribute = mc_attr_walk(b->mapped_span.addr, b->mapped_span.bytes,
					    b->attribute, NULL);
}

/* ------------------------------------------------------- create, destroy */

/* Contiguous blocks become one span. */
static void find_spans(struct mc_buffer *b)
{
	struct mc_span *s = NULL;
	u64 start = 0;
	unsigned int i;

	for (i = 0; i < b->nchunks && start < b->bytes; i++) {
		u8 *addr = page_address(b->chunks[i].page);
		u64 bytes = min(chunk_bytes(&b->chunks[i]), b->bytes - start);

		if (s && (u8 *)s->addr + s->bytes == addr) {
			s->bytes += bytes;
		} else {
			s = &b->spans[b->direct.n++];
			*s = (struct mc_span){ addr, start, bytes };
		}
		start += bytes;
	}
	b->direct.spans = b->spans;
}

/* Read all levels before the first change, which may split neighbouring mappings. */
static int read_before(struct mc_buffer *b, struct mc_threads *threads, struct mc_error *e)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < b->nchunks && !err; i++) {
		mc_attr_walk(page_address(b->chunks[i].page), chunk_bytes(&b->chunks[i]),
			     MC_ATTR_NA, b->before);
		err = check_stopped(threads, e);
	}
	return err;
}

static int set_type(struct mc_buffer *b, struct mc_threads *threads, struct mc_error *e)
{
	unsigned int i;
	int err;

	if (b->type == MC_WB)
		return 0;
	for (i = 0; i < b->nchunks; i++) {
		struct mc_chunk *c = &b->chunks[i];

		err = check_stopped(threads, e);
		if (err)
			return err;
		/* Even a call that fails may have changed some of the pages. */
		c->changed = true;
		err = mc_attr_set(page_address(c->page), 1U << c->order, b->type);
		if (err)
			return mc_fail(e, err,
				       "type: the kernel refused to set %u page%s (error %d)",
				       1U << c->order, MC_S(1U << c->order), -err);
	}
	return 0;
}

static int alloc_buffer(struct mc_buffer *b, struct mc_threads *threads, struct mc_error *e)
{
	u64 available = (u64)si_mem_available() << PAGE_SHIFT;
	int err;

	if (b->bytes > available)
		return mc_fail(e, -ENOMEM,
			       "size: %llu MiB are asked for, %llu MiB are available",
			       b->bytes >> 20, available >> 20);
	err = alloc_chunks(b, threads, e);
	if (err)
		return err;
	b->spans = mc_alloc_array(b->nchunks, sizeof(*b->spans));
	if (!b->spans)
		return mc_fail(e, -ENOMEM, "size: no memory for the list of pages");
	find_spans(b);
	b->memory_node = node_of(b);
	b->memory_zone = zone_of(b);
	err = read_before(b, threads, e);
	return err ? err : set_type(b, threads, e);
}

/* For a type that the direct map can't have. */
static int map_and_try(struct mc_buffer *b, struct mc_threads *threads, struct mc_error *e)
{
	const char *failed;
	int err = mc_buffer_map(b, threads, e);

	failed = err ? NULL : mc_attr_try(mc_buffer_start(b));
	if (!failed)
		return err;
	return mc_fail(e, -EOPNOTSUPP, "type: memory of type=%s faults on %s on this machine",
		       mc_type_name(b->type), failed);
}

/**
 * mc_buffer_create() - allocate zeroed pages of a memory type
 * @type: the type
 * @wish: where to allocate them
 * @bytes: not 0; rounded up to whole pages
 * @threads: the run's threads, whose stop ends the allocation, too; or NULL
 * @e: result: what is wrong, naming the key
 *
 * The attribute is read back from the page tables; the verdict is not determined.
 *
 * Context: Process, may sleep.
 * Return: the buffer, or NULL and @e->err: -ENOMEM, the errno of the stop, the kernel's error
 * from the change of type, or -EOPNOTSUPP if memory of the type faults.
 */
struct mc_buffer *mc_buffer_create(enum mc_type type, struct mc_node_wish wish,
				   u64 bytes, struct mc_threads *threads,
				   struct mc_error *e)
{
	struct mc_buffer *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (!b) {
		mc_fail(e, -ENOMEM, "size: no memory");
		return NULL;
	}
	b->type = type;
	b->wish = wish;
	b->bytes = round_up(bytes, PAGE_SIZE);
	if (alloc_buffer(b, threads, e)) {
		mc_buffer_destroy(b);
		return NULL;
	}
	if (!mc_attr_direct(type) && map_and_try(b, threads, e)) {
		mc_buffer_destroy(b);
		return NULL;
	}
	mc_buffer_audit(b);
	return b;
}

/**
 * mc_buffer_start() - the first address of a buffer, for loops
 * @b: the buffer
 *
 * Return: the address, in a mapping that has the type.
 */
void *mc_buffer_start(const struct mc_buffer *b)
{
	return mc_attr_direct(b->type) ? b->spans[0].addr : b->mapped_span.addr;
}

/**
 * mc_buffer_judge() - update the verdict on what the hardware does with the memory
 * @b: the buffer; its first page is zeroed
 *
 * Context: Process.
 */
void mc_buffer_judge(struct mc_buffer *b)
{
	mc_verdict_of(&b->verdict, b->type, mc_buffer_start(b), PAGE_SIZE);
}

/**
 * mc_buffer_destroy() - turn the pages back to write-back and free them
 * @b: the buffer, complete or not; or NULL
 *
 * Context: Process, may sleep.
 */
void mc_buffer_destroy(struct mc_buffer *b)
{
	unsigned int i;

	if (!b)
		return;
	if (b->mapped.n)
		vunmap(b->mapped_span.addr);
	for (i = 0; i < b->nchunks; i++) {
		free_chunk(&b->chunks[i]);
		cond_resched();
	}
	mc_free(b->spans);
	mc_free(b->chunks);
	kfree(b);
}

/* ---------------------------------------------------------- 4 KiB mapping */

/**
 * mc_protection() - add a memory type to a mapping's protection
 * @type: the type
 * @prot: the protection
 *
 * Return: @prot with the type.
 */
pgprot_t mc_protection(enum mc_type type, pgprot_t prot)
{
	switch (type) {
	case MC_WC: return pgprot_writecombine(prot);
	case MC_UC: return pgprot_device(prot);	/* as ioremap() does */
	case MC_NP: return pgprot_noncached(prot);	/* as ioremap_np() does */
	default: return prot;
	}
}

/**
 * mc_buffer_map() - map the buffer a second time, in 4 KiB pages
 * @b: the buffer; result: @b->mapped
 * @threads: the run's threads
 * @e: result: what is wrong
 *
 * The mapping has the type of the direct map, since mapping a page with two types is
 * undefined on x86. Where the direct map can't have the type, mc_buffer_create() calls this.
 *
 * Context: Process, may sleep.
 * Return: 0, -ENOMEM, or the errno of the stop.
 */
int mc_buffer_map(struct mc_buffer *b, struct mc_threads *threads, struct mc_error *e)
{
	u64 n = b->bytes >> PAGE_SHIFT;
	unsigned int i, j, at = 0;
	struct page **pages;
	void *addr;
	int err = 0;

	if (b->mapped.n)
		return 0;
	pages = n > INT_MAX ? NULL : mc_alloc_array(n, sizeof(*pages));
	if (!pages)
		return mc_fail(e, -ENOMEM, "page: no memory for the list of pages");
	for (i = 0; i < b->nchunks && !err; i++) {
		for (j = 0; j < 1U << b->chunks[i].order && at < n; j++)
			pages[at++] = b->chunks[i].page + j;
		err = check_stopped(threads, e);
	}
	if (err) {
		mc_free(pages);
		return err;
	}
	addr = vmap(pages, (unsigned int)n, VM_MAP, mc_protection(b->type, PAGE_KERNEL));
	mc_free(pages);
	if (!addr)
		return mc_fail(e, -ENOMEM, "page: no room for a mapping of %llu MiB",
			       b->bytes >> 20);
	b->mapped_span = (struct mc_span){ addr, 0, b->bytes };
	b->mapped.spans = &b->mapped_span;
	b->mapped.n = 1;
	mc_buffer_audit(b);
	return 0;
}

/* ------------------------------------------------------------------ show */

/* KiB that each level maps; splitting a mapping moves them to the right. */
static void show_levels(struct mc_text *t, const u64 *levels)
{
	mc_textf(t, "1G:%llu,2M:%llu,4K:%llu", levels[MC_LEVEL_1G] >> 10,
		 levels[MC_LEVEL_2M] >> 10, levels[MC_LEVEL_4K] >> 10);
}

/**
 * mc_buffer_show() - append a line about a buffer
 * @t: the text
 * @b: the buffer
 * @what: "standing" or "run"
 *
 * Context: Process.
 */
void mc_buffer_show(struct mc_text *t, const struct mc_buffer *b, const char *what)
{
	mc_textf(t, "%s %s pages=%llu node=", mc_type_name(b->type), what, b->bytes >> PAGE_SHIFT);
	if (b->memory_node == MC_NODE_MIXED)
		mc_textf(t, "mixed");
	else
		mc_textf(t, "%d", b->memory_node);
	mc_textf(t, " blocks=%u spans=%u attribute=%s effective=%s mapped_4k=%s",
		 b->nchunks, b->direct.n, mc_attr_name(b->attribute),
		 mc_effect_name(b->verdict.effect), b->mapped.n ? "yes" : "no");
	mc_textf(t, " direct_map_before_kib=");
	show_levels(t, b->before);
	mc_textf(t, " direct_map_after_kib=");
	show_levels(t, b->after);
	mc_textf(t, "\n");
}
