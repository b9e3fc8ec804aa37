/* SPDX-License-Identifier: GPL-2.0-only */
/* What the rest of the module asks of the architecture; see arch/. */
#ifndef MC_ARCH_H
#define MC_ARCH_H

#include "core/record.h"
#include "loops.h"

bool mc_cpu_has(enum mc_feature feature);
void mc_cpu_json(struct mc_text *t);
u64 mc_cpu_tsc_khz(void);

bool mc_attr_settable(enum mc_type type);
int mc_attr_set(void *addr, unsigned int pages, enum mc_type type);
enum mc_attr mc_attr_read(const void *addr, u64 *mapping_bytes);
void mc_attr_json(struct mc_text *t);

#endif /* MC_ARCH_H */
