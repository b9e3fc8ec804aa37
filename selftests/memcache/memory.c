// SPDX-License-Identifier: GPL-2.0-only
/* Too little memory, and memory on the node that was asked for. */
#include <sched.h>

#include "watched.h"

WATCHED(memory)

#define NODE0 "/sys/devices/system/node/node0/"

/* A figure of a meminfo file, in MiB. */
static long meminfo(const char *path, const char *name)
{
	char text[8192], *at;

	if (file_read(path, text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, name);
	return at ? atol(at + strcspn(at, "0123456789")) / 1024 : -1;
}

static long available(void)
{
	return meminfo("/proc/meminfo", "MemAvailable:");
}

static long first_node(const char *name)
{
	return meminfo(NODE0 "meminfo", name);
}

static int run_size(const char *keys, long mib)
{
	return run(TEXT("bandwidth %s size=%ldM repeat=1 warmup=0", keys, mib));
}

/* The request is refused with ENOMEM, and nothing of it is kept. */
static void is_clean(struct __test_metadata *_metadata)
{
	EXPECT_TRUE(file_has("run", "\nstate: failed\nerror: ENOMEM size: "));
	EXPECT_EQ(watched_standing(), witness_away());
	EXPECT_TRUE(file_has("buffers", "leaked_pages=0\n"));
	EXPECT_FALSE(file_has("buffers", " run "));
	EXPECT_EQ(0, run("bandwidth type=wb,uc,wc size=8M repeat=1"));
}

/* One node alone does not have that much, so the allocation fails half-way. */
TEST_F(memory, runs_out_half_way)
{
	long size = first_node("MemTotal:") + 16;

	ASSERT_LT(16, size);
	if (size > available() - 16)
		SKIP(return, "too little memory on other nodes");
	EXPECT_EQ(-ENOMEM, run_size("type=uc node=0", size));
	EXPECT_TRUE(file_has("run", "error: ENOMEM size: memory ran out after "));
	is_clean(_metadata);
	EXPECT_EQ(-ENOMEM, run_size("type=wb,wc node=0", size));
	is_clean(_metadata);
}

/* Two buffers don't fit at the same time, so the first one makes room. */
TEST_F(memory, suffices_for_one_type_at_a_time)
{
	/* Temporary files of earlier tests take memory, too. */
	long room = first_node("MemFree:") + first_node("FilePages:") -
		    first_node("Shmem:");

	EXPECT_EQ(0, run_size("type=uc,wc node=0", room * 5 / 8));
	EXPECT_EQ(2, results_with("\"verified\":\"ok\""));
	EXPECT_EQ(watched_standing(), witness_away());
}

/*
 * Start a process that takes memory until @left MiB are available. It does so in steps:
 * the kernel's figure is an estimate, and a process that takes all at once may be killed.
 */
static pid_t hold_all_but(struct __test_metadata *_metadata, long left)
{
	const size_t step = 4 << 20;
	int fds[2];
	pid_t pid;
	char c;

	ASSERT_LT(left + 4, available());
	ASSERT_EQ(0, pipe(fds));
	pid = fork();
	if (!pid) {
		while (available() > left)
			memset(malloc(step), 1, step);
		if (write(fds[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(fds[1]);
	ASSERT_EQ(1, read(fds[0], &c, 1));
	close(fds[0]);
	return pid;
}

/* The kernel has not killed the process; now we do. */
static void hold_end(struct __test_metadata *_metadata, pid_t pid)
{
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(SIGKILL, run_end(pid));
}

/*
 * Memory that another process holds is not available, and no process is killed to get it.
 * The kernel empties its caches for the request, so that programs have to be read again:
 * on a busy machine that took more than five minutes.
 */
TEST_F_TIMEOUT(memory, is_held_by_another_process, 1200)
{
	pid_t pid = hold_all_but(_metadata, 192);

	EXPECT_EQ(-ENOMEM, run_size("type=uc", 400));
	is_clean(_metadata);
	EXPECT_EQ(-ENOMEM, run_size("type=uc node=0", 400));
	is_clean(_metadata);
	hold_end(_metadata, pid);
	EXPECT_EQ(0, run_size("type=uc", 64));
}

/*
 * No process is killed either to get room for the results of 131072 measurements, about
 * 60 MiB; and no caches are emptied for it, so programs need not be read again.
 */
TEST_F(memory, is_short_for_the_list_of_results)
{
	char line[1024] = "latency cpu=0,1 timeout=3 type=wb,wc irq=on,off page=auto,4k repeat=";
	pid_t pid;
	int i;

	/* 64 times 64 times 16 points. */
	for (i = 1; i <= 64; i++)
		sprintf(line + strlen(line), "%d%s", i, i < 64 ? "," : " warmup=");
	for (i = 1; i <= 64; i++)
		sprintf(line + strlen(line), "%d%s", i, i < 64 ? "," : " size=4K,8K");
	pid = hold_all_but(_metadata, 24);
	EXPECT_EQ(-ENOMEM, run(line));
	hold_end(_metadata, pid);
	EXPECT_EQ(0, run("bandwidth size=4K repeat=1"));
}

/*
 * A scan takes nearly all memory. Nobody is killed for it, an eighth is left for others, no page
 * changes its type, and all is given back.
 */
TEST_F(memory, is_scanned)
{
	long before = available(), total = meminfo("/proc/meminfo", "MemTotal:");
	pid_t pid = run_start("scan region=64M repeat=10000 warmup=0");

	ASSERT_TRUE(run_gets_to(1));
	EXPECT_GT(before / 2, available());
	EXPECT_LT(total / 10, meminfo("/proc/meminfo", "MemFree:"));
	EXPECT_EQ(2 * BLOCK, witness("touched"));
	EXPECT_EQ(-ECANCELED, run_stop(pid));
	EXPECT_EQ(watched_standing(), witness_away());
	/* Freed pages may lie in the lists of a CPU for a while, where nobody counts them. */
	EXPECT_TRUE(comes_true(30, before - 32 < available()));
	EXPECT_EQ(0, run("bandwidth type=wb,uc,wc size=8M repeat=1"));
}

/*
 * Start a writer of `run`. This process, and those that it forks later, run before it. So the
 * writer makes its buffer only while this process sleeps. All share a CPU.
 */
static pid_t start_writer(struct __test_metadata *_metadata, const char *line)
{
	const struct sched_param first = { .sched_priority = 1 };
	pid_t pid;

	EXPECT_EQ(0, sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first));
	pid = run_start(line);
	EXPECT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	return pid;
}

static void stay_on_one_cpu(struct __test_metadata *_metadata)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
}

/* Wait until a process sleeps in the kernel, for whatever it is. */
static void await_sleep(struct __test_metadata *_metadata, pid_t pid)
{
	const char *path = TEXT("/proc/%d/stat", pid);
	char text[1024], state = 0;

	while (state != 'S' && state != 'D') {
		usleep(100);
		ASSERT_LT(0, file_read(path, text, sizeof(text)));
		state = strrchr(text, ')')[2];
		ASSERT_NE('Z', state);
	}
}

/* Making a large buffer takes time. A signal or a stop ends that early. */
FIXTURE(large) {
	long size;
	pid_t pid;
};

/* Start a run, and wait until it makes its buffer. Return: whether that is not finished. */
static bool begins_large(struct __test_metadata *_metadata, long *size, pid_t *pid)
{
	long before;

	watched_setup(_metadata);
	stay_on_one_cpu(_metadata);
	before = available();
	*size = before - 128;
	*pid = start_writer(_metadata, TEXT("bandwidth size=%ldM type=uc repeat=100", *size));
	/*
	 * The witness sees each page that is made UC. In the direct map, pages are made UC block by
	 * block; a mapping comes when all of them are there.
	 */
	while (TYPES_IN_DIRECT_MAP ? witness("touched") < 5 * BLOCK : available() > before - 16)
		usleep(1000);
	return witness("touched") < 256 * *size;
}

FIXTURE_SETUP(large)
{
	int tries = 5;

	/* On a busy host, the timer of the guest may be later than the end of the buffer. */
	while (!begins_large(_metadata, &self->size, &self->pid)) {
		ASSERT_LT(0, --tries);
		EXPECT_EQ(-ECANCELED, run_stop(self->pid));
		watched_teardown(_metadata);
	}
}

FIXTURE_TEARDOWN(large)
{
	watched_teardown(_metadata);
}

static void was_not_finished(struct __test_metadata *_metadata, long size, const char *why)
{
	EXPECT_GT(size * 256, witness("touched"));
	EXPECT_TRUE(file_has("run", why));
	EXPECT_EQ(watched_standing(), witness_away());
	EXPECT_EQ(0, run("bandwidth type=wb,uc size=8M repeat=1"));
}

TEST_F(large, ends_with_a_signal)
{
	EXPECT_EQ(0, kill(self->pid, SIGINT));
	EXPECT_EQ(-EINTR, run_end(self->pid));
	was_not_finished(_metadata, self->size,
			 "error: EINTR run: stopped by a signal while its memory");
}

TEST_F(large, ends_with_a_write_to_stop)
{
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	was_not_finished(_metadata, self->size,
			 "error: ECANCELED run: stopped by a write to stop while its memory");
}

/* Other processes wait until the buffer is there; one that is killed stops waiting. */
TEST_F(large, lets_its_readers_be_killed)
{
	pid_t reader = fork();
	char text[4096];

	if (!reader)
		_exit(file_read(FILES "buffers", text, sizeof(text)) < 0);
	await_sleep(_metadata, reader);
	EXPECT_EQ(0, kill(reader, SIGKILL));
	EXPECT_EQ(SIGKILL, run_end(reader));
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	was_not_finished(_metadata, self->size, "error: ECANCELED ");
}

WATCHED(node)

FIXTURE_VARIANT(node) {
	const char *keys;
	int node;
};

FIXTURE_VARIANT_ADD(node, node_0) { "node=0 cpu=1", 0 };
FIXTURE_VARIANT_ADD(node, node_1) { "node=1 cpu=0", 1 };
FIXTURE_VARIANT_ADD(node, auto_on_cpu_0) { "node=auto cpu=0", 0 };
FIXTURE_VARIANT_ADD(node, auto_on_cpu_1) { "cpu=1", 1 };

TEST_F(node, is_where_pages_lie)
{
	const char *of_node = TEXT("node%d", variant->node);
	long before;
	pid_t pid;

	EXPECT_EQ(0, run(TEXT("bandwidth type=wb,wc,uc size=4K,8M repeat=1 %s", variant->keys)));
	EXPECT_EQ(6, results_with(TEXT("\"memory_node\":%d,", variant->node)));

	before = witness(of_node);
	pid = run_start(TEXT(ENDLESS " type=uc size=8M %s", variant->keys));
	ASSERT_TRUE(run_gets_to(1));
	EXPECT_EQ(before + 4 * BLOCK, witness(of_node));
	EXPECT_EQ(-ECANCELED, run_stop(pid));
}

TEST_HARNESS_MAIN
