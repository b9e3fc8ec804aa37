// SPDX-License-Identifier: GPL-2.0-only
/* The pattern of the files that the test `file` writes. */
#include "cmocka_all.h"

#include "core/pattern.h"

#define BYTES	8192

static const struct mc_pattern pattern = { .seed = 7, .bytes = BYTES };
static u64 data[BYTES / 8];

static int fill(void **state)
{
	mc_pattern_fill(&pattern, data, 0, BYTES);
	return 0;
}

#define SET_UP	fill

static void test_the_header_says_which_it_is(void **state)
{
	struct mc_pattern p;

	assert_memory_equal(data, "memcache", 8);
	assert_int_equal(mc_pattern_read(&p, data), 0);
	assert_int_equal(p.seed, 7);
	assert_int_equal(p.bytes, BYTES);
}

static void test_every_bit_of_the_header_counts(void **state)
{
	struct mc_pattern p;

	for (unsigned int bit = 0; bit < 8 * MC_PATTERN_HEADER; bit++) {
		((u8 *)data)[bit / 8] ^= 1 << bit % 8;
		assert_int_equal(mc_pattern_read(&p, data), bit < 64 ? -EINVAL : -EBADMSG);
		((u8 *)data)[bit / 8] ^= 1 << bit % 8;
	}
	assert_int_equal(mc_pattern_read(&p, data), 0);
}

static void test_parts_are_parts_of_the_whole(void **state)
{
	static u64 part[BYTES / 8];

	for (u64 from = 0; from < BYTES; from += 8) {
		u64 bytes = from % 512 < BYTES - from ? from % 512 / 8 * 8 : BYTES - from;

		mc_pattern_fill(&pattern, part, from, bytes);
		assert_memory_equal(part, (u8 *)data + from, bytes);
		assert_int_equal(mc_pattern_check(&pattern, part, from, bytes), bytes);
	}
}

static void test_no_word_is_there_twice(void **state)
{
	for (u64 i = 1; i < BYTES / 8; i++) {
		for (u64 j = 0; j < i; j++)
			assert_true(data[i] != data[j]);
	}
}

static void test_a_wrong_byte_is_found_where_it_is(void **state)
{
	for (u64 at = 0; at < BYTES; at++) {
		((u8 *)data)[at] ^= 0x40;
		assert_int_equal(mc_pattern_check(&pattern, data, 0, BYTES), at);
		((u8 *)data)[at] ^= 0x40;
	}
	assert_int_equal(mc_pattern_check(&pattern, data, 0, BYTES), BYTES);
}

static void test_the_first_wrong_byte_counts(void **state)
{
	((u8 *)data)[4000] ^= 1;
	((u8 *)data)[4003] ^= 1;
	((u8 *)data)[5000] ^= 1;
	assert_int_equal(mc_pattern_check(&pattern, data, 0, BYTES), 4000);
	assert_int_equal(mc_pattern_check(&pattern, (u8 *)data + 4096, 4096, 4096), 904);
}

static void test_another_seed_or_place_is_another_pattern(void **state)
{
	const struct mc_pattern next = { .seed = 8, .bytes = BYTES };

	for (u64 from = 512; from < BYTES; from += 512) {
		const u8 *at = (u8 *)data + from;

		assert_true(mc_pattern_check(&next, at, from, 512) < 8);
		assert_true(mc_pattern_check(&pattern, at, from - 512, 512) < 8);
	}
}

/* Every byte is checked, not only one in eight. */
static void test_the_next_seed_changes_most_bytes(void **state)
{
	const struct mc_pattern next = { .seed = 8, .bytes = BYTES };
	static u64 other[BYTES / 8];
	u64 same = 0;

	mc_pattern_fill(&next, other, 0, BYTES);
	for (u64 i = MC_PATTERN_HEADER; i < BYTES; i++)
		same += ((u8 *)data)[i] == ((u8 *)other)[i];
	assert_in_range(same, 0, BYTES / 64);
}
