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

#define BYTES		8
#define IO_BYTES	8
#define NORMAL_ONLY	true
#include "arch/kernel_loops.def"

enum mc_uses mc_kernel_uses(enum mc_op op)
{
	return MC_USES_UNKNOWN;
}
#else
const struct mc_loop mc_loops_of_kernel[] = { { } };
#endif
