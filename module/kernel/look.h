/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines that the file `mappings` takes, and the mappings that are the answer. */
#ifndef MC_LOOK_H
#define MC_LOOK_H

#include "core/record.h"
#include "core/target.h"
#include "kernel/pagewalk.h"

#define MC_LOOK_MOST	16384	/* mappings of an answer */
#define MC_LOOK_RANGES	16	/* physical ranges of a line */

#define MC_MTRR_VARIABLE	64
#define MC_MTRR_FIXED		11

/**
 * struct mc_mtrrs - memory type range registers, as the Intel SDM vol. 3 describes them
 * @there: the CPU has them
 * @on: they are on
 * @preset: the type of addresses that none of them names
 * @n: number of variable ranges
 * @variable: base, with the type, and mask of each that is valid; the mask ends at the CPU's
 *            address width
 * @fixed_on: those of the first MiB are on
 * @fixed: those of the first MiB, a byte for each part
 * @wb_below: addresses from 4 GiB up to here are WB (AMD's TOM2); 0: there is no such limit
 */
struct mc_mtrrs {
	bool there;
	bool on;
	u8 preset;
	unsigned int n;
	struct {
		u64 base;
		u64 mask;
	} variable[MC_MTRR_VARIABLE];
	bool fixed_on;
	u64 fixed[MC_MTRR_FIXED];
	u64 wb_below;
};

enum mc_attr mc_attr_of_mtrr(const struct mc_mtrrs *m, u64 phys, u64 *end);
enum mc_attr mc_attr_joined(enum mc_attr pat, enum mc_attr mtrr);

enum mc_look_area { MC_AREA_DIRECT, MC_AREA_VMALLOC, MC_AREA_FIXMAP, MC_AREA_USER, MC_NAREAS };

/**
 * struct mc_mapping - neighbours in virtual and physical memory that are mapped alike
 * @virt: the first virtual address
 * @phys: the first physical address
 * @bytes: length
 * @shift: size of the entries: 1 << @shift
 * @bits: their attribute bits, in the architecture's form
 * @mtrr: type of the MTRRs; MC_ATTR_NA: they are not there; MC_ATTR_MIXED: not known
 * @area: where it is (enum mc_look_area)
 */
struct mc_mapping {
	u64 virt;
	u64 phys;
	u64 bytes;
	u8 shift;
	u8 bits;
	u8 mtrr;
	u8 area;
};

/**
 * struct mc_look - a look at mappings
 * @pid: of the process whose mappings are looked at; 0: those of the kernel
 * @ranges: physical ranges that are looked at, in order and apart from each other
 * @nranges: their number; 0: all that is not write-back, or is direct
 * @direct: all of the kernel's direct map is looked at, and nothing else
 * @attrs: the attribute of each value of attribute bits
 * @mtrrs: the MTRRs
 * @rows: result: the mappings
 * @n: result: their number
 * @most: room in @rows
 * @more: result: mappings that had no room
 * @changed: result: entries that changed while they were read
 * @changed_bytes: result: virtual memory that these map
 * @unmapped_bytes: result: memory of the process's areas in which no entry was seen
 * @unseen_bytes: result: memory of the process's areas that was not looked at, since it is too much
 * @area: what is being walked (enum mc_look_area)
 * @wb_only: take mappings only that are write-back
 * @row: the mapping that the next entry may continue; @row.bytes is 0 if there is none
 * @mtrr: type of the addresses from @mtrr_from to @mtrr_end - 1
 * @mtrr_from: see above
 * @mtrr_end: see above
 */
struct mc_look {
	u32 pid;
	struct mc_range *ranges;
	u64 nranges;
	bool direct;
	enum mc_attr attrs[64];
	struct mc_mtrrs mtrrs;
	struct mc_mapping *rows;
	u64 n;
	u64 most;
	u64 more;
	u64 changed;
	u64 changed_bytes;
	u64 unmapped_bytes;
	u64 unseen_bytes;
	u8 area;
	bool wb_only;
	struct mc_mapping row;
	enum mc_attr mtrr;
	u64 mtrr_from;
	u64 mtrr_end;
};

int mc_look_parse(struct mc_look *look, const char *line, size_t len, unsigned int address_bits,
		  struct mc_error *e);
int mc_look_take(void *look, const struct mc_mapped *m);
void mc_look_end_row(struct mc_look *look);
u64 mc_look_join_ranges(struct mc_range *ranges, u64 n);
enum mc_attr mc_look_type(const struct mc_look *look, const struct mc_mapping *m);

#endif /* MC_LOOK_H */
