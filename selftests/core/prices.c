// SPDX-License-Identifier: GPL-2.0-only
/* Price files of the simulated machine (tools/types). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "../../tools/types/model.h"

/* A correct file; each test changes it. */
static const char GOOD[] =
	"# what memory costs\n"
	"uc_load_ns = 1\nuc_store_ns=2\n\n  wc_load_ns\t=\t3   # a remark\nwc_line_ns = 4\n"
	"wc_word_ns = 5\nwc_buffers = 6\nl1_bytes = 32K\nl1_ways = 8\nl1_ns = 0\nl2_bytes = 1M\n"
	"l2_ways = 16\nl2_ns = 10\nl3_bytes = 0\nl3_ways = 16\nl3_ns = 0\nmemory_ns = 80\n"
	"flush_ns = 7\ntlb_entries = 1536\ntlb_miss_ns = 4294967295";

static char name[64];
static struct prices prices;
static char why[512];

static int make_file(void **state)
{
	int fd;

	strcpy(name, "/tmp/memcache-prices-XXXXXX");
	fd = mkstemp(name);
	return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
	return unlink(name);
}

static void write_file(const char *before, const char *after)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fprintf(f, "%s%s%s", before, GOOD, after) > 0);
	assert_int_equal(fclose(f), 0);
}

/* Read GOOD with text before and after it. Return: the error after the file's name. */
static const char *said(const char *before, const char *after)
{
	write_file(before, after);
	if (prices_read(&prices, name, why, sizeof(why)))
		return "";
	assert_memory_equal(why, name, strlen(name));
	return why + strlen(name);
}

static void test_good_file(void **state)
{
	assert_string_equal(said("", ""), "");
	assert_int_equal(prices.uc_load_ns, 1);
	assert_int_equal(prices.uc_store_ns, 2);
	assert_int_equal(prices.wc_load_ns, 3);
	assert_int_equal(prices.wc_buffers, 6);
	assert_int_equal(prices.l1_bytes, 32768);
	assert_int_equal(prices.l2_bytes, 1 << 20);
	assert_int_equal(prices.l3_bytes, 0);
	assert_int_equal(prices.tlb_miss_ns, UINT32_MAX);
	assert_null(model_configure(&prices, 1000));
}

static void test_each_key_is_needed(void **state)
{
	const struct price_key *key;
	char wanted[64], file[sizeof(GOOD)], *at;
	FILE *f;

	for (key = price_keys; key->name; key++) {
		strcpy(file, GOOD);
		at = strstr(file, key->name);
		assert_non_null(at);
		*at = '#';
		f = fopen(name, "w");
		assert_non_null(f);
		fputs(file, f);
		fclose(f);
		assert_false(prices_read(&prices, name, why, sizeof(why)));
		snprintf(wanted, sizeof(wanted), ": %s is missing", key->name);
		assert_string_equal(why + strlen(name), wanted);
	}
}

static void test_wrong_lines(void **state)
{
	static const struct {
		const char *line, *said;
	} wrong[] = {
		{ "uc = 1", "uc: unknown key" },
		{ "uc_load_n = 1", "uc_load_n: unknown key" },
		{ "uc_load_nss = 1", "uc_load_nss: unknown key" },
		{ "UC_LOAD_NS = 1", "UC_LOAD_NS: unknown key" },
		{ "= 1", ": unknown key" },
		{ "uc_load_ns", "uc_load_ns: no value: key = value" },
		{ "uc_load_ns 1", "uc_load_ns: no value: key = value" },
		{ "uc_load_ns =", "uc_load_ns: '' is no whole number" },
		{ "uc_load_ns = # 1", "uc_load_ns: '' is no whole number" },
		{ "uc_load_ns = -1", "uc_load_ns: '-1' is no whole number" },
		{ "uc_load_ns = +1", "uc_load_ns: '+1' is no whole number" },
		{ "uc_load_ns = 1.5", "uc_load_ns: '1.5' is no whole number" },
		{ "uc_load_ns = 0x1", "uc_load_ns: '0x1' is no whole number" },
		{ "uc_load_ns = 1K", "uc_load_ns: '1K' is no whole number" },
		{ "uc_load_ns = 1 2", "uc_load_ns: '1 2' is no whole number" },
		{ "uc_load_ns = 4294967296", "uc_load_ns: '4294967296' is no whole number" },
		{ "uc_load_ns = 99999999999999999999",
		  "uc_load_ns: '99999999999999999999' is no whole number" },
		{ "l1_bytes = 4096M", "l1_bytes: '4096M' is no size: a number, with K or M" },
		{ "l1_bytes = 1G", "l1_bytes: '1G' is no size: a number, with K or M" },
		{ "l1_bytes = K", "l1_bytes: 'K' is no size: a number, with K or M" },
		{ "l1_bytes = 1KK", "l1_bytes: '1KK' is no size: a number, with K or M" },
	};
	char before[128], wanted[128];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(before, sizeof(before), "# one\n%s\n", wrong[i].line);
		snprintf(wanted, sizeof(wanted), ":2: %s", wrong[i].said);
		assert_string_equal(said(before, ""), wanted);
	}
}

static void test_twice(void **state)
{
	assert_string_equal(said("", "\nflush_ns = 7\n"), ":22: flush_ns: given twice");
	assert_string_equal(said("l1_ns = 3\n", ""), ":12: l1_ns: given twice");
}

static void test_lines_end_as_elsewhere(void **state)
{
	assert_string_equal(said("# one\r\n\r\n  \r\n", "\r\n"), "");
	assert_int_equal(prices.tlb_miss_ns, UINT32_MAX);
}

/* A comment, or a line that contains one, may have any length. */
static void test_long_remarks(void **state)
{
	char remark[1025];

	memset(remark, 'x', sizeof(remark) - 1);
	remark[sizeof(remark) - 1] = 0;
	remark[0] = '#';
	assert_string_equal(said(remark, "\n"), "");
	strcpy(remark + 1000, "\nfoo = 1\n");
	assert_string_equal(said(remark, ""), ":2: foo: unknown key");
}

static void test_no_file(void **state)
{
	assert_false(prices_read(&prices, "/nowhere/prices", why, sizeof(why)));
	assert_string_equal(why, "/nowhere/prices: No such file or directory");
	assert_false(prices_read(&prices, "/", why, sizeof(why)));
	assert_string_equal(why, "/: Is a directory");
}

/* A price as in an order of the tests. */
static void test_one_key(void **state)
{
	unsigned long seen = 0;

	assert_true(prices_set(&prices, &seen, "uc_load_ns=300", why, sizeof(why)));
	assert_int_equal(prices.uc_load_ns, 300);
	assert_false(prices_set(&prices, &seen, "uc_load_ns=300", why, sizeof(why)));
	assert_string_equal(why, "uc_load_ns: given twice");
}

/* Prices of machines that can't exist. */
static void test_impossible(void **state)
{
	static const struct {
		const char *set, *said;
	} wrong[] = {
		{ "l1_bytes=0", "a level of cache" }, { "l2_bytes=100", "a cache" },
		{ "l1_ways=0", "a cache" }, { "l1_ways=7", "a cache" },
		{ "l1_ways=67108864", "a cache" }, { "wc_buffers=0", "wc_buffers is 1 to 64" },
		{ "wc_buffers=65", "wc_buffers is 1 to 64" },
		{ "tlb_entries=65537", "tlb_entries is 0 to 65536" },
	};
	const char *found;
	unsigned long seen;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_string_equal(said("", ""), "");
		seen = 0;
		assert_true(prices_set(&prices, &seen, wrong[i].set, why, sizeof(why)));
		found = model_configure(&prices, 1000);
		assert_non_null(found);
		assert_non_null(strstr(found, wrong[i].said));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_file),
		cmocka_unit_test(test_each_key_is_needed),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_lines_end_as_elsewhere),
		cmocka_unit_test(test_long_remarks),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_one_key),
		cmocka_unit_test(test_impossible),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
