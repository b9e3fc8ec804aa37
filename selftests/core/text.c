// SPDX-License-Identifier: GPL-2.0-only
/* module/core/text.c: bounded text, fixed point, JSON strings, lists. */
#include "cmocka_all.h"
#include "json.h"
#include "core/text.h"

/* The buffer is on the heap, so that the sanitizer sees a byte written behind it. */
static struct mc_text heap_text(size_t size)
{
	return (struct mc_text){ .buf = calloc(1, size + !size), .size = size };
}

static void text_is_cut_where_it_is_full(void **state)
{
	for (size_t size = 1; size <= 16; size++) {
		struct mc_text t = heap_text(size);

		mc_textf(&t, "%s", "01234");
		mc_textf(&t, "%c%c", '5', '6');
		mc_textf(&t, "%d", 789);
		assert_int_equal(t.len, size <= 10 ? size - 1 : 10);
		assert_int_equal(t.cut, size <= 10);
		assert_int_equal(strlen(t.buf), t.len);
		assert_memory_equal(t.buf, "0123456789", t.len);
		free(t.buf);
	}
}

static void text_without_room_is_left_alone(void **state)
{
	char buf = 'x';
	struct mc_text t = { .buf = &buf };

	mc_textf(&t, "much");
	mc_text_json(&t, "more");
	assert_int_equal(t.len, 0);
	assert_int_equal(buf, 'x');
}

static void fixed_point(void **state)
{
	static const struct {
		u64 value;
		unsigned int decimals;
		const char *want;
		const char *shortest;
	} rows[] = {
		{ 0, 0, "0", "0" },
		{ 0, 3, "0.000", "0" },
		{ 7, 0, "7", "7" },
		{ 7, 1, "0.7", "0.7" },
		{ 7, 3, "0.007", "0.007" },
		{ 400, 0, "400", "400" },
		{ 400, 3, "0.400", "0.4" },
		{ 1000, 3, "1.000", "1" },
		{ 1001, 3, "1.001", "1.001" },
		{ 30000, 3, "30.000", "30" },
		{ 123456, 2, "1234.56", "1234.56" },
		{ 1, 9, "0.000000001", "0.000000001" },
		{ ~0ULL, 0, "18446744073709551615", "18446744073709551615" },
		{ ~0ULL, 3, "18446744073709551.615", "18446744073709551.615" },
		{ ~0ULL, 9, "18446744073.709551615", "18446744073.709551615" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_text t = MC_TEXT(buf);

		mc_text_fixed(&t, rows[i].value, rows[i].decimals);
		assert_string_equal(buf, rows[i].want);
		t = (struct mc_text)MC_TEXT(buf);
		mc_text_decimal(&t, rows[i].value, rows[i].decimals);
		assert_string_equal(buf, rows[i].shortest);
	}
}

static void json_strings(void **state)
{
	static const struct {
		const char *s;
		const char *want;
	} rows[] = {
		{ "", "\"\"" },
		{ "plain ~", "\"plain ~\"" },
		{ "say \"hi\"", "\"say \\\"hi\\\"\"" },
		{ "C:\\", "\"C:\\\\\"" },
		{ "a\tb\n", "\"a\\u0009b\\u000a\"" },
		{ "\x7f\x80\xff", "\"\\u007f\\u0080\\u00ff\"" },
		{ "%s%n", "\"%s%n\"" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_text t = MC_TEXT(buf);
		const char *s = buf;

		mc_text_json(&t, rows[i].s);
		assert_string_equal(buf, rows[i].want);
		assert_true(json_string(&s));
		assert_int_equal(*s, 0);
	}
}

static void every_byte_is_a_json_string(void **state)
{
	char buf[16], byte[2] = "";

	for (int c = 1; c < 256; c++) {
		struct mc_text t = MC_TEXT(buf);
		const char *s = buf;

		byte[0] = c;
		mc_text_json(&t, byte);
		assert_true(json_string(&s) && !*s);
	}
}

static void quotes_are_safe_to_show(void **state)
{
	static const struct {
		const char *s;
		size_t len;
		const char *want;
	} rows[] = {
		{ "", 0, "''" },
		{ "size", 4, "'size'" },
		{ "size=4K", 4, "'size'" },
		{ "a\0b\033c\200", 6, "'a?b?c?'" },
		{ "01234567890123456789012345678901", 32,
		  "'01234567890123456789012345678901'" },
		{ "01234567890123456789012345678901x", 33,
		  "'01234567890123456789012345678901...'" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_text t = MC_TEXT(buf);

		mc_text_quote(&t, rows[i].s, rows[i].len);
		assert_string_equal(buf, rows[i].want);
	}
}

static void lists_are_the_kernels(void **state)
{
	static const struct {
		u64 bits[2];
		unsigned int nbits;
		const char *want;
	} rows[] = {
		{ { 0 }, 128, "" },
		{ { 1 }, 128, "0" },
		{ { 0x10f }, 128, "0-3,8" },
		{ { 0x5 }, 128, "0,2" },
		{ { 0x3 }, 128, "0-1" },
		{ { 1ULL << 63, 1 }, 128, "63-64" },
		{ { 0, 1ULL << 63 }, 128, "127" },
		{ { ~0ULL, ~0ULL }, 128, "0-127" },
		{ { ~0ULL, ~0ULL }, 70, "0-69" },
		{ { 0, 1 }, 64, "" },
		{ { 0, 1ULL << 63 }, 70, "" },
		{ { 0, 0 }, 70, "" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_text t = MC_TEXT(buf);

		buf[0] = 0;
		mc_text_list(&t, rows[i].bits, rows[i].nbits);
		assert_string_equal(buf, rows[i].want);
	}
}

static void the_first_error_is_kept(void **state)
{
	struct mc_error e = { 0 };

	assert_int_equal(mc_fail(&e, -EINVAL, "size: %d", 1), -EINVAL);
	assert_int_equal(mc_fail(&e, -ENOMEM, "node: %d", 2), -EINVAL);
	assert_int_equal(e.err, -EINVAL);
	assert_string_equal(e.text, "size: 1");
}

static void a_long_error_is_cut(void **state)
{
	struct mc_error e = { 0 };

	mc_fail(&e, -EINVAL, "size: %0*d", MC_ERROR_TEXT, 0);
	assert_int_equal(strlen(e.text), MC_ERROR_TEXT - 1);
}
