// SPDX-License-Identifier: GPL-2.0-only
/*
 * A walk through page tables that others change meanwhile. No lock of theirs is taken, so each
 * entry is read twice. Then the entries that lead to it are read again, since a table may have
 * been freed. What differs is reported as changed, and nothing is concluded from it.
 */
#include "kernel/pagewalk.h"

/*
 * Read entries of a table of this level, and whether they can be relied on. Return: 0 or a
 * negative errno that ends the walk; @changed: a bit for each entry.
 */
static int read_entries(struct mc_table_walk *w, unsigned int level, u64 at, unsigned int n,
			u64 *changed)
{
	const struct mc_tables *t = w->t;
	u64 *entries = w->entries[level], now = 0;
	unsigned int i;
	int err = t->read(at, entries, n);

	*changed = 0;
	err = err ? err : t->read(at, w->again, n);
	for (i = 0; i < n && !err; i++) {
		if ((entries[i] ^ w->again[i]) & ~t->ignored)
			*changed |= 1ULL << i;
	}
	for (i = 0; i < level && !err; i++) {
		err = t->read(w->path[i].at, &now, 1);
		if ((now ^ w->path[i].entry) & ~t->ignored)
			*changed = ~0ULL;
	}
	if (err == -EFAULT)
		*changed = ~0ULL;
	return err == -EFAULT ? 0 : err;
}

static int walk_table(struct mc_table_walk *w, unsigned int level, u64 table, u64 first, u64 last);

static int visit_entry(struct mc_table_walk *w, unsigned int level, u64 at, u64 entry,
		       struct mc_mapped *m, u64 first, u64 last)
{
	u64 end = m->virt + ((1ULL << m->shift) - 1), next = 0;
	enum mc_entry is = MC_ENTRY_LEAF;

	if (!m->changed) {
		is = w->t->decode(entry, m->shift, &next, &m->bits);
		m->phys = next;
	}
	if (is == MC_ENTRY_LEAF)
		return w->visit(w->arg, m);
	if (is == MC_ENTRY_NONE || level + 1 == w->t->levels)
		return 0;
	w->path[level].at = at;
	w->path[level].entry = entry;
	return walk_table(w, level + 1, next, m->virt > first ? m->virt : first,
			  end < last ? end : last);
}

static int walk_table(struct mc_table_walk *w, unsigned int level, u64 table, u64 first, u64 last)
{
	const struct mc_tables *t = w->t;
	const unsigned int shift = t->shift[level];
	const unsigned int top = level ? t->shift[level - 1] : t->address_bits;
	u64 virt = first >> shift << shift, left = ((last - virt) >> shift) + 1, changed;
	u64 at = table + 8 * ((virt & ((1ULL << top) - 1)) >> shift);
	unsigned int n, i;
	int err = 0;

	for (; left && !err; left -= n) {
		n = left < MC_WALK_CHUNK ? (unsigned int)left : MC_WALK_CHUNK;
		err = read_entries(w, level, at, n, &changed);
		for (i = 0; i < n && !err; i++, at += 8, virt += 1ULL << shift) {
			struct mc_mapped m = {
				.virt = virt, .shift = shift, .changed = changed >> i & 1,
			};

			err = visit_entry(w, level, at, w->entries[level][i], &m, first, last);
		}
	}
	return err;
}

/**
 * mc_walk_range() - visit all that is mapped in a range of virtual addresses
 * @w: the walk
 * @first: the first address
 * @last: the last one
 *
 * Entries are visited as a whole, also where the range has only a part of their memory.
 *
 * Context: as its read() may be called.
 * Return: 0, or what read() or visit() ended the walk with.
 */
int mc_walk_range(struct mc_table_walk *w, u64 first, u64 last)
{
	return walk_table(w, 0, w->t->root, first, last);
}
