// SPDX-License-Identifier: GPL-2.0-only
/* Check every point of a request, then measure each into a record. */
#include "clock.h"
#include "engine.h"
#include "os.h"

/**
 * mc_engine_samples() - how many samples a request comes to
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
	return sum;
}

/**
 * mc_engine_check() - can all of the request be run here?
 * @run: the run, with its threads
 *
 * Every point before the first one is measured: a line that can't be run runs
 * nothing.
 *
 * Context: Process, may sleep.
 * Return: 0, or -EINVAL, -EOPNOTSUPP, explained in @run->error.
 */
int mc_engine_check(struct mc_run *run)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	struct mc_point point;
	u64 i, n = mc_request_points(run->req);
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		mc_request_point(run->req, i, &point);
		err = mc_run_check(run, &point);
		if (!err)
			err = test->check(run, &point);
		mc_breathe();
	}
	return err;
}

/* The memory for the point; the record says what it is. */
static int find_memory(struct mc_run *run, struct mc_record *rec)
{
	struct mc_area area;
	int err = mc_run_area(run, &rec->point, &area);

	if (err)
		return err;
	rec->point.v[MC_KEY_PAGE] = area.page;
	rec->attribute = area.attribute;
	rec->effective = area.effective;
	rec->memory_node = area.memory_node;
	return 0;
}

static int run_point(struct mc_run *run, u64 index, struct mc_record *rec)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	int err = 0;

	mc_request_point(run->req, index, &rec->point);
	rec->threads = mc_team_size(run->team);
	rec->started_unix_ns = mc_clock_wall_ns();
	rec->memory_node = MC_NODE_NA;
	if (!test->no_memory)
		err = find_memory(run, rec);
	if (err)
		return err;
	err = test->run(run, &rec->point, rec);
	run->bad_data |= rec->verified == MC_VERIFIED_FAILED;
	return err;
}

/**
 * mc_engine_run() - measure every point
 * @run: the run, checked
 * @records: zeroed, one for each point
 * @n: how many of them hold results
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno; what was measured until then is kept, a point
 * that was cut short included. -EBADMSG: all was measured, and data were wrong.
 */
int mc_engine_run(struct mc_run *run, struct mc_record *records, u64 *n)
{
	u64 i, points = mc_request_points(run->req);
	int err = 0;

	for (i = 0, *n = 0; i < points && !err; i++) {
		struct mc_record *rec = &records[*n];

		err = run_point(run, i, rec);
		if (rec->stats.samples || rec->stats.left_out)
			(*n)++;
	}
	if (!err && run->bad_data)
		err = mc_fail(&run->error, -EBADMSG,
			      "verify: data read back was wrong; see verified=failed in the results");
	return err;
}
