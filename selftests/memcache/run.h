/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a request to its end, or in another process while the test goes on. */
#ifndef SELFTESTS_RUN_H
#define SELFTESTS_RUN_H

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "module.h"

/* Only a stop ends it. */
#define ENDLESS "bandwidth op=write repeat=1000000"

static char run_text[1 << 16];

static inline int run(const char *line)
{
	return file_write(FILES "run", line);
}

/* Does a file of the module contain this text? */
static inline bool file_has(const char *file, const char *what)
{
	return file_read(TEXT(FILES "%s", file), run_text, sizeof(run_text)) >= 0 &&
	       strstr(run_text, what);
}

/* How often the file contains the text. */
static inline int file_count(const char *file, const char *what)
{
	const char *at = run_text;
	int n = 0;

	if (!file_has(file, what))
		return 0;
	for (; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* How many results contain the text, for example a member in JSON. */
static inline int results_with(const char *what)
{
	char *at = run_text, *line;
	int n = 0;

	if (file_read(FILES "results.jsonl", run_text, sizeof(run_text)) < 0)
		return -1;
	while ((line = strsep(&at, "\n")))
		n += !strncmp(line, "{\"record\":\"result\"", 18) && strstr(line, what);
	return n;
}

static inline void run_interrupted(int signum)
{
}

/*
 * Start a process that writes a request; if @go >= 0, once it can read from it. The process is
 * killed when the test ends: a test that fails must not leave an endless run to those after it.
 */
static inline pid_t run_start_at(const char *line, int go)
{
	struct sigaction action = { .sa_handler = run_interrupted };
	pid_t test = getpid(), pid = fork();
	char c;

	if (pid)
		return pid;
	alarm(0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != test)
		_exit(255);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGCHLD, &action, NULL);
	sigaction(SIGWINCH, &action, NULL);
	if (go >= 0 && read(go, &c, 1) < 0)
		_exit(255);
	_exit(-run(line));
}

static inline pid_t run_start(const char *line)
{
	return run_start_at(line, -1);
}

/* How the process ended: 0, a negative errno, or the positive number of a signal. */
static inline int run_end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

/* Stop the run of this process. Returns how the process ended. */
static inline int run_stop(pid_t pid)
{
	int err = file_write(FILES "stop", "1");

	return err ? err : run_end(pid);
}

/* The samples that the current run has done; -1: there is no run. */
static inline long run_done(void)
{
	char text[256];
	long done;

	if (file_read(FILES "progress", text, sizeof(text)) < 0 ||
	    sscanf(text, "running %ld/", &done) != 1)
		return -1;
	return done;
}

/*
 * Wait until the run has done so many samples. After four minutes, print how far it got and return
 * false. On a busy machine, 20 s were too few for five samples of two threads.
 */
static inline bool run_gets_to(long samples)
{
	if (comes_true(240, run_done() >= samples))
		return true;
	fprintf(stderr, "# waited for sample %ld of the run, which is at %ld\n", samples,
		run_done());
	return false;
}

/* The number of the module's threads. A thread that ends takes a moment to be gone. */
static inline int run_threads_now(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char comm[64];
	int n = 0;

	while ((entry = readdir(dir))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		n += file_read(TEXT("/proc/%s/comm", entry->d_name), comm, sizeof(comm)) > 0 &&
		     !strncmp(comm, "memcache/", 9);
	}
	closedir(dir);
	return n;
}

static inline int run_threads(void)
{
	int n;

	comes_true(30, !(n = run_threads_now()));
	return n;
}

#endif /* SELFTESTS_RUN_H */
