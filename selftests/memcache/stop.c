// SPDX-License-Identifier: GPL-2.0-only
/* Everything that ends a run early, and what must not end one. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

#include "watched.h"
#include "others.h"

FIXTURE(run) {
	pid_t pid;
};

#define TAIL	"tail count=1000 repeat=1000000 size=64K"

FIXTURE_VARIANT(run) {
	const char *line;
	int threads;
};

FIXTURE_VARIANT_ADD(run, wb) { ENDLESS " size=4K", 1 };
FIXTURE_VARIANT_ADD(run, wc) { ENDLESS " size=8M type=wc irq=off", 1 };
FIXTURE_VARIANT_ADD(run, uc_two_threads) { ENDLESS " size=64K type=uc cpu=0-1", 2 };
FIXTURE_VARIANT_ADD(run, any_cpu_fence) { ENDLESS " size=64K cpu=any fence=uc", 1 };
FIXTURE_VARIANT_ADD(run, user) { "bandwidth op=copy_to_user repeat=1000000 size=64K", 1 };
FIXTURE_VARIANT_ADD(run, tail_any_cpu) { TAIL " cpu=any irq=off", 1 };
FIXTURE_VARIANT_ADD(run, tail_under_load) { TAIL " cpu=0-1 load=copy", 2 };
FIXTURE_VARIANT_ADD(run, loaded) { "loaded repeat=1000000 size=64K cpu=0-1", 2 };

FIXTURE_SETUP(run)
{
	watched_setup(_metadata);
	self->pid = run_start(variant->line);
	ASSERT_TRUE(run_gets_to(5));
}

FIXTURE_TEARDOWN(run)
{
	watched_teardown(_metadata);
}

/* What must be true after a run that was cut short. */
static void is_over(struct __test_metadata *_metadata, const char *run_says)
{
	EXPECT_EQ(-1, run_done());
	EXPECT_EQ(0, run_threads());
	EXPECT_EQ(watched_standing(), witness_away());
	EXPECT_TRUE(file_has("run", run_says));
	EXPECT_EQ(1, results_with(""));
	EXPECT_FALSE(file_has("results.jsonl", "\"samples\":0,"));
	EXPECT_FALSE(file_has("results.jsonl", "\"verified\":\"failed\""));
	EXPECT_EQ(0, run("bandwidth type=wb,wc,uc size=4K,4M repeat=2"));
}

TEST_F(run, has_its_threads)
{
	EXPECT_EQ(variant->threads, run_threads_now());
	EXPECT_TRUE(file_has("run", "\nstate: running\n"));
	EXPECT_TRUE(file_has("progress", " elapsed_s="));
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
}

TEST_F(run, ends_with_an_interrupt)
{
	EXPECT_EQ(0, kill(self->pid, SIGINT));
	EXPECT_EQ(-EINTR, run_end(self->pid));
	is_over(_metadata, "\nstate: stopped\nerror: EINTR ");
}

TEST_F(run, ends_with_its_writer)
{
	EXPECT_EQ(0, kill(self->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, run_end(self->pid));
	is_over(_metadata, "\nstate: stopped\nerror: EINTR ");
}

TEST_F(run, ends_with_a_write_to_stop)
{
	EXPECT_EQ(0, file_write(FILES "stop", ""));
	usleep(100000);
	EXPECT_EQ(0, file_write(FILES "stop", "any words"));
	EXPECT_EQ(-ECANCELED, run_end(self->pid));
	is_over(_metadata, "\nstate: stopped\nerror: ECANCELED ");
	/* Without a run there is nothing to stop; the next run is not stopped either. */
	EXPECT_EQ(0, file_write(FILES "stop", "1"));
	EXPECT_EQ(0, run("bandwidth size=64K"));
}

static void goes_on(struct __test_metadata *_metadata)
{
	long done = run_done();

	EXPECT_LE(5, done);
	EXPECT_TRUE(run_gets_to(done + 5));
}

/* A shell often gets signals about its jobs and its window. These do not end a run. */
TEST_F(run, goes_on_after_signals_that_end_no_program)
{
	EXPECT_EQ(0, kill(self->pid, SIGCHLD));
	EXPECT_EQ(0, kill(self->pid, SIGWINCH));
	goes_on(_metadata);
	EXPECT_EQ(0, kill(self->pid, SIGINT));
	EXPECT_EQ(-EINTR, run_end(self->pid));
	is_over(_metadata, "\nstate: stopped\nerror: EINTR ");
}

/* A debugger, job control or a cgroup that stops the writer does not end the run. */
static void is_still_on(struct __test_metadata *_metadata, pid_t pid)
{
	goes_on(_metadata);
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	EXPECT_EQ(-ECANCELED, run_stop(pid));
	is_over(_metadata, "\nstate: stopped\nerror: ECANCELED run: stopped by a write to stop;");
}

TEST_F(run, goes_on_while_its_writer_should_stop)
{
	EXPECT_EQ(0, kill(self->pid, SIGSTOP));
	goes_on(_metadata);
	EXPECT_EQ(0, kill(self->pid, SIGCONT));
	EXPECT_EQ(0, kill(self->pid, SIGTSTP));
	goes_on(_metadata);
	EXPECT_EQ(0, kill(self->pid, SIGCONT));
	is_still_on(_metadata, self->pid);
}

TEST_F(run, goes_on_when_its_writer_is_traced)
{
	EXPECT_EQ(0, ptrace(PTRACE_SEIZE, self->pid, 0, 0));
	EXPECT_EQ(0, ptrace(PTRACE_INTERRUPT, self->pid, 0, 0));
	goes_on(_metadata);
	/* A signal still ends the run. */
	EXPECT_EQ(0, kill(self->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, run_end(self->pid));
	is_over(_metadata, "\nstate: stopped\nerror: EINTR ");
}

#define GROUP "/tmp/memcache-cgroup"

TEST_F(run, goes_on_when_its_writer_should_freeze)
{
	mkdir(GROUP, 0700);
	if (mount("none", GROUP, "cgroup2", 0, NULL)) {
		EXPECT_EQ(-ECANCELED, run_stop(self->pid));
		SKIP(return, "no cgroup2");
	}
	mkdir(GROUP "/writer", 0700);
	EXPECT_EQ(0, file_write(GROUP "/writer/cgroup.procs", TEXT("%d", self->pid)));
	EXPECT_EQ(0, file_write(GROUP "/writer/cgroup.freeze", "1"));
	goes_on(_metadata);
	EXPECT_EQ(0, file_write(GROUP "/writer/cgroup.freeze", "0"));
	is_still_on(_metadata, self->pid);
	rmdir(GROUP "/writer");
	EXPECT_EQ(0, umount(GROUP));
	rmdir(GROUP);
}

#define DELAY "/sys/module/suspend/parameters/pm_test_delay"

/*
 * No program repeats ECANCELED. Everything is frozen, and goes on at once. The kernel would wait
 * for 5 s in a busy loop, which takes minutes and soft lockups where the guest gets little time.
 */
TEST_F(run, ends_with_a_suspend)
{
	char delay[16] = "";

	if (file_write("/sys/power/pm_test", "freezer")) {
		EXPECT_EQ(-ECANCELED, run_stop(self->pid));
		SKIP(return, "no pm_test");
	}
	EXPECT_LT(0, file_read(DELAY, delay, sizeof(delay)));
	EXPECT_EQ(0, file_write(DELAY, "0"));
	EXPECT_EQ(0, file_write("/sys/power/state", "freeze"));
	EXPECT_EQ(0, file_write(DELAY, delay));
	EXPECT_EQ(0, file_write("/sys/power/pm_test", "none"));
	EXPECT_EQ(-ECANCELED, run_end(self->pid));
	is_over(_metadata,
		"\nstate: stopped\nerror: ECANCELED run: stopped because its writer is about to be frozen");
}

TEST_F(run, goes_on_when_the_module_should_unload)
{
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	goes_on(_metadata);
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	is_over(_metadata, "\nstate: stopped\n");
}

FIXTURE_BY(cpu1, watched_setup(_metadata),
	   cpu1_online("1"); watched_teardown(_metadata))

FIXTURE_VARIANT(cpu1) {
	const char *line;
};

FIXTURE_VARIANT_ADD(cpu1, wb) { ENDLESS " size=64K cpu=1" };
FIXTURE_VARIANT_ADD(cpu1, wc_irq_off) { ENDLESS " size=64K cpu=1 type=wc irq=off" };
FIXTURE_VARIANT_ADD(cpu1, uc_of_two) { ENDLESS " size=64K cpu=0-1 type=uc" };

TEST_F(cpu1, goes_offline)
{
	pid_t pid = run_start(variant->line);

	ASSERT_TRUE(run_gets_to(5));
	ASSERT_EQ(0, cpu1_online("0"));
	EXPECT_EQ(-ENODEV, run_end(pid));
	is_over(_metadata, "\nstate: failed\nerror: ENODEV cpu: 1 ");
	EXPECT_EQ(-EINVAL, run("bandwidth cpu=1"));
	EXPECT_TRUE(file_has("run", "error: EINVAL cpu: 1 is not online; online are 0\n"));
	EXPECT_EQ(-EINVAL, run("bandwidth cpu=0-1"));
	ASSERT_EQ(0, cpu1_online("1"));
	EXPECT_EQ(0, run("bandwidth cpu=0-1 size=64K"));
}

WATCHED(limit)

/* A guest that gets little time may have no result after a second, so the time-out grows. */
TEST_F(limit, timeout_ends_a_run)
{
	int seconds;

	for (seconds = 1; seconds < 100; seconds *= 4) {
		ASSERT_EQ(-ETIME, run(TEXT(ENDLESS " size=64K timeout=%d", seconds)));
		if (results_with("") == 1)
			break;
	}
	is_over(_metadata, TEXT("\nstate: stopped\nerror: ETIME timeout: %d s have passed; "
				"what was measured until then is kept\n", seconds));
	/* The time of one run does not count for the next one. */
	EXPECT_EQ(0, run("bandwidth size=64K timeout=60"));
}

/* A stop and the time-out at the same time: errno and `run` name the same cause. */
TEST_F(limit, stop_at_the_limit)
{
	int i, err;
	pid_t pid;

	for (i = 0; i < 6; i++) {
		pid = run_start(ENDLESS " size=2M timeout=1");
		usleep(1000000 + 2000 * i);
		EXPECT_EQ(0, file_write(FILES "stop", "1"));
		err = run_end(pid);
		ASSERT_TRUE(err == -ETIME || err == -ECANCELED);
		EXPECT_TRUE(file_has("run", err == -ETIME ? "\nerror: ETIME timeout:" :
							    "\nerror: ECANCELED run:"));
	}
}

#define ROUNDS	60

/* A run can be stopped as soon as other writers get EBUSY; it then measures nothing. */
TEST_F(limit, stop_before_the_first_sample)
{
	int i, err;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		if (!pid) {
			while ((err = run(ENDLESS " size=4K timeout=20")) == -EBUSY)
				;
			_exit(-err);
		}
		while (run("?") != -EBUSY)
			;
		EXPECT_EQ(0, file_write(FILES "stop", "1"));
		ASSERT_EQ(-ECANCELED, run_end(pid));
		EXPECT_TRUE(file_has("run", "\nstate: stopped\nerror: ECANCELED "));
	}
	EXPECT_EQ(0, run("bandwidth size=64K"));
}

/* Remove what the run has mapped in this process. */
static void *lose_mapping(void *arg)
{
	FILE *maps = run_gets_to(3) ? fopen("/proc/self/maps", "r") : NULL;
	unsigned long from, to;
	char line[256];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, ":[memcache]") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			munmap((void *)from, to - from);
	return maps;
}

TEST_F(limit, writer_unmaps_what_is_copied)
{
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, lose_mapping, NULL));
	EXPECT_EQ(-ENODEV, run("bandwidth op=copy_from_user repeat=1000000 size=64K"));
	pthread_join(thread, NULL);
	EXPECT_TRUE(file_has("run", "\nerror: ENODEV op: a call of copy_from_user() was too "));
	EXPECT_FALSE(file_has("results.jsonl", "\"verified\":\"failed\""));
	EXPECT_EQ(0, run("bandwidth op=copy_from_user size=64K repeat=2"));
	ASSERT_LT(0, file_read("/proc/self/maps", run_text, sizeof(run_text)));
	EXPECT_EQ(NULL, strstr(run_text, "[memcache]"));
}

/* A process may have no more memory than it may lock. */
TEST_F(limit, writer_can_t_map_what_is_copied)
{
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ 2 << 20, 2 << 20 }));
	ASSERT_EQ(0, lose_capability(CAP_IPC_LOCK));
	ASSERT_EQ(0, mlockall(MCL_FUTURE));
	EXPECT_EQ(-ENOMEM, run("bandwidth op=copy_from_user size=4M repeat=2"));
	EXPECT_TRUE(file_has("run", "\nerror: ENOMEM op: the memory can't be mapped in "));
	EXPECT_EQ(0, run("bandwidth op=copy_from_user size=64K repeat=2"));
}

TEST_HARNESS_MAIN
