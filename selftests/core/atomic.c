// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/atomic.c natively, with threads in virtual time: rates and shares of CPUs of
 * which one takes longer, and atomics that are lost.
 */
#define TEST	mc_test_atomic
#include "stub/engine.h"

#include "stub/machine.h"

static const char *const ops[] = { "xadd", "cmpxchg", "xchg", "fetch_or" };
static const char *const places[] = { "word", "line", "apart" };

static u64 times;		/* what CPU 1 takes in place of once */
static u64 lost;		/* each so many atomics one is lost; 0: none */
static u64 asked;
static u64 lines;		/* lines that were accessed, a bit each */
static u64 words;		/* the same of the words of all lines */

static u64 price(const struct access *a, u64 now_ps)
{
	lines |= 1ULL << a->physical / 64 % 64;
	words |= 1ULL << a->physical / 8 % 64;
	return NS * (sim_self() ? times : 1);
}

static bool keeps(const void *at)
{
	return !lost || ++asked % lost;
}

static void costs(void)
{
	machine_reset("l1_ns=1", MACHINE_BYTES, .price = price, .keeps = keeps);
	memset(memory, 0xa5, 4096);
	times = 1;
	lost = 0;
	asked = 0;
	lines = 0;
	words = 0;
}

static void run_line(const char *op, const char *place)
{
	verdict(measure("atomic op=%s place=%s cpu=0-%u count=1K repeat=3", op, place, sim.n - 1));
	assert_int_equal(n, 1);
}

/* Two accesses of 1 ns, or with a comparison three; CPU 1 takes three times as long. */
static void test_rates_and_shares(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		u64 each = (i == 1 ? 3 : 2) * NS;

		reset(1);
		run_line(ops[i], "word");
		shows(rec, "ns_per_op:%llu million_per_s:%llu share_least_percent=100", each,
		      mc_rounded(1000000, 1000, each));
		reset(2);
		times = 3;
		run_line(ops[i], "apart");
		/* 4/3 as many a second as one CPU does. */
		shows(rec, "ns_per_op:%llu..%llu share_least_percent=24.99..25.01; "
		      "share_most_percent=74.99..75.01 verified=ok", 1499 * each / 1000,
		      1501 * each / 1000);
		shows(rec, i == 1 ? "succeeded_percent=0..100" : "succeeded_percent=null");
	}
}

static void test_places(void **state)
{
	static const u64 lines_of[] = { 1, 1, 0x11 }, words_of[] = { 1, 3, 1ULL << 32 | 1 };

	for (unsigned int i = 0; i < ARRAY_SIZE(places); i++) {
		reset(2);
		run_line("xadd", places[i]);
		assert_int_equal(lines, lines_of[i]);
		assert_int_equal(words, words_of[i]);
		shows(rec, "verified=ok");
	}
}

/* Every atomic of xadd shows; comparisons on a shared word may fail. */
static void test_lost_atomics(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(places); i++) {
		reset(2);
		lost = 5000;
		run_line("xadd", places[i]);
		shows(rec, "verified=failed");
		reset(2);
		lost = 4;
		run_line("cmpxchg", places[i]);
		assert_int_equal(rec->verified, i ? MC_VERIFIED_FAILED : MC_VERIFIED_OK);
		shows(rec, "succeeded_percent=75");
		for (unsigned int op = 2; op < ARRAY_SIZE(ops); op++) {
			reset(2);
			lost = 1;
			run_line(ops[op], places[i]);
			shows(rec, "verified=failed");
		}
	}
}

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(2);
	assert_refused("atomic cpu=0-1 type=uc", -EINVAL, "type");
	assert_refused("atomic cpu=0-1 split=yes place=line", -EINVAL, "split");
	assert_refused("atomic cpu=0-1 split=yes place=word", -EOPNOTSUPP, "split");
	assert_refused("atomic cpu=0-1 op=xadd_llsc", -EOPNOTSUPP, "op");
	reset(5);
	assert_refused("atomic cpu=0-4 size=1K", -EINVAL, "size");
}
