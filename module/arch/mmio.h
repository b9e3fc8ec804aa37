/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops of single accesses, as drivers make them to registers and buffers of a device. */
#ifndef MC_ARCH_MMIO_H
#define MC_ARCH_MMIO_H

#define MC_MMIO_LINE	64	/* bytes that a step of a burst loop stores before it flushes */

#ifndef __ASSEMBLER__
#include "core/shim.h"
#include "platform/cpus.h"

enum mc_mmio_op {
	MC_MMIO_READ,		/* each access waits for the data of the one before it */
	MC_MMIO_WRITE,		/* none waits */
	MC_MMIO_WRITE_READ,	/* a store, then a load of the same bytes, which is waited for */
	MC_MMIO_BURST,		/* a line is filled, then the write-combining buffers are flushed */
	MC_MMIO_NOPS,
};

/*
 * @n accesses (lines for MC_MMIO_BURST), one behind the other, from @at on, which is aligned.
 * Every store has @value, or as much of it as fits. Return: MC_MMIO_READ: the first 8 bytes, or
 * less, that were loaded last; MC_MMIO_WRITE_READ: bits that were not loaded as they were
 * stored; otherwise 0.
 */
typedef u64 (*mc_mmio_run)(void *at, u64 n, u64 value);

/**
 * struct mc_mmio_loop - a row of the table
 * @width: bytes of an access
 * @feature: CPU feature that the width needs
 * @run: the loop of each operation (enum mc_mmio_op)
 */
struct mc_mmio_loop {
	unsigned int width;
	enum mc_feature feature;
	mc_mmio_run run[MC_MMIO_NOPS];
};

/* The loops of the architecture, by width; the last row has width 0. */
extern const struct mc_mmio_loop mc_mmio_loops[];

/* A row of the table, by the names of its functions. */
#define MC_MMIO_ROW(bytes, needs)						\
	{									\
		bytes, needs, {							\
			[MC_MMIO_READ] = mc_asm_mmio_read##bytes,		\
			[MC_MMIO_WRITE] = mc_asm_mmio_write##bytes,		\
			[MC_MMIO_WRITE_READ] = mc_asm_mmio_write_read##bytes,	\
			[MC_MMIO_BURST] = mc_asm_mmio_burst##bytes,		\
		}								\
	}

#define MC_MMIO_DECLARE(bytes)							\
	u64 mc_asm_mmio_read##bytes(void *at, u64 n, u64 value);		\
	u64 mc_asm_mmio_write##bytes(void *at, u64 n, u64 value);		\
	u64 mc_asm_mmio_write_read##bytes(void *at, u64 n, u64 value);		\
	u64 mc_asm_mmio_burst##bytes(void *at, u64 n, u64 value)

/**
 * mc_mmio_loop_find() - find the loops of a width
 * @width: bytes of an access
 *
 * Return: the loops, whether or not this CPU can run them, or NULL if there are none.
 */
static inline const struct mc_mmio_loop *mc_mmio_loop_find(unsigned int width)
{
	const struct mc_mmio_loop *loop;

	for (loop = mc_mmio_loops; loop->width; loop++) {
		if (loop->width == width)
			return loop;
	}
	return NULL;
}

#endif /* __ASSEMBLER__ */
#endif /* MC_ARCH_MMIO_H */
