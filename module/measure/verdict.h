/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a memory type real on this machine? */
#ifndef MC_VERDICT_H
#define MC_VERDICT_H

#include "core/record.h"
#include "core/share.h"

/**
 * struct mc_verdict - what the hardware did with a memory type
 * @effect: the verdict
 * @reload_ps: duration of a dependent reload of one line
 * @reference_ps: the time it is compared with: the reload of a WB line; for WB itself a
 *                reload after clflush
 * @combine_ps: duration of eight 8-byte stores that fill a line, and an sfence
 * @together_ps: WC without effective UC: duration of an 8-byte store, where eight in a row
 *               fill a line; 0: not measured
 * @apart_ps: the same, where each store is to another line than those before it
 * @share: WC: bursts that leave whole
 */
struct mc_verdict {
	enum mc_effect effect;
	u64 reload_ps;
	u64 reference_ps;
	u64 combine_ps;
	u64 together_ps;
	u64 apart_ps;
	struct mc_share share;
};

/**
 * struct mc_wb_loads - duration of loads of write-back memory, as mc_verdict_init() measured it
 * @hit_ps: of one that hits L1; 0: it could not be measured
 * @miss_ps: of one that misses all caches; 0: the same, or write-back memory shows no cache, as in
 *           an emulator
 */
struct mc_wb_loads {
	u64 hit_ps;
	u64 miss_ps;
};

extern struct mc_wb_loads mc_wb_loads;

void mc_verdict_init(void *line);
void mc_verdict_of(struct mc_verdict *v, enum mc_type type, void *line, u64 bytes);
void mc_verdict_json(struct mc_text *t, enum mc_attr attr, const struct mc_verdict *v);

#endif /* MC_VERDICT_H */
