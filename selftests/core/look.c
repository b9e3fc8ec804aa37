// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/kernel/pagewalk.c and look.c: the walk through made-up page tables of three levels of 512
 * entries, the mappings that it finds, and the types of the MTRRs.
 */
#include "cmocka_all.h"

#include "kernel/look.h"

#define SET_UP		set_up
#define NTABLES		4
#define PRESENT		1ULL
#define ACCESSED	0x200ULL
#define LARGE		0x80ULL
#define WC		0x8ULL		/* the attribute bits are 5:3 */
#define UC		0x18ULL
#define HIGH		0xffff800000000000ULL

static u64 memory[NTABLES][512];
static struct mc_mapping rows[8];
static struct mc_range ranges[MC_LOOK_RANGES];
static struct mc_look look;
static struct mc_table_walk walk;
static struct mc_tables tables;
static u64 nread;
static u64 (*meanwhile)(u64 at);	/* before each read; not 0: it fails with this errno */

static u64 *entry_at(u64 at)
{
	assert_true(at < sizeof(memory) && at % 8 == 0);
	return &memory[at / 4096][at % 4096 / 8];
}

static int read_made_up(u64 at, u64 *entries, unsigned int n)
{
	u64 err = meanwhile ? meanwhile(at) : 0;

	nread++;
	assert_true(at / 4096 == (at + 8 * n - 1) / 4096);
	memcpy(entries, entry_at(at), 8 * n);
	return -(int)err;
}

static enum mc_entry decode(u64 entry, unsigned int shift, u64 *phys, u8 *bits)
{
	if (!(entry & PRESENT))
		return MC_ENTRY_NONE;
	*phys = entry >> 12 << 12;
	*bits = entry >> 3 & 7;
	return shift == 12 || entry & LARGE ? MC_ENTRY_LEAF : MC_ENTRY_TABLE;
}

static int set_up(void **state)
{
	memset(memory, 0, sizeof(memory));
	look = (struct mc_look){
		.ranges = ranges, .rows = rows, .most = ARRAY_SIZE(rows),
		.attrs = { MC_ATTR_WB, MC_ATTR_WC, MC_ATTR_UC_MINUS, MC_ATTR_UC },
	};
	tables = (struct mc_tables){
		.levels = 3, .shift = { 30, 21, 12 }, .address_bits = 39, .ignored = ACCESSED,
		.decode = decode, .read = read_made_up,
	};
	walk = (struct mc_table_walk){ .t = &tables, .visit = mc_look_take, .arg = &look };
	meanwhile = NULL;
	nread = 0;
	/* Table 1 is below entry 5 of table 0, table 2 below entry 511 of table 1. */
	memory[0][5] = 4096 | PRESENT;
	memory[1][511] = 2 * 4096 | PRESENT;
	return 0;
}

static int look_from(u64 first, u64 last)
{
	int err = mc_walk_range(&walk, first, last);

	mc_look_end_row(&look);
	return err;
}

static int look_at_all(void)
{
	return look_from(HIGH, HIGH + 512 * G - 1);
}

static void parse_good(const char *line)
{
	struct mc_error e = { 0 };

	if (mc_look_parse(&look, line, strlen(line), 40, &e))
		fail_msg("%s: %s", line, e.text);
}

static void expect(u64 i, u64 virt, u64 phys, u64 bytes, unsigned int shift, unsigned int bits)
{
	assert_true(i < look.n);
	assert_int_equal(rows[i].virt, HIGH + virt);
	assert_int_equal(rows[i].phys, phys);
	assert_int_equal(rows[i].bytes, bytes);
	assert_int_equal(rows[i].shift, shift);
	assert_int_equal(rows[i].bits, bits);
}

static void of_every_size_and_joined_where_alike(void **state)
{
	parse_good("phys=0+512G\n");
	memory[0][4] = 3 * G | PRESENT | LARGE;
	memory[1][0] = 64 * M | PRESENT | LARGE | WC;
	memory[1][1] = 66 * M | PRESENT | LARGE | WC | ACCESSED;
	memory[1][2] = 70 * M | PRESENT | LARGE | WC;	/* not the next one */
	memory[2][0] = 72 * M | PRESENT | WC;		/* another size */
	memory[2][1] = (72 * M + 4 * K) | PRESENT | UC;
	memory[2][2] = (72 * M + 8 * K) | PRESENT | UC;
	memory[2][511] = 4 * K | PRESENT;
	assert_int_equal(look_at_all(), 0);
	assert_int_equal(look.n, 6);
	expect(0, 4 * G, 3 * G, G, 30, 0);
	expect(1, 5 * G, 64 * M, 4 * M, 21, 1);
	expect(2, 5 * G + 4 * M, 70 * M, 2 * M, 21, 1);
	expect(3, 5 * G + 1022 * M, 72 * M, 4 * K, 12, 1);
	expect(4, 5 * G + 1022 * M + 4 * K, 72 * M + 4 * K, 8 * K, 12, 3);
	expect(5, 6 * G - 4 * K, 4 * K, 4 * K, 12, 0);
	assert_int_equal(look.changed + look.more, 0);
	/* Three tables in chunks, twice, and the entries that lead to each. */
	assert_int_equal(nread, 8 * (2 + 2 + 2) + 8 * (0 + 1 + 2));
}

static void only_in_the_range_of_addresses(void **state)
{
	parse_good("phys=0x0+512G");
	memory[2][7] = 8 * M | PRESENT;
	memory[2][8] = 8 * M | PRESENT;
	memory[2][9] = 8 * M | PRESENT;
	assert_int_equal(look_from(HIGH + 5 * G + 1022 * M + 8 * 4 * K,
				   HIGH + 5 * G + 1022 * M + 8 * 4 * K + 5), 0);
	assert_int_equal(look.n, 1);
	assert_int_equal(nread, 3 * 2 + 0 + 1 + 2);
	set_up(NULL);
	assert_int_equal(look_from(HIGH + 6 * G, HIGH + 512 * G - 1), 0);
	assert_int_equal(nread, 2 * 8);
}

static void only_what_was_asked_for(void **state)
{
	static const struct {
		const char *line;
		u64 n;
	} asked[] = {
		{ "not_wb", 2 }, { "direct", 4 }, { "phys=64M+4K", 1 }, { "phys=0x4200000+2M", 1 },
		{ "phys=0x41ff000+8K", 2 }, { "phys=68M+4K,1M+4K", 0 }, { "phys=1G+1G", 1 },
		{ "phys=65M+4K,1M+4K,0x4000000+4K", 1 }, { "pid=1", 4 }, { "pid=1 phys=64M+4M", 2 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(asked); i++) {
		set_up(NULL);
		memory[1][0] = 64 * M | PRESENT | LARGE | WC;
		memory[1][1] = 66 * M | PRESENT | LARGE;
		memory[1][2] = 1 * G | PRESENT | LARGE | UC;
		memory[1][3] = 3 * G | PRESENT | LARGE;
		parse_good(asked[i].line);
		assert_int_equal(look_at_all(), 0);
		if (look.n != asked[i].n)
			fail_msg("%s: %llu", asked[i].line, look.n);
	}
	/* Mappings of the same memory that are write-back. */
	set_up(NULL);
	memory[1][0] = 64 * M | PRESENT | LARGE | WC;
	memory[1][1] = 64 * M | PRESENT | LARGE;
	memory[1][2] = 66 * M | PRESENT | LARGE;
	ranges[0] = (struct mc_range){ 64 * M, 4 * K };
	look.nranges = 1;
	look.wb_only = true;
	look_at_all();
	assert_int_equal(look.n, 1);
	expect(0, 5 * G + 2 * M, 64 * M, 2 * M, 21, 0);
}

static void more_than_there_is_room_for(void **state)
{
	parse_good("not_wb");
	for (unsigned int i = 0; i < 512; i += 2)
		memory[2][i] = (u64)i << 12 | PRESENT | UC;
	assert_int_equal(look_at_all(), 0);
	assert_int_equal(look.n, ARRAY_SIZE(rows));
	assert_int_equal(look.more, 256 - ARRAY_SIZE(rows));
}

/* ------------------------------------------------- tables that change */

static u64 flip_entry(u64 at)
{
	if (at == 2 * 4096)
		memory[2][3] ^= 1ULL << 40;
	return 0;
}

static u64 flip_accessed(u64 at)
{
	memory[2][3] ^= ACCESSED;
	memory[1][511] ^= ACCESSED;
	return 0;
}

/* The table is freed, and holds other data, the same at each read. */
static u64 free_table(u64 at)
{
	if (at == 2 * 4096)
		memory[1][511] = 0;
	return 0;
}

static u64 free_table_above(u64 at)
{
	if (at == 2 * 4096)
		memory[0][5] = 3 * 4096 | PRESENT;
	return 0;
}

static u64 fail_table(u64 at)
{
	return at / 4096 == 2 ? EFAULT : 0;
}

static void what_changes_is_said_and_the_rest_is_sure(void **state)
{
	static const struct {
		u64 (*meanwhile)(u64 at);
		u64 changed, bytes, n;
	} rows[] = {
		{ NULL, 0, 0, 3 }, { flip_accessed, 0, 0, 3 }, { flip_entry, 1, 4 * K, 4 },
		/* From the chunk of the first read on, the whole rest of the table. */
		{ free_table, 512, 2 * M, 1 }, { free_table_above, 512, 2 * M, 1 },
		{ fail_table, 512, 2 * M, 1 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		set_up(NULL);
		parse_good("not_wb");
		memory[1][0] = 64 * M | PRESENT | LARGE | WC;
		memory[2][2] = 8 * M | PRESENT | UC;
		memory[2][3] = (8 * M + 4 * K) | PRESENT | UC;
		memory[2][4] = (8 * M + 8 * K) | PRESENT | UC;
		memory[2][9] = 8 * M | PRESENT | UC;
		meanwhile = rows[i].meanwhile;
		assert_int_equal(look_at_all(), 0);
		if (look.changed != rows[i].changed || look.changed_bytes != rows[i].bytes ||
		    look.n != rows[i].n)
			fail_msg("row %u: %llu mappings, %llu changed, %llu bytes", i, look.n,
				 look.changed, look.changed_bytes);
	}
}

static u64 stop(u64 at)
{
	return nread == 20 ? EINTR : 0;
}

static void a_signal_ends_it(void **state)
{
	parse_good("not_wb");
	meanwhile = stop;
	assert_int_equal(look_at_all(), -EINTR);
	assert_int_equal(nread, 21);
}

/* ------------------------------------------------------------- the line */

#define FOUR "0+4K,0+4K,0+4K,0+4K"

static void lines_that_are_refused(void **state)
{
	static const char * const lines[][2] = {
		{ "", "line: write not_wb" }, { "\n", "line:" }, { "wb", "line:" },
		{ "not_wb not_wb", "line:" }, { "not_wb pid=1", "line:" },
		{ "not_wb direct", "line:" }, { "direct direct", "line:" },
		{ "direct phys=0+4K", "line:" },
		{ "pid=1 pid=2", "line:" },
		{ "phys=0+4K phys=0+4K", "line:" }, { "phys=", "line:" }, { "not_wbs", "line:" },
		{ "pid=0", "pid: no number" }, { "pid=-1", "pid:" }, { "pid=1234567890", "pid:" },
		{ "pid=1x", "pid:" }, { "phys=4K", "phys: not a" }, { "phys=1+4K", "phys:" },
		{ "phys=0+0", "phys:" }, { "phys=0+4K,", "phys:" }, { "phys=,0+4K", "phys:" },
		{ "phys=0x10000000000+4K", "phys: 0x10000000fff is beyond the 40 bits" },
		{ "phys=0xfffffff000+8K", "phys: 0x10000000fff is beyond" },
		{ "phys=4K+18446744073709547520", "phys:" },
		{ "phys=0+0x10000000000000000", "phys:" },
		{ "phys=0xfffffffffffff000+8K", "phys:" }, { "pid=+1", "pid:" },
		{ "pid= 1", "line:" }, { "DIRECT", "line:" }, { "not_wb\tdirect", "line:" },
		{ "phys=0+4K,,0+4K", "phys:" },
		{ "phys=" FOUR "," FOUR "," FOUR "," FOUR ",0+4K", "phys: 16 ranges at most" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		struct mc_error e = { 0 };

		set_up(NULL);
		assert_int_equal(mc_look_parse(&look, lines[i][0], strlen(lines[i][0]), 40, &e),
				 -EINVAL);
		if (strncmp(e.text, lines[i][1], strlen(lines[i][1])))
			fail_msg("'%s': %s", lines[i][0], e.text);
	}
	set_up(NULL);
	parse_good(" pid=42  phys=0xfffffff000+4K\n");
	assert_int_equal(look.pid, 42);
	assert_int_equal(look.nranges, 1);
	set_up(NULL);
	parse_good("phys=16K+4K,0+8K,8K+4K,4K+4K,32K+4K");
	assert_int_equal(look.nranges, 3);
	assert_int_equal(ranges[0].bytes, 12 * K);
}

/* ------------------------------------------------------------- the types */

static const struct mc_mtrrs mtrrs = {
	.there = true, .on = true, .preset = 6, .fixed_on = true, .n = 4,
	.fixed = { [0] = 0x0606060606060606, [2] = 0x0100, [10] = 0x0500000000000000 },
	.variable = {
		{ 0x80000000, 0xff80000000 },		/* 2 to 4 GiB: UC */
		{ 0xc0000001, 0xfff0000000 },		/* WC in it, which UC overrides */
		{ 0x1000000004, 0xfff0000000 },		/* 64 GiB, 256 MiB: WT over WB */
		{ 0x1000000006, 0xff00000000 },		/* 64 GiB, 4 GiB: WB */
	},
	.wb_below = 6 * G,
};

static void types_of_mtrrs(void **state)
{
	static const struct {
		u64 phys, end;
		enum mc_attr want;
	} rows[] = {
		{ 0, 0x10000, MC_ATTR_WB }, { 0xa1000, 0xa4000, MC_ATTR_UC },
		{ 0xa4fff, 0xa8000, MC_ATTR_WC }, { 0xff000, 0x100000, MC_ATTR_WP },
		{ 2 * G, 0x90000000, MC_ATTR_UC }, { 0xc1000000, 0xd0000000, MC_ATTR_UC },
		{ M, 0x10000000, MC_ATTR_WB }, { 0x1000000000, 0x1010000000, MC_ATTR_WT },
		{ 0x1010000000, 0x1020000000, MC_ATTR_WB },
	};
	struct mc_mtrrs m = mtrrs;
	u64 end;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(mc_attr_of_mtrr(&m, rows[i].phys, &end), rows[i].want);
		if (end != rows[i].end)
			fail_msg("0x%llx: 0x%llx", rows[i].phys, end);
	}
	m.preset = 0;		/* what no register names is UC, but for AMD's limit */
	assert_int_equal(mc_attr_of_mtrr(&m, 5 * G, &end), MC_ATTR_WB);
	assert_int_equal(mc_attr_of_mtrr(&m, 6 * G, &end), MC_ATTR_UC);
	assert_int_equal(mc_attr_of_mtrr(&m, M, &end), MC_ATTR_UC);
	m.fixed_on = false;
	assert_int_equal(mc_attr_of_mtrr(&m, 0, &end), MC_ATTR_UC);
	assert_int_equal(end, M);
	m.preset = 3;
	assert_int_equal(mc_attr_of_mtrr(&m, M, &end), MC_ATTR_MIXED);
	m.on = false;
	assert_int_equal(mc_attr_of_mtrr(&m, M, &end), MC_ATTR_MIXED);
	m.there = false;
	assert_int_equal(mc_attr_of_mtrr(&m, M, &end), MC_ATTR_NA);
}

static void types_that_follow(void **state)
{
	/* Columns: the MTRR is UC, WC, WT, WP, WB, not known, not there. */
	static const enum mc_attr mtrr[] = {
		MC_ATTR_UC, MC_ATTR_WC, MC_ATTR_WT, MC_ATTR_WP, MC_ATTR_WB, MC_ATTR_MIXED,
		MC_ATTR_NA,
	};
	static const struct {
		enum mc_attr pat;
		const char *want[7];
	} rows[] = {
		{ MC_ATTR_UC, { "uc", "uc", "uc", "uc", "uc", "uc", "uc" } },
		{ MC_ATTR_WC, { "wc", "wc", "wc", "wc", "wc", "wc", "wc" } },
		{ MC_ATTR_UC_MINUS, { "uc", "wc", "uc", "mixed", "uc", "mixed", "uc-" } },
		{ MC_ATTR_WT, { "uc", "uc", "wt", "mixed", "wt", "mixed", "wt" } },
		{ MC_ATTR_WP, { "uc", "uc", "mixed", "wp", "wp", "mixed", "wp" } },
		{ MC_ATTR_WB, { "uc", "wc", "wt", "wp", "wb", "mixed", "wb" } },
		{ MC_ATTR_NC, { [6] = "nc" } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int k = 0; k < ARRAY_SIZE(mtrr); k++) {
			enum mc_attr type = mc_attr_joined(rows[i].pat, mtrr[k]);

			if (rows[i].want[k])
				assert_string_equal(mc_attr_name(type), rows[i].want[k]);
		}
	}
}

/* A large page over memory of two types has none. */
static void a_page_of_two_types(void **state)
{
	parse_good("not_wb");
	look.mtrrs = mtrrs;
	memory[0][4] = 1 * G | PRESENT | LARGE;		/* WB */
	memory[0][7] = 64 * G | PRESENT | LARGE;	/* WT, then WB */
	memory[0][8] = 3 * G | PRESENT | LARGE;		/* UC, by two registers */
	memory[1][0] = 64 * G | PRESENT | LARGE;	/* WT */
	memory[1][1] = 65 * G | PRESENT | LARGE;	/* WB */
	assert_int_equal(look_at_all(), 0);
	assert_int_equal(look.n, 3);
	assert_int_equal(mc_look_type(&look, &rows[0]), MC_ATTR_WT);
	assert_int_equal(mc_look_type(&look, &rows[1]), MC_ATTR_MIXED);
	assert_int_equal(mc_look_type(&look, &rows[2]), MC_ATTR_UC);
}
