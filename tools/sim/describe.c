// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "describe.h"

#define CLOCK_LEAF	0x15

enum holds { DATA = 1, CODE = 2, BOTH = 3 };	/* as CPUID numbers them */

/**
 * struct described - a cache
 * @level: its level, from 1 on
 * @holds: what it holds
 * @bytes: its size
 * @ways: number of ways
 * @cpus: number of CPUs that share it
 */
struct described {
	uint32_t level;
	enum holds holds;
	uint32_t bytes;
	uint32_t ways;
	uint32_t cpus;
};

/* The cache at an index in the order of CPUID. Return: false: there is none. */
static bool describe(const struct prices *p, uint32_t index, struct described *d)
{
	const struct described caches[] = {
		{ 1, DATA, p->l1_bytes, p->l1_ways, 1 },
		{ 1, CODE, 32768, 8, 1 },		/* instructions cost nothing */
		{ 2, BOTH, p->l2_bytes, p->l2_ways, 1 },
		{ 3, BOTH, p->l3_bytes, p->l3_ways, p->l3_cpus },
	};

	if (index >= sizeof(caches) / sizeof(*caches) - p->l3_unlisted)
		return false;
	*d = caches[index];
	return d->bytes;
}

static uint32_t sets_of(const struct described *d)
{
	return d->bytes / 64 / d->ways;
}

/** describe_levels() - how many levels of cache there are */
unsigned int describe_levels(const struct prices *p)
{
	return 1 + (p->l2_bytes != 0) + (p->l3_bytes && !p->l3_unlisted);
}

/**
 * describe_x86_cache() - CPUID's leaf 4 (Intel SDM vol. 2, CPUID)
 * @p: the prices
 * @index: which cache: ECX
 * @r: EAX, EBX, ECX and EDX. The number of cores in EAX stays as it is
 */
void describe_x86_cache(const struct prices *p, uint32_t index, uint32_t r[4])
{
	uint32_t cores = r[0] & 0xfc000000;
	struct described d;

	memset(r, 0, 4 * sizeof(*r));
	if (!describe(p, index, &d))
		return;
	r[0] = d.holds | d.level << 5 | 1 << 8 | (d.cpus - 1) << 14 | cores;
	r[1] = 63 | (d.ways - 1) << 22;
	r[2] = sets_of(&d) - 1;
}

/**
 * describe_x86_clock() - CPUID's leaf 0x15 (Intel SDM vol. 2, CPUID)
 * @highest: QEMU's highest leaf
 * @leaf: which leaf: EAX
 * @r: EAX, EBX, ECX and EDX as QEMU has them. Leaf 0 names a highest leaf of at least 0x15, and
 *     leaves from @highest to there are empty
 *
 * The TSC and the APIC's timer run at 1 GHz. Linux would measure that for 0.2 s in a loop of PAUSE,
 * which takes QEMU half a minute.
 */
void describe_x86_clock(uint32_t highest, uint32_t leaf, uint32_t r[4])
{
	/* The TSC's rate is EBX / EAX of the crystal's, whose rate in Hz is ECX. */
	static const uint32_t rates[4] = { 1, 1, 1000000000, 0 };

	if (leaf == 0 && highest < CLOCK_LEAF)
		r[0] = CLOCK_LEAF;
	if (leaf > highest && leaf < CLOCK_LEAF)
		memset(r, 0, 4 * sizeof(*r));
	if (leaf == CLOCK_LEAF)
		memcpy(r, rates, sizeof(rates));
}

/**
 * describe_arm64_list() - CLIDR_EL1 (Arm ARM, DDI 0487)
 * @p: the prices
 * @qemus: what QEMU's CPU has there. Its lists of levels are replaced; the rest stays
 */
uint64_t describe_arm64_list(const struct prices *p, uint64_t qemus)
{
	unsigned int levels = describe_levels(p), level;
	/* Ctype1: code and data; LoC: all levels */
	uint64_t list = (qemus & ~0x71fffffULL) | 3 | levels << 24;

	for (level = 2; level <= levels; level++)
		list |= 4ULL << 3 * (level - 1);			/* unified */
	return list;
}

/**
 * describe_arm64_cache() - CCSIDR_EL1 with FEAT_CCIDX, whose fields have room for each size
 * @p: the prices
 * @which: what CSSELR_EL1 has selected: 2 * (level - 1), plus 1 for code
 *
 * Return: 0, where the architecture has no value, if there is no such cache.
 */
uint64_t describe_arm64_cache(const struct prices *p, uint64_t which)
{
	struct described d;
	uint32_t i, code;

	for (i = 0; describe(p, i, &d); i++) {
		code = d.holds == CODE;
		if (which == 2 * (d.level - 1) + code)
			return (uint64_t)(sets_of(&d) - 1) << 32 | (d.ways - 1) << 3 | 2;
	}
	return 0;
}
