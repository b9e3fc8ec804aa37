// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/measure/bursts.c over a made-up device in virtual time, behind a path that takes stores
 * as long as it has room: nobody waits for them before. Of the bursts a planted share leaves whole.
 */
#include "cmocka_all.h"

#include "measure/bursts.h"
#include "platform/clock.h"
#include "stub/chance.h"

#define BYTES	(64U << 10)
#define BURSTS	1024
#define RUNS	200

struct mc_clock mc_clock = { .khz = 1000000 };	/* a tick is a nanosecond */
unsigned int sim_drains;

static u8 *memory;
static u64 now_ps;		/* time of the CPU */
static u64 free_ps;		/* when the path has sent all that it has */

/* The path: room for so many pieces, and times in picoseconds. */
static struct path {
	u64 room;
	u64 whole;		/* to send a burst that is whole, or a piece of one */
	u64 piece;
	u64 noise;		/* a piece takes up to so much longer */
	u64 drain;		/* what it takes to know that the path has all */
} path;

static u64 whole_ppm;
static unsigned int pieces;	/* of other bursts: from 2 to so many */

u64 mc_clock_raw_ns(void)
{
	static unsigned int seen;

	/* A drain takes its time, in which the path sends on. */
	if (seen != sim_drains)
		now_ps += path.drain;
	seen = sim_drains;
	return now_ps / 1000;
}

/* Give the path a transaction. The CPU waits while there is no room. */
static void send(u64 ps)
{
	u64 queued = path.room * path.piece;

	now_ps += 500;
	free_ps = (free_ps > now_ps ? free_ps : now_ps) + ps + chance(path.noise + 1);
	if (free_ps > now_ps + queued)
		now_ps = free_ps - queued;
}

/* A line gets all of its stores by two calls, as the loop of a width makes a burst: 1 and 7. */
static u64 store_words(void *at, u64 n, u64 value)
{
	unsigned int word = (uintptr_t)at / 8 % 8, more;

	if ((u8 *)at < memory || (u8 *)at >= memory + BYTES)
		return 0;
	/* One store is a transaction. So is the first one of a burst, as far as anybody knows. */
	if (!word)
		send(path.piece);
	/* The stores behind the first two complete a burst, which takes less if it is whole. */
	if (word > 1) {
		more = chance(1000000) < whole_ppm ? 0 : 1 + chance(pieces - 1);
		if (!more)
			free_ps -= path.piece - path.whole;
		for (; more; more--)
			send(path.piece);
	}
	return 0;
}

/* A load follows all stores, and waits for the answer. */
static u64 load_word(void *at, u64 n, u64 value)
{
	now_ps = (free_ps > now_ps ? free_ps : now_ps) + 1000000;
	return 0;
}

const struct mc_mmio_loop mc_mmio_loops[] = {
	{ 8, MC_CPU_BASE, { [MC_MMIO_READ] = load_word, [MC_MMIO_WRITE] = store_words } }, { }
};

static struct mc_span span;
static const struct mc_view view = { &span, 1 };

static struct mc_bursts measure(u64 bytes)
{
	struct mc_bursts b = {
		.view = &view, .bytes = bytes, .loops = mc_mmio_loop_find(8),
	};

	span = (struct mc_span){ memory, 0, bytes };
	now_ps = 0;
	free_ps = 0;
	assert_int_equal(mc_bursts_begin(&b, BURSTS), 0);
	while (!mc_bursts_done(&b))
		mc_bursts_time(&b);
	mc_bursts_end(&b);
	return b;
}

static const u64 shares[] = { 1000000, 900000, 300000, 10000, 1000 };

/* Where the CPU waits for each transaction, bursts need no stores before them. */
static void test_a_path_without_room_is_full_at_once(void **state)
{
	struct mc_bursts b;
	size_t i;

	path = (struct path){ 0, 60000, 60000, 5000, 100000 };
	pieces = 8;
	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		whole_ppm = shares[i];
		b = measure(BYTES);
		assert_true(b.share.known);
		assert_int_equal(b.before, 0);
	}
}

/* As it is behind PCIe: a whole line takes 5.4 ns, and each of its pieces 13.6 ns. */
static void test_the_interval_has_the_share_behind_a_path(void **state)
{
	static const struct path paths[] = {
		{ 4, 5400, 13600, 4000, 150000 }, { 30, 5400, 13600, 0, 150000 },
		{ 100, 13600, 13600, 300, 500000 },
	};
	unsigned int held, run;
	struct mc_bursts b;
	size_t i, k;
	u64 width;

	for (i = 0; i < ARRAY_SIZE(paths) * ARRAY_SIZE(shares); i++) {
		path = paths[i / ARRAY_SIZE(shares)];
		whole_ppm = shares[i % ARRAY_SIZE(shares)];
		for (k = 2; k <= 8; k += 6) {
			pieces = k;
			held = 0;
			width = 0;
			for (run = 0; run < RUNS / 2; run++) {
				b = measure(BYTES);
				assert_true(b.share.known);
				assert_true(b.before);
				assert_true(b.share.low_ppm <= b.share.ppm);
				assert_true(b.share.ppm <= b.share.high_ppm);
				held += b.share.low_ppm <= whole_ppm &&
					whole_ppm <= b.share.high_ppm;
				width += b.share.high_ppm - b.share.low_ppm;
			}
			print_message("room for %llu, share %llu, up to %zu pieces: %u of %u, %llu ppm wide\n",
				      path.room, whole_ppm, k, held, RUNS / 2, width / (RUNS / 2));
			assert_in_range(held, RUNS / 2 * 95 / 100, RUNS / 2);
			assert_in_range(width / (RUNS / 2), 0, 120000);
		}
	}
}

/* A path with more room than can be filled, or with too little memory to fill it, tells nothing. */
static void test_a_path_that_is_never_full_tells_nothing(void **state)
{
	path = (struct path){ 10000, 5400, 13600, 0, 150000 };
	whole_ppm = 500000;
	pieces = 2;
	assert_false(measure(BYTES).share.known);
	assert_int_equal(measure(BYTES).before, 256);
	assert_int_equal(measure(8192).before, 64);
	assert_int_equal(measure(4096).before, 0);
	path.room = 30;
	assert_false(measure(4096).share.known);
	assert_true(measure(8192).share.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_path_without_room_is_full_at_once),
		cmocka_unit_test(test_the_interval_has_the_share_behind_a_path),
		cmocka_unit_test(test_a_path_that_is_never_full_tells_nothing),
	};

	memory = aligned_alloc(4096, BYTES);
	return cmocka_run_group_tests_name("bursts", tests, NULL, NULL);
}
