// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items of the test `os`: processes that hand a token round, or send a byte back, and
 * select(). The processes inherit the CPUs of the thread that measures.
 */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/os.h"
#include "system_items.h"

/* Static, because an item's functions take no pointer; there is one run at a time. */
static struct {
	u64 processes;
	u64 set;
	pid_t *child;
	int (*pipe)[2];
	int in;			/* where the token, or the byte, comes back */
	int out;		/* where it starts */
	u64 *memory;
	u32 token;
} job;

/* ---------------------------------------------------------------- child processes */

static int start_job(u64 processes, u64 set)
{
	job.processes = processes;
	job.set = set;
	job.memory = NULL;
	job.in = -1;
	job.out = -1;
	job.token = 0;
	job.pipe = calloc(processes, sizeof(*job.pipe));
	job.child = calloc(processes, sizeof(*job.child));
	/* Each of the processes has a set of its own. */
	return job.child && job.pipe && mc_has_room(set * processes) ? 0 :
	       mc_os_stop_with(ENOMEM, "processes");
}

/* In a child: it ends with the thread that made it, and only that handles these signals. */
static void be_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
}

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

static void stop_job(void)
{
	u64 i;

	for (i = 0; job.child && i < job.processes; i++) {
		if (job.child[i] <= 0)
			continue;
		kill(job.child[i], SIGKILL);
		while (waitpid(job.child[i], NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (job.memory)
		munmap(job.memory, job.set);
	job.memory = NULL;
	close_end(&job.in);
	close_end(&job.out);
	free(job.child);
	free(job.pipe);
	job.child = NULL;
	job.pipe = NULL;
}

/* ------------------------------------------------------------ a ring of processes */

/* Each word is 1, so that the sum tells how much was read. */
static bool fill_set(void)
{
	u64 i;

	if (!job.set)
		return true;
	job.memory = mmap(NULL, job.set, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (job.memory == MAP_FAILED) {
		job.memory = NULL;
		return false;
	}
	for (i = 0; i < job.set / sizeof(*job.memory); i++)
		job.memory[i] = 1;
	return true;
}

/* Four sums, which do not wait for each other; a set is a multiple of 64 bytes. */
static u32 read_set(void)
{
	const u64 *p = job.memory, *end = p + job.set / sizeof(*p);
	u64 a = 0, b = 0, c = 0, d = 0;

	for (; p < end; p += 4) {
		a += p[0];
		b += p[1];
		c += p[2];
		d += p[3];
	}
	return a + b + c + d;
}

static bool get_token(int from, u32 *token)
{
	return read(from, token, sizeof(*token)) == sizeof(*token);
}

static bool put_token(int to, const u32 *token)
{
	return write(to, token, sizeof(*token)) == sizeof(*token);
}

/* Each process adds to the token 1 and the sum of its memory, which is its own. */
static void pass_on(int from, int to)
{
	u32 token;

	if (!fill_set())
		_exit(1);
	while (get_token(from, &token)) {
		token += 1 + read_set();
		if (!put_token(to, &token))
			break;
	}
	_exit(1);
}

static void around(u64 n)
{
	u64 step = 1 + job.set / sizeof(*job.memory);

	while (n--) {
		u32 token = job.token;

		if (!put_token(job.out, &token) || !get_token(job.in, &token)) {
			mc_os_stop_with(EPIPE, "a process of the ring has ended");
			return;
		}
		job.token += 1 + (job.processes - 1) * step;
		token += 1;
		mc_os_verify(token == job.token && read_set() == step - 1);
	}
}

/*
 * Process i reads from the pipe behind process i - 1 and writes into its own. No other
 * process keeps these ends, so that if one dies, the next one finds its pipe closed, and
 * so on round to the first.
 */
static int add_process(u64 i)
{
	int next[2];

	if (pipe(next))
		return mc_os_stop_with(errno, "pipe");
	job.child[i] = fork();
	if (!job.child[i]) {
		be_child();
		close(next[0]);
		close(job.out);
		pass_on(job.in, next[1]);
	}
	close(next[1]);
	close(job.in);
	job.in = next[0];
	return job.child[i] < 0 ? mc_os_stop_with(errno, "fork") : 0;
}

static int start_ring(const struct mc_os_asked *asked)
{
	int err = start_job(asked->processes, asked->set), first[2];
	u64 i;

	if (!err && pipe(first))
		err = mc_os_stop_with(errno, "pipe");
	if (err)
		return err;
	job.in = first[0];
	job.out = first[1];
	for (i = 1; !err && i < job.processes; i++)
		err = add_process(i);
	if (!err && !fill_set())
		err = mc_os_stop_with(ENOMEM, "set");
	if (!err)
		around(1);
	return err ? err : mc_os_stopped() ? -EPIPE : 0;
}

static u64 hops(const struct mc_os_asked *asked)
{
	return asked->processes;
}

/* ----------------------------- what a process of the ring does besides switching */

static int start_alone(const struct mc_os_asked *asked)
{
	int err = start_job(asked->processes, asked->set);
	u64 i;

	for (i = 0; !err && i < job.processes; i++) {
		if (pipe(job.pipe[i]))
			err = mc_os_stop_with(errno, "pipe");
	}
	if (!err && !fill_set())
		err = mc_os_stop_with(ENOMEM, "set");
	return err;
}

static void stop_alone(void)
{
	u64 i;

	for (i = 0; job.pipe && i < job.processes && job.pipe[i][1]; i++) {
		close(job.pipe[i][0]);
		close(job.pipe[i][1]);
	}
	stop_job();
}

/* Each of the pipes in turn, as in the ring. */
static void alone(u64 n)
{
	u64 i;

	while (n--) {
		for (i = 0; i < job.processes; i++) {
			u32 token = ++job.token;

			mc_os_verify(put_token(job.pipe[i][1], &token) &&
				     get_token(job.pipe[i][0], &token) && token == job.token &&
				     read_set() == job.set / sizeof(*job.memory));
		}
	}
}

/* ----------------------------------------------------- a process that sends back */

/* The byte comes back increased by one. */
static void send_back(int fd)
{
	unsigned char byte;

	while (read(fd, &byte, 1) == 1) {
		byte++;
		if (write(fd, &byte, 1) != 1)
			break;
	}
	_exit(1);
}

static int start_echo(int pair[2])
{
	job.child[0] = fork();
	if (!job.child[0]) {
		be_child();
		close(pair[0]);
		send_back(pair[1]);
	}
	close(pair[1]);
	job.out = pair[0];
	return job.child[0] < 0 ? mc_os_stop_with(errno, "fork") : 0;
}

static void there_and_back(u64 n)
{
	while (n--) {
		unsigned char byte = job.token++;

		if (write(job.out, &byte, 1) != 1 || read(job.out, &byte, 1) != 1) {
			mc_os_stop_with(EPIPE, "the process that sends back has ended");
			return;
		}
		mc_os_verify(byte == (job.token & 0xff));
	}
}

static int start_unix(const struct mc_os_asked *asked)
{
	int err = start_job(1, 0), pair[2];

	if (!err && socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		err = mc_os_stop_with(errno, "socketpair");
	return err ? err : start_echo(pair);
}

/* Return: a socket that listens on the loopback, and its address; or -1. */
static int listen_on_loopback(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(*address);

	*address = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (fd >= 0 && !bind(fd, (struct sockaddr *)address, size) && !listen(fd, 1) &&
	    !getsockname(fd, (struct sockaddr *)address, &size))
		return fd;
	close_end(&fd);
	return -1;
}

/* Both ends of a connection, with the options that a new socket has; or a negative errno. */
static int connect_pair(int pair[2])
{
	struct sockaddr_in address;
	int fd = listen_on_loopback(&address), err = 0;

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	pair[1] = -1;
	if (fd >= 0 && pair[0] >= 0 &&
	    !connect(pair[0], (struct sockaddr *)&address, sizeof(address)))
		pair[1] = accept(fd, NULL, NULL);
	if (pair[1] < 0) {
		err = -errno;
		close_end(&pair[0]);
	}
	close_end(&fd);
	return err;
}

/**
 * mc_os_has_loopback() - test whether TCP connections to this machine are possible
 *
 * Return: true if they are.
 */
bool mc_os_has_loopback(void)
{
	int pair[2];
	bool has = !connect_pair(pair);

	close_end(&pair[0]);
	close_end(&pair[1]);
	return has;
}

static int start_pair(int pair[2])
{
	int err = start_job(1, 0);

	if (err)
		return err;
	err = connect_pair(pair);
	return err ? mc_os_stop_with(-err, "a connection to 127.0.0.1") : 0;
}

static int start_tcp(const struct mc_os_asked *asked)
{
	int pair[2], err = start_pair(pair);

	return err ? err : start_echo(pair);
}

/* --------------------------------------------------------------------------- select */

static struct {
	fd_set set;
	int end;
	u64 n;
} select_job;

/* Copies of @fd, all of which are ready to be written. */
static int copy_descriptor(int fd, u64 n)
{
	u64 i;

	select_job.n = n;
	select_job.end = 0;
	FD_ZERO(&select_job.set);
	for (i = 0; i < n; i++) {
		int copy = dup(fd);

		if (copy < 0)
			return mc_os_stop_with(errno, "descriptors");
		if (copy >= FD_SETSIZE) {
			close(copy);
			return mc_os_stop_with(EMFILE, "descriptors");
		}
		FD_SET(copy, &select_job.set);
		select_job.end = copy + 1;
	}
	return 0;
}

static void close_copies(void)
{
	int fd;

	for (fd = 0; fd < select_job.end; fd++) {
		if (FD_ISSET(fd, &select_job.set))
			close(fd);
	}
	select_job.end = 0;
}

static void select_writable(u64 n)
{
	while (n--) {
		struct timeval at_once = { 0 };
		fd_set set = select_job.set;

		mc_os_verify(select(select_job.end, NULL, &set, NULL, &at_once) == select_job.n);
	}
}

static int start_select_file(const struct mc_os_asked *asked)
{
	int fd = mc_os_file_new(asked->dir, MC_OS_FILE);

	return fd < 0 ? fd : copy_descriptor(fd, asked->descriptors);
}

static void stop_select_file(void)
{
	close_copies();
	mc_os_file_end();
}

static int start_select_tcp(const struct mc_os_asked *asked)
{
	int pair[2], err = start_pair(pair);

	if (err)
		return err;
	job.out = pair[0];
	job.in = pair[1];
	return copy_descriptor(job.out, asked->descriptors);
}

static void stop_select_tcp(void)
{
	close_copies();
	stop_job();
}

static const struct mc_os_item ring_alone = {
	.run = alone, .batch = 16, .start = start_alone, .stop = stop_alone,
	.parts = hops,
};

const struct mc_os_item mc_os_context = {
	.run = around, .batch = 16, .start = start_ring, .stop = stop_job,
	.parts = hops, .less = &ring_alone,
};

const struct mc_os_item mc_os_unix_socket = {
	.run = there_and_back, .batch = 64, .start = start_unix, .stop = stop_job,
};

const struct mc_os_item mc_os_tcp = {
	.run = there_and_back, .batch = 64, .start = start_tcp, .stop = stop_job,
};

const struct mc_os_item mc_os_select_file = {
	.run = select_writable, .batch = 128, .start = start_select_file, .stop = stop_select_file,
};

const struct mc_os_item mc_os_select_tcp = {
	.run = select_writable, .batch = 128, .start = start_select_tcp, .stop = stop_select_tcp,
};
