// SPDX-License-Identifier: GPL-2.0-only
/*
 * sched=fifo: the threads of a run go before all ordinary threads of their CPUs.
 *
 * A thread has SCHED_FIFO for as long as a job takes, and its former policy afterwards. If the
 * process dies, the policy is gone with the thread. Threads rest (measure/threads.h), so that the
 * machine stays usable, and so that the kernel does not take its own twentieth of each second out
 * of some window. If the kernel takes the CPU nevertheless, the detector sees a preemption, and
 * the window does not count.
 *
 * A rest is not a pause after which the loop has to settle again (measure/steady.h): others keep
 * the core busy meanwhile, and an idle core loses part of its speed after 5 ms only.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/threads.h"
#include "user.h"

#define RUNTIME		"/proc/sys/kernel/sched_rt_runtime_us"
#define PERIOD		"/proc/sys/kernel/sched_rt_period_us"

#define RTTIME_LEAST_US	400000

/* The lowest priority that goes before ordinary threads; those of real work go before it. */
static const struct sched_param lowest = { .sched_priority = 1 };

static __thread struct {
	int policy;
	struct sched_param param;
	struct mc_worker *worker;
} former;

/*
 * Several threads of this priority may wait for each other on one CPU, so a thread that spins
 * lets the others run.
 */
static void give_way(void)
{
	if (!mc_threads_rest(former.worker, 0))
		sched_yield();
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

/* The number in a file; -1: not known, or no limit. */
static long long number_in(const char *path)
{
	char text[32];

	return mc_user_read_file(path, text, sizeof(text)) ? atoll(text) : -1;
}

static bool has_cap_sys_nice(void)
{
	char text[4096];
	const char *set = mc_user_read_file("/proc/self/status", text, sizeof(text)) ?
			  strstr(text, "CapEff:") : NULL;

	return set && strtoull(set + strlen("CapEff:"), NULL, 16) >> 23 & 1;
}

/* The right that threads lack to go before others; NULL: none. */
static const char *find_lack(void)
{
	long long runtime = number_in(RUNTIME), period = number_in(PERIOD);
	static char text[128];
	struct rlimit rttime;

	if (runtime >= 0 && runtime * 10 < period * 9) {
		snprintf(text, sizeof(text),
			 "nine tenths of a CPU, and sched_rt_runtime_us allows %lld of %lld us",
			 runtime, period);
		return text;
	}
	/* The kernel kills a process whose thread has worked for longer between two sleeps. */
	if (!getrlimit(RLIMIT_RTTIME, &rttime) && rttime.rlim_cur < RTTIME_LEAST_US)
		return "to work for 0.4 s at once, and `ulimit -R` is less";
	if (!take_fifo()) {
		restore_policy();
		return NULL;
	}
	if (has_cap_sys_nice())
		return "a control group with real-time, and cpu.rt_runtime_us of this one has none";
	if (!geteuid())
		return "CAP_SYS_NICE, which this root has not (of a container: --cap-add SYS_NICE)";
	return "root (sudo), CAP_SYS_NICE or `ulimit -r 1`";
}

/**
 * mc_user_sched_needs() - what the threads of this process lack to go before all others
 *
 * Return: words that follow "needs", or NULL: they can.
 */
const char *mc_user_sched_needs(void)
{
	static const char *lack;
	static bool known;

	if (!known)
		lack = find_lack();
	known = true;
	return lack;
}

/**
 * mc_user_goes_first() - may the threads of a point go before all others?
 * @point: the point
 *
 * Return: true or false.
 */
bool mc_user_goes_first(const struct mc_point *point)
{
	return !mc_user_sched_needs();
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
	if (point->v[MC_KEY_SCHED] != MC_SCHED_FIFO)
		return 0;
	if (run->req->spec->memoryless)
		return mc_fail(&run->error, -EINVAL,
			       "sched: fifo is for tests of memory, whose threads do not wait for others");
	if (mc_user_sched_needs())
		return mc_fail(&run->error, -EOPNOTSUPP, "sched: fifo needs %s",
			       mc_user_sched_needs());
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
		mc_fail(w->threads->error, -EOPNOTSUPP, "sched: fifo is no longer allowed (%s)",
			strerror(err));
	if (err)
		mc_threads_stop(w->threads, -EOPNOTSUPP);
	if (err || !w->threads->fifo)
		return;
	former.worker = w;
	mc_give_way = give_way;
}

/** mc_user_sched_end() - give the thread its former policy back */
void mc_user_sched_end(void)
{
	if (!mc_give_way)
		return;
	mc_give_way = NULL;
	restore_policy();
}
