// SPDX-License-Identifier: GPL-2.0-only
/* Check every point of a request, then measure each into a record. */
#include "core/math.h"
#include "measure/area.h"
#include "measure/engine.h"
#include "measure/measurement.h"
#include "measure/pairs.h"
#include "measure/source.h"
#include "measure/side.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "platform/regions.h"

/*
 * Do the CPUs take turns because measure=each asks for it? In tests that give a record of each
 * CPU they do so anyway.
 */
static bool takes_turns(const struct mc_request *req)
{
	return req->values[MC_KEY_MEASURE].v[0] == MC_MEASURE_EACH &&
	       mc_test_of(req->spec)->records == MC_RECORD_OF_POINT;
}

/* Number of times that the test runs for a point. */
static u64 runs_of(const struct mc_request *req)
{
	u64 cpus = req->any_cpu ? 1 : req->ncpus;

	if (takes_turns(req))
		return cpus;

	switch (mc_test_of(req->spec)->records) {
	case MC_RECORD_OF_CPU:
	case MC_RECORD_OF_STEP:
		return cpus;
	case MC_RECORD_OF_PAIR:
		return req->pairs;
	case MC_RECORD_OF_REGION:
		return req->regions;
	default:
		return 1;
	}
}

/* Number of records that one run of the test gives. */
static u64 records_at_once(const struct mc_request *req)
{
	const struct mc_test *test = mc_test_of(req->spec);

	switch (test->records) {
	case MC_RECORD_OF_GROUP:
		return 1 + req->ngroups + req->ncpus;
	case MC_RECORD_OF_STEP:
		return 1 + req->values[test->steps].v[0];
	default:
		return 1;
	}
}

/*
 * How many runs of the test the request asks for, and @first: how many of all it leaves out at the
 * beginning.
 */
static u64 runs_wanted(const struct mc_request *req, u64 *first)
{
	u64 all = mc_request_points(req) * runs_of(req);
	unsigned int key = mc_test_of(req->spec)->pairs;

	*first = key ? min(all, req->values[key + 2].v[0]) : 0;
	return key ? min(all - *first, req->values[key + 3].v[0]) : all;
}

/**
 * mc_engine_records() - number of results that a request gives
 * @req: the request, its CPUs resolved
 *
 * Return: the number, at most 2^42.
 */
u64 mc_engine_records(const struct mc_request *req)
{
	u64 first;

	return runs_wanted(req, &first) * records_at_once(req);
}

/* Set req->nodes to the nodes with memory that are nearest to the usable CPUs. */
static void find_nodes(struct mc_request *req, const u64 *usable)
{
	unsigned int cpu, node;

	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (!mc_bit(req->cpus, cpu) || !mc_bit(usable, cpu))
			continue;
		node = mc_cpu_node(cpu);
		req->nodes[node / 64] |= 1ULL << (node % 64);
	}
}

/*
 * Groups name their CPUs themselves: these, and no others, are those of the run. They must
 * be CPUs of cpu=.
 */
static int take_grouped(struct mc_request *req, struct mc_error *e)
{
	unsigned int cpu;

	if (!req->ngroups)
		return 0;
	if (req->any_cpu)
		return mc_fail(e, -EINVAL, "cpu: any is no CPU of groups=; use cpu=all");
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (req->group_of[cpu] && !req->all_cpus && !mc_bit(req->cpus, cpu))
			return mc_fail(e, -EINVAL, "groups: CPU %u is not one of cpu=", cpu);
	}
	memset(req->cpus, 0, sizeof(req->cpus));
	req->all_cpus = false;
	req->ncpus = 0;
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (!req->group_of[cpu])
			continue;
		req->cpus[cpu / 64] |= 1ULL << (cpu % 64);
		req->ncpus++;
	}
	return 0;
}

/* Set req->regions to how many of the smallest regions the memory can have. */
static void count_regions(struct mc_request *req)
{
	unsigned int key = mc_test_of(req->spec)->region;
	u64 least = ~0ULL;
	u32 i;

	for (i = 0; key && i < req->values[key].n; i++)
		least = min(least, req->values[key].v[i]);
	req->regions = key ? mc_memory_regions(least) : 0;
}

static int check_records(const struct mc_request *req, struct mc_error *e)
{
	u64 n = mc_engine_records(req);

	if (!n && req->pairs)
		return mc_fail(e, -EINVAL, "skip: there are no more results");
	if (n <= MC_MAX_RECORDS)
		return 0;
	mc_fail(e, -EINVAL, "%s: %llu results are too many; %u at most",
		req->regions ? "region" : "cpu", n, MC_MAX_RECORDS);
	return -E2BIG;
}

/* A process may be confined to other CPUs than the one that a request has if it names none. */
static void take_usable_cpu(struct mc_request *req, const u64 *usable)
{
	unsigned int cpu;

	if (mc_request_given(req, MC_KEY_CPU) || req->all_cpus || req->any_cpu ||
	    req->ncpus != 1 || req->ngroups || mc_bit(usable, mc_request_cpu(req, -1)))
		return;
	for (cpu = 0; cpu < MC_MAX_CPUS && !mc_bit(usable, cpu); cpu++)
		;
	if (cpu == MC_MAX_CPUS)
		return;
	memset(req->cpus, 0, sizeof(req->cpus));
	req->cpus[cpu / 64] = 1ULL << (cpu % 64);
}

/**
 * mc_engine_cpus() - resolve cpu=, smt=, size=auto, pairs and regions for this machine
 * @req: the request; its CPUs are replaced by those to run on, its sizes by numbers
 * @e: says what is wrong
 *
 * Context: Process, may sleep.
 * Return: 0, -EINVAL or -ENOMEM; -E2BIG: @req is whole, but has too many results.
 */
int mc_engine_cpus(struct mc_request *req, struct mc_error *e)
{
	bool smt = req->values[MC_KEY_SMT].v[0], all;
	u64 *usable, *cores;
	unsigned int cpu;
	u32 *pairs;

	if (take_grouped(req, e))
		return e->err;
	usable = mc_alloc_array(2 * MC_MAX_CPUS / 64, sizeof(u64));
	if (!usable)
		return mc_fail(e, -ENOMEM, "cpu: no memory");
	cores = usable + MC_MAX_CPUS / 64;
	mc_cpus_usable(usable);
	take_usable_cpu(req, usable);
	all = req->all_cpus;
	req->all_cpus = false;
	for (cpu = 0; cpu < MC_MAX_CPUS && (all || !smt); cpu++) {
		u64 bit = 1ULL << (cpu % 64);
		unsigned int core = cpu;

		if (!(all || mc_bit(req->cpus, cpu)) || !mc_bit(usable, cpu))
			continue;	/* mc_threads_start() refuses CPUs that are not there */
		if (!smt)
			core = mc_cpu_core(cpu);
		if (mc_bit(req->cpus, cpu))
			req->ncpus--;
		req->cpus[cpu / 64] &= ~bit;
		if (mc_bit(cores, core))
			continue;
		cores[core / 64] |= 1ULL << (core % 64);
		req->cpus[cpu / 64] |= bit;
		req->ncpus++;
	}
	mc_source_sizes(req);
	find_nodes(req, usable);
	mc_free(usable);
	count_regions(req);
	if (mc_pairs_find(req, &pairs, &req->pairs, e))
		return e->err;
	mc_free(pairs);
	return check_records(req, e);
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

/*
 * What sched=auto means: tests without memory measure the scheduler's work, too, and threads that
 * share a CPU wait for each other.
 */
static enum mc_sched usual_sched(const struct mc_run *run, const struct mc_point *point)
{
	const struct mc_request *req = run->req;

	if (req->spec->memoryless || mc_engine_shares_cpus(req))
		return MC_SCHED_KEEP;
	return run->side->goes_first && run->side->goes_first(point) ? MC_SCHED_FIFO :
								       MC_SCHED_KEEP;
}

/*
 * One combination of a request. Devices need not answer wide accesses, so only a width in the
 * request makes one where the memory may be that of a device.
 */
static void point_of(const struct mc_run *run, u64 index, struct mc_point *point)
{
	const struct mc_request *req = run->req;
	unsigned int key = req->spec->width;

	mc_request_point(req, index, point);
	if (key && point->v[key] == MC_WIDTH_MAX && mc_unvouched(point) &&
	    !mc_request_given(req, key))
		point->v[key] = MC_WIDTH_NARROW;
	if (point->v[MC_KEY_SCHED] == MC_AUTO)
		point->v[MC_KEY_SCHED] = usual_sched(run, point);
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
	u64 i, first, sum = 0, points = mc_request_points(req);

	for (i = 0; i < points; i++) {
		mc_request_point(req, i, &point);
		sum += point.v[MC_KEY_REPEAT] + point.v[MC_KEY_WARMUP];
	}
	return mc_muldiv(sum, runs_wanted(req, &first), points);
}

/* Does the test work with one thread on one CPU? */
static int check_turns(struct mc_run *run)
{
	const struct mc_request *req = run->req;
	const struct mc_test *test = mc_test_of(req->spec);

	if (req->values[MC_KEY_MEASURE].v[0] != MC_MEASURE_EACH)
		return 0;
	if (req->any_cpu)
		return mc_fail(&run->error, -EINVAL,
			       "measure: each needs a list of CPUs in cpu=, not any");
	if (test->threads || test->near || test->records == MC_RECORD_OF_PAIR ||
	    test->records == MC_RECORD_OF_GROUP || test->records == MC_RECORD_OF_REGION)
		return mc_fail(&run->error, -EINVAL,
			       "measure: %s has no result of a single CPU; use measure=together",
			       test->spec.name);
	return 0;
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
	int err = check_turns(run);

	run->near = -1;
	if (takes_turns(run->req))
		run->threads->only = 0;
	for (i = 0; i < n && !err; i++) {
		point_of(run, i, &point);
		mc_area_assign(run, &point);
		err = run->side->check(run, &point);
		if (!err && test->check)
			err = test->check(run, &point);
		mc_breathe();
	}
	return err;
}

/* Number of threads on another node than their memory. */
static u32 count_remote(const struct mc_run *run, const struct mc_area *area)
{
	const struct mc_placement *placement = area->placement;
	unsigned int i, n = mc_threads_size(run->threads);
	u32 remote = 0;

	for (i = 0; i < n; i++) {
		int cpu = mc_threads_cpu(run->threads, i);
		int node = placement ? mc_node_of(placement, i)->area.memory_node :
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
	rec->memory_zone = area->memory_zone;
	rec->object = area->object;
	rec->range = area->range;
	/* Where CPUs take turns, most threads are idle, so their nodes do not matter. */
	if (!mc_of_one_cpu(test) && test->records != MC_RECORD_OF_PAIR)
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
		return mc_test_run(test, run, &rec->point, rec);
	}
	err = side->prefetch_off(run, &rec->point);
	if (!err)
		err = mc_test_run(test, run, &rec->point, rec);
	err_back = side->prefetch_back(run, &rec->point);
	return err ? err : err_back;
}

/* The CPU whose node gets the record's memory; -1: the first one's. */
static int near_cpu(const struct mc_run *run, const struct mc_point *point)
{
	const struct mc_test *test = mc_test_of(run->req->spec);

	if (test->near)
		return test->near(run, point);
	if (takes_turns(run->req))
		return mc_threads_cpu(run->threads, 0);
	return mc_of_one_cpu(test) ? mc_threads_cpu(run->threads, run->part) : -1;
}

/* Complete the records of a test that has run. */
static void finish_records(struct mc_run *run, struct mc_record *rec)
{
	u64 i, n = records_at_once(run->req);

	for (i = 0; i < n; i++) {
		rec[i].point.v[MC_KEY_PREFETCH] = rec->point.v[MC_KEY_PREFETCH];
		mc_source_record(run, &rec[i]);
		run->bad_data |= rec[i].verified == MC_VERIFIED_FAILED;
	}
}

/* There are fewer regions than there might have been. */
static int skip_region(struct mc_run *run, const struct mc_record *rec)
{
	u64 i, samples = rec->point.v[MC_KEY_REPEAT] + rec->point.v[MC_KEY_WARMUP];

	for (i = 0; i < samples && run->side->tick; i++)
		run->side->tick(run, 0);
	return mc_threads_stopped(run->threads);
}

/* Measure a point into a record, or into as many as one run of the test gives. */
static int run_point(struct mc_run *run, u64 index, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	int err = 0;
	u64 i;

	point_of(run, index, &rec->point);
	rec->cpu = MC_CPU_ALL;
	if (takes_turns(run->req)) {
		run->threads->only = run->part;
		rec->cpu = mc_threads_cpu(run->threads, 0);
	}
	rec->threads = mc_threads_size(run->threads);
	run->near = near_cpu(run, &rec->point);
	run->threads->fifo = rec->point.v[MC_KEY_SCHED] == MC_SCHED_FIFO;
	rec->started_unix_ns = mc_clock_wall_ns();
	rec->memory_node = MC_NODE_NA;
	rec->remote_threads = MC_NOT_KNOWN;
	if (!test->allocates_memory && !test->spec.memoryless)
		err = find_memory(run, rec);
	if (!err && test->region && !run->area.view)
		return skip_region(run, rec);
	if (err)
		return err;
	for (i = 1; i < records_at_once(run->req); i++)
		rec[i] = *rec;
	err = run_test(run, rec);
	finish_records(run, rec);
	return err;
}

static bool note_size(struct mc_text *t, const struct mc_request *req)
{
	if (!req->size_guessed)
		return false;
	mc_textf(t, "size: the CPUs report no caches, so auto may be too small for memory\n");
	return true;
}

static bool note_pairs(struct mc_text *t, const struct mc_request *req)
{
	if (mc_test_of(req->spec)->records != MC_RECORD_OF_PAIR || req->pairs == mc_pairs_all(req))
		return false;
	mc_textf(t, "pairs: %llu of %llu, at random from each class of shares and distance; ",
		 req->pairs, mc_pairs_all(req));
	mc_textf(t, "pairs=all measures all\n");
	return true;
}

static bool note_remote(struct mc_text *t, const struct mc_record *rec)
{
	if (rec->point.v[MC_KEY_NODE] != MC_AUTO || !rec->remote_threads ||
	    rec->remote_threads == MC_NOT_KNOWN)
		return false;
	mc_textf(t, "node: %u of %u threads are on other nodes than the memory; ",
		 rec->remote_threads, rec->threads);
	mc_textf(t, "node=local gives each its part of it on its own node\n");
	return true;
}

static bool note_between(struct mc_text *t, const struct mc_test *test, const struct mc_record *rec)
{
	if (!test->level || !(rec->has >> test->level & 1) ||
	    rec->value[test->level] != MC_HIT_BETWEEN)
		return false;
	mc_textf(t,
		 "level: no cache holds %llu bytes, but below four times the last ones they may serve a part\n",
		 rec->point.v[MC_KEY_SIZE]);
	return true;
}

/**
 * mc_engine_note() - append a note on something that the user should know
 * @t: the text
 * @req: the request
 * @records: its results
 * @n: number of results
 *
 * It is about a size that was guessed, pairs that were chosen, what the test has to say, or else
 * remote memory, or a set between caches and memory.
 */
void mc_engine_note(struct mc_text *t, const struct mc_request *req,
		    const struct mc_record *records, u64 n)
{
	const struct mc_test *test = mc_test_of(req->spec);
	const struct mc_record *rec;

	if (note_size(t, req) || note_pairs(t, req))
		return;
	for (rec = records; rec < records + n; rec++) {
		if ((test->note && test->note(t, rec)) || note_remote(t, rec) ||
		    note_between(t, test, rec))
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
	u64 i, first, runs = runs_of(run->req), wanted = runs_wanted(run->req, &first);
	u64 k, at_once = records_at_once(run->req);
	int err;

	run->counting = mc_traffic_begin(&run->error);
	err = run->error.err;
	err = err ? err : mc_events_begin(run);
	for (i = first, *n = 0; i < first + wanted && !err; i++) {
		struct mc_record *rec = &records[*n];

		run->part = i % runs;
		err = run_point(run, i / runs, rec);
		if (!rec->stats.samples && !rec->stats.left_out)
			continue;
		*n += at_once;
		for (k = 0; k < at_once && run->side->result; k++)
			run->side->result(run, &rec[k]);
	}
	mc_events_end(run);
	mc_traffic_end(run->counting);
	if (!err && run->bad_data)
		err = mc_fail(&run->error, -EBADMSG,
			      "verify: data read back was wrong; see verified=failed in the results");
	return err;
}

/* Start the run's threads, and check what is asked of them. */
static int prepare(struct mc_run *run)
{
	u64 pairs;
	int err = mc_pairs_find(run->req, &run->pairs, &pairs, &run->error);

	if (!err && pairs != run->req->pairs)
		err = mc_fail(&run->error, -ENODEV, "cpu: a CPU came or went");
	if (err)
		return err;
	run->threads = mc_threads_start(run->req, mc_engine_threads(run->req), &run->error);
	if (!run->threads)
		return run->error.err;
	err = mc_area_begin(run);
	return err ? err : check_points(run);
}

static void release(struct mc_run *run)
{
	mc_threads_end(run->threads);
	mc_area_end(run);
	mc_free(run->pairs);
	run->pairs = NULL;
	if (run->holds_loop)
		run->side->loop_drop();
	run->holds_loop = false;
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

static void explain_stop(struct mc_run *run, int err, u64 n)
{
	if (err == -EINTR)
		mc_fail(&run->error, err,
			"run: stopped by a signal; %llu result%s kept", n, MC_S(n));
	else if (err == -ECANCELED)
		mc_fail(&run->error, err,
			"run: stopped by a write to stop; %llu result%s kept", n, MC_S(n));
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
	if (!err) {
		if (run->side->begin)
			run->side->begin(run);
		err = run_points(run, records, n);
		if (run->side->end)
			run->side->end(run);
	}
	release(run);
	explain_stop(run, err, *n);
	/* If two errors ended the run at once, the first one that was explained counts. */
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
