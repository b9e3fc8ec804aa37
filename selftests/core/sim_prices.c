// SPDX-License-Identifier: GPL-2.0-only
/* Price files of the simulated machine (tools/sim). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "../../tools/sim/prices.h"

#define MODEL	"../../tools/sim/prices"

static char name[64];
static char model[16384];
static struct prices prices;
static char why[512];

/* The model's text, and a file for a changed one. */
static int make_file(void **state)
{
	char path[512];
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "%.*s" MODEL, (int)(strrchr(__FILE__, '/') + 1 - __FILE__),
		 __FILE__);
	f = fopen(path, "r");
	if (!f)
		return -1;
	model[fread(model, 1, sizeof(model) - 1, f)] = 0;
	fclose(f);
	snprintf(name, sizeof(name), "/tmp/memcache-prices-XXXXXX");
	fd = mkstemp(name);
	return fd < 0 || close(fd);
}

#define SET_UP_ALL	make_file

static int remove_file(void **state)
{
	return unlink(name);
}

#define CLEAN_UP_ALL	remove_file

static const char *read_text(const char *before, const char *text, const char *after)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fprintf(f, "%s%s%s", before, text, after) > 0);
	assert_int_equal(fclose(f), 0);
	memset(&prices, 0, sizeof(prices));
	if (prices_read(&prices, name, why, sizeof(why)))
		return "";
	assert_memory_equal(why, name, strlen(name));
	return why + strlen(name);
}

/* Read the model with text before and after it. Return: the error after the file's name. */
static const char *read_model(const char *before, const char *after)
{
	return read_text(before, model, after);
}

static void test_model(void **state)
{
	assert_string_equal(read_model("", ""), "");
	assert_int_equal(prices.uc_load_ns, 200);
	assert_int_equal(prices.l1_bytes, 32768);
	assert_int_equal(prices.l2_bytes, 1 << 20);
	assert_int_equal(prices.memory_ns[0][0], 80);
	assert_int_equal(prices.memory_ns[7][7], 80);
	assert_int_equal(prices.memory_ns[0][1], 140);
	assert_int_equal(prices.dirty_ns[1][0], 130);
	assert_int_equal(prices.tlb_miss_ns, 30);
}

/* A pair of nodes and a node, before and after the key for all of them. */
static void test_nodes(void **state)
{
	assert_string_equal(read_model("memory_ns_3_2 = 500\n", "\nservice_ns_2 = 9\n"), "");
	assert_int_equal(prices.memory_ns[3][2], 500);
	assert_int_equal(prices.memory_ns[2][3], 80);
	assert_int_equal(prices.service_ns[2], 9);
	assert_int_equal(prices.service_ns[3], 0);
}

/* Each line `key = value` of the model is needed, if it has no nodes. */
static void test_each_key_is_needed(void **state)
{
	static char file[sizeof(model)];
	char key[64], wanted[128];
	const char *line;
	int keys = 0;

	for (line = model; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%63[a-z0-9_] =", key) != 1 || key[strlen(key) - 2] == '_')
			continue;
		memcpy(file, model, sizeof(file));
		file[line - model] = '#';
		read_text("", file, "");
		snprintf(wanted, sizeof(wanted), ": %s is missing", key);
		assert_non_null(strstr(why, wanted));
		assert_memory_equal(why, name, strlen(name));
		keys++;
	}
	assert_true(keys > 25);
}

static void test_wrong_lines(void **state)
{
	static const struct {
		const char *line, *said;
	} wrong[] = {
		{ "uc = 1", "uc: unknown key" },
		{ "uc_load_nss = 1", "uc_load_nss: unknown key" },
		{ "UC_LOAD_NS = 1", "UC_LOAD_NS: unknown key" },
		{ "uc_load_ns_0 = 1", "uc_load_ns_0: unknown key" },
		{ "memory_ns_0 = 1", "memory_ns_0: unknown key" },
		{ "memory_ns_0_8 = 1", "memory_ns_0_8: unknown key" },
		{ "memory_ns_0_1_2 = 1", "memory_ns_0_1_2: unknown key" },
		{ "service_ns_0_1 = 1", "service_ns_0_1: unknown key" },
		{ "service_ns_/ = 1", "service_ns_/: unknown key" },
		{ "= 1", ": unknown key" },
		{ "uc_load_ns", "uc_load_ns: no value: key = value" },
		{ "uc_load_ns 1", "uc_load_ns: no value: key = value" },
		{ "uc_load_ns =", "uc_load_ns: '' is no whole number" },
		{ "uc_load_ns = # 1", "uc_load_ns: '' is no whole number" },
		{ "uc_load_ns = -1", "uc_load_ns: '-1' is no whole number" },
		{ "uc_load_ns = 1.5", "uc_load_ns: '1.5' is no whole number" },
		{ "uc_load_ns = 0x1", "uc_load_ns: '0x1' is no whole number" },
		{ "uc_load_ns = 1K", "uc_load_ns: '1K' is no whole number" },
		{ "uc_load_ns = 1 2", "uc_load_ns: '1 2' is no whole number" },
		{ "uc_load_ns = 4294967296", "uc_load_ns: '4294967296' is no whole number" },
		{ "uc_load_ns = +1", "uc_load_ns: '+1' is no whole number" },
		{ "uc_load_ns = 99999999999999999999",
		  "uc_load_ns: '99999999999999999999' is no whole number" },
		{ "l1_bytes = 4096M", "l1_bytes: '4096M' is no size: a number, with K or M" },
		{ "l1_bytes = K", "l1_bytes: 'K' is no size: a number, with K or M" },
		{ "uc_load_ns = 4294967295", "uc_load_ns is 0 to 1000000000" },
		{ "l1_bytes = 1G", "l1_bytes: '1G' is no size: a number, with K or M" },
		{ "l1_bytes = 1KK", "l1_bytes: '1KK' is no size: a number, with K or M" },
		{ "l1_bytes = 0", "l1_bytes is 64 to 1073741824" },
		{ "l1_ways = 0", "l1_ways is 1 to 1024" },
		{ "wc_buffers = 65", "wc_buffers is 1 to 64" },
		{ "wc_early = 1001", "wc_early is 0 to 1000" },
		{ "l3_cpus = 9", "l3_cpus is 1 to 8" },
		{ "tlb2_entries = 65537", "tlb2_entries is 0 to 65536" },
	};
	char before[128], wanted[128];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(before, sizeof(before), "# one\n%s\n", wrong[i].line);
		snprintf(wanted, sizeof(wanted), ":2: %s", wrong[i].said);
		assert_string_equal(read_model(before, ""), wanted);
	}
}

static void test_twice(void **state)
{
	assert_non_null(strstr(read_model("", "\nflush_ns = 7\n"), ": flush_ns: given twice"));
	assert_non_null(strstr(read_model("", "\nmemory_ns_0_1 = 7\n"),
			       ": memory_ns_0_1: given twice"));
}

/* Machines that can't exist. */
static void test_impossible(void **state)
{
	static const struct {
		const char *set, *said;
	} wrong[] = {
		{ "l2_bytes=100", "a cache's bytes" }, { "l1_ways=7", "a cache's bytes" },
		{ "l2_bytes=0 l3_bytes=1M", "a level of cache" },
		{ "refresh_ns=5", "refresh_ns is less" },
		{ "refresh_ns=5 refresh_every_ns=5", "refresh_ns is less" },
		{ "still_ns=5", "still_ns is less" },
		{ "still_ns=5 still_every_ns=5", "still_ns is less" },
	};
	struct prices before;

	assert_string_equal(read_model("", ""), "");
	before = prices;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_false(prices_set(&prices, wrong[i].set, why, sizeof(why)));
		assert_non_null(strstr(why, wrong[i].said));
		assert_memory_equal(&prices, &before, sizeof(prices));
	}
}

static void test_set(void **state)
{
	assert_string_equal(read_model("", ""), "");
	assert_true(prices_set(&prices, "uc_load_ns=300 memory_ns_0_0=5", why, sizeof(why)));
	assert_int_equal(prices.uc_load_ns, 300);
	assert_int_equal(prices.memory_ns[0][0], 5);
	assert_int_equal(prices.memory_ns[0][1], 140);
	assert_false(prices_set(&prices, "uc_load_ns=1 uc_load_ns=2", why, sizeof(why)));
	assert_string_equal(why, "uc_load_ns: given twice");
	assert_int_equal(prices.uc_load_ns, 300);
}

/* The prices as printed, read back key by key, are the same prices. */
static void test_print(void **state)
{
	struct prices copy;
	char *text = NULL, *from, *to;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_string_equal(read_model("", "\nservice_ns_1 = 4\n"), "");
	prices_print(&prices, f);
	fclose(f);
	assert_int_equal(text[0], '{');
	assert_int_equal(text[n - 1], '}');
	for (from = to = text; *from; from++) {
		if (*from != '"')
			*to++ = strchr("{},", *from) ? ' ' : *from == ':' ? '=' : *from;
	}
	*to = 0;
	memset(&copy, 0, sizeof(copy));
	assert_true(prices_set(&copy, text, why, sizeof(why)));
	assert_memory_equal(&copy, &prices, sizeof(prices));
	free(text);
}

static void test_lines_end_as_elsewhere(void **state)
{
	assert_string_equal(read_model("# one\r\n\r\n  \r\n", "\r\n"), "");
}

/* A comment, or a line that contains one, may have any length. */
static void test_long_remarks(void **state)
{
	char remark[1025];

	memset(remark, 'x', sizeof(remark) - 1);
	remark[sizeof(remark) - 1] = 0;
	remark[0] = '#';
	assert_string_equal(read_model(remark, ""), "");
	snprintf(remark + 1000, 25, "\nfoo = 1\n");
	assert_string_equal(read_model(remark, ""), ":2: foo: unknown key");
}

static void test_no_file(void **state)
{
	assert_false(prices_read(&prices, "/nowhere/prices", why, sizeof(why)));
	assert_string_equal(why, "/nowhere/prices: No such file or directory");
	assert_false(prices_read(&prices, "/", why, sizeof(why)));
	assert_string_equal(why, "/: Is a directory");
}
