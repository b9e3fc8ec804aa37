// SPDX-License-Identifier: GPL-2.0-only
/* Items of the test `os`: a file's name, its mapping, and the faults on its pages. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/generator.h"
#include "platform/os.h"
#include "system_items.h"

/* lmbench stores into each 16th KiB of the first tenth of a mapping. */
#define MAP_STRIDE	16384
#define MAP_SHARE	10

/* Static, because an item's functions take no pointer; there is one run at a time. */
static struct {
	char path[4200];
	int fd;
	u64 bytes;
	u64 page;
	unsigned char value;	/* what the last mapping has got */
	char *where;
	u32 *order;		/* the pages of the file in random order */
	u64 sum;		/* of the first bytes of all pages */
} job = { .fd = -1 };

/* -------------------------------------------------------------------- the file */

/* Every byte of page i is i modulo 256. */
static int fill(void)
{
	char *bytes = malloc(job.page);
	u64 i;

	for (i = 0; bytes && i < job.bytes / job.page; i++) {
		memset(bytes, i, job.page);
		if (pwrite(job.fd, bytes, job.page, i * job.page) != job.page)
			break;
	}
	free(bytes);
	return i == job.bytes / job.page ? 0 : mc_os_stop_with(errno ? errno : EIO, job.path);
}

/**
 * mc_os_file_new() - make the file of an item
 * @dir: its directory
 * @bytes: its size
 *
 * Return: its descriptor, or a negative errno after mc_os_stop_with().
 */
int mc_os_file_new(const char *dir, u64 bytes)
{
	int err;

	job.page = sysconf(_SC_PAGESIZE);
	job.bytes = bytes;
	snprintf(job.path, sizeof(job.path), "%s/memcache-os.XXXXXX", dir);
	job.fd = mkostemp(job.path, O_CLOEXEC);
	if (job.fd < 0)
		return mc_os_stop_with(errno, job.path);
	err = fill();
	return err ? err : job.fd;
}

/**
 * mc_os_file_end() - delete the file that mc_os_file_new() made, if it did
 */
void mc_os_file_end(void)
{
	if (job.fd < 0)
		return;
	close(job.fd);
	unlink(job.path);
	job.fd = -1;
}

/* -------------------------------------------------------------------- its name */

static int start_named(const struct mc_os_asked *asked)
{
	int fd = mc_os_file_new(asked->dir, MC_OS_FILE);

	return fd < 0 ? fd : 0;
}

static void look_up(u64 n)
{
	struct stat st;

	while (n--)
		mc_os_verify(!stat(job.path, &st) && st.st_size == MC_OS_FILE);
}

static void open_and_close(u64 n)
{
	while (n--) {
		int fd = open(job.path, O_RDONLY);

		mc_os_verify(fd >= 0 && !close(fd));
	}
}

/* ------------------------------------------------------------------ its mapping */

static int start_mapped(const struct mc_os_asked *asked)
{
	int fd = mc_os_file_new(asked->dir, asked->file);

	job.value = 0;
	return fd < 0 ? fd : 0;
}

static void map_and_store(u64 n)
{
	u64 at;

	while (n--) {
		char *where = mmap(NULL, job.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, job.fd, 0);

		mc_os_verify(where != MAP_FAILED);
		if (where == MAP_FAILED)
			return;
		job.value++;
		for (at = 0; at < job.bytes / MAP_SHARE; at += MAP_STRIDE)
			WRITE_ONCE(where[at], job.value);
		munmap(where, job.bytes);
	}
}

/* Does the file have what the last mapping has got? */
static bool stores_right(void)
{
	unsigned char byte;
	bool right = true;
	u64 at;

	for (at = 0; at < job.bytes / MAP_SHARE; at += MAP_STRIDE)
		right &= pread(job.fd, &byte, 1, at) == 1 && byte == job.value;
	return right;
}

/* ------------------------------------------------------- the faults on its pages */

static void map_file(void)
{
	job.where = mmap(NULL, job.bytes, PROT_READ, MAP_SHARED, job.fd, 0);
	if (job.where == MAP_FAILED) {
		job.where = NULL;
		mc_os_stop_with(errno, "mmap");
	}
}

static void unmap_file(void)
{
	if (job.where)
		munmap(job.where, job.bytes);
	job.where = NULL;
}

static void shuffle(u32 *order, u64 n)
{
	struct mc_random random;
	u64 i;

	mc_random_seed(&random, n);
	for (i = 0; i < n; i++) {
		u64 other = mc_random_below(mc_random_next(&random, MC_XORSHIFT), i + 1);

		order[i] = order[other];
		order[other] = i;
	}
}

static int start_pages(const struct mc_os_asked *asked)
{
	int fd = mc_os_file_new(asked->dir, asked->file);
	u64 n = asked->file / job.page, i;

	if (fd < 0)
		return fd;
	job.order = malloc(n * sizeof(*job.order));
	if (!job.order)
		return mc_os_stop_with(ENOMEM, "page_fault");
	shuffle(job.order, n);
	for (job.sum = 0, i = 0; i < n; i++)
		job.sum += i & 0xff;
	map_file();
	return job.where ? 0 : -ENOMEM;
}

static void stop_pages(void)
{
	unmap_file();
	free(job.order);
	job.order = NULL;
	mc_os_file_end();
}

static u64 pages(const struct mc_os_asked *asked)
{
	return asked->file / sysconf(_SC_PAGESIZE);
}

static void map_again(u64 n)
{
	while (n-- && job.where) {
		unmap_file();
		map_file();
	}
}

static void read_and_map_again(u64 n)
{
	u64 i;

	while (n-- && job.where) {
		const unsigned char *where = (unsigned char *)job.where;
		u64 sum = 0;

		for (i = 0; i < job.bytes / job.page; i++)
			sum += READ_ONCE(where[job.order[i] * job.page]);
		mc_os_verify(sum == job.sum);
		unmap_file();
		map_file();
	}
}

const struct mc_os_item mc_os_stat = {
	.run = look_up, .batch = 128, .start = start_named, .stop = mc_os_file_end,
};

const struct mc_os_item mc_os_open_close = {
	.run = open_and_close, .batch = 128, .start = start_named, .stop = mc_os_file_end,
};

const struct mc_os_item mc_os_mmap = {
	.run = map_and_store, .batch = 16,
	.start = start_mapped, .right = stores_right, .stop = mc_os_file_end,
};

static const struct mc_os_item mapping = {
	.run = map_again, .batch = 16, .start = start_pages, .stop = stop_pages,
	.parts = pages,
};

const struct mc_os_item mc_os_page_fault = {
	.run = read_and_map_again, .batch = 8, .start = start_pages, .stop = stop_pages,
	.parts = pages, .less = &mapping,
};
