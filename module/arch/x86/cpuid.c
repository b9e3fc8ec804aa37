// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU as CPUID describes it. Leaves are those of Intel SDM vol. 2, CPUID,
 * and AMD APM vol. 3, appendix E.
 */
#include "cpuid.h"

struct leaf {
	u32 a;
	u32 b;
	u32 c;
	u32 d;
};

static struct leaf cpuid_at(u32 leaf, u32 sub)
{
	struct leaf l = { .a = leaf, .c = sub };

	asm volatile("cpuid" : "+a" (l.a), "=b" (l.b), "+c" (l.c), "=d" (l.d));
	return l;
}

static bool has_leaf(u32 leaf)
{
	return cpuid_at(leaf & 0xc0000000, 0).a >= leaf;
}

/* Which register states the system saves: XCR0; 0 if it uses no XSAVE. */
static u64 saved_states(void)
{
	u32 low, high;

	if (!(cpuid_at(1, 0).c >> 27 & 1))	/* OSXSAVE */
		return 0;
	asm volatile("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (u64)high << 32 | low;
}

#define STATES_AVX	0x06	/* SSE, AVX */
#define STATES_AVX512	0xe6	/* and opmask, upper halves, upper registers */

/**
 * mc_cpuid_has() - can this CPU, and the system on it, run such a loop?
 * @feature: what the loop needs
 *
 * Context: Any.
 * Return: true if it can.
 */
bool mc_cpuid_has(enum mc_feature feature)
{
	struct leaf one = cpuid_at(1, 0), seven = { 0 };
	u64 states = saved_states();

	if (has_leaf(7))
		seven = cpuid_at(7, 0);
	switch (feature) {
	case MC_CPU_SSE2:
		return one.d >> 26 & 1;
	case MC_CPU_SSE41:
		return one.c >> 19 & 1;
	case MC_CPU_AVX2:
		return (seven.b >> 5 & 1) && (one.c >> 12 & 1) &&
		       (states & STATES_AVX) == STATES_AVX;
	case MC_CPU_AVX512F:
		return (seven.b >> 16 & 1) &&
		       (states & STATES_AVX512) == STATES_AVX512;
	}
	return false;
}

/**
 * mc_cpuid_invariant_tsc() - does the TSC run at one rate in all power states?
 *
 * Leaf 0x80000007, EDX bit 8: Intel SDM vol. 3, "Invariant TSC".
 *
 * Context: Any.
 * Return: true if it does.
 */
bool mc_cpuid_invariant_tsc(void)
{
	return has_leaf(0x80000007) && cpuid_at(0x80000007, 0).d >> 8 & 1;
}

static void name_json(struct mc_text *t)
{
	union {
		struct leaf leaf[3];
		char text[49];
	} name = { 0 };
	u32 i;
	char *s = name.text;

	for (i = 0; i < 3 && has_leaf(0x80000004); i++)
		name.leaf[i] = cpuid_at(0x80000002 + i, 0);
	while (*s == ' ')
		s++;
	for (i = strlen(s); i && s[i - 1] == ' '; i--)
		s[i - 1] = '\0';
	mc_textf(t, "\"cpu\":");
	mc_text_json(t, s);
}

/* Family and model: Intel SDM vol. 2, CPUID, "Version information". */
static void version_json(struct mc_text *t)
{
	struct leaf zero = cpuid_at(0, 0), one = cpuid_at(1, 0);
	u32 family = one.a >> 8 & 0xf, model = one.a >> 4 & 0xf;
	u32 vendor[4] = { zero.b, zero.d, zero.c };

	if (family == 6 || family == 15)
		model |= one.a >> 12 & 0xf0;
	if (family == 15)
		family += one.a >> 20 & 0xff;
	mc_textf(t, ",\"cpu_vendor\":");
	mc_text_json(t, (char *)vendor);
	mc_textf(t, ",\"cpu_family\":%u,\"cpu_model\":%u,\"cpu_stepping\":%u",
		 family, model, one.a & 0xf);
}

/* Leaf 0x40000000: twelve letters, by which hypervisors are known. */
static void hypervisor_json(struct mc_text *t)
{
	static const char * const known[][2] = {
		{ "KVMKVMKVM", "kvm" }, { "TCGTCGTCGTCG", "tcg" },
		{ "VMwareVMware", "vmware" }, { "Microsoft Hv", "hyper-v" },
		{ "XenVMMXenVMM", "xen" },
	};
	struct leaf l = cpuid_at(0x40000000, 0);
	u32 id[4] = { l.b, l.c, l.d };
	size_t i;

	mc_textf(t, ",\"hypervisor\":");
	if (!(cpuid_at(1, 0).c >> 31)) {
		mc_textf(t, "null");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp((char *)id, known[i][0]))
			break;
	}
	mc_text_json(t, i < ARRAY_SIZE(known) ? known[i][1] : (char *)id);
}

/* Leaf 4, or 0x8000001d of the same layout where AMD's TOPOEXT says so. */
static void caches_json(struct mc_text *t)
{
	static const char * const kinds[] = { "", "data", "code", "unified" };
	bool amd = has_leaf(0x8000001d) && cpuid_at(0x80000001, 0).c >> 22 & 1;
	u32 i;

	mc_textf(t, ",\"caches\":[");
	for (i = 0; i < 16 && (amd || has_leaf(4)); i++) {
		struct leaf l = cpuid_at(amd ? 0x8000001d : 4, i);
		u64 line = (l.b & 0xfff) + 1, ways = (l.b >> 22) + 1;
		u64 bytes = line * ways * ((l.b >> 12 & 0x3ff) + 1) *
			    ((u64)l.c + 1);

		if (!(l.a & 0x1f) || (l.a & 0x1f) > 3)
			break;
		mc_textf(t, "%s{\"level\":%u,\"kind\":\"%s\",\"size_bytes\":%llu",
			 i ? "," : "", l.a >> 5 & 7, kinds[l.a & 0x1f], bytes);
		mc_textf(t, ",\"line_bytes\":%llu,\"ways\":%llu,\"shared_by_cpus\":%u}",
			 line, ways, (l.a >> 14 & 0xfff) + 1);
	}
	mc_textf(t, "]");
}

/**
 * mc_cpuid_json() - append what CPUID says as JSON members
 * @t: the text
 *
 * Context: Any.
 */
void mc_cpuid_json(struct mc_text *t)
{
	name_json(t);
	version_json(t);
	hypervisor_json(t);
	mc_textf(t, ",\"width_max_bytes\":%u", mc_loop_widest(MC_OP_WRITE)->width);
	caches_json(t);
}
