// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops that call the kernel's own functions, once for each contiguous piece of a pass,
 * to measure the code that drivers run. User space has none of them. User-Mode Linux
 * has no I/O memory, only a memcpy() by these names.
 */
#include "arch/loops.h"

#ifdef __KERNEL__
#ifndef CONFIG_UML
#define HAVE_IO
#endif
#include <linux/io.h>

static void run_fence(const struct mc_loop_args *args)
{
	switch (args->fence) {
	case MC_FENCE_SFENCE:
		asm volatile("sfence" : : : "memory");
		break;
	case MC_FENCE_MFENCE:
		asm volatile("mfence" : : : "memory");
		break;
	case MC_FENCE_UC:
		WRITE_ONCE(*(u64 *)args->uc_word, 1);
		READ_ONCE(*(u64 *)args->uc_word);
		break;
	}
}

#include "arch/kernel_functions.h"
#endif

/* The width is that of the functions' instructions on x86; memset() stores one byte. */
const struct mc_loop mc_loops_of_kernel[] = {
#ifdef HAVE_IO
	{ MC_OP_MEMCPY_TOIO, 4, MC_CPU_BASE, loop_memcpy_toio },
	{ MC_OP_MEMCPY_FROMIO, 4, MC_CPU_BASE, loop_memcpy_fromio },
	{ MC_OP_MEMSET_IO, 1, MC_CPU_BASE, loop_memset_io },
	{ MC_OP_IOWRITE64_COPY, 8, MC_CPU_BASE, loop___iowrite64_copy },
	{ MC_OP_FLUSHCACHE, 8, MC_CPU_BASE, loop_memcpy_flushcache },
	{ MC_OP_COPY_FROM_USER, 8, MC_CPU_BASE, loop_copy_from_user },
	{ MC_OP_COPY_TO_USER, 8, MC_CPU_BASE, loop_copy_to_user },
	{ MC_OP_CLEAR_USER, 8, MC_CPU_BASE, loop_clear_user },
	{ MC_OP_CLEAR_PAGE, 8, MC_CPU_BASE, loop_clear_page },
#ifdef MC_HAVE_CLEAR_PAGES
	{ MC_OP_CLEAR_PAGES, 8, MC_CPU_BASE, loop_clear_pages },
#endif
	{ MC_OP_COPY_PAGE, 8, MC_CPU_BASE, loop_copy_page },
#ifdef CONFIG_ARCH_HAS_COPY_MC
	{ MC_OP_COPY_MC, 8, MC_CPU_BASE, loop_copy_mc_to_kernel },
#endif
#endif
#ifdef __KERNEL__
	{ MC_OP_MEMSET, 1, MC_CPU_BASE, loop_memset },
	{ MC_OP_MEMCPY, 8, MC_CPU_BASE, loop_memcpy },
	{ MC_OP_MEMMOVE, 8, MC_CPU_BASE, loop_memmove },
	{ MC_OP_CSUM, 8, MC_CPU_BASE, loop_csum_partial },
#endif
	{ }
};
