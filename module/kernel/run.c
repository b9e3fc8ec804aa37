// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: a line is parsed and checked, every combination is measured in turn,
 * and the results are kept until the next run has ended.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "kernel/machine.h"
#include "kernel/memory.h"
#include "kernel/own.h"
#include "kernel/prefetch.h"
#include "kernel/regions.h"
#include "kernel/run.h"
#include "kernel/target.h"
#include "kernel/writer.h"
#include "measure/engine.h"
#include "measure/side.h"
#include "measure/verdict.h"
#include "platform/clock.h"
#include "platform/os.h"

/* Held during a run; other writers get EBUSY. */
static DEFINE_MUTEX(running);

/* The state that other processes may read while a run is active. @done is only shown. */
static struct {
	struct mutex lock;		/* protects all but @done */
	const char *state;
	struct mc_snapshot *request;	/* the last valid request */
	struct mc_snapshot *results;	/* the last run that ended with results */
	struct mc_threads *threads;		/* of the active run, else NULL */
	struct pid *writer;		/* of the process in mc_run_line(), if there are threads */
	bool stop;			/* the active run is to end */
	bool ending;			/* its threads are done; it gives its memory back */
	char refused[64];		/* the start of the last line, if it was invalid */
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

	for (i = 0; i < s->n; i++) {
		mc_free(s->records[i].histogram);
		mc_free(s->records[i].tail);
	}
	mc_free(s->records);
	mc_free(s->machine);
	mc_free(s);
}

/**
 * mc_snapshot_put() - drop a reference to a snapshot
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
 * mc_run_results() - the results of the last run
 *
 * Context: Process, may sleep.
 * Return: a snapshot, for mc_snapshot_put(), or NULL if there are no results.
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

/**
 * mc_run_older() - append a line that says so if the last request has left no results
 * @t: the text
 * @s: the results that are shown
 *
 * Context: Process, may sleep.
 */
void mc_run_older(struct mc_text *t, const struct mc_snapshot *s)
{
	mutex_lock(&status.lock);
	if (s == status.results && s != status.request && strcmp(status.state, "running"))
		mc_textf(t,
			 "# of an earlier request; the last one (state: %s) has no results, see run\n",
			 status.state);
	mutex_unlock(&status.lock);
}

/* Make *@slot a reference to @s, which may be NULL. */
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

/* ------------------------------------- the functions that the engine calls */

static bool on_target(const struct mc_point *point)
{
	return point->v[MC_KEY_TARGET] != MC_TARGET_RAM;
}

static int check(struct mc_run *run, const struct mc_point *point)
{
	int err = mc_prefetch_check(run->req, point, &run->error);

	if (err)
		return err;
	if (point->v[MC_KEY_SCHED] == MC_SCHED_FIFO && mc_engine_shares_cpus(run->req))
		return mc_fail(&run->error, -EINVAL,
			       "sched: fifo needs a CPU for each thread in the module");
	return on_target(point) ? mc_target_check(run, point) : mc_memory_check(point, &run->error);
}

/* With irq=off, a window has its CPU for itself already. */
static bool goes_first(const struct mc_point *point)
{
	return point->v[MC_KEY_IRQ];
}

static int find(struct mc_run *run, const struct mc_point *point,
		const struct mc_wanted *want, struct mc_area *area)
{
	mc_writer_unmap();
	if (want->region)
		return mc_regions_find(run, want, area);
	return on_target(point) ? mc_target_find(run, point, area) :
				  mc_memory_find(run, point, want, area);
}

static void drop(void)
{
	mc_writer_unmap();
	mc_regions_drop();
	mc_memory_drop();
}

/* Let `stop` reach @threads, also if it was written before; NULL: no threads. */
static void set_threads(struct mc_threads *threads)
{
	mutex_lock(&status.lock);
	status.threads = threads;
	status.writer = task_tgid(current);
	if (threads && status.stop)
		mc_threads_stop(threads, -ECANCELED);
	mutex_unlock(&status.lock);
}

static void begin_measuring(struct mc_run *run)
{
	set_threads(run->threads);
}

static void set_ending(bool ending)
{
	mutex_lock(&status.lock);
	status.ending = ending;
	mutex_unlock(&status.lock);
}

static void end_measuring(struct mc_run *run)
{
	set_ending(true);
	set_threads(NULL);
	mc_target_end(run);
	drop();
	set_ending(false);
}

static void *uc_word(struct mc_run *run)
{
	return mc_memory_uc_word(&run->error);
}

static void tick(void *run, u64 more)
{
	WRITE_ONCE(status.total, status.total + more);
	WRITE_ONCE(status.done, status.done + 1);
}

static struct mc_side kernel_side = {
	.check = check,
	.goes_first = goes_first,
	.begin = begin_measuring,
	.end = end_measuring,
	.tick = tick,
	.find = find,
	.drop = drop,
	.node = mc_memory_node,
	.uc_word = uc_word,
	.user_map = mc_writer_map,
	.loop_hold = mc_own_hold,
	.loop_drop = mc_own_drop,
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

static int note_refusal(const char *line, size_t len, const struct mc_error *e)
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

static int prepare_run(struct mc_snapshot *s, struct mc_error *e)
{
	u64 records;
	int err;

	s->req.room = mc_target_room(&s->req);
	err = mc_engine_cpus(&s->req, e);
	if (err)
		return err;
	records = mc_engine_records(&s->req);
	s->records = mc_alloc_array(records, sizeof(*s->records));
	s->machine = mc_alloc_array(1, MC_MACHINE_MAX);
	if (!s->records || !s->machine)
		return mc_fail(e, -ENOMEM, "line: no memory for %llu result%s",
			       records, MC_S(records));
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
 * A run without results leaves the earlier results in place. The machine's record is
 * made at the end, because the run has updated the verdicts on the memory types.
 */
static void finish_run(struct mc_snapshot *s, const struct mc_error *e)
{
	struct mc_text machine = { .buf = s->machine, .size = MC_MACHINE_MAX };
	struct mc_text note = MC_TEXT(s->note);
	u64 i;

	s->error = *e;
	s->state = mc_engine_state(e->err, s->n);
	mc_machine_json(&machine);
	mc_layout_init(&s->layout, &s->req);
	for (i = 0; i < s->n; i++) {
		mc_layout_fit(&s->layout, &s->req, &s->records[i]);
		mc_breathe();
	}
	mutex_lock(&status.lock);
	/* The lock is held, because readers of `run` show the note of status.request. */
	mc_engine_note(&note, &s->req, s->records, s->n);
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
		note_refusal(line, len, &e);
	} else if (mc_request_parse(&s->req, line, len, mc_specs, &e) || prepare_run(s, &e)) {
		err = note_refusal(line, len, &e);
	} else {
		run->req = &s->req;
		/* Where no cache shows, as in an emulator, no time is worth the wait. */
		kernel_side.spread_ns = mc_wb_loads.miss_ps ? MC_SPREAD_NS : 0;
		run->side = &kernel_side;
		err = mc_engine_measure(run, s->records, &s->n);
		finish_run(s, &run->error);
	}
	mc_snapshot_put(s);
	kfree(run);
	return err;
}

/*
 * status.stop is cleared together with the trylock, so that a writer that gets EBUSY
 * can stop the current run, even one that has just started.
 */
static bool try_start(void)
{
	bool started;

	mutex_lock(&status.lock);
	started = mutex_trylock(&running);
	if (started)
		status.stop = false;
	mutex_unlock(&status.lock);
	return started;
}

/**
 * mc_run_line() - run a request line, and wait until the run has ended
 * @line: the line, not terminated
 * @len: its length
 *
 * Context: Process, may sleep; a signal that could end the process ends the run.
 * Return: 0 or an errno that the ABI document names; mc_run_show() explains it.
 */
int mc_run_line(const char *line, size_t len)
{
	sigset_t before;
	int err;

	if (!try_start())
		return -EBUSY;
	mc_writer_hold(&before);
	err = run_locked(line, len);
	mc_writer_release(&before);
	mutex_unlock(&running);
	return err;
}

/**
 * mc_run_stop() - stop the current run, if there is one
 *
 * Its writer gets ECANCELED, not EINTR: many languages repeat a write after EINTR,
 * which would start the run anew.
 *
 * Context: Process, may sleep.
 */
void mc_run_stop(void)
{
	mutex_lock(&status.lock);
	status.stop = true;
	if (status.threads)
		mc_threads_stop(status.threads, -ECANCELED);
	mutex_unlock(&status.lock);
}

/* -------------------------------------------------------------------- show */

#define ERRNO(name) { #name, name }

static const struct mc_name error_names[] = {
	ERRNO(EINVAL), ERRNO(EPERM), ERRNO(EINTR), ERRNO(ENOMEM), ERRNO(EOPNOTSUPP), ERRNO(ETIME),
	ERRNO(EBADMSG), ERRNO(EIO), ERRNO(ECANCELED), ERRNO(ENODEV), ERRNO(ENOENT), ERRNO(ENOTDIR),
	ERRNO(ELOOP), ERRNO(EACCES), ERRNO(EROFS), ERRNO(ETXTBSY), ERRNO(EEXIST), ERRNO(EFBIG),
	ERRNO(ENOSPC), ERRNO(EDQUOT), ERRNO(ENODATA), { }
};

static const char *error_name(int err)
{
	const char *name = mc_name_of(error_names, -err);

	return name ? name : "ERROR";
}

/**
 * mc_run_show() - append the last request, its state, error and note
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
		mc_textf(t, "error: %s %s\n", error_name(status.error.err), status.error.text);
	if (status.request && *status.request->note)
		mc_textf(t, "note: %s", status.request->note);
	mutex_unlock(&status.lock);
}

/**
 * mc_run_progress() - append the progress of the current run
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_run_progress(struct mc_text *t)
{
	u64 done = READ_ONCE(status.done), total, ns, back, all;
	pid_t writer = 0;
	bool active;

	mutex_lock(&status.lock);
	active = status.threads || status.ending;
	if (active)	/* then the writer lives, and so does its struct pid */
		writer = pid_vnr(status.writer);
	total = status.total;
	ns = mc_clock_raw_ns() - status.started_ns;
	mutex_unlock(&status.lock);
	if (!active) {
		mc_textf(t, "idle\n");
		return;
	}
	mc_textf(t, "running %llu/%llu elapsed_s=", done, total);
	mc_text_fixed(t, ns / 100000000, 1);
	mc_textf(t, " eta_s=");
	if (done)
		mc_text_fixed(t, mc_muldiv(ns, total - min(done, total), done) / 100000000, 1);
	else
		mc_textf(t, "na");
	mc_textf(t, " pid=%d", writer);
	if (mc_target_back(&back, &all))
		mc_textf(t, " contents=%llu%%", mc_muldiv(back, 100, all));
	mc_textf(t, "\n");
}
