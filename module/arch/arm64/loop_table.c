// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops. */
#include "arch/loop_table.def"

DECLARE(xadd_llsc)
DECLARE(cmpxchg_llsc)
DECLARE(xchg_llsc)
DECLARE(fetch_or_llsc)

#define EXCLUSIVE(name, op)						\
	{ MC_OP_##op, 8, MC_CPU_BASE, mc_asm_##name##8, .run_word = mc_asm_##name##_word }

const struct mc_loop mc_loops[] = {
#include "arch/loops.def"
	EXCLUSIVE(xadd_llsc, XADD_LLSC), EXCLUSIVE(cmpxchg_llsc, CMPXCHG_LLSC),
	EXCLUSIVE(xchg_llsc, XCHG_LLSC), EXCLUSIVE(fetch_or_llsc, FETCH_OR_LLSC),
	{ MC_OP_FLUSH, 64, MC_CPU_BASE, mc_asm_flush64 },
	{ }
};

bool mc_fence_runs(u64 fence)
{
	return fence != MC_FENCE_SFENCE && fence != MC_FENCE_MFENCE && fence != MC_FENCE_LOCKED;
}

void mc_fence(u64 fence)
{
	const struct mc_loop_args args = { .fence = fence };

	mc_asm_fence(&args);
}

/* Of a Device type (Arm ARM, "Device memory"): DC ZVA faults there, too. */
bool mc_device_memory(enum mc_type type)
{
	return type == MC_UC || type == MC_NP;
}

/* No data in a vector register slows others down. */
void mc_vectors_clean(void)
{
}
