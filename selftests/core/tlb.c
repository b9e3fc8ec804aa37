// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/tlb.c natively, with threads in virtual time, on a machine with two
 * TLBs of known size and price: the steps have the right place and height.
 */
#define TEST	mc_test_tlb
#include "stub/engine.h"

#include "stub/machine.h"

#define BYTES		(16ULL << 20)
#define LOAD_PS		(4 * NS)
#define SECOND_PS	(7 * NS)	/* extra cost if only the second TLB has the page */
#define PRICES		"l1_ns=4 clean_ns=4 dirty_ns=4 memory_ns=4 " \
			"tlb_entries=64 tlb2_entries=128 tlb2_ns=7 tlb_miss_ns=30"

/* ---------------------------------------------------------------- the machine */

/* Prices and oddities of the machine. */
static struct made {
	u64 cpu_ps;			/* extra cost for each CPU before this one */
	u64 first_page_ps;		/* extra cost on the first page */
	u64 odd_at;			/* number of the chase that takes another time, */
	u64 odd_tenths;			/* in tenths of what it would take */
} made;

#define MADE	.cpu_ps = 0
static u8 lines[64];			/* places in a page that were loaded from, but for page 0 */

static u64 price(const struct access *a, u64 now_ps)
{
	/* The lines close together are on the first page. */
	if (a->physical >= 4096)
		lines[a->physical / 64 % 64] = 1;
	return machine_price(a) + sim_self() * made.cpu_ps +
	       (a->physical < machine.covered ? made.first_page_ps : 0);
}

static u64 spend(u64 ps)
{
	return machine.calls == made.odd_at ? ps * made.odd_tenths / 10 : ps;
}

static void costs(void)
{
	machine_reset(PRICES, BYTES, .price = price, .spend = spend, .turn = &run.part);
	made = (struct made){ MADE };
	memset(lines, 0, sizeof(lines));
}

/* --------------------------------------------------------------------- figures */

static void assert_step(const struct mc_record *r, u64 pages, u64 tlb_ps)
{
	shows(r, "pages:%llu page_bytes:%llu median_ns:%llu ns_per_load:%llu packed_ns_per_load=4; "
	      "tlb_ns:%llu verified=ok window_max_ns=0.001..5000000", pages, machine.covered,
	      pages * (LOAD_PS + tlb_ps), LOAD_PS + tlb_ps, tlb_ps);
}

static void test_large_pages_reach_further(void **state)
{
	static const char *const pages[] = { "2m", "thp" };

	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		reset(1);
		machine.covered = 2 << 20;
		page_bytes = machine.covered;
		measured("tlb size=4M,16M page=%s", pages[i]);
		assert_int_equal(n, 2);
		assert_step(&rec[0], 2, 0);
		assert_step(&rec[1], 8, 0);
	}
	/* If huge pages were not given, or it is not known, the figures show that. */
	measured_on(1, "tlb size=16M page=thp");
	shows(rec, "pages=8 page_bytes=4096");
	reset(1);
	page_bytes = 0;
	measured("tlb size=64K page=4k");
	shows(rec, "page_bytes=null tlb_ns=0");
}

/* The lines of 63 other pages are at 63 different places in a page, so they share no set. */
static void test_loads_spread_over_the_lines_of_a_page(void **state)
{
	u64 i, used = 0;

	measured_on(1, "tlb size=256K page=4k");
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		used += lines[i];
	assert_int_equal(used, 63);
}

/* A negative difference counts as 0: 63 loads of 4 ns and one of 10 ns, or all of 10 ns. */
static void test_no_translation_gives_time_back(void **state)
{
	reset_with(1, .first_page_ps = 6 * NS);
	measured("tlb size=256K page=4k");
	shows(rec, "ns_per_load:%llu packed_ns_per_load=10 tlb_ns=0",
	      mc_rounded((63 * 4 + 10) * NS, 1, 64));
}

/* One sample that is slower than the others, or faster, changes no figure. */
static void test_the_median_of_close_lines_counts(void **state)
{
	u64 at, all, tenths;

	measured_on(1, "tlb size=512K page=4k warmup=1 repeat=3");
	all = machine.calls;
	for (at = 1; at <= all; at++) {
		for (tenths = 5; tenths <= 20; tenths += 15) {
			reset_with(1, .odd_at = at, .odd_tenths = tenths);
			measured("tlb size=512K page=4k warmup=1 repeat=3");
			assert_step(&rec[0], 128, SECOND_PS);
		}
	}
}

/* --------------------------------------------------------------- who, and where */

static void test_cpus_take_turns(void **state)
{
	reset_with(3, .cpu_ps = 1 * NS);
	measured("tlb size=512K page=4k cpu=0-2");
	assert_int_equal(n, 3);
	all_show("packed_ns_per_load=4/5/6 tlb_ns=7");
	assert_turns_on_nodes("tlb");
}

/* ------------------------------------------------------- what can go wrong */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("tlb size=4K page=4k;tlb size=64K,7K page=4k", -EINVAL, "size");
	assert_refused("tlb size=2M page=2m", -EINVAL, "size");
	assert_non_null(strstr(run.error.text, "2048K"));
	assert_refused("tlb size=8K page=4k,thp", -EINVAL, "size");
	measured("tlb size=8K page=4k");
	/* Here, page=auto is 4 KiB. */
	measured("tlb size=8K page=auto");
	shows(rec, "pages=2");
}

/* Memory whose upper half mirrors the lower half can't hold a cycle. */
static void test_what_is_no_cycle_is_found(void **state)
{
	reset(1);
	/* A page's word is 32 lines further on in the page than that 32 pages before. */
	machine.spans[0] = (struct mc_span){ memory + 4096, 0, 128 << 10 };
	machine.spans[1] = (struct mc_span){ memory + 4096 - 32 * 64, 128 << 10, 128 << 10 };
	view.n = 2;
	assert_int_equal(measure("tlb size=256K page=4k"), -EBADMSG);
	assert_int_equal(strncmp(run.error.text, "verify:", 7), 0);
	assert_int_equal(n, 1);
	shows(rec, "verified=failed");
}

static void test_a_stop_keeps_what_there_is(void **state)
{
	assert_stopped(2, 5, "tlb size=256K warmup=1 repeat=10 cpu=0,1", 1);
	shows(rec, "samples=4 packed_ns_per_load=4 tlb_ns=0 verified=ok");
	assert_stopped(2, 11 + 3, "tlb size=256K warmup=1 repeat=10 cpu=0,1", 2);
	all_show("samples=10/2");
}

/* A stop may also come while lines close together are measured: then no figure is known. */
static void test_a_stop_is_seen_everywhere(void **state)
{
	/* Close lines: linking and six samples; the others: linking and two samples. */
	unsigned int kept = stop_everywhere("tlb size=64K warmup=0 repeat=2", 1 + 6 + 1 + 2,
					    "tlb_ns=0");

	assert_in_range(kept, 1, questions - 8);
}
