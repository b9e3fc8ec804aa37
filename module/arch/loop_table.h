/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a table of access loops, and the loops of which every architecture has some. */
#ifndef MC_LOOP_TABLE_H
#define MC_LOOP_TABLE_H

#include "arch/loops.h"

#define ROW(lower, upper, bytes, feature)				\
	{ MC_OP_##upper, bytes, feature, mc_asm_##lower##bytes }

#define ROW_STREAMS(lower, upper, bytes, feature)			\
	{ MC_OP_##upper, bytes, feature, mc_asm_##lower##bytes,		\
	  mc_asm_##lower##_streams##bytes, mc_asm_##lower##_scatter##bytes }

#define ROW_SCATTER(lower, upper, bytes, feature)			\
	{ MC_OP_##upper, bytes, feature, mc_asm_##lower##bytes, NULL,	\
	  mc_asm_##lower##_scatter##bytes }

#define DECLARE(op)							\
	void mc_asm_##op##8(struct mc_loop_args *args);			\
	void mc_asm_##op##16(struct mc_loop_args *args);		\
	void mc_asm_##op##32(struct mc_loop_args *args);		\
	void mc_asm_##op##64(struct mc_loop_args *args)

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
DECLARE(fill);
DECLARE(check);

#endif /* MC_LOOP_TABLE_H */
