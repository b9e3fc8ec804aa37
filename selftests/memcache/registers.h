/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memcache with the simulated prefetcher registers of selftests/modules/mc_msr.c. Each test
 * begins with the values below, and must leave them so.
 */
#ifndef SELFTESTS_REGISTERS_H
#define SELFTESTS_REGISTERS_H

#include "harness.h"
#include "run.h"

#define MSR "/sys/kernel/debug/mc_msr/"

#define SHORT "bandwidth size=64K repeat=3 prefetch="

/* Bits 9, 11 and high ones are not ours; CPU 1 has one prefetcher off. */
#define CPU0 0x8000000000000a00UL
#define CPU1 0x0000000100000802UL
#define OURS 0xfUL

/* Of the second register, which only `two 1` gives a CPU model. CPU 1 has one prefetcher off. */
#define SECOND0 0x8000000000000041UL
#define SECOND1 0x0000040000000002UL
#define SECOND_OURS 0x40000004000UL	/* bits 14 and 42 */

#define KNOWN "\"prefetch\":{\"known\":true,\"msr\":\"0x1a4\",\"mask\":\"0xf\","
#define KNOWN_2 "\"msr_2\":\"0x6d\",\"mask_2\":\"0x40000004000\","

__attribute__((constructor)) static void registers_need(void)
{
	ko_need("MSR_KO", "mc_msr", "$(dirname $(tools/guest/build -k host -w))/mc_msr.ko");
}

static inline bool msr_set(const char *line)
{
	return !file_write(MSR "set", line);
}

/* The value of a name in the state of the registers. */
static inline unsigned long msr(const char *name)
{
	return file_value(MSR "state", name);
}

static inline int count(const char *name)
{
	return msr(name);
}

/* @first: written to the registers before memcache is loaded */
static void registers_setup(struct __test_metadata *_metadata, const char *first)
{
	module_clear();
	ko_unload("mc_msr");
	ASSERT_EQ(0, ko_load(ko_path("MSR_KO", "mc_msr"), ""));
	ASSERT_TRUE(msr_set("value 8000000000000a00 0"));
	ASSERT_TRUE(msr_set("value 0000000100000802 1"));
	ASSERT_TRUE(msr_set("second 8000000000000041 0"));
	ASSERT_TRUE(msr_set("second 0000040000000002 1"));
	if (first)
		ASSERT_TRUE(msr_set(first));
	ASSERT_EQ(0, module_load("size_mb=2"));
}

/* The registers are as they were, both before and after memcache is unloaded. */
static inline void expect_untouched(struct __test_metadata *_metadata)
{
	EXPECT_EQ(CPU0, msr("cpu0"));
	EXPECT_EQ(CPU1, msr("cpu1"));
	EXPECT_EQ(SECOND0, msr("second0"));
	EXPECT_EQ(SECOND1, msr("second1"));
	EXPECT_EQ(0, count("foreign"));
}

static void registers_teardown(struct __test_metadata *_metadata)
{
	cpu1_online("1");
	expect_untouched(_metadata);
	EXPECT_EQ(0, run_threads());
	EXPECT_EQ(0, module_unload());
	expect_untouched(_metadata);
	EXPECT_EQ(0, ko_unload("mc_msr"));
}

static inline void expect_all_off(struct __test_metadata *_metadata)
{
	EXPECT_EQ(CPU0 | OURS, msr("cpu0"));
	EXPECT_EQ(CPU1 | OURS, msr("cpu1"));
}

static inline bool said(const char *how)
{
	return results_with("") == 1 && results_with(TEXT("\"prefetch\":\"%s\"", how)) == 1;
}

#endif /* SELFTESTS_REGISTERS_H */
