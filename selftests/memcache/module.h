/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading the module, and reading and writing its files. */
#ifndef SELFTESTS_MODULE_H
#define SELFTESTS_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES "/sys/kernel/debug/memcache/"

/* Each returns 0, or a negative errno. */
static inline int ko_load(const char *path, const char *params)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int err = 0;

	if (!path)
		return -ENOENT;
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params, 0))
		err = -errno;
	close(fd);
	return err;
}

static inline int ko_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static inline int module_load(const char *params)
{
	return ko_load(getenv("MEMCACHE_KO"), params);
}

static inline int module_unload(void)
{
	return ko_unload("memcache");
}

/* Writes one request, or anything else that a file takes. */
static inline int file_write_bytes(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, bytes, n) < 0)
		err = -errno;
	close(fd);
	return err;
}

static inline int file_write(const char *path, const char *text)
{
	return file_write_bytes(path, text, strlen(text));
}

/* Reads a whole file as a string into buf. Returns its length, or a negative errno. */
static inline ssize_t file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf + len, size - 1 - len)) > 0)
		len += n;
	if (n < 0)
		n = -errno;
	close(fd);
	buf[len] = '\0';
	return n < 0 ? n : (ssize_t)len;
}

#endif /* SELFTESTS_MODULE_H */
