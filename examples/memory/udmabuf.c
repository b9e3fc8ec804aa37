// SPDX-License-Identifier: GPL-2.0-only
/*
 * A DMA buffer made of a process's own pages, as virtual GPUs share it.
 *
 *   --memory udmabuf.so
 */
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>

#include "example.h"

#define DEVICE	"/dev/udmabuf"
#define LIMIT	"/sys/module/udmabuf/parameters/size_limit_mb"

/* A file of @bytes that can't shrink, in memory. Return: its descriptor, or -errno. */
static int sealed_file(size_t bytes)
{
	int fd = memfd_create("memcache", MFD_ALLOW_SEALING | MFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, bytes) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

/* Make a buffer of a file's pages. Return: its descriptor, or -errno, explained. */
static int buffer_of(int memory, size_t bytes, char *why)
{
	struct udmabuf_create create = {
		.memfd = memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = bytes,
	};
	int device = open(DEVICE, O_RDWR | O_CLOEXEC), buffer, err;

	if (device < 0 && errno == ENOENT)
		return fail(why, -EOPNOTSUPP,
			    "there is no %s; modprobe udmabuf, of a kernel with CONFIG_UDMABUF",
			    DEVICE);
	if (device < 0)
		return fail(why, -errno, "%s: %s; its group, often kvm, may open it", DEVICE,
			    strerror(errno));
	buffer = ioctl(device, UDMABUF_CREATE, &create);
	err = errno;
	close(device);
	if (buffer < 0)
		return fail(why, -err,
			    "a buffer of %zu MiB can't be made: %s; %s has the largest size",
			    bytes >> 20, strerror(err), LIMIT);
	return buffer;
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	int memory, buffer, err;

	bytes = round_up_to(bytes, 4096);
	if (*options)
		return fail(why, -EINVAL, "there are no options, such as %s", options);
	memory = sealed_file(bytes);
	if (memory < 0)
		return fail(why, memory, "a file in memory can't be made: %s", strerror(-memory));
	buffer = buffer_of(memory, bytes, why);
	close(memory);
	if (buffer < 0)
		return buffer;
	block->addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, buffer, 0);
	err = errno;
	close(buffer);
	if (block->addr == MAP_FAILED)
		return fail(why, -err, "the buffer can't be mapped: %s", strerror(err));
	block->bytes = bytes;
	return 0;
}

static void describe(const struct memcache_memory_block *block,
		     struct memcache_memory_facts *facts)
{
	strcpy(facts->word, "udmabuf");
	facts->type = MEMCACHE_MEMORY_WB;
	facts->page_bytes = sysconf(_SC_PAGESIZE);
}

static void give_back(struct memcache_memory_block *block)
{
	munmap(block->addr, block->bytes);
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe,
	.free = give_back,
};
