// SPDX-License-Identifier: GPL-2.0-only
/* Work on memory in pieces: all of it, once, however large it is. */
#include "cmocka_all.h"
#include "measure/pieces.h"

static u8 *const start = (u8 *)0x100000000000;

/* The pieces so far. Functions such as clflush_cache_range() take a size of 32 bits. */
static struct {
	u64 next;
	u64 calls;
	unsigned int longest;
} seen;

static void see(void *addr, unsigned int bytes)
{
	assert_ptr_equal(addr, start + seen.next);
	assert_true(bytes > 0);
	seen.next += bytes;
	seen.calls++;
	if (bytes > seen.longest)
		seen.longest = bytes;
}

static void all_of_it_is_worked_on_once(void **state)
{
	static const u64 sizes[] = {
		64, 4096, (1 << 20) - 64, 1 << 20, (1 << 20) + 64,
		(1ULL << 31) - 64, 1ULL << 31, (1ULL << 32) - 64, 1ULL << 32, (1ULL << 32) + 64,
		3ULL << 32, (1ULL << 40) + 4096,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(&seen, 0, sizeof(seen));
		mc_in_pieces(start, sizes[i], see);
		assert_int_equal(seen.next, sizes[i]);
		/* Others run between two pieces. */
		assert_true(seen.longest <= 1 << 20);
	}
	memset(&seen, 0, sizeof(seen));
	mc_in_pieces(start, 0, see);
	assert_int_equal(seen.calls, 0);
}
