// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contents of a target are saved and brought back, on made-up devices: some answer wide
 * loads by ones, some drop wide stores, and all see how wide each access is.
 */
#include <stdlib.h>

#include "cmocka_all.h"
#include "arch/loops.h"
#include "arch/mmio.h"
#include "measure/target.h"
#include "measure/threads.h"
#include "platform/access.h"

#define BYTES	(5 * 4096 + 64)

unsigned int sim_drains;	/* counted, and not asked for */

static u8 device[BYTES];
static u8 before[BYTES];

/* Widths are bits here. */
static struct device {
	unsigned int answered;	/* loads of the device; others find ones */
	unsigned int taken;	/* stores to it; others are dropped */
	unsigned int faults;
	unsigned int loads;	/* that were made of it */
	unsigned int stores;
	int stop;		/* a look at the threads says so */
	u64 calls;
	u64 last;
	u64 give_up;		/* after so many calls */
} is;

static bool on_device(const void *p)
{
	return (const u8 *)p >= device && (const u8 *)p < device + BYTES;
}

static void copy(struct mc_loop_args *args, unsigned int width)
{
	if (on_device(args->b)) {
		is.loads |= width;
		if (is.answered & width)
			memcpy(args->a, args->b, args->bytes);
		else
			memset(args->a, 0xff, args->bytes);
	} else {
		assert_true(on_device(args->a));
		is.stores |= width;
		if (is.taken & width)
			memcpy(args->a, args->b, args->bytes);
	}
}

static void copy8(struct mc_loop_args *args)
{
	copy(args, 8);
}

static void copy16(struct mc_loop_args *args)
{
	copy(args, 16);
}

static void copy32(struct mc_loop_args *args)
{
	copy(args, 32);
}

/* This CPU has no access of 64 bytes. */
static const struct mc_loop loops[] = {
	{ MC_OP_COPY, 8, .run = copy8 }, { MC_OP_COPY, 16, .run = copy16 },
	{ MC_OP_COPY, 32, .run = copy32 }, { MC_OP_COPY, 64 },
};

const struct mc_loop *mc_loop_find(enum mc_op op, unsigned int width)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(loops); i++) {
		if (loops[i].width == width && op == MC_OP_COPY)
			return &loops[i];
	}
	return NULL;
}

bool mc_loop_runs(const struct mc_loop *loop)
{
	return loop->width < 64;
}

/* Ones from a wide load that the device does not answer are stored all the same. */
int mc_access_try(void *at, unsigned int width, bool stores)
{
	static u8 line[64];
	struct mc_loop_args in = { .a = line, .b = at, .bytes = width };
	struct mc_loop_args out = { .a = at, .b = line, .bytes = width };

	if (is.faults & width)
		return -EFAULT;
	if (width > 4) {
		copy(&in, width);
		if (stores)
			copy(&out, width);
	}
	return 0;
}

int mc_threads_look(struct mc_threads *threads)
{
	return is.stop;
}

/* Not called: what else the file has. */
const struct mc_mmio_loop mc_mmio_loops[1];

unsigned int mc_point_width(const struct mc_run *run, const struct mc_point *point)
{
	return 0;
}

/* ------------------------------------------------------------------- a run */

static struct mc_run run;
static struct mc_contents contents;

static bool go_on(u64 done, u64 all)
{
	assert_int_equal(all, 2 * BYTES);
	assert_true(!is.calls || done > is.last);
	assert_true(done < all);
	is.last = done;
	is.calls++;
	return is.calls != is.give_up;
}

static bool is_blank;		/* the first and the last line hold ones, as what is not answered */

static u64 room = ~0ULL;

u64 mc_memory_room(void)
{
	return room;
}

static int save(unsigned int most)
{
	const struct mc_range range = { 0x100000000, BYTES };

	for (unsigned int i = 0; i < BYTES; i++)
		device[i] = is_blank && (i < 64 || i >= BYTES - 64) ? 0xff : rand();
	memcpy(before, device, BYTES);
	memset(&run, 0, sizeof(run));
	memset(&contents, 0, sizeof(contents));
	return mc_contents_save(&contents, device, &range, &run, most);
}

static u64 bring_back(void)
{
	u64 wrong;

	memset(device, 0x77, BYTES);
	wrong = mc_contents_bring_back(&contents, device, go_on);
	mc_contents_forget(&contents);
	assert_null(contents.saved);
	return wrong;
}

#define ALL	(8 | 16 | 32 | 64)

static void contents_come_back_by_the_widest_accesses(void **state)
{
	static const struct {
		unsigned int answered, taken, faults, most;
		unsigned int load, store;
	} rows[] = {
		{ ALL, ALL, 0, ~0U, 32, 32 },
		{ ALL, ALL, 0, 64, 32, 32 },
		/* A request allows no more. */
		{ ALL, ALL, 0, 8, 8, 8 },
		{ ALL, ALL, 0, 16, 16, 16 },
		{ ALL, ALL, 0, 4, 4, 4 },
		/* The device answers no more. */
		{ 0, 0, 0, ~0U, 4, 4 },
		{ 8, 8, 0, ~0U, 8, 8 },
		{ 8 | 16, 8, 0, ~0U, 16, 8 },
		{ 0, ALL, 0, ~0U, 4, 32 },
		{ ALL, 0, 0, ~0U, 32, 4 },
		/* They fault. */
		{ ALL, ALL, 8, ~0U, 4, 4 },
		{ ALL, ALL, 32, ~0U, 16, 16 },
	}, *row;

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		is_blank = i >= ARRAY_SIZE(rows);
		row = &rows[i % ARRAY_SIZE(rows)];
		is = (struct device){ row->answered, row->taken, row->faults };
		assert_int_equal(save(row->most), 0);
		assert_memory_equal(device, before, BYTES);
		assert_int_equal(contents.load, row->load);
		assert_int_equal(contents.store, row->store);
		assert_int_equal((u64)contents.saved % 64, 0);
		assert_int_equal(bring_back(), 0);
		assert_memory_equal(device, before, BYTES);
		/* No width was tried that is more than allowed, or faults. */
		assert_true((is.loads | is.stores) <= 2 * (u64)row->most - 1);
		assert_false((is.loads | is.stores) & row->faults);
		assert_int_equal(is.calls, 2 * ((BYTES + 4095) / 4096));
	}
}

static void what_was_given_up_is_said(void **state)
{
	u64 pieces = (BYTES + 4095) / 4096, i, wrong;

	for (i = 1; i <= 2 * pieces; i++) {
		is = (struct device){ ALL, ALL };
		assert_int_equal(save(~0U), 0);
		is.give_up = i;
		wrong = bring_back();
		assert_int_equal(is.calls, i);
		/* While it stores, nothing is compared; then piece by piece. */
		if (i <= pieces)
			assert_int_equal(wrong, BYTES);
		else
			assert_int_equal(wrong, BYTES - (i - pieces - 1) * 4096);
	}
}

static void a_stop_while_saving_leaves_all_as_it_was(void **state)
{
	is = (struct device){ ALL, ALL, .stop = -EINTR };
	assert_int_equal(save(~0U), -EINTR);
	assert_null(contents.saved);
	assert_memory_equal(device, before, BYTES);
}

static void contents_that_have_no_room_are_not_begun(void **state)
{
	static const struct mc_range window = { 0, BYTES };
	struct mc_error e = { 0 };

	memset(&is, 0, sizeof(is));
	room = BYTES - 1;
	assert_int_equal(save(~0U), -ENOMEM);
	/* Nor is the device switched on. */
	assert_int_equal(mc_target_check_window(&window, BYTES, false, &e), 0);
	assert_int_equal(mc_target_check_window(&window, BYTES, true, &e), -ENOMEM);
	assert_string_equal(e.text, run.error.text);
	room = ~0ULL;
	assert_null(contents.saved);
	assert_int_equal(is.calls, 0);
	assert_non_null(strstr(run.error.text, "no memory to save the contents"));
}
