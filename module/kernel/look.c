// SPDX-License-Identifier: GPL-2.0-only
/* The lines that the file `mappings` takes, and the answer that is made of page tables. */
#include "kernel/look.h"

#define MIB	0x100000ULL
#define GIB4	0x100000000ULL

/* --------------------------------------------------------- what is asked for */

static int parse_ranges(struct mc_look *look, const char *s, size_t len, unsigned int address_bits,
			struct mc_error *e)
{
	struct mc_range *r = look->ranges;
	size_t n;

	for (; ; s += n + 1, len -= n + 1, r++) {
		for (n = 0; n < len && s[n] != ','; n++)
			;
		if (r == look->ranges + MC_LOOK_RANGES)
			return mc_fail(e, -EINVAL, "phys: %d ranges at most", MC_LOOK_RANGES);
		if (!mc_range_parse(r, s, n))
			return mc_fail(e, -EINVAL,
				       "phys: not a range of whole pages; write START+LENGTH, such as 0xe0000000+16M");
		if ((r->start + (r->bytes - 1)) >> (address_bits - 1) >> 1)
			return mc_fail(e, -EINVAL,
				       "phys: 0x%llx is beyond the %u bits of physical addresses here",
				       r->start + (r->bytes - 1), address_bits);
		if (n == len)
			break;
	}
	look->nranges = mc_look_join_ranges(look->ranges, r + 1 - look->ranges);
	return 0;
}

static int parse_pid(struct mc_look *look, const char *s, size_t len, struct mc_error *e)
{
	size_t i;

	for (i = 0; i < len && i < 9 && s[i] >= '0' && s[i] <= '9'; i++)
		look->pid = 10 * look->pid + (s[i] - '0');
	if (i < len || !look->pid)
		return mc_fail(e, -EINVAL,
			       "pid: no number of a process; write one, such as pid=1234");
	return 0;
}

/**
 * mc_look_parse() - parse a line
 * @look: result: what is asked for; its ranges have room for MC_LOOK_RANGES, all else is 0
 * @line: `not_wb`, `direct`, or `phys=START+LENGTH[,...]`, `pid=N` or both; not terminated
 * @len: its length
 * @address_bits: bits of the CPU's physical addresses
 * @e: result: the error
 *
 * Return: 0 or -EINVAL, explained in @e.
 */
int mc_look_parse(struct mc_look *look, const char *line, size_t len, unsigned int address_bits,
		  struct mc_error *e)
{
	bool not_wb = false;
	size_t n;
	int err = 0;

	for (; len && !err; line += n, len -= n) {
		for (n = 0; n < len && line[n] != ' ' && line[n] != '\n'; n++)
			;
		if (n == 6 && !memcmp(line, "not_wb", n) && !not_wb)
			not_wb = true;
		else if (n == 6 && !memcmp(line, "direct", n) && !look->direct)
			look->direct = true;
		else if (n > 5 && !memcmp(line, "phys=", 5) && !look->nranges)
			err = parse_ranges(look, line + 5, n - 5, address_bits, e);
		else if (n > 4 && !memcmp(line, "pid=", 4) && !look->pid)
			err = parse_pid(look, line + 4, n - 4, e);
		else if (n)
			break;
		n += !n;
	}
	if (err)
		return err;
	/* What is left is no word of a line. */
	if (len || not_wb + look->direct + (look->pid || look->nranges) != 1)
		return mc_fail(e, -EINVAL,
			       "line: write not_wb, direct, or phys=START+LENGTH[,...], pid=N or both, each once");
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct mc_range *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

/**
 * mc_look_join_ranges() - order ranges, and join those that touch or overlap
 * @ranges: the ranges; result: in order and apart from each other
 * @n: their number
 *
 * Return: their new number.
 */
u64 mc_look_join_ranges(struct mc_range *ranges, u64 n)
{
	u64 i, to = 0;

	mc_sort(ranges, n, sizeof(*ranges), compare_starts);
	for (i = 1; i < n; i++) {
		struct mc_range *last = &ranges[to];

		if (ranges[i].start - last->start > last->bytes) {
			ranges[++to] = ranges[i];
			continue;
		}
		if (ranges[i].start - last->start + ranges[i].bytes > last->bytes)
			last->bytes = ranges[i].start - last->start + ranges[i].bytes;
	}
	return n ? to + 1 : 0;
}

/* The last range that begins at @phys or before decides, if there is one. */
static bool in_ranges(const struct mc_look *look, u64 phys, u64 bytes)
{
	u64 low = 0, high = look->nranges, mid;
	const struct mc_range *r;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (look->ranges[mid].start <= phys + (bytes - 1))
			low = mid + 1;
		else
			high = mid;
	}
	r = look->ranges + low - 1;
	return low && (r->start >= phys || phys - r->start < r->bytes);
}

/* --------------------------------------------------------------- the types */

/* Encodings of the Intel SDM vol. 3, "Memory types that can be encoded in MTRRs". */
static enum mc_attr attr_of_encoded(u8 type)
{
	static const enum mc_attr types[8] = {
		[0] = MC_ATTR_UC, [1] = MC_ATTR_WC, [4] = MC_ATTR_WT, [5] = MC_ATTR_WP,
		[6] = MC_ATTR_WB,
	};
	enum mc_attr attr = type < ARRAY_SIZE(types) ? types[type] : MC_ATTR_NA;

	return attr == MC_ATTR_NA ? MC_ATTR_MIXED : attr;
}

/* Eight parts of 64 KiB, 16 of 16 KiB, 64 of 4 KiB. */
static enum mc_attr fixed_attr(const struct mc_mtrrs *m, u64 phys, u64 *end)
{
	unsigned int shift = phys < 0x80000 ? 16 : phys < 0xc0000 ? 14 : 12;
	u64 from = phys < 0x80000 ? 0 : phys < 0xc0000 ? 0x80000 : 0xc0000;
	unsigned int i = (from >= 0x80000 ? 8 : 0) + (from >= 0xc0000 ? 16 : 0) +
			 (unsigned int)((phys - from) >> shift);

	*end = ((phys >> shift) + 1) << shift;
	return attr_of_encoded(m->fixed[i / 8] >> 8 * (i % 8));
}

/* Of two ranges that have the same address: UC wins, then WT over WB; else it is not defined. */
static enum mc_attr attr_of_two(enum mc_attr one, enum mc_attr other)
{
	if (one == other || other == MC_ATTR_NA)
		return one;
	if (one == MC_ATTR_UC || other == MC_ATTR_UC)
		return MC_ATTR_UC;
	return (one == MC_ATTR_WT && other == MC_ATTR_WB) ||
	       (one == MC_ATTR_WB && other == MC_ATTR_WT) ? MC_ATTR_WT : MC_ATTR_MIXED;
}

/**
 * mc_attr_of_mtrr() - what the MTRRs say of a physical address
 * @m: the MTRRs
 * @phys: the address
 * @end: result: up to here the answer is the same, and perhaps further
 *
 * Intel SDM vol. 3, "MTRR precedences". MTRRs that are off mean UC on a CPU of its own, but in a
 * guest nobody knows.
 *
 * Return: the type; MC_ATTR_NA: there are no MTRRs; MC_ATTR_MIXED: it is not known.
 */
enum mc_attr mc_attr_of_mtrr(const struct mc_mtrrs *m, u64 phys, u64 *end)
{
	enum mc_attr found = MC_ATTR_NA;
	unsigned int i;

	*end = ~0ULL;
	if (!m->there || !m->on)
		return m->there ? MC_ATTR_MIXED : MC_ATTR_NA;
	if (phys < MIB && m->fixed_on)
		return fixed_attr(m, phys, end);
	if (phys < MIB)
		*end = MIB;
	for (i = 0; i < m->n; i++) {
		/* Addresses that differ only below the mask are alike. */
		u64 size = m->variable[i].mask & -m->variable[i].mask;
		u64 next = (phys | (size - 1)) + 1;

		if (next && next < *end)
			*end = next;
		if ((phys & m->variable[i].mask) == (m->variable[i].base & m->variable[i].mask))
			found = attr_of_two(attr_of_encoded(m->variable[i].base), found);
	}
	if (found != MC_ATTR_NA)
		return found;
	if (phys >= GIB4 && phys < m->wb_below) {
		*end = m->wb_below < *end ? m->wb_below : *end;
		return MC_ATTR_WB;
	}
	*end = phys < GIB4 && *end > GIB4 ? GIB4 : *end;
	return attr_of_encoded(m->preset);
}

/**
 * mc_attr_joined() - the type that follows from page tables and MTRRs
 * @pat: what the page tables say
 * @mtrr: what the MTRRs say; MC_ATTR_NA: there are none
 *
 * Intel SDM vol. 3, "Effective page-level memory types"; AMD APM vol. 2, "Combined memory types",
 * whose CD is UC here. Where the two differ it is not known.
 *
 * Return: the type, MC_ATTR_MIXED if it is not known.
 */
enum mc_attr mc_attr_joined(enum mc_attr pat, enum mc_attr mtrr)
{
	if (mtrr == MC_ATTR_NA || pat == MC_ATTR_UC || pat == MC_ATTR_WC)
		return pat;
	switch (pat) {
	case MC_ATTR_WB:
		return mtrr;
	case MC_ATTR_UC_MINUS:
		return mtrr == MC_ATTR_WC ? MC_ATTR_WC :
		       mtrr == MC_ATTR_MIXED || mtrr == MC_ATTR_WP ? MC_ATTR_MIXED : MC_ATTR_UC;
	case MC_ATTR_WT:
	case MC_ATTR_WP:
		if (mtrr == MC_ATTR_UC || mtrr == MC_ATTR_WC)
			return MC_ATTR_UC;
		return mtrr == MC_ATTR_WB || mtrr == pat ? pat : MC_ATTR_MIXED;
	default:
		return MC_ATTR_MIXED;
	}
}

/**
 * mc_look_type() - the memory type of a mapping
 * @look: the look
 * @m: the mapping
 *
 * Return: the type, MC_ATTR_MIXED if it is not known.
 */
enum mc_attr mc_look_type(const struct mc_look *look, const struct mc_mapping *m)
{
	return mc_attr_joined(look->attrs[m->bits], m->mtrr);
}

/* ---------------------------------------------------------------- mappings */

static enum mc_attr mtrr_of(struct mc_look *look, u64 phys, u64 bytes)
{
	if (phys < look->mtrr_from || phys >= look->mtrr_end) {
		look->mtrr = mc_attr_of_mtrr(&look->mtrrs, phys, &look->mtrr_end);
		look->mtrr_from = phys;
	}
	if (phys + (bytes - 1) < look->mtrr_end)
		return look->mtrr;
	/* The end is that of the answer, or of what was looked at. */
	while (bytes) {
		enum mc_attr first = look->mtrr;
		u64 part = look->mtrr_end - phys;

		if (part >= bytes)
			return first;
		phys += part;
		bytes -= part;
		look->mtrr = mc_attr_of_mtrr(&look->mtrrs, phys, &look->mtrr_end);
		look->mtrr_from = phys;
		if (look->mtrr != first)
			break;
	}
	return MC_ATTR_MIXED;
}

/**
 * mc_look_end_row() - the mapping that is being made is whole: no entry continues it
 * @look: the look
 */
void mc_look_end_row(struct mc_look *look)
{
	if (look->row.bytes && look->n < look->most)
		look->rows[look->n++] = look->row;
	else if (look->row.bytes)
		look->more++;
	look->row.bytes = 0;
}

/**
 * mc_look_take() - take an entry of page tables, if it is asked for
 * @arg: the look, a struct mc_look; its area is set
 * @m: the entry
 *
 * Return: 0.
 */
int mc_look_take(void *arg, const struct mc_mapped *m)
{
	struct mc_look *look = arg;
	struct mc_mapping *row = &look->row, next = {
		.virt = m->virt, .phys = m->phys, .bytes = 1ULL << m->shift, .shift = m->shift,
		.bits = m->bits, .area = look->area,
	};
	bool wb;

	if (m->changed) {
		look->changed++;
		look->changed_bytes += next.bytes;
		return 0;
	}
	if (look->nranges && !in_ranges(look, next.phys, next.bytes))
		return 0;
	next.mtrr = mtrr_of(look, next.phys, next.bytes);
	wb = mc_look_type(look, &next) == MC_ATTR_WB;
	if (look->wb_only ? !wb : wb && !look->nranges && !look->pid && !look->direct)
		return 0;
	if (row->bytes && row->virt + row->bytes == next.virt &&
	    row->phys + row->bytes == next.phys && row->shift == next.shift &&
	    row->bits == next.bits && row->mtrr == next.mtrr && row->area == next.area) {
		row->bytes += next.bytes;
		return 0;
	}
	mc_look_end_row(look);
	*row = next;
	return 0;
}
