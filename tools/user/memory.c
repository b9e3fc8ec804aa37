// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory in user space: the module's pages through its devices if it is loaded, else
 * anonymous memory, which is write-back, in pages of the size asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/side.h"
#include "measure/target.h"
#include "measure/verdict.h"
#include "platform/os.h"
#include "uapi/memcache.h"
#include "user.h"

#define HUGE		(2ULL << 20)
#define PAGE		4096ULL

/* A mapping, kept from point to point as long as points can use it. */
struct mapping {
	struct mc_span span;
	struct mc_view view;
	enum mc_page page;
	int node;		/* asked for; -1: any */
	bool strict;
	int memory_node;	/* node of the pages */
	enum mc_attr attribute;
	struct mc_verdict verdict;
	void *base;		/* the range to unmap */
	size_t length;
	struct mapping *next;
};

struct device {
	int fd;
	int err;		/* errno of a failed open() */
	struct memcache_info info;
	struct mapping map;
	void *fence;
};

static struct device devices[MC_NTYPES] = {
	[MC_WB] = { .fd = -1 }, [MC_WC] = { .fd = -1 }, [MC_UC] = { .fd = -1 },
};

static struct mapping *mappings;	/* a list */

/* A page of zeros, for the verdict if there is no mapping. */
static void *zero_page;

/* ---------------------------------------------------------------- devices */

static enum mc_attr attr_named(const char *name)
{
	enum mc_attr attr;

	for (attr = 0; attr < MC_NATTRS; attr++) {
		if (!strcmp(mc_attr_name(attr), name))
			return attr;
	}
	return MC_ATTR_NA;
}

static enum mc_effect effect_named(const char *name)
{
	enum mc_effect effect;

	for (effect = 0; effect < MC_NEFFECTS; effect++) {
		if (!strcmp(mc_effect_name(effect), name))
			return effect;
	}
	return MC_EFFECT_UNKNOWN;
}

static void open_device(enum mc_type type)
{
	struct device *d = &devices[type];
	struct mapping *m = &d->map;
	char path[32];

	snprintf(path, sizeof(path), "/dev/memcache_%s", mc_type_name(type));
	d->fd = open(path, O_RDWR | O_CLOEXEC);
	d->err = d->fd < 0 ? errno : 0;
	if (d->err || ioctl(d->fd, MEMCACHE_INFO, &d->info))
		return;
	m->length = d->info.size_bytes;
	m->base = mmap(NULL, m->length, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, 0);
	if (m->base == MAP_FAILED)
		return;
	m->span = (struct mc_span){ m->base, 0, m->length };
	m->view = (struct mc_view){ &m->span, 1 };
	m->page = MC_PAGE_4K;
	m->memory_node = d->info.node;
	m->attribute = attr_named(d->info.attribute);
	m->verdict.effect = effect_named(d->info.effective);
}

static bool has_device(enum mc_type type)
{
	return devices[type].map.view.n;
}

/* The end of a sentence that says what needs this device. */
static const char *device_needed(enum mc_type type)
{
	int err = devices[type].err;

	if (has_device(type))
		return " of the loaded module, in page=4k and no larger than it is";
	return err == EACCES || err == EPERM ? ", which is for root only" :
					       " of the loaded module";
}

/* ------------------------------------------------------- anonymous memory */

/* Return: bytes of a range in transparent huge pages, from /proc/self/smaps. */
u64 mc_user_huge(const void *addr, u64 length)
{
	unsigned long start, end, from = (unsigned long)addr;
	FILE *f = fopen("/proc/self/smaps", "re");
	bool inside = false;
	char line[512];
	u64 kib, sum = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start < from + length && end > from;
		else if (inside && sscanf(line, "AnonHugePages: %llu", &kib) == 1)
			sum += kib << 10;
	}
	if (f)
		fclose(f);
	return sum;
}

static int node_of(void *addr, u64 length)
{
	int node = MC_NODE_NA;
	u64 at;

	for (at = 0; at < length; at += HUGE) {
		int found = mc_user_node_of((char *)addr + at);

		if (found == MC_NODE_NA)
			return MC_NODE_NA;
		if (node != MC_NODE_NA && node != found)
			return MC_NODE_MIXED;
		node = found;
	}
	return node;
}

static void unmap(struct mapping *m)
{
	if (m->length)
		munmap(m->base, m->length);
	memset(m, 0, sizeof(*m));
}

/* Check the size of the pages, since madvise() is only a hint. */
static int check_pages(struct mapping *m, struct mc_error *e)
{
	u64 huge = mc_user_huge(m->span.addr, m->span.bytes);

	if (m->page == MC_PAGE_THP && huge < m->span.bytes)
		return mc_fail(e, -EOPNOTSUPP,
			       "page: %llu of %llu MiB came as huge pages; see /sys/kernel/mm/transparent_hugepage",
			       huge >> 20, m->span.bytes >> 20);
	if (m->page == MC_PAGE_4K && huge)
		return mc_fail(e, -EOPNOTSUPP,
			       "page: %llu MiB came as huge pages in spite of page=4k",
			       huge >> 20);
	return 0;
}

static int map_own(struct mapping *m, u64 bytes, struct mc_error *e)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	u64 want = (bytes + HUGE - 1) & ~(HUGE - 1);
	struct mc_user_room room;

	mc_user_room(&room);
	if (want > room.bytes)
		return mc_fail(e, -ENOMEM,
			       "size: %llu MiB are asked for, %llu MiB are available%s%s",
			       want >> 20, room.bytes >> 20, *room.why ? "; " : "", room.why);
	if (m->page == MC_PAGE_2M)
		flags |= MAP_HUGETLB | 21 << MAP_HUGE_SHIFT;
	/* Except for huge pages, room to align the start to 2 MiB. */
	m->length = m->page == MC_PAGE_2M ? want : want + HUGE;
	m->base = mmap(NULL, m->length, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (m->base == MAP_FAILED) {
		m->length = 0;
		if (m->page != MC_PAGE_2M)
			return mc_fail(e, -ENOMEM, "size: no memory for %llu MiB", want >> 20);
		return mc_fail(e, -ENOMEM,
			       "page: %llu MiB of huge pages are needed, more than are free; see /proc/sys/vm/nr_hugepages, or use thp",
			       want >> 20);
	}
	m->span.addr = (void *)(((unsigned long)m->base + HUGE - 1) & ~(HUGE - 1));
	m->span.bytes = want;
	m->view = (struct mc_view){ &m->span, 1 };
	if (m->page != MC_PAGE_2M)
		madvise(m->base, m->length, m->page == MC_PAGE_THP ?
			MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	mc_user_set_node(m->base, m->length, m->node, m->strict);
	memset(m->span.addr, 0, want);
	m->memory_node = node_of(m->span.addr, want);
	m->attribute = MC_ATTR_NA;
	mc_verdict_of(&m->verdict, MC_WB, m->span.addr, want);
	return check_pages(m, e);
}

/*
 * Find or make an anonymous mapping. Mappings of another kind are freed if @want->alone,
 * else they stay, because the point may use several, on other nodes.
 */
static int own_area(const struct mc_point *point, const struct mc_wanted *want,
		    struct mapping **out, struct mc_error *e)
{
	struct mapping asked = {
		.page = point->v[MC_KEY_PAGE], .node = want->wish.node,
		.strict = want->wish.strict,
	};
	struct mapping **at = &mappings, *m;
	int err;

	if (asked.page == MC_PAGE_AUTO)
		asked.page = MC_PAGE_4K;
	while ((m = *at)) {
		bool same_kind = m->page == asked.page && m->node == asked.node &&
				 m->strict == asked.strict;

		if (same_kind && m->span.bytes >= want->bytes) {
			*out = m;
			return 0;
		}
		if (!same_kind && !want->alone) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		unmap(m);
		free(m);
	}
	m = malloc(sizeof(*m));
	if (!m)
		return mc_fail(e, -ENOMEM, "size: no memory");
	*m = asked;
	err = map_own(m, want->bytes, e);
	if (err) {
		unmap(m);
		free(m);
		return err;
	}
	m->next = mappings;
	mappings = m;
	*out = m;
	return 0;
}

/* ------------------------------------------------------- the memory of a run */

/* Can this point use the device's buffer? Its pages can't be moved to another node. */
static bool device_serves(const struct mc_point *point, const struct mc_wanted *want)
{
	const struct device *d = &devices[point->v[MC_KEY_TYPE]];
	u64 page = point->v[MC_KEY_PAGE];

	return has_device(point->v[MC_KEY_TYPE]) &&
	       (page == MC_PAGE_AUTO || page == MC_PAGE_4K) &&
	       want->bytes <= d->info.size_bytes &&
	       (want->wish.node < 0 || want->wish.node == d->info.node);
}

/* Only the module's devices have memory that is not write-back. */
static int check_type(struct mc_run *run, const struct mc_point *point,
		      const struct mc_wanted *want)
{
	const char *type = mc_type_name(point->v[MC_KEY_TYPE]);
	const struct device *d = &devices[point->v[MC_KEY_TYPE]];

	if (point->v[MC_KEY_TYPE] == MC_WB || mc_user_has_object() || device_serves(point, want))
		return 0;
	if (has_device(point->v[MC_KEY_TYPE]) && want->wish.node >= 0 &&
	    want->wish.node != d->info.node)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "node: /dev/memcache_%s has no pages on node %d; they are on node=%d",
			       type, want->wish.node, d->info.node);
	return mc_fail(&run->error, -EOPNOTSUPP,
		       "type: %s needs /dev/memcache_%s%s", type, type,
		       device_needed(point->v[MC_KEY_TYPE]));
}

static bool on_target(const struct mc_point *point)
{
	return point->v[MC_KEY_TARGET] != MC_TARGET_RAM;
}

static int find_memory(struct mc_run *run, const struct mc_point *point,
		       const struct mc_wanted *want, struct mc_area *area)
{
	struct mapping *m;
	int err;

	if (on_target(point))
		return mc_target_find(run, point, area);
	if (mc_user_has_object())
		return mc_user_object_find(run, point, want, area);
	if (want->region)
		return mc_user_regions_find(run, point, want, area);
	m = &devices[point->v[MC_KEY_TYPE]].map;
	err = check_type(run, point, want);

	if (!err && !device_serves(point, want))
		err = own_area(point, want, &m, &run->error);
	if (err)
		return err;
	*area = (struct mc_area){
		.view = &m->view, .page = m->page,
		.page_bytes = m->page == MC_PAGE_4K ? PAGE : HUGE,
		.attribute = m->attribute,
		.effective = m->verdict.effect, .memory_node = m->memory_node,
	};
	return 0;
}

static void drop_memory(void)
{
	struct mapping *m;

	mc_user_regions_drop();
	mc_user_object_drop();
	while ((m = mappings)) {
		mappings = m->next;
		unmap(m);
		free(m);
	}
}

/* The module's numa_node applies if its pages are used. */
static int default_node(void)
{
	return has_device(MC_WB) ? mc_user_module_node() : -1;
}

static void *uc_word(struct mc_run *run)
{
	struct device *d = &devices[MC_UC];

	if (!d->fence && has_device(MC_UC))
		d->fence = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
				d->fd, d->info.fence_offset);
	if (d->fence && d->fence != MAP_FAILED)
		return d->fence;
	d->fence = NULL;
	mc_fail(&run->error, -EOPNOTSUPP,
		"fence: uc needs /dev/memcache_uc%s", device_needed(MC_UC));
	return NULL;
}

#define NODES	"/sys/devices/system/node"

static int check_node(struct mc_run *run, u64 node)
{
	char path[64];

	snprintf(path, sizeof(path), NODES "/node%llu", node);
	if (node == MC_AUTO || node == MC_LOCAL || !access(path, F_OK))
		return 0;
	/* In a kernel without NUMA, all memory is on node 0. */
	if (!node && access(NODES, F_OK))
		return 0;
	return mc_fail(&run->error, -EINVAL, "node: there is no node %llu", node);
}

static int check_point(struct mc_run *run, const struct mc_point *point)
{
	struct mc_wanted want;
	unsigned int i;
	int err = 0;

	if (!point->v[MC_KEY_IRQ])
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "irq: off is possible in the kernel only; sched=fifo keeps other threads away");
	err = mc_user_sched_check(run, point);
	if (err)
		return err;
	if (point->v[MC_KEY_PREFETCH] == MC_PREFETCH_OFF)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "prefetch: off is possible in the kernel only; use prefetch=keep or prefetch=auto");
	if (point->v[MC_KEY_PAGE] == MC_PAGE_DIRECT)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "page: direct is the kernel's own mapping; memcache-user takes auto, 4k, 2m or thp");
	if (on_target(point))
		return mc_target_check(run, point);
	if (mc_user_has_object())
		err = mc_user_object_check(run, point);
	if (err)
		return err;
	if (point->v[MC_KEY_TYPE] >= MC_NTYPES)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "type: RAM takes wb, wc and uc; %s is for the module",
			       mc_type_name(point->v[MC_KEY_TYPE]));
	if (point->v[MC_KEY_OFFSET])
		return mc_fail(&run->error, -EINVAL,
			       "offset: is for a BAR or a range in target=, not for RAM");
	err = check_node(run, point->v[MC_KEY_NODE]);
	for (i = 0; !err && mc_area_wanted(run, point, i, &want); i++)
		err = check_type(run, point, &want);
	return err;
}

/* The functions that the engine calls. */
const struct mc_side mc_user_side = {
	.spread_ns = MC_SPREAD_NS,
	.check = check_point,
	.goes_first = mc_user_goes_first,
	.tick = mc_user_progress_tick,
	.end = mc_target_end,
	.result = mc_user_result,
	.find = find_memory,
	.drop = drop_memory,
	.node = default_node,
	.uc_word = uc_word,
	.loop_hold = mc_user_own_hold,
	.loop_drop = mc_user_own_drop,
};

/* ------------------------------------------------------------- begin, end */

void mc_user_memory_init(bool no_devices)
{
	enum mc_type type;

	zero_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (zero_page == MAP_FAILED)
		abort();
	mc_verdict_init(zero_page);
	no_devices |= mc_user_has_object();
	for (type = 0; !no_devices && type < MC_NTYPES; type++)
		open_device(type);
}

void mc_user_memory_end(void)
{
	enum mc_type type;

	drop_memory();
	munmap(zero_page, PAGE);
	for (type = 0; type < MC_NTYPES; type++) {
		if (devices[type].fence)
			munmap(devices[type].fence, PAGE);
		unmap(&devices[type].map);
		if (devices[type].fd >= 0)
			close(devices[type].fd);
	}
}

void mc_user_types_json(struct mc_text *t)
{
	enum mc_type type, of_object = MC_NTYPES;
	const struct mc_verdict *verdict = mc_user_object_verdict(&of_object);

	mc_textf(t, "{");
	for (type = 0; type < MC_NTYPES; type++) {
		struct mc_verdict v;

		mc_textf(t, "%s\"%s\":", type ? "," : "", mc_type_name(type));
		if (type == of_object) {
			mc_verdict_json(t, MC_ATTR_NA, verdict);
		} else if (type == MC_WB && !has_device(type)) {
			mc_verdict_of(&v, type, zero_page, PAGE);
			mc_verdict_json(t, MC_ATTR_NA, &v);
		} else if (has_device(type)) {
			mc_verdict_json(t, devices[type].map.attribute, &devices[type].map.verdict);
		} else {
			mc_textf(t, "null");
		}
	}
	mc_textf(t, "}");
}

const char *mc_user_memory_name(void)
{
	return mc_user_has_object() ? "object" : has_device(MC_WB) ? "module" : "own";
}
