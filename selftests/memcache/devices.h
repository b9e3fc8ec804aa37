/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices with 2 MiB of memory of each type. */
#ifndef SELFTESTS_DEVICES_H
#define SELFTESTS_DEVICES_H

#include <sys/ioctl.h>
#include <sys/mman.h>

#include "uapi/memcache.h"
#include "watched.h"

#define PAGE	4096UL
#define BYTES	(BLOCK * PAGE)
#define RW	(PROT_READ | PROT_WRITE)
#define PATHS	{ "/dev/memcache_wb", "/dev/memcache_wc", "/dev/memcache_uc" }

static inline void *map_at(int fd, unsigned long offset, unsigned long length)
{
	return mmap(NULL, length, RW, MAP_SHARED, fd, offset);
}

/*
 * Whole words: on arm64, UC is Device memory, where memset() and memcmp() fault, as DC ZVA and
 * accesses that are not aligned do.
 */
static inline bool all_are(const void *map, unsigned char byte, size_t bytes)
{
	const unsigned long *at = map;

	for (; bytes; bytes -= sizeof(*at)) {
		if (__atomic_load_n(at++, __ATOMIC_RELAXED) != byte * 0x0101010101010101UL)
			return false;
	}
	return true;
}

#endif /* SELFTESTS_DEVICES_H */
