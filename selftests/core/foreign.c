// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that nobody vouches for: windows of which some pages are no memory, or the same memory
 * as others. Each page is tried before it is used, and each pointer before it is followed.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "measure/engine.h"

/* The tests that follow pointers. */
static const struct mc_spec *const specs[] = {
	&mc_test_latency.spec, &mc_test_loaded.spec, &mc_test_c2c.spec, &mc_test_line.spec,
	&mc_test_tlb.spec, NULL
};

#include "stub/engine.h"

#include "arch/chase.h"
#include "measure/chase.h"
#include "measure/target.h"
#include "platform/access.h"

#define PAGE	4096ULL
#define PAGES	128ULL
#define BYTES	(PAGES * PAGE)
#define START	0x100000000ULL	/* physical address of the window */
#define TRAP	0x100		/* the trap flag: the CPU stops behind the next instruction */

/* ---------------------------------------------------------------- the window */

static u8 *memory;		/* the window; a hole in it drops what is written */
static u64 hole_from, hole_to;	/* bytes of the window that are a hole */
static int hole_reads;		/* each byte that is read there */
static int file;		/* the pages of the window */

static void protect(int prot)
{
	if (hole_to > hole_from)
		mprotect(memory + hole_from, hole_to - hole_from, prot);
}

/* A store into the hole: let it happen, and stop behind it. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	u64 offset = (u8 *)info->si_addr - memory;

	if (offset < hole_from || offset >= hole_to)
		abort();
	protect(PROT_READ | PROT_WRITE);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	memset(memory + hole_from, hole_reads, hole_to - hole_from);
	protect(PROT_READ);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP;
}

/* Memory everywhere, which holds numbers. */
static void fill_window(void)
{
	protect(PROT_READ | PROT_WRITE);
	hole_from = 0;
	hole_to = 0;
	assert_ptr_equal(mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			      file, 0), memory);
	for (u64 i = 0; i < BYTES / 4; i++)
		((u32 *)memory)[i] = 3 * i;
}

/* No memory in these pages, where each byte reads @reads. */
static void make_hole(u64 page, u64 pages, int reads)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	/* cmocka has handlers of its own in each test. */
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGTRAP, &trap, NULL);
	fill_window();
	hole_from = page * PAGE;
	hole_to = hole_from + pages * PAGE;
	hole_reads = reads;
	memset(memory + hole_from, reads, hole_to - hole_from);
	protect(PROT_READ);
}

/* These pages are the same memory as those from @same on. */
static void map_twice(u64 page, u64 pages, u64 same)
{
	fill_window();
	assert_ptr_not_equal(mmap(memory + page * PAGE, pages * PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_FIXED, file, same * PAGE), MAP_FAILED);
}

/* ------------------------------------------------------------ each page is tried */

static const struct mc_range window = { START, BYTES };

static bool go_on(u64 done, u64 all)
{
	return true;
}

/* Save @range; NULL: the whole window. Return: the errno. */
static int save(const struct mc_range *range)
{
	static u8 before[BYTES];
	struct mc_contents c = { 0 };
	int err;

	range = range ? range : &window;
	memcpy(before, memory, BYTES);
	run = (struct mc_run){ .threads = sim_reset(1) };
	err = mc_contents_save(&c, memory + (range->start - START), range, &run, sizeof(u32));
	assert_int_equal(!c.saved, !!err);
	assert_memory_equal(before, memory, BYTES);
	if (!err)
		assert_int_equal(mc_contents_bring_back(&c, memory + (range->start - START),
							go_on), 0);
	mc_contents_forget(&c);
	return err;
}

static void assert_page(u64 page)
{
	char text[32];

	assert_names(&run.error, -EOPNOTSUPP, "target");
	snprintf(text, sizeof(text), " 0x%llx ", START + page * PAGE);
	if (!strstr(run.error.text, text))
		fail_msg("%s: not page %llu", run.error.text, page);
}

static void test_every_page_is_tried(void **state)
{
	static const int reads[] = { 0, 0xff, 0xa5 };

	fill_window();
	assert_int_equal(save(NULL), 0);
	for (u64 page = 0; page < PAGES; page++) {
		make_hole(page, 1, reads[page % ARRAY_SIZE(reads)]);
		assert_int_equal(save(NULL), -EOPNOTSUPP);
		assert_page(page);
	}
	make_hole(40, 30, 0xff);
	assert_int_equal(save(NULL), -EOPNOTSUPP);
	assert_page(40);
}

/* A window that begins in a page has a piece on two pages, and the last one may be short. */
static void test_pages_of_a_window_that_begins_in_one(void **state)
{
	static const struct mc_range odd = { START + 64, 5 * PAGE };
	static const struct mc_range shorter = { START + PAGE - 64, PAGE + 128 };
	static const struct mc_range word = { START + PAGE + 8, 4 };

	for (u64 page = 0; page < 7; page++) {
		make_hole(page, 1, 0);
		assert_int_equal(save(&odd), page < 6 ? -EOPNOTSUPP : 0);
		if (page < 6)
			assert_page(page);
		assert_int_equal(save(&shorter), page < 3 ? -EOPNOTSUPP : 0);
		if (page < 3)
			assert_page(page);
		assert_int_equal(save(&word), page == 1 ? -EOPNOTSUPP : 0);
	}
}

/* Pages that hold what is written, but are the same ones. */
static void test_pages_that_are_the_same_memory(void **state)
{
	map_twice(64, 64, 0);
	assert_int_equal(save(NULL), -EOPNOTSUPP);
	assert_page(0);
	map_twice(101, 1, 9);
	assert_int_equal(save(NULL), -EOPNOTSUPP);
	assert_page(9);
	map_twice(120, 8, 120);
	assert_int_equal(save(NULL), 0);
}

static void test_a_stop_leaves_everything_as_it_was(void **state)
{
	struct mc_contents c = { 0 };
	static u8 before[BYTES];

	fill_window();
	memcpy(before, memory, BYTES);
	for (u64 at = 1; at < PAGES * 5; at += 7) {
		run = (struct mc_run){ .threads = sim_reset(1) };
		sim.stop_at = at;
		assert_int_equal(mc_contents_save(&c, memory, &window, &run, 4), -ECANCELED);
		assert_null(c.saved);
		assert_memory_equal(before, memory, BYTES);
	}
}

static void test_pages_that_are_only_read(void **state)
{
	static const struct mc_range page = { START, PAGE };

	fill_window();
	protect(PROT_READ);
	run = (struct mc_run){ .threads = sim_reset(1) };
	assert_int_equal(mc_target_check_pages(memory, &window, &run), 0);
	/* Zeros may well be memory. */
	make_hole(3, 5, 0);
	assert_int_equal(mc_target_check_pages(memory, &window, &run), 0);
	make_hole(77, 2, 0xff);
	assert_int_equal(mc_target_check_pages(memory, &window, &run), -EOPNOTSUPP);
	assert_page(77);
	/* A word that is not ones is enough. */
	fill_window();
	memset(memory, 0xff, BYTES - 4);
	run.error.err = 0;
	assert_int_equal(mc_target_check_pages(memory + BYTES - PAGE, &page, &run), 0);
	run = (struct mc_run){ .threads = sim_reset(1) };
	sim.stop_at = 5;
	assert_int_equal(mc_target_check_pages(memory + BYTES - PAGE, &page, &run), 0);
	fill_window();
	assert_int_equal(mc_target_check_pages(memory, &window, &run), -ECANCELED);
}

/* ------------------------------------------------------- each pointer is compared */

static struct mc_span span;
static struct mc_chase chase;

static int link_chase(struct mc_worker *w, void *arg)
{
	return mc_chase_link(w, arg);
}

static int link_it(void)
{
	run.error = (struct mc_error){ 0 };
	run.threads = sim_reset(1);
	run.threads->error = &run.error;
	return mc_threads_run(run.threads, link_chase, &chase);
}

static struct mc_chase shape(u64 stride, enum mc_chase_order order, u64 skew)
{
	return (struct mc_chase){
		.view = &view, .stride = stride, .n = BYTES / stride, .order = order,
		.skew = skew, .skews = skew ? stride / skew : 0,
	};
}

static void assert_the_same_cycle(struct mc_chase c)
{
	static u8 in_place[BYTES];

	fill_window();
	view.foreign = NULL;
	chase = c;
	assert_int_equal(link_it(), 0);
	memcpy(in_place, memory, BYTES);
	fill_window();
	view.foreign = &window;
	chase = c;
	sim_flushes = 0;
	assert_int_equal(link_it(), 0);
	/* Behind the store, and before the look. */
	assert_int_equal(sim_flushes, 2 * c.n);
	assert_null(chase.links);
	assert_memory_equal(memory, in_place, BYTES);
}

static void test_the_cycle_is_that_of_ram(void **state)
{
	assert_the_same_cycle(shape(64, MC_CHASE_RANDOM, 0));
	assert_the_same_cycle(shape(8, MC_CHASE_RANDOM, 0));
	assert_the_same_cycle(shape(64, MC_CHASE_PAGE, 0));
	assert_the_same_cycle(shape(256, MC_CHASE_STRIDE, 0));
	assert_the_same_cycle(shape(PAGE, MC_CHASE_RANDOM, 64));
}

/* @offset: of the first element that does not hold its pointer; ~0: of any */
static void assert_not_followed(struct mc_chase c, u64 offset)
{
	char text[40];

	chase = c;
	assert_int_equal(link_it(), -EOPNOTSUPP);
	assert_names(&run.error, -EOPNOTSUPP, "target");
	assert_null(chase.links);
	snprintf(text, sizeof(text), "target: 0x%llx does not keep", START + offset);
	if (offset != ~0ULL)
		assert_memory_equal(run.error.text, text, strlen(text));
}

static void test_the_first_element_that_is_lost_is_named(void **state)
{
	view.foreign = &window;
	make_hole(50, 1, 0);
	assert_not_followed(shape(64, MC_CHASE_RANDOM, 0), 50 * PAGE);
	assert_not_followed(shape(64, MC_CHASE_PAGE, 0), 50 * PAGE);
	make_hole(127, 1, 0xff);
	assert_not_followed(shape(64, MC_CHASE_STRIDE, 0), 127 * PAGE);
	make_hole(9, 30, 0x11);
	assert_not_followed(shape(PAGE, MC_CHASE_RANDOM, 64), ~0ULL);
	/* The second half overwrites the first one, also with addresses of elements. */
	map_twice(64, 64, 0);
	assert_not_followed(shape(64, MC_CHASE_RANDOM, 0), 0);
	/* Elsewhere, a hole does no harm. */
	make_hole(2, 1, 0);
	chase = shape(2 * PAGE, MC_CHASE_RANDOM, 0);
	chase.offset = PAGE;
	assert_int_equal(link_it(), 0);
}

/* --------------------------------------------------- the tests that follow pointers */

static u64 followed;

static void costs(void)
{
	sim.look = 100 * NS;
	sim.overhead = 100 * NS;
	followed = 0;
}

/* Each width is one that the window takes. */
int mc_access_try(void *at, unsigned int width, bool stores)
{
	return 0;
}

void **mc_asm_chase(void **at, u64 loads)
{
	sim_spend(loads * 100 * NS);
	for (; loads; loads--, at = *at)
		EXPECT((u64)((u8 *)at - memory) < BYTES);
	followed++;
	return at;
}

void **mc_asm_dirty(void **at, u64 n, u64 value)
{
	for (; n; n--, at = *at)
		at[1] = (void *)(unsigned long)value;
	followed++;
	return at;
}

u64 mc_asm_turns(u64 *word, u64 from, u64 turns, u64 tries)
{
	return 0;
}

void mc_asm_paced(struct mc_paced *args)
{
	sim_spend(args->steps * 100 * NS);
}

void mc_asm_clock(u64 cycles)
{
	sim_spend(cycles * NS);
}

static int follow(const char *line)
{
	reset(strstr(line, "cpu=0,1") ? 2 : 1);
	return measure("%s size=512K repeat=1 warmup=0", line);
}

static void test_no_test_follows_what_it_reads(void **state)
{
	static const char *const lines[] = {
		"latency cpu=0", "loaded cpu=0,1 delay=0", "c2c cpu=0,1", "line cpu=0",
		"tlb cpu=0 page=4k",
	};

	view.foreign = &window;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		fill_window();
		assert_int_equal(follow(lines[i]), 0);
		assert_true(followed);
		/* In the first half, which loaded gives the thread that follows pointers. */
		make_hole(20, 1, 0);
		assert_int_equal(follow(lines[i]), -EOPNOTSUPP);
		/* Among the first lines, which tlb follows before others. */
		make_hole(1, 1, 0xff);
		if (follow(lines[i]) != -EOPNOTSUPP || followed)
			fail_msg("%s: followed %llu times", lines[i], followed);
		assert_names(&run.error, -EOPNOTSUPP, "target");
	}
}

static int make_window(void **state)
{
	file = memfd_create("window", 0);
	if (file < 0 || ftruncate(file, BYTES))
		return 1;
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED)
		return 1;
	span = (struct mc_span){ memory, 0, BYTES };
	view = (struct mc_view){ &span, 1, &window };
	return 0;
}

#define SET_UP_ALL	make_window
