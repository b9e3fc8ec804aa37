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
	MC_MMIO_ARRIVE = MC_MMIO_NOPS,	/* no loop of its own: a store, which another CPU loads */
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

/* Ways to store a line, other than one store of the loop's width after another. */
enum mc_mmio_way {
	MC_WAY_STORES,		/* that one */
	MC_WAY_C_LOOP,		/* what the compiler makes of a loop of 8-byte stores */
	MC_WAY_MOVDIR64B,
	MC_WAY_REP_MOVSB,
	MC_WAY_ST1,		/* four vectors */
	MC_WAY_ST4,		/* four vectors, of which words take turns */
	MC_WAY_DGH,		/* 8-byte stores, and a hint not to gather them with later ones */
	MC_WAY_MEMCPY_TOIO,	/* functions of the kernel */
	MC_WAY_IOWRITE64_COPY,
	MC_NWAYS,
};

/**
 * struct mc_mmio_copy - a way to store a line
 * @copy: copy the line at @from to the one at @to; NULL: there is no such way here
 * @feature: CPU feature that it needs
 * @direct: its stores pass the caches by even on write-back memory
 */
struct mc_mmio_copy {
	void (*copy)(void *to, const void *from);
	enum mc_feature feature;
	bool direct;
};

/* The ways of the architecture, by enum mc_mmio_way. */
extern const struct mc_mmio_copy mc_mmio_ways[MC_NWAYS];

void mc_asm_line_movdir64b(void *to, const void *from);
void mc_asm_line_rep_movsb(void *to, const void *from);
void mc_asm_line_st1(void *to, const void *from);
void mc_asm_line_st4(void *to, const void *from);
void mc_asm_line_dgh(void *to, const void *from);
void mc_mmio_c_loop(void *to, const void *from);
void mc_mmio_memcpy_toio(void *to, const void *from);
void mc_mmio_iowrite64_copy(void *to, const void *from);

/* Functions of the kernel. User-Mode Linux has no I/O memory, only a memcpy() by their names. */
#if defined(__KERNEL__) && !defined(CONFIG_UML)
#define MC_MMIO_WAYS_OF_KERNEL						\
	[MC_WAY_MEMCPY_TOIO] = { mc_mmio_memcpy_toio },			\
	[MC_WAY_IOWRITE64_COPY] = { mc_mmio_iowrite64_copy },
#else
#define MC_MMIO_WAYS_OF_KERNEL
#endif

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
