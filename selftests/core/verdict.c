// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a memory type has an effect, on a made-up machine in virtual time. The simulated
 * machine tests the limits; here the core is slow now and then.
 */
#include "cmocka_all.h"

#include "arch/loops.h"
#include "arch/mmio.h"
#include "measure/verdict.h"
#include "platform/clock.h"
#include "stub/chance.h"

struct mc_clock mc_clock = { .khz = 1000000 };	/* a tick is a nanosecond */

static u64 now_ns;
static u64 hit_ns, miss_ns;	/* duration of a load of a line, and after a flush */
static u64 combine_ns;		/* of the stores that fill a line; 0: of eight loads */
static unsigned int calls;	/* of the loops */
static u64 after_flush_ns;	/* an emulator takes so long for the loads behind a flush */
static unsigned int ones;	/* calls in a row with a count of 1 */
static unsigned int slow_calls;	/* so many calls, from the first one, take five times as long */
static unsigned int quick_call;	/* but not this one */

u64 mc_clock_raw_ns(void)
{
	return now_ns;
}

static u64 first_ns;			/* calls that warm up take so much longer */
static u64 seldom_ns;			/* and one transaction of 16 does */

static void take(u64 ns, u64 count)
{
	now_ns += calls < slow_calls && calls != quick_call ? 5 * ns : ns;
	now_ns += count == 1 ? first_ns : 0;
	calls++;
}

void mc_asm_reload(void *line, u64 count)
{
	ones = count == 1 ? ones + 1 : 0;
	take(8 * hit_ns * count, count);
	/* Only the last one of four such calls follows a flush. */
	if (ones && ones % 4 == 0)
		now_ns += after_flush_ns;
	/* The last round of hits and misses is slow. */
	now_ns += ones > 60 ? ones : 0;
}

void mc_asm_flush_reload(void *line, u64 count)
{
	take(8 * miss_ns * count, count);
}

/* Memory that combines: time of a transaction, and how many of a million bursts are one. */
static u64 transaction_ns;
static u64 whole_ppm;
static unsigned int pieces;	/* of the other bursts */
static u64 noise_ns;		/* a burst takes up to so much longer */

static unsigned int sim_pieces(void)
{
	return chance(1000000) < whole_ppm ? 1 : pieces;
}

void mc_asm_combine(void *line, u64 count)
{
	u64 ns = (combine_ns ? combine_ns : 8 * hit_ns) * count, i;

	for (i = 0; transaction_ns && i < count; i++)
		ns = (i ? ns : 0) + sim_pieces() * transaction_ns;
	take(ns, count);
}

unsigned int sim_drains, sim_flushes;

_Alignas(64) static char page[4096];

/* Each line of the page that gets stores is a transaction; all stores of a line are a burst. */
static u64 store_words(void *at, u64 n, u64 value)
{
	bool of_page = (char *)at >= page && (char *)at < page + sizeof(page);
	unsigned int word = (uintptr_t)at / 8 % 8;

	assert_int_equal(value, 0);
	if (of_page && !word)
		now_ns += transaction_ns + (noise_ns ? chance(noise_ns) : 0) +
			  (chance(16) ? 0 : seldom_ns);
	/* The stores behind the first two complete a burst. */
	if (of_page && word > 1)
		now_ns += (sim_pieces() - 1) * transaction_ns;
	return 0;
}

const struct mc_mmio_copy mc_mmio_ways[MC_NWAYS];

static u64 load_word(void *at, u64 n, u64 value)
{
	return 0;
}

const struct mc_mmio_loop mc_mmio_loops[] = {
	{ 8, MC_CPU_BASE, { [MC_MMIO_READ] = load_word, [MC_MMIO_WRITE] = store_words } }, { }
};

static u64 together_ns, apart_ns;

void mc_fill_by_lines(void *page, u64 words)
{
	take(together_ns * words * MC_FILL_LINES, words);
}

void mc_fill_by_words(void *page, u64 words)
{
	take(apart_ns * words * MC_FILL_LINES, words);
}

/* The verdict on a line of a type, after a quiet look at the line that it is compared with. */
static struct mc_verdict judged(enum mc_type type, unsigned int slow)
{
	_Alignas(64) static char line[64];
	struct mc_verdict v;

	slow_calls = 0;
	mc_verdict_init(line);
	calls = 0;
	slow_calls = slow;
	mc_verdict_of(&v, type, line, sizeof(line));
	return v;
}

/* A call that warms up and a round: 32 calls for the 16 rounds of a loop. */
#define A_TRY(loops)	(32 * (loops) + 1)

static void test_a_slow_try_is_no_verdict(void **state)
{
	hit_ns = 2;
	miss_ns = 2;
	assert_int_equal(judged(MC_UC, 0).effect, MC_EFFECT_NO);
	assert_int_equal(judged(MC_UC, A_TRY(2)).effect, MC_EFFECT_NO);
	assert_int_equal(judged(MC_UC, A_TRY(2)).reload_ps, 2000);
	assert_int_equal(judged(MC_WC, 3 * A_TRY(2)).effect, MC_EFFECT_NO);
}

/* One round of 16 is not slow. Its first call warms up, and its second one is timed. */
static void test_the_fastest_of_all_rounds_counts(void **state)
{
	hit_ns = 2;
	miss_ns = 2;
	for (unsigned int round = 0; round < 16; round++) {
		quick_call = 1 + 2 * round + 1;
		assert_int_equal(judged(MC_UC, ~0U).reload_ps, 2000);
		quick_call = 1 + 32 + 2 * round + 1;
		assert_int_equal(judged(MC_UC, ~0U).combine_ps, 16000);
		quick_call = 1 + 2 * 32 + 2 * round + 1;
		assert_int_equal(judged(MC_WB, ~0U).reference_ps, 2000);
	}
	quick_call = 0;
}

/* Only the reloads are slow, so that a miss seems to be no slower than a hit. */
static void test_each_time_is_the_least_of_all_tries(void **state)
{
	struct mc_verdict v;

	hit_ns = 4;
	miss_ns = 80;
	v = judged(MC_WB, A_TRY(1));
	assert_int_equal(v.effect, MC_EFFECT_YES);
	assert_int_equal(v.reload_ps, 4000);
	assert_int_equal(v.reference_ps, 80000);
}

/*
 * Loads behind a flush seem slow in an emulator that translates their code again. Where
 * write-back memory shows no cache, they are not taken for misses.
 */
static void test_no_cache_no_miss(void **state)
{
	hit_ns = 4;
	miss_ns = 80;
	after_flush_ns = 96;
	judged(MC_WB, 0);
	assert_int_equal(mc_wb_loads.hit_ps, 4000);
	assert_int_equal(mc_wb_loads.miss_ps, 100000);
	miss_ns = 4;
	judged(MC_WB, 0);
	assert_int_equal(mc_wb_loads.miss_ps, 0);
	after_flush_ns = 0;
}

/* Where a reload of a WB line takes @wb ns, that of another one @ns, and the stores @stores. */
static enum mc_effect effect(enum mc_type type, u64 wb, u64 ns, u64 stores)
{
	_Alignas(64) static char line[64];
	struct mc_verdict v;

	hit_ns = wb;
	miss_ns = wb;
	mc_verdict_init(line);
	if (type == MC_WB)
		miss_ns = ns;
	else
		hit_ns = ns;
	combine_ns = stores;
	mc_verdict_of(&v, type, line, sizeof(line));
	combine_ns = 0;
	return v.effect;
}

#define YES	MC_EFFECT_YES
#define NO	MC_EFFECT_NO
#define UNKNOWN	MC_EFFECT_UNKNOWN

static void test_each_verdict_has_its_edges(void **state)
{
	static const struct {
		enum mc_type type;
		u64 wb, ns, stores;
		enum mc_effect effect;
	} rows[] = {
		/* Eight times and 20 ns are enough for yes, twice is too little but for no. */
		{ MC_WB, 4, 32, 0, YES }, { MC_WB, 4, 31, 0, UNKNOWN }, { MC_WB, 4, 9, 0, UNKNOWN },
		{ MC_WB, 4, 8, 0, NO }, { MC_WB, 2, 22, 0, YES }, { MC_WB, 2, 21, 0, UNKNOWN },
		{ MC_WB, 2, 2, 0, NO },
		/* No time is known where the clock does not advance. */
		{ MC_WB, 0, 100, 0, UNKNOWN }, { MC_WB, 4, 0, 0, UNKNOWN },
		{ MC_UC, 0, 100, 0, UNKNOWN },
		{ MC_UC, 4, 32, 0, YES }, { MC_UC, 4, 31, 0, UNKNOWN }, { MC_UC, 4, 9, 0, UNKNOWN },
		{ MC_UC, 4, 8, 0, NO }, { MC_UC, 2, 22, 0, YES }, { MC_UC, 2, 21, 0, UNKNOWN },
		/* A reload of a WB line that takes as long has not hit a cache. */
		{ MC_UC, 19, 152, 0, YES }, { MC_UC, 20, 160, 0, UNKNOWN },
		{ MC_UC, 20, 20, 0, UNKNOWN },
		/* Stores that fill a line of WC take at most half of what effective UC takes. */
		{ MC_UC, 2, 100, 800, YES }, { MC_WC, 2, 100, 400, YES },
		{ MC_WC, 2, 100, 401, UNKNOWN }, { MC_WC, 2, 100, 400, YES },
		{ MC_WC, 2, 4, 400, NO },
		/* UC that has no effect is nothing to compare with. */
		{ MC_UC, 2, 4, 800, NO }, { MC_WC, 2, 100, 10, UNKNOWN },
	};

	/* Each round begins with a call that is not timed, so that it finds what it needs. */
	for (first_ns = 0; first_ns <= 100000; first_ns += 100000) {
		for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
			enum mc_effect found = effect(rows[i].type, rows[i].wb, rows[i].ns,
						      rows[i].stores);

			if (found != rows[i].effect)
				fail_msg("row %u, first call %llu ns: %u", i, first_ns, found);
		}
	}
	first_ns = 0;
}

static void test_what_stays_between_stays_unknown(void **state)
{
	hit_ns = 4;
	miss_ns = 20;
	assert_int_equal(judged(MC_WB, 0).effect, MC_EFFECT_UNKNOWN);
	/* Each of 8 tries times three loops by 16 rounds of two calls. */
	assert_int_equal(calls, 1 + 8 * 3 * 32);
}

/* The verdict on a WC page where loads take 200 ns, and stores in the two orders these times. */
static struct mc_verdict judge_page(u64 bytes, u64 line_by_line_ns, u64 word_by_word_ns)
{
	_Alignas(64) static char page[4096];
	struct mc_verdict v;

	slow_calls = 0;
	hit_ns = 2;
	miss_ns = 80;
	mc_verdict_init(page);
	mc_verdict_of(&v, MC_UC, page, bytes);
	assert_int_equal(v.effect, MC_EFFECT_NO);
	hit_ns = 200;
	together_ns = line_by_line_ns;
	apart_ns = word_by_word_ns;
	mc_verdict_of(&v, MC_WC, page, bytes);
	return v;
}

/* A hypervisor may honour WC and not UC, and memory of others may come alone. */
static void test_wc_is_judged_by_itself_where_uc_has_no_effect(void **state)
{
	struct mc_verdict v = judge_page(4096, 8, 200);

	assert_int_equal(v.effect, MC_EFFECT_YES);
	assert_int_equal(v.together_ps, 8000);
	assert_int_equal(v.apart_ps, 200000);
	assert_int_equal(judge_page(4096, 100, 200).effect, MC_EFFECT_YES);
	assert_int_equal(judge_page(4096, 101, 200).effect, MC_EFFECT_UNKNOWN);
	/* Uncached memory gains nothing by the order. */
	assert_int_equal(judge_page(4096, 200, 200).effect, MC_EFFECT_UNKNOWN);
	/* There is no room for a page of stores. */
	v = judge_page(1024, 8, 200);
	assert_int_equal(v.effect, MC_EFFECT_UNKNOWN);
	assert_int_equal(v.together_ps, 0);
}

/*
 * The verdict on WC where each transaction takes 100 ns, so that UC takes 800 ns for a line. Bursts
 * that are not whole leave in @in pieces.
 */
static u64 uc_ns = 800;

static struct mc_verdict judge_bursts(u64 whole, unsigned int in)
{
	struct mc_verdict v;

	hit_ns = 2;
	miss_ns = 80;
	transaction_ns = 0;
	combine_ns = uc_ns;
	mc_verdict_init(page);
	hit_ns = 200;
	mc_verdict_of(&v, MC_UC, page, sizeof(page));
	assert_int_equal(v.effect, MC_EFFECT_YES);
	combine_ns = 0;
	transaction_ns = 100;
	whole_ppm = whole;
	pieces = in;
	mc_verdict_of(&v, MC_WC, page, sizeof(page));
	transaction_ns = 0;
	return v;
}

/*
 * Bursts in two pieces cost a quarter of what UC costs. So the fastest of some tries says yes,
 * whatever the share of whole ones.
 */
static void test_bursts_that_seldom_leave_whole_are_partly_combined(void **state)
{
	static const struct {
		u64 whole_ppm;
		unsigned int pieces;
		enum mc_effect effect;
	} cases[] = {
		{ 1000000, 2, MC_EFFECT_YES }, { 1000000, 8, MC_EFFECT_YES },
		{ 950000, 2, MC_EFFECT_YES }, { 950000, 8, MC_EFFECT_YES },
		{ 857143, 2, MC_EFFECT_UNKNOWN },	/* the limit */
		{ 750000, 2, MC_EFFECT_PARTLY }, { 300000, 2, MC_EFFECT_PARTLY },
		{ 300000, 8, MC_EFFECT_PARTLY }, { 10000, 2, MC_EFFECT_PARTLY },
		{ 1000, 2, MC_EFFECT_PARTLY }, { 0, 2, MC_EFFECT_PARTLY },
		/* Nothing shows that stores are ever combined. */
		{ 0, 8, MC_EFFECT_UNKNOWN },
	};

	chance_state = 1;
	for (noise_ns = 0; noise_ns <= 30; noise_ns += 30) {
		for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
			struct mc_verdict v = judge_bursts(cases[i].whole_ppm, cases[i].pieces);

			assert_int_equal(v.effect, cases[i].effect);
			assert_true(v.share.known);
			assert_in_range(cases[i].whole_ppm, v.share.low_ppm, v.share.high_ppm);
		}
	}
	noise_ns = 0;
	/* Whole bursts that take more than half of what UC takes show nothing. */
	uc_ns = 150;
	assert_int_equal(judge_bursts(1000000, 2).effect, MC_EFFECT_UNKNOWN);
	uc_ns = 800;
}

/*
 * A bus that is busy, or translations that are missing, slow some stores down by more than a
 * transaction. That happens to all kinds of bursts alike.
 */
static void test_stores_that_are_slow_now_and_then_decide_nothing(void **state)
{
	chance_state = 2;
	for (seldom_ns = 100; seldom_ns <= 10000; seldom_ns *= 10) {
		struct mc_verdict v = judge_bursts(1000000, 2);

		assert_int_equal(v.effect, MC_EFFECT_YES);
		assert_int_equal(v.share.high_ppm, 1000000);
		v = judge_bursts(10000, 2);
		assert_int_equal(v.effect, MC_EFFECT_PARTLY);
		assert_in_range(10000, v.share.low_ppm, v.share.high_ppm);
	}
	seldom_ns = 0;
}

/* Memory that nobody waits for hides how bursts left: the fastest tries are all there is. */
static void test_a_share_that_is_not_known_changes_no_verdict(void **state)
{
	struct mc_verdict v = judge_page(4096, 8, 200);

	assert_false(v.share.known);
	assert_int_equal(v.effect, MC_EFFECT_YES);
}
