// SPDX-License-Identifier: GPL-2.0-only
/*
 * A buffer of a DMA heap, as cameras and displays get it.
 *
 *   --memory dma_heap.so                      heap system, which is cached
 *   --memory dma_heap.so,system-uncached      another one of /dev/dma_heap
 */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>

#include "example.h"

/* A buffer: the file of its memory, and its heap. */
struct buffer {
	int fd;
	char heap[32];
};

/* Tell the kernel when the CPU begins and ends to use the buffer. */
static void sync_buffer(int fd, unsigned long long when)
{
	struct dma_buf_sync sync = { .flags = when | DMA_BUF_SYNC_RW };

	ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

static int open_heap(const char *heap, char *why)
{
	char path[64];
	int fd;

	if (access("/dev/dma_heap", F_OK))
		return fail(why, -EOPNOTSUPP,
			     "there is no /dev/dma_heap; a kernel with CONFIG_DMABUF_HEAPS_SYSTEM has it");
	snprintf(path, sizeof(path), "/dev/dma_heap/%s", heap);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(why, -errno, "%s: %s; ls /dev/dma_heap names the heaps that there are",
			     path, strerror(errno));
	return fd;
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	struct dma_heap_allocation_data data = {
		.len = round_up_to(bytes, 4096), .fd_flags = O_RDWR | O_CLOEXEC,
	};
	const char *heap = *options ? options : "system";
	struct buffer *buffer;
	int fd, err;

	if (strlen(heap) >= sizeof(buffer->heap) || strchr(heap, '/'))
		return fail(why, -EINVAL, "%s is not the name of a heap", heap);
	fd = open_heap(heap, why);
	if (fd < 0)
		return fd;
	err = ioctl(fd, DMA_HEAP_IOCTL_ALLOC, &data) ? -errno : 0;
	close(fd);
	if (err)
		return fail(why, err, "the heap %s has no %zu bytes: %s; ask for less", heap,
			    (size_t)data.len, strerror(-err));
	buffer = calloc(1, sizeof(*buffer));
	block->addr = MAP_FAILED;
	if (buffer)
		block->addr = mmap(NULL, data.len, PROT_READ | PROT_WRITE, MAP_SHARED, data.fd, 0);
	if (block->addr == MAP_FAILED) {
		err = -errno;
		close(data.fd);
		free(buffer);
		return fail(why, err, "memory of the heap %s can't be mapped: %s", heap,
			    strerror(-err));
	}
	buffer->fd = data.fd;
	strcpy(buffer->heap, heap);
	block->bytes = data.len;
	block->own = buffer;
	sync_buffer(data.fd, DMA_BUF_SYNC_START);
	return 0;
}

/* Mainline's heap is cached. The name of a vendor's heap says what it is. */
static void describe(const struct memcache_memory_block *block,
		     struct memcache_memory_facts *facts)
{
	const struct buffer *buffer = block->own;

	snprintf(facts->word, sizeof(facts->word), "dma_heap:%s", buffer->heap);
	if (!strcmp(buffer->heap, "system"))
		facts->type = MEMCACHE_MEMORY_WB;
	else if (strstr(buffer->heap, "uncached"))
		facts->type = MEMCACHE_MEMORY_WC;
}

static void give_back(struct memcache_memory_block *block)
{
	struct buffer *buffer = block->own;

	sync_buffer(buffer->fd, DMA_BUF_SYNC_END);
	munmap(block->addr, block->bytes);
	close(buffer->fd);
	free(buffer);
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe,
	.free = give_back,
};
