/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every access of a call to some memory, and every fence that it executes. The CPU itself
 * shows them: the memory is protected, so that each access faults, and the call runs one
 * instruction at a time. The code is not changed, and what is found does not depend on time.
 */
#ifndef MC_SELFTEST_WATCHED_H
#define MC_SELFTEST_WATCHED_H

#include "core/shim.h"

#define WATCHED_BYTES	(64 * 1024)

enum how {
	ORDINARY,
	STREAMING,	/* non-temporal */
	LOCKED,		/* atomic */
	FLUSH,		/* CLFLUSH or CLFLUSHOPT */
	WRITE_BACK,	/* CLWB */
	PREFETCH_NTA,	/* hints, which access nothing */
	PREFETCH_WRITE,
	DEMOTE,
};

/**
 * struct access - an access to the watched memory
 * @offset: its first byte, from the start of the memory
 * @width: bytes, as the instruction says; of a flush a line
 * @load: it loads
 * @store: it stores
 * @how: kind of instruction
 */
struct access {
	u64 offset;
	unsigned int width;
	bool load;
	bool store;
	enum how how;
};

/**
 * struct watched - what the last call did
 * @memory: the watched memory
 * @n: number of accesses
 * @access: each of them, in order
 * @sfences: number of SFENCEs
 * @sfences_behind: number of them behind the last access
 * @mfences: number of MFENCEs
 * @hints: number of hints of each kind
 * @hinted: sum of the addresses that these hints are about, from the start of the memory
 * @additions: number of additions of one register to another
 */
struct watched {
	u8 *memory;
	unsigned int n;
	struct access access[1 << 14];
	unsigned int sfences;
	unsigned int sfences_behind;
	unsigned int mfences;
	unsigned int hints[DEMOTE + 1];
	u64 hinted;
	unsigned int additions;
};

extern struct watched watched;

void watched_begin(void);
void watch_from_here(void);
void watch_until_here(void);

/* Watch a call. */
#define WATCH(call)			\
	do {				\
		watch_from_here();	\
		call;			\
		watch_until_here();	\
	} while (0)

#endif /* MC_SELFTEST_WATCHED_H */
