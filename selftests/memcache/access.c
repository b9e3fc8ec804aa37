// SPDX-License-Identifier: GPL-2.0-only
/* Who may do what with the files. */
#include <grp.h>
#include <sys/stat.h>

#include "watched.h"

#define NOBODY 65534

FIXTURE(file) {
	int dir;
};

FIXTURE_VARIANT(file) {
	const char *name;
	mode_t mode;
};

FIXTURE_VARIANT_ADD(file, run) { "run", 0600 };
FIXTURE_VARIANT_ADD(file, results) { "results", 0400 };
FIXTURE_VARIANT_ADD(file, results_jsonl) { "results.jsonl", 0400 };
FIXTURE_VARIANT_ADD(file, tests) { "tests", 0400 };
FIXTURE_VARIANT_ADD(file, progress) { "progress", 0400 };
FIXTURE_VARIANT_ADD(file, stop) { "stop", 0200 };
FIXTURE_VARIANT_ADD(file, machine) { "machine", 0400 };
FIXTURE_VARIANT_ADD(file, buffers) { "buffers", 0400 };

FIXTURE_SETUP(file)
{
	watched_setup(_metadata);
	/* By it, debugfs' own mode 0700 is no obstacle for anybody. */
	self->dir = open(FILES, O_PATH);
	ASSERT_LE(0, self->dir);
}

FIXTURE_TEARDOWN(file)
{
	close(self->dir);
	watched_teardown(_metadata);
}

TEST_F(file, has_its_mode_and_owner)
{
	struct stat st;

	ASSERT_EQ(0, fstatat(self->dir, variant->name, &st, 0));
	EXPECT_EQ(S_IFREG | variant->mode, st.st_mode);
	EXPECT_EQ(0u, st.st_uid);
	EXPECT_EQ(0u, st.st_gid);
}

TEST_F(file, is_not_for_others)
{
	static const int ways[] = { O_RDONLY, O_WRONLY, O_RDWR };
	pid_t pid = fork();
	size_t i;

	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		for (i = 0; i < 3; i++) {
			if (openat(self->dir, variant->name, ways[i]) >= 0 ||
			    errno != EACCES)
				_exit(2);
		}
		_exit(0);
	}
	EXPECT_EQ(0, run_end(pid));
}

/* Whoever has it open keeps the module loaded. */
TEST_F(file, keeps_the_module_while_it_is_open)
{
	int way = variant->mode == 0200 ? O_WRONLY : O_RDONLY;
	int fd = openat(self->dir, variant->name, way);
	char c;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(0, access(FILES "run", F_OK));
	if (way == O_RDONLY)
		EXPECT_LE(0, read(fd, &c, 1));
	close(fd);
}

/* No address of the kernel is in anything that can be read. */
TEST_F(file, has_no_kernel_address)
{
	if (variant->mode == 0200) {
		EXPECT_EQ(-EINVAL, file_read(FILES "stop", run_text, 10));
		return;
	}
	ASSERT_EQ(0, run("bandwidth type=wb,wc,uc size=4K,4M repeat=1"));
	EXPECT_FALSE(file_has(variant->name, "ffff8"));
	EXPECT_FALSE(file_has(variant->name, "ffffc"));
	EXPECT_FALSE(file_has(variant->name, "ffffffff"));
}

TEST_HARNESS_MAIN
