// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops that call the kernel's own functions, once for each contiguous piece of a pass,
 * to measure the code that drivers run. User space has none of them. User-Mode Linux
 * has no I/O memory, only a memcpy() by these names.
 */
#include "arch/loops.h"

#if defined(__KERNEL__) && !defined(CONFIG_UML)
#define HAVE_IO
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
#endif

/* The width is that of the functions' instructions on x86; memset() stores one byte. */
const struct mc_loop mc_loops_of_kernel[] = {
#ifdef HAVE_IO
	{ MC_OP_MEMCPY_TOIO, 4, MC_CPU_SSE2, loop_memcpy_toio },
	{ MC_OP_MEMCPY_FROMIO, 4, MC_CPU_SSE2, loop_memcpy_fromio },
	{ MC_OP_MEMSET_IO, 1, MC_CPU_SSE2, loop_memset_io },
	{ MC_OP_IOWRITE64_COPY, 8, MC_CPU_SSE2, loop___iowrite64_copy },
	{ MC_OP_FLUSHCACHE, 8, MC_CPU_SSE2, loop_memcpy_flushcache },
#endif
	{ }
};
