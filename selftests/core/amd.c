// SPDX-License-Identifier: GPL-2.0-only
/* The caches of AMD CPUs, by the leaves that older ones and many virtual machines have. */
#include "arch/caches.h"
#include "arch/x86/cpuid.h"
#include "cmocka_all.h"
#include "json.h"

enum { TOPOLOGY = 1 << 22 };	/* ecx of leaf 0x80000001 */

/* A CPU: its vendor, leaf 1, and the leaves from 0x80000001 on that it has. */
static struct {
	const char *vendor;
	u32 one_eax;
	u32 most;
	u32 features;
	struct mc_leaf five, six, eight;
	struct mc_leaf four[4];		/* of leaf 4, and of leaf 0x8000001d */
} here;
static u32 apic;

struct mc_leaf mc_cpuid_leaf(u32 leaf, u32 sub)
{
	u32 letters[3];

	switch (leaf) {
	case 0:
		memcpy(letters, here.vendor, sizeof(letters));
		return (struct mc_leaf){ 0xd, letters[0], letters[2], letters[1] };
	case 1:
		return (struct mc_leaf){ here.one_eax, apic << 24, 0, 1 << 26 };
	case 0x80000000:
		return (struct mc_leaf){ here.most };
	case 0x80000001:
		return (struct mc_leaf){ .c = here.features };
	case 0x80000005:
		return here.five;
	case 0x80000006:
		return here.six;
	case 0x80000008:
		return here.eight;
	case 4:
	case 0x8000001d:
		return sub < ARRAY_SIZE(here.four) ? here.four[sub] : (struct mc_leaf){ 0 };
	}
	return (struct mc_leaf){ 0 };
}

u64 mc_xcr0(void)
{
	return 0;
}

/* A CPU for each APIC ID. */
static void look(const u32 *ids, unsigned int n)
{
	mc_cores_exit();
	assert_int_equal(mc_cores_init(n), 0);
	for (unsigned int i = 0; i < n; i++) {
		apic = ids[i];
		mc_core_look(i);
	}
}

#define LOOK(...) look((const u32 []){ __VA_ARGS__ }, ARRAY_SIZE(((const u32 []){ __VA_ARGS__ })))

/* A CPU of Zen 3 whose hypervisor hides TOPOEXT: 32K, 32K, 512K, 32M. */
static int set_up(void **state)
{
	memset(&here, 0, sizeof(here));
	here.vendor = "AuthenticAMD";
	here.one_eax = 0xa00f11;
	here.most = 0x8000001f;
	here.five = (struct mc_leaf){ 0, 0, 0x20080140, 0x20080140 };
	here.six = (struct mc_leaf){ 0, 0, 0x02006140, 0x01009140 };
	return 0;
}

#define SET_UP	set_up

static const struct mc_cache *cache(unsigned int i)
{
	const struct mc_core *core = mc_core_of(0);

	assert_true(i < core->ncaches);
	return &core->caches[i];
}

static void assert_cache(unsigned int i, u32 level, enum mc_cache_kind kind, u64 bytes, u32 ways)
{
	assert_int_equal(cache(i)->level, level);
	assert_int_equal(cache(i)->kind, kind);
	assert_int_equal(cache(i)->bytes, bytes);
	assert_int_equal(cache(i)->line, 64);
	assert_int_equal(cache(i)->ways, ways);
}

static void test_without_topology(void **state)
{
	char line[4096];
	struct mc_text t = MC_TEXT(line);

	LOOK(0, 1);
	assert_int_equal(mc_core_of(0)->ncaches, 4);
	assert_cache(0, 1, MC_CACHE_DATA, 32 * K, 8);
	assert_cache(1, 1, MC_CACHE_CODE, 32 * K, 8);
	assert_cache(2, 2, MC_CACHE_UNIFIED, 512 * K, 8);
	/* 9: its ways are in leaf 0x8000001d, which is hidden. */
	assert_cache(3, 3, MC_CACHE_UNIFIED, 32 * M, 0);
	mc_textf(&t, "{\"a\":1");
	mc_cores_json(&t);
	mc_textf(&t, "}\n");
	assert_true(json_line(line));
	assert_non_null(strstr(line, "\"size_bytes\":33554432,\"line_bytes\":64,\"ways\":null,"));
}

static void test_encoded_ways(void **state)
{
	static const u32 ways[] = {
		[1] = 1, [2] = 2, [3] = 3, [4] = 4, [5] = 6, [6] = 8, [8] = 16, [0xa] = 32,
		[0xb] = 48, [0xc] = 64, [0xd] = 96, [0xe] = 128, [0xf] = 8192,
	};

	for (u32 code = 1; code < ARRAY_SIZE(ways); code++) {
		here.six.c = 512 << 16 | code << 12 | 0x140;
		LOOK(0);
		assert_cache(2, 2, MC_CACHE_UNIFIED, 512 * K, ways[code]);
	}
	/* An L1 has its ways as they are, but 0xff for all lines. */
	here.five.c = 64 << 24 | 0xff << 16 | 0x140;
	LOOK(0);
	assert_cache(0, 1, MC_CACHE_DATA, 64 * K, 1024);
}

static void test_caches_that_are_not_there(void **state)
{
	/* A size without ways is turned off. */
	here.six = (struct mc_leaf){ 0, 0, 512 << 16 | 0x140, 0 };
	LOOK(0);
	assert_int_equal(mc_core_of(0)->ncaches, 2);
	here.most = 0x80000005;
	here.six = (struct mc_leaf){ 0, 0, 0x02006140, 0x01009140 };
	LOOK(0);
	assert_int_equal(mc_core_of(0)->ncaches, 2);
	here.most = 0x80000004;
	LOOK(0);
	assert_int_equal(mc_core_of(0)->ncaches, 0);
}

/* As in Linux: of a package, of a core complex; or of one CPU if only a hidden leaf tells. */
static void test_who_shares_an_l3(void **state)
{
	LOOK(0, 1, 7, 8);
	assert_false(mc_cache_shared(0, 1, 1));
	assert_false(mc_cache_shared(0, 1, 3));
	here.one_eax = 0x800f11;	/* Zen */
	LOOK(0, 1, 7, 8);
	assert_false(mc_cache_shared(0, 1, 2));
	assert_true(mc_cache_shared(0, 2, 3));
	assert_false(mc_cache_shared(0, 3, 3));
	here.one_eax = 0x100f42;	/* family 10h: 6 cores a package */
	here.eight.c = 5;
	LOOK(0, 5, 7, 8);
	assert_true(mc_cache_shared(0, 2, 3));
	assert_false(mc_cache_shared(0, 3, 3));
	here.eight.c = 4 << 12 | 5;
	LOOK(0, 5, 7, 8, 16);
	assert_true(mc_cache_shared(0, 3, 3));
	assert_false(mc_cache_shared(0, 4, 3));
}

/* An emulator fills leaf 4 for every vendor; Linux does not read it on AMD's CPUs. */
static void test_which_leaf_counts(void **state)
{
	here.four[0] = (struct mc_leaf){ 1 | 1 << 5 | 3 << 14, 63 | 7 << 22, 127 };
	LOOK(0);
	assert_int_equal(mc_cache_bytes(0, 1), 32 * K);
	here.features = TOPOLOGY;
	LOOK(0, 3, 4);
	assert_int_equal(mc_cache_bytes(0, 1), 64 * K);
	assert_int_equal(mc_core_of(0)->ncaches, 1);
	assert_true(mc_cache_shared(0, 1, 1));
	assert_false(mc_cache_shared(0, 2, 1));
	here.features = 0;
	here.vendor = "HygonGenuine";
	LOOK(0);
	assert_int_equal(mc_cache_bytes(0, 3), 32 * M);
	here.vendor = "GenuineIntel";
	LOOK(0);
	assert_int_equal(mc_cache_bytes(0, 1), 64 * K);
	assert_int_equal(mc_cache_bytes(0, 3), 0);
}
