/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of the simulated machine (tools/sim/model.c) behind the loops: those in assembly are
 * replaced, and each access costs what the prices say. What is stored is stored, so that it can
 * be verified.
 */
#ifndef MC_SELFTEST_MACHINE_H
#define MC_SELFTEST_MACHINE_H

#include "arch/chase.h"
#include "arch/loops.h"
#include "arch/mmio.h"
#include "core/view.h"
#include "threads.h"

#include "../../../tools/sim/model.h"

#define MACHINE_BYTES	(16ULL << 20)
#define LINE		64ULL

/**
 * struct machine - what is not said by prices, or is odd about the machine
 * @spans: memory that a test gets: that of each node, of which there may be only one
 * @node: the same as views
 * @type: type of the memory
 * @covered: bytes that a translation covers
 * @turn: the only thread that may run a loop; NULL: all of them may
 * @core_mhz: the clock of the cores; 0: nobody asks for it
 * @count_ps: a count of the delay behind a line
 * @call_ps: a call of a loop, however long it is
 * @price: time of an access at this time, in place of machine_price(); NULL: that one
 * @wide_ones: single loads of 8 bytes and more return ones
 * @keeps: whether a store to this address is kept; NULL: each one is
 * @paced: called with the arguments of each call that loads the memory at a pace; NULL: nothing is
 * @spend: the time that a call of a loop spends whose accesses take @ps; NULL: @ps
 * @calls: number of calls of mc_asm_chase()
 */
struct machine {
	struct mc_span spans[2];
	struct mc_view node[2];
	enum type type;
	u64 covered;
	const u64 *turn;
	u64 core_mhz;
	u64 count_ps;
	u64 call_ps;
	u64 (*price)(const struct access *a, u64 now_ps);
	bool wide_ones;
	bool (*keeps)(const void *at);
	void (*paced)(const struct mc_paced *args);
	u64 (*spend)(u64 ps);
	u64 calls;
};

extern struct machine machine;
extern u8 memory[MACHINE_BYTES];

struct mc_view machine_make(const char *prices, u64 bytes, const struct machine *of);
u64 machine_price(const struct access *a);

/* A new machine, with these members, and its first node as what a run gets. */
#define machine_reset(prices, bytes, ...)					\
	(view = machine_make(prices, bytes, &(struct machine){			\
		.type = WB, .covered = 4096, .count_ps = 400, __VA_ARGS__ }))

#endif /* MC_SELFTEST_MACHINE_H */
