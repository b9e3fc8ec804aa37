/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's harness, with enough time for a test in a guest on a busy machine. */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include "kselftest_harness.h"

/* Seconds. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 300

#endif /* SELFTESTS_HARNESS_H */
