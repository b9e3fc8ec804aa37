// SPDX-License-Identifier: GPL-2.0-only
/* The threads of a run, as kernel threads. */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/smp.h>
#include <linux/wait.h>
#include <asm/fpu/api.h>

#include "kernel/writer.h"
#include "arch/loops.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "platform/workers.h"

/*
 * @wake: where this thread waits for a job; one for each thread, so that the others
 *        sleep on where CPUs take turns
 * @jobs: jobs handed to this thread so far
 * @jobs_seen: jobs that it has started
 */
struct member {
	struct mc_worker worker;
	struct task_struct *task;
	wait_queue_head_t wake;
	unsigned int jobs;
	unsigned int jobs_seen;
};

/**
 * struct mc_team - the threads of a run
 * @n: number of threads
 * @stop: errno of what stopped the run, 0 until then
 * @deadline: jiffies at which the run times out, if @limited
 * @limited: timeout= is not 0
 * @seconds: the value of timeout=
 * @error: explanation of the first error
 * @error_claimed: some thread writes, or has written, @error
 * @party: number of threads that have the job, and that meet at the gate
 * @job: the current job
 * @arg: its argument
 * @working: number of threads that have not finished the job
 * @done: completed when @working becomes 0
 * @arrived: number of threads that wait at the gate
 * @meetings: number of times that the gate has opened; may wrap
 * @first_end: ticks at which the first thread of a race finished
 * @member: the threads
 */
struct mc_team {
	unsigned int n;
	int stop;
	unsigned long deadline;
	bool limited;
	u64 seconds;
	struct mc_error *error;
	bool error_claimed;
	unsigned int party;
	mc_job job;
	void *arg;
	atomic_t working;
	struct completion done;
	atomic_t arrived;
	unsigned int meetings;
	atomic64_t first_end;
	struct member member[];
};

/* ------------------------------------------------------------- stopping */

/**
 * mc_team_stop() - end the run at the next window
 * @team: the threads
 * @err: negative errno, the reason; only the first call sets it
 */
void mc_team_stop(struct mc_team *team, int err)
{
	cmpxchg(&team->stop, 0, err);
}

/**
 * mc_team_stopped() - has the run been stopped?
 * @team: the threads
 *
 * Return: 0, or the errno of the stop.
 */
int mc_team_stopped(const struct mc_team *team)
{
	return READ_ONCE(team->stop);
}

/* Several threads and the writer may fail at once: only the first writes @error. */
static bool claim_error(struct mc_team *team)
{
	return !xchg(&team->error_claimed, true);
}

/* A thread whose CPU went offline runs on another one: its results are invalid. */
static int check_cpu(struct mc_worker *w)
{
	if (w->cpu < 0 || raw_smp_processor_id() == w->cpu)
		return 0;
	if (claim_error(w->team))
		mc_fail(w->team->error, -ENODEV,
			"cpu: %d went offline while the run was on", w->cpu);
	return -ENODEV;
}

/* -------------------------------------------------------------- threads */

static bool has_job(const struct member *m)
{
	/* Pairs with the store in hand_out(), so that the job is visible. */
	return smp_load_acquire(&m->jobs) != m->jobs_seen;
}

static int worker_main(void *arg)
{
	struct member *m = arg;
	struct mc_team *team = m->worker.team;

	for (;;) {
		int err;

		wait_event_idle(m->wake, kthread_should_stop() || has_job(m));
		if (kthread_should_stop())
			return 0;
		m->jobs_seen++;
		err = team->job(&m->worker, team->arg);
		if (!err)
			err = check_cpu(&m->worker);
		if (err)
			mc_team_stop(team, err);
		if (atomic_dec_and_test(&team->working))
			complete(&team->done);
	}
}

static int start_one(struct mc_team *team, unsigned int i, int cpu)
{
	int node = cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu);
	struct member *m = &team->member[i];
	struct task_struct *task;

	m->worker.team = team;
	m->worker.index = i;
	m->worker.cpu = cpu;
	init_waitqueue_head(&m->wake);
	task = kthread_create_on_node(worker_main, m, node, "memcache/%u", i);
	if (IS_ERR(task))
		return PTR_ERR(task);
	/* Keeps the task_struct until mc_team_end() has stopped the thread. */
	get_task_struct(task);
	if (cpu >= 0)
		kthread_bind(task, cpu);
	m->task = task;
	wake_up_process(task);
	return 0;
}

/* If there are more threads than CPUs, the list starts again. */
static int start_all(struct mc_team *team, const struct mc_request *req)
{
	unsigned int i;
	int cpu = -1, err = 0;

	for (i = 0; !err && i < team->n; i++) {
		if (!req->any_cpu)
			cpu = mc_request_cpu(req, cpu);
		if (cpu >= 0 && !mc_cpu_usable(cpu))
			return mc_fail(team->error, -EINVAL,
				       "cpu: %d is not online; online are %*pbl",
				       cpu, cpumask_pr_args(cpu_online_mask));
		err = start_one(team, i, cpu);
	}
	return err;
}

/**
 * mc_team_start() - start the threads of a run; they wait for a job
 * @req: the CPUs and the timeout
 * @n: number of threads
 * @e: result: what is wrong
 *
 * Context: Process, may sleep.
 * Return: the threads, or NULL and @e->err: -EINVAL (a CPU is not online),
 * -ENOMEM or -EINTR.
 */
struct mc_team *mc_team_start(const struct mc_request *req, unsigned int n,
			      struct mc_error *e)
{
	u64 seconds = req->values[MC_KEY_TIMEOUT].v[0];
	struct mc_team *team = kvzalloc(struct_size(team, member, n), GFP_KERNEL);
	int err;

	if (!team) {
		mc_fail(e, -ENOMEM, "cpu: no memory for %u threads", n);
		return NULL;
	}
	team->n = n;
	team->error = e;
	team->seconds = seconds;
	team->limited = seconds;
	team->deadline = jiffies + seconds * HZ;
	init_completion(&team->done);
	err = start_all(team, req);
	if (!err)
		return team;
	/* kthread_create() gives up when its caller is being killed. */
	if (err == -EINTR)
		mc_fail(e, err, "cpu: a signal ended the start of %u threads", n);
	mc_fail(e, -ENOMEM, "cpu: no memory for %u threads", n);
	mc_team_end(team);
	return NULL;
}

/**
 * mc_team_size() - number of threads
 * @team: the threads
 *
 * Return: the number, at least 1.
 */
unsigned int mc_team_size(const struct mc_team *team)
{
	return team->n;
}

/**
 * mc_team_cpu() - the CPU that a thread is bound to
 * @team: the threads
 * @i: its index
 *
 * Return: the CPU, or -1 if the thread is not bound.
 */
int mc_team_cpu(const struct mc_team *team, unsigned int i)
{
	return team->member[i].worker.cpu;
}

/**
 * mc_team_end() - stop and join the threads
 * @team: the threads, none of which has a job; or NULL
 *
 * Context: Process, may sleep.
 */
void mc_team_end(struct mc_team *team)
{
	unsigned int i;

	if (!team)
		return;
	for (i = 0; i < team->n; i++) {
		if (!team->member[i].task)
			continue;
		kthread_stop(team->member[i].task);
		put_task_struct(team->member[i].task);
	}
	kvfree(team);
}

static void time_out(struct mc_team *team)
{
	if (claim_error(team))
		mc_fail(team->error, -ETIME,
			"timeout: %llu s have passed; what was measured until then is kept",
			team->seconds);
	mc_team_stop(team, -ETIME);
}

/* @err is that of mc_writer_stopped(). */
static void stop_for_writer(struct mc_team *team, int err)
{
	if (err == -ECANCELED && claim_error(team))
		mc_fail(team->error, err,
			"run: stopped as its writer is to be frozen, for a suspend say; results until then are kept");
	mc_team_stop(team, err);
}

/**
 * mc_team_look() - stop the run if the writer's state or the deadline says so
 * @team: the threads
 *
 * Called where the writer itself works, and before each job, since the wait for a
 * short job may notice neither.
 *
 * Context: Process, the writer of the request.
 * Return: 0, or the errno of the stop, also of an earlier one.
 */
int mc_team_look(struct mc_team *team)
{
	int err = mc_writer_stopped();

	if (err)
		stop_for_writer(team, err);
	else if (team->limited && time_after_eq(jiffies, team->deadline))
		time_out(team);
	return mc_team_stopped(team);
}

/* A signal or the deadline stops the run; then the job ends soon. */
static void wait_for_done(struct mc_team *team)
{
	int end = mc_writer_wait(&team->done, team->limited, team->deadline);

	if (end > 0)
		return;
	if (end)
		stop_for_writer(team, end);
	else
		time_out(team);
	wait_for_completion(&team->done);
}

static void hand_out(struct member *m)
{
	/* Pairs with the load in has_job(). */
	smp_store_release(&m->jobs, m->jobs + 1);
	wake_up(&m->wake);
}

/**
 * mc_team_run_some() - have some of the threads do a job, and wait for them
 * @team: the threads
 * @who: array of @n indices of threads, the others sleep on; NULL: the first @n
 * @n: number of threads that do it and that meet at the gate; not 0
 * @job: each does it once
 * @arg: its argument
 *
 * Context: Process, may sleep. A signal ends the job with -EINTR.
 * Return: 0, or the errno of what stopped the run.
 */
int mc_team_run_some(struct mc_team *team, const unsigned int *who,
		     unsigned int n, mc_job job, void *arg)
{
	unsigned int i;
	int err = mc_team_look(team);

	if (err)
		return err;
	team->job = job;
	team->arg = arg;
	team->party = n;
	atomic_set(&team->working, n);
	atomic_set(&team->arrived, 0);
	reinit_completion(&team->done);
	for (i = 0; i < n; i++)
		hand_out(&team->member[who ? who[i] : i]);
	wait_for_done(team);
	return mc_team_stopped(team);
}

/**
 * mc_team_run() - have all threads do a job, and wait for them
 * @team: the threads
 * @job: each does it once
 * @arg: its argument
 *
 * Context: Process, may sleep. A signal ends the job with -EINTR.
 * Return: 0, or the errno of what stopped the run.
 */
int mc_team_run(struct mc_team *team, mc_job job, void *arg)
{
	return mc_team_run_some(team, NULL, team->n, job, arg);
}

/* ---------------------------------------------------- the gate and a race */

/**
 * mc_gate() - wait until all threads that have the job are here
 * @w: the thread
 *
 * Threads spin, because a wake-up would make them start late.
 *
 * Context: Worker thread, interrupts on.
 * Return: 0; the errno of the stop, also if only another thread has seen it; or
 * -ENODEV if the thread's CPU went offline.
 */
int mc_gate(struct mc_worker *w)
{
	struct mc_team *team = w->team;
	unsigned int meetings = READ_ONCE(team->meetings);

	if (atomic_inc_return(&team->arrived) == team->party) {
		atomic_set(&team->arrived, 0);
		/* Pairs with the load below: @arrived is 0 before a thread comes again. */
		smp_store_release(&team->meetings, meetings + 1);
	}
	/* Pairs with the store above: what other threads wrote before is visible. */
	while (smp_load_acquire(&team->meetings) == meetings) {
		if (mc_team_stopped(team))
			break;
		cpu_relax();
		mc_breathe();
	}
	return mc_team_stopped(team) ? mc_team_stopped(team) : check_cpu(w);
}

/**
 * mc_race_start() - begin a race; called before the gate
 * @w: the thread
 *
 * Context: Worker thread.
 */
void mc_race_start(struct mc_worker *w)
{
	atomic64_set(&w->team->first_end, S64_MAX);
}

/**
 * mc_race_first() - when the first thread finished
 * @w: the thread
 *
 * Context: Worker thread.
 * Return: ticks, S64_MAX while none has.
 */
u64 mc_race_first(struct mc_worker *w)
{
	return atomic64_read(&w->team->first_end);
}

/**
 * mc_race_finish() - this thread has done its share
 * @w: the thread
 * @ticks: the time at which it finished
 *
 * Context: Worker thread.
 */
void mc_race_finish(struct mc_worker *w, u64 ticks)
{
	s64 first = atomic64_read(&w->team->first_end);

	while ((s64)ticks < first) {
		s64 seen = atomic64_cmpxchg(&w->team->first_end, first, ticks);

		if (seen == first)
			return;
		first = seen;
	}
}

/* -------------------------------------------------------------- windows */

/**
 * mc_window_open() - begin a timed window
 * @w: the thread
 * @irq_off: turn interrupts off
 *
 * Until the window is closed, vector registers may be used and nothing may sleep.
 *
 * Context: Worker thread.
 * Return: 0, the errno of the stop, or -ENODEV if the thread's CPU went offline. The
 * window is open only if 0 is returned.
 */
int mc_window_open(struct mc_worker *w, bool irq_off)
{
	int err = mc_team_stopped(w->team);

	if (err)
		return err;
	w->irq_off = irq_off;
	if (irq_off)
		local_irq_save(w->irq_flags);
	kernel_fpu_begin();
	mc_vectors_clean();
	err = check_cpu(w);
	if (err) {
		mc_window_close(w);
		return err;
	}
	mc_detector_begin(&w->detector);
	w->began = mc_ticks();
	return 0;
}

/**
 * mc_window_close() - end a timed window
 * @w: the thread
 *
 * Context: Worker thread; may schedule once the window is closed.
 * Return: length in ticks, 0 if the clock ran backwards.
 */
u64 mc_window_close(struct mc_worker *w)
{
	u64 ticks;

	w->ended = mc_ticks();
	if (w->finishes)
		mc_race_finish(w, w->ended);
	w->disturbed = mc_detector_end(&w->detector);
	kernel_fpu_end();
	if (w->irq_off)
		local_irq_restore(w->irq_flags);
	ticks = w->ended > w->began ? w->ended - w->began : 0;
	mc_breathe();
	return ticks;
}
