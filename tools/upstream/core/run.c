// SPDX-License-Identifier: GPL-2.0-only
/* Run the suites when the module is loaded. */
#include <kunit/test.h>

extern struct kunit_suite memtype_suite, memtype_x86_suite;

void kunit_free_boot_suites(void)
{
}

int memtype_run(void)
{
	static struct kunit_suite *suites[] = { &memtype_suite, &memtype_x86_suite };

	return __kunit_test_suites_init(suites, ARRAY_SIZE(suites));
}
