// SPDX-License-Identifier: GPL-2.0-only
/* The CPUs whose prefetchers are known: module/kernel/x86/prefetch.c natively. */
#include "cmocka_all.h"

#include "kernel/x86/prefetch.h"

#define INTEL	"GenuineIntel"
#define AMD	"AuthenticAMD"

/* The file needs these for the access loops, which this test does not use. */
bool mc_cpu_has(enum mc_feature feature)
{
	return true;
}

/* Nothing is read of CPUID here. */
bool mc_cpu_made_up(u32 leaf, u32 sub, u32 *regs)
{
	return false;
}

static const struct mc_prefetch_msr *of(const char *vendor, u32 family,
					u32 model, bool prefetch_msr)
{
	struct mc_cpu_model cpu = {
		.family = family, .model = model, .stepping = 4,
		.prefetch_msr = prefetch_msr,
	};

	snprintf(cpu.vendor, sizeof(cpu.vendor), "%s", vendor);
	return mc_prefetchers_of(&cpu);
}

static void test_known_models(void **state)
{
	static const struct {
		u32 model;
		u64 mask;
	} rows[] = {
		{ 0x1a, 0xf }, { 0x2c, 0xf }, { 0x2d, 0xf }, { 0x3e, 0xf },
		{ 0x3f, 0xf }, { 0x4f, 0xf }, { 0x55, 0xf }, { 0x9e, 0xf },
		{ 0x6a, 0xf }, { 0x8d, 0xf }, { 0xa7, 0xf },
		{ 0x5c, 0x5 }, { 0x5f, 0x5 }, { 0x7a, 0x5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mc_prefetch_msr *p = of(INTEL, 6, rows[i].model, false);

		assert_non_null(p);
		assert_int_equal(p->msr, 0x1a4);
		assert_int_equal(p->mask, rows[i].mask);
		assert_int_equal(p[1].msr, 0);
	}
}

/* Servers since Golden Cove have a second register. Nothing else in it may be touched. */
static void test_two_registers(void **state)
{
	static const struct {
		u32 model;
		u64 mask;
	} rows[] = { { 0x8f, 0x3f }, { 0xcf, 0x3f }, { 0xad, 0xff }, { 0xae, 0xff } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mc_prefetch_msr *p = of(INTEL, 6, rows[i].model, false);

		assert_non_null(p);
		assert_int_equal(p[0].msr, 0x1a4);
		assert_int_equal(p[0].mask, rows[i].mask);
		assert_int_equal(p[1].msr, 0x6d);
		assert_int_equal(p[1].mask, 0x40000004000);
		assert_int_equal(p[2].msr, 0);
	}
}

/*
 * A bit of CPUID tells which AMD models are known: Zen 3 with newer microcode, and all
 * since. Intel has no such bit.
 */
static void test_amd(void **state)
{
	const struct mc_prefetch_msr *p = of(AMD, 0x19, 0x11, true);

	assert_non_null(p);
	assert_int_equal(p->msr, 0xc0000108);
	assert_int_equal(p->mask, 0x2f);
	assert_int_equal(p[1].msr, 0);
	assert_ptr_equal(of(AMD, 0x19, 0x01, true), p);
	assert_ptr_equal(of(AMD, 0x1a, 0x02, true), p);
	assert_null(of(AMD, 0x19, 0x11, false));
	assert_null(of(AMD, 0x19, 0x01, false));
	assert_null(of(AMD, 0x17, 0x01, false));
	assert_null(of(AMD, 0x17, 0x31, false));
	assert_null(of(AMD, 6, 0x55, false));
	assert_null(of(INTEL, 6, 0x0f, true));
	assert_null(of("HygonGenuine", 0x18, 1, true));
}

static void test_unknown_models(void **state)
{
	static const u32 models[] = {
		0x0f, 0x17, 0x1c,	/* Merom, Penryn, Bonnell: another register */
		0x37, 0x4c, 0x57,	/* Silvermont, Airmont, Knights Landing */
		0x86, 0x96, 0x9c,	/* Tremont */
		0x97, 0xb7, 0xbe,	/* hybrid: two kinds of core */
		0xaf, 0xdd,		/* Crestmont, Darkmont */
	};

	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		assert_null(of(INTEL, 6, models[i], false));
	assert_null(of(INTEL, 15, 0x55, false));
	assert_null(of(INTEL, 19, 0x01, false));
	assert_null(of("CentaurHauls", 6, 0x55, false));
	assert_null(of("", 6, 0x55, false));
}

/* No model in the tables may have a bit that is not a prefetcher. */
static void test_masks(void **state)
{
	unsigned int known = 0;

	for (u32 family = 0; family < 32; family++) {
		for (u32 model = 0; model < 256; model++) {
			const struct mc_prefetch_msr *p = of(INTEL, family, model, false);

			if (!p)
				continue;
			known++;
			assert_int_equal(family, 6);
			assert_int_equal(p->mask & ~0xffULL, 0);
			for (; p->msr; p++)
				assert_int_not_equal(p->mask, 0);
		}
	}
	assert_int_equal(known, 41);
}

/* This machine's own CPU, as CPUID and the kernel report it. */
static void test_this_cpu(void **state)
{
	struct mc_core core;
	struct mc_cpu_model *cpu = &core.model;
	char line[256], vendor[16] = "";
	unsigned int family, model, stepping, found = 0;
	FILE *file = fopen("/proc/cpuinfo", "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file) && line[0] != '\n')
		found += sscanf(line, "vendor_id : %15s", vendor) == 1 ||
			 sscanf(line, "cpu family : %u", &family) == 1 ||
			 sscanf(line, "model : %u", &model) == 1 ||
			 sscanf(line, "stepping : %u", &stepping) == 1;
	fclose(file);
	assert_int_equal(found, 4);
	mc_core_read(&core);
	assert_string_equal(cpu->vendor, vendor);
	assert_int_equal(cpu->family, family);
	assert_int_equal(cpu->model, model);
	assert_int_equal(cpu->stepping, stepping);
}
