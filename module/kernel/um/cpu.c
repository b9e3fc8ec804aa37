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

/**
 * mc_cpu_has() - do the CPU and the host support a feature?
 * @feature: what the loop needs
 *
 * The host saves vector registers of its processes, so CPUID and XCR0 decide.
 *
 * Return: true if they do.
 */
bool mc_cpu_has(enum mc_feature feature)
{
	return mc_cores_have(feature);
}

/**
 * mc_cpu_json() - append the CPU's model and properties as JSON members
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_cpu_json(struct mc_text *t)
{
	/* CPUID describes the host, so it can't name the hypervisor here. */
	mc_cpu_describe(t, "uml");
	mc_textf(t, ",\"microcode\":null");
}

/**
 * mc_cpu_tsc_khz() - rate of the time stamp counter
 *
 * The rate is measured against the raw monotonic clock, which is the host's.
 *
 * Context: Process, may sleep.
 * Return: kHz, 0 if the counter is not invariant.
 */
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

/**
 * mc_attr_settable() - can pages have a memory type here?
 * @type: the type
 *
 * Return: true for write-back only.
 */
bool mc_attr_settable(enum mc_type type)
{
	return type == MC_WB;
}

/**
 * mc_attr_direct() - can pages have a memory type in the direct map?
 * @type: the type, one that pages can have
 *
 * Return: true.
 */
bool mc_attr_direct(enum mc_type type)
{
	return true;
}

/**
 * mc_attr_try() - does memory take the accesses of the loops?
 * @line: a line of it
 *
 * Return: NULL: it does.
 */
const char *mc_attr_try(void *line)
{
	return NULL;
}

/**
 * mc_attr_set() - give pages a memory type
 * @addr: address of the first one
 * @pages: number of pages
 * @type: the type
 *
 * Return: 0 for write-back, else -EOPNOTSUPP.
 */
int mc_attr_set(void *addr, unsigned int pages, enum mc_type type)
{
	return type == MC_WB ? 0 : -EOPNOTSUPP;
}

/**
 * mc_attr_read() - what the page tables say of a kernel address
 * @addr: the address
 * @mapping_bytes: result: 0, since the mapping is the host's and can't be read
 *
 * Return: MC_ATTR_NA.
 */
enum mc_attr mc_attr_read(const void *addr, u64 *mapping_bytes)
{
	*mapping_bytes = 0;
	return MC_ATTR_NA;
}

/**
 * mc_attr_json() - append the page-table layout as JSON members
 * @t: the text
 */
void mc_attr_json(struct mc_text *t)
{
	mc_textf(t, "\"page_table_levels\":null,\"pat\":null");
}

/**
 * mc_prefetchers() - the register that switches prefetchers off
 * @why_not: result: why there is none
 *
 * Return: NULL.
 */
const struct mc_prefetch_msr *mc_prefetchers(const char **why_not)
{
	*why_not = "User-Mode Linux can't reach the CPU's registers";
	return NULL;
}

/**
 * mc_msr_read() - read a register of this CPU
 * @msr: its number
 * @value: not set
 *
 * Return: -EIO, since User-Mode Linux has no MSRs.
 */
int mc_msr_read(u32 msr, u64 *value)
{
	return -EIO;
}

/**
 * mc_msr_write() - write a register of this CPU
 * @msr: its number
 * @value: the value to write
 *
 * Return: -EIO, since User-Mode Linux has no MSRs.
 */
int mc_msr_write(u32 msr, u64 value)
{
	return -EIO;
}
