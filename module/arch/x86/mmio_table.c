// SPDX-License-Identifier: GPL-2.0-only
/* The table of single accesses: a row for each width in loops_mmio.S. */
#include "arch/mmio.h"

MC_MMIO_DECLARE(1);
MC_MMIO_DECLARE(2);
MC_MMIO_DECLARE(4);
MC_MMIO_DECLARE(8);
MC_MMIO_DECLARE(16);
MC_MMIO_DECLARE(32);
MC_MMIO_DECLARE(64);

const struct mc_mmio_loop mc_mmio_loops[] = {
	MC_MMIO_ROW(1, MC_CPU_BASE),
	MC_MMIO_ROW(2, MC_CPU_BASE),
	MC_MMIO_ROW(4, MC_CPU_BASE),
	MC_MMIO_ROW(8, MC_CPU_BASE),
	MC_MMIO_ROW(16, MC_CPU_BASE),
	MC_MMIO_ROW(32, MC_CPU_AVX2),
	MC_MMIO_ROW(64, MC_CPU_AVX512F),
	{ }
};

const struct mc_mmio_copy mc_mmio_ways[MC_NWAYS] = {
	[MC_WAY_C_LOOP] = { mc_mmio_c_loop },
	[MC_WAY_MOVDIR64B] = { mc_asm_line_movdir64b, MC_CPU_MOVDIR64B, .direct = true },
	[MC_WAY_REP_MOVSB] = { mc_asm_line_rep_movsb },
	MC_MMIO_WAYS_OF_KERNEL
};
