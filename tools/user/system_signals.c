// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items of the test `os`: signals and protection faults. Signals go to the thread that
 * measures, not to the process, where another thread may take them.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/os.h"
#include "system_items.h"

/* Static, because a handler takes no pointer; there is one run at a time. */
static struct {
	pid_t process;
	pid_t thread;
	u64 sent;
	struct sigaction old;
	char *page;
} job;

static u64 caught;

static void on_signal(int number)
{
	WRITE_ONCE(caught, READ_ONCE(caught) + 1);
}

static const struct sigaction catching = { .sa_handler = on_signal };

static int start_signals(const struct mc_os_asked *asked)
{
	sigset_t set;

	job.process = getpid();
	job.thread = syscall(SYS_gettid);
	job.sent = 0;
	WRITE_ONCE(caught, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	if (sigaction(SIGUSR1, &catching, &job.old))
		return mc_os_stop_with(errno, "sigaction");
	return 0;
}

static void stop_signals(void)
{
	sigaction(SIGUSR1, &job.old, NULL);
}

static bool signals_right(void)
{
	return READ_ONCE(caught) == job.sent;
}

static void install(u64 n)
{
	struct sigaction old;

	while (n--)
		mc_os_verify(!sigaction(SIGUSR1, &catching, &old) && old.sa_handler == on_signal);
}

static void send(u64 n, int number)
{
	while (n--)
		mc_os_verify(!syscall(SYS_tgkill, job.process, job.thread, number));
}

static void send_nothing(u64 n)
{
	send(n, 0);
}

static void send_and_catch(u64 n)
{
	job.sent += n;
	send(n, SIGUSR1);
}

/* ---------------------------------------------------------- protection faults */

static struct {
	sigjmp_buf out;
	u64 left;
	struct sigaction old;
} fault;

/* A store that some other thread makes by mistake ends the process as usual. */
static _Thread_local int storing;

/* After each return the store is tried again, and faults again. */
static void on_fault(int number)
{
	if (!READ_ONCE(storing)) {
		signal(number, SIG_DFL);
		return;
	}
	if (!--fault.left)
		siglongjmp(fault.out, 1);
}

static int start_faults(const struct mc_os_asked *asked)
{
	static const struct sigaction action = { .sa_handler = on_fault };
	size_t size = sysconf(_SC_PAGESIZE);
	int fd = mc_os_file_new(asked->dir, MC_OS_FILE);

	job.page = NULL;
	sigaction(SIGSEGV, &action, &fault.old);
	if (fd < 0)
		return fd;
	job.page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (job.page == MAP_FAILED) {
		job.page = NULL;
		return mc_os_stop_with(errno, "mmap");
	}
	return 0;
}

static void stop_faults(void)
{
	sigaction(SIGSEGV, &fault.old, NULL);
	if (job.page)
		munmap(job.page, sysconf(_SC_PAGESIZE));
	mc_os_file_end();
}

/* The first byte of the file is 0, and stays 0. */
static void store_in_vain(u64 n)
{
	fault.left = n;
	WRITE_ONCE(storing, 1);
	if (!sigsetjmp(fault.out, 1))
		WRITE_ONCE(*job.page, 1);
	WRITE_ONCE(storing, 0);
}

static bool faults_right(void)
{
	return !fault.left && !READ_ONCE(*job.page);
}

const struct mc_os_item mc_os_signal_install = {
	.run = install, .batch = 128,
	.start = start_signals, .right = signals_right, .stop = stop_signals,
};

static const struct mc_os_item signal_send = {
	.run = send_nothing, .batch = 128,
	.start = start_signals, .right = signals_right, .stop = stop_signals,
};

const struct mc_os_item mc_os_signal_catch = {
	.run = send_and_catch, .batch = 128,
	.start = start_signals, .right = signals_right, .stop = stop_signals,
	.less = &signal_send,
};

const struct mc_os_item mc_os_protection_fault = {
	.run = store_in_vain, .batch = 128,
	.start = start_faults, .right = faults_right, .stop = stop_faults,
	.less = &mc_os_signal_catch,
};
