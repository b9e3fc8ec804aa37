// SPDX-License-Identifier: GPL-2.0-only
/* Run the suite when the module is loaded. */
#undef pr_fmt
#include "memtype_kunit.c"

void kunit_free_boot_suites(void)
{
}

int memtype_run(void)
{
	static struct kunit_suite *suites[] = { &memtype_suite };

	return __kunit_test_suites_init(suites, 1);
}
