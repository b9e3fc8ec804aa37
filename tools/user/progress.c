// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line of progress on a terminal. The thread that has just taken a sample writes it,
 * between two samples: a thread of its own would disturb those that measure.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/math.h"
#include "platform/clock.h"
#include "user.h"

#define EVERY_NS	250000000
#define BAR		20

static struct {
	bool live;		/* there is a terminal that shows it */
	bool shown;		/* there is a line to wipe out */
	const char *name;	/* of the current request */
	u64 done;		/* samples, warm-ups included */
	u64 total;
	u64 parts;		/* of several calls of mc_user_run(); 0: there is one */
	u64 part;		/* that began last */
	u64 length;		/* in parts, of the samples of this call; 0: not known */
	u64 before;		/* samples of earlier calls */
	u64 began_ns;
	u64 shown_ns;
} progress;

/* Return: the width of the terminal in characters; 80 if it can't be found out. */
unsigned int mc_user_columns(int fd)
{
	struct winsize size;

	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

/* Begin @samples samples, after those of earlier requests. */
void mc_user_progress_begin(u64 samples)
{
	progress.live = isatty(STDERR_FILENO);
	progress.total = progress.done + samples;
	progress.before = progress.done;
	if (!progress.done)
		progress.began_ns = mc_clock_raw_ns();
}

/* From now on, samples are of the request @name. */
void mc_user_progress_name(const char *name)
{
	progress.name = name;
}

/* All takes about so many parts of the same time, which begin with mc_user_progress_part(). */
void mc_user_progress_parts(u64 parts)
{
	progress.parts = parts;
}

/* @length: the parts that the next call of mc_user_run() takes; 0: others begin during it. */
void mc_user_progress_part(u64 begun, u64 length)
{
	progress.part = min(begun, progress.parts - 1);
	progress.length = length;
}

/* Thousandths of parts that are done. */
static u64 parts_done(void)
{
	u64 samples = progress.total - progress.before;

	return 1000 * progress.part + mc_muldiv(progress.done - progress.before,
						1000 * progress.length, max(samples, 1ULL));
}

static void show(u64 now)
{
	u64 total = progress.parts ? 1000 * progress.parts : progress.total;
	u64 done = max(progress.parts ? parts_done() : progress.done, 1ULL);
	u64 elapsed = now - progress.began_ns;
	u64 left = mc_muldiv(elapsed, total - done, done) / 1000000000;
	int filled = done * BAR / total;
	char line[256];

	elapsed /= 1000000000;
	snprintf(line, sizeof(line), "[%.*s%.*s] %llu:%02llu, %llu:%02llu left  %s",
		 filled, "####################", BAR - filled, "....................",
		 elapsed / 60, elapsed % 60, left / 60, left % 60, progress.name);
	fprintf(stderr, "\r%.*s\033[K", (int)mc_user_columns(STDERR_FILENO) - 1, line);
	progress.shown = true;
	progress.shown_ns = now;
}

/* A sample was taken, and @more are to come than it seemed before. */
void mc_user_progress_tick(void *run, u64 more)
{
	u64 now;

	progress.done++;
	progress.total += more;
	if (!progress.live || progress.done > progress.total)
		return;
	now = mc_clock_raw_ns();
	if (now - progress.shown_ns >= EVERY_NS)
		show(now);
}

/* The contents of a target are brought back. Return: true: nothing but SIGKILL ends that. */
bool mc_user_progress_back(u64 done, u64 all)
{
	u64 now = mc_clock_raw_ns();

	if (!progress.live || now - progress.shown_ns < EVERY_NS)
		return true;
	fprintf(stderr, "\rbringing back the contents: %llu %%\033[K", mc_muldiv(done, 100, all));
	progress.shown = true;
	progress.shown_ns = now;
	return true;
}

/* Wipe the line out, before anything else is printed. */
void mc_user_progress_clear(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}
