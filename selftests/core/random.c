// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/random.c natively: the real loops on real memory, with threads in
 * virtual time, so that what it reports is known to the last digit.
 */
#define TEST	mc_test_random
#include "stub/engine.h"

#include "arch/random.h"
#include "core/level.h"
#include "stub/passes.h"

#define SIZE	(5 << 20)	/* two blocks and a half */
#define BLOCK	MC_BLOCK_BYTES
#define WRONG	0xbad0bad0bad0bad0ULL

/* The second block of the working set lies first, with a gap between the blocks. */
static _Alignas(4096) u64 low[BLOCK / 8 + 512];
static _Alignas(4096) u64 high[BLOCK / 8 + 512];
static _Alignas(4096) u64 last[BLOCK / 8];

static const struct mc_span blocks[] = {
	{ high, 0, BLOCK }, { low, BLOCK, BLOCK }, { last, 2 * BLOCK, SIZE - 2 * BLOCK }
};

static const struct mc_span odd[] = {
	{ high, 0, BLOCK - 4096 }, { low, BLOCK - 4096, BLOCK + 4096 },
	{ last, 2 * BLOCK, SIZE - 2 * BLOCK }
};

static u64 *word(u64 i)
{
	for (unsigned int k = 0; k < view.n; k++)
		if (8 * i - view.spans[k].start < view.spans[k].bytes)
			return (u64 *)view.spans[k].addr + (i - view.spans[k].start / 8);
	fail();
	return NULL;
}

/* ------------------------------------------------------------- virtual time */

/* Prices and oddities of the machine. */
static struct made {
	u64 access_ps, bare_ps;	/* time of an access; bare: of making an address */
	u64 fast_sample;		/* the only bare sample that is as fast; ~0: all are */
} made;

#define MADE	.access_ps = 5 * NS, .bare_ps = 600, .fast_sample = ~0ULL
/* Where no figure matters: then fewer addresses are made. */
#define DEAR	.bare_ps = 5 * NS
static unsigned int drains;	/* of the last timed window */

/* Only the samples of the record are verified. */
static void closing(struct mc_worker *w)
{
	const struct mc_measurement *meas = sim.arg;
	bool bare = meas->hooks.tick != tick;
	u64 passes = passes_in_window(w);

	bool slow = made.fast_sample != ~0ULL && meas->done != made.fast_sample;

	/* The loop that makes addresses only does not use them. */
	for (u64 i = 0; bare && i < 128; i++)
		EXPECT(*word(i) == 0xa5a5a5a5a5a5a5a5);
	drains = w->irq_off ? sim_drains : drains;
	sim_drains = 0;
	if (w->irq_off)
		sim_spend(passes * pass_of(w)->bytes / 8 *
			  (!bare ? made.access_ps : slow ? 2 * made.bare_ps : made.bare_ps));
}

static const struct mc_view *blank_memory(const struct mc_wanted *want)
{
	memset(low, 0xa5, sizeof(low));
	memset(high, 0xa5, sizeof(high));
	memset(last, 0xa5, sizeof(last));
	return &view;
}

static void costs(void)
{
	sim.opened = note_passes;
	sim.closing = closing;
	made = (struct made){ MADE };
	view = (struct mc_view){ blocks, ARRAY_SIZE(blocks) };
	view_for = blank_memory;
}

static int guarded(int err)
{
	for (u64 i = 0; i < 512; i++) {
		assert_true(low[BLOCK / 8 + i] == 0xa5a5a5a5a5a5a5a5);
		assert_true(high[BLOCK / 8 + i] == 0xa5a5a5a5a5a5a5a5);
	}
	return err;
}

/* @...: the part behind these keys */
#define run_random(format, ...) \
	guarded(measure("random irq=off warmup=1 repeat=3 count=4K cpu=0-%u " format, \
			sim.n - 1, ##__VA_ARGS__))
#define verified(...) verdict(run_random(__VA_ARGS__))

/* --------------------------------------------------------------- right data */

static const char *const accesses[] = { "op=read", "op=read mode=dependent", "op=write" };
static const char *const generators[] = { "lcg", "xorshift128+" };
static const char *const sizes[] = { "1K", "1088", "2M", "2097216", "5M" };

static void all_modes(unsigned int threads, const char *access, const char *generator)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		reset_with(threads, DEAR);
		assert_int_equal(verified("%s generator=%s size=%s", access, generator,
					  sizes[i]), MC_VERIFIED_OK);
		shows(rec, "samples=3");
		assert_int_equal(done, 4);
		reset_with(threads, DEAR);
		assert_int_equal(verified("%s generator=%s size=%s verify=off", access,
					  generator, sizes[i]), MC_VERIFIED_OFF);
	}
	for (unsigned int i = 0; i < 3; i++) {
		bool write = !strcmp(access, "op=write");

		reset_with(threads, DEAR);
		assert_int_equal(verified("%s generator=%s size=%s align=1", access,
					  generator, sizes[i]),
				 write ? MC_VERIFIED_OFF : MC_VERIFIED_OK);
		shows(rec, write ? "verify=off" : "verify=each");
	}
}

static void test_right_data_is_ok(void **state)
{
	for (unsigned int threads = 1; threads <= 3; threads++)
		for (unsigned int i = 0; i < ARRAY_SIZE(accesses); i++)
			for (unsigned int k = 0; k < ARRAY_SIZE(generators); k++)
				all_modes(threads, accesses[i], generators[k]);
}

/* --------------------------------------------------------------- wrong data */

static u64 victim;

static void corrupt(void)
{
	if (done == 2)
		*word(victim) ^= 1ULL << victim % 50;
}

static void spoil_bytes(void)
{
	if (done == 2)
		*word(victim) += 0x0101010101010101;
}

/* 4096 accesses to 128 words meet every word, also both ends of the range. */
static void test_wrong_words_are_found(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(accesses); i++) {
		for (victim = 0; victim < 128; victim++) {
			reset_with(1 + victim % 2, DEAR);
			after_sample = corrupt;
			assert_int_equal(verified("%s size=1K", accesses[i]), MC_VERIFIED_FAILED);
			if (i == 2)
				continue;
			reset_with(1, DEAR);
			after_sample = spoil_bytes;
			assert_int_equal(verified("%s size=1K align=1", accesses[i]),
					 MC_VERIFIED_FAILED);
		}
		/* Data behind the working set do not matter. */
		reset_with(1, DEAR);
		after_sample = corrupt;
		assert_int_equal(verified("%s size=1K", accesses[i]), MC_VERIFIED_OK);
	}
}

/* All stores of the sample are lost: the previous data are still there. */
static void lose_all(void)
{
	static u64 before[128];

	for (u64 i = 0; i < 128; i++) {
		if (done == 2)
			before[i] = *word(i);
		if (done == 3)
			*word(i) = before[i];
	}
}

static void lose_one(void)
{
	if (done == 3)
		*word(77) -= 128;
}

static void test_lost_writes_are_found(void **state)
{
	reset(1);
	after_sample = lose_all;
	assert_int_equal(verified("op=write size=1K"), MC_VERIFIED_FAILED);
	reset(2);
	after_sample = lose_one;
	assert_int_equal(verified("op=write size=1K"), MC_VERIFIED_FAILED);
}

/* A loop that leaves out an access ends with another number. */
static void leave_out(void)
{
	struct mc_measurement *meas = sim.arg;
	struct mc_random_args *args = meas->each->pass.arg;

	if (done == 3)
		mc_random_next(&args->state, MC_LCG);
}

static void test_left_out_accesses_are_found(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(accesses); i++) {
		reset(1);
		after_sample = leave_out;
		assert_int_equal(verified("%s size=1K", accesses[i]), MC_VERIFIED_FAILED);
	}
}

/* ------------------------------------------------------------- wrong requests */

static void assert_fails(const char *line, int err, const char *key)
{
	assert_int_equal(run_random("%s", line), err);
	assert_names(&run.error, err, key);
}

/* As on arm64, in the place of mc_device_memory(). */
bool __wrap_mc_device_memory(enum mc_type type)
{
	return type == MC_UC;
}

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_fails("op=write mode=dependent", -EINVAL, "mode");
	assert_fails("align=1 size=2097216", -EINVAL, "align");
	assert_int_equal(run_random("align=1 size=2M"), 0);
	assert_fails("align=1 size=2M type=uc", -EOPNOTSUPP, "align");
	assert_int_equal(run_random("align=1 size=2M type=wc"), 0);
	assert_int_equal(run_random("align=8 type=uc size=1K"), 0);
	view = (struct mc_view){ odd, ARRAY_SIZE(odd) };
	assert_fails("size=2M", -ENOMEM, "page");
	assert_fails("size=5M", -ENOMEM, "page");
	assert_non_null(strstr(run.error.text, "page=4k"));
	assert_int_equal(run_random("size=2093056"), 0);
}

static void assert_unparsed(const char *line, const char *says)
{
	run.error = (struct mc_error){ 0 };
	assert_int_equal(mc_request_parse(&req, line, strlen(line), specs, &run.error), -EINVAL);
	assert_non_null(strstr(run.error.text, says));
}

static void test_counts(void **state)
{
	assert_unparsed("random count=0", "count: '0' is outside 8 to 1099511627776 accesses");
	assert_unparsed("random count=12", "count: '12' is not a multiple of 8 accesses");
	assert_unparsed("random size=1000", "size: '1000' is outside 1024 to");
	assert_unparsed("random align=2", "align: '2' is not one of 8|1");
	reset(1);
	assert_int_equal(verified("size=1K"), MC_VERIFIED_OK);
	shows(rec, "accesses=4096");
}

/* ------------------------------------------------------------------ figures */

static void test_figures_are_those_of_an_access(void **state)
{
	for (unsigned int threads = 1; threads <= 3; threads++) {
		reset(threads);
		assert_int_equal(run_random("size=1K"), 0);
		assert_int_equal(rec->has, 7);
		shows(rec, "accesses:%u payload_bytes=%u ns_per_access=4.999..5.001; "
		      "generator_ns=0.599..0.601 median_ns=20479.991..20480.009", threads * 4096,
		      threads * 4096 * 8);
		assert_true(rec->window_max_ps >= rec->stats.median_ps - 9);
	}
}

static void slower(void)
{
	made.access_ps += 1 * NS;
}

/* 6 ns after the warm-up, and one more in each sample. */
static void test_the_median_counts(void **state)
{
	reset(1);
	after_sample = slower;
	assert_int_equal(run_random("size=1K"), 0);
	shows(rec, "ns_per_access=6.999..7.001");
}

/* The loop uses no memory, so other work of the CPU only adds time. */
static void test_the_fastest_of_the_generator_counts(void **state)
{
	for (u64 i = 0; i < 10; i++) {
		reset_with(1, .fast_sample = i);
		assert_int_equal(run_random("size=1K"), 0);
		shows(rec, "generator_ns=0.599..0.601");
	}
}

static void test_writes_that_are_not_cached_are_waited_for(void **state)
{
	static const struct {
		const char *line;
		unsigned int drains;
	} rows[] = {
		{ "size=1K verify=off op=write", 0 },
		{ "size=1K verify=off op=write type=wc", 1 },
		{ "size=1K verify=off op=write type=uc", 1 },
		{ "size=1K verify=off op=read type=wc", 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		reset(1);
		assert_int_equal(run_random("%s", rows[i].line), 0);
		assert_int_equal(drains, rows[i].drains);
	}
}

static void test_a_run_cut_short_tells_what_it_knows(void **state)
{
	static const char *const lines[] = {
		"op=read size=5M", "op=write size=1K", "op=read mode=dependent size=2M"
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		reset(1);
		after_sample = stop;
		stop_after = 3;
		assert_int_equal(run_random("%s", lines[i]), -EINTR);
		shows(rec, "samples=2 verified=ok ns_per_access=4.999..5.001");
	}
}

static void test_a_set_between_caches_and_memory_is_said(void **state)
{
	reset(1);
	assert_int_equal(run_random("op=read size=2M"), 0);
	mc_record_set(rec, mc_test_random.level, MC_HIT_MEMORY);
	assert_string_equal(WRITTEN(mc_engine_note, &req, rec, 1), "");
	mc_record_set(rec, mc_test_random.level, MC_HIT_BETWEEN);
	assert_string_equal(WRITTEN(mc_engine_note, &req, rec, 1),
			    "level: no cache holds 2097152 bytes, but below four times the last ones they may serve a part\n");
}
