// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: a line is parsed and checked, every combination is measured in turn,
 * and what came of it is kept until the next run has ended.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mutex.h>

#include "kernel/machine.h"
#include "kernel/memory.h"
#include "kernel/prefetch.h"
#include "kernel/run.h"
#include "kernel/writer.h"
#include "measure/engine.h"
#include "measure/side.h"
#include "platform/clock.h"
#include "platform/os.h"

/* Only its holder runs; everybody else who tries is told EBUSY. */
static DEFINE_MUTEX(running);

/*
 * What others may look at while a run is on. @lock guards it all but the
 * counters, which are only ever shown.
 */
static struct {
	struct mutex lock;		/* see above */
	const char *state;
	struct mc_snapshot *request;	/* the last request that was understood */
	struct mc_snapshot *results;	/* the last run that has ended */
	struct mc_team *team;		/* of the run that is on */
	bool stop;			/* and whether it is to end */
	char refused[64];		/* the start of a line that was not */
	struct mc_error error;
	u64 started_ns;
	u64 total;
	u64 done;
} status = {
	.lock = __MUTEX_INITIALIZER(status.lock),
	.state = "idle",
};

/* ------------------------------------------------------------- snapshots */

static void snapshot_free(struct kref *ref)
{
	struct mc_snapshot *s = container_of(ref, struct mc_snapshot, ref);
	u64 i;

	for (i = 0; i < s->n; i++)
		mc_free(s->records[i].histogram);
	mc_free(s->records);
	mc_free(s->machine);
	mc_free(s);
}

/**
 * mc_snapshot_put() - done with a snapshot
 * @s: the snapshot, or NULL
 *
 * Context: Process.
 */
void mc_snapshot_put(struct mc_snapshot *s)
{
	if (s)
		kref_put(&s->ref, snapshot_free);
}

/**
 * mc_run_results() - the last run that has ended
 *
 * Context: Process, may sleep.
 * Return: its snapshot, to be put, or NULL if there was none.
 */
struct mc_snapshot *mc_run_results(void)
{
	struct mc_snapshot *s;

	mutex_lock(&status.lock);
	s = status.results;
	if (s)
		kref_get(&s->ref);
	mutex_unlock(&status.lock);
	return s;
}

/* Put @s in *@slot's place, with a reference of its own. */
static void replace(struct mc_snapshot **slot, struct mc_snapshot *s)
{
	if (s)
		kref_get(&s->ref);
	mc_snapshot_put(*slot);
	*slot = s;
}

/**
 * mc_run_exit() - forget the last run
 *
 * Context: Process, at unload.
 */
void mc_run_exit(void)
{
	replace(&status.request, NULL);
	replace(&status.results, NULL);
}

/* ------------------------------------------- what the engine asks of this side */

static int check(struct mc_run *run, const struct mc_point *point)
{
	int err = mc_prefetch_check(run->req, point, &run->error);

	return err ? err : mc_memory_check(point, &run->error);
}

/* From now on a stop reaches @team; one that came before does so here. */
static void let_stop(struct mc_team *team)
{
	mutex_lock(&status.lock);
	status.team = team;
	if (team && status.stop)
		mc_team_stop(team, -ECANCELED);
	mutex_unlock(&status.lock);
}

static void begin_measuring(struct mc_run *run)
{
	let_stop(run->team);
}

static void end_measuring(struct mc_run *run)
{
	let_stop(NULL);
	mc_memory_drop();
}

static void *uc_word(struct mc_run *run)
{
	return mc_memory_uc_word(&run->error);
}

static void tick(void *run)
{
	WRITE_ONCE(status.done, status.done + 1);
}

static const struct mc_side kernel_side = {
	.check = check,
	.begin = begin_measuring,
	.end = end_measuring,
	.tick = tick,
	.find = mc_memory_find,
	.drop = mc_memory_drop,
	.node = mc_memory_node,
	.uc_word = uc_word,
	.prefetch_off = mc_prefetch_off,
	.prefetch_back = mc_prefetch_back,
};

/* ------------------------------------------------------------ a whole run */

static struct mc_snapshot *snapshot_new(void)
{
	struct mc_snapshot *s = mc_alloc_array(1, sizeof(*s));

	if (s)
		kref_init(&s->ref);
	return s;
}

static int refuse(const char *line, size_t len, const struct mc_error *e)
{
	struct mc_text t = MC_TEXT(status.refused);

	if (len && line[len - 1] == '\n')
		len--;
	mutex_lock(&status.lock);
	replace(&status.request, NULL);
	mc_text_quote(&t, line, len);
	status.state = "refused";
	status.error = *e;
	mutex_unlock(&status.lock);
	return e->err;
}

static int begin(struct mc_snapshot *s, struct mc_error *e)
{
	u64 records;
	int err = mc_engine_cpus(&s->req, e);

	if (err)
		return err;
	records = mc_engine_records(&s->req);
	s->records = mc_alloc_array(records, sizeof(*s->records));
	s->machine = mc_alloc_array(1, MC_MACHINE_MAX);
	if (!s->records || !s->machine)
		return mc_fail(e, -ENOMEM, "line: no memory for %llu results",
			       records);
	mutex_lock(&status.lock);
	replace(&status.request, s);
	status.state = "running";
	status.error = (struct mc_error){ 0 };
	status.started_ns = mc_clock_raw_ns();
	status.total = mc_engine_samples(&s->req);
	WRITE_ONCE(status.done, 0);	/* mc_run_progress() reads it without the lock */
	mutex_unlock(&status.lock);
	return 0;
}

/*
 * A run that measured nothing leaves the results before it in place. The machine is
 * described now: the run has found out anew which memory types are real.
 */
static void end(struct mc_snapshot *s, const struct mc_error *e)
{
	struct mc_text machine = { .buf = s->machine, .size = MC_MACHINE_MAX };
	struct mc_text note = MC_TEXT(s->note);
	u64 i;

	s->error = *e;
	s->state = mc_engine_state(e->err);
	mc_machine_json(&machine);
	mc_layout_init(&s->layout, &s->req);
	for (i = 0; i < s->n; i++) {
		mc_layout_fit(&s->layout, &s->req, &s->records[i]);
		mc_breathe();
	}
	mutex_lock(&status.lock);
	/* Who reads `run` looks at it, too: the snapshot is status.request. */
	mc_engine_note(&note, s->records, s->n);
	status.state = s->state;
	status.error = *e;
	if (s->n)
		replace(&status.results, s);
	mutex_unlock(&status.lock);
}

static int run_locked(const char *line, size_t len)
{
	struct mc_snapshot *s = snapshot_new();
	struct mc_run *run = kzalloc(sizeof(*run), GFP_KERNEL);
	struct mc_error e = { 0 };
	int err = -ENOMEM;

	if (!s || !run) {
		mc_fail(&e, err, "line: no memory");
		refuse(line, len, &e);
	} else if (mc_request_parse(&s->req, line, len, mc_specs, &e) ||
		   begin(s, &e)) {
		err = refuse(line, len, &e);
	} else {
		run->req = &s->req;
		run->side = &kernel_side;
		err = mc_engine_measure(run, s->records, &s->n);
		end(s, &run->error);
	}
	mc_snapshot_put(s);
	kfree(run);
	return err;
}

/* Who is told EBUSY can stop the run that is on, however young it is. */
static bool take_turn(void)
{
	bool taken;

	mutex_lock(&status.lock);
	taken = mutex_trylock(&running);
	if (taken)
		status.stop = false;
	mutex_unlock(&status.lock);
	return taken;
}

/**
 * mc_run_line() - do what a request line asks for, and wait for it
 * @line: the line, not terminated
 * @len: its length
 *
 * Context: Process, may sleep; a signal that could end the process ends the run.
 * Return: 0 or the errno that design and ABI document name; mc_run_show()
 * explains it.
 */
int mc_run_line(const char *line, size_t len)
{
	sigset_t before;
	int err;

	if (!take_turn())
		return -EBUSY;
	mc_writer_hold(&before);
	err = run_locked(line, len);
	mc_writer_release(&before);
	mutex_unlock(&running);
	return err;
}

/**
 * mc_run_stop() - stop the run that is on, if there is one
 *
 * Its writer gets ECANCELED, not EINTR: what is written to in many languages
 * tries again after EINTR, and would start the run anew.
 *
 * Context: Process, may sleep.
 */
void mc_run_stop(void)
{
	mutex_lock(&status.lock);
	status.stop = true;
	if (status.team)
		mc_team_stop(status.team, -ECANCELED);
	mutex_unlock(&status.lock);
}

/* -------------------------------------------------------------------- show */

static const char *errno_name(int err)
{
	switch (err) {
	case -EINVAL: return "EINVAL";
	case -EPERM: return "EPERM";
	case -EINTR: return "EINTR";
	case -ENOMEM: return "ENOMEM";
	case -EOPNOTSUPP: return "EOPNOTSUPP";
	case -ETIME: return "ETIME";
	case -EBADMSG: return "EBADMSG";
	case -EIO: return "EIO";
	case -ECANCELED: return "ECANCELED";
	case -ENODEV: return "ENODEV";
	case -ENOENT: return "ENOENT";
	case -ENOTDIR: return "ENOTDIR";
	case -ELOOP: return "ELOOP";
	case -EACCES: return "EACCES";
	case -EROFS: return "EROFS";
	case -ETXTBSY: return "ETXTBSY";
	case -EEXIST: return "EEXIST";
	case -EFBIG: return "EFBIG";
	case -ENOSPC: return "ENOSPC";
	case -EDQUOT: return "EDQUOT";
	case -ENODATA: return "ENODATA";
	default: return "ERROR";
	}
}

/**
 * mc_run_show() - append the last request, its state and what was wrong
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_run_show(struct mc_text *t)
{
	mutex_lock(&status.lock);
	mc_textf(t, "request: ");
	if (status.request)
		mc_request_show(t, &status.request->req);
	else if (status.error.err)
		mc_textf(t, "%s", status.refused);
	else
		mc_textf(t, "none yet");
	mc_textf(t, "\nstate: %s\n", status.state);
	if (status.error.err)
		mc_textf(t, "error: %s %s\n", errno_name(status.error.err),
			 status.error.text);
	if (status.request && *status.request->note)
		mc_textf(t, "note: %s", status.request->note);
	mutex_unlock(&status.lock);
}

/**
 * mc_run_progress() - append how far the run is
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_run_progress(struct mc_text *t)
{
	u64 done = READ_ONCE(status.done), total, ns;
	bool on;

	mutex_lock(&status.lock);
	on = status.team;
	total = status.total;
	ns = mc_clock_raw_ns() - status.started_ns;
	mutex_unlock(&status.lock);
	if (!on) {
		mc_textf(t, "idle\n");
		return;
	}
	mc_textf(t, "running %llu/%llu elapsed_s=", done, total);
	mc_text_fixed(t, ns / 100000000, 1);
	mc_textf(t, " eta_s=");
	if (done)
		mc_text_fixed(t, mc_muldiv(ns, total - min(done, total), done) /
				 100000000, 1);
	else
		mc_textf(t, "na");
	mc_textf(t, "\n");
}
