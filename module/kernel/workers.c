// SPDX-License-Identifier: GPL-2.0-only
/* The threads of a run, as kernel threads. */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include "kernel/writer.h"
#include "measure/pass.h"
#include "measure/threads.h"
#include "platform/clock.h"
#include "platform/os.h"

#define SLICE	HZ	/* of a wait, between looks at whether a thread has died */

/*
 * @wake: where this thread waits for a job; one for each thread, so that the others
 *        sleep on where CPUs take turns
 * @jobs: jobs handed to this thread so far
 * @jobs_seen: jobs that it has started
 * @busy: it has not completed the last one
 */
struct member {
	struct mc_worker worker;
	struct mc_plan plan;
	struct task_struct *task;
	wait_queue_head_t wake;
	unsigned int jobs;
	unsigned int jobs_seen;
	bool busy;
};

/*
 * @deadline: jiffies at which the run times out, if there is a limit
 * @working: number of threads that have not finished the job
 * @done: completed when @working becomes 0
 */
struct threads {
	struct mc_threads all;
	unsigned long deadline;
	atomic_t working;
	struct completion done;
	struct member member[];
};

static struct threads *threads_of(const struct mc_threads *threads)
{
	return container_of((struct mc_threads *)threads, struct threads, all);
}

/* -------------------------------------------------------------- threads */

/**
 * mc_threads_new() - allocate the threads of a run, whose time begins
 * @n: number of threads, none of which is started
 * @seconds: their time; 0: no limit
 *
 * Context: Process, may sleep.
 * Return: the threads, zeroed, for mc_threads_end(); or NULL.
 */
struct mc_threads *mc_threads_new(unsigned int n, u64 seconds)
{
	struct threads *t = kvzalloc(struct_size(t, member, n), GFP_KERNEL);

	if (!t)
		return NULL;
	t->deadline = jiffies + seconds * HZ;
	init_completion(&t->done);
	return &t->all;
}

/**
 * mc_threads_worker() - find a thread of a run
 * @threads: the threads
 * @i: its index
 *
 * Return: the thread.
 */
struct mc_worker *mc_threads_worker(const struct mc_threads *threads, unsigned int i)
{
	return &threads_of(threads)->member[i].worker;
}

/**
 * mc_thread_cpu() - the CPU that this thread is on
 *
 * Return: its number.
 */
int mc_thread_cpu(void)
{
	return raw_smp_processor_id();
}

/* Has the thread died of an oops? Then it never returns to this module. */
static bool has_died(const struct member *m)
{
	return m->task && READ_ONCE(m->task->flags) & PF_EXITING;
}

/* Number of threads that have died; with @at_work: with a job that nobody completes now. */
static unsigned int count_dead(const struct threads *t, bool at_work)
{
	unsigned int i, n = 0;

	for (i = 0; i < t->all.n; i++) {
		const struct member *m = &t->member[i];

		n += has_died(m) && (READ_ONCE(m->busy) || !at_work);
	}
	return n;
}

static bool has_job(const struct member *m)
{
	/* Pairs with the store in hand_out(), so that the job is visible. */
	return smp_load_acquire(&m->jobs) != m->jobs_seen;
}

/**
 * mc_give_way() - let others have the CPU of a worker that goes before them, if it is time
 *
 * Context: A kernel thread of SCHED_FIFO that calls mc_breathe(), so it is a worker.
 */
void mc_give_way(void)
{
	struct member *m = kthread_data(current);

	mc_threads_rest(&m->worker, 0);
}

static void do_job(struct mc_worker *w)
{
	struct mm_struct *user = mc_writer_mm();
	bool fifo = w->threads->fifo;

	if (fifo)
		sched_set_fifo_low(current);
	if (user)
		kthread_use_mm(user);
	mc_threads_do_job(w);
	if (user)
		kthread_unuse_mm(user);
	if (fifo)
		sched_set_normal(current, 0);
}

static int worker_main(void *arg)
{
	struct member *m = arg;
	struct threads *t = threads_of(m->worker.threads);

	for (;;) {
		wait_event_idle(m->wake, kthread_should_stop() || has_job(m));
		if (kthread_should_stop())
			return 0;
		m->jobs_seen++;
		do_job(&m->worker);
		WRITE_ONCE(m->busy, false);
		if (atomic_dec_and_test(&t->working))
			complete(&t->done);
	}
}

/**
 * mc_thread_start() - start a thread, which waits for a job
 * @w: the thread; its threads, index and CPU are set
 *
 * Context: Process, may sleep.
 * Return: 0, or -EINVAL, -ENOMEM, -EINTR, explained in the run's error.
 */
int mc_thread_start(struct mc_worker *w)
{
	struct member *m = container_of(w, struct member, worker);
	struct mc_threads *threads = w->threads;
	struct task_struct *task;

	if (w->cpu >= (int)nr_cpu_ids || (w->cpu >= 0 && !cpu_online(w->cpu)))
		return mc_fail(threads->error, -EINVAL,
			       "cpu: %d is not online; online are %*pbl",
			       w->cpu, cpumask_pr_args(cpu_online_mask));
	init_waitqueue_head(&m->wake);
	w->plan = &m->plan;
	task = kthread_create_on_node(worker_main, m,
				      w->cpu < 0 ? NUMA_NO_NODE : cpu_to_node(w->cpu),
				      "memcache/%u", w->index);
	/* kthread_create() gives up when its caller is being killed. */
	if (task == ERR_PTR(-EINTR))
		return mc_fail(threads->error, -EINTR,
			       "cpu: a signal ended the start of %u thread%s", threads->n,
			       MC_S(threads->n));
	if (IS_ERR(task))
		return mc_fail(threads->error, -ENOMEM, "cpu: no memory for %u thread%s",
			       threads->n, MC_S(threads->n));
	/* Keeps the task_struct until mc_threads_end() has stopped the thread. */
	get_task_struct(task);
	if (w->cpu >= 0)
		kthread_bind(task, w->cpu);
	m->task = task;
	wake_up_process(task);
	return 0;
}

/* A thread that died may have left its stack in a queue of @t, and its CPU marked as busy. */
static void leave_dead(struct threads *t)
{
	unsigned int i;

	for (i = 0; i < t->all.n; i++) {
		if (has_died(&t->member[i]))
			pr_err("memcache: the thread %u, on CPU %d, has died; its part of the run is never freed, and its CPU may have lost the use of vector registers in the kernel: reboot soon\n",
			       i, t->member[i].worker.cpu);
	}
	kmemleak_not_leak(t);
}

/**
 * mc_threads_end() - stop and join the threads, and free their struct
 * @threads: the threads, of which those that live have no job; or NULL
 *
 * Context: Process, may sleep.
 */
void mc_threads_end(struct mc_threads *threads)
{
	struct threads *t = threads_of(threads);
	unsigned int i, died;

	if (!threads)
		return;
	/* Before the others end, since then all of them look as if they had died. */
	died = count_dead(t, false);
	if (died)
		leave_dead(t);
	for (i = 0; i < threads->n; i++) {
		if (t->member[i].task && !has_died(&t->member[i]))
			kthread_stop(t->member[i].task);
	}
	if (died)
		return;
	for (i = 0; i < threads->n; i++) {
		if (t->member[i].task)
			put_task_struct(t->member[i].task);
	}
	kvfree(t);
}

/* ------------------------------------------------- jobs, and their end */

/**
 * mc_threads_stopped() - has the run been stopped?
 * @threads: the threads
 *
 * Return: 0, or the errno of the stop.
 */
int mc_threads_stopped(const struct mc_threads *threads)
{
	return READ_ONCE(threads->stop);
}

/**
 * mc_threads_why_end() - should the run end now?
 * @threads: the threads
 *
 * Context: Process, the writer of the request.
 * Return: 0, -EIO (a thread has died), -ETIME (the deadline has passed), or as
 * mc_writer_stopped().
 */
int mc_threads_why_end(const struct mc_threads *threads)
{
	int err = count_dead(threads_of(threads), false) ? -EIO : mc_writer_stopped();

	if (!err && threads->seconds && time_after_eq(jiffies, threads_of(threads)->deadline))
		err = -ETIME;
	return err;
}

static void hand_out(struct member *m)
{
	m->busy = true;
	/* Pairs with the load in has_job(). */
	smp_store_release(&m->jobs, m->jobs + 1);
	wake_up(&m->wake);
}

/**
 * mc_threads_hand_out() - have some threads do the current job
 * @threads: the threads
 * @who: array of @n indices of threads; NULL: the first @n
 * @n: number of threads
 *
 * Context: Process.
 */
void mc_threads_hand_out(struct mc_threads *threads, const unsigned int *who, unsigned int n)
{
	struct threads *t = threads_of(threads);
	struct member *m, *here = NULL;
	unsigned int i;

	atomic_set(&t->working, n);
	reinit_completion(&t->done);
	for (i = 0; i < n; i++) {
		m = &t->member[who ? who[i] : i];
		/* This one may go before the writer at once: it begins when no other is left. */
		if (!here && m->worker.cpu == raw_smp_processor_id())
			here = m;
		else
			hand_out(m);
	}
	if (here)
		hand_out(here);
}

/* Does nobody work any more? */
static bool all_ended(const struct threads *t)
{
	return atomic_read(&t->working) == count_dead(t, true);
}

/* Until the next look, in jiffies. */
static long slice_of(const struct threads *t)
{
	long left = t->deadline - jiffies;

	return t->all.seconds ? clamp(left, 1L, (long)SLICE) : SLICE;
}

/**
 * mc_threads_wait() - wait until all threads have done the job, or have died
 * @threads: the threads
 * @whatever_comes: neither a signal nor the deadline ends the wait
 *
 * Context: Process, the writer of the request; may sleep.
 * Return: 0, or what ended the wait, as mc_threads_why_end().
 */
int mc_threads_wait(struct mc_threads *threads, bool whatever_comes)
{
	struct threads *t = threads_of(threads);
	int end;

	if (whatever_comes) {
		while (!wait_for_completion_timeout(&t->done, SLICE) && !all_ended(t))
			;
		return 0;
	}
	do {
		end = mc_writer_wait(&t->done, slice_of(t));
		if (end > 0)
			return 0;
		end = end ? end : mc_threads_why_end(threads);
	} while (!end);
	return end;
}

/* -------------------------------------------------------------- windows */

/**
 * mc_idle() - let the thread sleep, and its CPU be idle if nobody else wants it
 * @ns: for how long, at least; neither a signal nor a stop ends it
 *
 * Context: Worker thread, no window is open.
 */
void mc_idle(u64 ns)
{
	unsigned long us = max(ns / 1000, 1ULL);

	usleep_range(us, us + us / 100 + 1);
}

/**
 * mc_window_preemptible() - may a window last as long as it likes?
 *
 * Return: false: its CPU runs nothing else until the window is closed.
 */
bool mc_window_preemptible(void)
{
	return false;
}
