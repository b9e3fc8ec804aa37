// SPDX-License-Identifier: GPL-2.0-only
/* The loops of single accesses, as assembled: what they load, what they store, and where. */
#include "cmocka_all.h"

#include "arch/mmio.h"
#include "stub/cpu.h"

#define VALUE	0x8877665544332211ULL
#define AROUND	64		/* bytes before and behind, which stay as they are */
#define MOST	(64 * 64)

static u8 memory[MOST + 2 * AROUND] __attribute((aligned(64)));
static u8 *const at = memory + AROUND;

static void each_loop(void (*test)(const struct mc_mmio_loop *loop, u64 n))
{
	const struct mc_mmio_loop *loop;

	for (loop = mc_mmio_loops; loop->width; loop++) {
		if (!cpu_runs(loop->feature))
			continue;
		for (u64 n = 1; n <= MOST / 64; n = 2 * n + 1) {
			memset(memory, 0xcc, sizeof(memory));
			test(loop, n);
		}
	}
}

/* What the memory has after @bytes were stored with VALUE, repeated by @width at most. */
static void assert_stored(u64 bytes, unsigned int width)
{
	for (u64 i = 0; i < sizeof(memory); i++) {
		bool inside = i >= AROUND && i < AROUND + bytes;
		u64 byte = (i - AROUND) % (width < 8 ? width : 8);

		assert_int_equal(memory[i], inside ? (u8)(VALUE >> 8 * byte) : 0xcc);
	}
}

static void check_read(const struct mc_mmio_loop *loop, u64 n)
{
	u64 last = 0;

	for (u64 i = 0; i < n * loop->width; i++)
		at[i] = i * 7 + 1;
	memcpy(&last, at + (n - 1) * loop->width, loop->width < 8 ? loop->width : 8);
	assert_true(loop->run[MC_MMIO_READ](at, n, VALUE) == last);
	for (u64 i = 0; i < n * loop->width; i++)
		assert_int_equal(at[i], (u8)(i * 7 + 1));
}

static void check_write(const struct mc_mmio_loop *loop, u64 n)
{
	assert_true(loop->run[MC_MMIO_WRITE](at, n, VALUE) == 0);
	assert_stored(n * loop->width, loop->width);
}

static void check_write_read(const struct mc_mmio_loop *loop, u64 n)
{
	assert_true(loop->run[MC_MMIO_WRITE_READ](at, n, VALUE) == 0);
	assert_stored(n * loop->width, loop->width);
}

static void check_burst(const struct mc_mmio_loop *loop, u64 n)
{
	assert_true(loop->run[MC_MMIO_BURST](at, n, VALUE) == 0);
	assert_stored(n * MC_MMIO_LINE, loop->width);
}

static void test_single_accesses(void **state)
{
	each_loop(check_read);
	each_loop(check_write);
	each_loop(check_write_read);
	each_loop(check_burst);
}

/* Every way to store a line copies that line, and nothing beside it. */
static void test_copies_of_a_line(void **state)
{
	static u8 from[3 * 64] __attribute((aligned(64)));
	unsigned int i, way, ways = 0;

	for (i = 0; i < sizeof(from); i++)
		from[i] = i * 5 + 3;
	for (way = 0; way < MC_NWAYS; way++) {
		const struct mc_mmio_copy *w = &mc_mmio_ways[way];

		if (!w->copy || !cpu_runs(w->feature))
			continue;
		ways++;
		memset(memory, 0xcc, sizeof(memory));
		w->copy(at, from + 64);
		for (i = 0; i < sizeof(memory); i++)
			assert_int_equal(memory[i], i >= AROUND && i < AROUND + 64 ?
					 from[i - AROUND + 64] : 0xcc);
	}
	assert_null(mc_mmio_ways[MC_WAY_STORES].copy);
	assert_in_range(ways, 2, MC_NWAYS);
}

static void test_each_width_has_a_row(void **state)
{
	unsigned int width = 1;
	const struct mc_mmio_loop *loop;

	for (loop = mc_mmio_loops; loop->width; loop++, width *= 2) {
		assert_int_equal(loop->width, width);
		assert_ptr_equal(mc_mmio_loop_find(width), loop);
	}
	assert_null(mc_mmio_loop_find(3));
	assert_null(mc_mmio_loop_find(width));
}
