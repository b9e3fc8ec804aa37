// SPDX-License-Identifier: GPL-2.0-only
/* CPUID of made-up machines: Intel's leaves, as mc_core_look() asks for them. */
#include "cpus.h"

static const struct made_up_cpu *here;	/* the CPU that "executes" */
static const struct made_up_hypervisor *below;

static struct mc_leaf cache_leaf(u32 sub)
{
	const struct made_up_cache *c = here->caches;

	for (u32 i = 0; i < sub && c->level; i++)
		c++;
	if (!c->level)
		return (struct mc_leaf){ 0 };
	return (struct mc_leaf){
		.a = c->kind | c->level << 5 | (c->ids - 1) << 14,
		.b = 63 | 15 << 22, .c = c->bytes / (64 * 16) - 1,
	};
}

/* The letters by which a hypervisor identifies itself; zeros in all other leaves. */
static struct mc_leaf hypervisor_leaf(u32 leaf)
{
	const struct made_up_hypervisor *h = below;
	struct mc_leaf l = { 0 };

	while (h && h->leaf && h->leaf != leaf)
		h++;
	if (h && h->leaf)
		memcpy(&l.b, h->letters, sizeof(h->letters));
	return l;
}

void made_up_hypervisor(const struct made_up_hypervisor *leaves)
{
	below = leaves;
}

struct mc_leaf mc_cpuid_leaf(u32 leaf, u32 sub)
{
	if (leaf >> 24 == 0x40)
		return hypervisor_leaf(leaf);
	switch (leaf) {
	case 0:
		return (struct mc_leaf){ 0x24, 0x756e6547, 0x6c65746e, 0x49656e69 };
	case 1:
		return (struct mc_leaf){
			here->one_eax, here->apic << 24,
			(below ? 1U << 31 : 0) | (here->avx10 ? 1 << 27 : 0), 1 << 26,
		};
	case 4:
		return cache_leaf(sub);
	case 7:
		return sub ? (struct mc_leaf){ .a = here->seven_one_eax,
					       .d = !!here->avx10 << 19 } :
			     (struct mc_leaf){ .b = here->seven_ebx };
	case 0xb:
		return (struct mc_leaf){ .b = 1, .d = here->apic };
	case 0x1a:
		return (struct mc_leaf){ .a = here->type };
	case 0x24:
		return (struct mc_leaf){ .b = here->avx10 };
	default:
		return (struct mc_leaf){ 0 };
	}
}

u64 mc_xcr0(void)
{
	return 0xe7;
}

/* All CPUs are online, and the test looks at each. */
void made_up_machine(const struct made_up_cpu *cpus, unsigned int n)
{
	mc_cores_exit();
	if (mc_cores_init(n))
		abort();
	for (unsigned int i = 0; i < n; i++) {
		here = &cpus[i];
		mc_core_look(i);
	}
}
