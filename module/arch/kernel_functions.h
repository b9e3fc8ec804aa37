/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops that call functions of the kernel, once for each contiguous piece of a pass. An
 * architecture's loops_kernel.c, the only file that includes this, defines run_fence() before.
 */
#ifndef MC_KERNEL_FUNCTIONS_H
#define MC_KERNEL_FUNCTIONS_H

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/checksum.h>

#include "arch/loops.h"

static u8 byte_of(const struct mc_loop_args *args, u64 pass)
{
	return args->data == MC_DATA_ZERO ? 0 : args->value + pass;
}

#define KERNEL_LOOP(id, name, ...)					\
	static void loop_##id(struct mc_loop_args *args)		\
	{								\
		u64 pass;						\
									\
		for (pass = 0; pass < args->passes; pass++) {		\
			name(__VA_ARGS__);				\
			run_fence(args);				\
		}							\
	}

/*
 * The compiler knows what these do, and would do it in another way, so this file is compiled with
 * -fno-builtin, and without the checks of sizes.
 */
KERNEL_LOOP(memset, memset, args->a, byte_of(args, pass), args->bytes)
KERNEL_LOOP(memcpy, memcpy, args->a, args->b, args->bytes)
KERNEL_LOOP(memmove, memmove, args->a, args->b, args->bytes)
KERNEL_LOOP(csum_partial, args->lanes[0] = (__force u32)csum_partial, args->a, args->bytes, 0)

#ifndef CONFIG_UML
#define EACH_PAGE(name, ...)						\
	do {								\
		u64 at;							\
									\
		for (at = 0; at < args->bytes; at += PAGE_SIZE)		\
			name(__VA_ARGS__);				\
	} while (0)

KERNEL_LOOP(clear_page, EACH_PAGE, clear_page, args->a + at)
KERNEL_LOOP(copy_page, EACH_PAGE, copy_page, args->a + at, args->b + at)

#define IO(p)	((void __iomem __force *)(p))

KERNEL_LOOP(memcpy_toio, memcpy_toio, IO(args->a), args->b, args->bytes)
KERNEL_LOOP(memcpy_fromio, memcpy_fromio, args->a, IO(args->b), args->bytes)
KERNEL_LOOP(memset_io, memset_io, IO(args->a), byte_of(args, pass), args->bytes)
KERNEL_LOOP(__iowrite64_copy, __iowrite64_copy, IO(args->a), args->b, args->bytes / 8)
KERNEL_LOOP(memcpy_flushcache, memcpy_flushcache, args->a, args->b, args->bytes)
/*
 * A copy whose bytes in the kernel are in two allocations is a bug to CONFIG_HARDENED_USERCOPY, so
 * none goes beyond the end of one.
 */
static u64 within_block(const void *at, u64 bytes)
{
	struct page *block;

	if (is_vmalloc_addr(at))
		return bytes;
	block = compound_head(virt_to_page(at));
	return min_t(u64, bytes, page_address(block) + page_size(block) - at);
}

#define USER(p)	((void __user __force *)(p))

/* The bytes that are not copied, which are none, are the loop's result. */
#define EACH_BLOCK(name, to, from, kernel)				\
	do {								\
		u64 at = 0, n;						\
									\
		for (; at < args->bytes; at += n) {			\
			n = within_block((kernel) + at, args->bytes - at);	\
			args->lanes[0] |= name((to) + at, (from) + at, n);	\
		}							\
	} while (0)

KERNEL_LOOP(copy_from_user, EACH_BLOCK, copy_from_user, args->a, USER(args->b), args->a)
KERNEL_LOOP(copy_to_user, EACH_BLOCK, copy_to_user, USER(args->a), args->b, args->b)
KERNEL_LOOP(clear_user, args->lanes[0] |= clear_user, USER(args->a), args->bytes)
#ifdef CONFIG_ARCH_HAS_COPY_MC
KERNEL_LOOP(copy_mc_to_kernel, args->lanes[0] = copy_mc_to_kernel, args->a, args->b, args->bytes)
#endif
#endif /* CONFIG_UML */

#endif /* MC_KERNEL_FUNCTIONS_H */
