// SPDX-License-Identifier: GPL-2.0-only
/*
 * sched=fifo: the threads of a run go before all ordinary threads of their CPUs.
 *
 * A thread has SCHED_FIFO for as long as a job takes, and its former policy afterwards. If the
 * process dies, the policy is gone with the thread. So that the machine stays usable, and so
 * that the kernel does not take its own twentieth of each second out of some window, a thread
 * that has worked for WORK_NS sleeps for REST_NS between two windows. Threads that measure
 * together only sleep between samples. If the kernel takes the CPU nevertheless, the detector
 * sees a preemption, and the window does not count.
 *
 * A rest is not a pause after which the loop has to settle again (measure/steady.h): others keep
 * the core busy meanwhile, and an idle core loses part of its speed after 5 ms only.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/threads.h"
#include "platform/clock.h"
#include "user.h"

#define WORK_NS		40000000
#define REST_NS		4500000

#define RUNTIME		"/proc/sys/kernel/sched_rt_runtime_us"
#define PERIOD		"/proc/sys/kernel/sched_rt_period_us"

/* The lowest priority that goes before ordinary threads; those of real work go before it. */
static const struct sched_param lowest = { .sched_priority = 1 };

static __thread struct {
	int policy;
	struct sched_param param;
	u64 rested;	/* ticks at the end of the last rest */
	u64 rests;	/* ticks of all rests since the last window was opened */
} former;

/*
 * Several threads of this priority may wait for each other on one CPU, so a thread that spins
 * lets the others run.
 */
static void give_way(void)
{
	u64 from = mc_ticks();

	if (from - former.rested < mc_ns_to_ticks(WORK_NS)) {
		sched_yield();
		return;
	}
	nanosleep(&(struct timespec){ .tv_nsec = REST_NS }, NULL);
	former.rested = mc_ticks();
	former.rests += former.rested - from;
}

static int take_fifo(void)
{
	int err = pthread_getschedparam(pthread_self(), &former.policy, &former.param);

	return err ? err : pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest);
}

static void restore_policy(void)
{
	pthread_setschedparam(pthread_self(), former.policy, &former.param);
}

static int refuse(struct mc_error *e, int err)
{
	return mc_fail(e, -EOPNOTSUPP,
		       "sched: fifo needs root, CAP_SYS_NICE or `ulimit -r 1`, and a control group that has real-time (%s)",
		       strerror(err));
}

/* The number in a file; -1: not known, or no limit. */
static long long number_in(const char *path)
{
	char text[32];

	return mc_user_read_file(path, text, sizeof(text)) ? atoll(text) : -1;
}

/**
 * mc_user_sched_check() - can the threads get SCHED_FIFO, if the point asks for it?
 * @run: the run
 * @point: the point
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP, explained in the run's error.
 */
int mc_user_sched_check(struct mc_run *run, const struct mc_point *point)
{
	long long runtime = number_in(RUNTIME), period = number_in(PERIOD);
	int err;

	if (point->v[MC_KEY_SCHED] != MC_SCHED_FIFO)
		return 0;
	if (run->req->spec->memoryless)
		return mc_fail(&run->error, -EINVAL,
			       "sched: fifo is for tests of memory, whose threads do not wait for others");
	if (runtime >= 0 && runtime * 10 < period * 9)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "sched: fifo takes up to nine tenths of a CPU, and %lld of %lld us are allowed; see "
			       RUNTIME, runtime, period);
	err = take_fifo();
	if (err)
		return refuse(&run->error, err);
	restore_policy();
	return 0;
}

/**
 * mc_user_sched_begin() - let the thread go before others, if the current point asks for it
 * @w: the thread
 *
 * The run stops if it can't.
 */
void mc_user_sched_begin(struct mc_worker *w)
{
	int err = w->threads->fifo ? take_fifo() : 0;

	if (err && mc_threads_claim_error(w->threads))
		refuse(w->threads->error, err);
	if (err)
		mc_threads_stop(w->threads, -EOPNOTSUPP);
	if (err || !w->threads->fifo)
		return;
	former.rested = mc_ticks();
	mc_give_way = give_way;
}

/**
 * mc_user_sched_work() - the thread opens a window: its rests before it are no pause
 * @w: the thread; a rest behind its last window came before that window was accounted for
 */
void mc_user_sched_work(struct mc_worker *w)
{
	w->left_off += former.rests;
	former.rests = 0;
}

/** mc_user_sched_end() - give the thread its former policy back */
void mc_user_sched_end(void)
{
	if (!mc_give_way)
		return;
	mc_give_way = NULL;
	former.rests = 0;
	restore_policy();
}
