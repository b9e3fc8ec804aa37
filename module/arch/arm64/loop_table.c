// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops: one row for each line in loops*.S. */
#include "arch/loop_table.h"

const struct mc_loop mc_loops[] = {
	ROW_STREAMS(read, READ, 8, MC_CPU_BASE),
	ROW_STREAMS(read, READ, 16, MC_CPU_BASE),
	ROW_STREAMS(read, READ, 32, MC_CPU_BASE),
	ROW_STREAMS(ntread, NTREAD, 32, MC_CPU_BASE),
	ROW_STREAMS(write, WRITE, 8, MC_CPU_BASE),
	ROW_STREAMS(write, WRITE, 16, MC_CPU_BASE),
	ROW_STREAMS(write, WRITE, 32, MC_CPU_BASE),
	ROW_STREAMS(ntwrite, NTWRITE, 32, MC_CPU_BASE),
	ROW_STREAMS(copy, COPY, 8, MC_CPU_BASE),
	ROW_STREAMS(copy, COPY, 16, MC_CPU_BASE),
	ROW_STREAMS(copy, COPY, 32, MC_CPU_BASE),
	ROW_STREAMS(ntcopy, NTCOPY, 32, MC_CPU_BASE),
	ROW_STREAMS(rmw, RMW, 8, MC_CPU_BASE),
	ROW_STREAMS(rmw, RMW, 16, MC_CPU_BASE),
	ROW_STREAMS(rmw, RMW, 32, MC_CPU_BASE),
	ROW_STREAMS(triad, TRIAD, 8, MC_CPU_BASE),
	ROW_STREAMS(triad, TRIAD, 16, MC_CPU_BASE),
	ROW_STREAMS(triad, TRIAD, 32, MC_CPU_BASE),
	ROW_STREAMS(nttriad, NTTRIAD, 32, MC_CPU_BASE),
	ROW(rw31, RW31, 8, MC_CPU_BASE),
	ROW_SCATTER(rw31, RW31, 16, MC_CPU_BASE),
	ROW_SCATTER(rw31, RW31, 32, MC_CPU_BASE),
	ROW(rw21, RW21, 8, MC_CPU_BASE),
	ROW_SCATTER(rw21, RW21, 16, MC_CPU_BASE),
	ROW_SCATTER(rw21, RW21, 32, MC_CPU_BASE),
	ROW(rw11, RW11, 8, MC_CPU_BASE),
	ROW_SCATTER(rw11, RW11, 16, MC_CPU_BASE),
	ROW_SCATTER(rw11, RW11, 32, MC_CPU_BASE),
	ROW(rw32, RW32, 16, MC_CPU_BASE),
	ROW(rw32, RW32, 32, MC_CPU_BASE),
	ROW(rw41, RW41, 16, MC_CPU_BASE),
	ROW(rw41, RW41, 32, MC_CPU_BASE),
	ROW(rw91, RW91, 16, MC_CPU_BASE),
	ROW(rw91, RW91, 32, MC_CPU_BASE),
	ROW_SCATTER(ntrw31, NTRW31, 32, MC_CPU_BASE),
	ROW_SCATTER(ntrw21, NTRW21, 32, MC_CPU_BASE),
	ROW_SCATTER(ntrw11, NTRW11, 32, MC_CPU_BASE),
	ROW(ntrw32, NTRW32, 32, MC_CPU_BASE),
	ROW(ntrw41, NTRW41, 32, MC_CPU_BASE),
	ROW(ntrw91, NTRW91, 32, MC_CPU_BASE),
	ROW(sum, SUM, 8, MC_CPU_BASE),
	ROW(sum, SUM, 16, MC_CPU_BASE),
	ROW(sum, SUM, 32, MC_CPU_BASE),
	ROW(fill, FILL, 8, MC_CPU_BASE),
	ROW(fill, FILL, 16, MC_CPU_BASE),
	ROW(fill, FILL, 32, MC_CPU_BASE),
	ROW(check, CHECK, 8, MC_CPU_BASE),
	ROW(check, CHECK, 16, MC_CPU_BASE),
	ROW(check, CHECK, 32, MC_CPU_BASE),
	ROW(flush, FLUSH, 64, MC_CPU_BASE),
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
	return fence != MC_FENCE_SFENCE && fence != MC_FENCE_MFENCE;
}

/**
 * mc_device_memory() - does memory of a type fault on accesses that are not aligned?
 * @type: the type
 *
 * So it is with memory of a Device type (Arm ARM, "Device memory"): DC ZVA faults there, too.
 *
 * Return: true if it does.
 */
bool mc_device_memory(enum mc_type type)
{
	return type == MC_UC || type == MC_NP;
}

/**
 * mc_vectors_clean() - nothing: no data in a vector register slows others down
 */
void mc_vectors_clean(void)
{
}
