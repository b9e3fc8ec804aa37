// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that can't be turned back to write-back are never freed, since their next owner
 * would not expect their type. The module counts and reports them.
 */
#include <sys/klog.h>

#include "watched.h"

#define READ_ALL 3

FIXTURE_BY(leak, watched_setup(_metadata),
	   EXPECT_EQ(0, witness_fault("repair")); watched_teardown(_metadata))

FIXTURE_VARIANT(leak) {
	const char *fault;
	const char *now;	/* what the pages really are afterwards */
	long pages;
};

FIXTURE_VARIANT_ADD(leak, refused) { "wb refuse 1", "now_uc", BLOCK };
FIXTURE_VARIANT_ADD(leak, though_done) { "wb late 2", "now_uc", 0 };
/* The kernel says that it has set the type; the page tables say that it has not. */
FIXTURE_VARIANT_ADD(leak, kept_quiet) { "wb lie 1", "now_uc", BLOCK };
/* Only the first page is turned back, so that a look at that page alone is not enough. */
FIXTURE_VARIANT_ADD(leak, all_but_the_first) { "wb part 1", "now_uc", BLOCK - 1 };

/* tools/check/kernel-log ignores a leak that is announced like this, once. */
static void announce(void)
{
	file_write("/dev/kmsg", "selftest: 512 pages will be leaked on purpose\n");
}

static char log_text[1 << 20];

static int times_said(void)
{
	static const char words[] =
		"memcache: 512 pages could not be turned back to write-back and are leaked";
	const char *at = log_text;
	int n = 0, len = klogctl(READ_ALL, log_text, sizeof(log_text) - 1);

	log_text[len < 0 ? 0 : len] = '\0';
	for (; (at = strstr(at, words)); at++)
		n++;
	return n;
}

TEST_F(leak, is_counted_and_said)
{
	int said = times_said();

	announce();
	ASSERT_EQ(0, witness_fault(variant->fault));
	EXPECT_EQ(0, run("bandwidth type=uc size=8M repeat=1"));
	EXPECT_EQ(said + 1, times_said());
	EXPECT_TRUE(file_has("buffers", "\nleaked_pages=512\n"));
	EXPECT_EQ(BLOCK + variant->pages, witness(variant->now));

	EXPECT_EQ(0, run("bandwidth type=uc,wc,wb size=8M repeat=1"));
	EXPECT_TRUE(file_has("buffers", "\nleaked_pages=512\n"));
	EXPECT_EQ(watched_standing() + variant->pages, witness_away());
}

TEST_HARNESS_MAIN
