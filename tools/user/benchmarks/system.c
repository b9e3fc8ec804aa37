// SPDX-License-Identifier: GPL-2.0-only
/*
 * os: the time of system calls, of new processes, of context switches, signals, faults
 * and messages, each measured by itself. Two more items measure the loop around them and
 * the clock. The test does not use the run's memory.
 *
 * The thread that measures has a table of descriptors of its own, as the only thread of
 * a process has. Calls with a descriptor are faster with it, since they need not count
 * who uses the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/math.h"
#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "system_items.h"
#include "user.h"

enum {
	KEY_ITEM = MC_KEY_FIRST, KEY_PROCESSES, KEY_SET, KEY_FILE, KEY_DESCRIPTORS, KEY_PAGES,
	KEY_DIR
};

enum { COL_OPERATIONS, COL_LESS };

enum {
	ITEM_LOOP, ITEM_CLOCK, ITEM_GETPID, ITEM_GETPPID, ITEM_READ, ITEM_WRITE,
	ITEM_STAT, ITEM_OPEN_CLOSE, ITEM_SELECT_FILE, ITEM_SELECT_TCP,
	ITEM_SIGNAL_INSTALL, ITEM_SIGNAL_CATCH, ITEM_PROTECTION_FAULT,
	ITEM_MMAP, ITEM_PAGE_FAULT, ITEM_HUGEFAULT, ITEM_SWAPCONTEXT, ITEM_CONTEXT,
	ITEM_UNIX_SOCKET, ITEM_TCP, ITEM_FORK_EXIT, ITEM_FORK_EXEC, ITEM_VFORK_EXEC,
	ITEM_POSIX_SPAWN
};

/*
 * Operations in a pass. Each counts as 8 bytes; a window takes a multiple of 64. Few
 * samples of a short pass are preempted on a busy machine, so their median is right.
 */
#define MANY	512
#define FEW	8
#define STACK	65536

/* Samples of what is subtracted, after a warm-up. */
#define LESS_SAMPLES	11

static const struct mc_name item_names[] = {
	{ "loop", ITEM_LOOP }, { "clock", ITEM_CLOCK },
	{ "getpid", ITEM_GETPID }, { "getppid", ITEM_GETPPID },
	{ "read_zero", ITEM_READ }, { "write_null", ITEM_WRITE },
	{ "stat", ITEM_STAT }, { "open_close", ITEM_OPEN_CLOSE },
	{ "select_file", ITEM_SELECT_FILE }, { "select_tcp", ITEM_SELECT_TCP },
	{ "signal_install", ITEM_SIGNAL_INSTALL }, { "signal_catch", ITEM_SIGNAL_CATCH },
	{ "protection_fault", ITEM_PROTECTION_FAULT },
	{ "mmap", ITEM_MMAP }, { "page_fault", ITEM_PAGE_FAULT },
	{ "hugefault", ITEM_HUGEFAULT },
	{ "swapcontext", ITEM_SWAPCONTEXT }, { "context", ITEM_CONTEXT },
	{ "unix_socket", ITEM_UNIX_SOCKET }, { "tcp", ITEM_TCP },
	{ "fork_exit", ITEM_FORK_EXIT }, { "fork_exec", ITEM_FORK_EXEC },
	{ "vfork_exec", ITEM_VFORK_EXEC }, { "posix_spawn", ITEM_POSIX_SPAWN }, { }
};

static const struct mc_key keys[] = {
	{ .name = "item", .column = "item",
	  .preset =
	  "loop,clock,getpid,getppid,read_zero,write_null,stat,open_close,select_file,signal_install,signal_catch,protection_fault,mmap,page_fault,swapcontext,context,unix_socket,fork_exit,fork_exec,vfork_exec,posix_spawn",
	  .kind = MC_CHOICE, .names = item_names,
	  .help = "operation that is timed; read, write: 1 byte of /dev/zero, /dev/null" },
	{ .name = "processes", .column = "processes", .preset = "2", .kind = MC_NUMBER, .min = 2,
	  .max = 1024, .help = "context: processes that hand a token round" },
	{ .name = "set", .column = "set_bytes", .preset = "0", .kind = MC_SIZE,
	  .max = 64ULL << 20, .multiple = 64,
	  .help = "context: bytes that each process reads when it has the token" },
	{ .name = "file", .column = "file_bytes", .preset = "1M", .kind = MC_SIZE, .min = 65536,
	  .max = 1ULL << 30, .multiple = 65536, .json_only = true,
	  .help = "mmap, page_fault: bytes of the file that is mapped" },
	{ .name = "descriptors", .column = "descriptors", .preset = "100", .kind = MC_NUMBER,
	  .min = 1, .max = 1000, .json_only = true,
	  .help = "select_file, select_tcp: descriptors that are looked at" },
	{ .name = "pages", .column = "huge_pages", .preset = "1", .kind = MC_NUMBER, .min = 1,
	  .max = 512, .json_only = true,
	  .help = "hugefault: huge pages that are cleared before the first comes back" },
	{ .name = "dir", .column = "dir", .preset = "/tmp", .kind = MC_PATH, .json_only = true,
	  .help = "directory of the files of stat, open_close, select_file, faults, mmap" },
};

static const struct mc_column columns[] = {
	[COL_OPERATIONS] = { .name = "operations_per_sample", .json_only = true,
	  .help = "operations timed together, so that the clock's cost is small" },
	[COL_LESS] = { .name = "subtracted_ns", .decimals = 3, .json_only = true,
	  .help = "time of what is done besides the operation, not in the other times" },
};

/* Static, because a context's function takes no pointer; there is one run at a time. */
static struct {
	struct mc_run *run;
	const struct mc_os_item *item;
	struct mc_measurement *meas;
	struct mc_os_asked asked;
	u64 less_ps;
	int zero;
	int null;
	char hello[4096];
	posix_spawn_file_actions_t quiet;
	ucontext_t here;
	ucontext_t there;
	char stack[STACK];
} job;

bool mc_os_wrong;

/**
 * mc_os_stop_with() - end the run because an operation failed
 * @err: a positive errno
 * @what: what failed
 *
 * Return: the negative errno.
 */
int mc_os_stop_with(int err, const char *what)
{
	mc_fail(&job.run->error, -err, "item: %s: %s", what, strerror(err));
	mc_threads_stop(job.run->threads, -err);
	return -err;
}

/**
 * mc_os_stopped() - test whether the run is ending
 *
 * Return: true if it is.
 */
bool mc_os_stopped(void)
{
	return mc_threads_stopped(job.run->threads);
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
			return (void)mc_os_stop_with(EIO, "/dev/zero");
	}
}

static void write_null(u64 n)
{
	char byte = 0;

	while (n--) {
		if (syscall(SYS_write, job.null, &byte, 1) != 1)
			return (void)mc_os_stop_with(EIO, "/dev/null");
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
		return (void)mc_os_stop_with(errno, what);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return (void)mc_os_stop_with(errno, what);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		mc_os_stop_with(ECHILD, what);
}

/* Called in a child. */
static void exec_hello(void)
{
	char *const argv[] = { job.hello, NULL }, *const env[] = { NULL };

	dup2(job.null, STDOUT_FILENO);
	execve(job.hello, argv, env);
	_exit(127);
}

/* Define @name(n): @make makes n processes, one after the other, and each does @child. */
#define PROCESSES(name, make, child)			\
static void name(u64 n)					\
{							\
	while (n-- && !mc_os_stopped()) {		\
		pid_t pid = make();			\
							\
		if (!pid)				\
			child;				\
		wait_for_exit(pid, #name);		\
	}						\
}

PROCESSES(fork_exit, fork, _exit(0))
PROCESSES(fork_exec, fork, exec_hello())
PROCESSES(vfork_exec, vfork, exec_hello())

static void spawn(u64 n)
{
	char *const argv[] = { job.hello, NULL }, *const env[] = { NULL };

	while (n-- && !mc_os_stopped()) {
		pid_t pid = -1;
		int err = posix_spawn(&pid, job.hello, &job.quiet, NULL, argv, env);

		if (err)
			return (void)mc_os_stop_with(err, "posix_spawn");
		wait_for_exit(pid, "posix_spawn");
	}
}

#define ITEM(function, n)	(&(const struct mc_os_item){ .run = (function), .batch = (n) })

static const struct mc_os_item *const items[] = {
	[ITEM_LOOP] = ITEM(count_loop, MANY), [ITEM_CLOCK] = ITEM(read_clock, MANY),
	[ITEM_GETPID] = ITEM(get_pid, MANY), [ITEM_GETPPID] = ITEM(get_ppid, MANY),
	[ITEM_READ] = ITEM(read_zero, MANY), [ITEM_WRITE] = ITEM(write_null, MANY),
	[ITEM_STAT] = &mc_os_stat, [ITEM_OPEN_CLOSE] = &mc_os_open_close,
	[ITEM_SELECT_FILE] = &mc_os_select_file, [ITEM_SELECT_TCP] = &mc_os_select_tcp,
	[ITEM_SIGNAL_INSTALL] = &mc_os_signal_install,
	[ITEM_SIGNAL_CATCH] = &mc_os_signal_catch,
	[ITEM_PROTECTION_FAULT] = &mc_os_protection_fault,
	[ITEM_MMAP] = &mc_os_mmap, [ITEM_PAGE_FAULT] = &mc_os_page_fault,
	[ITEM_HUGEFAULT] = &mc_os_hugefault,
	[ITEM_SWAPCONTEXT] = ITEM(swap_contexts, MANY), [ITEM_CONTEXT] = &mc_os_context,
	[ITEM_UNIX_SOCKET] = &mc_os_unix_socket, [ITEM_TCP] = &mc_os_tcp,
	[ITEM_FORK_EXIT] = ITEM(fork_exit, FEW), [ITEM_FORK_EXEC] = ITEM(fork_exec, FEW),
	[ITEM_VFORK_EXEC] = ITEM(vfork_exec, FEW),
	[ITEM_POSIX_SPAWN] = ITEM(spawn, FEW),
};

/* ------------------------------------------------------------------ on the thread */

static void body(struct mc_loop_args *args)
{
	const struct mc_os_item *item = args->arg;

	item->run(args->bytes / 8);
}

static int verify(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	const struct mc_os_item *item = sampler->pass.arg;

	mc_os_verify(!item->right || item->right());
	return 0;
}

static int measure_item(struct mc_worker *w, const struct mc_os_item *item,
			struct mc_measurement *meas)
{
	int err = item->start ? item->start(&job.asked) : 0;

	meas->each->pass = (struct mc_pass){
		.body = body, .arg = (void *)item, .variant = item, .bytes = 8 * item->batch,
	};
	meas->hooks.verify = verify;
	err = err ? err : mc_measure(w, meas);
	if (item->stop)
		item->stop();
	return err;
}

/* Operations in a pass. */
static u64 operations(const struct mc_os_item *item)
{
	return item->batch * (item->parts ? item->parts(&job.asked) : 1);
}

/* The time of one operation from that of a pass. */
static u64 of_operation(const struct mc_os_item *item, u64 pass_ps, u64 less_ps)
{
	u64 ps = mc_rounded(pass_ps, 1, operations(item));

	return ps - min(ps, less_ps);
}

/* What is subtracted may itself be less something. */
static int measure_less(struct mc_worker *w, const struct mc_os_item *item, u64 *ps)
{
	u64 samples[LESS_SAMPLES], less_ps = 0;
	struct mc_sampler sampler = *job.meas->each;
	struct mc_measurement few = {
		.n = 1, .each = &sampler, .samples = samples, .disturbed.unwatched = true,
		.settings = {
			.irq_off = job.meas->settings.irq_off, .warmup = 1,
			.repeat = LESS_SAMPLES,
		},
	};
	struct mc_stats stats;
	int err;

	*ps = 0;
	if (!item)
		return 0;
	err = measure_less(w, item->less, &less_ps);
	sampler.shared = &few;
	err = err ? err : measure_item(w, item, &few);
	if (err)
		return err;
	mc_stats_of(&stats, samples, few.done);
	*ps = of_operation(item, stats.median_ps, less_ps);
	return 0;
}

static int os_job(struct mc_worker *w, void *arg)
{
	sigset_t broken;
	int err;

	unshare(CLONE_FILES);
	/* With SIGPIPE blocked, a broken pipe is an error and does not kill the process. */
	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, NULL);
	err = measure_less(w, job.item->less, &job.less_ps);
	return err ? err : measure_item(w, job.item, job.meas);
}

/* ----------------------------------------------------------------- the run */

#define BIT(n)	(1U << (n))

/* The items that use a key. For others a list of its values would repeat the same. */
static const struct {
	unsigned int key;
	u32 items;
} users[] = {
	{ KEY_PROCESSES, BIT(ITEM_CONTEXT) },
	{ KEY_SET, BIT(ITEM_CONTEXT) },
	{ KEY_FILE, BIT(ITEM_MMAP) | BIT(ITEM_PAGE_FAULT) },
	{ KEY_DESCRIPTORS, BIT(ITEM_SELECT_FILE) | BIT(ITEM_SELECT_TCP) },
	{ KEY_PAGES, BIT(ITEM_HUGEFAULT) },
};

#define IN_DIR	(BIT(ITEM_STAT) | BIT(ITEM_OPEN_CLOSE) | BIT(ITEM_SELECT_FILE) | \
		 BIT(ITEM_PROTECTION_FAULT) | BIT(ITEM_MMAP) | BIT(ITEM_PAGE_FAULT))

static int check_lists(struct mc_run *run, u64 item)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(users); i++) {
		if (run->req->values[users[i].key].n > 1 && !(users[i].items >> item & 1))
			return mc_fail(&run->error, -EINVAL,
				       "%s: is a list, and item=%s takes no such value; write another request for it",
				       mc_key_of(run->req->spec, users[i].key)->name,
				       mc_key_word(keys, item));
	}
	return 0;
}

static int os_check(struct mc_run *run, const struct mc_point *point)
{
	u64 item = point->v[KEY_ITEM];
	const char *word = mc_key_word(keys, item);

	if (item >= ITEM_FORK_EXEC &&
	    !mc_user_beside("memcache-hello", job.hello, sizeof(job.hello)))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "item: %s needs the program memcache-hello beside memcache-user",
			       word);
	if ((item == ITEM_TCP || item == ITEM_SELECT_TCP) && !mc_os_has_loopback())
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "item: %s needs the loopback interface: ip link set lo up",
			       word);
	if (item == ITEM_HUGEFAULT && !mc_os_huge_page())
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "item: hugefault needs huge pages: echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
	if ((IN_DIR >> item & 1) && access(run->req->path, W_OK | X_OK))
		return mc_fail(&run->error, -errno, "dir: %s: %s", run->req->path, strerror(errno));
	return check_lists(run, item);
}

static int os_set_up(struct mc_run *run, const struct mc_point *point, void *meas)
{
	job.run = run;
	job.item = items[point->v[KEY_ITEM]];
	job.meas = meas;
	job.meas->disturbed.unwatched = true;
	mc_os_wrong = false;
	job.less_ps = 0;
	job.asked = (struct mc_os_asked){
		.processes = point->v[KEY_PROCESSES], .set = point->v[KEY_SET],
		.file = point->v[KEY_FILE], .descriptors = point->v[KEY_DESCRIPTORS],
		.pages = point->v[KEY_PAGES], .dir = run->req->path,
	};
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

static void os_clean_up(void *meas)
{
	posix_spawn_file_actions_destroy(&job.quiet);
	close(job.zero);
	close(job.null);
}

static void os_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	const struct mc_os_item *item = job.item;
	struct mc_measurement *meas = arg;
	u32 i;

	for (i = 0; i < meas->done; i++) {
		if (meas->samples[i] != MC_NO_SAMPLE)
			meas->samples[i] = of_operation(item, meas->samples[i], job.less_ps);
	}
	mc_measurement_record(meas, rec);
	mc_record_set(rec, COL_OPERATIONS, meas->each->cal.passes_a_sample * operations(item));
	if (item->less)
		mc_record_set(rec, COL_LESS, job.less_ps);
	if (item->start && meas->done)
		rec->verified = mc_os_wrong ? MC_VERIFIED_FAILED : MC_VERIFIED_OK;
}

const struct mc_test mc_test_os = {
	.spec = {
		.name = "os",
		.presets = "sched=keep disturbed=keep",
		.help = "system calls, processes, switches, faults, messages; CPUs take turns",
		MC_KEYS_AND_COLUMNS,
		.memoryless = true,
	},
	.records = MC_RECORD_OF_CPU,
	.check = os_check,
	.job_bytes = sizeof(struct mc_measurement),
	.set_up = os_set_up,
	.job = os_job,
	.fill = os_fill,
	.clean_up = os_clean_up,
};
