/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops that call functions of the kernel, once for each contiguous piece of a pass. An
 * architecture's loops_kernel.c, the only file that includes this, defines run_fence() before.
 */
#ifndef MC_KERNEL_FUNCTIONS_H
#define MC_KERNEL_FUNCTIONS_H

#include <linux/io.h>

#include "arch/loops.h"

static u8 byte_of(const struct mc_loop_args *args, u64 pass)
{
	return args->data == MC_DATA_ZERO ? 0 : args->value + pass;
}

#define KERNEL_LOOP(name, ...)						\
	static void loop_##name(struct mc_loop_args *args)		\
	{								\
		u64 pass;						\
									\
		for (pass = 0; pass < args->passes; pass++) {		\
			name(__VA_ARGS__);				\
			run_fence(args);				\
		}							\
	}

#define IO(p)	((void __iomem __force *)(p))

KERNEL_LOOP(memcpy_toio, IO(args->a), args->b, args->bytes)
KERNEL_LOOP(memcpy_fromio, args->a, IO(args->b), args->bytes)
KERNEL_LOOP(memset_io, IO(args->a), byte_of(args, pass), args->bytes)
KERNEL_LOOP(__iowrite64_copy, IO(args->a), args->b, args->bytes / 8)
KERNEL_LOOP(memcpy_flushcache, args->a, args->b, args->bytes)

#endif /* MC_KERNEL_FUNCTIONS_H */
