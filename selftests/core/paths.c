// SPDX-License-Identifier: GPL-2.0-only
/* A key that is a path: what it takes, and where it is shown. */
#include "request.h"

static char text[MC_REQUEST_JSON_MAX];

static void a_path_is_one_setting(void **state)
{
	static const char * const good[] = {
		"/", "/f", "/var/tmp/a=b;c", "/a'b|c{}#%s%n~", "//../.",
	};
	char line[64];

	parse_good("files");
	assert_int_equal(req.values[PLACE].v[0], 0);
	assert_string_equal(req.path, "");
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		snprintf(line, sizeof(line), "files place=%s size=4K,8K", good[i]);
		parse_good(line);
		assert_int_equal(req.values[PLACE].n, 1);
		assert_true(req.values[PLACE].v[0] == MC_PATH_GIVEN);
		assert_string_equal(req.path, good[i]);
		assert_int_equal(mc_request_points(&req), 2);
		assert_true(strstr(shown(&req), good[i]));
		/* The line that is shown is the same request. */
		parse_good(strcpy(text, shown(&req)));
		assert_string_equal(req.path, good[i]);
	}
}

static void a_path_has_a_longest(void **state)
{
	char line[300] = "files place=/";
	struct mc_error e;
	size_t len = strlen(line);

	memset(line + len, 'x', MC_PATH_MAX - 1);
	assert_int_equal(parse(&req, line, &e), 0);
	assert_int_equal(strlen(req.path), MC_PATH_MAX);
	strcat(line, "x");
	assert_int_equal(parse(&req, line, &e), -EINVAL);
	assert_true(strstr(e.text, "is longer than 200 bytes"));
}

/* JSON has the whole path, the table none of it. */
static void a_path_is_for_programs(void **state)
{
	struct mc_record rec = { .cpu = MC_CPU_ALL };
	struct mc_error e = { 0 };
	struct mc_text t = MC_TEXT(text);
	char line[300] = "files place=/", path[300];

	memset(line + strlen(line), 'x', MC_PATH_MAX - 1);
	parse_good(line);
	mc_request_point(&req, 0, &rec.point);
	snprintf(path, sizeof(path), "\"place\":\"%s\",", req.path);
	assert_true(strstr(json_of(&rec), path));
	mc_request_json(&t, &req, "user", "done", &e, 1);
	assert_true(json_line(text));
	assert_true(strstr(text, req.path));
	assert_false(strstr(table_of(&rec), "place"));
	assert_false(strstr(table_of(&rec), "xx"));
	parse_good("files");
	mc_request_point(&req, 0, &rec.point);
	assert_true(strstr(json_of(&rec), "\"place\":\"none\","));
}

static void it_is_said_that_it_is_a_path(void **state)
{
	assert_true(strstr(WRITTEN(mc_spec_show, &files), "\n  place=none        none|/PATH "));
}

static void cpus_go_round(void **state)
{
	static const int want[] = { 1, 3, 4, 8191, 1, 3 };
	int cpu = -1;

	parse_good("files cpu=1,3-4,8191");
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		cpu = mc_request_cpu(&req, cpu);
		assert_int_equal(cpu, want[i]);
	}
	parse_good("files cpu=7");
	assert_int_equal(mc_request_cpu(&req, -1), 7);
	assert_int_equal(mc_request_cpu(&req, 7), 7);
}
