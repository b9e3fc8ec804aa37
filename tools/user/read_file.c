// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "user.h"

/*
 * Read the first @size - 1 bytes of a file of the kernel, or of the made-up machine in its place;
 * newlines at the end are removed.
 */
bool mc_user_read_file(const char *path, char *buf, size_t size)
{
	const char *root = getenv(MC_USER_ROOT);
	char whole[PATH_MAX];
	ssize_t n = -1;
	int fd;

	if (snprintf(whole, sizeof(whole), "%s%s", root ? root : "", path) >= PATH_MAX)
		return false;
	fd = open(whole, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, buf, size - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return true;
}

static bool is_own(const struct stat *s)
{
	return !s->st_uid || s->st_uid == geteuid();
}

static bool is_of_proc(int at)
{
	struct statfs fs;

	return !fstatfs(at, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * Put what an open link says before the rest of a path of PATH_MAX bytes. Return: 0; 1 if it is no
 * link, or one of /proc to a pipe, which is no path; or a negative errno.
 */
static int follow(int at, char *path, const char *rest)
{
	char text[PATH_MAX];
	struct stat s;
	ssize_t n;

	if (fstat(at, &s) || !S_ISLNK(s.st_mode))
		return 1;
	if (!is_own(&s))
		return -EPERM;
	n = readlinkat(at, "", text, sizeof(text));
	if (n < 0 || n + strlen(rest) >= sizeof(text))
		return n < 0 ? -errno : -ENAMETOOLONG;
	strcpy(text + n, rest);
	if (strstr(text, ":[") && is_of_proc(at))
		return 1;
	strcpy(path, text);
	return 0;
}

/*
 * Go from @dir to what the first part of @path names, and take that off. It is looked at when it
 * is open, so that the owner of a directory can't put something else in its place. Return: 1 if
 * only the name of a file is left, 0 if there is more, or a negative errno.
 */
static int go(int dir, char *path)
{
	size_t n = *path == '/' ? strspn(path, "/") : strcspn(path, "/");
	char name[PATH_MAX], *rest = path + n;
	int at, err;

	snprintf(name, sizeof(name), "%.*s", (int)n, path);
	at = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0)
		return errno == ENOENT && !*rest ? 1 : -errno;
	err = follow(at, path, rest);
	if (err == 1 && *rest) {
		rest += strspn(rest, "/");
		memmove(path, rest, strlen(rest) + 1);
		err = dup3(at, dir, O_CLOEXEC) < 0 ? -errno : 0;
	}
	close(at);
	return err;
}

int mc_user_open(const char *path, int flags)
{
	int dir = open(".", O_PATH | O_CLOEXEC), err = 0, parts, fd = -1, alone;
	char left[PATH_MAX];
	struct stat s;

	if (snprintf(left, sizeof(left), "%s", path) >= PATH_MAX)
		err = -ENAMETOOLONG;
	for (parts = 0; !err; parts++)
		err = parts < PATH_MAX ? go(dir, left) : -ELOOP;
	alone = is_of_proc(dir) ? 0 : O_NOFOLLOW;
	if (err > 0) {
		fd = openat(dir, left, flags | alone | O_CLOEXEC | O_NOCTTY, 0666);
		err = errno == ELOOP ? -EPERM : -errno;
	}
	close(dir);
	if (fd < 0)
		return err;
	if (!fstat(fd, &s) && is_own(&s) &&
	    (!S_ISREG(s.st_mode) || !(flags & O_CREAT) || !ftruncate(fd, 0)))
		return fd;
	close(fd);
	return -EPERM;
}
