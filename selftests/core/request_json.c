// SPDX-License-Identifier: GPL-2.0-only
/* module/core/request_json.c: the first line of the results. */
#include "request.h"

static char json[65536];

/* Is this the JSON value of @key? */
static bool has(const char *key, const char *want)
{
	const char *end, *value = json_member(json, key, &end);

	return value && end - value == strlen(want) && !memcmp(value, want, strlen(want));
}

static void requests_as_json(void **state)
{
	static const struct {
		struct mc_error e;
		const char *err;
		const char *text;
	} rows[] = {
		{ { 0, "" }, "0", "null" },
		{ { 0, "left from before" }, "0", "null" },
		{ { -EINVAL, "size: '\"' is \\ not" }, "22",
		  "\"size: '\\\"' is \\\\ not\"" },
		{ { -EINTR, "" }, "4", "\"\"" },
	};
	static char line[32768 + 3];
	struct mc_error e;
	struct mc_text t;

	assert_int_equal(parse(&req, "bandwidth type=wb,uc size=4K..64K time=0.40", &e), 0);
	snprintf(line, sizeof(line), "\"%s\"", shown(&req));
	assert_non_null(strstr(line, " time=0.4 "));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		t = (struct mc_text)MC_TEXT(json);
		mc_request_json(&t, &req, "user", "done", &rows[i].e, 7);
		assert_true(json_line(json));
		assert_true(has("errno", rows[i].err));
		assert_true(has("error", rows[i].text));
		assert_true(has("test", "\"bandwidth\""));
		assert_true(has("where", "\"user\""));
		assert_true(has("state", "\"done\""));
		assert_true(has("points", "10"));
		assert_true(has("records", "7"));
		assert_true(has("line", line));
	}
}
