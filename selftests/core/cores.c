// SPDX-License-Identifier: GPL-2.0-only
/* Machines whose CPUs differ, or share caches in another way than APIC IDs suggest. */
#include "arch/caches.h"
#include "cmocka_all.h"
#include "json.h"
#include "stub/cpus.h"

/* Bits in ebx of leaf 7. */
#define CLFLUSHOPT	0x00800000
#define CLWB		0x01000000

static const struct made_up_cache performance[] = {
	{ 1, MC_CACHE_DATA, 48 * K, 2 }, { 1, MC_CACHE_CODE, 32 * K, 2 },
	{ 2, MC_CACHE_UNIFIED, 1280 * K, 8 }, { 3, MC_CACHE_UNIFIED, 24 * M, 64 }, { }
};

static const struct made_up_cache efficiency[] = {
	{ 1, MC_CACHE_DATA, 32 * K, 2 }, { 1, MC_CACHE_CODE, 64 * K, 2 },
	{ 2, MC_CACHE_UNIFIED, 2 * M, 8 }, { 3, MC_CACHE_UNIFIED, 24 * M, 64 }, { }
};

/* Cores that have no L3. */
static const struct made_up_cache low_power[] = {
	{ 1, MC_CACHE_DATA, 32 * K, 2 }, { 1, MC_CACHE_CODE, 64 * K, 2 },
	{ 2, MC_CACHE_UNIFIED, 2 * M, 8 }, { }
};

#define P(apic)	{ apic, 0x40000001, 0x90672, CLFLUSHOPT | CLWB, performance }
#define E(apic)	{ apic, 0x20000001, 0x90672, CLFLUSHOPT, efficiency }
#define LP(apic) { apic, 0x20000002, 0x90673, CLFLUSHOPT, low_power }

/* Two cores of two threads, a cluster of four cores, and two on their own. */
static const struct made_up_cpu hybrid[] = {
	P(0), P(1), P(8), P(9), E(16), E(18), E(20), E(22), LP(64), LP(66),
};

static const char *json(void)
{
	static char line[8192];
	struct mc_text t = MC_TEXT(line);

	mc_textf(&t, "{\"a\":1");
	mc_cores_json(&t);
	mc_textf(&t, "}\n");
	assert_true(json_line(line));
	return line;
}

static void has(const char *text)
{
	if (!strstr(json(), text))
		fail_msg("no %s in %s", text, json());
}

#define CACHE(cpus, level, kind, bytes, sharers)			\
	"{\"cpus\":\"" cpus "\",\"level\":" #level ",\"kind\":\"" kind	\
	"\",\"size_bytes\":" bytes ",\"line_bytes\":64,\"ways\":16,"	\
	"\"shared_by_cpus\":" #sharers "}"

#define MODEL(stepping)							\
	"\"cpu_family\":6,\"cpu_model\":151,\"cpu_stepping\":" #stepping

#define KIND(cpus, stepping, type)					\
	"{\"cpus\":\"" cpus "\"," MODEL(stepping) ",\"core_type\":" type "}"

static void test_each_cpu_has_its_own_caches(void **state)
{
	static const u64 bytes[][3] = {
		{ 48 * K, 1280 * K, 24 * M }, { 32 * K, 2 * M, 24 * M }, { 32 * K, 2 * M, 0 },
	};

	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	for (unsigned int cpu = 0; cpu < ARRAY_SIZE(hybrid); cpu++) {
		for (unsigned int i = 0; i < 3; i++)
			assert_int_equal(mc_cache_bytes(cpu, i + 1),
					 bytes[cpu < 4 ? 0 : cpu < 8 ? 1 : 2][i]);
	}
	assert_int_equal(mc_cache_bytes(0, 0), 0);
	assert_int_equal(mc_cache_bytes(0, 4), 0);
	assert_int_equal(mc_cache_bytes(0, 5), 0);
	assert_int_equal(mc_cache_bytes(ARRAY_SIZE(hybrid), 1), 0);
	assert_int_equal(mc_cache_bytes(-1, 1), 0);
}

static void test_json_of_each_kind(void **state)
{
	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	has("\"cpu_vendor\":\"GenuineIntel\"," MODEL(2) ",\"kinds\":["
	    KIND("0-3", 2, "\"performance\"") ","
	    KIND("4-7", 2, "\"efficiency\"") ","
	    KIND("8-9", 3, "\"efficiency\"") "],\"caches\":[");
	has("[" CACHE("0-3", 1, "data", "49152", 2) ","
	    CACHE("0-3", 1, "code", "32768", 2) ","
	    CACHE("0-3", 2, "unified", "1310720", 2) ","
	    CACHE("0-7", 3, "unified", "25165824", 8) ","
	    CACHE("4-9", 1, "data", "32768", 1) ","
	    CACHE("4-9", 1, "code", "65536", 1) ","
	    CACHE("4-7", 2, "unified", "2097152", 4) ","
	    CACHE("8-9", 2, "unified", "2097152", 2) "]}");
}

/* Only CPUs that are online count; a sibling that is offline changes its core's counts. */
static void test_cpus_go_and_come(void **state)
{
	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	mc_core_forget(1);
	mc_core_forget(5);
	has(CACHE("0", 1, "data", "49152", 1));
	has(CACHE("2-3", 1, "data", "49152", 2));
	has(CACHE("0,2-4,6-7", 3, "unified", "25165824", 6));
	has(CACHE("4,6-7", 2, "unified", "2097152", 3));
	assert_int_equal(mc_core_next(0), 2);
	assert_int_equal(mc_cache_bytes(1, 1), 0);
	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	has(CACHE("0-7", 3, "unified", "25165824", 8));
}

/* A virtual machine of two CPUs, whose CPUID reports caches that up to 64 could share. */
static void test_fewer_share_than_could(void **state)
{
	static const struct made_up_cache caches[] = {
		{ 1, MC_CACHE_DATA, 32 * K, 1 }, { 3, MC_CACHE_UNIFIED, 32 * M, 64 }, { }
	};
	static const struct made_up_cpu two[] = {
		{ 0, 0, 0x50654, 0, caches }, { 1, 0, 0x50654, 0, caches },
	};

	made_up_machine(two, ARRAY_SIZE(two));
	has("\"core_type\":null}]");
	has("[" CACHE("0-1", 1, "data", "32768", 1) ","
	    CACHE("0-1", 3, "unified", "33554432", 2) "]");
}

/* Twelve APIC IDs take as many bits as sixteen. */
static void test_who_shares(void **state)
{
	static const struct made_up_cache caches[] = {
		{ 1, MC_CACHE_DATA, 32 * K, 1 }, { 3, MC_CACHE_UNIFIED, 32 * M, 12 }, { }
	};
	static const struct made_up_cpu cpus[] = {
		{ 0, 0, 0x50654, 0, caches }, { 13, 0, 0x50654, 0, caches },
		{ 16, 0, 0x50654, 0, caches }, { 0x10000, 0, 0x50654, 0, caches },
	};

	made_up_machine(cpus, ARRAY_SIZE(cpus));
	assert_true(mc_cache_shared(0, 0, 1));
	assert_false(mc_cache_shared(0, 1, 1));
	assert_true(mc_cache_shared(0, 1, 3));
	assert_true(mc_cache_shared(1, 0, 3));
	assert_false(mc_cache_shared(1, 2, 3));
	assert_false(mc_cache_shared(0, 3, 3));
	assert_false(mc_cache_shared(0, 0, 2));
	assert_false(mc_cache_shared(0, -1, 3));
	assert_false(mc_cache_shared(4, 0, 3));
	/* Neighbours, but without a cache of that level. */
	made_up_machine(hybrid, ARRAY_SIZE(hybrid));
	assert_false(mc_cache_shared(7, 8, 3));
	assert_false(mc_cache_shared(8, 7, 3));
	assert_true(mc_cache_shared(8, 9, 2));
}

/* The system's lists of CPUs count more than APIC IDs, as in memcache-user. */
static void test_the_system_tells(void **state)
{
	made_up_machine(hybrid, 2);
	mc_core_look(0)->caches[3].cpus = 40;
	has(CACHE("0", 3, "unified", "25165824", 40));
}

/* APIC IDs would put CPUs 0 to 15 together, and 8 beside 9; the system lists 0-9 and 10-19. */
static void test_the_systems_lists_decide(void **state)
{
	static const struct made_up_cache caches[] = {
		{ 1, MC_CACHE_DATA, 32 * K, 2 }, { 3, MC_CACHE_UNIFIED, 32 * M, 16 }, { }
	};
	static struct made_up_cpu cpus[20];

	for (unsigned int i = 0; i < ARRAY_SIZE(cpus); i++)
		cpus[i] = (struct made_up_cpu){ i, 0, 0x50654, 0, caches };
	made_up_machine(cpus, ARRAY_SIZE(cpus));
	for (unsigned int i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct mc_cache *c = ((struct mc_core *)mc_core_of(i))->caches;

		c[0].cpus = 1;
		c[0].first = i;
		c[1].cpus = 10;
		c[1].first = i / 10 * 10;
	}
	assert_true(mc_cache_shared(0, 9, 3));
	assert_false(mc_cache_shared(9, 10, 3));
	assert_true(mc_cache_shared(15, 19, 3));
	assert_false(mc_cache_shared(8, 9, 1));
	has(CACHE("0-19", 3, "unified", "33554432", 10));
}

/* 128 MiB of eDRAM behind an L3. */
static void test_a_fourth_level(void **state)
{
	static const struct made_up_cache caches[] = {
		{ 1, MC_CACHE_DATA, 32 * K, 2 }, { 3, MC_CACHE_UNIFIED, 6 * M, 16 },
		{ 4, MC_CACHE_UNIFIED, 128 * M, 16 }, { }
	};
	static const struct made_up_cpu cpus[] = {
		{ 0, 0, 0x40671, 0, caches }, { 2, 0, 0x40671, 0, caches },
	};

	made_up_machine(cpus, ARRAY_SIZE(cpus));
	assert_int_equal(mc_cache_bytes(1, 4), 128 * M);
	assert_true(mc_cache_shared(0, 1, 4));
	has(CACHE("0-1", 4, "unified", "134217728", 2));
}

static void test_features_are_those_of_all(void **state)
{
	made_up_machine(hybrid, 4);
	assert_true(mc_cores_have(MC_CPU_CLWB));
	assert_true(mc_cores_have(MC_CPU_CLFLUSHOPT));
	assert_true(mc_cores_have(MC_CPU_BASE));
	assert_false(mc_cores_have(MC_CPU_AVX2));
	made_up_machine(hybrid, 5);
	assert_false(mc_cores_have(MC_CPU_CLWB));
	assert_true(mc_cores_have(MC_CPU_CLFLUSHOPT));
}

/* MOVRS, and the second version of AVX10 for its vectors. */
static void test_newer_features(void **state)
{
	for (u32 version = 0; version <= 3; version++) {
		const struct made_up_cpu cpu = {
			.caches = hybrid[0].caches, .seven_one_eax = version << 31,
			.avx10 = version,
		};

		made_up_machine(&cpu, 1);
		assert_int_equal(mc_cores_have(MC_CPU_MOVRS), version & 1);
		assert_int_equal(mc_cores_have(MC_CPU_AVX10_2), version >= 2);
		assert_false(mc_cores_have(MC_CPU_CLDEMOTE));
	}
}

/* The name in a record: that of the hypervisor itself, or "unknown" if it has none. */
static void test_hypervisors(void **state)
{
	static const struct {
		struct made_up_hypervisor leaves[4];
		const char *name;
	} rows[] = {
		{ { { 0x40000000, "KVMKVMKVM" } }, "kvm" },
		{ { { 0x40000000, "Linux KVM Hv" } }, "kvm" },
		{ { { 0x40000000, "TCGTCGTCGTCG" } }, "tcg" },
		{ { { 0x40000000, "VBoxVBoxVBox" } }, "virtualbox" },
		{ { { 0x40000000, "bhyve bhyve " } }, "bhyve bhyve" },
		{ { { 0x40000000, "Microsoft Hv" } }, "hyper-v" },
		/* Imitations of Hyper-V. */
		{ { { 0x40000000, "Microsoft Hv" }, { 0x40000100, "KVMKVMKVM" } }, "kvm" },
		{ { { 0x40000000, "Microsoft Hv" }, { 0x40000200, "KVMKVMKVM" } }, "kvm" },
		{ { { 0x40000000, "Microsoft Hv" }, { 0x40000100, "XenVMMXenVMM" } }, "xen" },
		{ { { 0x40000000, "Microsoft Hv" }, { 0x40000100, "Microsoft Hv" } },
		  "hyper-v" },
		{ { { 0x40000000, "Microsoft Hv" }, { 0x40000100, "Something" } },
		  "hyper-v" },
		{ { { 0x40000000, "any letters" }, { 0x40000100, "KVMKVMKVM" } }, "kvm" },
		{ { { 0x40000100, "KVMKVMKVM" } }, "kvm" },
		/* No name, or what an Intel CPU has in a leaf that is not there. */
		{ { { 1, "" } }, "unknown" },
		{ { { 0x40000000, "" } }, "unknown" },
		{ { { 0x40000000, "            " } }, "unknown" },
		{ { { 0x40000000, "\x01\x02\x80\xff" } }, "unknown" },
	};
	char id[MC_HYPERVISOR_BYTES];

	made_up_machine(hybrid, 1);
	assert_null(mc_hypervisor_name(id));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		made_up_hypervisor(rows[i].leaves);
		assert_string_equal(mc_hypervisor_name(id), rows[i].name);
	}
	made_up_hypervisor(NULL);
}
