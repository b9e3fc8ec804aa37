// SPDX-License-Identifier: GPL-2.0-only
/* The key target=: what it takes, how it is shown, and where records have it. */
#include "request.h"

static void words_of_a_target(void **state)
{
	static const struct {
		const char *word;
		const char *shown;	/* NULL: as it was written */
		struct mc_target want;
	} rows[] = {
		{ "ram", NULL, { .kind = MC_TARGET_RAM } },
		{ "pci:0000:03:00.0/2", NULL,
		  { MC_TARGET_PCI, .bus = 3, .bar = 2 } },
		{ "pci:03:00.0/2", "pci:0000:03:00.0/2", { MC_TARGET_PCI, .bus = 3, .bar = 2 } },
		{ "03:00.0/2", "pci:0000:03:00.0/2", { MC_TARGET_PCI, .bus = 3, .bar = 2 } },
		{ "0001:03:00.0/2", "pci:0001:03:00.0/2",
		  { MC_TARGET_PCI, .domain = 1, .bus = 3, .bar = 2 } },
		{ "pci:10000:Ff:1f.7/5", "pci:10000:ff:1f.7/5",
		  { MC_TARGET_PCI, 0x10000, 0xff, 0x1f, 7, 5 } },
		{ "pci:ffffffff:00:00.0/0", NULL, { MC_TARGET_PCI, 0xffffffff } },
		{ "phys:0x30000000+128M", NULL,
		  { MC_TARGET_PHYS, .range = { 0x30000000, 128 << 20 } } },
		{ "phys:768M+0x8000000", "phys:0x30000000+128M",
		  { MC_TARGET_PHYS, .range = { 0x30000000, 128 << 20 } } },
		{ "phys:0+4k", "phys:0x0+4K", { MC_TARGET_PHYS, .range = { 0, 4096 } } },
		{ "phys:0x0+4096", "phys:0x0+4K", { MC_TARGET_PHYS, .range = { 0, 4096 } } },
		{ "phys:0xfffffffffffff000+4K", NULL,
		  { MC_TARGET_PHYS, .range = { 0xfffffffffffff000, 4096 } } },
	};
	char line[80], text[80];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(line, sizeof(line), "bandwidth target=%s size=4K,8K", rows[i].word);
		parse_good(line);
		if (!same_target(&req.target, &rows[i].want))
			fail_msg("'%s': shown as '%s'", line, shown(&req));
		assert_int_equal(req.values[MC_KEY_TARGET].n, 1);
		assert_int_equal(req.values[MC_KEY_TARGET].v[0], rows[i].want.kind);
		assert_int_equal(mc_request_points(&req), 2);
		snprintf(text, sizeof(text), " target=%s ",
			 rows[i].shown ? rows[i].shown : rows[i].word);
		assert_non_null(strstr(shown(&req), text));
	}
	parse_good("bandwidth");	/* the preset replaces what was there */
	assert_true(same_target(&req.target, &rows[0].want));
}

/* Types that RAM never has are behind those that it can have. */
static void types_of_a_target(void **state)
{
	static const enum mc_type wanted[] = { MC_WB, MC_WC, MC_UC, MC_WT, MC_NP };

	parse_good("bandwidth type=wb,wc,uc,wt,np target=phys:0+4K");
	assert_int_equal(req.values[MC_KEY_TYPE].n, MC_NALL_TYPES);
	for (unsigned int i = 0; i < MC_NALL_TYPES; i++) {
		assert_int_equal(req.values[MC_KEY_TYPE].v[i], wanted[i]);
		assert_int_equal(wanted[i] >= MC_NTYPES, i > 2);
	}
	assert_string_equal(mc_type_name(MC_WT), "wt");
	assert_string_equal(mc_type_name(MC_NP), "np");
}

/* The table of plain memory has no column more; that of a target has two. */
static void where_a_target_is_shown(void **state)
{
	const struct mc_record ram = { .cpu = MC_CPU_ALL };
	struct mc_record rec = { .cpu = MC_CPU_ALL, .range = { 0xfe000000, 1 << 20 } };
	const char *table, *json;

	parse_good("bandwidth size=4K");
	table = table_of(&ram);
	assert_null(strstr(table, "target"));
	assert_null(strstr(table, "physical_range"));

	parse_good("bandwidth size=4K target=pci:0000:03:00.0/2 offset=4K write=yes");
	mc_request_point(&req, 0, &rec.point);
	table = table_of(&rec);
	assert_non_null(strstr(table, "  target  "));
	assert_non_null(strstr(table, "  physical_range  "));
	assert_non_null(strstr(table, "  pci:0000:03:00.0/2  "));
	assert_non_null(strstr(table, "  0xfe000000+1M  "));

	json = json_of(&rec);
	assert_non_null(strstr(json, ",\"target\":\"pci:0000:03:00.0/2\","));
	assert_non_null(strstr(json, ",\"offset_bytes\":4096,"));
	assert_non_null(strstr(json, ",\"write\":\"yes\","));
	assert_non_null(strstr(json, ",\"physical_range\":\"0xfe000000+1M\","));
}
