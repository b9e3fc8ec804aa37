// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU as CPUID describes it. Leaves are those of Intel SDM vol. 2, CPUID,
 * and AMD APM vol. 3, appendix E.
 */
#include "../../arch.h"
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

/* A feature is there if each of its bits is, and its states are saved. */
static const struct {
	enum mc_feature feature;
	u32 leaf;
	size_t part;
	u32 bit;
	u64 states;
} feature_bits[] = {
	{ MC_CPU_SSE2, 1, offsetof(struct leaf, d), 26 },
	{ MC_CPU_SSE41, 1, offsetof(struct leaf, c), 19 },
	{ MC_CPU_AVX, 1, offsetof(struct leaf, c), 28, STATES_AVX },
	{ MC_CPU_AVX2, 7, offsetof(struct leaf, b), 5, STATES_AVX },
	{ MC_CPU_AVX2, 1, offsetof(struct leaf, c), 12 },	/* FMA */
	{ MC_CPU_AVX512F, 7, offsetof(struct leaf, b), 16, STATES_AVX512 },
	{ MC_CPU_CLFLUSHOPT, 7, offsetof(struct leaf, b), 23 },
	{ MC_CPU_CLWB, 7, offsetof(struct leaf, b), 24 },
	{ MC_CPU_MOVDIR64B, 7, offsetof(struct leaf, c), 28 },
};

static bool has_bit(size_t row)
{
	u32 number = feature_bits[row].leaf;
	u64 states = feature_bits[row].states;
	struct leaf leaf;

	if (!has_leaf(number))
		return false;
	leaf = cpuid_at(number, 0);
	return *(u32 *)((u8 *)&leaf + feature_bits[row].part) >>
			feature_bits[row].bit & 1 &&
	       (!states || (saved_states() & states) == states);
}

/**
 * mc_cpuid_has() - can this CPU, and the system on it, run such a loop?
 * @feature: what the loop needs
 *
 * Asked for every point, and under a hypervisor CPUID takes microseconds: so
 * each feature is looked up once.
 *
 * Context: Any.
 * Return: true if it can.
 */
bool mc_cpuid_has(enum mc_feature feature)
{
	static enum { UNKNOWN, MISSING, THERE } known[MC_NFEATURES];
	bool has = true;
	size_t i;

	if (known[feature] != UNKNOWN)
		return known[feature] == THERE;
	for (i = 0; i < ARRAY_SIZE(feature_bits) && has; i++) {
		if (feature_bits[i].feature == feature)
			has = has_bit(i);
	}
	known[feature] = has ? THERE : MISSING;
	return has;
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

/**
 * mc_cpuid_rdtscp() - is there an instruction that names the CPU?
 *
 * Context: Any.
 * Return: true if there is.
 */
bool mc_cpuid_rdtscp(void)
{
	return has_leaf(0x80000001) && cpuid_at(0x80000001, 0).d >> 27 & 1;
}

/**
 * mc_cpuid_hypervisor() - is this a virtual machine?
 *
 * Context: Any.
 * Return: true if its hypervisor says so.
 */
bool mc_cpuid_hypervisor(void)
{
	return cpuid_at(1, 0).c >> 31;
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

/**
 * mc_cpuid_model() - which CPU this is
 * @cpu: result
 *
 * Family and model: Intel SDM vol. 2, CPUID, "Version information"; leaf
 * 0x80000021, EAX bit 13: AMD APM vol. 3, "PrefetchCtlMsr".
 *
 * Context: Any.
 */
void mc_cpuid_model(struct mc_cpu_model *cpu)
{
	struct leaf zero = cpuid_at(0, 0), one = cpuid_at(1, 0);
	u32 vendor[3] = { zero.b, zero.d, zero.c };

	*cpu = (struct mc_cpu_model){
		.family = one.a >> 8 & 0xf, .model = one.a >> 4 & 0xf,
		.stepping = one.a & 0xf,
	};
	memcpy(cpu->vendor, vendor, sizeof(vendor));
	if (cpu->family == 6 || cpu->family == 15)
		cpu->model |= one.a >> 12 & 0xf0;
	if (cpu->family == 15)
		cpu->family += one.a >> 20 & 0xff;
	cpu->prefetch_msr = has_leaf(0x80000021) &&
			    (cpuid_at(0x80000021, 0).a >> 13 & 1);
}

static void version_json(struct mc_text *t)
{
	struct mc_cpu_model cpu;

	mc_cpuid_model(&cpu);
	mc_textf(t, ",\"cpu_vendor\":");
	mc_text_json(t, cpu.vendor);
	mc_textf(t, ",\"cpu_family\":%u,\"cpu_model\":%u,\"cpu_stepping\":%u",
		 cpu.family, cpu.model, cpu.stepping);
}

/* Leaf 0x40000000: twelve letters, by which hypervisors are known. */
static void hypervisor_json(struct mc_text *t, const char *name)
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
	if (name) {
		mc_text_json(t, name);
		return;
	}
	if (!mc_cpuid_hypervisor()) {
		mc_textf(t, "null");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp((char *)id, known[i][0]))
			break;
	}
	mc_text_json(t, i < ARRAY_SIZE(known) ? known[i][1] : (char *)id);
}

enum kind { KIND_NONE, KIND_DATA, KIND_CODE, KIND_UNIFIED, NKINDS };

struct cache {
	u32 level;
	u32 kind;
	u64 line;
	u64 ways;
	u64 bytes;
	u32 cpus;
};

/* Leaf 4, or 0x8000001d of the same layout where AMD's TOPOEXT says so. */
static bool find_cache(struct cache *c, u32 i)
{
	bool amd = has_leaf(0x8000001d) && cpuid_at(0x80000001, 0).c >> 22 & 1;
	struct leaf l;

	if (i == 16 || !(amd || has_leaf(4)))
		return false;
	l = cpuid_at(amd ? 0x8000001d : 4, i);
	c->kind = l.a & 0x1f;
	c->level = l.a >> 5 & 7;
	c->line = (l.b & 0xfff) + 1;
	c->ways = (l.b >> 22) + 1;
	c->bytes = c->line * c->ways * ((l.b >> 12 & 0x3ff) + 1) *
		   ((u64)l.c + 1);
	c->cpus = (l.a >> 14 & 0xfff) + 1;
	return c->kind != KIND_NONE && c->kind < NKINDS;
}

static void caches_json(struct mc_text *t)
{
	static const char * const kinds[] = {
		[KIND_DATA] = "data", [KIND_CODE] = "code",
		[KIND_UNIFIED] = "unified",
	};
	struct cache c;
	u32 i;

	mc_textf(t, ",\"caches\":[");
	for (i = 0; find_cache(&c, i); i++) {
		mc_textf(t, "%s{\"level\":%u,\"kind\":\"%s\",\"size_bytes\":%llu",
			 i ? "," : "", c.level, kinds[c.kind], c.bytes);
		mc_textf(t, ",\"line_bytes\":%llu,\"ways\":%llu,\"shared_by_cpus\":%u}",
			 c.line, c.ways, c.cpus);
	}
	mc_textf(t, "]");
}

/**
 * mc_cache_bytes() - size of a cache for data, as CPUID reports it
 * @level: 1 to 3
 *
 * Context: Any.
 * Return: bytes, 0 if there is none.
 */
u64 mc_cache_bytes(unsigned int level)
{
	struct cache c;
	u32 i;

	for (i = 0; find_cache(&c, i); i++) {
		if (c.level == level && c.kind != KIND_CODE)
			return c.bytes;
	}
	return 0;
}

/**
 * mc_cache_sharers() - how many CPUs can share a cache for data, as CPUID reports it
 * @level: 1 to 3
 *
 * Context: Any.
 * Return: at most so many do; 0 if there is no such cache.
 */
unsigned int mc_cache_sharers(unsigned int level)
{
	struct cache c;
	u32 i;

	for (i = 0; find_cache(&c, i); i++) {
		if (c.level == level && c.kind != KIND_CODE)
			return c.cpus;
	}
	return 0;
}

/**
 * mc_cpuid_json() - append what CPUID says as JSON members
 * @t: the text
 * @hypervisor: what runs this kernel, where CPUID can't know it; NULL: ask CPUID
 *
 * Context: Any.
 */
void mc_cpuid_json(struct mc_text *t, const char *hypervisor)
{
	name_json(t);
	version_json(t);
	hypervisor_json(t, hypervisor);
	mc_textf(t, ",\"width_max_bytes\":%u", mc_loop_widest(MC_OP_WRITE)->width);
	caches_json(t);
}
