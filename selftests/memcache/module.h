/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading the module, and reading and writing its files. */
#ifndef SELFTESTS_MODULE_H
#define SELFTESTS_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest.h"

struct text {
	char is[512];
};

__attribute((format(printf, 2, 3)))
static inline char *text_in(struct text *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(to->is, sizeof(to->is), format, args);
	va_end(args);
	return to->is;
}

/* The text that this format prints. It is there until the end of the block. */
#define TEXT(...) text_in(&(struct text){ "" }, __VA_ARGS__)

#define FILES "/sys/kernel/debug/memcache/"

/* All files, and who may read and write them. */
static const struct {
	const char *name, *path;
	mode_t mode;
} all_files[] = {
	{ "run", FILES "run", 0600 }, { "counters", FILES "counters", 0600 },
	{ "mappings", FILES "mappings", 0600 }, { "results", FILES "results", 0400 },
	{ "results.jsonl", FILES "results.jsonl", 0400 }, { "tests", FILES "tests", 0400 },
	{ "progress", FILES "progress", 0400 }, { "machine", FILES "machine", 0400 },
	{ "buffers", FILES "buffers", 0400 }, { "stop", FILES "stop", 0200 },
};

/* Wait until the condition is true; false if it still is not after so many seconds. */
#define comes_true(seconds, condition)						\
({										\
	int __tries = 100 * (seconds);						\
	bool __true;								\
										\
	while (!(__true = (condition)) && __tries--)				\
		usleep(10000);							\
	__true;									\
})

/*
 * The file of a kernel module: what the variable names, or what lies in test_modules/ beside
 * this program, where kselftest builds and installs it. NULL if there is neither.
 */
static inline const char *ko_path(const char *variable, const char *name)
{
	const char *path = getenv(variable);
	static char beside[2 * PATH_MAX];
	char self[PATH_MAX];
	ssize_t n;

	if (path)
		return path;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n < 0 ? 0 : n] = '\0';
	snprintf(beside, sizeof(beside), "%.*s/test_modules/%s.ko",
		 (int)(strrchr(self, '/') - self), self, name);
	return access(beside, R_OK) ? NULL : beside;
}

#define BUILT	"builds it in a checkout; where packages are installed, memcache-selftests does"

/* Skips all tests of this program if the module is not there. BUILD prints where it is built. */
static inline void ko_need(const char *variable, const char *name, const char *build)
{
	const char *path = ko_path(variable, name);

	if (path && !access(path, R_OK))
		return;
	ksft_print_header();
	if (path)
		ksft_exit_skip("%s=%s can't be read; %s " BUILT "\n", variable, path, build);
	ksft_exit_skip("no %s.ko: %s=%s " BUILT "\n", name, variable, build);
}

__attribute__((constructor)) static void module_need(void)
{
	ko_need("MEMCACHE_KO", "memcache", "$(tools/guest/build -k host)");
}

/* Each returns 0, or a negative errno. */
static inline int ko_load(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = 0;

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
	return ko_load(ko_path("MEMCACHE_KO", "memcache"), params);
}

static inline int module_unload(void)
{
	return ko_unload("memcache");
}

/*
 * Unload the module that a failed test has left, if there is one. The run of that test was
 * killed with it, and may take a moment to end.
 */
static inline void module_clear(void)
{
	comes_true(60, module_unload() != -EWOULDBLOCK);
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

/* Reads the value of a name in a file of lines name=value; -1: the name is not there. */
static inline unsigned long file_value(const char *path, const char *name)
{
	char text[1024], *at = text, *line;
	size_t n = strlen(name);

	if (file_read(path, text, sizeof(text)) < 0)
		return -1;
	while ((line = strsep(&at, "\n"))) {
		if (!strncmp(line, name, n) && line[n] == '=')
			return strtoul(line + n + 1, NULL, 10);
	}
	return -1;
}

static inline int cpu1_online(const char *yes)
{
	return file_write("/sys/devices/system/cpu/cpu1/online", yes);
}

#endif /* SELFTESTS_MODULE_H */
