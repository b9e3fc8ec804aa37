// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memcache-user writes: the owner of a directory puts a link of his in the place of ours, or
 * of a directory, before any call to the system. What it leads to is left alone.
 */
#include "cmocka_all.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user.h"

static const char *replaced;	/* the link or directory */
static unsigned int calls, swap;	/* before the call with this number */
static ino_t theirs;

static void before_call(void)
{
	if (++calls == swap)
		assert_int_equal(rename("theirs", replaced), 0);
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, int mode)
{
	before_call();
	return __real_openat(dir, path, flags, mode);
}

int __real_fstat(int fd, struct stat *s);
int __wrap_fstat(int fd, struct stat *s)
{
	int err;

	before_call();
	err = __real_fstat(fd, s);
	s->st_uid = s->st_ino == theirs ? geteuid() + 1 : geteuid();
	return err;
}

ssize_t __real_readlinkat(int dir, const char *path, char *text, size_t size);
ssize_t __wrap_readlinkat(int dir, const char *path, char *text, size_t size)
{
	before_call();
	return __real_readlinkat(dir, path, text, size);
}

static void make(const char *path)
{
	int fd = creat(path, 0600);

	assert_int_equal(write(fd, "kept", 4), 4);
	close(fd);
}

/* Return: the descriptor, or a negative errno, of an opening with a swap. */
static int opened(const char *path, const char *part, const char *leads, unsigned int number)
{
	char top[] = "/tmp/memcache-XXXXXX", command[64];
	struct stat s;
	int fd;

	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	assert_int_equal(mkdir("secret", 0700) | mkdir("good", 0700), 0);
	make("secret/kept");
	make("good/kept");
	assert_int_equal(symlink("good/kept", "ours") | symlink("good", "in") |
			 symlink(leads, "theirs"), 0);
	assert_int_equal(lstat("theirs", &s), 0);
	theirs = s.st_ino;
	replaced = part;
	calls = 0;
	swap = number;
	fd = mc_user_open(path, O_WRONLY | O_CREAT);
	if (fd >= 0)
		close(fd);
	swap = 0;
	assert_int_equal(stat("secret/kept", &s), 0);
	assert_int_equal(s.st_size, 4);
	assert_int_not_equal(access("secret/new", F_OK), 0);
	snprintf(command, sizeof(command), "rm -r %s", top);
	assert_int_equal(system(command), 0);
	return fd;
}

static void test_no_link_can_be_swapped_in(void **state)
{
	unsigned int number;

	for (number = 1; number < 20; number++) {
		opened("ours", "ours", "secret/kept", number);
		opened("in/new", "in", "secret", number);
	}
	assert_true(calls < number);
}

static void test_which_links_are_followed(void **state)
{
	assert_true(opened("ours", "", "secret/kept", 0) >= 0);
	assert_true(opened("in//new", "", "secret/kept", 0) >= 0);
	assert_true(opened("in/../good/./new", "", "secret/kept", 0) >= 0);
	assert_int_equal(opened("theirs", "", "secret/kept", 0), -EPERM);
	assert_int_equal(opened("theirs/new", "", "secret", 0), -EPERM);
	assert_int_equal(opened("theirs/new", "", "nowhere", 0), -EPERM);
	assert_int_equal(opened("nowhere/new", "", "secret", 0), -ENOENT);
	assert_true(opened("/dev/null", "", "secret", 0) >= 0);
}
