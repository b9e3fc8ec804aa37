// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops: one row for each line in loops*.S. */
#include "arch/loop_table.h"

DECLARE(write_clflushopt);
DECLARE(write_clwb);

const struct mc_loop mc_loops[] = {
	ROW_STREAMS(read, READ, 8, MC_CPU_BASE),
	ROW_STREAMS(read, READ, 16, MC_CPU_BASE),
	ROW_STREAMS(read, READ, 32, MC_CPU_AVX2),
	ROW_STREAMS(read, READ, 64, MC_CPU_AVX512F),
	ROW_STREAMS(ntread, NTREAD, 16, MC_CPU_SSE41),
	ROW_STREAMS(ntread, NTREAD, 32, MC_CPU_AVX2),
	ROW_STREAMS(ntread, NTREAD, 64, MC_CPU_AVX512F),
	ROW_STREAMS(write, WRITE, 8, MC_CPU_BASE),
	ROW_STREAMS(write, WRITE, 16, MC_CPU_BASE),
	ROW_STREAMS(write, WRITE, 32, MC_CPU_AVX2),
	ROW_STREAMS(write, WRITE, 64, MC_CPU_AVX512F),
	ROW_STREAMS(ntwrite, NTWRITE, 8, MC_CPU_BASE),
	ROW_STREAMS(ntwrite, NTWRITE, 16, MC_CPU_BASE),
	ROW_STREAMS(ntwrite, NTWRITE, 32, MC_CPU_AVX2),
	ROW_STREAMS(ntwrite, NTWRITE, 64, MC_CPU_AVX512F),
	ROW_STREAMS(copy, COPY, 8, MC_CPU_BASE),
	ROW_STREAMS(copy, COPY, 16, MC_CPU_BASE),
	ROW_STREAMS(copy, COPY, 32, MC_CPU_AVX2),
	ROW_STREAMS(copy, COPY, 64, MC_CPU_AVX512F),
	ROW_STREAMS(ntcopy, NTCOPY, 8, MC_CPU_BASE),
	ROW_STREAMS(ntcopy, NTCOPY, 16, MC_CPU_BASE),
	ROW_STREAMS(ntcopy, NTCOPY, 32, MC_CPU_AVX2),
	ROW_STREAMS(ntcopy, NTCOPY, 64, MC_CPU_AVX512F),
	ROW_STREAMS(rmw, RMW, 8, MC_CPU_BASE),
	ROW_STREAMS(rmw, RMW, 16, MC_CPU_BASE),
	ROW_STREAMS(rmw, RMW, 32, MC_CPU_AVX2),
	ROW_STREAMS(rmw, RMW, 64, MC_CPU_AVX512F),
	ROW_STREAMS(triad, TRIAD, 8, MC_CPU_BASE),
	ROW_STREAMS(triad, TRIAD, 16, MC_CPU_BASE),
	ROW_STREAMS(triad, TRIAD, 32, MC_CPU_AVX2),
	ROW_STREAMS(triad, TRIAD, 64, MC_CPU_AVX512F),
	ROW_STREAMS(nttriad, NTTRIAD, 8, MC_CPU_BASE),
	ROW_STREAMS(nttriad, NTTRIAD, 16, MC_CPU_BASE),
	ROW_STREAMS(nttriad, NTTRIAD, 32, MC_CPU_AVX2),
	ROW_STREAMS(nttriad, NTTRIAD, 64, MC_CPU_AVX512F),
	ROW(rw31, RW31, 8, MC_CPU_BASE),
	ROW_SCATTER(rw31, RW31, 16, MC_CPU_BASE),
	ROW_SCATTER(rw31, RW31, 32, MC_CPU_AVX2),
	ROW_SCATTER(rw31, RW31, 64, MC_CPU_AVX512F),
	ROW(rw21, RW21, 8, MC_CPU_BASE),
	ROW_SCATTER(rw21, RW21, 16, MC_CPU_BASE),
	ROW_SCATTER(rw21, RW21, 32, MC_CPU_AVX2),
	ROW_SCATTER(rw21, RW21, 64, MC_CPU_AVX512F),
	ROW(rw11, RW11, 8, MC_CPU_BASE),
	ROW_SCATTER(rw11, RW11, 16, MC_CPU_BASE),
	ROW_SCATTER(rw11, RW11, 32, MC_CPU_AVX2),
	ROW_SCATTER(rw11, RW11, 64, MC_CPU_AVX512F),
	ROW(rw32, RW32, 16, MC_CPU_BASE),
	ROW(rw32, RW32, 32, MC_CPU_AVX2),
	ROW(rw32, RW32, 64, MC_CPU_AVX512F),
	ROW(rw41, RW41, 16, MC_CPU_BASE),
	ROW(rw41, RW41, 32, MC_CPU_AVX2),
	ROW(rw41, RW41, 64, MC_CPU_AVX512F),
	ROW(rw91, RW91, 16, MC_CPU_BASE),
	ROW(rw91, RW91, 32, MC_CPU_AVX2),
	ROW(rw91, RW91, 64, MC_CPU_AVX512F),
	ROW(ntrw31, NTRW31, 8, MC_CPU_BASE),
	ROW_SCATTER(ntrw31, NTRW31, 16, MC_CPU_BASE),
	ROW_SCATTER(ntrw31, NTRW31, 32, MC_CPU_AVX2),
	ROW_SCATTER(ntrw31, NTRW31, 64, MC_CPU_AVX512F),
	ROW(ntrw21, NTRW21, 8, MC_CPU_BASE),
	ROW_SCATTER(ntrw21, NTRW21, 16, MC_CPU_BASE),
	ROW_SCATTER(ntrw21, NTRW21, 32, MC_CPU_AVX2),
	ROW_SCATTER(ntrw21, NTRW21, 64, MC_CPU_AVX512F),
	ROW(ntrw11, NTRW11, 8, MC_CPU_BASE),
	ROW_SCATTER(ntrw11, NTRW11, 16, MC_CPU_BASE),
	ROW_SCATTER(ntrw11, NTRW11, 32, MC_CPU_AVX2),
	ROW_SCATTER(ntrw11, NTRW11, 64, MC_CPU_AVX512F),
	ROW(ntrw32, NTRW32, 16, MC_CPU_BASE),
	ROW(ntrw32, NTRW32, 32, MC_CPU_AVX2),
	ROW(ntrw32, NTRW32, 64, MC_CPU_AVX512F),
	ROW(ntrw41, NTRW41, 16, MC_CPU_BASE),
	ROW(ntrw41, NTRW41, 32, MC_CPU_AVX2),
	ROW(ntrw41, NTRW41, 64, MC_CPU_AVX512F),
	ROW(ntrw91, NTRW91, 16, MC_CPU_BASE),
	ROW(ntrw91, NTRW91, 32, MC_CPU_AVX2),
	ROW(ntrw91, NTRW91, 64, MC_CPU_AVX512F),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 8, MC_CPU_BASE),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 16, MC_CPU_BASE),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 32, MC_CPU_AVX2),
	ROW(write_clflushopt, WRITE_FLUSHOPT, 64, MC_CPU_AVX512F),
	ROW(write_clwb, WRITE_CLWB, 8, MC_CPU_BASE),
	ROW(write_clwb, WRITE_CLWB, 16, MC_CPU_BASE),
	ROW(write_clwb, WRITE_CLWB, 32, MC_CPU_AVX2),
	ROW(write_clwb, WRITE_CLWB, 64, MC_CPU_AVX512F),
	ROW(movdir64b, MOVDIR64B, 64, MC_CPU_BASE),
	ROW(rep_movsb, REP_MOVSB, 1, MC_CPU_BASE),
	ROW(rep_stosb, REP_STOSB, 1, MC_CPU_BASE),
	ROW(sum, SUM, 8, MC_CPU_BASE),
	ROW(sum, SUM, 16, MC_CPU_BASE),
	ROW(sum, SUM, 32, MC_CPU_AVX2),
	ROW(sum, SUM, 64, MC_CPU_AVX512F),
	ROW(fill, FILL, 8, MC_CPU_BASE),
	ROW(fill, FILL, 16, MC_CPU_BASE),
	ROW(fill, FILL, 32, MC_CPU_AVX2),
	ROW(fill, FILL, 64, MC_CPU_AVX512F),
	ROW(check, CHECK, 8, MC_CPU_BASE),
	ROW(check, CHECK, 16, MC_CPU_BASE),
	ROW(check, CHECK, 32, MC_CPU_AVX2),
	ROW(check, CHECK, 64, MC_CPU_AVX512F),
	ROW(flush, FLUSH, 64, MC_CPU_BASE),
	ROW(flushopt, FLUSH, 64, MC_CPU_CLFLUSHOPT),
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
	return fence <= MC_FENCE_UC;
}

/**
 * mc_device_memory() - does memory of a type fault on accesses that are not aligned?
 * @type: the type
 *
 * Return: false.
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
