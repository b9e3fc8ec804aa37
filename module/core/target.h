/* SPDX-License-Identifier: GPL-2.0-only */
/* What target= names: RAM, a BAR of a PCI device, or a range of physical addresses. */
#ifndef MC_CORE_TARGET_H
#define MC_CORE_TARGET_H

#include "core/text.h"

#define MC_TARGET_FORMS	"[pci:][DOMAIN:]BUS:DEV.FN/BAR|phys:START+LENGTH"

enum mc_target_kind {
	MC_TARGET_RAM,	/* memory that is allocated for the run */
	MC_TARGET_PCI,
	MC_TARGET_PHYS,
};

/**
 * struct mc_range - physical addresses
 * @start: the first one
 * @bytes: length
 */
struct mc_range {
	u64 start;
	u64 bytes;
};

/**
 * struct mc_target - what target= names
 * @kind: which of the members below count (enum mc_target_kind)
 * @domain: PCI domain
 * @bus: PCI bus
 * @device: PCI device on the bus, at most 31
 * @function: function of the device, at most 7
 * @bar: number of the BAR, at most 5
 * @range: physical addresses, whole pages
 */
struct mc_target {
	enum mc_target_kind kind;
	u32 domain;
	u8 bus;
	u8 device;
	u8 function;
	u8 bar;
	struct mc_range range;
};

bool mc_target_parse(struct mc_target *target, const char *s, size_t len);
void mc_target_show(struct mc_text *t, const struct mc_target *target);
bool mc_range_parse(struct mc_range *range, const char *s, size_t len);
void mc_range_show(struct mc_text *t, const struct mc_range *range);

#endif /* MC_CORE_TARGET_H */
