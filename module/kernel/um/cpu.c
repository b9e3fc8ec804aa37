// SPDX-License-Identifier: GPL-2.0-only
/*
 * User-Mode Linux runs on the host's CPU at native speed, but has no page tables of its
 * own. So it has no memory types but write-back.
 */
#include <linux/delay.h>
#include <linux/mm.h>

#include "arch/caches.h"
#include "arch/x86/cpuid.h"
#include "kernel/arch.h"
#include "platform/clock.h"
#include "platform/cpus.h"

/* The host saves vector registers of its processes, so CPUID and XCR0 decide. */
bool mc_cpu_has(enum mc_feature feature)
{
	return mc_cores_have(feature);
}

void mc_cpu_json(struct mc_text *t)
{
	/* CPUID describes the host, so it can't name the hypervisor here. */
	mc_cpu_describe(t, "uml");
	mc_textf(t, ",\"microcode\":null");
}

/* Measured in a sleep against the raw monotonic clock, which is the host's. */
u64 mc_cpu_tsc_khz(void)
{
	struct mc_instant from, to;

	if (!mc_time_counter_steady())
		return 0;
	mc_instant_read(&from);
	/* A high-resolution timer, since a sleep in jiffies may last twice as long. */
	usleep_range(MC_KHZ_MS * 1000, MC_KHZ_MS * 1000 + 100);
	mc_instant_read(&to);
	return mc_instant_khz(&from, &to);
}

bool mc_attr_settable(enum mc_type type)
{
	return type == MC_WB;
}

bool mc_attr_direct(enum mc_type type)
{
	return true;
}

const char *mc_attr_try(void *line)
{
	return NULL;
}

int mc_attr_set(void *addr, unsigned int pages, enum mc_type type)
{
	return type == MC_WB ? 0 : -EOPNOTSUPP;
}

/* The mapping is the host's and can't be read. */
enum mc_attr mc_attr_read(const void *addr, u64 *mapping_bytes)
{
	*mapping_bytes = 0;
	return MC_ATTR_NA;
}

void mc_attr_json(struct mc_text *t)
{
	mc_textf(t, "\"page_table_levels\":null,\"pat\":null");
}

const char *mc_tables_begin(struct mc_tables *t, struct mc_range *areas, struct mc_look *look)
{
	return "User-Mode Linux has no page tables of its machine";
}

unsigned int mc_tables_address_bits(void)
{
	return 52;
}

void mc_tables_bits_json(struct mc_text *t, u8 bits)
{
}

const struct mc_prefetch_msr *mc_prefetchers(const char **why_not)
{
	*why_not = "User-Mode Linux can't reach the CPU's registers";
	return NULL;
}

/* User-Mode Linux has no MSRs. */
int mc_msr_read(u32 msr, u64 *value)
{
	return -EIO;
}

int mc_msr_write(u32 msr, u64 value)
{
	return -EIO;
}
