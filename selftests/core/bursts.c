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
#define RUNS	200

struct mc_clock mc_clock = { .khz = 1000000 };	/* a tick is a nanosecond */
unsigned int sim_drains;

static _Alignas(4096) u8 memory[BYTES];
static u64 now_ps;		/* time of the CPU */
static u64 free_ps;		/* when the path has sent all that it has */

/*
 * The path: room for so many pieces, and times in picoseconds. What has no room yet is kept by the
 * CPU, which goes on; only a load waits.
 */
static struct path {
	u64 room;
	u64 whole;		/* to send a burst that is whole, or a piece of one */
	u64 piece;
	u64 noise;		/* the answer of a load takes up to so much longer */
	u64 store;		/* the CPU's own time for a store */
	u64 call;		/* and for a call */
	bool waits;		/* the CPU waits for each piece */
} path;

static u64 whole_ppm;
static unsigned int pieces;	/* of other bursts: from 2 to so many */
static bool wide;		/* the CPU has a store of a line */

u64 mc_clock_raw_ns(void)
{
	return now_ps / 1000;
}

bool mc_cpu_has(enum mc_feature feature)
{
	return wide;
}

static void send(u64 ps)
{
	u64 free = path.room * path.piece;

	free_ps = (free_ps > now_ps ? free_ps : now_ps) + ps;
	if (path.waits)
		now_ps = free_ps;
	/* Beyond what it has room for, the path takes one piece after another. */
	else if (free_ps > now_ps + free)
		now_ps = free_ps - free;
}

/* Return: in how many pieces a burst leaves. */
static unsigned int draw_pieces(void)
{
	return chance(1000000) < whole_ppm ? 1 : 2 + chance(pieces - 1);
}

/*
 * A single burst is stored by calls with 1, 1 and 6 words, of which the first one sends a piece.
 * Many are stored by calls with 8.
 */
static u64 store_words(void *at, u64 n, u64 value)
{
	static u8 *last;
	bool behind_last = (u8 *)at == last + 8;
	unsigned int left = 1;

	now_ps += path.call + n * path.store;
	if ((u8 *)at < memory || (u8 *)at >= memory + BYTES)
		return 0;
	last = at;
	if (n > 4)
		left = draw_pieces() - (n == 6);
	else if (behind_last)
		left = 0;
	if (n == 8 && left == 1)
		send(path.whole);
	else
		while (left--)
			send(path.piece);
	return 0;
}

static u64 load_word(void *at, u64 n, u64 value)
{
	now_ps = (free_ps > now_ps ? free_ps : now_ps) + 1000000 + chance(path.noise + 1);
	return 0;
}

static void copy_whole(void *to, const void *from)
{
	now_ps += path.call + path.store;
	send(path.whole);
}

const struct mc_mmio_loop mc_mmio_loops[] = {
	{ 8, MC_CPU_BASE, { [MC_MMIO_READ] = load_word, [MC_MMIO_WRITE] = store_words } }, { }
};

const struct mc_mmio_copy mc_mmio_ways[MC_NWAYS] = {
	[MC_WAY_MOVDIR64B] = { copy_whole, MC_CPU_BASE, .direct = true },
};

static struct mc_span span;
static const struct mc_view view = { &span, 1 };

static struct mc_bursts measure_some(u64 bytes, size_t room)
{
	struct mc_bursts b = {
		.view = &view, .bytes = bytes, .loops = mc_mmio_loop_find(8),
	};
	u64 *times;

	span = (struct mc_span){ memory, 0, bytes };
	now_ps = 0;
	free_ps = 0;
	times = calloc(MC_BURSTS_WORDS(room), sizeof(*times));
	mc_bursts_begin(&b, times, room);
	while (!mc_bursts_done(&b))
		mc_bursts_time(&b);
	free(times);
	return b;
}

static struct mc_bursts measure(u64 bytes)
{
	return measure_some(bytes, 1024);
}

static const u64 shares[] = { 1000000, 900000, 300000, 10000, 1000 };

/* Where the CPU waits for each transaction, single bursts tell, and nothing else is needed. */
static void test_single_bursts_tell_where_the_cpu_waits(void **state)
{
	struct mc_bursts b;

	path = (struct path){ .piece = 60000, .store = 500, .waits = true };
	pieces = 8;
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		whole_ppm = shares[i];
		b = measure(BYTES);
		assert_true(b.share.known);
		assert_false(b.by_rate);
	}
}

/*
 * As it is behind PCIe: a whole line takes 3 ns, each of its pieces 11.4 ns, and the answer of a
 * load varies by more than both. Loops of bytes take longer than the path for a line.
 */
static void test_the_interval_has_the_share_behind_a_path(void **state)
{
	static const struct path paths[] = {
		{ 30, 3000, 11400, 150000, 500 }, { 100, 11400, 11400, 20000, 500 },
		{ 8, 3000, 11400, 150000, 4000 }, { 30, 3000, 11400, 150000, 0, 2500 },
	};
	unsigned int held, run;
	struct mc_bursts b;
	u64 off, told;

	wide = true;
	for (size_t i = 0; i < ARRAY_SIZE(paths) * ARRAY_SIZE(shares); i++) {
		path = paths[i / ARRAY_SIZE(shares)];
		whole_ppm = shares[i % ARRAY_SIZE(shares)];
		for (size_t k = 2; k <= 8; k += 6) {
			pieces = k;
			held = 0;
			off = 0;
			told = 0;
			for (run = 0; run < RUNS; run++) {
				b = measure_some(BYTES, 128);
				assert_true(b.share.known && b.by_rate);
				assert_true(b.share.low_ppm <= b.share.ppm);
				assert_true(b.share.ppm <= b.share.high_ppm);
				held += b.share.low_ppm <= whole_ppm &&
					whole_ppm <= b.share.high_ppm;
				/* Of others the number of pieces is not known. */
				if (b.share.one_figure) {
					off += llabs((s64)b.share.ppm - (s64)whole_ppm);
					told++;
				}
			}
			print_message("path %zu, share %llu, up to %zu pieces: %u of %u\n",
				      i / ARRAY_SIZE(shares), whole_ppm, k, held, RUNS);
			assert_in_range(held, RUNS * 95 / 100, RUNS);
			assert_in_range(off, 0, told * 10000);
			assert_int_equal(told > RUNS / 2, whole_ppm == 1000000);
		}
	}
}

/* An interval from 0 to 1 says nothing. This one tells a good share from one that is not. */
static void test_the_interval_is_narrow_enough_for_a_verdict(void **state)
{
	wide = true;
	path = (struct path){ 30, 3000, 11400, 150000, 500 };
	for (pieces = 2; pieces <= 8; pieces += 6) {
		whole_ppm = 1000000;
		assert_in_range(measure(BYTES).share.low_ppm, 950000, 1000000);
		whole_ppm = 10000;
		assert_in_range(measure(BYTES).share.high_ppm, 0, 857142);
	}
}

static void test_what_is_not_told_apart_is_not_known(void **state)
{
	path = (struct path){ 30, 3000, 11400, 150000, 500 };
	whole_ppm = 500000;
	pieces = 2;
	/* There is no line that is whole for certain. */
	wide = false;
	assert_false(measure(BYTES).share.known);
	assert_false(measure(BYTES).by_rate);
	wide = true;
	assert_true(measure(BYTES).share.known);
	assert_true(measure(4096).share.known);
	assert_false(measure(2048).share.known);
	/* The path has room for all, or pieces take no time. */
	path.room = 100000;
	path.piece = 0;
	path.whole = 0;
	assert_true(measure(BYTES).by_rate);
	for (unsigned int i = 0; i < 20; i++)
		assert_false(measure(BYTES).share.known);
	/* Calls take time, and a line of more pieces has more of them. */
	path.store = 0;
	path.call = 3000;
	assert_false(measure(BYTES).share.known);
	/* A window takes as long as many bursts, so there are fewer. */
	assert_int_equal(measure_some(BYTES, 4096).times[MC_BURST].n, 1024);
}
