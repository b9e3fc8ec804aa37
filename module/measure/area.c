// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of a point's memory. With node=local, the threads of a test that divides
 * its memory have their parts in a buffer on their own node. Each node has one buffer,
 * as large as the parts of its threads.
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

/* Put the part of thread @i into the buffer of its node, which may be a new one. */
static void assign_seat(struct mc_homes *homes, unsigned int i, int node)
{
	unsigned int h = 0;

	while (h < homes->n && homes->home[h].node != node)
		h++;
	if (h == homes->n)
		homes->home[homes->n++].node = node;
	homes->seat[i] = (struct mc_seat){ h, homes->home[h].threads++ };
}

/**
 * mc_area_begin() - group the run's threads by node, if node=local needs it
 * @run: the run, with its threads
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM, explained in @run->error.
 */
int mc_area_begin(struct mc_run *run)
{
	unsigned int i, n = mc_team_size(run->team);
	struct mc_homes *homes;

	if (!has_local(run->req) || !mc_test_of(run->req->spec)->shares ||
	    run->req->any_cpu)
		return 0;
	homes = mc_alloc_array(1, sizeof(*homes));
	run->homes = homes;
	if (homes) {
		homes->home = mc_alloc_array(n, sizeof(*homes->home));
		homes->seat = mc_alloc_array(n, sizeof(*homes->seat));
	}
	if (!homes || !homes->home || !homes->seat)
		return mc_fail(&run->error, -ENOMEM,
			       "node: no memory for the places of %u threads", n);
	for (i = 0; i < n; i++)
		assign_seat(homes, i, mc_cpu_node(mc_team_cpu(run->team, i)));
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
	if (!run->homes)
		return;
	mc_free(run->homes->home);
	mc_free(run->homes->seat);
	mc_free(run->homes);
	run->homes = NULL;
}

/*
 * The node that node= names. For node=auto the node in numa_node, if that is set.
 * Otherwise the node of the CPU that the test gives, or of the first one.
 */
static struct mc_place place_of(const struct mc_run *run,
				const struct mc_point *point)
{
	u64 node = point->v[MC_KEY_NODE];
	int cpu = run->near;

	if (node != MC_AUTO && node != MC_LOCAL)
		return (struct mc_place){ .node = node, .strict = true };
	if (node == MC_AUTO && run->side->node() >= 0)
		return (struct mc_place){ .node = run->side->node(), .strict = true };
	if (run->req->any_cpu)
		return (struct mc_place){ .node = -1 };
	if (cpu < 0)
		cpu = mc_request_cpu(run->req, -1);
	return (struct mc_place){ .node = mc_cpu_node(cpu), .strict = node == MC_LOCAL };
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
	const struct mc_homes *homes = point->v[MC_KEY_NODE] == MC_LOCAL ? run->homes : NULL;
	u64 size = point->v[MC_KEY_SIZE], most = mc_request_max(run->req, MC_KEY_SIZE);
	unsigned int n = mc_team_size(run->team);

	*want = (struct mc_wanted){
		.bytes = size, .most = most, .alone = true,
		.private = mc_test_of(run->req->spec)->pointers,
	};
	if (!homes) {
		want->place = place_of(run, point);
		return !i;
	}
	if (i >= homes->n)
		return false;
	want->place = (struct mc_place){ homes->home[i].node, true };
	want->bytes = bytes_of(size, homes->home[i].threads, n);
	want->most = bytes_of(most, homes->home[i].threads, n);
	want->alone = false;
	return true;
}

/* Describe the buffers of all nodes as one area. Where they differ, the area says so. */
static void describe_all(struct mc_area *area, const struct mc_homes *homes)
{
	unsigned int i;

	*area = homes->home->area;
	area->homes = homes;
	for (i = 0; i < homes->n; i++) {
		const struct mc_home *h = &homes->home[i];

		if (h->area.attribute != area->attribute)
			area->attribute = MC_ATTR_MIXED;
		if (h->area.effective != area->effective)
			area->effective = MC_EFFECT_UNKNOWN;
		area->page_bytes = min(area->page_bytes, h->area.page_bytes);
		if (h->area.memory_node != h->node)
			area->memory_node = MC_NODE_MIXED;
		else if (i && area->memory_node != MC_NODE_MIXED)
			area->memory_node = MC_NODE_LOCAL;
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
		struct mc_area *one = want.alone ? area : &run->homes->home[i].area;

		alone = want.alone;
		if (!roomy)
			want.most = want.bytes;
		*one = (struct mc_area){ 0 };
		err = run->side->find(run, point, &want, one);
	}
	if (!err && !alone)
		describe_all(area, run->homes);
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
	int err = find_all(run, point, true, &run->area);

	if (err != -ENOMEM)
		return err;
	/*
	 * Retry with room for this point only, after freeing the memory of other
	 * points.
	 */
	run->error = (struct mc_error){ 0 };
	run->side->drop();
	return find_all(run, point, false, &run->area);
}
