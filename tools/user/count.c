// SPDX-License-Identifier: GPL-2.0-only
/* The DRAM traffic of the whole machine while any command runs. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "core/math.h"
#include "measure/traffic.h"
#include "user.h"

extern char **environ;

#define NOT_FOUND	127	/* as shells have it */

/* Bytes as MB, and their rate over a time as MB/s; na if they were not counted. */
static void show(struct mc_text *t, const struct mc_tally *tally, enum mc_traffic kind,
		 const char *name)
{
	u64 bytes = tally->bytes[kind], ns = tally->ps / 1000;

	if (!(tally->counted >> kind & 1)) {
		mc_textf(t, "%s na", name);
		return;
	}
	mc_textf(t, "%s ", name);
	mc_text_fixed(t, mc_rounded(bytes, 1, 1000), 3);
	mc_textf(t, " MB (");
	mc_text_fixed(t, ns ? mc_rounded(bytes, 1000000, ns) : 0, 3);
	mc_textf(t, " MB/s)");
}

static void report(const struct mc_tally *tally, const struct mc_tally *idle)
{
	char text[512];
	struct mc_text t = MC_TEXT(text);

	mc_textf(&t, "DRAM traffic of the machine in ");
	mc_text_fixed(&t, tally->ps / 1000000000, 3);
	mc_textf(&t, " s: ");
	show(&t, tally, MC_DRAM_READ, "read");
	mc_textf(&t, ", ");
	show(&t, tally, MC_DRAM_WRITE, "written");
	mc_textf(&t, "\nbefore, in ");
	mc_text_fixed(&t, idle->ps / 1000000000, 3);
	mc_textf(&t, " s: ");
	show(&t, idle, MC_DRAM_READ, "read");
	mc_textf(&t, ", ");
	show(&t, idle, MC_DRAM_WRITE, "written");
	fprintf(stderr, "%s\n", text);
}

/* The command gets the signals that are ignored here as they are usual. */
static const posix_spawnattr_t *usual_signals(posix_spawnattr_t *attr)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGQUIT);
	posix_spawnattr_init(attr);
	posix_spawnattr_setsigdefault(attr, &set);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF);
	return attr;
}

/* Run the command to its end. Return: its exit status, as a shell has it. */
static int run(char **command)
{
	posix_spawnattr_t attr;
	int err, status = 0;
	pid_t child;

	/* Ctrl-C is for the command; what it did until then is reported. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	err = posix_spawnp(&child, command[0], NULL, usual_signals(&attr), command, environ);
	posix_spawnattr_destroy(&attr);
	if (err) {
		fprintf(stderr, "memcache-user: %s: %s\n", command[0], strerror(err));
		return NOT_FOUND;
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Count with the set of --counters. Return: the command's exit status, or MC_USER_FAILED. */
int mc_user_count(char **command)
{
	struct mc_error e = { 0 };
	struct mc_traffic_count *counting = mc_traffic_begin(&e);
	struct mc_tally tally;
	int status;

	if (!counting) {
		fprintf(stderr, "memcache-user: %s\n",
			e.err ? e.text :
				"--count needs counters of DRAM traffic (--counters FILE)");
		return MC_USER_FAILED;
	}
	mc_traffic_start(counting);
	status = run(command);
	mc_traffic_stop(counting, &tally);
	if (status != NOT_FOUND)
		report(&tally, &counting->idle);
	mc_traffic_end(counting);
	return status;
}
