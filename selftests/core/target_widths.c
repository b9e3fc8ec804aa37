// SPDX-License-Identifier: GPL-2.0-only
/* How wide accesses to a target are, and the first ones; the part of it that a request measures. */
#include "measure/target.h"
#include "platform/access.h"
#include "arch/loops.h"
#include "arch/mmio.h"

static struct mc_test the_test;
#define TEST	the_test
#include "stub/engine.h"

enum { KEY_WIDTH = MC_KEY_FIRST };

static const struct mc_name widths[] = {
	{ "1", 1 }, { "2", 2 }, { "4", 4 }, { "8", 8 }, { "16", 16 }, { "32", 32 }, { "64", 64 },
	{ "max", MC_WIDTH_MAX, .asked_only = true }, { }
};

static struct mc_key keys[] = {
	{ .name = "width", .column = "width_bytes", .kind = MC_CHOICE, .names = widths,
	  .help = "of an access" },
};

/* The first accesses, each width a bit; @fault: that of this width faults. */
static struct {
	unsigned int loads;
	unsigned int stores;
	unsigned int fault;
	int err;
	unsigned int most;
	u64 width;
} made;

int mc_access_try(void *at, unsigned int width, bool stores)
{
	made.loads |= width;
	made.stores |= stores ? width : 0;
	return width == made.fault ? -EFAULT : 0;
}

static u64 line[8];

static int check_it(struct mc_run *r, const struct mc_point *point)
{
	made.most = mc_point_width(r, point);
	made.width = point->v[KEY_WIDTH];
	made.err = mc_target_try(r, point, line);
	return made.err;
}

static int set_up_nothing(struct mc_run *r, const struct mc_point *point, void *job)
{
	return 0;
}

static int measure_nothing(struct mc_run *r, void *job)
{
	return 0;
}

static void fill_nothing(struct mc_record *record, void *job, const struct mc_run *r)
{
}

static struct mc_test the_test = {
	.spec = {
		.name = "test", .help = "a made-up test", .keys = keys, .nkeys = 1,
		.width = KEY_WIDTH,
	},
	.check = check_it, .job_bytes = sizeof(struct mc_measurement),
	.set_up = set_up_nothing, .measure = measure_nothing, .fill = fill_nothing,
};

static void costs(void)
{
}

#define ALL	1024	/* all widths from 8 on that this CPU has */

static unsigned int bits_of(unsigned int row)
{
	unsigned int width, bits = row & ~ALL;

	for (width = 8; row & ALL && width <= 64; width *= 2) {
		if (mc_cpu_has(mc_mmio_loop_find(width)->feature))
			bits |= width;
	}
	return bits;
}

#define BAR	"target=pci:0000:03:00.0/2 type=uc "
#define RANGE	"target=phys:0x30000000+1M "
#define ANY	RANGE "any_range=yes "

static void widths_of_the_first_accesses(void **state)
{
	static const struct {
		const char *line;
		const char *preset;
		unsigned int loads;
		unsigned int stores;
		unsigned int most;
	} rows[] = {
		/* Nobody vouches for these. */
		{ BAR, "max", 8, 0, 8 },
		{ BAR "write=yes", "max", 8 | 4, 8 | 4, 8 },
		{ ANY, "max", 8, 0, 8 },
		{ ANY "write=yes", "max", 8 | 4, 8 | 4, 8 },
		{ BAR "width=16", "max", 16 | 4, 0, 16 },
		{ ANY "width=32 write=yes", "max", 32 | 8 | 4, 32 | 8 | 4, 32 },
		{ BAR "width=max", "max", ALL, 0, ~0U },
		{ ANY "width=max", "max", ALL, 0, ~0U },
		/* Single accesses. */
		{ BAR, "4", 4, 0, 8 },
		{ BAR "write=yes", "4", 4, 4, 8 },
		{ BAR "width=1", "4", 1, 0, 8 },
		{ BAR "width=2 write=yes", "4", 2 | 4, 2 | 4, 8 },
		{ BAR "width=64 write=yes", "4", 64 | 4, 64 | 4, 64 },
		/* This one is memory. */
		{ RANGE, "max", ALL, 0, ~0U },
		{ RANGE "width=8 write=yes", "max", ALL | 8 | 4, ALL | 8 | 4, ~0U },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&made, 0, sizeof(made));
		keys[0].preset = rows[i].preset;
		reset(1);
		measure("test cpu=0 size=4K %s", rows[i].line);
		if (made.loads != bits_of(rows[i].loads) ||
		    made.stores != bits_of(rows[i].stores) || made.most != rows[i].most)
			fail_msg("%s: loads of %#x bytes, stores of %#x, at most %u", rows[i].line,
				 made.loads, made.stores, made.most);
		assert_true(!strstr(rows[i].line, "width=max") || made.width == MC_WIDTH_MAX);
	}
}

static void a_fault_is_an_error_that_names_the_width(void **state)
{
	memset(&made, 0, sizeof(made));
	made.fault = 16;
	keys[0].preset = "max";
	reset(1);
	assert_refused("test cpu=0 size=4K " BAR "width=16", -EOPNOTSUPP, "width");
	assert_non_null(strstr(run.error.text, "access of 16 bytes: it faults"));
	/* Nothing wider is tried then. */
	memset(&made, 0, sizeof(made));
	made.fault = 8;
	reset(1);
	measure("test cpu=0 size=4K " BAR "width=max");
	assert_int_equal(made.loads, 8);
}

static void a_narrow_loop_is_the_widest_of_8_bytes(void **state)
{
	struct mc_error e = { 0 };

	assert_int_equal(mc_loop_chosen(MC_OP_READ, MC_WIDTH_NARROW)->width, 8);
	assert_ptr_equal(mc_loop_chosen(MC_OP_READ, MC_WIDTH_MAX), mc_loop_widest(MC_OP_READ));
	/* An operation of bytes has them still. */
	assert_int_equal(mc_loop_chosen(MC_OP_REP_MOVSB, MC_WIDTH_NARROW)->width, 1);
	assert_null(mc_loop_chosen(MC_OP_NTREAD, MC_WIDTH_NARROW));
	assert_int_equal(mc_loop_check(MC_OP_NTREAD, MC_WIDTH_NARROW, &e), -EINVAL);
	assert_non_null(strstr(e.text, "width: op=ntread has no access of 8 bytes or less"));
	assert_int_equal(mc_loop_within(MC_OP_READ, 31)->width, 16);
	assert_null(mc_loop_within(MC_OP_READ, 7));
}

/* A BAR that got smaller between the check and the run. */
static void the_target_must_still_have_the_window(void **state)
{
	static const struct {
		struct mc_range window;
		u64 bytes;
		bool fits;
	} rows[] = {
		{ { 0, 4096 }, 4096, true },
		{ { 0, 4096 }, 4095, false },
		{ { 4096, 4096 }, 8192, true },
		{ { 4096, 4096 }, 4096, false },
		{ { 8192, 4096 }, 4096, false },
		{ { 0, 4096 }, 0, false },
		{ { 1ULL << 46, 1ULL << 46 }, 1ULL << 46, false },
		{ { ~0ULL - 4095, 4096 }, ~0ULL, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_error e = { 0 };
		int err = mc_target_check_window(&rows[i].window, rows[i].bytes, false, &e);

		assert_int_equal(err, rows[i].fits ? 0 : -ENODEV);
		assert_int_equal(!*e.text, rows[i].fits);
	}
}
