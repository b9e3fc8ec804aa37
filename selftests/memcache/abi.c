// SPDX-License-Identifier: GPL-2.0-only
/* The files in debugfs exist and match the ABI. */
#include "kselftest_harness.h"
#include "module.h"

FIXTURE(loaded) {
	char text[1 << 16];
};

FIXTURE_SETUP(loaded)
{
	ASSERT_EQ(0, module_load(""));
}

FIXTURE_TEARDOWN(loaded)
{
	EXPECT_EQ(0, module_unload());
}

TEST_F(loaded, files_come_and_go)
{
	EXPECT_EQ(0, access(FILES "run", F_OK));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(-1, access(FILES "run", F_OK));
	ASSERT_EQ(0, module_load(""));
}

TEST_F(loaded, tests_lists_bandwidth)
{
	ASSERT_LT(0, file_read(FILES "tests", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "bandwidth"));
}

TEST_HARNESS_MAIN
