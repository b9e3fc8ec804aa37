// SPDX-License-Identifier: GPL-2.0-only
/* The set of counters of --counters, and perf by system calls. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/traffic.h"
#include "platform/counters.h"
#include "platform/os.h"
#include "user.h"

static struct mc_counter set[MC_MAX_COUNTERS];
static unsigned int n_set;

/* An event is a file descriptor + 1, so that it is never NULL. */
static void *event_of(int fd)
{
	return (void *)(long)(fd + 1);
}

static int fd_of(void *event)
{
	return (long)event - 1;
}

/* A counter on @cpu of all threads, @pid -1; or, with 0 and -1, of this thread anywhere. */
static void *open_for(const struct mc_counter *c, pid_t pid, int cpu, int *why)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = c->type, .config = c->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		*why = -errno;
	return fd < 0 ? NULL : event_of(fd);
}

void *mc_counter_open(const struct mc_counter *c, int *why)
{
	return open_for(c, -1, c->cpu, why);
}

void *mc_event_open(const struct mc_counter *c, int *why)
{
	return open_for(c, 0, -1, why);
}

void mc_counter_read(void *event, struct mc_reading *now)
{
	if (read(fd_of(event), now, sizeof(*now)) != sizeof(*now))
		*now = (struct mc_reading){ 0 };
}

/* Of a process, this would take a system call of its own for each access. */
bool mc_counter_peek(void *event, u64 *value)
{
	return false;
}

void mc_counter_close(void *event)
{
	close(fd_of(event));
}

struct mc_counter *mc_counters_copy(unsigned int *n)
{
	struct mc_counter *copy = n_set ? malloc(sizeof(set)) : NULL;

	if (copy)
		memcpy(copy, set, sizeof(set));
	*n = n_set;
	return copy;
}

/* Read the set from a file, and try each counter. Return: 0 or a negative errno and @e. */
int mc_user_counters(const char *path, struct mc_error *e)
{
	char *text = malloc(MC_COUNTERS_TEXT);
	FILE *f = fopen(path, "re");
	size_t len = text && f ? fread(text, 1, MC_COUNTERS_TEXT, f) : 0;
	int err;

	if (!text || !f || ferror(f))	/* a directory can be opened, but not read */
		err = mc_fail(e, -errno, "counters: %s can't be read", path);
	else
		err = mc_counters_parse(set, &n_set, text, len, e);
	if (f)
		fclose(f);
	free(text);
	return err ? err : mc_counters_try(set, n_set, e);
}
