// SPDX-License-Identifier: GPL-2.0-only
/* module/core/chase.c and view.c: every chain is one cycle of all elements. */
#include "cmocka_all.h"

#include "measure/chase.h"

#define PAGE	MC_CHASE_PAGE_BYTES
#define ROOM	(64 * PAGE)
#define FAIR	24000	/* cycles that are drawn to check that none is preferred */

/* The second half of the buffer lies first, with a gap between the halves. */
static _Alignas(4096) u8 low[ROOM], high[ROOM];

static const struct mc_span halves[] = {
	{ high, 0, ROOM / 2 }, { low, ROOM / 2, ROOM }
};

static const struct mc_view view = { halves, 2 };
static u64 seen[ROOM / 8];	/* for each element: the step that came there, from 1 on */

static struct mc_chase chase_of(u64 n, u64 stride, enum mc_chase_order order)
{
	struct mc_chase c = {
		.view = &view, .stride = stride, .n = n, .order = order,
	};

	mc_random_seed(&c.random, 7);
	return c;
}

/* The element at this address; the test fails if there is none. */
static u64 element_at(const struct mc_chase *c, void **at)
{
	for (u64 i = 0; i < c->n; i++)
		if (mc_chase_at(c, i) == at)
			return i;
	fail_msg("%p is no element", (void *)at);
	return 0;
}

/* Walk the chain and fill seen[]; it must pass each element once and end at the first. */
static void walk(const struct mc_chase *c)
{
	void **at = mc_chase_at(c, 0);

	memset(seen, 0, sizeof(seen));
	for (u64 step = 1; step <= c->n; step++) {
		u64 i = element_at(c, at);

		assert_int_equal(seen[i], 0);
		seen[i] = step;
		at = *at;
	}
	assert_ptr_equal(at, mc_chase_at(c, 0));
}

static void one_cycle_of_all(void **state)
{
	static const u64 strides[] = { 8, 64, 128, 512, 4096, 4160 };
	enum mc_chase_order order;

	for (order = MC_CHASE_RANDOM; order <= MC_CHASE_STRIDE; order++)
		for (size_t i = 0; i < ARRAY_SIZE(strides); i++)
			for (u64 n = 1; n <= 200 && n * strides[i] <= ROOM; n += n < 20 ? 1 : 13) {
				struct mc_chase c = chase_of(n, strides[i], order);

				/* Bytes between elements stay as they are. */
				memset(low, 0xa5, sizeof(low));
				memset(high, 0xa5, sizeof(high));
				assert_int_equal(mc_chase_build(&c, ~0ULL), 0);
				walk(&c);
				if (strides[i] > 8)
					assert_int_equal(mc_chase_at(&c, n - 1)[1],
							 0xa5a5a5a5a5a5a5a5);
			}
}

static void built_in_pieces(void **state)
{
	struct mc_chase at_once = chase_of(1000, 64, MC_CHASE_PAGE);
	struct mc_chase c = at_once;
	static u64 order[1000];
	u64 left = c.n, more;

	assert_int_equal(mc_chase_build(&at_once, 1000), 0);
	walk(&at_once);
	memcpy(order, seen, sizeof(order));
	assert_int_equal(mc_chase_build(&c, 0), 1000);
	for (more = 1; left; more = more % 7 + 1) {
		u64 now = mc_chase_build(&c, more);

		assert_int_equal(now, left - (more < left ? more : left));
		left = now;
	}
	walk(&c);
	assert_memory_equal(order, seen, sizeof(order));
	assert_int_equal(mc_chase_build(&c, 5), 0);
	walk(&c);
}

/* Each element of a page except one follows another element of the same page. */
static void page_by_page(void **state)
{
	u64 n = 40 * 64 + 5, page, i, pages_in_order = 0;
	struct mc_chase c = chase_of(n, 64, MC_CHASE_PAGE);

	mc_chase_build(&c, n);
	walk(&c);
	for (page = 0; page < 41; page++) {
		u64 first = ~0ULL, last = 0, rising = 0;
		u64 end = page < 40 ? page * 64 + 64 : n;

		for (i = page * 64; i < end; i++) {
			first = seen[i] < first ? seen[i] : first;
			last = seen[i] > last ? seen[i] : last;
			rising += i > page * 64 && seen[i] == seen[i - 1] + 1;
		}
		assert_int_equal(last - first + 1, end - page * 64);
		assert_true(rising < 16);
		pages_in_order += page && first == seen[(page - 1) * 64] + 64;
	}
	assert_true(pages_in_order < 10);
}

static void in_order(void **state)
{
	struct mc_chase c = chase_of(100, 128, MC_CHASE_STRIDE);

	mc_chase_build(&c, 100);
	walk(&c);
	for (u64 i = 0; i < 100; i++)
		assert_int_equal(seen[i], i + 1);
}

static void skewed(void **state)
{
	struct mc_chase c = chase_of(20, 4096, MC_CHASE_RANDOM);

	c.skew = 64;
	c.skews = 3;
	c.offset = 16;
	for (u64 i = 0; i < 20; i++)
		assert_ptr_equal(mc_chase_at(&c, i),
				 mc_view_at(&view, 16 + i * 4096 + (i + i / 3) % 3 * 64, NULL));
	mc_chase_build(&c, 20);
	walk(&c);
}

/* With one line in each page, all sets of any cache have the same number of lines. */
static void in_all_sets(void **state)
{
	static const struct mc_span pages = {
		(void *)0x100000000, 0, 4096ULL * PAGE
	};
	static const struct mc_view all = { &pages, 1 };
	static unsigned int lines[2048];

	for (u64 sets = 64; sets <= 2048; sets *= 2) {
		struct mc_chase c = chase_of(4096, PAGE, MC_CHASE_RANDOM);

		c.view = &all;
		c.skew = 64;
		c.skews = 64;
		memset(lines, 0, sizeof(lines));
		for (u64 i = 0; i < c.n; i++)
			lines[(uintptr_t)mc_chase_at(&c, i) / 64 % sets]++;
		for (u64 i = 0; i < sets; i++)
			assert_int_equal(lines[i], c.n / sets);
	}
}

/* Four elements have six cycles; each is as likely as the others. */
static void every_cycle_is_as_likely(void **state)
{
	struct mc_chase c = chase_of(4, 64, MC_CHASE_RANDOM);
	unsigned int count[64] = { 0 }, i, kinds = 0;

	for (i = 0; i < FAIR; i++) {
		c.linked = 0;
		mc_chase_build(&c, 4);
		walk(&c);
		count[(seen[1] - 1) << 4 | (seen[2] - 1) << 2 | (seen[3] - 1)]++;
	}
	for (i = 0; i < 64; i++) {
		if (!count[i])
			continue;
		kinds++;
		/* 4000 are expected; sigma is 58. */
		assert_in_range(count[i], 3700, 4300);
	}
	assert_int_equal(kinds, 6);
}

/* Large cycles are shuffled: hardly any element follows its neighbour. */
static void far_from_order(void **state)
{
	struct mc_chase c = chase_of(4096, 64, MC_CHASE_RANDOM);
	u64 i, neighbours = 0;

	mc_chase_build(&c, c.n);
	for (i = 0; i + 1 < c.n; i++)
		neighbours += *mc_chase_at(&c, i) == mc_chase_at(&c, i + 1);
	assert_true(neighbours < 12);
}

static void where_bytes_lie(void **state)
{
	u64 left;

	assert_ptr_equal(mc_view_at(&view, 0, &left), high);
	assert_int_equal(left, ROOM / 2);
	assert_ptr_equal(mc_view_at(&view, ROOM / 2 - 1, &left), high + ROOM / 2 - 1);
	assert_int_equal(left, 1);
	assert_ptr_equal(mc_view_at(&view, ROOM / 2, &left), low);
	assert_int_equal(left, ROOM);
}
