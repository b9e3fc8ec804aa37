// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops: those of loops.def, and others of x86. */
#include "arch/loop_table.def"
#include "arch/x86/fence.h"

const struct mc_loop mc_loops[] = {
#include "arch/loops.def"
	{ MC_OP_MOVDIR64B, 64, MC_CPU_BASE, mc_asm_movdir64b64 },
	{ MC_OP_REP_MOVSB, 1, MC_CPU_BASE, mc_asm_rep_movsb1 },
	{ MC_OP_REP_STOSB, 1, MC_CPU_BASE, mc_asm_rep_stosb1 },
	{ MC_OP_FLUSH, 64, MC_CPU_BASE, mc_asm_flush64 },
	{ MC_OP_FLUSH, 64, MC_CPU_CLFLUSHOPT, mc_asm_flushopt64 },
	{ }
};

/**
 * mc_fence_runs() - has this architecture a fence?
 * @fence: MC_FENCE_*
 *
 * Return: true if it has.
 */
bool mc_fence_runs(u64 fence)
{
	return fence <= MC_FENCE_UC || fence == MC_FENCE_LOCKED;
}

/**
 * mc_fence() - a fence, but for MC_FENCE_UC
 * @fence: MC_FENCE_*
 */
void mc_fence(u64 fence)
{
	x86_fence(fence);
}

/**
 * mc_device_memory() - does memory of a type fault on accesses that are not aligned?
 * @type: the type
 *
 * Return: true if it does, as it may on arm64.
 */
bool mc_device_memory(enum mc_type type)
{
	return false;
}

/**
 * mc_vectors_clean() - empty the upper halves of the vector registers
 *
 * The last user of the registers may have left data in the upper halves. Some CPUs then
 * run SSE instructions, which must preserve it, at half their speed.
 *
 * Context: Vector registers may be used.
 */
void mc_vectors_clean(void)
{
	if (mc_cpu_has(MC_CPU_AVX))
		asm volatile("vzeroupper");
}
