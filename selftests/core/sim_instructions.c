// SPDX-License-Identifier: GPL-2.0-only
/* The instructions that the simulated machine (tools/sim) acts on, by their bytes. */
#include "cmocka_all.h"
#include "../../tools/sim/instruction.h"

#define RAX	0
#define RCX	1
#define RSP	4
#define RDI	7
#define R9	9
#define R12	12
#define R13	13

static void test_x86_kinds(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		enum kind kind;
	} all[] = {
		{ "\x0f\x31", 2, READS_CLOCK },
		{ "\x0f\x01\xf9", 3, READS_CLOCK },
		{ "\x0f\xae\xf8", 3, SFENCE },
		{ "\x0f\xae\xf0", 3, MFENCE },
		{ "\x0f\xae\xe8", 3, ORDINARY },		/* lfence */
		{ "\x66\x0f\xae\xf0", 4, ORDINARY },		/* tpause */
		{ "\x0f\xae\x38", 3, FLUSHES },			/* clflush */
		{ "\x66\x0f\xae\x38", 4, FLUSHES },		/* clflushopt */
		{ "\x66\x0f\xae\x30", 4, CLEANS },		/* clwb */
		{ "\x0f\xae\x30", 3, ORDINARY },		/* xsaveopt */
		{ "\x0f\x0d\x8a\x00\x02\x00\x00", 7, HINTS },	/* prefetchw */
		{ "\x0f\x18\x82\x00\x02\x00\x00", 7, HINTS },	/* prefetchnta */
		{ "\x0f\x18\x62\x40", 4, ORDINARY },		/* a nop */
		{ "\x0f\x1c\x42\x40", 4, HINTS },		/* cldemote */
		{ "\xf3\x0f\x1c\x42\x40", 5, ORDINARY },
		{ "\x48\x0f\xc3\x07", 4, STREAMS },		/* movnti */
		{ "\x66\x0f\xe7\x07", 4, STREAMS },		/* movntdq */
		{ "\xc5\xfd\xe7\x07", 4, STREAMS },		/* vmovntdq, ymm */
		{ "\xc4\x41\x7d\xe7\x07", 5, STREAMS },
		{ "\x62\xf1\x7d\x48\xe7\x07", 6, STREAMS },	/* zmm */
		{ "\xc5\xfd\x7f\x07", 4, ORDINARY },		/* vmovdqa */
		{ "\x62\xf1\xfd\x48\x7f\x07", 6, ORDINARY },	/* vmovdqa64 */
		{ "\x66\x0f\x38\x2a\x07", 5, ORDINARY },	/* movntdqa loads */
		{ "\x48\x89\x07", 3, ORDINARY },
		{ "\x0f\x30", 2, WRITES_MSR },
		{ "\x0f\x22\xd8", 3, CHANGES_TRANSLATIONS },	/* mov cr3 */
		{ "\x0f\x01\x38", 3, CHANGES_TRANSLATIONS },	/* invlpg */
		{ "\x66\x0f\x38\x82\x07", 5, CHANGES_TRANSLATIONS },
		{ "\x0f\x09", 2, EMPTIES_CACHES },
		{ "\xf3\x0f\x09", 3, CLEANS_CACHES },
		{ "\x0f\x08", 2, LOSES_CACHES },
		{ "\x48\xcf", 2, RETURNS_FROM_INTERRUPT },
		{ "\x90", 1, ORDINARY },
		{ "\x0f", 1, ORDINARY },
		{ "\x66\xcf", 1, ORDINARY },			/* not all of it is here */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(instruction_x86((const void *)all[i].bytes, all[i].n).kind,
				 all[i].kind);
}

/* QEMU tells of an access of 32 bytes in two halves. */
static void test_x86_halves(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		bool halves;
	} all[] = {
		{ "\xc5\xfd\x6f\x07", 4, true },		/* vmovdqa, ymm */
		{ "\xc5\xfd\x7f\x07", 4, true },
		{ "\xc5\xfd\xe7\x07", 4, true },		/* vmovntdq */
		{ "\xc5\xfd\xd4\x07", 4, true },		/* vpaddq */
		{ "\xc4\x41\x7d\x6f\x07", 5, true },		/* vmovdqa, ymm8 */
		{ "\xc4\xe2\x7d\x2a\x07", 5, true },		/* vmovntdqa */
		{ "\xc5\xf9\x6f\x07", 4, false },		/* vmovdqa, xmm */
		{ "\xc4\xe2\x79\x2a\x07", 5, false },
		{ "\xc5\xfd\xd3\x07", 4, false },		/* vpsrlq loads a count */
		{ "\xc5\xfc\x5a\x07", 4, false },		/* vcvtps2pd */
		{ "\xc4\xe2\x7d\x5a\x07", 5, false },	/* vbroadcasti128 */
		{ "\xc4\xe3\x7d\x39\x07\x01", 6, false },	/* vextracti128 */
		{ "\x66\x0f\x6f\x07", 4, false },		/* movdqa */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(instruction_x86((const void *)all[i].bytes, all[i].n).halves,
				 all[i].halves);
}

static void test_x86_operands(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		int base, index;
		unsigned int scale;
		int offset;
	} all[] = {
		{ "\x0f\xae\x38", 3, RAX, NO_REGISTER, 1, 0 },
		{ "\x0f\xae\x7f\x40", 4, RDI, NO_REGISTER, 1, 64 },
		{ "\x0f\xae\x7f\xc0", 4, RDI, NO_REGISTER, 1, -64 },
		{ "\x41\x0f\xae\xb9\x00\x01\x00\x00", 8, R9, NO_REGISTER, 1, 256 },
		{ "\x0f\xae\x3c\x24", 4, RSP, NO_REGISTER, 1, 0 },
		{ "\x41\x0f\xae\x3c\x24", 5, R12, NO_REGISTER, 1, 0 },
		{ "\x41\x0f\xae\x7d\x00", 5, R13, NO_REGISTER, 1, 0 },
		{ "\x0f\xae\x3c\xcf", 4, RDI, RCX, 8, 0 },
		{ "\x42\x0f\xae\x7c\x67\x08", 6, RDI, R12, 2, 8 },
		{ "\x0f\xae\x3c\xcd\x10\x00\x00\x00", 8, NO_REGISTER, RCX, 8, 16 },
		{ "\x0f\xae\x3d\x10\x00\x00\x00", 7, NO_REGISTER, NO_REGISTER, 1, 16 },
	};
	struct instruction in;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		in = instruction_x86((const void *)all[i].bytes, all[i].n);
		assert_int_equal(in.kind, FLUSHES);
		assert_int_equal(in.base, all[i].base);
		assert_int_equal(in.index, all[i].index);
		assert_int_equal(in.scale, all[i].scale);
		assert_int_equal(in.offset, all[i].offset);
	}
}

static void test_arm64(void **state)
{
	static const struct {
		unsigned int word;
		enum kind kind;
		int base;
	} all[] = {
		{ 0xd5033f9f, DSB, NO_REGISTER },		/* dsb sy */
		{ 0xd5033a9f, DSB, NO_REGISTER },		/* dsb ishst */
		{ 0xd5033fbf, ORDINARY, NO_REGISTER },		/* dmb sy */
		{ 0xd5033fdf, ORDINARY, NO_REGISTER },		/* isb */
		{ 0xd50b7e23, FLUSHES, 3 },			/* dc civac, x3 */
		{ 0xd50b7a20, CLEANS, 0 },			/* dc cvac, x0 */
		{ 0xd50b7d20, CLEANS, 0 },			/* dc cvadp, x0 */
		{ 0xf9810041, HINTS, NO_REGISTER },		/* prfm pldl1strm, [x2, #512] */
		{ 0xf9810050, HINTS, NO_REGISTER },		/* prfm pstl1keep, [x2, #512] */
		{ 0xf9810048, ORDINARY, NO_REGISTER },		/* prfm plil1keep, [x2, #512] */
		{ 0xd50b7421, ORDINARY, NO_REGISTER },		/* dc zva, x1 */
		{ 0xd53be040, READS_CLOCK, NO_REGISTER },	/* mrs x0, cntvct_el0 */
		{ 0xd53be045, READS_CLOCK, NO_REGISTER },
		{ 0xd53be020, ORDINARY, NO_REGISTER },		/* mrs x0, cntpct_el0 */
		{ 0xd5182020, CHANGES_TRANSLATIONS, NO_REGISTER },	/* msr ttbr1_el1, x0 */
		{ 0xd508831f, CHANGES_ALL_TRANSLATIONS, NO_REGISTER },	/* tlbi vmalle1is */
		{ 0xd508871f, CHANGES_ALL_TRANSLATIONS, NO_REGISTER },
		{ 0xd69f03e0, RETURNS_FROM_INTERRUPT, NO_REGISTER },	/* eret */
		{ 0xf9400000, ORDINARY, NO_REGISTER },		/* ldr */
	};
	struct instruction in;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		in = instruction_arm64(all[i].word);
		assert_int_equal(in.kind, all[i].kind);
		assert_int_equal(in.base, all[i].base);
	}
}
