// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/tests/bandwidth.c natively: the real loops on real memory, with a team
 * in virtual time, so that what it reports is known to the last digit.
 */
#include "cmocka_all.h"

#include "stub/team.h"
#include "tests.h"

#define SIZE	(24 << 10)	/* whole lines for 2 threads with 3 arrays */
#define FIRST	(20 << 10)	/* bytes of the first span */
#define WORDS	(SIZE / 8)
#define WRONG	0xbad0bad0bad0bad0ULL
#define GUARD	0xa5a5a5a5a5a5a5a5ULL

/* As bandwidth.c numbers its columns. */
enum { COL_MB_PER_S, COL_MB_PER_S_MAX, COL_TRAVERSED, COL_PASSES };

static const char *const ops[] = {
	"read", "ntread", "write", "ntwrite", "copy", "ntcopy", "rmw", "triad"
};

/* Two spans of odd length, so that arrays straddle them, with guards. */
static _Alignas(4096) u64 low[WORDS + 16];
static _Alignas(4096) u64 high[WORDS + 16];

static const struct mc_span spans[] = {
	{ high, 0, FIRST }, { low, FIRST, SIZE - FIRST }
};

static const struct mc_view view = { spans, 2 };
static u64 uc_word[8];

static const struct mc_spec *const specs[] = { &mc_test_bandwidth.spec, NULL };
static struct mc_request req;
static struct mc_run run;
static struct mc_record rec;
static u64 pass_ps;		/* what a pass takes; 0: a window takes 1 ms */
static void (*after_sample)(void);
static unsigned int done;

static u64 *word(u64 i)
{
	return i < FIRST / 8 ? high + i : low + (i - FIRST / 8);
}

/* --------------------------------------------------------- what a run offers */

int mc_run_area(struct mc_run *r, const struct mc_point *point, struct mc_area *area)
{
	*area = (struct mc_area){ .view = &view };
	return 0;
}

void *mc_run_uc_word(struct mc_run *r)
{
	return uc_word;
}

/* All threads have passed the gate behind the sample; none has verified yet. */
void mc_run_tick(void *r)
{
	done++;
	if (after_sample)
		after_sample();
}

/* ------------------------------------------------------------- virtual time */

/* Timed windows are those with interrupts off: every line here says irq=off. */
static void (*in_window)(struct mc_worker *w);
static u64 passes_before[TEAM_MOST];

static u64 passes_of(const struct mc_worker *w)
{
	return ((struct mc_works *)sim.arg)->each[w->index].pass.passes;
}

static void opened(struct mc_worker *w)
{
	passes_before[w->index] = passes_of(w);
	if (in_window && w->irq_off)
		in_window(w);
}

static void closing(struct mc_worker *w)
{
	u64 passes = passes_of(w) - passes_before[w->index];

	if (w->irq_off)
		sim_spend(pass_ps ? passes * pass_ps : 1 * MS);
}

static void reset(unsigned int threads)
{
	run = (struct mc_run){ .req = &req, .team = sim_reset(threads) };
	sim.opened = opened;
	sim.closing = closing;
	in_window = NULL;
	after_sample = NULL;
	pass_ps = 0;
	done = 0;
}

/* @line is what follows "bandwidth irq=off warmup=1 repeat=3 ". */
static int check(const char *line)
{
	char text[200];
	int len = snprintf(text, sizeof(text),
			   "bandwidth irq=off warmup=1 repeat=3 %s", line);

	assert_int_equal(mc_request_parse(&req, text, len, specs, &run.error), 0);
	rec = (struct mc_record){ 0 };
	mc_request_point(&req, 0, &rec.point);
	return mc_test_bandwidth.check(&run, &rec.point);
}

static int measure(const char *line)
{
	struct mc_point point;
	int err = check(line);

	point = rec.point;
	memset(low, 0xa5, sizeof(low));
	memset(high, 0xa5, sizeof(high));
	uc_word[0] = ~0ULL;
	err = err ? err : mc_test_bandwidth.run(&run, &point, &rec);
	for (u64 i = 0; i < 16; i++) {
		assert_true(low[(SIZE - FIRST) / 8 + i] == GUARD);
		assert_true(high[FIRST / 8 + i] == GUARD);
	}
	return err;
}

/* Return: the verdict of the run of a line that is printed so. */
static enum mc_verified verified(const char *fmt, ...)
{
	char line[120];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	assert_int_equal(measure(line), 0);
	return rec.verified;
}

/* --------------------------------------------------------------- right data */

static void all_fences(const char *op, const char *width, const char *verify)
{
	static const char *const fences[] = { "none", "sfence", "mfence", "uc" };
	bool off = !strcmp(verify, "off");

	for (unsigned int i = 0; i < ARRAY_SIZE(fences); i++) {
		assert_int_equal(verified("size=24K op=%s width=%s verify=%s fence=%s",
					  op, width, verify, fences[i]),
				 off ? MC_VERIFIED_OFF : MC_VERIFIED_OK);
		assert_int_equal(uc_word[0] != ~0ULL, i == MC_FENCE_UC);
		assert_int_equal(rec.value[COL_TRAVERSED], SIZE);
		assert_int_equal(done, 4);
		done = 0;
	}
}

static void all_modes(const char *op, const char *width)
{
	char line[60];

	snprintf(line, sizeof(line), "op=%s width=%s", op, width);
	if (check(line))
		return;
	all_fences(op, width, "each");
	all_fences(op, width, "deferred");
	all_fences(op, width, "off");
}

static void test_right_data_is_ok(void **state)
{
	static const char *const widths[] = { "8", "16", "32", "64", "max" };

	for (unsigned int threads = 1; threads <= 2; threads++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(ops) * ARRAY_SIZE(widths); i++) {
			/* Windows smaller than a pass, then passes in a window. */
			reset(threads);
			all_modes(ops[i / 5], widths[i % 5]);
			reset(1);
			pass_ps = 150 * NS;
			all_modes(ops[i / 5], widths[i % 5]);
		}
	}
}

static void test_right_data_read_back_is_ok(void **state)
{
	for (unsigned int threads = 1; threads <= 2; threads++) {
		reset(threads);
		assert_int_equal(verified("size=24K op=write readback=on"),
				 MC_VERIFIED_OK);
		assert_int_equal(verified("size=24K op=ntwrite readback=on verify=off"),
				 MC_VERIFIED_OK);
	}
}

static void compare_fast(struct mc_worker *w)
{
	sim_spend(sim.windows < 2 ? 1 * MS : 100 * NS);
}

/* Of the writing two windows are tried, of the comparing all. */
static void test_what_was_compared_unwritten_says_nothing(void **state)
{
	reset(1);
	sim.closing = compare_fast;
	assert_int_equal(verified("size=24K op=write readback=on"), MC_VERIFIED_OK);
}

/* --------------------------------------------------------------- wrong data */

static u64 victim;		/* number of a word */
static unsigned int when;	/* after this sample */

static void flip(void)
{
	if (done == when)
		*word(victim) ^= 1ULL << 51;
}

/* It still holds what the pass before has left. */
static void lose_store(void)
{
	if (done == when)
		*word(victim) -= 1;
}

static void double_store(void)
{
	if (done == when)
		*word(victim) = *word(victim ? victim - 1 : 1);
}

static void assert_all_found(const char *op, unsigned int threads,
			     unsigned int arrays, const char *verify)
{
	static void (*const harms[])(void) = { flip, lose_store, double_store };
	u64 words = WORDS / threads / arrays;

	for (unsigned int thread = 0; thread < threads; thread++) {
		for (unsigned int i = 0; i < 3 * ARRAY_SIZE(harms); i++) {
			reset(threads);
			/* The first, one inside, the last of the array written. */
			victim = thread * arrays * words + i % 3 * (words - 1) / 2;
			when = verify[0] == 'd' ? 4 : 2;
			after_sample = harms[i / 3];
			assert_int_equal(verified("size=24K op=%s verify=%s", op, verify),
					 MC_VERIFIED_FAILED);
			assert_int_equal(rec.stats.samples, 3);
		}
	}
}

static void test_wrong_stores_are_found(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		if (!mc_ops[i].writes)
			continue;
		for (unsigned int threads = 1; threads <= 2; threads++) {
			assert_all_found(ops[i], threads, mc_ops[i].arrays, "each");
			assert_all_found(ops[i], threads, mc_ops[i].arrays, "deferred");
		}
	}
}

/* All that the sample has stored is lost: the one before is still there. */
static void lose_all(void)
{
	static u64 before[WORDS];

	for (u64 i = 0; i < WORDS / mc_ops[rec.point.v[MC_KEY_OWN]].arrays; i++) {
		if (done == 1)
			before[i] = *word(i);
		if (done == 2)
			*word(i) = before[i];
	}
}

static void second_is_first(void)
{
	for (u64 i = 0; i < WORDS / 2; i++)
		*word(WORDS / 2 + i) = *word(i);
}

static void test_stale_and_foreign_data_is_found(void **state)
{
	for (unsigned int i = MC_OP_WRITE; i < ARRAY_SIZE(ops); i++) {
		reset(1);
		after_sample = lose_all;
		assert_int_equal(verified("size=24K op=%s", ops[i]), MC_VERIFIED_FAILED);
	}
	reset(2);
	after_sample = second_is_first;
	assert_int_equal(verified("size=24K op=write"), MC_VERIFIED_FAILED);
}

static void spoil(struct mc_worker *w)
{
	if (w->index == victim * sim.n / WORDS)
		*word(victim) = WRONG;
}

/* What is read is spoilt before: read, add one to, copied, added up. */
static void test_wrong_loads_are_found(void **state)
{
	static const u8 reading[] = {
		MC_OP_READ, MC_OP_NTREAD, MC_OP_RMW, MC_OP_COPY, MC_OP_NTCOPY, MC_OP_TRIAD
	};

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(reading); i++) {
		const char *op = ops[reading[i / 2]];
		u64 words = WORDS / 2 / mc_ops[reading[i / 2]].arrays;

		reset(2);
		in_window = spoil;
		/* The last word of the last array of the first thread, or of the second. */
		victim = (i % 2 + 1) * WORDS / 2 - 1;
		assert_int_equal(verified("size=24K op=%s", op), MC_VERIFIED_FAILED);
		assert_int_equal(verified("size=24K op=%s verify=deferred", op),
				 MC_VERIFIED_FAILED);
		assert_int_equal(verified("size=24K op=%s verify=off", op), MC_VERIFIED_OFF);
		if (mc_ops[reading[i / 2]].arrays < 2)
			continue;
		victim -= words;
		assert_int_equal(verified("size=24K op=%s", op),
				 reading[i / 2] == MC_OP_TRIAD ? MC_VERIFIED_FAILED :
								 MC_VERIFIED_OK);
	}
}

/* After it was written, before it is compared: only the read back can see it. */
static void test_read_back_finds_what_is_wrong_in_between(void **state)
{
	for (victim = 0; victim < WORDS / 2; victim += 7) {
		reset(1);
		in_window = spoil;
		assert_int_equal(verified("size=24K op=ntwrite verify=off readback=on"),
				 MC_VERIFIED_FAILED);
	}
	reset(1);
	in_window = spoil;
	victim = WORDS - 1;
	assert_int_equal(verified("size=24K op=ntwrite verify=off"), MC_VERIFIED_OFF);
}

/* ------------------------------------------------------------- wrong requests */

static void assert_refused(const char *line, int err, const char *key)
{
	run.error = (struct mc_error){ 0 };
	assert_int_equal(check(line), err);
	assert_int_equal(run.error.err, err);
	assert_memory_equal(run.error.text, key, strlen(key));
	assert_int_equal(run.error.text[strlen(key)], ':');
}

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("op=ntread width=8", -EINVAL, "width");
	assert_refused("op=copy readback=on", -EINVAL, "readback");
	assert_refused("op=rmw readback=on", -EINVAL, "readback");
	assert_refused("op=read readback=on", -EINVAL, "readback");
	sim.hide = 1 << MC_CPU_AVX512F;
	assert_refused("op=write width=64", -EOPNOTSUPP, "width");
	assert_int_equal(check("op=write width=16"), 0);
	sim.hide |= 1 << MC_CPU_AVX2;
	assert_refused("op=triad width=32", -EOPNOTSUPP, "width");
	assert_int_equal(check("op=triad width=max"), 0);
	sim.hide |= 1 << MC_CPU_SSE41;
	assert_refused("op=ntread width=16", -EOPNOTSUPP, "width");
	assert_refused("op=ntread width=max", -EOPNOTSUPP, "width");
	reset(1);
	sim.n = 22;
	assert_refused("op=triad size=4K", -EINVAL, "size");
	assert_int_equal(check("op=copy size=4K"), 0);
}

/* ------------------------------------------------------------------ figures */

static void assert_rate(const char *op, const char *more, u64 bytes, u64 payload)
{
	char line[100];

	reset(1);
	pass_ps = 12345678;
	snprintf(line, sizeof(line), "op=%s %s", op, more);
	assert_int_equal(measure(line), 0);
	assert_int_equal(rec.stats.median_ps, 12345678);
	assert_int_equal(rec.value[COL_TRAVERSED], bytes);
	/* Tenths of 10^6 bytes a second. */
	assert_int_equal(rec.value[COL_MB_PER_S], payload * 10000000 / 12345678);
	assert_int_equal(rec.value[COL_MB_PER_S_MAX], payload * 10000000 / 12345678);
	assert_int_equal(rec.value[COL_PASSES], 1);
	assert_int_equal(rec.has, 0xf);
}

static void test_rates_are_those_of_the_payload(void **state)
{
	/* Each byte of the working set once, but for these two. */
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		assert_rate(ops[i], "size=24K", 24576, (i == MC_OP_RMW ? 2 : 1) * 24576);
	assert_rate("ntwrite", "size=24K readback=on", 24576, 2 * 24576);
	/* 4096 / 3 is 21 lines and a bit. */
	assert_rate("triad", "size=4K", 3 * 21 * 64, 3 * 21 * 64);
}

static void test_rates_of_threads(void **state)
{
	reset(2);
	assert_int_equal(measure("size=24K op=copy"), 0);
	/* Of each thread's array of 6 KiB a window of 4 and one of 2. */
	assert_in_range(rec.stats.median_ps, 2 * MS, 2 * MS + 100);
	assert_int_equal(rec.value[COL_MB_PER_S],
			 24576 * 10000000ULL / rec.stats.median_ps);
	assert_int_equal(rec.value[COL_TRAVERSED], SIZE);
}

static void slower(void)
{
	pass_ps += 1000 * NS;
}

static void test_medians_and_passes(void **state)
{
	reset(1);
	pass_ps = 150 * NS;
	assert_int_equal(measure("size=24K op=read width=8"), 0);
	assert_in_range(rec.value[COL_PASSES], 14, 20);
	assert_int_equal(rec.stats.median_ps, 150 * NS);
	assert_int_equal(rec.point.v[MC_KEY_OWN + 1], 8);

	reset(1);
	pass_ps = 5000 * NS;
	after_sample = slower;
	assert_int_equal(measure("size=24K op=read"), 0);
	assert_int_equal(rec.value[COL_MB_PER_S], 24576 * 10000000ULL / (7000 * NS));
	assert_int_equal(rec.value[COL_MB_PER_S_MAX], 24576 * 10000000ULL / (6000 * NS));
	assert_int_equal(rec.point.v[MC_KEY_OWN + 1], mc_loop_widest(MC_OP_READ)->width);
}

static void test_the_longest_window_is_reported(void **state)
{
	for (unsigned int threads = 1; threads <= 2; threads++) {
		reset(threads);
		assert_int_equal(measure("size=24K op=read"), 0);
		assert_int_equal(rec.window_max_ps, 1 * MS);
	}
}

static void stop(void)
{
	if (done == 3)
		mc_team_stop(run.team, -EINTR);
}

static void test_a_run_cut_short_tells_what_it_knows(void **state)
{
	reset(1);
	after_sample = stop;
	assert_int_equal(measure("size=24K op=read"), -EINTR);
	assert_int_equal(rec.stats.samples, 2);
	assert_int_equal(rec.verified, MC_VERIFIED_OK);
	reset(1);
	after_sample = stop;
	assert_int_equal(measure("size=24K op=write verify=deferred"), -EINTR);
	assert_int_equal(rec.stats.samples, 2);
	assert_int_equal(rec.verified, MC_VERIFIED_OFF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_data_is_ok),
		cmocka_unit_test(test_right_data_read_back_is_ok),
		cmocka_unit_test(test_what_was_compared_unwritten_says_nothing),
		cmocka_unit_test(test_wrong_stores_are_found),
		cmocka_unit_test(test_stale_and_foreign_data_is_found),
		cmocka_unit_test(test_wrong_loads_are_found),
		cmocka_unit_test(test_read_back_finds_what_is_wrong_in_between),
		cmocka_unit_test(test_what_cant_be_run_is_refused),
		cmocka_unit_test(test_rates_are_those_of_the_payload),
		cmocka_unit_test(test_rates_of_threads),
		cmocka_unit_test(test_medians_and_passes),
		cmocka_unit_test(test_the_longest_window_is_reported),
		cmocka_unit_test(test_a_run_cut_short_tells_what_it_knows),
	};

	return cmocka_run_group_tests_name("bandwidth", tests, NULL, NULL);
}
