// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user.h"

/* Read the first @size - 1 bytes of a file; newlines at the end are removed. */
bool mc_user_read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return true;
}

/* Whether a link is of this user or of root: another's could lead to any file. */
static bool is_own_link(const char *path)
{
	struct stat s;

	return !lstat(path, &s) && S_ISLNK(s.st_mode) && (!s.st_uid || s.st_uid == geteuid());
}

int mc_user_open(const char *path, int flags)
{
	int fd, alone = is_own_link(path) ? 0 : O_NOFOLLOW;
	struct stat s;

	fd = open(path, flags | alone | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	if (!fstat(fd, &s) && (!s.st_uid || s.st_uid == geteuid()) &&
	    (!S_ISREG(s.st_mode) || !(flags & O_CREAT) || !ftruncate(fd, 0)))
		return fd;
	close(fd);
	return -EPERM;
}
