// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU as CPUID describes it. The leaves are those of Intel SDM vol. 2, CPUID, and
 * AMD APM vol. 3, appendix E; those of MOVRS and AVX10 are in Intel's Architecture Instruction Set
 * Extensions Programming Reference.
 */
#include "arch/x86/cpuid.h"

static bool has_leaf(u32 leaf)
{
	return mc_cpuid_leaf(leaf & 0xc0000000, 0).a >= leaf;
}

/* Register states that the system saves, a bit each; 0 if it does not use XSAVE. */
static u64 saved_states(void)
{
	return mc_cpuid_leaf(1, 0).c >> 27 & 1 ? mc_xcr0() : 0;	/* OSXSAVE */
}

#define STATES_AVX	0x06	/* SSE, AVX */
#define STATES_AVX512	0xe6	/* and opmask, upper halves, upper registers */

/*
 * A CPU has a feature if all rows of the feature are true: the bit is set, and the
 * system saves the states.
 */
static const struct {
	enum mc_feature feature;
	u32 leaf;
	size_t part;
	u32 bit;
	u64 states;
	u32 sub;
} feature_bits[] = {
	{ MC_CPU_BASE, 1, offsetof(struct mc_leaf, d), 26 },
	{ MC_CPU_SSE41, 1, offsetof(struct mc_leaf, c), 19 },
	{ MC_CPU_AVX, 1, offsetof(struct mc_leaf, c), 28, STATES_AVX },
	{ MC_CPU_AVX2, 7, offsetof(struct mc_leaf, b), 5, STATES_AVX },
	{ MC_CPU_AVX2, 1, offsetof(struct mc_leaf, c), 12 },	/* FMA */
	{ MC_CPU_AVX512F, 7, offsetof(struct mc_leaf, b), 16, STATES_AVX512 },
	{ MC_CPU_CLFLUSHOPT, 7, offsetof(struct mc_leaf, b), 23 },
	{ MC_CPU_CLWB, 7, offsetof(struct mc_leaf, b), 24 },
	{ MC_CPU_MOVDIR64B, 7, offsetof(struct mc_leaf, c), 28 },
	{ MC_CPU_PREFETCHW, 0x80000001, offsetof(struct mc_leaf, c), 8 },
	{ MC_CPU_CLDEMOTE, 7, offsetof(struct mc_leaf, c), 25 },
	{ MC_CPU_MOVRS, 7, offsetof(struct mc_leaf, a), 31, .sub = 1 },
	{ MC_CPU_AVX10_2, 7, offsetof(struct mc_leaf, d), 19, STATES_AVX512, .sub = 1 },
};

static bool has_bit(size_t row)
{
	u32 number = feature_bits[row].leaf;
	u64 states = feature_bits[row].states;
	struct mc_leaf leaf;

	if (!has_leaf(number))
		return false;
	leaf = mc_cpuid_leaf(number, feature_bits[row].sub);
	return *(u32 *)((u8 *)&leaf + feature_bits[row].part) >>
			feature_bits[row].bit & 1 &&
	       (!states || (saved_states() & states) == states);
}

/* Features that this CPU has and the system supports: enum mc_feature, a bit each. */
static u32 features(void)
{
	u32 has = ((1U << MC_NFEATURES) - 1) & ~(1U << MC_CPU_LLSC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(feature_bits); i++) {
		if (!has_bit(i))
			has &= ~(1U << feature_bits[i].feature);
	}
	/* Leaf 0x24 has the version. */
	if (!has_leaf(0x24) || (mc_cpuid_leaf(0x24, 0).b & 0xff) < 2)
		has &= ~(1U << MC_CPU_AVX10_2);
	return has;
}

/**
 * mc_time_counter_steady() - does the TSC run at one rate in all power states?
 *
 * Leaf 0x80000007, EDX bit 8: Intel SDM vol. 3, "Invariant TSC".
 *
 * Return: true if it does.
 */
bool mc_time_counter_steady(void)
{
	return has_leaf(0x80000007) && mc_cpuid_leaf(0x80000007, 0).d >> 8 & 1;
}

/**
 * mc_cpuid_rdtscp() - does the CPU have RDTSCP, which returns the CPU number?
 *
 * Return: true if there is.
 */
bool mc_cpuid_rdtscp(void)
{
	return has_leaf(0x80000001) && mc_cpuid_leaf(0x80000001, 0).d >> 27 & 1;
}

/**
 * mc_hypervisor() - may this be a virtual machine?
 *
 * Return: true if the hypervisor reports itself; on arm64 also where nobody knows.
 */
bool mc_hypervisor(void)
{
	return mc_cpuid_leaf(1, 0).c >> 31;
}

/**
 * mc_cpu_name() - the name of the CPU
 * @name: result, empty if the CPU has none
 */
void mc_cpu_name(char name[MC_CPU_NAME_BYTES])
{
	struct mc_leaf leaf[3] = { 0 };
	const char *s = (const char *)leaf;
	size_t i, n = sizeof(leaf);

	for (i = 0; i < 3 && has_leaf(0x80000004); i++)
		leaf[i] = mc_cpuid_leaf(0x80000002 + i, 0);
	while (n && *s == ' ') {
		s++;
		n--;
	}
	memcpy(name, s, n);
	name[n] = '\0';
	for (i = strlen(name); i && name[i - 1] == ' '; i--)
		name[i - 1] = '\0';
}

/*
 * The kind of this core, if its model has several. Leaf 0x1a: Intel SDM vol. 2, CPUID,
 * "Native Model ID"; leaf 0x80000026: AMD APM vol. 3, "Extended CPU Topology".
 */
static enum mc_core_type core_type(void)
{
	u32 intel = has_leaf(0x1a) ? mc_cpuid_leaf(0x1a, 0).a >> 24 : 0;
	struct mc_leaf amd = { 0 };

	if (intel == 0x40)	/* Core */
		return MC_CORE_PERFORMANCE;
	if (intel == 0x20)	/* Atom */
		return MC_CORE_EFFICIENCY;
	if (has_leaf(0x80000026))
		amd = mc_cpuid_leaf(0x80000026, 0);
	if (!(amd.a >> 30 & 1))
		return MC_CORE_UNKNOWN;
	return amd.b >> 28 ? MC_CORE_EFFICIENCY : MC_CORE_PERFORMANCE;
}

/*
 * Family and model: Intel SDM vol. 2, CPUID, "Version information"; leaf 0x80000021,
 * EAX bit 13: AMD APM vol. 3, "PrefetchCtlMsr".
 */
static void find_model(struct mc_cpu_model *cpu)
{
	struct mc_leaf zero = mc_cpuid_leaf(0, 0), one = mc_cpuid_leaf(1, 0);
	u32 vendor[3] = { zero.b, zero.d, zero.c };

	*cpu = (struct mc_cpu_model){
		.family = one.a >> 8 & 0xf, .model = one.a >> 4 & 0xf,
		.stepping = one.a & 0xf, .type = core_type(),
	};
	memcpy(cpu->vendor, vendor, sizeof(vendor));
	if (cpu->family == 6 || cpu->family == 15)
		cpu->model |= one.a >> 12 & 0xf0;
	if (cpu->family == 15)
		cpu->family += one.a >> 20 & 0xff;
	cpu->prefetch_msr = has_leaf(0x80000021) &&
			    (mc_cpuid_leaf(0x80000021, 0).a >> 13 & 1);
}

static bool is_amd(const struct mc_cpu_model *cpu)
{
	return !strcmp(cpu->vendor, "AuthenticAMD") || !strcmp(cpu->vendor, "HygonGenuine");
}

/* Describe cache @i from a leaf with the layout of leaf 4. */
static bool find_cache(struct mc_cache *c, u32 leaf, u32 i)
{
	struct mc_leaf l;

	if (!has_leaf(leaf))
		return false;
	l = mc_cpuid_leaf(leaf, i);
	*c = (struct mc_cache){
		.kind = l.a & 0x1f, .level = l.a >> 5 & 7,
		.line = (l.b & 0xfff) + 1, .ways = (l.b >> 22) + 1,
		.ids = (l.a >> 14 & 0xfff) + 1,
	};
	c->bytes = (u64)c->line * c->ways * ((l.b >> 12 & 0x3ff) + 1) *
		   ((u64)l.c + 1);
	return c->kind != MC_CACHE_NONE && c->kind < MC_NCACHE_KINDS;
}

/* Ways of an L2 or L3, as leaf 0x80000006 encodes them. 0: not known. */
static u32 ways_of_code(u32 code, u32 all)
{
	static const u16 ways[] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128 };

	return code == 0xf ? all : ways[code];
}

/*
 * Number of APIC IDs of the CPUs that share an L3, as Linux finds them: first those of a
 * package (leaf 0x80000008, ApicIdSize or NC), then those of a core complex, which has 8.
 * Newer CPUs tell it in leaf 0x8000001d only, so without that leaf an L3 is of one CPU.
 */
static u32 ids_of_l3(const struct mc_cpu_model *cpu)
{
	u32 c = has_leaf(0x80000008) ? mc_cpuid_leaf(0x80000008, 0).c : 0;

	if (cpu->family < 0x17)
		return c & 0xf000 ? 1U << (c >> 12 & 0xf) : (c & 0xff) + 1;
	return cpu->family == 0x17 && cpu->model <= 0x1f ? 8 : 1;
}

/* Add a cache, unless it is turned off. @ways: of an L1 as they are, of others encoded. */
static void add_cache(struct mc_core *core, struct mc_cache c)
{
	u32 lines = c.line ? c.bytes / c.line : 0;

	if (!c.bytes || !c.ways)
		return;
	if (c.level > 1)
		c.ways = ways_of_code(c.ways, lines);
	else if (c.ways == 0xff)
		c.ways = lines;
	core->caches[core->ncaches++] = c;
}

/*
 * The caches of an AMD CPU without TOPOEXT, among them CPUs of virtual machines. Each core
 * has its own L1 and L2. AMD APM vol. 3, leaves 0x80000005 and 0x80000006.
 */
static void find_old_caches(struct mc_core *core)
{
	struct mc_leaf one = { 0 }, two = { 0 };

	if (has_leaf(0x80000005))
		one = mc_cpuid_leaf(0x80000005, 0);
	if (has_leaf(0x80000006))
		two = mc_cpuid_leaf(0x80000006, 0);
	add_cache(core, (struct mc_cache){
		1, MC_CACHE_DATA, one.c & 0xff, one.c >> 16 & 0xff, one.c >> 24 << 10, 1 });
	add_cache(core, (struct mc_cache){
		1, MC_CACHE_CODE, one.d & 0xff, one.d >> 16 & 0xff, one.d >> 24 << 10, 1 });
	add_cache(core, (struct mc_cache){
		2, MC_CACHE_UNIFIED, two.c & 0xff, two.c >> 12 & 0xf, two.c >> 16 << 10, 1 });
	add_cache(core, (struct mc_cache){
		3, MC_CACHE_UNIFIED, two.d & 0xff, two.d >> 12 & 0xf,
		(u64)(two.d >> 18) << 19, ids_of_l3(&core->model) });
}

/* As Linux does, from leaf 4 unless the CPU is one of AMD's. */
static void find_caches(struct mc_core *core)
{
	/* AMD's TOPOEXT bit: leaf 0x8000001d has the layout of leaf 4. */
	bool topology = has_leaf(0x8000001d) && mc_cpuid_leaf(0x80000001, 0).c >> 22 & 1;

	core->ncaches = 0;
	if (is_amd(&core->model) && !topology) {
		find_old_caches(core);
		return;
	}
	while (core->ncaches < MC_CORE_CACHES &&
	       find_cache(&core->caches[core->ncaches], topology ? 0x8000001d : 4, core->ncaches))
		core->ncaches++;
}

/*
 * Leaves 0x1f and 0xb give the whole APIC ID. They are valid if their subleaf 0 counts
 * the threads of a core. Leaf 1 gives the lowest 8 bits.
 */
static u32 apic_id(void)
{
	static const u32 topology[] = { 0x1f, 0xb };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(topology); i++) {
		struct mc_leaf l = { 0 };

		if (has_leaf(topology[i]))
			l = mc_cpuid_leaf(topology[i], 0);
		if (l.b & 0xffff)
			return l.d;
	}
	return mc_cpuid_leaf(1, 0).b >> 24;
}

/**
 * mc_core_read() - describe the CPU that executes this
 * @core: result, except @core->known; in a process on arm64 without caches, which the system knows
 *
 * Context: Any, bound to a CPU.
 */
void mc_core_read(struct mc_core *core)
{
	find_model(&core->model);
	core->features = features();
	core->id = apic_id();
	find_caches(core);
}

/*
 * The first leaf of a hypervisor, and of each further one that it imitates: Linux, "KVM CPUID
 * bits". It has twelve letters.
 */
#define HYPERVISOR	0x40000000
#define HYPERVISORS	0x100	/* leaves of each */
#define HYPERVISORS_END	0x40010000

/* Read the letters into @id. Return: false if there are none, or they are no text. */
static bool read_id(u32 leaf, char id[MC_HYPERVISOR_BYTES])
{
	struct mc_leaf l = mc_cpuid_leaf(leaf, 0);
	u32 letters[3] = { l.b, l.c, l.d };
	size_t i, n;

	memcpy(id, letters, sizeof(letters));
	id[sizeof(letters)] = '\0';
	for (n = strlen(id); n && id[n - 1] == ' '; n--)
		id[n - 1] = '\0';
	for (i = 0; i < n; i++) {
		if (id[i] < ' ' || id[i] > '~')
			return false;
	}
	return n;
}

/* Return: the short name of what identifies itself so, or NULL. */
static const char *short_name(const char *id)
{
	static const char * const known[][2] = {
		{ "KVMKVMKVM", "kvm" }, { "Linux KVM Hv", "kvm" },
		{ "TCGTCGTCGTCG", "tcg" }, { "VMwareVMware", "vmware" },
		{ "Microsoft Hv", "hyper-v" }, { "XenVMMXenVMM", "xen" },
		{ "VBoxVBoxVBox", "virtualbox" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(id, known[i][0]))
			return known[i][1];
	}
	return NULL;
}

/*
 * KVM and Xen can imitate Hyper-V for Windows, under its name or any other. Their own leaves then
 * come after those of Hyper-V. Return: the short name of such a hypervisor, or NULL.
 */
static const char *imitator(void)
{
	char id[MC_HYPERVISOR_BYTES];
	const char *name = NULL;
	u32 leaf;

	for (leaf = HYPERVISOR + HYPERVISORS; !name && leaf < HYPERVISORS_END;
	     leaf += HYPERVISORS) {
		if (read_id(leaf, id) && strcmp(id, "Microsoft Hv"))
			name = short_name(id);
	}
	return name;
}

/**
 * mc_hypervisor_name() - the name of the hypervisor
 * @id: room for the twelve letters by which the hypervisor identifies itself
 *
 * Return: a short name; @id if it has none; "unknown" if it does not identify itself; NULL: no
 * hypervisor. On arm64 @id is not used.
 */
const char *mc_hypervisor_name(char id[MC_HYPERVISOR_BYTES])
{
	const char *name, *other = NULL;
	bool has_id;

	if (!mc_hypervisor())
		return NULL;
	has_id = read_id(HYPERVISOR, id);
	name = has_id ? short_name(id) : NULL;
	if (!name || !strcmp(name, "hyper-v"))
		other = imitator();
	if (other)
		return other;
	if (name)
		return name;
	return has_id ? id : "unknown";
}
