// SPDX-License-Identifier: GPL-2.0-only
/* Who may do what with the files. */
#include <sys/klog.h>

#include "addresses.h"
#include "watched.h"
#include "others.h"

WATCHED(file)

TEST_F(file, is_for_root_only)
{
	/* Every user can open this, in spite of debugfs' own mode 0700. */
	int dir = open(FILES, O_PATH);
	size_t i;

	ASSERT_LE(0, dir);
	for (i = 0; i < ARRAY_SIZE(all_files); i++)
		is_for_root_only(_metadata, dir, all_files[i].name, S_IFREG | all_files[i].mode);
	close(dir);
}

/* An open file keeps the module loaded. */
TEST_F(file, keeps_the_module_while_it_is_open)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_files); i++) {
		int way = all_files[i].mode == 0200 ? O_WRONLY : O_RDONLY;
		int fd = open(all_files[i].path, way);
		char c;

		ASSERT_LE(0, fd);
		EXPECT_EQ(-EWOULDBLOCK, module_unload()) {
			TH_LOG("%s", all_files[i].name);
		}
		EXPECT_EQ(0, access(FILES "run", F_OK));
		if (way == O_RDONLY)
			EXPECT_LE(0, read(fd, &c, 1));
		close(fd);
	}
}

/* No address may be in what can be read, nor in the error of any request. */
TEST_F(file, has_no_kernel_address)
{
	size_t i;

	ASSERT_EQ(0, run("bandwidth type=wb,wc,uc size=4K,4M page=auto,4k fence=uc repeat=1"));
	ASSERT_EQ(0, file_write(FILES "mappings", "not_wb"));
	for (i = 0; i < ARRAY_SIZE(all_files); i++) {
		ssize_t n = file_read(all_files[i].path, run_text, sizeof(run_text));

		if (all_files[i].mode == 0200) {
			EXPECT_EQ(-EINVAL, n);
			continue;
		}
		ASSERT_LT(0, n);
		EXPECT_EQ(NULL, address_in(run_text)) {
			TH_LOG("%s", all_files[i].name);
		}
	}
}

WATCHED(words)

/* The search finds an address, without which the other tests would prove nothing. */
TEST_F(words, of_the_kernel_are_told_from_others)
{
	EXPECT_NE(NULL, address_in("at ffff888000000000."));
	EXPECT_NE(NULL, address_in("{\"p\":0xFFFFFFFFC0001000}"));
	EXPECT_NE(NULL, address_in("18446612682070003712"));
	EXPECT_NE(NULL, address_in("ff0 0ffffffff81000000"));
	EXPECT_EQ(NULL, address_in("ffff 18446744073709551615 70368744177664"));
	EXPECT_EQ(NULL, address_in("fffff888000000000 0x7fff12345678 -4096"));
	/* The kernel itself shows the module's address to root. */
	ASSERT_EQ(0, file_write("/proc/sys/kernel/kptr_restrict", "0"));
	ASSERT_LT(0, file_read("/sys/module/memcache/sections/.text", run_text,
			       sizeof(run_text)));
	EXPECT_NE(NULL, address_in(run_text));
}

static const char log_mark[] = "selftest: words begin here\n";

/* Any byte at any place of a request is shown again in printable form. */
TEST_F(words, of_a_user_are_not_passed_on)
{
	static const char * const lines[] = {
		"% =", "bandwidth % =", "bandwidth %=1 =", "bandwidth op=% =",
		"bandwidth size=4K% =", "bandwidth cpu=0% =", "bandwidth node=% =",
	};
	char line[64], *log;
	const size_t nlines = sizeof(lines) / sizeof(*lines);
	size_t i, j;
	int n;

	ASSERT_EQ(0, file_write("/dev/kmsg", log_mark));
	for (i = 0; i < 256 * nlines; i++) {
		n = snprintf(line, sizeof(line), "%s", lines[i % nlines]);
		*strchr(line, '%') = i / nlines;
		EXPECT_EQ(-EINVAL, file_write_bytes(FILES "run", line, n));
		ASSERT_LT(0, file_read(FILES "run", run_text, sizeof(run_text)));
		for (j = 0; run_text[j]; j++)
			EXPECT_TRUE(run_text[j] == '\n' ||
				    (run_text[j] >= ' ' && run_text[j] <= '~'));
		EXPECT_EQ(NULL, address_in(run_text));
	}
	/* It must not be in the log at all. */
	n = klogctl(3, run_text, sizeof(run_text) - 1);
	ASSERT_LT(0, n);
	run_text[n] = '\0';
	log = strstr(run_text, log_mark);
	ASSERT_NE(NULL, log);
	EXPECT_EQ(NULL, strstr(log + strlen(log_mark), "memcache"));
}

TEST_HARNESS_MAIN
