// SPDX-License-Identifier: GPL-2.0-only
/* The standing buffers, and the buffers of the current run. */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/spinlock.h>
#include <linux/topology.h>

#include "kernel/arch.h"
#include "kernel/memory.h"

/* Protects the buffers, so that a reader of `buffers` never sees a partial one. */
static DEFINE_MUTEX(buffers_lock);
static struct mc_buffer *standing[MC_NTYPES];
static struct mc_buffer *of_run[MC_NALL_TYPES];	/* a list for each type */
static struct mc_buffer *fence;
static void *reference;		/* a page of write-back memory, for verdicts */
static int default_node = -1;

/*
 * A copy of what is known about the standing buffers. A run updates the originals
 * step by step with @buffers_lock held, perhaps for seconds; other readers meanwhile get the
 * copy, which changes as a whole.
 */
static DEFINE_SPINLOCK(known_lock);
static struct {
	enum mc_attr attribute;
	struct mc_verdict verdict;
} known[MC_NTYPES];

/* UC before WC, which is judged against it. */
static const enum mc_type order[MC_NTYPES] = { MC_WB, MC_UC, MC_WC };

/* Update @known; after each change to a standing buffer, before @buffers_lock is released. */
static void publish_known(void)
{
	unsigned int i;

	spin_lock(&known_lock);
	for (i = 0; i < MC_NTYPES; i++) {
		if (!standing[i])
			continue;
		known[i].attribute = standing[i]->attribute;
		known[i].verdict = standing[i]->verdict;
	}
	spin_unlock(&known_lock);
}

/**
 * mc_memory_init() - make the standing buffers
 * @bytes: size of each; 0: make none
 * @node: NUMA node, or -1: the first CPU's, or the nearest one with free memory
 * @e: result: what is wrong
 *
 * Context: Process, once at load.
 * Return: 0, or a negative errno and then nothing stays allocated.
 */
int mc_memory_init(u64 bytes, int node, struct mc_error *e)
{
	struct mc_node_wish wish = { .node = node, .strict = node >= 0 };
	unsigned int i;

	/* cpu= has the first CPU as its preset, whichever CPU loads the module. */
	if (node < 0)
		wish.node = mc_cpu_node(cpumask_first(cpu_online_mask));
	default_node = node;
	reference = (void *)get_zeroed_page(GFP_KERNEL);
	if (!reference)
		return mc_fail(e, -ENOMEM, "no memory for a page");
	mc_verdict_init(reference);
	for (i = 0; bytes && i < MC_NTYPES; i++) {
		if (!mc_attr_settable(order[i]))
			continue;
		standing[order[i]] = mc_buffer_create(order[i], wish, bytes, NULL, e);
		if (e->err == -EOPNOTSUPP) {
			/* A request for this type will say why. */
			*e = (struct mc_error){ 0 };
			continue;
		}
		if (!standing[order[i]]) {
			mc_memory_exit();
			return e->err;
		}
		mc_buffer_judge(standing[order[i]]);
	}
	publish_known();
	return 0;
}

static void destroy(struct mc_buffer **b)
{
	mc_buffer_destroy(*b);
	*b = NULL;
}

/**
 * mc_memory_exit() - free all buffers
 *
 * Context: Process, at unload; no run is active.
 */
void mc_memory_exit(void)
{
	unsigned int i;

	mc_memory_drop();
	for (i = 0; i < MC_NTYPES; i++)
		destroy(&standing[i]);
	destroy(&fence);
	free_page((unsigned long)reference);
	reference = NULL;
}

/* Free the run's own buffers of a type: those on a node, or with -1 all of them. */
static void drop_of_run(enum mc_type type, int node)
{
	struct mc_buffer **at = &of_run[type], *b;

	while ((b = *at)) {
		if (node >= 0 && b->memory_node != node) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		mc_buffer_destroy(b);
	}
}

/**
 * mc_memory_drop() - free the run's own buffers
 *
 * Context: Process.
 */
void mc_memory_drop(void)
{
	unsigned int i;

	mutex_lock(&buffers_lock);
	for (i = 0; i < ARRAY_SIZE(of_run); i++)
		drop_of_run(i, -1);
	mutex_unlock(&buffers_lock);
}

/**
 * mc_memory_node() - the module parameter numa_node
 *
 * Return: the node, or -1.
 */
int mc_memory_node(void)
{
	return default_node;
}

/**
 * mc_memory_check() - check that a point's type, page and node exist here
 * @point: the point
 * @e: result: what is wrong
 *
 * Context: Process.
 * Return: 0, -EINVAL (no such node) or -EOPNOTSUPP (no such type or mapping).
 */
int mc_memory_check(const struct mc_point *point, struct mc_error *e)
{
	u64 node = point->v[MC_KEY_NODE];

	if (point->v[MC_KEY_OFFSET])
		return mc_fail(e, -EINVAL,
			       "offset: is for a BAR or a range in target=, not for RAM");
	if (point->v[MC_KEY_TYPE] >= MC_NTYPES && !mc_attr_settable(mc_type_of(point)))
		return mc_fail(e, -EOPNOTSUPP,
			       "type: RAM takes wb, wc%s; %s is for a BAR or a range in target=",
			       mc_attr_settable(MC_NP) ? ", uc and np" : " and uc",
			       mc_type_name(mc_type_of(point)));
	if (!mc_attr_settable(mc_type_of(point)))
		return mc_fail(e, -EOPNOTSUPP,
			       "type: this machine has type=wb only");
	if (point->v[MC_KEY_PAGE] > MC_PAGE_4K)
		return mc_fail(e, -EOPNOTSUPP,
			       "page: 2m and thp are for memcache-user; the module takes auto, direct or 4k");
	if (point->v[MC_KEY_PAGE] == MC_PAGE_DIRECT && !mc_attr_direct(mc_type_of(point)))
		return mc_fail(e, -EOPNOTSUPP,
			       "page: on this machine, only type=wb can be measured in the direct map; use page=4k or page=auto");
	/* node=auto and node=local may fall back to the nearest node with memory. */
	if (node != MC_AUTO && node != MC_LOCAL &&
	    (node >= MAX_NUMNODES || !node_state((int)node, N_MEMORY)))
		return mc_fail(e, -EINVAL,
			       "node: %llu has no memory; nodes with memory are %*pbl",
			       node, nodemask_pr_args(&node_states[N_MEMORY]));
	return 0;
}

/*
 * A buffer that was requested on this node but allocated on another serves, too:
 * the node had no free memory.
 */
static bool serves(const struct mc_buffer *b, struct mc_node_wish wish, u64 bytes)
{
	if (!b || b->bytes < bytes)
		return false;
	return wish.node < 0 || b->memory_node == wish.node ||
	       (!wish.strict && b->wish.node == wish.node);
}

static struct mc_buffer *new_fence_page(struct mc_error *e)
{
	const struct mc_node_wish wish = { .node = default_node };
	struct mc_buffer *b;

	if (!mc_attr_settable(MC_UC)) {
		mc_fail(e, -EOPNOTSUPP,
			"fence: uc needs uncached memory, and this machine has type=wb only");
		return NULL;
	}
	b = mc_buffer_create(MC_UC, wish, PAGE_SIZE, NULL, e);
	if (b)
		mc_buffer_judge(b);
	return b;
}

/* WC is judged against UC; without standing buffers, the fence is the UC buffer. */
static void make_uc_known(enum mc_type type)
{
	struct mc_error e = { 0 };

	if (type == MC_WC && !standing[MC_UC] && !fence)
		fence = new_fence_page(&e);
}

/* A miss should cost what memory of the node costs on which this thread runs. */
static void renew_reference(void)
{
	void *local = (void *)get_zeroed_page(GFP_KERNEL);

	if (local) {
		free_page((unsigned long)reference);
		reference = local;
	}
	mc_verdict_init(reference);
}

/*
 * MTRRs may have changed since the last verdict. WC is judged against UC, and both
 * against the page of write-back memory.
 */
static void refresh_verdict(struct mc_buffer *b)
{
	struct mc_buffer *uc = standing[MC_UC] ? standing[MC_UC] : fence;

	renew_reference();
	if (b->type == MC_WC && uc)
		mc_buffer_judge(uc);
	mc_buffer_judge(b);
}

/* The mapping for page=auto: one that each type can have, so that types can be compared. */
static enum mc_page page_of_all(void)
{
	enum mc_type type;

	for (type = 0; type < MC_NTYPES; type++) {
		if (mc_attr_settable(type) && !mc_attr_direct(type))
			return MC_PAGE_4K;
	}
	return MC_PAGE_DIRECT;
}

static struct mc_buffer *find_buffer(struct mc_run *run, enum mc_type type,
				     const struct mc_wanted *want)
{
	struct mc_buffer *b;

	if (type < MC_NTYPES && !want->private && serves(standing[type], want->wish, want->bytes))
		return standing[type];
	for (b = of_run[type]; b; b = b->next) {
		if (serves(b, want->wish, want->bytes))
			return b;
	}
	/* The point may also use buffers on other nodes, unless @want->alone. */
	drop_of_run(type, want->alone ? -1 : want->wish.node);
	make_uc_known(type);
	b = mc_buffer_create(type, want->wish, want->most, run->threads, &run->error);
	if (b) {
		b->next = of_run[type];
		of_run[type] = b;
	}
	return b;
}

/**
 * mc_memory_find() - a buffer for a point
 * @run: the run
 * @point: its type and mapping
 * @want: node and size
 * @area: result, valid until the next call with @want->alone, or mc_memory_drop()
 *
 * Context: Process, may sleep.
 * Return: 0 or an error of mc_buffer_create() or mc_buffer_map(), explained in
 * @run->error.
 */
int mc_memory_find(struct mc_run *run, const struct mc_point *point,
		   const struct mc_wanted *want, struct mc_area *area)
{
	enum mc_page page = (enum mc_page)point->v[MC_KEY_PAGE];
	struct mc_buffer *b;

	mutex_lock(&buffers_lock);
	b = find_buffer(run, mc_type_of(point), want);
	page = page == MC_PAGE_AUTO ? page_of_all() : page;
	if (b && page == MC_PAGE_4K && mc_buffer_map(b, run->threads, &run->error))
		b = NULL;
	if (b) {
		mc_buffer_audit(b);
		refresh_verdict(b);
		area->view = page == MC_PAGE_4K ? &b->mapped : &b->direct;
		area->page = page;
		area->page_bytes = page == MC_PAGE_4K ? PAGE_SIZE : mc_buffer_mapping(b);
		area->attribute = b->attribute;
		area->effective = b->verdict.effect;
		area->memory_node = b->memory_node;
		area->memory_zone = b->memory_zone;
	}
	publish_known();
	mutex_unlock(&buffers_lock);
	return b ? 0 : run->error.err;
}

/**
 * mc_memory_permanent() - the standing buffer of a type
 * @type: the type
 *
 * Context: Any, while the module is loaded.
 * Return: the buffer, valid until unload, or NULL if there is none.
 */
struct mc_buffer *mc_memory_permanent(enum mc_type type)
{
	return standing[type];
}

/**
 * mc_memory_known() - attribute and verdict of a standing buffer
 * @type: the type; a standing buffer of it exists
 * @attribute: result: what the page tables say
 * @verdict: result: what the hardware does
 *
 * Context: Process; does not wait for a run that uses the buffers.
 */
void mc_memory_known(enum mc_type type, enum mc_attr *attribute, struct mc_verdict *verdict)
{
	spin_lock(&known_lock);
	*attribute = known[type].attribute;
	*verdict = known[type].verdict;
	spin_unlock(&known_lock);
}

static struct mc_buffer *make_fence(struct mc_error *e)
{
	/* Creating or freeing a buffer may hold @buffers_lock for seconds. */
	if (mutex_lock_killable(&buffers_lock)) {
		mc_fail(e, -EINTR, "fence: a signal ended the wait for the uncached page");
		return NULL;
	}
	if (!fence)
		fence = new_fence_page(e);
	mutex_unlock(&buffers_lock);
	return fence;
}

/**
 * mc_memory_fence() - an uncached page that is never measured, for fence=uc
 *
 * Context: Process, may sleep.
 * Return: its buffer, valid until unload, or NULL if memory ran out.
 */
struct mc_buffer *mc_memory_fence(void)
{
	struct mc_error e = { 0 };

	return make_fence(&e);
}

/**
 * mc_memory_uc_word() - a word on the page of mc_memory_fence()
 * @e: result: what is wrong
 *
 * Context: Process, may sleep.
 * Return: its address, or NULL and @e->err.
 */
void *mc_memory_uc_word(struct mc_error *e)
{
	struct mc_buffer *b = make_fence(e);

	return b ? mc_buffer_start(b) : NULL;
}

static void show_one(struct mc_text *t, struct mc_buffer *b, const char *what)
{
	if (!b)
		return;
	mc_buffer_audit(b);
	mc_buffer_show(t, b, what);
}

/**
 * mc_memory_show() - append a line for each buffer, after reading the page tables
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_memory_show(struct mc_text *t)
{
	struct mc_buffer *b;
	unsigned int i;

	if (mutex_lock_killable(&buffers_lock))
		return;
	for (i = 0; i < MC_NTYPES; i++)
		show_one(t, standing[i], "standing");
	for (i = 0; i < ARRAY_SIZE(of_run); i++) {
		for (b = of_run[i]; b; b = b->next)
			show_one(t, b, "run");
	}
	show_one(t, fence, "fence");
	publish_known();
	mutex_unlock(&buffers_lock);
	mc_textf(t, "leaked_pages=%llu\n", mc_pages_leaked());
}

/**
 * mc_memory_json() - append the verdicts on the standing buffers as JSON
 * @t: the text
 *
 * Context: Process.
 */
void mc_memory_json(struct mc_text *t)
{
	struct mc_verdict verdict;
	enum mc_attr attribute;
	unsigned int i;

	mc_textf(t, "{");
	for (i = 0; i < MC_NTYPES; i++) {
		mc_textf(t, "%s\"%s\":", i ? "," : "", mc_type_name(i));
		if (standing[i]) {
			mc_memory_known(i, &attribute, &verdict);
			mc_verdict_json(t, attribute, &verdict);
		} else {
			mc_textf(t, "null");
		}
	}
	mc_textf(t, "}");
}
