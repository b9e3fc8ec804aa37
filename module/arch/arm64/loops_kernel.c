// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops that call the kernel's own functions, to measure the code that drivers run. User space
 * has none of them.
 */
#include "arch/loops.h"

#ifdef __KERNEL__
static void run_fence(const struct mc_loop_args *args)
{
	mc_asm_fence(args);
}

#include "arch/kernel_functions.h"
#endif

/*
 * The width is that of most of the functions' instructions on arm64. memcpy_flushcache() is an
 * ordinary memcpy(), which may access memory as it likes, and cache maintenance.
 */
const struct mc_loop mc_loops_of_kernel[] = {
#ifdef __KERNEL__
	{ MC_OP_MEMCPY_TOIO, 8, MC_CPU_BASE, loop_memcpy_toio },
	{ MC_OP_MEMCPY_FROMIO, 8, MC_CPU_BASE, loop_memcpy_fromio },
	{ MC_OP_MEMSET_IO, 8, MC_CPU_BASE, loop_memset_io },
	{ MC_OP_IOWRITE64_COPY, 8, MC_CPU_BASE, loop___iowrite64_copy },
	{ MC_OP_FLUSHCACHE, 8, MC_CPU_BASE, loop_memcpy_flushcache, .normal_only = true },
	{ MC_OP_MEMSET, 8, MC_CPU_BASE, loop_memset, .normal_only = true },
	{ MC_OP_MEMCPY, 8, MC_CPU_BASE, loop_memcpy, .normal_only = true },
	{ MC_OP_MEMMOVE, 8, MC_CPU_BASE, loop_memmove, .normal_only = true },
	{ MC_OP_CSUM, 8, MC_CPU_BASE, loop_csum_partial, .normal_only = true },
	{ MC_OP_COPY_FROM_USER, 8, MC_CPU_BASE, loop_copy_from_user },
	{ MC_OP_COPY_TO_USER, 8, MC_CPU_BASE, loop_copy_to_user },
	{ MC_OP_CLEAR_USER, 8, MC_CPU_BASE, loop_clear_user },
	{ MC_OP_CLEAR_PAGE, 8, MC_CPU_BASE, loop_clear_page, .normal_only = true },
#ifdef MC_HAVE_CLEAR_PAGES
	{ MC_OP_CLEAR_PAGES, 8, MC_CPU_BASE, loop_clear_pages, .normal_only = true },
#endif
	{ MC_OP_COPY_PAGE, 8, MC_CPU_BASE, loop_copy_page, .normal_only = true },
#ifdef CONFIG_ARCH_HAS_COPY_MC
	{ MC_OP_COPY_MC, 8, MC_CPU_BASE, loop_copy_mc_to_kernel, .normal_only = true },
#endif
#endif
	{ }
};
