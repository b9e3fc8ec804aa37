// SPDX-License-Identifier: GPL-2.0-only
/* However a run ends, the prefetchers are as they were before it. */
#include "registers.h"

#define OFF_ENDLESS ENDLESS " size=64K prefetch=off cpu=0-1"

/* ----------------------------------------------------------- all ways out */

FIXTURE(ends) {
	pid_t pid;
};

FIXTURE_VARIANT(ends) {
	bool shared;
	const char *first;	/* written before memcache is loaded */
};

FIXTURE_VARIANT_ADD(ends, a_register_each) { false, NULL };
FIXTURE_VARIANT_ADD(ends, one_of_siblings) { true, "group 2" };
FIXTURE_VARIANT_ADD(ends, two_registers_each) { false, "two 1" };

static pid_t start_with_prefetchers_off(struct __test_metadata *_metadata, bool shared)
{
	pid_t pid = run_start(OFF_ENDLESS);

	EXPECT_TRUE(run_gets_to(5));
	EXPECT_EQ(CPU0 | OURS, msr("cpu0"));
	EXPECT_EQ((shared ? CPU0 : CPU1) | OURS, msr("cpu1"));
	return pid;
}

static void is_restored(struct __test_metadata *_metadata, bool shared)
{
	EXPECT_EQ(CPU0, msr("cpu0"));
	EXPECT_EQ(shared ? CPU0 : CPU1, msr("cpu1"));
}

FIXTURE_SETUP(ends)
{
	registers_setup(_metadata, variant->first);
	self->pid = start_with_prefetchers_off(_metadata, variant->shared);
}

FIXTURE_TEARDOWN(ends)
{
	is_restored(_metadata, variant->shared);
	ASSERT_TRUE(msr_set("group 1"));
	registers_teardown(_metadata);
}

TEST_F(ends, by_a_signal_a_stop_or_its_timeout)
{
	EXPECT_EQ(0, kill(self->pid, SIGINT));
	EXPECT_EQ(-EINTR, run_end(self->pid));
	EXPECT_TRUE(said("off"));
	is_restored(_metadata, variant->shared);
	self->pid = start_with_prefetchers_off(_metadata, variant->shared);
	EXPECT_EQ(0, kill(self->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, run_end(self->pid));
	EXPECT_TRUE(said("off"));
	is_restored(_metadata, variant->shared);
	self->pid = start_with_prefetchers_off(_metadata, variant->shared);
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	EXPECT_TRUE(said("off"));
	is_restored(_metadata, variant->shared);
	EXPECT_EQ(-ETIME, run(OFF_ENDLESS " timeout=1"));
	EXPECT_TRUE(said("off"));
}

TEST_F(ends, when_a_cpu_goes)
{
	ASSERT_EQ(0, cpu1_online("0"));
	/* This must hold at once, not only after the run has noticed. */
	EXPECT_EQ(variant->shared ? CPU0 : CPU1, msr("cpu1"));
	EXPECT_EQ(-ENODEV, run_end(self->pid));
	EXPECT_TRUE(file_has("run", "\nstate: failed\nerror: ENODEV cpu: 1 went offline"));
	EXPECT_TRUE(said("ineffective"));
	ASSERT_EQ(0, cpu1_online("1"));
	EXPECT_EQ(variant->shared ? CPU0 : CPU1, msr("cpu1"));
	EXPECT_EQ(0, run(SHORT "off cpu=0-1"));
	EXPECT_TRUE(said("off"));
}

/* A kernel that kexec starts would find the register as it is now. */
TEST_F(ends, before_a_reboot)
{
	ASSERT_TRUE(msr_set("reboot 0"));
	EXPECT_EQ(1, count("told"));
	is_restored(_metadata, variant->shared);
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	EXPECT_TRUE(said("ineffective"));
	EXPECT_EQ(-EOPNOTSUPP, run(SHORT "off"));
	EXPECT_TRUE(file_has("run", "the machine is going down"));
	EXPECT_EQ(0, run(SHORT "auto"));
	EXPECT_TRUE(said("keep"));
}

/* ------------------------------------------------------------- meanwhile */

FIXTURE(meanwhile) {
	pid_t pid;
};

FIXTURE_SETUP(meanwhile)
{
	registers_setup(_metadata, NULL);
	self->pid = run_start(OFF_ENDLESS);
	ASSERT_TRUE(run_gets_to(5));
	expect_all_off(_metadata);
}

FIXTURE_TEARDOWN(meanwhile)
{
	registers_teardown(_metadata);
}

TEST_F(meanwhile, bits_that_others_change_stay_changed)
{
	ASSERT_TRUE(msr_set("flip 100800 0"));
	ASSERT_TRUE(msr_set("flip 200000 1"));
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	EXPECT_TRUE(said("off"));
	EXPECT_EQ(CPU0 ^ 0x100800, msr("cpu0"));
	EXPECT_EQ(CPU1 ^ 0x200000, msr("cpu1"));
	ASSERT_TRUE(msr_set("flip 100800 0"));
	ASSERT_TRUE(msr_set("flip 200000 1"));
}

TEST_F(meanwhile, who_turns_one_on_makes_it_ineffective)
{
	ASSERT_TRUE(msr_set("flip 4 1"));
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	EXPECT_TRUE(said("ineffective"));
}

TEST_F(meanwhile, a_cpu_that_is_not_of_the_run_may_go)
{
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	self->pid = run_start(ENDLESS " size=64K prefetch=off cpu=0");
	ASSERT_TRUE(run_gets_to(5));
	EXPECT_EQ(CPU1, msr("cpu1"));
	ASSERT_EQ(0, cpu1_online("0"));
	ASSERT_EQ(0, cpu1_online("1"));
	EXPECT_EQ(CPU1, msr("cpu1"));
	EXPECT_EQ(CPU0 | OURS, msr("cpu0"));
	EXPECT_EQ(-ECANCELED, run_stop(self->pid));
	EXPECT_TRUE(said("off"));
}

TEST_HARNESS_MAIN
