// SPDX-License-Identifier: GPL-2.0-only
/* The table of access loops: one row for each line in loops*.S. */
#include "arch/loops.h"

#define ROW(lower, upper, bytes)					\
	{ MC_OP_##upper, bytes, MC_CPU_BASE, mc_asm_##lower##bytes }

#define ROW_STREAMS(lower, upper, bytes)				\
	{ MC_OP_##upper, bytes, MC_CPU_BASE, mc_asm_##lower##bytes,	\
	  mc_asm_##lower##_streams##bytes, mc_asm_##lower##_scatter##bytes }

#define ROW_SCATTER(lower, upper, bytes)				\
	{ MC_OP_##upper, bytes, MC_CPU_BASE, mc_asm_##lower##bytes,	\
	  NULL, mc_asm_##lower##_scatter##bytes }

#define DECLARE(op)							\
	void mc_asm_##op##8(struct mc_loop_args *args);			\
	void mc_asm_##op##16(struct mc_loop_args *args);		\
	void mc_asm_##op##32(struct mc_loop_args *args)

DECLARE(read);
DECLARE(read_streams);
DECLARE(read_scatter);
DECLARE(ntread);
DECLARE(ntread_streams);
DECLARE(ntread_scatter);
DECLARE(write);
DECLARE(write_streams);
DECLARE(write_scatter);
DECLARE(ntwrite);
DECLARE(ntwrite_streams);
DECLARE(ntwrite_scatter);
DECLARE(copy);
DECLARE(copy_streams);
DECLARE(copy_scatter);
DECLARE(ntcopy);
DECLARE(ntcopy_streams);
DECLARE(ntcopy_scatter);
DECLARE(rmw);
DECLARE(rmw_streams);
DECLARE(rmw_scatter);
DECLARE(triad);
DECLARE(triad_streams);
DECLARE(triad_scatter);
DECLARE(nttriad);
DECLARE(nttriad_streams);
DECLARE(nttriad_scatter);
DECLARE(rw31);
DECLARE(rw31_scatter);
DECLARE(rw21);
DECLARE(rw21_scatter);
DECLARE(rw11);
DECLARE(rw11_scatter);
DECLARE(rw32);
DECLARE(rw41);
DECLARE(rw91);
DECLARE(ntrw31);
DECLARE(ntrw31_scatter);
DECLARE(ntrw21);
DECLARE(ntrw21_scatter);
DECLARE(ntrw11);
DECLARE(ntrw11_scatter);
DECLARE(ntrw32);
DECLARE(ntrw41);
DECLARE(ntrw91);
DECLARE(sum);
DECLARE(check);

const struct mc_loop mc_loops[] = {
	ROW_STREAMS(read, READ, 8),
	ROW_STREAMS(read, READ, 16),
	ROW_STREAMS(read, READ, 32),
	ROW_STREAMS(ntread, NTREAD, 32),
	ROW_STREAMS(write, WRITE, 8),
	ROW_STREAMS(write, WRITE, 16),
	ROW_STREAMS(write, WRITE, 32),
	ROW_STREAMS(ntwrite, NTWRITE, 32),
	ROW_STREAMS(copy, COPY, 8),
	ROW_STREAMS(copy, COPY, 16),
	ROW_STREAMS(copy, COPY, 32),
	ROW_STREAMS(ntcopy, NTCOPY, 32),
	ROW_STREAMS(rmw, RMW, 8),
	ROW_STREAMS(rmw, RMW, 16),
	ROW_STREAMS(rmw, RMW, 32),
	ROW_STREAMS(triad, TRIAD, 8),
	ROW_STREAMS(triad, TRIAD, 16),
	ROW_STREAMS(triad, TRIAD, 32),
	ROW_STREAMS(nttriad, NTTRIAD, 32),
	ROW(rw31, RW31, 8),
	ROW_SCATTER(rw31, RW31, 16),
	ROW_SCATTER(rw31, RW31, 32),
	ROW(rw21, RW21, 8),
	ROW_SCATTER(rw21, RW21, 16),
	ROW_SCATTER(rw21, RW21, 32),
	ROW(rw11, RW11, 8),
	ROW_SCATTER(rw11, RW11, 16),
	ROW_SCATTER(rw11, RW11, 32),
	ROW(rw32, RW32, 16),
	ROW(rw32, RW32, 32),
	ROW(rw41, RW41, 16),
	ROW(rw41, RW41, 32),
	ROW(rw91, RW91, 16),
	ROW(rw91, RW91, 32),
	ROW_SCATTER(ntrw31, NTRW31, 32),
	ROW_SCATTER(ntrw21, NTRW21, 32),
	ROW_SCATTER(ntrw11, NTRW11, 32),
	ROW(ntrw32, NTRW32, 32),
	ROW(ntrw41, NTRW41, 32),
	ROW(ntrw91, NTRW91, 32),
	ROW(sum, SUM, 8),
	ROW(sum, SUM, 16),
	ROW(sum, SUM, 32),
	ROW(check, CHECK, 8),
	ROW(check, CHECK, 16),
	ROW(check, CHECK, 32),
	ROW(flush, FLUSH, 64),
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
