/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/memcache_wb, /dev/memcache_wc and /dev/memcache_uc map the module's standing
 * buffers. A mapping must be MAP_SHARED, without PROT_EXEC, and within the buffer; it
 * has the buffer's memory type.
 */
#ifndef _UAPI_MEMCACHE_H
#define _UAPI_MEMCACHE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * struct memcache_info - properties of a device's pages
 * @size_bytes: length of the buffer, a multiple of the page size
 * @fence_offset: on the UC device, the offset of one more uncached page, which is never
 *                measured, for fence=uc; else 0
 * @node: NUMA node of the pages, -2 if not all the same
 * @reserved: 0
 * @attribute: what the page tables say: wb, wc, uc-, ...
 * @effective: what the hardware does: yes, partly, no, unknown
 */
struct memcache_info {
	__u64 size_bytes;
	__u64 fence_offset;
	__s32 node;
	__u32 reserved;
	char attribute[8];
	char effective[8];
};

#define MEMCACHE_INFO	_IOR(0xbc, 1, struct memcache_info)

#endif /* _UAPI_MEMCACHE_H */
