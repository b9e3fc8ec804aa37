// SPDX-License-Identifier: GPL-2.0-only
/* Files by system calls; the counterpart of module/kernel/files.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/files.h"
#include "platform/os.h"

#define PAGE		4096ULL
#define AT_ONCE		16384	/* pages in a call of mincore() */

struct mc_file {
	int fd;
	bool mine;	/* mincore() tells this process the truth about it */
};

/*
 * The file's type is checked before the file is opened, since opening a device may
 * have an effect. The path is resolved once, so the file checked is the one opened.
 */
static int open_existing(const char *path, int flags, const char **what)
{
	int at = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd;
	char name[64];
	struct stat s;

	if (at < 0)
		return -errno;
	if (fstat(at, &s) || !S_ISREG(s.st_mode)) {
		*what = mc_file_kind(s.st_mode);
		close(at);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	fd = open(name, flags);
	fd = fd < 0 ? -errno : fd;
	close(at);
	return fd;
}

/*
 * To a process that neither owns a file nor may write it, mincore() says that all of it is
 * cached.
 */
static bool is_mine(int fd)
{
	char name[64];
	struct stat s;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return !fstat(fd, &s) && (s.st_uid == geteuid() || !access(name, W_OK));
}

/* A write beyond the limit would raise SIGXFSZ, which kills the process. */
static bool too_large(u64 bytes)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && bytes > limit.rlim_cur;
}

int mc_file_open(struct mc_file **f, const char *path, unsigned int how,
		 u64 bytes, const char **what)
{
	bool write = how & (MC_FILE_WRITE | MC_FILE_CREATE);
	int flags = O_CLOEXEC | (how & MC_FILE_DIRECT ? O_DIRECT : 0);
	int fd;

	if (write && too_large(bytes))
		return -EFBIG;
	flags |= write ? O_RDWR : O_RDONLY;
	if (how & MC_FILE_CREATE)
		fd = open(path, (flags & ~O_DIRECT) | O_CREAT | O_EXCL, 0600);
	else
		fd = open_existing(path, flags, what);
	if (fd < 0 && how & MC_FILE_CREATE)
		return -errno;
	if (fd < 0)
		return fd;
	*f = malloc(sizeof(**f));
	if (!*f) {
		close(fd);
		return -ENOMEM;
	}
	**f = (struct mc_file){ .fd = fd, .mine = is_mine(fd) };
	return 0;
}

u64 mc_file_size(const struct mc_file *f)
{
	struct stat s;

	return fstat(f->fd, &s) ? 0 : s.st_size;
}

int mc_file_cut(struct mc_file *f, u64 bytes)
{
	return ftruncate(f->fd, bytes) ? -errno : 0;
}

s64 mc_file_move(struct mc_file *f, struct mc_transfer *t, u64 at, u64 bytes, u64 offset,
		 bool write)
{
	u8 *data = (u8 *)t->data + at;
	ssize_t n = write ? pwrite(f->fd, data, bytes, offset) : pread(f->fd, data, bytes, offset);

	return n < 0 ? -errno : n;
}

int mc_file_sync(struct mc_file *f)
{
	return fsync(f->fd) ? -errno : 0;
}

/* fsync() fails with EINVAL or EROFS where a filesystem has nothing to sync. */
int mc_file_drop(struct mc_file *f)
{
	if (fsync(f->fd) && errno != EINVAL && errno != EROFS)
		return -errno;
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

static bool cached_part(struct mc_file *f, u64 from, u64 pages, u64 *bytes)
{
	unsigned char there[AT_ONCE];
	void *map = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, f->fd, from);
	bool known = map != MAP_FAILED && !mincore(map, pages * PAGE, there);
	u64 i;

	if (map != MAP_FAILED)
		munmap(map, pages * PAGE);
	for (i = 0; known && i < pages; i++)
		*bytes += there[i] & 1 ? PAGE : 0;
	return known;
}

bool mc_file_cached(struct mc_file *f, u64 *bytes)
{
	u64 size = mc_file_size(f), pages = (size + PAGE - 1) / PAGE, i, n;
	bool known = f->mine;

	*bytes = 0;
	for (i = 0; known && i < pages; i += n) {
		n = min(pages - i, (u64)AT_ONCE);
		known = cached_part(f, i * PAGE, n, bytes);
	}
	*bytes = min(*bytes, size);
	return known;
}

void mc_file_close(struct mc_file *f)
{
	if (!f)
		return;
	close(f->fd);
	free(f);
}

int mc_transfer_make(struct mc_transfer *t, u64 bytes)
{
	*t = (struct mc_transfer){ .bytes = bytes };
	if (!mc_has_room(bytes) ||
	    posix_memalign(&t->data, MC_FILE_ALIGN, (bytes + PAGE - 1) & ~(PAGE - 1)))
		return -ENOMEM;
	/* Otherwise the first read would include page faults. */
	memset(t->data, 0, bytes);
	return 0;
}

void mc_transfer_free(struct mc_transfer *t)
{
	free(t->data);
	*t = (struct mc_transfer){ 0 };
}
