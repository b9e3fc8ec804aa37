// SPDX-License-Identifier: GPL-2.0-only
/* The test bandwidth natively: it accepts right data, and finds wrong data. */
#include "stub/bandwidth.h"

/* --------------------------------------------------------------- right data */

static void all_fences(const char *op, const char *width, const char *verify)
{
	static const char *const fences[] = { "none", "sfence", "mfence", "uc" };
	bool off = !strcmp(verify, "off");

	for (unsigned int i = 0; i < ARRAY_SIZE(fences); i++) {
		assert_int_equal(verified("size=30K op=%s width=%s verify=%s fence=%s",
					  op, width, verify, fences[i]),
				 off ? MC_VERIFIED_OFF : MC_VERIFIED_OK);
		assert_int_equal(uc_word[0] != ~0ULL, i == MC_FENCE_UC);
		shows(rec, "traversed_bytes=30720");
		assert_int_equal(done, 4);
		done = 0;
	}
}

/* Every word of the first array, whatever its spans. */
static u64 or_of_first(void)
{
	u64 bits = 0;

	for (u64 i = 0; i < WORDS / mc_ops[rec->point.v[MC_KEY_FIRST]].arrays; i++)
		bits |= *word(i);
	return bits;
}

static const char *const other_data[] = { "random", "zero" };

static void all_modes(const char *op, const char *width)
{
	if (check("op=%s width=%s", op, width))
		return;
	all_fences(op, width, "each");
	all_fences(op, width, "deferred");
	all_fences(op, width, "off");
	for (unsigned int zero = 0; zero < ARRAY_SIZE(other_data); zero++) {
		if (check("op=%s width=%s data=%s", op, width, other_data[zero]))
			continue;
		/* The sum of zeros can't show that a loop has read them. */
		assert_int_equal(verified("size=30K op=%s width=%s data=%s", op, width,
					  other_data[zero]),
				 zero && !strcmp(op, "ntread") ? MC_VERIFIED_OFF : MC_VERIFIED_OK);
		assert_true(!zero || !or_of_first());
	}
}

static bool runs(unsigned int op)
{
	return mc_loop_widest(op);
}

static void test_right_data_is_ok(void **state)
{
	static const char *const widths[] = { "8", "16", "32", "64", "max" };

	for (unsigned int i = 0; i < 3 * ARRAY_SIZE(ops) * ARRAY_SIZE(widths); i++) {
		/* Passes in a window, then windows smaller than a pass. */
		reset(1 + (i % 3 == 2));
		pass_ps = i % 3 ? 0 : 600 * NS;
		all_modes(ops[i / 15], widths[i / 3 % 5]);
	}
}

/* A piece of an array begins at any of the lines whose words a loop's registers hold. */
static void test_right_data_in_pieces_is_ok(void **state)
{
	static const char *const of[] = {
		"write", "ntwrite", "rw11", "write readback=on", "ntwrite readback=on verify=off",
		"write_clwb readback=on",
	};

	for (unsigned int i = 0; i < 4 * 4 * 4 * ARRAY_SIZE(of); i++) {
		unsigned int width = 8 << i / 4 % 4, lines = i / 16 % 4;
		const char *op = of[i / 64];

		reset(1 + i / 2 % 2);
		pass_ps = i % 2 ? 600 * NS : 0;
		if (!check("op=%s width=%u", op, width))
			assert_int_equal(verified("size=%u op=%s width=%u", SIZE - 128 * lines, op,
						  width), MC_VERIFIED_OK);
	}
}

/* Windows smaller than a pass, then passes in a window; pieces in both. */
static void test_right_data_of_streams_is_ok(void **state)
{
	static const unsigned int streams[] = { 1, 2, 4, 8, 16 };

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(ops) * ARRAY_SIZE(streams); i++) {
		const char *op = ops[i / 2 / ARRAY_SIZE(streams)];
		unsigned int n = streams[i / 2 % ARRAY_SIZE(streams)];

		reset(1 + i % 2);
		pass_ps = i % 2 ? 0 : 600 * NS;
		if (check("size=24K op=%s streams=%u", op, n))
			continue;
		assert_int_equal(verified("size=24K op=%s streams=%u", op, n), MC_VERIFIED_OK);
		/* The streams take a whole number of turns. */
		assert_int_equal(figure(rec, "traversed_bytes") % (n * MC_STREAM_BYTES), 0);
		shows(rec, "traversed_bytes=16384..24576");
	}
}

/* An operation that says so leaves its memory alone, unless it may be written. */
static void test_what_must_not_be_written_stays_as_it_is(void **state)
{
	static const char target[] = "target=phys:0x30000000+1M";
	unsigned int readers = 0, wanted = 0;
	char line[100];

	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		wanted += !mc_ops[i].stores && runs(i);
		reset(2);
		snprintf(line, sizeof(line), "size=24K op=%s %s", ops[i], target);
		if (check("%s", line) || !mc_test_bandwidth.reads_only(&rec->point))
			continue;
		readers++;
		assert_int_equal(verified("%s", line), MC_VERIFIED_OFF);
		assert_int_equal(done, 4);
		for (u64 j = 0; j < WORDS; j++)
			assert_true(*word(j) == GUARD);
		assert_int_equal(verified("%s write=yes", line), MC_VERIFIED_OK);
	}
	assert_int_equal(readers, wanted);
}

static void compare_fast(struct mc_worker *w)
{
	sim_spend(sim.windows < 2 ? 1 * MS : 100 * NS);
}

/* Two windows of the writing are tried, but all windows of the comparing. */
static void test_what_was_compared_unwritten_says_nothing(void **state)
{
	reset(1);
	sim.closing = compare_fast;
	assert_int_equal(verified("size=24K op=write readback=on"), MC_VERIFIED_OK);
}

/* In one piece, in windows smaller than a pass and then with passes in a window. */
static void test_right_data_in_random_order_is_ok(void **state)
{
	static _Alignas(4096) u64 memory[WORDS];
	static const struct mc_span whole = { memory, 0, SIZE };
	char line[80];

	for (unsigned int i = 0; i < 12 * ARRAY_SIZE(ops); i++) {
		static const char *const words[] = { "counter", "random", "zero" };
		const char *op = ops[i / 12], *data = words[i / 4 % 3];

		reset(1 + i % 2);
		view = (struct mc_view){ &whole, 1 };
		view_for = NULL;
		pass_ps = i % 2 ? 0 : 600 * NS;
		snprintf(line, sizeof(line), "op=%s data=%s fence=%s pattern=random", op, data,
			 i / 2 % 2 ? "sfence" : "none");
		if (check("%s", line))
			continue;
		/* The sum of zeros can't show that a loop has read them. */
		assert_int_equal(verified("size=30K %s", line),
				 !strcmp(op, "ntread") && i / 4 % 3 == 2 ? MC_VERIFIED_OFF :
									  MC_VERIFIED_OK);
		shows(rec, "traversed_bytes=30720");
	}
	reset(1);
	assert_int_equal(check("op=rw41 pattern=random"), -EINVAL);
	assert_int_equal(check("op=rep_movsb pattern=random"), -EINVAL);
	assert_int_equal(check("op=rw31 width=8 pattern=random"), -EINVAL);
	assert_int_equal(check("op=write readback=on pattern=random"), -EINVAL);
	assert_int_equal(check("op=write streams=2 pattern=random"), -EINVAL);
	assert_non_null(strstr(run.error.text, "pattern: "));
}

/* The key names what it can't have, and another value is measured. */
static void test_data_that_an_operation_lacks_is_refused(void **state)
{
	static const char *const refused[] = {
		"op=rmw data=zero",
		"op=fetch_or data=zero", "op=triad data=random", "op=nttriad4 data=random",
		"op=rep_stosb data=random", "op=rw31 width=8 data=zero",
		"op=rw11 width=8 data=random", "op=write readback=on data=zero",
	};
	static const char *const taken[] = {
		"op=rmw data=random",
		"op=xchg data=zero", "op=triad4 data=zero", "op=rep_stosb data=zero",
		"op=rw31 width=16 data=zero", "op=write readback=on data=random",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		reset(1);
		assert_int_equal(check("%s", refused[i]), -EINVAL);
		assert_non_null(strstr(run.error.text, "data"));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(taken); i++) {
		reset(1);
		assert_int_equal(verified("size=30K %s", taken[i]), MC_VERIFIED_OK);
	}
}

/* --------------------------------------------------------------- wrong data */

static u64 victim;		/* number of a word */
static u64 kept;		/* its value before the sample */
static unsigned int when;	/* after this sample */

static void flip(void)
{
	if (done == when)
		*word(victim) ^= 1ULL << 51;
}

/* The word still holds the value of the previous pass. */
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

/* In each array that is written: of some operations there are two. */
static void assert_all_found(unsigned int op, unsigned int threads, const char *verify)
{
	static void (*const harms[])(void) = { flip, lose_store, double_store };
	u64 words = WORDS / threads / mc_ops[op].arrays;

	for (unsigned int part = 0; part < threads * mc_op_written(&mc_ops[op]); part++) {
		for (unsigned int i = 0; i < 3 * ARRAY_SIZE(harms); i++) {
			reset(threads);
			/* If words are equal, none can be in the place of another. */
			if (harms[i / 3] == double_store &&
			    (strstr(ops[op], "stos") || strstr(ops[op], "_or")))
				continue;
			/* The first, the middle and the last word of a thread's part of it. */
			victim = part * words + i % 3 * (words - 1) / 2;
			when = verify[0] == 'd' ? 4 : 2;
			after_sample = harms[i / 3];
			assert_int_equal(verified("size=30K op=%s verify=%s", ops[op], verify),
					 MC_VERIFIED_FAILED);
			shows(rec, "samples=3");
		}
	}
}

/* ----------------------------------------------------------------- odd places */

static u64 distance;		/* that the arrays have, modulo 4 KiB; 4096: none was asked for */

static void look_at_places(struct mc_worker *w)
{
	const struct mc_pass *p = pass_of(w);

	if (distance < 4096)
		assert_int_equal((p->offset[1] - p->offset[0]) % 4096, distance);
}

static void flip_byte(void)
{
	if (done == when)
		((u8 *)high)[victim] ^= 1;
}

/* All bytes of the first array are verified, and none behind them. */
static void odd(const char *op, u64 align, u64 tail, u64 apart)
{
	u64 arrays = mc_ops[strcmp(op, "rep_stosb") ? MC_OP_COPY : MC_OP_WRITE].arrays;
	u64 bytes = ((16384 / arrays - 128 - (apart < 4096 ? 4096 : 0)) & ~63ULL) + tail;
	char line[120], *at = line + sprintf(line, "size=16K op=%s align=%llu tail=%llu", op,
					     (unsigned long long)align, (unsigned long long)tail);

	if (apart < 4096)
		sprintf(at, " distance=%llu", (unsigned long long)apart);
	for (unsigned int i = 0; i < 4; i++) {
		reset(1);
		distance = apart;
		in_window = look_at_places;
		when = 2;
		/* The byte behind the array, the last one, the middle one, the first one. */
		victim = align + (i == 3 ? 0 : i == 2 ? bytes / 2 : bytes - i);
		after_sample = flip_byte;
		assert_int_equal(verified("%s", line), i ? MC_VERIFIED_FAILED : MC_VERIFIED_OK);
		shows(rec, "traversed_bytes:%llu", bytes * arrays);
	}
}

static void test_odd_places(void **state)
{
	static const u64 few[] = { 0, 1, 33, 63 };

	for (unsigned int a = 0; a < ARRAY_SIZE(few); a++) {
		for (unsigned int t = a == 0; t < ARRAY_SIZE(few); t++) {
			odd("rep_movsb", few[a], few[t], 4096);
			odd("rep_movsb", few[a], few[t], 64 * few[t] + few[a]);
			odd("rep_stosb", few[a], few[t], 4096);
		}
		odd("copy width=8", few[a], 0, 4032);
		odd("ntcopy width=8", few[a], 0, 17);
	}
	reset(2);
	assert_int_equal(verified("size=16K op=triad4 width=8 align=5"), MC_VERIFIED_OK);
	/* This memory is in two pieces. */
	reset(1);
	assert_int_equal(transfer("size=30K op=copy width=8 align=1"), -EINVAL);
	assert_names(&run.error, -EINVAL, "size");
}

/* The word still holds what it held before the sample's first window. */
static void lose_new_word(void)
{
	if (done == when)
		*word(victim) = kept;
}

static void keep(struct mc_worker *w)
{
	if (done == when - 1 && !kept)
		kept = *word(victim);
}

static void test_lost_stores_of_other_data_are_found(void **state)
{
	for (unsigned int i = 0; i < 4 * ARRAY_SIZE(ops); i++) {
		const char *op = ops[i / 4], *data = other_data[i % 2];
		const char *verify = i / 2 % 2 ? "deferred" : "each";
		char line[80];

		snprintf(line, sizeof(line), "op=%s data=%s verify=%s", op, data, verify);
		if (!mc_ops[i / 4].stores || !runs(i / 4))
			continue;
		reset(1);
		/* With verify=deferred all samples copy the same words, unless they are zeros. */
		if (check("%s", line) || (i % 4 == 2 && mc_ops[i / 4].stores != MC_STORES_COUNTER))
			continue;
		victim = 100;
		when = verify[0] == 'd' ? 4 : 2;
		in_window = keep;
		after_sample = lose_new_word;
		kept = 0;
		assert_int_equal(verified("size=30K %s", line), MC_VERIFIED_FAILED);
		assert_int_not_equal(kept, 0);
	}
}

static void test_wrong_stores_are_found(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		if (!mc_ops[i].stores || !runs(i))
			continue;
		for (unsigned int threads = 1; threads <= 2; threads++) {
			assert_all_found(i, threads, "each");
			assert_all_found(i, threads, "deferred");
		}
	}
}

/* All stores of the sample are lost: the data of the previous one are still there. */
static void lose_all(void)
{
	static u64 before[WORDS];

	for (u64 i = 0; i < WORDS / mc_ops[rec->point.v[MC_KEY_FIRST]].arrays; i++) {
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
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		if (!mc_ops[i].stores || !runs(i))
			continue;
		reset(1);
		after_sample = lose_all;
		assert_int_equal(verified("size=30K op=%s", ops[i]), MC_VERIFIED_FAILED);
	}
	reset(2);
	after_sample = second_is_first;
	assert_int_equal(verified("size=30K op=write"), MC_VERIFIED_FAILED);
	assert_int_equal(verified("size=30K op=rep_stosb"), MC_VERIFIED_FAILED);
}

/* The thread that spoils the word, which is its own. */
static unsigned int spoiler;

static void corrupt(struct mc_worker *w)
{
	if (w->index == spoiler)
		*word(victim) = WRONG;
}

/* Data are spoilt before they are read, incremented, copied or added up. */
static void test_wrong_loads_are_found(void **state)
{
	static const u8 reading[] = {
		MC_OP_READ, MC_OP_NTREAD, MC_OP_RMW, MC_OP_COPY, MC_OP_NTCOPY, MC_OP_TRIAD,
		MC_OP_NTTRIAD, MC_OP_SCALE, MC_OP_ADD, MC_OP_TRIAD4, MC_OP_NTTRIAD4, MC_OP_RW31,
		MC_OP_RW21, MC_OP_RW11, MC_OP_RW32, MC_OP_RW41,
		MC_OP_RW91, MC_OP_NTRW31, MC_OP_NTRW21, MC_OP_NTRW11, MC_OP_NTRW32, MC_OP_NTRW41,
		MC_OP_NTRW91, MC_OP_MOVDIR64B, MC_OP_REP_MOVSB
	};

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(reading); i++) {
		const char *op = ops[reading[i / 2]];
		unsigned int arrays = mc_ops[reading[i / 2]].arrays;
		unsigned int written = max(mc_op_written(&mc_ops[reading[i / 2]]), 1U);
		u64 words = WORDS / 2 / arrays;

		if (!runs(reading[i / 2]))
			continue;
		reset(2);
		in_window = corrupt;
		/* The last word of the last array of the first thread, or of the second. */
		spoiler = i % 2;
		victim = (2 * arrays - 1 + spoiler) * words - 1;
		assert_int_equal(verified("size=30K op=%s", op), MC_VERIFIED_FAILED);
		assert_int_equal(verified("size=30K op=%s verify=deferred", op),
				 MC_VERIFIED_FAILED);
		assert_int_equal(verified("size=30K op=%s verify=off", op), MC_VERIFIED_OFF);
		/* The arrays before it are read, too, except the first ones, which are written. */
		while (--arrays) {
			victim -= 2 * words;
			assert_int_equal(verified("size=30K op=%s", op),
					 arrays > written ? MC_VERIFIED_FAILED : MC_VERIFIED_OK);
		}
	}
	spoiler = 0;
}

/* A word is wrong after a sample that is neither the first nor the last one, behind a warm-up. */
static void flip_and_back(void)
{
	if (done == 3 || done == 4)
		*word(victim) ^= 1ULL << 51;
}

/* Nothing changes what is only read, so the test looks at it after the first and last sample. */
static void test_what_is_only_read_is_checked_twice(void **state)
{
	static const char *const of[] = { "read", "write", "read" };

	victim = 100;
	when = 3;
	for (unsigned int i = 0; i < ARRAY_SIZE(of); i++) {
		reset(1);
		after_sample = i < 2 ? flip_and_back : flip;
		assert_int_equal(verified("size=30K op=%s", of[i]),
				 i ? MC_VERIFIED_FAILED : MC_VERIFIED_OK);
	}
}

/* A loop that reads one of them twice, in place of another, gets another sum. */
static void test_arrays_that_are_read_differ(void **state)
{
	reset(1);
	assert_int_equal(verified("size=30K op=rw31"), MC_VERIFIED_OK);
	for (u64 i = 0; i < WORDS / 4; i++) {
		assert_int_not_equal(*word(WORDS / 4 + i), *word(WORDS / 2 + i));
		assert_int_not_equal(*word(WORDS / 4 + i), *word(3 * WORDS / 4 + i));
		assert_int_not_equal(*word(WORDS / 2 + i), *word(3 * WORDS / 4 + i));
	}
}

static u64 denormals;

static void count_denormals(struct mc_worker *w)
{
	/* Arrays b and c of three. */
	for (u64 i = WORDS / 3; i < WORDS; i++)
		denormals += *word(i) >> 52 == 0;
}

/* A calibration with denormals would make samples much too short; memory is 0 at first. */
static void test_triads_never_compute_with_denormals(void **state)
{
	reset(1);
	in_window = count_denormals;
	blank = 0;
	assert_int_equal(verified("size=30K op=triad"), MC_VERIFIED_OK);
	assert_int_equal(verified("size=30K op=nttriad verify=deferred"), MC_VERIFIED_OK);
	assert_int_equal(verified("size=30K op=triad4"), MC_VERIFIED_OK);
	assert_int_equal(verified("size=30K op=add"), MC_VERIFIED_OK);
	blank = 0xa5;
	assert_int_equal(denormals, 0);
}

/* A word is spoilt after it was written: only the read back can see that. */
static void test_read_back_finds_what_is_wrong_in_between(void **state)
{
	for (victim = 0; victim < WORDS / 2; victim += 7) {
		reset(1);
		in_window = corrupt;
		assert_int_equal(verified("size=30K op=ntwrite verify=off readback=on"),
				 MC_VERIFIED_FAILED);
	}
	reset(1);
	in_window = corrupt;
	victim = WORDS - 1;
	assert_int_equal(verified("size=30K op=ntwrite verify=off"), MC_VERIFIED_OFF);
}
