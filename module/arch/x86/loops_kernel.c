// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops that call the kernel's own functions, to measure the code that drivers run. User space has
 * none of them.
 */
#include "arch/loops.h"

#ifdef __KERNEL__
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

#define BYTES		1
#define IO_BYTES	4
#define NORMAL_ONLY	false
#include "arch/kernel_loops.def"
#else
const struct mc_loop mc_loops_of_kernel[] = { { } };
#endif
