// SPDX-License-Identifier: GPL-2.0-only
/* The threads of memcache-user: what a run costs threads that take no part in it. */
#include "cmocka_all.h"
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/steady.h"
#include "platform/clock.h"
#include "user.h"
#include "../../tools/user/workers.c"

/* A process that may or may not go before others, in place of this one. */
static const struct made {
	const char *words;
	bool refused;		/* by the kernel */
	bool namespace, cap, filter, user;
	rlim_t priority;
	rlim_t rttime;		/* us */
	const char *group;	/* of version 1 of control groups; NULL: not seen */
	const char *all_us, *group_us, *root_us;	/* budgets in files */
} *made;

static int ask_for_fifo(pthread_t thread, int policy, const struct sched_param *param)
{
	if (!made)
		return pthread_setschedparam(thread, policy, param);
	return made->refused && policy == SCHED_FIFO ? EPERM : 0;
}

static int find_limit(int which, struct rlimit *limit)
{
	limit->rlim_cur = which == RLIMIT_RTPRIO ? made->priority : made->rttime;
	return 0;
}

static long find_caps(long number, void *self, struct __user_cap_data_struct *sets)
{
	sets->effective = made->cap << CAP_SYS_NICE;
	return 0;
}

#define pthread_setschedparam		ask_for_fifo
#define getrlimit			find_limit
#define syscall				find_caps
#define geteuid()			(made->user ? 1000 : 0)
#define stat(path, s)			((s)->st_ino = made->namespace ? 1 : 0xeffffffd, 0)
#define prctl(what)			(made->filter ? SECCOMP_MODE_FILTER : 0)
#include "../../tools/user/sched.c"
#undef pthread_setschedparam
#undef syscall

#define THREADS	6
#define JOBS	2000
#define MEETINGS	200

/* The threads tell time by this rate. The CPU's counter may have another one. */
struct mc_clock mc_clock = { .counter = true, .khz = 1000000 };

/* Time where the CPU's counter is not used: each reading takes 1 us, and so does nothing else. */
static u64 now_ns;
static unsigned int rests;
static u64 first_rest_at, last_rest_ns;

u64 mc_clock_raw_ns(void)
{
	return now_ns += 1000;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	if (mc_clock.counter)
		return syscall(SYS_nanosleep, time, left);
	first_rest_at = rests++ ? first_rest_at : now_ns;
	last_rest_ns = time->tv_nsec;
	now_ns += time->tv_nsec;
	return 0;
}

void mc_cpus_usable(u64 *cpus)
{
	memset(cpus, 0xff, MC_MAX_CPUS / 8);
}

bool mc_cpu_has(enum mc_feature feature)
{
	return __builtin_cpu_supports("avx");
}

void mc_detector_begin(struct mc_detector *v)
{
}

u8 mc_detector_end(struct mc_detector *v)
{
	return 0;
}

/* Wall-clock time, which may be set while a run goes on. */
static long wall_is_ahead_s;

int clock_gettime(clockid_t id, struct timespec *t)
{
	int err = syscall(SYS_clock_gettime, id, t);

	if (id == CLOCK_REALTIME)
		t->tv_sec += wall_is_ahead_s;
	return err;
}

bool mc_user_read_file(const char *path, char *buf, size_t size)
{
	const char *text = strstr(path, "_period_us") ? "1000000" :
			   strstr(path, "kernel/sched_rt_r") ? made->all_us :
			   strstr(path, "self/cgroup") ? made->group :
			   strstr(path, "/cpu.stat") ?
			   strstr(path, made->words) ? "nr_periods 9\nnr_throttled 7\nn 5" : NULL :
			   strstr(path, "cgroup/cpu/cpu.") ? made->root_us : made->group_us;

	return text && snprintf(buf, size, "%s", text) > 0;
}

static struct mc_request req;
static struct mc_error e;
static struct mc_threads *threads;

/* @n threads on any CPU; on @cpu if it is not -1. With a limit, a test that hangs ends. */
static void start_on(int cpu, unsigned int n, u64 seconds)
{
	req = (struct mc_request){ .any_cpu = cpu < 0, .ncpus = cpu >= 0 };
	if (cpu >= 0)
		req.cpus[cpu / 64] = 1ULL << (cpu % 64);
	req.values[MC_KEY_TIMEOUT].v[0] = seconds;
	e = (struct mc_error){ 0 };
	threads = mc_threads_start(&req, n, &e);
	assert_non_null(threads);
}

static void start(unsigned int n, u64 seconds)
{
	start_on(-1, n, seconds);
}

static int all_do(int (*job)(struct mc_worker *w, void *arg), void *arg)
{
	return mc_threads_run(threads, job, arg);
}

static unsigned int done[THREADS];
static long slept[THREADS];

static int count(struct mc_worker *w, void *arg)
{
	done[w->index]++;
	return 0;
}

/* How often the thread has gone to sleep so far. */
static int look(struct mc_worker *w, void *arg)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	slept[w->index] = usage.ru_nvcsw;
	return 0;
}

static void test_who_has_no_part_sleeps_on(void **state)
{
	const unsigned int turn = 3;

	start(THREADS, 0);
	for (int i = 0; i < JOBS; i++)
		assert_int_equal(mc_threads_run_some(threads, &turn, 1, count, NULL), 0);
	assert_int_equal(all_do(look, NULL), 0);
	mc_threads_end(threads);
	for (unsigned int i = 0; i < THREADS; i++) {
		assert_int_equal(done[i], i == turn ? JOBS : 0);
		/* A thread sleeps at its start, at the end, and for a lock now and then. */
		if (i != turn)
			assert_in_range(slept[i], 0, JOBS / 10);
	}
}

static int look_at_itself(struct mc_worker *w, void *arg)
{
	done[w->index]++;
	*(int *)arg = w->cpu;
	return 0;
}

/* A thread that is the only one has the index 0 in its jobs, and its own CPU. */
static void test_one_thread_as_the_threads(void **state)
{
	int cpu = -1;

	start_on(0, 3, 0);
	memset(done, 0, sizeof(done));
	for (int i = 2; i >= 0; i--) {
		threads->only = i;
		assert_int_equal(mc_threads_size(threads), 1);
		assert_int_equal(mc_threads_cpu(threads, 0), 0);
		assert_int_equal(all_do(look_at_itself, &cpu), 0);
		assert_int_equal(cpu, 0);
	}
	assert_int_equal(done[0], 3);
	threads->only = -1;
	assert_int_equal(mc_threads_size(threads), 3);
	assert_int_equal(all_do(look_at_itself, &cpu), 0);
	assert_int_equal(done[0], 4);
	assert_int_equal(done[1], 1);
	assert_int_equal(done[2], 1);
	mc_threads_end(threads);
}

static unsigned int met[THREADS];

/* All threads have met as often as this one, or wait for the next time. */
static bool together(unsigned int times)
{
	for (unsigned int i = 0; i < THREADS; i++) {
		unsigned int other = __atomic_load_n(&met[i], __ATOMIC_SEQ_CST);

		if (other != times && other != times + 1)
			return false;
	}
	return true;
}

static int meet_often(struct mc_worker *w, void *arg)
{
	for (unsigned int i = 1; i <= MEETINGS; i++) {
		__atomic_store_n(&met[w->index], i, __ATOMIC_SEQ_CST);
		if (mc_barrier(w))
			return -ETIME;
		if (!together(i))
			return -EIO;
	}
	return 0;
}

/* This also holds when its counter wraps around. */
static void test_the_gate_opens_however_often(void **state)
{
	start(THREADS, 3600);
	threads->meetings = ~0U - MEETINGS / 2;
	assert_int_equal(all_do(meet_often, NULL), 0);
	mc_threads_end(threads);
}

static int policy(void)
{
	return sched_getscheduler(0);
}

static int meet_before_others(struct mc_worker *w, void *arg)
{
	return policy() == SCHED_FIFO ? meet_often(w, arg) : -EPERM;
}

static int meet_as_before(struct mc_worker *w, void *arg)
{
	return policy() == *(int *)arg && !mc_give_way ? 0 : -EPERM;
}

/* A thread that waits for another one on its own CPU must let it run. */
static void test_threads_of_a_cpu_meet_before_others(void **state)
{
	int before = policy(), cpu = sched_getcpu();

	if (take_fifo())
		skip();
	restore_policy();
	assert_int_equal(policy(), before);
	start_on(cpu, THREADS, 3600);
	for (int i = 0; i < 2; i++) {
		threads->fifo = true;
		assert_int_equal(all_do(meet_before_others, NULL), 0);
		threads->fifo = false;
		assert_int_equal(all_do(meet_as_before, &before), 0);
	}
	mc_threads_end(threads);
}

static unsigned int pauses;

/* Other threads of the CPU run meanwhile, so a run may take as long as it likes. */
static int work_for_long(struct mc_worker *w, void *arg)
{
	u64 from = mc_ticks();
	int err = 0;

	pauses = 0;
	w->left_off = from;
	while (!err && mc_ticks() - from < 10 * mc_ns_to_ticks(MC_WORK_NS)) {
		err = mc_window_open(w, false);
		mc_window_close(w);
		pauses += w->began > w->left_off + mc_ns_to_ticks(MC_REST_NS) / 2;
		mc_core_note_work(w);
	}
	/* One that is no rest. */
	now_ns += MC_REST_NS;
	err = err ? err : mc_window_open(w, false);
	mc_window_close(w);
	pauses += w->began > w->left_off + MC_REST_NS / 2 ? 100 : 0;
	return err;
}

/* Half a millisecond between two windows is no pause, and a longer one costs as much work. */
static void test_short_gaps_are_no_pauses(void **state)
{
	const u64 gap = mc_ns_to_ticks(MC_PAUSE_NS);

	for (u64 i = 0; i < 2; i++) {
		struct mc_worker w = { .worked = 9 * gap, .began = gap + i, .ended = gap + i };

		assert_int_equal(mc_core_note_work(&w), (9 - i) * gap - i);
	}
}

static void test_who_goes_before_others_rests(void **state)
{
	/* Time is virtual here, so the thread needs no real-time priority. */
	made = &(struct made){ .refused = false };
	start(1, 0);
	threads->fifo = true;
	mc_clock = (struct mc_clock){ .khz = 1000000 };
	/* The time between two jobs is a rest, too. */
	for (unsigned int i = 0; i < 2; i++) {
		u64 from = now_ns += 2 * MC_WORK_NS;

		rests = 0;
		assert_int_equal(all_do(work_for_long, NULL), 0);
		assert_in_range(first_rest_at - from, MC_WORK_NS, MC_WORK_NS + 1000000);
		assert_int_equal(rests, (10 * MC_WORK_NS + MC_REST_NS) / (MC_WORK_NS + MC_REST_NS));
		/* Rests are no pauses. */
		assert_int_equal(pauses, 100);
	}
	mc_clock.counter = true;
	mc_threads_end(threads);
	made = NULL;
}

/*
 * The threads of a run have a common rest. Times are ms: when a thread asks, for how long it would
 * rather go on, and until when it rests then, or has a rest of its own.
 */
static void test_threads_rest_together(void **state)
{
	static const struct {
		unsigned int who;
		u64 at, ahead, until;
	} rows[] = {
		{ 0, 30, 0, 30 }, { 0, 38, 0, 44 }, { 1, 39, 0, 44 },	/* together */
		{ 0, 60, 30, 66 }, { 1, 64, 0, 69 },	/* one early, for what is ahead; one late */
		{ 0, 70, 39, 70 },			/* too long to wait for */
		{ 0, 104, 0, 110 }, { 0, 148, 0, 154 },
		{ 1, 154, 0, 163 },			/* too late, and 85 ms of work: a ninth */
		{ 0, 155, 0, 155 }, { 1, 192, 0, 198 }, { 0, 192, 0, 198 },
	};
	struct mc_threads two = { .fifo = true, .rested = 0 };
	struct mc_worker w[2] = { { .threads = &two }, { .threads = &two } };

	mc_clock = (struct mc_clock){ .khz = 1000000 };
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		now_ns = rows[i].at * 1000000;
		last_rest_ns = 0;
		mc_threads_rest(&w[rows[i].who], rows[i].ahead * 1000000);
		assert_int_equal((rows[i].at * 1000000 + last_rest_ns + 500000) / 1000000,
				 rows[i].until);
	}
	/* Sleep is a rest if it is as long as one. */
	for (unsigned int i = 0; i < 2; i++) {
		now_ns += MC_REST_NS;
		mc_threads_rested(w, MC_REST_LEAST - 1 + i);
		assert_int_equal(now_ns - w->rested < 10000, i);
	}
	two.fifo = false;
	now_ns = 1ULL << 40;
	assert_false(mc_threads_rest(w, 0));
	mc_clock.counter = true;
}

#define MAY		.cap = true, .rttime = RLIM_INFINITY
#define MAY_NOT		.refused = true, .rttime = RLIM_INFINITY

/* What is said to lack is what lacks, the first thing first. */
static void test_what_threads_lack(void **state)
{
	static const struct made rows[] = {
		{ NULL, MAY },
		{ NULL, MAY, .all_us = "-1", .group = "4:cpu:/a", .group_us = "900000" },
		{ "nine tenths of a CPU, and sched_rt_runtime_us allows 899999 of 1000000 us",
		  MAY, .all_us = "899999" },
		{ "to work for 0.4 s at once, and `ulimit -R` is less", .rttime = 399999 },
		{ NULL, .rttime = 400000 },
		{ "nine tenths of a CPU, and cpu.rt_runtime_us of this control group allows 20 of",
		  MAY, .group = "1:cpu,cpuacct:/a", .group_us = "20" },
		{ "nine tenths of a CPU, and cpu.rt_runtime_us of this control group allows 30 of",
		  MAY, .group = "1:cpu:/docker/1", .root_us = "30" },
		{ "sudo, CAP_SYS_NICE or `ulimit -r 1`", MAY_NOT, .user = true,
		  .group = "1:cpu:/a", .group_us = "0" },
		{ "CAP_SYS_NICE, which this root has not", MAY_NOT, .filter = true },
		{ "root of the machine; this is a user namespace", MAY_NOT, .namespace = true,
		  .cap = true },
		{ NULL, .rttime = RLIM_INFINITY, .namespace = true, .priority = 1 },
		/* The limit lets it ask, so it is something else that refuses. */
		{ "nine tenths of a CPU, and cpu.rt_runtime_us of this control group allows 0 of",
		  MAY_NOT, .user = true, .priority = 1, .group = "1:cpu:/a", .group_us = "0" },
		{ "real-time; its control group has none (echo", MAY_NOT, .cap = true },
		{ "another seccomp filter, or real-time for its control group", MAY_NOT,
		  .namespace = true, .priority = 99, .filter = true },
	};

	for (made = rows; made < rows + ARRAY_SIZE(rows); made++) {
		const char *lack = find_lack();

		assert_int_equal(!lack, !made->words);
		if (lack)
			assert_memory_equal(lack, made->words, strlen(made->words));
	}
	made = NULL;
}

/* A group, those around it, and the root count. */
static void test_stops_by_a_limit_of_cpu_time(void **state)
{
	static const struct {
		const char *group, *limited;
		u64 stops;
	} rows[] = {
		{ "0::/a/b", "cgroup/a/b/cpu.stat", 7 }, { "0::/a/b", "cgroup/a/cpu.stat", 7 },
		{ "0::/a/b", "fs/cgroup/cpu.stat", 7 }, { "0::/a", "cgroup/b/cpu.stat", 0 },
		{ "2:cpu:/b\n0::/", "/cpu/b/cpu.stat", 7 }, { NULL, "/cpu.stat", 0 },
		{ "3:cpu,cpuacct:/b", "/cpu/b/cpu.stat", 7 }, { "2:cpuset:/a", "/cpu.stat", 0 },
	};
	struct mc_user_room room;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		made = &(struct made){ rows[i].limited, .group = rows[i].group };
		mc_user_room(&room);
		assert_int_equal(room.stops, rows[i].stops);
	}
	made = NULL;
}

/* The upper half of a vector register, before a window and in it. */
static u64 upper[2][2];

static int look_at_register(struct mc_worker *w, void *arg)
{
	asm volatile("vcmptrueps %%ymm9, %%ymm9, %%ymm9\n\t"
		     "vextractf128 $1, %%ymm9, %0" : "=m" (upper[0]) : : "xmm9");
	if (mc_window_open(w, false))
		return -EINVAL;
	asm volatile("vextractf128 $1, %%ymm9, %0" : "=m" (upper[1]));
	mc_window_close(w);
	return 0;
}

/* If the upper halves are not 0, SSE instructions are slower on some CPUs. */
static void test_upper_halves_are_empty_in_a_window(void **state)
{
	if (!__builtin_cpu_supports("avx"))
		skip();
	start(1, 0);
	assert_int_equal(all_do(look_at_register, NULL), 0);
	mc_threads_end(threads);
	assert_true(upper[0][0] == ~0ULL && upper[0][1] == ~0ULL);
	assert_true(upper[1][0] == 0 && upper[1][1] == 0);
}

static void test_a_limit_is_no_time_of_day(void **state)
{
	wall_is_ahead_s = 0;
	start(1, 3600);
	assert_int_equal(all_do(count, NULL), 0);
	wall_is_ahead_s = 7200;
	assert_int_equal(all_do(count, NULL), 0);
	mc_threads_end(threads);
}

static int leave_cpu(struct mc_worker *w, void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(*(int *)arg, &set);
	return -sched_setaffinity(0, sizeof(set), &set);
}

/* The job itself succeeds, but what it did was not done where the record says so. */
static void test_a_thread_that_left_its_cpu_fails(void **state)
{
	cpu_set_t set;
	char text[64];
	int here, other;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	if (CPU_COUNT(&set) < 2)
		skip();
	for (here = 0; !CPU_ISSET(here, &set); here++)
		;
	for (other = here + 1; !CPU_ISSET(other, &set); other++)
		;
	snprintf(text, sizeof(text), "cpu: %d went offline while the run was on", here);
	for (unsigned int n = 1; n <= 2; n++) {
		start_on(here, n, 0);
		assert_int_equal(mc_threads_cpu(threads, n - 1), here);
		assert_int_equal(all_do(leave_cpu, &other), -ENODEV);
		mc_threads_end(threads);
		assert_int_equal(e.err, -ENODEV);
		assert_string_equal(e.text, text);
	}
}

static int until_stopped(struct mc_worker *w, void *arg)
{
	while (!mc_threads_stopped(w->threads))
		;
	return 0;
}

static void test_the_limit_ends_a_job(void **state)
{
	start(2, 1);
	assert_int_equal(all_do(until_stopped, NULL), -ETIME);
	assert_int_equal(all_do(count, NULL), -ETIME);
	mc_threads_end(threads);
	assert_int_equal(e.err, -ETIME);
	assert_string_equal(e.text,
			    "timeout: 1 s have passed; what was measured until then is kept");
}
