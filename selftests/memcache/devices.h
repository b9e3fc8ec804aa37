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

#endif /* SELFTESTS_DEVICES_H */
