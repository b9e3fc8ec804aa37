// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of single accesses: a row for each width in loops_mmio.S. No instruction of the
 * base architecture accesses 64 bytes.
 */
#include "arch/mmio.h"

MC_MMIO_DECLARE(1);
MC_MMIO_DECLARE(2);
MC_MMIO_DECLARE(4);
MC_MMIO_DECLARE(8);
MC_MMIO_DECLARE(16);
MC_MMIO_DECLARE(32);

const struct mc_mmio_loop mc_mmio_loops[] = {
	MC_MMIO_ROW(1, MC_CPU_BASE),
	MC_MMIO_ROW(2, MC_CPU_BASE),
	MC_MMIO_ROW(4, MC_CPU_BASE),
	MC_MMIO_ROW(8, MC_CPU_BASE),
	MC_MMIO_ROW(16, MC_CPU_BASE),
	MC_MMIO_ROW(32, MC_CPU_BASE),
	{ }
};

const struct mc_mmio_copy mc_mmio_ways[MC_NWAYS] = {
	[MC_WAY_C_LOOP] = { mc_mmio_c_loop },
	[MC_WAY_ST1] = { mc_asm_line_st1 },
	[MC_WAY_ST4] = { mc_asm_line_st4 },
	[MC_WAY_DGH] = { mc_asm_line_dgh },
	MC_MMIO_WAYS_OF_KERNEL
};
