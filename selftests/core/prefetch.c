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

/* Models, and their registers with the bits that may be touched; none: they are not known. */
static const struct {
	const char *vendor;
	u32 family;
	bool prefetch_msr;
	u32 models[15];		/* 0 marks the end */
	struct mc_prefetch_msr registers[2];
} rows[] = {
	{ INTEL, 6, false,
	  { 0x1a, 0x2c, 0x2d, 0x3e, 0x3f, 0x4f, 0x55, 0x9e, 0x6a, 0x8d, 0xa7 },
	  { { 0x1a4, 0xf } } },
	{ INTEL, 6, false, { 0x5c, 0x5f, 0x7a }, { { 0x1a4, 0x5 } } },
	/* Servers since Golden Cove have a second register. */
	{ INTEL, 6, false, { 0x8f, 0xcf }, { { 0x1a4, 0x3f }, { 0x6d, 0x40000004000 } } },
	{ INTEL, 6, false, { 0xad, 0xae }, { { 0x1a4, 0xff }, { 0x6d, 0x40000004000 } } },
	/* A bit of CPUID tells which AMD models are known: Zen 3 with newer microcode, and on. */
	{ AMD, 0x19, true, { 0x11, 0x01 }, { { 0xc0000108, 0x2f } } },
	{ AMD, 0x1a, true, { 0x02 }, { { 0xc0000108, 0x2f } } },
	{ AMD, 0x19, false, { 0x11, 0x01 } },
	{ AMD, 0x17, false, { 0x01, 0x31 } },
	{ AMD, 6, false, { 0x55 } },
	/* Intel has no such bit. */
	{ INTEL, 6, true, { 0x0f } },
	{ "HygonGenuine", 0x18, true, { 1 } },
	/* Merom, Penryn, Bonnell: another register. */
	{ INTEL, 6, false, { 0x0f, 0x17, 0x1c } },
	/* Silvermont, Airmont, Knights Landing, Tremont, Crestmont, Darkmont. */
	{ INTEL, 6, false, { 0x37, 0x4c, 0x57, 0x86, 0x96, 0x9c, 0xaf, 0xdd } },
	/* Hybrid: two kinds of core. */
	{ INTEL, 6, false, { 0x97, 0xb7, 0xbe } },
	{ INTEL, 15, false, { 0x55 } },
	{ INTEL, 19, false, { 0x01 } },
	{ "CentaurHauls", 6, false, { 0x55 } },
	{ "", 6, false, { 0x55 } },
};

static void test_models(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mc_prefetch_msr *want = rows[i].registers;

		for (const u32 *model = rows[i].models; *model; model++) {
			const struct mc_prefetch_msr *p = of(rows[i].vendor, rows[i].family, *model,
							     rows[i].prefetch_msr);
			unsigned int n = !!want[0].msr + !!want[1].msr;

			if (!p != !n || (n && (memcmp(p, want, n * sizeof(*p)) || p[n].msr)))
				fail_msg("%s %u, %#x", rows[i].vendor, rows[i].family, *model);
		}
	}
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
