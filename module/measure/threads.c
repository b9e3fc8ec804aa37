// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads of a run: which one is on which CPU, what stops a run, and how threads meet and
 * rest. The threads themselves are those of the side (platform/workers.h).
 */
#include "arch/loops.h"
#include "measure/events.h"
#include "measure/threads.h"
#include "platform/clock.h"

/* ------------------------------------------------------------- stopping */

/**
 * mc_threads_stop() - end the run at the next window
 * @threads: the threads
 * @err: negative errno, the reason; only the first call sets it
 */
void mc_threads_stop(struct mc_threads *threads, int err)
{
	cmpxchg(&threads->stop, 0, err);
}

/* A thread whose CPU went offline runs on another one: its results are invalid. */
static int check_cpu(const struct mc_worker *w)
{
	if (w->cpu < 0 || mc_thread_cpu() == w->cpu)
		return 0;
	if (mc_threads_claim_error(w->threads))
		mc_fail(w->threads->error, -ENODEV,
			"cpu: %d went offline while the run was on", w->cpu);
	return -ENODEV;
}

/* @err is that of mc_threads_why_end() or mc_threads_wait(). */
static void stop_early(struct mc_threads *threads, int err)
{
	if (err == -ETIME && mc_threads_claim_error(threads))
		mc_fail(threads->error, err,
			"timeout: %llu s have passed; what was measured until then is kept",
			threads->seconds);
	else if (err == -ECANCELED && mc_threads_claim_error(threads))
		mc_fail(threads->error, err,
			"run: stopped because its writer is about to be frozen, as for a suspend; earlier results are kept");
	else if (err == -EIO && mc_threads_claim_error(threads))
		mc_fail(threads->error, err,
			"run: one of its threads died in the kernel, whose log says why; earlier results are kept, and the machine should be rebooted");
	mc_threads_stop(threads, err);
}

/**
 * mc_threads_look() - stop the run if the writer's state or the deadline says so
 * @threads: the threads
 *
 * Called where the writer itself works, and before each job, since the wait for a
 * short job may notice neither.
 *
 * Context: Process, the writer of the request.
 * Return: 0, or the errno of the stop, also of an earlier one.
 */
int mc_threads_look(struct mc_threads *threads)
{
	int err = mc_threads_why_end(threads);

	if (err)
		stop_early(threads, err);
	return mc_threads_stopped(threads);
}

/* -------------------------------------------------------------- threads */

/**
 * mc_threads_start() - start the threads of a run; they wait for a job
 * @req: the CPUs, whose list starts again if there are more threads, and the timeout
 * @n: number of threads
 * @e: result: what is wrong
 *
 * Context: Process, may sleep.
 * Return: the threads, or NULL and @e->err: -EINVAL (a CPU can't be used), -ENOMEM,
 * -EAGAIN or -EINTR.
 */
struct mc_threads *mc_threads_start(const struct mc_request *req, unsigned int n,
				    struct mc_error *e)
{
	u64 seconds = req->values[MC_KEY_TIMEOUT].v[0];
	struct mc_threads *threads = mc_threads_new(n, seconds);
	int cpu = -1, err = 0;
	unsigned int i;

	if (!threads) {
		mc_fail(e, -ENOMEM, "cpu: no memory for %u thread%s", n, MC_S(n));
		return NULL;
	}
	threads->n = n;
	threads->error = e;
	threads->seconds = seconds;
	threads->only = -1;
	for (i = 0; !err && i < n; i++) {
		struct mc_worker *w = mc_threads_worker(threads, i);

		if (!req->any_cpu)
			cpu = mc_request_cpu(req, cpu);
		w->threads = threads;
		w->index = i;
		w->cpu = cpu;
		err = mc_thread_start(w);
	}
	if (!err)
		return threads;
	mc_threads_end(threads);
	return NULL;
}

/**
 * mc_threads_cpu() - the CPU that a thread is bound to
 * @threads: the threads
 * @i: its index
 *
 * Return: the CPU, or -1 if the thread is not bound.
 */
int mc_threads_cpu(const struct mc_threads *threads, unsigned int i)
{
	return mc_threads_worker(threads, threads->only < 0 ? i : threads->only)->cpu;
}

/* --------------------------------------------------------------- windows */

/**
 * mc_window_open() - begin a timed window
 * @w: the thread
 * @irq_off: turn interrupts off, in the kernel
 *
 * Until the window is closed, vector registers may be used and, in the kernel, nothing may sleep,
 * unless @w->sleeps.
 *
 * Context: Worker thread.
 * Return: 0, the errno of the stop, or -ENODEV if the thread's CPU went offline. The
 * window is open only if 0 is returned.
 */
int mc_window_open(struct mc_worker *w, bool irq_off)
{
	int err = mc_threads_stopped(w->threads);

	if (err)
		return err;
	/* A rest is no pause. One behind the last window came before that was accounted for. */
	w->left_off += w->rests;
	w->rests = 0;
	mc_events_start(w->events);
	w->irq_off = irq_off;
	/* Some architectures allow the first only while interrupts are on. */
	if (!w->sleeps)
		mc_fpu_begin();
	if (irq_off)
		w->irq_flags = mc_irqs_off();
	if (!w->sleeps)
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
	w->disturbed = mc_detector_end(&w->detector);
	if (w->irq_off)
		mc_irqs_restore(w->irq_flags);
	if (!w->sleeps)
		mc_fpu_end();
	mc_events_stop(w->events);
	ticks = w->ended > w->began ? w->ended - w->began : 0;
	mc_breathe();
	return ticks;
}

/* ----------------------------------------------------------------- rests */

/**
 * mc_threads_rest() - let others have the CPU, if the threads go before them and it is time
 * @w: the thread
 * @ahead: ticks for which it would rather not rest after this; one that is longer than the time
 *         between two rests does not count
 *
 * The threads of a run rest at the same time, so none of them is measured while others sleep. The
 * first one that has worked for MC_WORK_NS says until when. One whose window was so long that it
 * comes late, or too late, rests for MC_REST_LEAST. All have had a rest of at least a ninth of
 * their work then.
 *
 * Context: Worker thread, no window is open.
 * Return: true if it has rested.
 */
bool mc_threads_rest(struct mc_worker *w, u64 ahead)
{
	u64 work = mc_ns_to_ticks(MC_WORK_NS), least = mc_ns_to_ticks(MC_REST_LEAST);
	struct mc_threads *threads = w->threads;
	u64 now = mc_ticks(), until = READ_ONCE(threads->rested), worked = now - w->rested;

	if (!threads->fifo)
		return false;
	if (now + (ahead < work ? ahead : 0) >= until + work) {
		cmpxchg(&threads->rested, until, now + mc_ns_to_ticks(MC_REST_NS));
		until = READ_ONCE(threads->rested);
	}
	if (now >= until && worked < work + 2 * least)
		return false;
	until = max(until, now + max(least, worked / 9));
	mc_idle(mc_ticks_to_ps(until - now) / 1000);
	w->rested = mc_ticks();
	w->rests += w->rested - now;
	return true;
}

/**
 * mc_threads_rested() - note that a thread that works alone has slept, which is as good as a rest
 * @w: the thread
 * @slept: for so many ticks, until now
 *
 * Context: Worker thread.
 */
void mc_threads_rested(struct mc_worker *w, u64 slept)
{
	if (slept < mc_ns_to_ticks(MC_REST_LEAST))
		return;
	w->rested = mc_ticks();
	WRITE_ONCE(w->threads->rested, w->rested);
}

/* ------------------------------------------------------------------ jobs */

/**
 * mc_threads_do_job() - do the current job; if it fails, stop the run
 * @w: the thread, which was told to do it
 *
 * Context: Worker thread.
 */
void mc_threads_do_job(struct mc_worker *w)
{
	int err;

	w->rested = mc_ticks();
	err = w->threads->job(w, w->threads->arg);
	if (!err)
		err = check_cpu(w);
	if (err)
		mc_threads_stop(w->threads, err);
}

/**
 * mc_threads_run_some() - have some of the threads do a job, and wait for them
 * @threads: the threads
 * @who: array of @n indices of threads, the others sleep on; NULL: the first @n
 * @n: number of threads that do it and that meet at the barrier; not 0
 * @job: each does it once
 * @arg: its argument
 *
 * Context: Process, may sleep. A signal ends the job with -EINTR.
 * Return: 0, or the errno of what stopped the run.
 */
int mc_threads_run_some(struct mc_threads *threads, const unsigned int *who,
			unsigned int n, mc_job job, void *arg)
{
	int err = mc_threads_look(threads);

	if (err)
		return err;
	threads->job = job;
	threads->arg = arg;
	threads->party = n;
	atomic_set(&threads->arrived, 0);
	if (mc_ticks() - threads->worked >= mc_ns_to_ticks(MC_REST_LEAST))
		threads->rested = mc_ticks();
	mc_threads_hand_out(threads, who, n);
	err = mc_threads_wait(threads, false);
	if (err) {
		/* Then the job ends soon. */
		stop_early(threads, err);
		mc_threads_wait(threads, true);
	}
	threads->worked = mc_ticks();
	return mc_threads_stopped(threads);
}

/**
 * mc_threads_run() - have all threads do a job, and wait for them
 * @threads: the threads
 * @job: each does it once
 * @arg: its argument
 *
 * Context: as mc_threads_run_some().
 * Return: the same.
 */
int mc_threads_run(struct mc_threads *threads, mc_job job, void *arg)
{
	unsigned int who = threads->only;
	struct mc_worker *w;
	int err;

	if (threads->only < 0)
		return mc_threads_run_some(threads, NULL, threads->n, job, arg);
	w = mc_threads_worker(threads, who);
	w->index = 0;
	err = mc_threads_run_some(threads, &who, 1, job, arg);
	w->index = who;
	return err;
}

/* ----------------------------------------------------------- the barrier */

/**
 * mc_barrier() - wait until all threads that have the job are here
 * @w: the thread
 *
 * Threads spin, because a wake-up would make them start late.
 *
 * Context: Worker thread, interrupts on.
 * Return: 0; the errno of the stop, also if only another thread has seen it; or
 * -ENODEV if the thread's CPU went offline.
 */
int mc_barrier(struct mc_worker *w)
{
	struct mc_threads *threads = w->threads;
	u32 meetings = READ_ONCE(threads->meetings);

	if (atomic_inc_return(&threads->arrived) == threads->party) {
		atomic_set(&threads->arrived, 0);
		/* Releases: @arrived is 0 before a thread comes again. */
		mc_flag_set(&threads->meetings, meetings + 1);
	}
	/* Acquires: what other threads wrote before the barrier is visible. */
	while (mc_flag(&threads->meetings) == meetings) {
		if (mc_threads_stopped(threads))
			break;
		mc_relax();
		mc_breathe();
	}
	return mc_threads_stopped(threads) ? mc_threads_stopped(threads) : check_cpu(w);
}
