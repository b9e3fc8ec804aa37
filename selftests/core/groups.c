// SPDX-License-Identifier: GPL-2.0-only
/* A key that is a list of groups of CPUs: what it takes, and where it is shown. */
#include "request.h"

static char text[MC_REQUEST_JSON_MAX], line[2000];

/* The groups of CPUs 0 to 9, a digit each. */
static void assert_groups(const char *of_cpus)
{
	for (unsigned int cpu = 0; cpu < 10; cpu++)
		assert_int_equal(req.group_of[cpu], of_cpus[cpu] - '0');
}

static void each_group_has_cpus_and_an_operation(void **state)
{
	parse_good("crowd");
	assert_int_equal(req.ngroups, 1);
	assert_groups("1000000000");
	parse_good("crowd groups=0-3:read+4,7:ntwrite+9:copy");
	assert_int_equal(req.ngroups, 3);
	assert_groups("1111200203");
	assert_int_equal(req.group[0].op, 0);
	assert_int_equal(req.group[1].op, 3);
	assert_int_equal(req.group[2].op, 4);
	for (unsigned int g = 0; g < 3; g++)
		assert_int_equal(req.group[g].given, 0);
	parse_good("crowd groups=8191:read+8190:read");
	assert_int_equal(req.group_of[8191], 1);
	assert_int_equal(req.group_of[8190], 2);
}

static void a_group_may_have_values_of_its_own(void **state)
{
	static const char groups[] =
		"0:read:pace=9:size=64K+1:write+2:read:node=local+3:read:node=auto";
	struct mc_point point, own;

	snprintf(text, sizeof(text), "crowd node=1 size=4K,8K pace=1,2 groups=%s", groups);
	parse_good(text);
	assert_int_equal(mc_request_points(&req), 4);
	mc_request_point(&req, 3, &point);
	mc_group_point(&req.group[0], &point, &own);
	assert_int_equal(own.v[PACE], 9);
	assert_int_equal(own.v[MC_KEY_SIZE], 64 << 10);
	assert_int_equal(own.v[MC_KEY_NODE], 1);
	mc_group_point(&req.group[1], &point, &own);
	assert_memory_equal(&own, &point, sizeof(own));
	assert_int_equal(own.v[PACE], 2);
	assert_int_equal(own.v[MC_KEY_SIZE], 8 << 10);
	mc_group_point(&req.group[2], &point, &own);
	assert_true(own.v[MC_KEY_NODE] == MC_LOCAL);
	mc_group_point(&req.group[3], &point, &own);
	assert_true(own.v[MC_KEY_NODE] == MC_AUTO);
}

static void assert_bad(const char *groups, const char *says)
{
	struct mc_error e;

	snprintf(line, sizeof(line), "crowd groups=%s", groups);
	assert_int_equal(parse(&req, line, &e), -EINVAL);
	if (!strstr(e.text, says))
		fail_msg("'%s': %s", groups, e.text);
}

static void what_is_wrong_is_said(void **state)
{
	static char many[500];

	assert_bad("", "groups: has no value; write groups=0:read");
	assert_bad("0", "groups: '0' has no operation; a group is CPUS:OP");
	assert_bad("0:", "groups: '' is not one of read|ntread|");
	assert_bad(":read", "groups: '' is not a CPU list; write e.g. 0 or 0-3,8");
	assert_bad("all:read", "groups: 'all' is not a CPU list; write e.g. 0 or 0-3,8");
	assert_bad("3-1:read", "groups: '3-1' is not a CPU list");
	assert_bad("0,:read", "groups: '' is not a CPU list");
	assert_bad("0:reed", "groups: 'reed' is not one of read|ntread|");
	assert_bad("0-3:read+3:write", "groups: '3' names a CPU twice");
	assert_bad("0,0:read", "groups: '0' names a CPU twice");
	assert_bad("8192:read", "groups: '8192' names a CPU above 8191");
	assert_bad("0:read+", "groups: '' is not a CPU list");
	assert_bad("+0:read", "groups: '' is not a CPU list");
	assert_bad("0:read:", "groups: '' is not KEY=VALUE; a group is CPUS:OP");
	assert_bad("0:read:pace", "groups: 'pace' is not KEY=VALUE");
	assert_bad("0:read:pace=101", "pace: '101' is not a whole number from 0 to 100");
	assert_bad("0:read:pace=", "pace: '' is not a whole number");
	assert_bad("0:read:pace=1,2", "pace: '1,2' is not a whole number");
	assert_bad("0:read:pace=1:pace=1", "groups: 'pace' is given twice in a group");
	assert_bad("0:read:size=4K..8K", "groups: '4K..8K' is not one value");
	assert_bad("0:read:size=auto", "groups: 'auto' is not one value");
	assert_bad("0:read:repeat=2",
		   "groups: 'repeat' is no key of a group; a group takes size=, node=, pace=");
	assert_bad("0:read:irq=off", "groups: 'irq' is no key of a group");
	snprintf(many, sizeof(many), "0:read");
	for (unsigned int cpu = 1; cpu < MC_MAX_GROUPS; cpu++)
		snprintf(many + strlen(many), 20, "+%u:read", cpu);
	snprintf(text, sizeof(text), "crowd groups=%s", many);
	parse_good(text);
	assert_int_equal(req.ngroups, MC_MAX_GROUPS);
	snprintf(many + strlen(many), 20, "+99:read");
	assert_bad(many, "groups: '99:read' is one group too many: 16 at most");
}

static void the_list_has_a_longest(void **state)
{
	char list[600] = "0";

	for (unsigned int cpu = 100; strlen(list) + 4 + strlen(":read") <= MC_GROUPS_MAX; cpu++)
		snprintf(list + strlen(list), 8, ",%u", cpu);
	snprintf(list + strlen(list), 8, ":read");
	snprintf(line, sizeof(line), "crowd groups=%s", list);
	parse_good(line);
	assert_string_equal(req.groups, list);
	memmove(list + 4, list, strlen(list) + 1);
	memcpy(list, "990,", 4);
	assert_bad(list, "is longer than 500 bytes");
}

/* The line that is shown is the same request, and JSON has all groups; the table has none. */
static void groups_are_shown(void **state)
{
	static const char groups[] = "0-3:read:size=64K:pace=3+4,5:ntwrite:node=local+9:copy";
	struct mc_record rec = { .cpu = MC_CPU_ALL };
	char member[120];

	snprintf(text, sizeof(text), "crowd groups=%s", groups);
	parse_good(text);
	assert_string_equal(req.groups, groups);
	parse_good(shown(&req));
	assert_string_equal(req.groups, groups);
	assert_groups("1111220003");
	mc_request_point(&req, 0, &rec.point);
	snprintf(member, sizeof(member), "\"groups\":\"%s\",", groups);
	assert_true(strstr(json_of(&rec), member));
	assert_false(strstr(table_of(&rec), "groups"));
	assert_true(strstr(WRITTEN(mc_spec_show, &crowd),
			   "\n  groups=0:read     LIST:OP[:KEY=VALUE][+MORE] "));
}
