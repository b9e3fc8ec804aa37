/* SPDX-License-Identifier: GPL-2.0-only */
/* A walk through page tables that others change meanwhile. */
#ifndef MC_PAGEWALK_H
#define MC_PAGEWALK_H

#include "core/shim.h"

#define MC_WALK_LEVELS	5
#define MC_WALK_CHUNK	64	/* entries that are read at a time, a bit of a u64 for each */

enum mc_entry { MC_ENTRY_NONE, MC_ENTRY_TABLE, MC_ENTRY_LEAF };

/**
 * struct mc_tables - page tables, and how to read them
 * @levels: number of levels
 * @shift: bits of an address below those that choose the entry, of each level from the first on
 * @address_bits: bits of an address that the tables translate
 * @root: physical address of the first table
 * @ignored: bits of an entry that the CPU changes by itself
 * @decode: what an entry is; result: the physical address of the table or of the memory, and
 *          of memory its attribute bits, in a form of the architecture's
 * @read: read @n entries from a physical address; 0, -EFAULT (they can't be read), or a negative
 *        errno that ends the walk
 */
struct mc_tables {
	unsigned int levels;
	u8 shift[MC_WALK_LEVELS];
	u8 address_bits;
	u64 root;
	u64 ignored;
	enum mc_entry (*decode)(u64 entry, unsigned int shift, u64 *phys, u8 *bits);
	int (*read)(u64 at, u64 *entries, unsigned int n);
};

/**
 * struct mc_mapped - what an entry maps
 * @virt: the first virtual address
 * @phys: the first physical address
 * @shift: its size is 1 << @shift
 * @bits: its attribute bits
 * @changed: the entry, or one that leads to it, has changed while it was read: the other members
 *           but @virt and @shift say nothing
 */
struct mc_mapped {
	u64 virt;
	u64 phys;
	u8 shift;
	u8 bits;
	bool changed;
};

/**
 * struct mc_table_walk - a walk
 * @t: the page tables
 * @visit: is called for each entry that maps memory, and each one that has changed; a value other
 *         than 0 ends the walk
 * @arg: its first argument
 * @path: the entries that lead to the current table, and where they are; for the walk itself, as
 *        are the next ones
 * @entries: entries of each level
 * @again: the same ones, read a second time
 */
struct mc_table_walk {
	const struct mc_tables *t;
	int (*visit)(void *arg, const struct mc_mapped *m);
	void *arg;
	struct {
		u64 at;
		u64 entry;
	} path[MC_WALK_LEVELS];
	u64 entries[MC_WALK_LEVELS][MC_WALK_CHUNK];
	u64 again[MC_WALK_CHUNK];
};

int mc_walk_range(struct mc_table_walk *w, u64 first, u64 last);

#endif /* MC_PAGEWALK_H */
