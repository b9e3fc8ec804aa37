// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops. */
#include "arch/loop_table.def"

#define ROW_EXCLUSIVE(bytes, feature, op, name, streams, scatter)	\
	{ op, bytes, feature, name##bytes, .run_word = name##_word },

const struct mc_loop mc_loops[] = {
#include "arch/loops.def"
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
