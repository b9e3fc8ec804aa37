/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MC_X86_FENCE_H
#define MC_X86_FENCE_H

#include "arch/loops.h"

/**
 * x86_fence() - a fence, but for MC_FENCE_UC
 * @fence: MC_FENCE_*
 *
 * It is in line, because it is a part of what passes of the kernel's functions time.
 */
static inline void x86_fence(u64 fence)
{
	u32 word = 0;

	switch (fence) {
	case MC_FENCE_SFENCE:
		asm volatile("sfence" : : : "memory");
		break;
	case MC_FENCE_MFENCE:
		asm volatile("mfence" : : : "memory");
		break;
	case MC_FENCE_LOCKED:
		asm volatile("lock; incl %0" : "+m" (word) : : "memory", "cc");
		break;
	}
}

#endif /* MC_X86_FENCE_H */
