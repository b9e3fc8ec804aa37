/* SPDX-License-Identifier: GPL-2.0-only */
/* Users that are not root, or lack a capability of root, and what they may open. */
#ifndef SELFTESTS_OTHERS_H
#define SELFTESTS_OTHERS_H

#include <grp.h>
#include <linux/capability.h>
#include <sys/stat.h>

#include "run.h"

#define NOBODY 65534

static inline int become_nobody(void)
{
	return setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY);
}

/* Root without one capability, as in a container. */
static inline int lose_capability(int number)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &head, caps))
		return -1;
	caps[0].effective &= ~(1U << number);
	caps[0].permitted &= ~(1U << number);
	return syscall(SYS_capset, &head, caps);
}

static inline int lose_sys_admin(void)
{
	return lose_capability(CAP_SYS_ADMIN);
}

/* 0: after @become(), opening the file in any way fails with @err. */
static inline int refused_after(int (*become)(void), int err, int dir,
				const char *name)
{
	static const int ways[] = { O_RDONLY, O_WRONLY, O_RDWR };
	pid_t pid = fork();
	int i;

	if (pid)
		return run_end(pid);
	if (become())
		_exit(1);
	for (i = 0; i < 3; i++) {
		if (openat(dir, name, ways[i]) >= 0 || errno != err)
			_exit(2);
	}
	_exit(0);
}

/* Only root with all capabilities may open it, whatever the mode of the file allows. */
static inline void is_for_root_only(struct __test_metadata *_metadata, int dir,
				    const char *name, mode_t mode)
{
	struct stat st;

	ASSERT_EQ(0, fstatat(dir, name, &st, 0));
	EXPECT_EQ(mode, st.st_mode);
	EXPECT_EQ(0u, st.st_uid);
	EXPECT_EQ(0u, st.st_gid);
	EXPECT_EQ(0, refused_after(become_nobody, EACCES, dir, name));
	EXPECT_EQ(0, refused_after(lose_sys_admin, EPERM, dir, name));
	ASSERT_EQ(0, fchmodat(dir, name, 0666, 0));
	EXPECT_EQ(0, refused_after(become_nobody, EPERM, dir, name));
	EXPECT_EQ(0, fchmodat(dir, name, mode & 07777, 0));
}

#endif /* SELFTESTS_OTHERS_H */
