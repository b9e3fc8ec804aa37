// SPDX-License-Identifier: GPL-2.0-only
/*
 * os: the time of system calls, of new processes and of context switches, each measured
 * by itself. Two more items measure the loop around them and the clock. The test does
 * not use the run's memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "user.h"

enum { KEY_ITEM = MC_KEY_OWN };

enum { COL_OPERATIONS };

enum {
	ITEM_LOOP, ITEM_CLOCK, ITEM_GETPID, ITEM_GETPPID, ITEM_READ, ITEM_WRITE,
	ITEM_SWAPCONTEXT, ITEM_FORK_EXIT, ITEM_FORK_EXEC, ITEM_VFORK_EXEC, ITEM_POSIX_SPAWN
};

/* Operations in a pass. Each counts as 8 bytes; a window takes a multiple of 64. */
#define MANY	16384
#define FEW	8
#define STACK	65536

static const struct mc_name item_names[] = {
	{ "loop", ITEM_LOOP }, { "clock", ITEM_CLOCK },
	{ "getpid", ITEM_GETPID }, { "getppid", ITEM_GETPPID },
	{ "read_zero", ITEM_READ }, { "write_null", ITEM_WRITE },
	{ "swapcontext", ITEM_SWAPCONTEXT }, { "fork_exit", ITEM_FORK_EXIT },
	{ "fork_exec", ITEM_FORK_EXEC }, { "vfork_exec", ITEM_VFORK_EXEC },
	{ "posix_spawn", ITEM_POSIX_SPAWN }, { }
};

static const struct mc_key keys[] = {
	{
		.name = "item", .column = "item",
		.preset =
			"loop,clock,getpid,getppid,read_zero,write_null,swapcontext,fork_exit,fork_exec,vfork_exec,posix_spawn",
		.kind = MC_CHOICE, .names = item_names,
		.help = "operation that is timed; read, write: 1 byte of /dev/zero, /dev/null",
	},
};

static const struct mc_column columns[] = {
	[COL_OPERATIONS] = {
		.name = "operations_per_sample", .wide = true,
		.help = "operations timed together, so that the clock's cost is small",
	},
};

/* Static, because a context's function takes no pointer; there is one run at a time. */
static struct {
	struct mc_run *run;
	u64 item;
	int zero;
	int null;
	char hello[4096];
	posix_spawn_file_actions_t quiet;
	ucontext_t here;
	ucontext_t there;
	char stack[STACK];
} job;

static void stop_with(int err, const char *what)
{
	mc_fail(&job.run->error, -err, "item: %s: %s", what, strerror(err));
	mc_team_stop(job.run->team, -err);
}

/* ------------------------------------------------------- n of each operation */

static void count_loop(u64 n)
{
	mc_asm_count(n);
}

static void read_clock(u64 n)
{
	while (n--)
		mc_ticks();
}

/* Not getpid(), whose result some libraries cache. */
static void get_pid(u64 n)
{
	while (n--)
		syscall(SYS_getpid);
}

static void get_ppid(u64 n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void read_zero(u64 n)
{
	char byte;

	while (n--) {
		if (syscall(SYS_read, job.zero, &byte, 1) != 1)
			return stop_with(EIO, "/dev/zero");
	}
}

static void write_null(u64 n)
{
	char byte = 0;

	while (n--) {
		if (syscall(SYS_write, job.null, &byte, 1) != 1)
			return stop_with(EIO, "/dev/null");
	}
}

static void swap_back(void)
{
	for (;;)
		swapcontext(&job.there, &job.here);
}

/* Each iteration makes two switches: there and back. */
static void swap_contexts(u64 n)
{
	for (; n; n -= 2)
		swapcontext(&job.here, &job.there);
}

static void wait_for_exit(pid_t pid, const char *what)
{
	int status = 0;

	if (pid < 0)
		return stop_with(errno, what);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return stop_with(errno, what);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		stop_with(ECHILD, what);
}

/* Called in a child. */
static void exec_hello(void)
{
	char *const argv[] = { job.hello, NULL }, *const env[] = { NULL };

	dup2(job.null, STDOUT_FILENO);
	execve(job.hello, argv, env);
	_exit(127);
}

static void fork_exit(u64 n)
{
	while (n-- && !mc_team_stopped(job.run->team)) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		wait_for_exit(pid, "fork_exit");
	}
}

static void fork_exec(u64 n)
{
	while (n-- && !mc_team_stopped(job.run->team)) {
		pid_t pid = fork();

		if (!pid)
			exec_hello();
		wait_for_exit(pid, "fork_exec");
	}
}

static void vfork_exec(u64 n)
{
	while (n-- && !mc_team_stopped(job.run->team)) {
		pid_t pid = vfork();

		if (!pid)
			exec_hello();
		wait_for_exit(pid, "vfork_exec");
	}
}

static void spawn(u64 n)
{
	char *const argv[] = { job.hello, NULL }, *const env[] = { NULL };

	while (n-- && !mc_team_stopped(job.run->team)) {
		pid_t pid = -1;
		int err = posix_spawn(&pid, job.hello, &job.quiet, NULL, argv,
				      env);

		if (err)
			return stop_with(err, "posix_spawn");
		wait_for_exit(pid, "posix_spawn");
	}
}

static const struct {
	void (*run)(u64 n);
	u64 batch;
} items[] = {
	[ITEM_LOOP] = { count_loop, MANY }, [ITEM_CLOCK] = { read_clock, MANY },
	[ITEM_GETPID] = { get_pid, MANY }, [ITEM_GETPPID] = { get_ppid, MANY },
	[ITEM_READ] = { read_zero, MANY }, [ITEM_WRITE] = { write_null, MANY },
	[ITEM_SWAPCONTEXT] = { swap_contexts, MANY },
	[ITEM_FORK_EXIT] = { fork_exit, FEW }, [ITEM_FORK_EXEC] = { fork_exec, FEW },
	[ITEM_VFORK_EXEC] = { vfork_exec, FEW },
	[ITEM_POSIX_SPAWN] = { spawn, FEW },
};

static void stretch(struct mc_pass *p, u64 bytes)
{
	items[job.item].run(bytes / 8);
}

/* ----------------------------------------------------------------- the run */

static bool find_hello(void)
{
	ssize_t n = readlink("/proc/self/exe", job.hello, sizeof(job.hello) - 32);
	char *slash;

	if (n <= 0)
		return false;
	job.hello[n] = '\0';
	slash = strrchr(job.hello, '/');
	strcpy(slash ? slash + 1 : job.hello, "memcache-hello");
	return !access(job.hello, X_OK);
}

static int os_check(struct mc_run *run, const struct mc_point *point)
{
	if (point->v[KEY_ITEM] >= ITEM_FORK_EXEC && !find_hello())
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "item: %s needs the program memcache-hello beside memcache-user",
			       mc_key_word(keys, point->v[KEY_ITEM]));
	return 0;
}

static int prepare(struct mc_run *run, const struct mc_point *point)
{
	job.run = run;
	job.item = point->v[KEY_ITEM];
	job.zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	job.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	posix_spawn_file_actions_init(&job.quiet);
	posix_spawn_file_actions_adddup2(&job.quiet, job.null, STDOUT_FILENO);
	getcontext(&job.there);
	job.there.uc_stack.ss_sp = job.stack;
	job.there.uc_stack.ss_size = sizeof(job.stack);
	makecontext(&job.there, swap_back, 0);
	if (job.zero < 0 || job.null < 0)
		return mc_fail(&run->error, -ENODEV,
			       "item: no /dev/zero or /dev/null");
	return 0;
}

static void clean_up(void)
{
	posix_spawn_file_actions_destroy(&job.quiet);
	close(job.zero);
	close(job.null);
}

static int os_run(struct mc_run *run, const struct mc_point *point,
		  struct mc_record *rec)
{
	u64 batch = items[point->v[KEY_ITEM]].batch;
	struct mc_measurement meas;
	u32 i;
	int err = mc_measurement_begin(&meas, run, point);

	if (!err) {
		err = prepare(run, point);
		meas.n = 1;
		meas.unwatched = true;
		meas.each->pass = (struct mc_pass){
			.stretch = stretch, .bytes = 8 * batch,
		};
		if (!err)
			err = mc_measurement_turn(run, rec, mc_measure, &meas);
		clean_up();
		for (i = 0; i < meas.done; i++) {
			if (meas.samples[i] != MC_NO_SAMPLE)
				meas.samples[i] /= batch;
		}
		mc_measurement_record(&meas, rec);
		mc_record_set(rec, COL_OPERATIONS,
			      meas.each->passes_a_sample * batch);
	}
	mc_measurement_end(&meas);
	return err;
}

const struct mc_test mc_test_os = {
	.spec = {
		.name = "os",
		.presets = "disturbed=keep",
		.help = "system calls, processes, contexts; CPUs take turns; size= has no effect",
		.keys = keys,
		.nkeys = ARRAY_SIZE(keys),
		.columns = columns,
		.ncolumns = ARRAY_SIZE(columns),
		.memoryless = true,
	},
	.records = MC_RECORD_OF_CPU,
	.check = os_check,
	.run = os_run,
};
