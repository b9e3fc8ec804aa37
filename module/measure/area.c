// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of a point's memory. With node=local, the threads of a test that divides
 * its memory have their parts in a buffer on their own node. Each node has one buffer,
 * as large as the parts of its threads. With groups of CPUs, each group says on which
 * node its parts are, and how large they are.
 */
#include "measure/area.h"
#include "measure/side.h"
#include "platform/os.h"

static bool has_local(const struct mc_request *req)
{
	const struct mc_values *nodes = &req->values[MC_KEY_NODE];
	u32 i;

	for (i = 0; i < nodes->n; i++) {
		if (nodes->v[i] == MC_LOCAL)
			return true;
	}
	return false;
}

/* Put the part of thread @i into the buffer of a node, which may be a new one. */
static struct mc_node *place_thread(struct mc_placement *placement, unsigned int i, int node)
{
	unsigned int h = 0;

	while (h < placement->n && placement->node[h].number != node)
		h++;
	if (h == placement->n)
		placement->node[placement->n++].number = node;
	placement->thread[i] = (struct mc_thread_part){ h, placement->node[h].threads++ };
	return &placement->node[h];
}

/**
 * mc_area_begin() - group the run's threads by node, if node=local or groups need it
 * @run: the run, with its threads
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM, explained in @run->error.
 */
int mc_area_begin(struct mc_run *run)
{
	unsigned int i, n = mc_threads_size(run->threads);
	struct mc_placement *placement;

	if (!run->req->ngroups &&
	    (!has_local(run->req) || !mc_test_of(run->req->spec)->shares ||
	     run->req->any_cpu || run->req->values[MC_KEY_MEASURE].v[0] == MC_MEASURE_EACH))
		return 0;
	placement = mc_alloc_array(1, sizeof(*placement));
	run->placement = placement;
	if (placement) {
		placement->node = mc_alloc_array(n, sizeof(*placement->node));
		placement->thread = mc_alloc_array(n, sizeof(*placement->thread));
	}
	if (!placement || !placement->node || !placement->thread)
		return mc_fail(&run->error, -ENOMEM,
			       "node: no memory for the places of %u thread%s", n, MC_S(n));
	for (i = 0; i < n && !run->req->ngroups; i++)
		place_thread(placement, i, mc_cpu_node(mc_threads_cpu(run->threads, i)));
	return 0;
}

/**
 * mc_area_end() - free what mc_area_begin() allocated
 * @run: the run
 *
 * Context: Process, may sleep.
 */
void mc_area_end(struct mc_run *run)
{
	if (!run->placement)
		return;
	mc_free(run->placement->node);
	mc_free(run->placement->thread);
	mc_free(run->placement);
	run->placement = NULL;
}

/*
 * The node that node= names. For node=auto the node in numa_node, if that is set.
 * Otherwise the node of a CPU; with -1, any node.
 */
static struct mc_node_wish wish_near(const struct mc_run *run, u64 node, int cpu)
{
	if (node != MC_AUTO && node != MC_LOCAL)
		return (struct mc_node_wish){ .node = node, .strict = true };
	if (node == MC_AUTO && run->side->node() >= 0)
		return (struct mc_node_wish){ .node = run->side->node(), .strict = true };
	if (cpu < 0)
		return (struct mc_node_wish){ .node = -1 };
	return (struct mc_node_wish){ .node = mc_cpu_node(cpu), .strict = node == MC_LOCAL };
}

/* The node of a point's only buffer: near the CPU that the test gives, or the first one. */
static struct mc_node_wish wish_of(const struct mc_run *run, const struct mc_point *point)
{
	int cpu = run->near;

	if (run->req->any_cpu)
		cpu = -1;
	else if (cpu < 0)
		cpu = mc_request_cpu(run->req, -1);
	return wish_near(run, point->v[MC_KEY_NODE], cpu);
}

/* A group of CPUs in a run. */
struct members {
	unsigned int threads;
	int first;	/* the first CPU */
};

static void count_members(const struct mc_run *run, struct members *of)
{
	unsigned int i;

	for (i = 0; i < mc_threads_size(run->threads); i++) {
		int cpu = mc_threads_cpu(run->threads, i);
		struct members *m = &of[run->req->group_of[cpu] - 1];

		if (!m->threads++)
			m->first = cpu;
	}
}

/**
 * mc_area_assign() - with groups of CPUs: say where the threads' parts of a point are
 * @run: the run; nothing is done if it has no groups
 * @point: gives size and node of the groups that have none of their own
 *
 * A group's size is shared by its threads. Threads of groups without a size have the
 * same share of the point's size as if all threads shared it.
 *
 * Context: Process.
 */
void mc_area_assign(struct mc_run *run, const struct mc_point *point)
{
	struct members of[MC_MAX_GROUPS] = { 0 };
	unsigned int i, n = mc_threads_size(run->threads);
	struct mc_placement *placement = run->placement;

	if (!run->req->ngroups)
		return;
	count_members(run, of);
	memset(placement->node, 0, n * sizeof(*placement->node));
	placement->n = 0;
	for (i = 0; i < n; i++) {
		int cpu = mc_threads_cpu(run->threads, i), g = run->req->group_of[cpu] - 1;
		bool own_size = run->req->group[g].given >> MC_KEY_SIZE & 1;
		struct mc_node_wish wish;
		struct mc_point merged;
		struct mc_node *node;
		u64 bytes;

		mc_group_point(&run->req->group[g], point, &merged);
		bytes = merged.v[MC_KEY_SIZE] / (own_size ? of[g].threads : n) & ~63ULL;
		wish = wish_near(run, merged.v[MC_KEY_NODE],
				 merged.v[MC_KEY_NODE] == MC_LOCAL ? cpu : of[g].first);
		node = place_thread(placement, i, wish.node);
		placement->thread[i].start = node->bytes;
		placement->thread[i].bytes = bytes;
		node->bytes += bytes;
		node->strict |= wish.strict;
	}
}

/*
 * Bytes for @threads of the @n parts of @size, rounded up. Tests round each part down,
 * so that all of them fit.
 */
static u64 bytes_of(u64 size, u64 threads, u64 n)
{
	return (size * threads + n - 1) / n;
}

/**
 * mc_area_wanted() - describe a buffer that a point asks for
 * @run: the run; its @near is set
 * @point: the point
 * @i: index of the buffer
 * @want: result
 *
 * Context: Process.
 * Return: false if the point asks for no buffer @i.
 */
bool mc_area_wanted(const struct mc_run *run, const struct mc_point *point,
		    unsigned int i, struct mc_wanted *want)
{
	bool grouped = run->req->ngroups, local = point->v[MC_KEY_NODE] == MC_LOCAL;
	const struct mc_placement *placement = grouped || local ? run->placement : NULL;
	u64 size = point->v[MC_KEY_SIZE], most = mc_request_max(run->req, MC_KEY_SIZE);
	const struct mc_test *test = mc_test_of(run->req->spec);
	unsigned int n = mc_threads_size(run->threads);

	*want = (struct mc_wanted){
		.bytes = size, .most = most, .alone = true,
		.private = test->pointers,
	};
	if (!placement) {
		want->wish = wish_of(run, point);
		want->region = test->region ? point->v[test->region] : 0;
		want->index = run->part;
		/* A scan covers all memory, unless a node is named. */
		if (test->region && !want->wish.strict)
			want->wish.node = -1;
		return !i;
	}
	if (i >= placement->n)
		return false;
	want->alone = false;
	if (grouped) {
		/* A buffer that came from another node could be that of two. */
		want->wish = (struct mc_node_wish){
			placement->node[i].number, placement->node[i].strict || placement->n > 1
		};
		want->bytes = placement->node[i].bytes;
		want->most = want->bytes;
		return true;
	}
	want->wish = (struct mc_node_wish){ placement->node[i].number, true };
	want->bytes = bytes_of(size, placement->node[i].threads, n);
	want->most = bytes_of(most, placement->node[i].threads, n);
	return true;
}

/*
 * Describe the buffers of all nodes as one area. Where they differ, the area says so.
 * @nodes is what it says of several nodes.
 */
static void describe_all(struct mc_area *area, const struct mc_placement *placement, int nodes)
{
	unsigned int i;

	*area = placement->node->area;
	area->placement = placement;
	for (i = 0; i < placement->n; i++) {
		const struct mc_node *node = &placement->node[i];

		if (node->area.attribute != area->attribute)
			area->attribute = MC_ATTR_MIXED;
		if (node->area.effective != area->effective)
			area->effective = MC_EFFECT_UNKNOWN;
		if (node->area.memory_zone != area->memory_zone)
			area->memory_zone = MC_ZONE_MIXED;
		area->page_bytes = min(area->page_bytes, node->area.page_bytes);
		if (node->area.memory_node != node->number)
			area->memory_node = MC_NODE_MIXED;
		else if (i && area->memory_node != MC_NODE_MIXED)
			area->memory_node = nodes;
	}
}

/* Find all buffers of the point. @roomy: large enough for all points of the request. */
static int find_all(struct mc_run *run, const struct mc_point *point, bool roomy,
		    struct mc_area *area)
{
	struct mc_wanted want;
	bool alone = true;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && mc_area_wanted(run, point, i, &want); i++) {
		struct mc_area *one = want.alone ? area : &run->placement->node[i].area;

		alone = want.alone;
		if (!roomy)
			want.most = want.bytes;
		*one = (struct mc_area){ 0 };
		err = run->side->find(run, point, &want, one);
	}
	if (!err && !alone)
		describe_all(area, run->placement,
			     run->req->ngroups ? MC_NODE_MIXED : MC_NODE_LOCAL);
	return err;
}

/**
 * mc_area_find() - find memory for a point
 * @run: the run; its area is the result, valid until the next call
 * @point: asks for type, node, size and mapping
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno, explained in @run->error.
 */
int mc_area_find(struct mc_run *run, const struct mc_point *point)
{
	int err;

	mc_area_assign(run, point);
	err = find_all(run, point, true, &run->area);
	/* A scan frees nothing between two regions: it would miss what it frees. */
	if (err != -ENOMEM || mc_test_of(run->req->spec)->region)
		return err;
	/*
	 * Retry with room for this point only, after freeing the memory of other
	 * points.
	 */
	run->error = (struct mc_error){ 0 };
	run->side->drop();
	return find_all(run, point, false, &run->area);
}
