// SPDX-License-Identifier: GPL-2.0-only
/* Memory types on the simulated machine (tools/sim), by made-up page tables and registers. */
#include <string.h>

#include "cmocka_all.h"
#include "../../tools/sim/types.h"

#define PAGES	8
#define ROOT	0x1000

/* Physical memory from 0 on, as entries of page tables. */
static unsigned long memory[PAGES * 512];

static unsigned long read(unsigned long physical)
{
	assert_true(physical / 8 < PAGES * 512);
	return memory[physical / 8];
}

static void enter(unsigned long table, unsigned int index, unsigned long entry)
{
	memory[table / 8 + index] = entry;
}

/* Tables at 0x1000, 0x2000, 0x3000 and 0x4000 map addresses from 0 on. */
static void make_tables(unsigned long bits)
{
	memset(memory, 0, sizeof(memory));
	enter(0x1000, 0, 0x2000 | bits);
	enter(0x2000, 0, 0x3000 | bits);
	enter(0x3000, 0, 0x4000 | bits);
}

#define LINUX_PAT	0x0407050600070106ULL

static struct x86_types x86 = { .pat = LINUX_PAT, .mtrr_default = 0xc06 };

static struct mapping x86_at(unsigned long address)
{
	return x86_walk(&x86, ROOT | 0x18, address, read);
}

static void test_x86_pages(void **state)
{
	static const struct {
		unsigned long bits;
		enum type type;
	} entries[] = {
		{ 1, WB }, { 1 | 8, WC }, { 1 | 0x10, UC }, { 1 | 0x18, UC }, { 1 | 0x80, WB },
		{ 1 | 0x88, WP }, { 1 | 0x90, UC }, { 1 | 0x98, WT },
	};
	struct mapping m;

	make_tables(7);
	for (size_t i = 0; i < 8; i++)
		enter(0x4000, i, entries[i].bits | (0x40 + i) << 12 | 1ULL << 63);
	for (size_t i = 0; i < 8; i++) {
		m = x86_at(i << 12 | 0x123);
		assert_true(m.found);
		assert_int_equal(m.physical, (0x40 + i) << 12 | 0x123);
		assert_int_equal(m.shift, 12);
		assert_int_equal(m.type, entries[i].type);
	}
	assert_false(x86_at(9 << 12).found);
	assert_false(x86_at(1ULL << 39).found);
}

static void test_x86_large_pages(void **state)
{
	struct mapping m;

	make_tables(7);
	enter(0x3000, 1, 0x400000 | 0x81 | 0x8);
	enter(0x3000, 2, 0x600000 | 0x81 | 0x1000);	/* PAT is bit 12 here */
	enter(0x2000, 1, 0x80000000 | 0x81);
	m = x86_at(0x2abcde);
	assert_int_equal(m.physical, 0x4abcde);
	assert_int_equal(m.shift, 21);
	assert_int_equal(m.type, WC);
	m = x86_at(0x400000);
	assert_int_equal(m.physical, 0x600000);
	assert_int_equal(m.type, WB);
	m = x86_at(0x40000000 + 0x1234567);
	assert_int_equal(m.physical, 0x80000000 + 0x1234567);
	assert_int_equal(m.shift, 30);
}

static enum type with_mtrr(enum type mtrr, unsigned long bits)
{
	enter(0x4000, 0, 0x100000 | 1 | bits);
	x86_write_msr(&x86, 0x202, 0x100000 | mtrr);
	x86_write_msr(&x86, 0x203, 0x000ffffffff00800ULL);
	return x86_at(0).type;
}

static void test_mtrrs(void **state)
{
	make_tables(7);
	assert_int_equal(with_mtrr(UC, 0), UC);
	assert_int_equal(with_mtrr(UC, 8), WC);
	assert_int_equal(with_mtrr(WC, 0x10), WC);		/* UC- */
	assert_int_equal(with_mtrr(WC, 0x18), UC);
	assert_int_equal(with_mtrr(WT, 0), WT);
	/* A page that no range has is of the default type. */
	enter(0x4000, 0, 0x300000 | 1);
	assert_int_equal(x86_at(0).type, WB);
	x86_write_msr(&x86, 0x2ff, 0xc00);
	assert_int_equal(x86_at(0).type, UC);
	/* Without MTRRs, all is uncached. */
	x86_write_msr(&x86, 0x2ff, 6);
	assert_int_equal(x86_at(0).type, UC);
	x86_write_msr(&x86, 0x2ff, 0xc06);
	/* UC wins where ranges overlap. */
	x86_write_msr(&x86, 0x200, 0x200000 | WB);
	x86_write_msr(&x86, 0x201, 0x000fffffffe00800ULL);
	x86_write_msr(&x86, 0x202, 0x300000 | UC);
	assert_int_equal(x86_at(0).type, UC);
	x86_write_msr(&x86, 0x203, 0);
	assert_int_equal(x86_at(0).type, WB);
	/* PAT as it was written. */
	x86_write_msr(&x86, 0x277, 0x0007040600070401ULL);
	assert_int_equal(x86_at(0).type, WC);
	x86_write_msr(&x86, 0x277, LINUX_PAT);
}

static void test_arm64(void **state)
{
	/* Linux: Normal, Normal tagged, Normal Non-cacheable, Device-nGnRnE, Device-nGnRE. */
	static const unsigned long mair = 0x040044f0ffULL;
	static const enum type types[] = { WB, WB, WC, UC, UC };
	struct mapping m;

	make_tables(3);
	for (unsigned int i = 0; i < 5; i++)
		enter(0x4000, i, (0x80000 + i * 0x1000) | 3 | i << 2 | 1ULL << 54);
	enter(0x3000, 1, 0x600000 | 1 | 2 << 2);
	for (unsigned int i = 0; i < 5; i++) {
		m = arm64_walk(ROOT | 5ULL << 48, mair, i << 12 | 8, read);
		assert_true(m.found);
		assert_int_equal(m.physical, 0x80000 + i * 0x1000 + 8);
		assert_int_equal(m.type, types[i]);
	}
	m = arm64_walk(ROOT, mair, 0xffff000000000000ULL | 0x212345, read);
	assert_int_equal(m.physical, 0x612345);
	assert_int_equal(m.shift, 21);
	assert_int_equal(m.type, WC);
	assert_false(arm64_walk(ROOT, mair, 6 << 12, read).found);
}
