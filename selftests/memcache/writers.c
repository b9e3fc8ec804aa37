// SPDX-License-Identifier: GPL-2.0-only
/* Many writers at once: one runs, the others get EBUSY, and nothing is lost. */
#include "chance.h"
#include "watched.h"

#define MANY 8

WATCHED(writers)

/* The size in a result shows which request it belongs to. */
TEST_F(writers, one_wins)
{
	int i, status, busy, winner = -1, fds[2];
	char go[MANY] = "";
	pid_t pid, pids[MANY];

	ASSERT_EQ(0, pipe(fds));
	for (i = 0; i < MANY; i++)
		pids[i] = run_start_at(TEXT(ENDLESS " size=%dK", 4 * (i + 1)), fds[0]);
	ASSERT_EQ(MANY, write(fds[1], go, MANY));

	/* All writers but one return while that one still runs. */
	for (busy = 0; busy < MANY - 1; busy++) {
		pid = wait(&status);
		ASSERT_LT(0, pid);
		EXPECT_EQ(EBUSY, WEXITSTATUS(status));
		for (i = 0; i < MANY; i++)
			pids[i] = pids[i] == pid ? 0 : pids[i];
	}
	for (i = 0; i < MANY; i++)
		winner = pids[i] ? i : winner;
	ASSERT_TRUE(run_gets_to(3));
	EXPECT_EQ(-EBUSY, run("bandwidth"));
	EXPECT_EQ(-EBUSY, run("no such line"));
	EXPECT_TRUE(file_has("run", TEXT("request: bandwidth op=write repeat=1000000 size=%dK ",
					 4 * (winner + 1))));
	EXPECT_TRUE(file_has("run", "\nstate: running\n"));

	EXPECT_EQ(-ECANCELED, run_stop(pids[winner]));
	EXPECT_EQ(1, results_with(TEXT("\"size_bytes\":%d,", 4096 * (winner + 1))));
	EXPECT_EQ(1, results_with(""));
}

/* Do TURNS runs, each repeated until it is not refused with EBUSY; exit with 0. */
static void run_often(int i)
{
	const char *line = TEXT("bandwidth size=%dK repeat=1 warmup=0 type=wb,wc,uc", 4 * (i + 1));
	int n = chance_count("TURNS", 4), err;

	while (n--) {
		while ((err = run(line)) == -EBUSY)
			usleep(10000 * (i + 1));
		if (err)
			_exit(-err);
	}
	_exit(0);
}

/* Every read returns all three results of one run. */
static void read_often(void)
{
	for (;;) {
		if (results_with("") != 3 ||
		    file_count("results", "\n") != 4 ||
		    !file_has("buffers", "leaked_pages=0\n") ||
		    !file_has("run", "request: bandwidth size=") ||
		    file_has("progress", "running 0/0"))
			_exit(1);
	}
}

TEST_F(writers, take_turns_while_others_read)
{
	pid_t reader, pids[MANY];
	int i;

	ASSERT_EQ(0, run("bandwidth size=4K repeat=1 warmup=0 type=wb,wc,uc"));
	reader = fork();
	if (!reader)
		read_often();
	for (i = 0; i < MANY; i++) {
		pids[i] = fork();
		if (!pids[i])
			run_often(i);
	}
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0, run_end(pids[i]));
	EXPECT_EQ(0, kill(reader, SIGKILL));
	EXPECT_EQ(SIGKILL, run_end(reader));
}

TEST_HARNESS_MAIN
