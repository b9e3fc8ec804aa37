// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as text: a JSON string stands for them, quoted they can be shown, a
 * bitmap of them is a CPU list, and in a buffer of any size there is the beginning
 * of what there would be in a large one. The first byte chooses that size and how
 * many decimals a number has.
 */
#include "fuzz.h"

#define LARGE	131072

static char large[LARGE], small[256 + 8];

/* What make() appends to a large buffer; and to a small one, not a byte more. */
static size_t check_cut(u8 size, void (*make)(struct mc_text *t, const u8 *data, size_t n),
			const u8 *data, size_t n)
{
	struct mc_text t = MC_TEXT(large), s = { .buf = small, .size = size };
	size_t fits;

	/* Where nothing is appended, not even an end is. */
	large[0] = '\0';
	make(&t, data, n);
	MUST(!t.cut && t.len == strlen(large));
	memset(small, '#', sizeof(small));
	small[0] = size ? '\0' : '#';
	make(&s, data, n);
	fits = size ? strnlen(small, size) : 0;
	MUST(s.len == fits && !memcmp(small, large, fits));
	MUST(!size || (s.cut == (t.len > fits) && fits == (s.cut ? size - 1 : t.len)));
	MUST(small[size] == '#' && (fits + 1 >= size || small[fits + 1] == '#'));
	return t.len;
}

static void make_json(struct mc_text *t, const u8 *data, size_t n)
{
	mc_text_json(t, (const char *)data);
}

static void make_quote(struct mc_text *t, const u8 *data, size_t n)
{
	mc_text_quote(t, (const char *)data, n);
}

static void make_list(struct mc_text *t, const u8 *data, size_t n)
{
	mc_text_list(t, (const u64 *)data, 8 * n);
}

static void make_fixed(struct mc_text *t, const u8 *data, size_t n)
{
	u64 value;

	memcpy(&value, data, sizeof(value));
	mc_text_fixed(t, value, n);
}

static void check_json(u8 size, const u8 *data, size_t n)
{
	const char *end = large;

	check_cut(size, make_json, data, n);
	MUST(json_string(&end) && !*end && json_says(large, (const char *)data));
}

static void check_quote(u8 size, const u8 *data, size_t n)
{
	size_t len = check_cut(size, make_quote, data, n), i;

	MUST(len == 2 + (n > 32 ? 32 + 3 : n));
	for (i = 0; i < len; i++)
		MUST(large[i] >= 0x20 && large[i] <= 0x7e);
}

/* Taken for CPUs, the list is the bitmap again. */
static void check_list(u8 size, const u8 *data, size_t n)
{
	static u64 bits[MC_MAX_CPUS / 64];
	static char line[LARGE];
	static struct mc_request req;
	struct mc_error e = { 0 };
	int len;

	memset(bits, 0, sizeof(bits));
	memcpy(bits, data, n < sizeof(bits) ? n : sizeof(bits));
	check_cut(size, make_list, (const u8 *)bits, sizeof(bits));
	len = snprintf(line, sizeof(line), "bandwidth cpu=%s", large);
	if (!large[0] || len > MC_LINE_MAX)
		return;
	MUST(!mc_request_parse(&req, line, len, fixture_specs, &e));
	MUST(!memcmp(bits, req.cpus, sizeof(bits)));
}

static void check_fixed(u8 size, const u8 *data, size_t n)
{
	u8 decimals = size % 10;
	char *point;
	u64 value;

	if (n < sizeof(value))
		return;
	memcpy(&value, data, sizeof(value));
	check_cut(size, make_fixed, data, decimals);
	point = strchr(large, '.');
	MUST(!point == !decimals && (!point || strlen(point + 1) == decimals));
	if (point)
		memmove(point, point + 1, strlen(point));
	MUST(strtoull(large, NULL, 10) == value);
}

/* The first error that is noted is kept, as much of it as there is room for. */
static void check_fail(const char *text)
{
	struct mc_error e = { 0 };

	MUST(mc_fail(&e, -ENOMEM, "%s", text) == -ENOMEM);
	MUST(mc_fail(&e, -EINVAL, "another") == -ENOMEM);
	MUST(e.err == -ENOMEM && !strncmp(e.text, text, sizeof(e.text) - 1));
	MUST(strlen(e.text) == strnlen(text, sizeof(e.text) - 1));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 copy[8192];
	u8 room = size ? *data - '0' : 0;

	if (size)
		data++, size--;
	if (size >= sizeof(copy))
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	check_json(room, copy, size);
	check_quote(room, copy, size);
	check_list(room, copy, size);
	check_fixed(room, copy, size);
	check_fail((const char *)copy);
	return 0;
}
