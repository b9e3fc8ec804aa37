// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program of a native test. -include puts the test's file before this one, and the Makefile
 * makes the list UNIT_TESTS of all its functions that take the state of cmocka.
 */
#include "../cmocka_all.h"

/* Functions that a test's file may define: before each test, before all, and after all. */
#ifndef SET_UP
#define SET_UP		NULL
#endif
#ifndef SET_UP_ALL
#define SET_UP_ALL	NULL
#endif
#ifndef CLEAN_UP_ALL
#define CLEAN_UP_ALL	NULL
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#include UNIT_TESTS
	};

	return cmocka_run_group_tests(tests, SET_UP_ALL, CLEAN_UP_ALL);
}
