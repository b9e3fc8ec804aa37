/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's harness, with enough time for a test in a guest on a busy machine. */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include "kselftest_harness.h"

/* Seconds. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 1200

/* A type of fixture without members, and the calls that make and end it. */
#define FIXTURE_BY(type, setup, teardown)					\
struct __test_metadata;								\
FIXTURE(type) {									\
};										\
										\
FIXTURE_SETUP(type)								\
{										\
	setup;									\
}										\
										\
FIXTURE_TEARDOWN(type)								\
{										\
	teardown;								\
}

/* A system call fails with this errno. */
#define EXPECT_ERRNO(err, call) EXPECT_EQ(err, (long)(call) == -1 ? errno : 0)

/* Whether the test has passed so far. Newer harnesses have a function for it. */
static inline bool test_passed(struct __test_metadata *test)
{
#ifdef HAVE_TEST_PASSED
	return __test_passed(test);
#else
	return test->passed;
#endif
}

#endif /* SELFTESTS_HARNESS_H */
