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
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/threads.h"
#include "user.h"

#define RTTIME_LEAST_US		400000
#define FIRST_USER_NAMESPACE	0xeffffffdU	/* its inode; PROC_USER_INIT_INO of the kernel */

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

/* The scheduler wants capabilities of the whole machine, not of a user namespace. */
static bool is_in_a_namespace(void)
{
	struct stat s;

	return !stat("/proc/self/ns/user", &s) && s.st_ino != FIRST_USER_NAMESPACE;
}

/* The number in a file of a budget; -1: not known, or no limit. */
static long long number_in(const char *files, const char *name)
{
	char text[32];

	return mc_user_read_of(text, sizeof(text), "%s%s", files, name) ? atoll(text) : -1;
}

static bool has_cap_sys_nice(void)
{
	struct __user_cap_header_struct self = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &self, sets) && sets->effective >> CAP_SYS_NICE & 1;
}

/*
 * What threads need more than a real-time budget allows. @files: how the paths of its two files
 * begin; @of: whose budget it is. Return: NULL if it is enough, or not known.
 */
static const char *budget_lacks(const char *files, const char *of)
{
	long long runtime = number_in(files, "rt_runtime_us");
	long long period = number_in(files, "rt_period_us");
	static char text[128];

	if (runtime < 0 || runtime * 10 >= period * 9)
		return NULL;
	snprintf(text, sizeof(text),
		 "nine tenths of a CPU, and %srt_runtime_us%s allows %lld of %lld us",
		 strrchr(files, '/') + 1, of, runtime, period);
	return text;
}

/*
 * In version 1 of control groups, each group has a budget, which is 0 until somebody sets it. A
 * container may see its own group where the root of all groups should be.
 */
static const char *group_lacks(void)
{
	char text[8192], files[4100] = "/sys/fs/cgroup/cpu", *end = files + strlen(files), *line;
	const char *lack;

	if (!mc_user_read_file("/proc/self/cgroup", text, sizeof(text)))
		return NULL;
	line = strstr(text, ":cpu:");
	line = line ? line : strstr(text, ":cpu,cpuacct:");
	if (!line || sscanf(strchr(line + 1, ':'), ":%4000[^\n]", end) != 1)
		return NULL;
	strcat(end, "/cpu.");
	lack = budget_lacks(files, " of this control group");
	strcpy(end, "/cpu.");
	return lack ? lack : budget_lacks(files, " of this control group");
}

/* The right to ask for real-time that this process lacks; NULL: none. */
static const char *right_lacks(void)
{
	struct rlimit priority;

	if (!getrlimit(RLIMIT_RTPRIO, &priority) && priority.rlim_cur)
		return NULL;
	if (is_in_a_namespace())
		return "root of the machine; this is a user namespace (rootless container)";
	if (has_cap_sys_nice())
		return NULL;
	return geteuid() ? "sudo, CAP_SYS_NICE or `ulimit -r 1`" :
	       "CAP_SYS_NICE, which this root has not (of a container: --cap-add SYS_NICE)";
}

/* What threads lack to go before others; NULL: nothing. */
static const char *find_lack(void)
{
	const char *lack = budget_lacks("/proc/sys/kernel/sched_", "");
	struct rlimit rttime;

	if (lack)
		return lack;
	/* The kernel kills a process whose thread has worked for longer between two sleeps. */
	if (!getrlimit(RLIMIT_RTTIME, &rttime) && rttime.rlim_cur < RTTIME_LEAST_US)
		return "to work for 0.4 s at once, and `ulimit -R` is less";
	if (!take_fifo()) {
		restore_policy();
		return group_lacks();
	}
	lack = right_lacks();
	lack = lack ? lack : group_lacks();
	if (lack)
		return lack;
	/* Groups of version 2 have no file that says it. */
	return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER ?
	       "another seccomp filter, or real-time for its control group" :
	       "real-time; its control group has none (echo $$ >/sys/fs/cgroup/cgroup.procs)";
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
