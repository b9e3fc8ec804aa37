// SPDX-License-Identifier: GPL-2.0-only
/*
 * pipe: bytes per second through a pipe from a parent to its child, on two CPUs or on
 * one. A sample ends when the child has read all of its bytes and has confirmed it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/math.h"
#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "user.h"

enum { KEY_BLOCK = MC_KEY_FIRST, KEY_CAPACITY };

enum { COL_MB_PER_S, COL_PIPE_BYTES };

enum { CAPACITY_MAX, CAPACITY_KEEP };

/* Bytes of a sample: many, since the child's confirmation costs a wake-up or two. */
#define SAMPLE	(8ULL << 20)

static const struct mc_name capacity_names[] = {
	{ "max", CAPACITY_MAX }, { "keep", CAPACITY_KEEP }, { }
};

static const struct mc_key keys[] = {
	{ .name = "block", .column = "block_bytes", .preset = "4K..128M", .kind = MC_SIZE,
	  .min = 1, .max = 1ULL << 30, .help = "bytes of each write, and at most of each read" },
	{ .name = "capacity", .column = "capacity", .preset = "max", .kind = MC_CHOICE,
	  .names = capacity_names,
	  .help = "capacity of the pipe; max: as far as this user may raise it" },
};

static const struct mc_column columns[] = {
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_MAIN,
	  .rate = true, .help = "rate through the pipe, 10^6 bytes/s, from the median sample" },
	[COL_PIPE_BYTES] = { .name = "pipe_bytes", .help = "capacity of the pipe" },
};

/**
 * struct pipe_job - a pipe and its two processes
 * @meas: the measurement
 * @run: the run
 * @block: bytes of a write
 * @total: bytes of a sample, a multiple of @block
 * @capacity: the value of capacity=
 * @pipe_bytes: the actual capacity of the pipe
 * @data: the pipe: its read end, its write end
 * @done: the pipe through which the child confirms a sample, in the same order
 * @child: the process that reads
 * @memory: the block to write
 */
struct pipe_job {
	struct mc_measurement meas;
	struct mc_run *run;
	u64 block;
	u64 total;
	u64 capacity;
	u64 pipe_bytes;
	int data[2];
	int done[2];
	pid_t child;
	char *memory;
};

static int fail_errno(struct pipe_job *job, const char *what)
{
	int err = errno;

	return mc_fail(&job->run->error, -err, "block: %s: %s", what, strerror(err));
}

static char *alloc_block(u64 bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	memset(memory, 1, bytes);
	return memory;
}

/* ------------------------------------------------------------------ the child */

static void read_samples(struct pipe_job *job)
{
	char *memory = alloc_block(job->block), byte = 0;
	u64 got = 0;
	ssize_t n;

	if (!memory || write(job->done[1], &byte, 1) != 1)
		_exit(1);
	while ((n = read(job->data[0], memory, job->block)) > 0) {
		got += n;
		if (got < job->total)
			continue;
		got -= job->total;
		if (write(job->done[1], &byte, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void run_child(struct pipe_job *job)
{
	const struct mc_threads *threads = job->run->threads;

	/* The child ends with its parent, and only the parent handles these signals. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	close(job->data[1]);
	close(job->done[0]);
	/* To the second of two CPUs, or to the only CPU, which is also the parent's. */
	if (mc_threads_cpu(threads, 0) >= 0 &&
	    mc_user_move(mc_threads_cpu(threads, mc_threads_size(threads) - 1)))
		_exit(1);
	read_samples(job);
}

/* ----------------------------------------------------------------- the parent */

/* A signal that stops the run takes effect between samples. */
static int wait_for_child(struct pipe_job *job)
{
	char byte;
	ssize_t n;

	do {
		n = read(job->done[0], &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	if (!n)
		errno = EPIPE;
	return fail_errno(job, "the child that reads has ended");
}

static int send_sample(struct pipe_job *job)
{
	u64 left;

	for (left = job->total; left;) {
		u64 of_block = (left - 1) % job->block + 1;
		ssize_t n = write(job->data[1], job->memory + (job->block - of_block), of_block);

		if (n < 0 && errno != EINTR)
			return fail_errno(job, "a write to the pipe");
		left -= n > 0 ? n : 0;
	}
	return wait_for_child(job);
}

static int pipe_take(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	int err = mc_window_open(w, false);
	u64 ticks;

	if (err)
		return err;
	err = send_sample(container_of(sampler->shared, struct pipe_job, meas));
	ticks = mc_measurement_window(w, sampler, mc_window_close(w));
	sampler->sample.ps = mc_ticks_to_ps(ticks);
	mc_events_take(w->events, &sampler->sample.events);
	return err;
}

/* The parent is the first thread. */
static int pipe_job(struct mc_worker *w, void *arg)
{
	struct pipe_job *job = arg;
	sigset_t broken;
	int err;

	if (w->index)
		return 0;
	/* With SIGPIPE blocked, a broken pipe is an error and does not kill the process. */
	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, NULL);
	err = wait_for_child(job);
	return err ? err : mc_measure(w, &job->meas);
}

static void raise_capacity(struct pipe_job *job)
{
	char text[32];
	int bytes;

	if (job->capacity == CAPACITY_MAX &&
	    mc_user_read_file("/proc/sys/fs/pipe-max-size", text, sizeof(text)))
		fcntl(job->data[1], F_SETPIPE_SZ, atoi(text));
	bytes = fcntl(job->data[1], F_GETPIPE_SZ);
	job->pipe_bytes = bytes > 0 ? bytes : 0;
}

static void close_all(const int *end, unsigned int n)
{
	while (n--) {
		if (end[n] >= 0)
			close(end[n]);
	}
}

/* The child exits once both pipes are closed. */
static void pipe_clean_up(void *arg)
{
	struct pipe_job *job = arg;

	close_all(job->data, 2);
	close_all(job->done, 2);
	while (job->child > 0 && waitpid(job->child, NULL, 0) < 0 && errno == EINTR)
		;
	if (job->memory)
		munmap(job->memory, job->block);
}

static int start_child(struct pipe_job *job)
{
	/* The child has as much. */
	job->memory = mc_has_room(2 * job->block) ? alloc_block(job->block) : NULL;
	if (!job->memory)
		return mc_fail(&job->run->error, -ENOMEM, "block: no memory for two of %llu bytes",
			       job->block);
	if (pipe2(job->data, O_CLOEXEC) || pipe2(job->done, O_CLOEXEC))
		return fail_errno(job, "no pipe");
	raise_capacity(job);
	job->child = fork();
	if (!job->child)
		run_child(job);
	if (job->child < 0)
		return fail_errno(job, "no child");
	close(job->data[0]);
	close(job->done[1]);
	job->data[0] = -1;
	job->done[1] = -1;
	return 0;
}

/* ----------------------------------------------------------------- the run */

static int pipe_check(struct mc_run *run, const struct mc_point *point)
{
	if (mc_threads_size(run->threads) > 2)
		return mc_fail(&run->error, -EINVAL,
			       "cpu: a pipe has two ends; list one CPU or two, e.g. cpu=0,1");
	return 0;
}

static int pipe_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct pipe_job *job = arg;

	job->meas.n = 1;
	job->meas.disturbed.unwatched = true;
	job->meas.hooks.take = pipe_take;
	job->run = run;
	job->block = point->v[KEY_BLOCK];
	job->total = max(SAMPLE / job->block, 1) * job->block;
	job->capacity = point->v[KEY_CAPACITY];
	memset(job->data, -1, sizeof(job->data));
	memset(job->done, -1, sizeof(job->done));
	return start_child(job);
}

static void pipe_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct pipe_job *job = arg;

	mc_measurement_record(&job->meas, rec);
	rec->payload_bytes = job->total;
	if (rec->stats.samples)
		mc_record_set(rec, COL_MB_PER_S, mc_mb_per_s(job->total, rec->stats.median_ps));
	mc_record_set(rec, COL_PIPE_BYTES, job->pipe_bytes);
}

const struct mc_test mc_test_pipe = {
	.spec = {
		.name = "pipe",
		.presets = "sched=keep disturbed=keep",
		.help = "bandwidth of a pipe from a parent to its child; size= has no effect",
		MC_KEYS_AND_COLUMNS,
		.memoryless = true,
	},
	.check = pipe_check,
	.job_bytes = sizeof(struct pipe_job),
	.set_up = pipe_set_up,
	.job = pipe_job,
	.fill = pipe_fill,
	.clean_up = pipe_clean_up,
};
