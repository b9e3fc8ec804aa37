// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that may come at any moment, at random moments: the writer's death
 * (KILLS times), a stop, a CPU that goes offline (OFFLINE times), an unload.
 */

#include "inject.h"

/* Each request takes about a second for all its phases, on a slow guest a few. */
static const char *const lines[] = {
	"bandwidth size=64K repeat=20 cpu=0-1",
	"bandwidth size=16K,8M type=wb,uc,wc repeat=3",
	"bandwidth size=3M type=uc,wc page=4k irq=off repeat=3",
	"bandwidth size=64K fence=uc op=write,copy,read repeat=10",
	"latency size=16K,4M repeat=3",
	"loaded cpu=0-1 size=64K delay=0,100 repeat=5",
	"c2c cpu=0-1 size=4K repeat=20",
	"scan cpu=0-1 region=2M size=16M repeat=3",
	"bandwidth op=copy_from_user,copy_to_user size=64K,8M cpu=0-1 repeat=5",
	"mmio op=arrive type=wb,uc cpu=0-1 irq=on,off repeat=20",
};

FIXTURE_BY(moment, inject_setup(_metadata), cpu1_online("1"); inject_teardown(_metadata))

/* The time counts from the fork, so the moment may be before the write or after its end. */
static pid_t start_any(const char **line)
{
	*line = PICK(lines);
	counted.runs++;
	return run_start(*line);
}

/* Half of the moments are in the first tenth, where most happens. */
static void wait_any(void)
{
	usleep(chance(2) ? chance(50000) : chance(500000));
}

TEST_F(moment, of_death)
{
	unsigned long i, n = chance_count("KILLS", 10);
	const char *line;
	int end;

	TH_LOG("SEED=%llu", chance_seed);
	for (i = 0; counted.kills < n; i++) {
		pid_t pid = start_any(&line);

		wait_any();
		EXPECT_EQ(0, kill(pid, SIGKILL));
		end = run_end(pid);
		ASSERT_TRUE(end == SIGKILL || end == 0) {
			TH_LOG("%s: %d", line, end);
		}
		counted.kills += end == SIGKILL;
		is_sound(_metadata);
		ASSERT_TRUE(test_passed(_metadata)) {
			TH_LOG("round %lu, of %s", i, line);
		}
	}
}

/* The module unloads as soon as it can, whatever the killed writer was doing. */
TEST_F(moment, of_death_and_unload)
{
	unsigned long i, n = chance_count("KILLS", 10) / 4 + 1;
	const char *line;
	int err;

	for (i = 0; i < n; i++) {
		pid_t pid = start_any(&line);

		wait_any();
		err = module_unload();
		EXPECT_TRUE(err == 0 || err == -EWOULDBLOCK);
		EXPECT_EQ(0, kill(pid, SIGKILL));
		while (err)
			err = module_unload();
		EXPECT_EQ(0, witness_away());
		EXPECT_EQ(0, run_threads());
		EXPECT_EQ(away_before, away_in_page_tables());
		run_end(pid);
		counted.kills++;
		ASSERT_EQ(0, module_load("size_mb=2"));
		is_sound(_metadata);
	}
}

TEST_F(moment, of_a_cpu_going_offline)
{
	unsigned long i, n = chance_count("OFFLINE", 6);
	const char *line;
	int end;

	TH_LOG("SEED=%llu", chance_seed);
	for (i = 0; i < n; i++) {
		pid_t pid = start_any(&line);

		wait_any();
		ASSERT_EQ(0, cpu1_online("0"));
		counted.offline++;
		if (chance(2))
			wait_any();
		ASSERT_EQ(0, cpu1_online("1"));
		end = run_end(pid);
		/* A writer that comes when the CPU is already offline gets an error. */
		ASSERT_TRUE(end == 0 || end == -ENODEV || end == -EINVAL) {
			TH_LOG("%s: %d", line, end);
		}
		if (end && !strstr(line, "cpu="))
			EXPECT_EQ(0, end);
		is_sound(_metadata);
		ASSERT_TRUE(test_passed(_metadata)) {
			TH_LOG("offline %lu in %s", i, line);
		}
	}
}

TEST_HARNESS_MAIN
