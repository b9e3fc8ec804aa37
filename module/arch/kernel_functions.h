/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops that call functions of the kernel. An architecture's loops_kernel.c, the only file that
 * includes this, defines run_fence() before.
 */
#ifndef MC_KERNEL_FUNCTIONS_H
#define MC_KERNEL_FUNCTIONS_H

#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/checksum.h>

#include "arch/loops.h"

static u8 byte_of(const struct mc_loop_args *args, u64 pass)
{
	return args->data == MC_DATA_ZERO ? 0 : args->value + pass;
}

/* A call for each @extent bytes, and a preemption point behind each @piece. */
#define KERNEL_LOOP(id, call)						\
	static void loop_##id(struct mc_loop_args *args)		\
	{								\
		u64 most = args->extent ? args->extent : ~0ULL;		\
		u64 piece = args->piece ? args->piece : ~0ULL;		\
		u64 pass, at, n, left = piece;				\
									\
		for (pass = 0; pass < args->passes; pass++) {		\
			for (at = 0; at < args->bytes; at += n) {	\
				n = min3(most, left, args->bytes - at);	\
				call;					\
				left -= n;				\
				if (!left) {				\
					cond_resched();			\
					left = piece;			\
				}					\
			}						\
			run_fence(args);				\
		}							\
	}

#define A	(args->a + at)
#define B	(args->b + at)

/*
 * The compiler knows what these do, and would do it in another way, so this file is compiled with
 * -fno-builtin, and without the checks of sizes.
 */
KERNEL_LOOP(memset, memset(A, byte_of(args, pass), n))
KERNEL_LOOP(memcpy, memcpy(A, B, n))
KERNEL_LOOP(memmove, memmove(A, B, n))
KERNEL_LOOP(csum_partial, args->lanes[0] = (__force u32)csum_partial(A, n, 0))

#ifndef CONFIG_UML
KERNEL_LOOP(clear_page, clear_page(A))
KERNEL_LOOP(copy_page, copy_page(A, B))
#ifdef MC_HAVE_CLEAR_PAGES
KERNEL_LOOP(clear_pages, clear_pages(A, n / PAGE_SIZE))
#endif

#define IO(p)	((void __iomem __force *)(p))

KERNEL_LOOP(memcpy_toio, memcpy_toio(IO(A), B, n))
KERNEL_LOOP(memcpy_fromio, memcpy_fromio(A, IO(B), n))
KERNEL_LOOP(memset_io, memset_io(IO(A), byte_of(args, pass), n))
KERNEL_LOOP(__iowrite64_copy, __iowrite64_copy(IO(A), B, n / 8))
KERNEL_LOOP(memcpy_flushcache, memcpy_flushcache(A, B, n))

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
KERNEL_LOOP(copy_from_user,
	    n = within_block(A, n); args->lanes[0] |= copy_from_user(A, USER(B), n))
KERNEL_LOOP(copy_to_user,
	    n = within_block(B, n); args->lanes[0] |= copy_to_user(USER(A), B, n))
KERNEL_LOOP(clear_user, args->lanes[0] |= clear_user(USER(A), n))
#ifdef CONFIG_ARCH_HAS_COPY_MC
KERNEL_LOOP(copy_mc_to_kernel, args->lanes[0] = copy_mc_to_kernel(A, B, n))
#endif
#endif /* CONFIG_UML */

#endif /* MC_KERNEL_FUNCTIONS_H */
