// SPDX-License-Identifier: GPL-2.0-only
/* Check every point of a request, then measure each into a record. */
#include "measure/area.h"
#include "measure/engine.h"
#include "measure/served.h"
#include "measure/side.h"
#include "platform/clock.h"
#include "platform/os.h"

/* Number of records of a point. */
static u64 parts_of(const struct mc_request *req)
{
	u64 cpus = req->any_cpu ? 1 : req->ncpus;

	switch (mc_test_of(req->spec)->records) {
	case MC_RECORD_OF_CPU:
		return cpus;
	case MC_RECORD_OF_PAIR:
		return cpus > 1 ? cpus * (cpus - 1) : 1;
	default:
		return 1;
	}
}

/**
 * mc_engine_records() - number of results that a request gives
 * @req: the request, its CPUs resolved
 *
 * Return: the number, at most 2^42.
 */
u64 mc_engine_records(const struct mc_request *req)
{
	return mc_request_points(req) * parts_of(req);
}

static bool listed(const u64 *cpus, unsigned int cpu)
{
	return cpus[cpu / 64] >> (cpu % 64) & 1;
}

/* Set req->nodes to the nodes with memory that are nearest to the usable CPUs. */
static void find_nodes(struct mc_request *req)
{
	unsigned int cpu, node;

	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (!listed(req->cpus, cpu) || !mc_cpu_usable(cpu))
			continue;
		node = mc_cpu_node(cpu);
		req->nodes[node / 64] |= 1ULL << (node % 64);
	}
}

/**
 * mc_engine_cpus() - resolve cpu=, smt= and size=auto for this machine
 * @req: the request; its CPUs are replaced by those to run on, its sizes by numbers
 * @e: says what is wrong
 *
 * Context: Process, may sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int mc_engine_cpus(struct mc_request *req, struct mc_error *e)
{
	bool smt = req->values[MC_KEY_SMT].v[0], all = req->all_cpus;
	u64 *cores = mc_alloc_array(MC_MAX_CPUS / 64, sizeof(u64));
	unsigned int cpu;

	if (!cores)
		return mc_fail(e, -ENOMEM, "cpu: no memory");
	req->all_cpus = false;
	for (cpu = 0; cpu < MC_MAX_CPUS && (all || !smt); cpu++) {
		u64 bit = 1ULL << (cpu % 64);
		unsigned int core = cpu;

		if (!(all || listed(req->cpus, cpu)) || !mc_cpu_usable(cpu))
			continue;	/* mc_team_start() refuses CPUs that are not there */
		if (!smt)
			core = mc_cpu_core(cpu);
		if (listed(req->cpus, cpu))
			req->ncpus--;
		req->cpus[cpu / 64] &= ~bit;
		if (listed(cores, core))
			continue;
		cores[core / 64] |= 1ULL << (core % 64);
		req->cpus[cpu / 64] |= bit;
		req->ncpus++;
	}
	mc_free(cores);
	mc_served_sizes(req);
	find_nodes(req);
	if (mc_engine_records(req) > MC_MAX_RECORDS)
		return mc_fail(e, -EINVAL, "cpu: %llu results are too many; %u at most",
			       mc_engine_records(req), MC_MAX_RECORDS);
	return 0;
}

/**
 * mc_engine_threads() - number of threads that a request needs
 * @req: the request, its CPUs resolved
 *
 * Return: the number, at least 1.
 */
unsigned int mc_engine_threads(const struct mc_request *req)
{
	const struct mc_test *test = mc_test_of(req->spec);

	if (test->threads)
		return test->threads(req);
	return req->any_cpu ? 1 : req->ncpus;
}

/**
 * mc_engine_samples() - number of samples that a request takes
 * @req: the request
 *
 * Context: Process.
 * Return: samples of all points, warm-ups included.
 */
u64 mc_engine_samples(const struct mc_request *req)
{
	struct mc_point point;
	u64 i, sum = 0;

	for (i = 0; i < mc_request_points(req); i++) {
		mc_request_point(req, i, &point);
		sum += point.v[MC_KEY_REPEAT] + point.v[MC_KEY_WARMUP];
	}
	return sum * parts_of(req);
}

/*
 * Every point is checked before the first one is measured: a request that can't be run
 * completely runs nothing.
 */
static int check_points(struct mc_run *run)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	struct mc_point point;
	u64 i, n = mc_request_points(run->req);
	int err = 0;

	run->near = -1;
	for (i = 0; i < n && !err; i++) {
		mc_request_point(run->req, i, &point);
		err = run->side->check(run, &point);
		if (!err)
			err = test->check(run, &point);
		mc_breathe();
	}
	return err;
}

/* Number of threads on another node than their memory. */
static u32 count_remote(const struct mc_run *run, const struct mc_area *area)
{
	const struct mc_homes *homes = area->homes;
	unsigned int i, n = mc_team_size(run->team);
	u32 remote = 0;

	for (i = 0; i < n; i++) {
		int cpu = mc_team_cpu(run->team, i);
		int node = homes ? homes->home[homes->seat[i].home].area.memory_node :
				   area->memory_node;

		if (cpu < 0 || node < 0)
			return MC_NOT_KNOWN;
		remote += mc_cpu_node(cpu) != node;
	}
	return remote;
}

/* Find memory for the point, and describe it in the record. */
static int find_memory(struct mc_run *run, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	const struct mc_area *area = &run->area;
	int err = mc_area_find(run, &rec->point);

	if (err)
		return err;
	rec->point.v[MC_KEY_PAGE] = area->page;
	rec->attribute = area->attribute;
	rec->effective = area->effective;
	rec->memory_node = area->memory_node;
	/* Where CPUs take turns, most threads are idle, so their nodes do not matter. */
	if (test->records == MC_RECORD_OF_POINT)
		rec->remote_threads = count_remote(run, area);
	return 0;
}

/* Run the test with prefetchers off if asked, but only for as long as it runs. */
static int run_test(struct mc_run *run, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	const struct mc_side *side = run->side;
	int err, err_back;

	if (!side->prefetch_off) {
		rec->point.v[MC_KEY_PREFETCH] = MC_PREFETCH_KEEP;
		return test->run(run, &rec->point, rec);
	}
	err = side->prefetch_off(run, &rec->point);
	if (!err)
		err = test->run(run, &rec->point, rec);
	err_back = side->prefetch_back(run, &rec->point);
	return err ? err : err_back;
}

/* The CPU whose node gets the record's memory; -1: the first one's. */
static int near_cpu(const struct mc_run *run, const struct mc_point *point)
{
	const struct mc_test *test = mc_test_of(run->req->spec);

	if (test->near)
		return test->near(run, point);
	return test->records == MC_RECORD_OF_CPU ? mc_team_cpu(run->team, run->part) : -1;
}

static int run_point(struct mc_run *run, u64 index, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	int err = 0;

	mc_request_point(run->req, index, &rec->point);
	rec->threads = mc_team_size(run->team);
	rec->cpu = MC_CPU_ALL;
	run->near = near_cpu(run, &rec->point);
	rec->started_unix_ns = mc_clock_wall_ns();
	rec->memory_node = MC_NODE_NA;
	rec->remote_threads = MC_NOT_KNOWN;
	if (!test->own_memory && !test->spec.memoryless)
		err = find_memory(run, rec);
	if (err)
		return err;
	err = run_test(run, rec);
	mc_served_by(run, rec);
	run->bad_data |= rec->verified == MC_VERIFIED_FAILED;
	return err;
}

/**
 * mc_engine_note() - append a note about remote memory, if the user should know
 * @t: the text
 * @records: the results
 * @n: number of results
 */
void mc_engine_note(struct mc_text *t, const struct mc_record *records, u64 n)
{
	const struct mc_record *rec;

	for (rec = records; rec < records + n; rec++) {
		if (rec->point.v[MC_KEY_NODE] != MC_AUTO || !rec->remote_threads ||
		    rec->remote_threads == MC_NOT_KNOWN)
			continue;
		mc_textf(t, "node: %u of %u threads are on other nodes than the memory; ",
			 rec->remote_threads, rec->threads);
		mc_textf(t, "node=local gives each its part of it on its own node\n");
		return;
	}
}

/*
 * Measure every point. An error keeps the records measured until then, including that of
 * a point cut short. Return: 0 or a negative errno; -EBADMSG: all was measured, and some
 * data was wrong.
 */
static int run_points(struct mc_run *run, struct mc_record *records, u64 *n)
{
	u64 i, parts = parts_of(run->req), all = mc_engine_records(run->req);
	int err;

	run->counting = mc_traffic_begin(&run->error);
	err = run->error.err;
	for (i = 0, *n = 0; i < all && !err; i++) {
		struct mc_record *rec = &records[*n];

		run->part = i % parts;
		err = run_point(run, i / parts, rec);
		if (!rec->stats.samples && !rec->stats.left_out)
			continue;
		(*n)++;
		if (run->side->result)
			run->side->result(run, rec);
	}
	mc_traffic_end(run->counting);
	if (!err && run->bad_data)
		err = mc_fail(&run->error, -EBADMSG,
			      "verify: data read back was wrong; see verified=failed in the results");
	return err;
}

/* Start the run's threads, and check what is asked of them. */
static int prepare(struct mc_run *run)
{
	int err;

	run->team = mc_team_start(run->req, mc_engine_threads(run->req), &run->error);
	if (!run->team)
		return run->error.err;
	err = mc_area_begin(run);
	return err ? err : check_points(run);
}

static void release(struct mc_run *run)
{
	mc_team_end(run->team);
	mc_area_end(run);
}

/**
 * mc_engine_check() - test whether all of a request can be run here
 * @run: the run, with its request, whose CPUs are resolved, and its side
 *
 * Context: Process, may sleep.
 * Return: 0, or -EINVAL, -EOPNOTSUPP, -ENOMEM, explained in @run->error.
 */
int mc_engine_check(struct mc_run *run)
{
	prepare(run);
	release(run);
	return run->error.err;
}

static int measure(struct mc_run *run, struct mc_record *records, u64 *n)
{
	int err;

	if (run->side->begin)
		run->side->begin(run);
	err = run_points(run, records, n);
	if (run->side->end)
		run->side->end(run);
	return err;
}

static void explain_stop(struct mc_run *run, int err, u64 n)
{
	if (err == -EINTR)
		mc_fail(&run->error, err,
			"run: stopped by a signal; %llu results are kept", n);
	else if (err == -ECANCELED)
		mc_fail(&run->error, err,
			"run: stopped by a write to stop; %llu results are kept", n);
	else if (err)
		mc_fail(&run->error, err, "run: failed with error %d", -err);
}

/**
 * mc_engine_measure() - do all of a request, with threads and memory of its own
 * @run: the run, with its request, whose CPUs are resolved, and its side
 * @records: zeroed array of mc_engine_records() records
 * @n: result: number of records that hold results
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno, explained in @run->error; records measured until then
 * are kept.
 */
int mc_engine_measure(struct mc_run *run, struct mc_record *records, u64 *n)
{
	int err = prepare(run);

	*n = 0;
	if (!err)
		err = measure(run, records, n);
	release(run);
	explain_stop(run, err, *n);
	/*
	 * If two errors ended the run at once, the first one that was explained counts.
	 */
	return run->error.err;
}

/**
 * mc_engine_state() - the word for how a run ended
 * @err: what mc_engine_measure() returned
 * @n: how many records hold results
 *
 * Return: done, refused, stopped or failed. A run that has results was not refused,
 * whatever ended it.
 */
const char *mc_engine_state(int err, u64 n)
{
	switch (err) {
	case 0:
		return "done";
	case -EINVAL:
	case -EOPNOTSUPP:
		return n ? "failed" : "refused";
	case -EINTR:
	case -ECANCELED:
	case -ETIME:
		return "stopped";
	default:
		return "failed";
	}
}
