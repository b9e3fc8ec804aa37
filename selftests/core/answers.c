// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requests of answers.txt, natively: each goes through the engine on a machine with the
 * prices that are given, and its records have the answers of the expressions.
 */
#include "measure/engine.h"

static const struct mc_spec *const specs[] = {
	&mc_test_latency.spec, &mc_test_tlb.spec, &mc_test_line.spec, &mc_test_c2c.spec,
	&mc_test_bandwidth.spec, &mc_test_loaded.spec, &mc_test_mix.spec,
	&mc_test_atomic.spec, &mc_test_mmio.spec, NULL
};

#include "stub/engine.h"

#include <math.h>

#include "json.h"
#include "measure/source.h"
#include "stub/machine.h"

#define JSON_MOST	8192

u64 mc_source_before_last(int cpu, u64 bytes)
{
	const struct prices *p = model_prices();

	return bytes > p->l2_bytes && 8 * bytes <= p->l3_bytes ? p->l2_bytes : 0;
}

/* ---------------------------------------------------------------- the machine */

static char prices[120];

/* Half of the memory of the point's type is on each node. */
static int find_memory(struct mc_run *r, const struct mc_point *point,
		       const struct mc_wanted *want, struct mc_area *area)
{
	u64 type = point->v[MC_KEY_TYPE];
	int err = find(r, point, want, area);

	machine.type = type == MC_UC ? UC : type == MC_WC ? WC : WB;
	area->view = &machine.node[want->wish.node == 1];
	return err;
}

static void costs(void)
{
	machine_reset(prices, MACHINE_BYTES / 2, .core_mhz = 2500);
	page_bytes = 4096;
	side.find = find_memory;
	sim.look = mc_clock.cost_ps;
}

/* -------------------------------------------------------------- the expressions */

static const char *at;		/* the rest of an expression */

static bool eat(char c)
{
	at += strspn(at, " \t");
	return *at == c && at++;
}

static double price_of(size_t length)
{
	const char *found = prices;

	for (; found; found = strchr(found + 1, ' ')) {
		found += *found == ' ';
		if (!strncmp(found, at, length) && found[length] == '=')
			return strtod(found + length + 1, NULL);
	}
	fail_msg("no price for %s", at);
	return 0;
}

static double sum(void);

static double factor(void)
{
	size_t length;
	double x;

	if (eat('(')) {
		x = sum();
		assert_true(eat(')'));
		return x;
	}
	length = strspn(at, "abcdefghijklmnopqrstuvwxyz_.0123456789");
	assert_int_not_equal(length, 0);
	x = *at > '9' ? price_of(length) : strtod(at, NULL);
	at += length;
	return x;
}

static double product(void)
{
	double x = factor();

	for (;;) {
		if (eat('*'))
			x *= factor();
		else if (eat('/'))
			x /= factor();
		else
			return x;
	}
}

static double sum(void)
{
	double x = product();

	while (eat('+'))
		x += product();
	return x;
}

/* -------------------------------------------------------------------- the rows */

static const char *request;
static unsigned int wrong;

/* Compare the answer at @at with a value in JSON, and go on behind the answer. */
static void compare(unsigned int record, const char *column, const char *value)
{
	const char *answer = at += strspn(at, " \t"), *point = strchr(value, '.');
	bool right;

	if (*at == '"' || !strncmp(at, "null", 4)) {
		right = !strncmp(value, at, strlen(value));
		at += *at == '"' ? strcspn(at + 1, "\"") + 2 : 4;
	} else {
		double x = sum(), unit = point ? pow(10, -(double)strlen(point + 1)) : 1;

		right = *value != 'n' && fabs(strtod(value, NULL) - x) < unit * 0.999999;
	}
	if (!right)
		print_error("%s: record %u: %s: %s, not %s\n", request, record, column, value,
			    answer);
	wrong += !right;
}

/* A row: a column, and its answers. */
static void check_column(const char *row)
{
	static char json[JSON_MOST];
	char column[40] = "", value[80];
	const char *found, *end, *first, *c;
	unsigned int i, answers = 1;
	bool quoted = false;

	if (!strcmp(row, "\tnatively"))
		return;
	first = row + strcspn(row, " ");
	memcpy(column, row + 1, min(first - row - 1, 39L));
	for (c = first; *c; c++) {
		quoted ^= *c == '"';
		answers += *c == ',' && !quoted;
	}
	if (answers > 1 && answers != n)
		fail_msg("%s: %s has %u answers for %llu records", request, column, answers, n);
	for (at = first, i = 0; i < n; i++) {
		struct mc_text t = MC_TEXT(json);

		mc_record_json(&t, &req, "kernel", &rec[i]);
		found = json_member(json, column, &end);
		if (!found)
			fail_msg("%s: no column %s", request, column);
		snprintf(value, sizeof(value), "%.*s", (int)(end - found), found);
		at = answers > 1 ? at : first;
		compare(i, column, value);
		eat(',');
	}
}

/* A thread for each CPU of the request. Some tests take the cost of the clock off. */
static void measure_line(const char *line)
{
	static char kept[120];
	struct mc_error e = { 0 };

	request = strcpy(kept, line);
	sim_reset(THREADS_MOST);
	if (mc_request_parse(&req, line, strlen(line), specs, &e) || mc_engine_cpus(&req, &e))
		fail_msg("%s: %s", line, e.text);
	reset(mc_engine_threads(&req));
	if (req.spec == &mc_test_c2c.spec || req.spec == &mc_test_line.spec)
		sim.overhead = mc_clock.cost_ps;
	if (measure(line))
		fail_msg("%s: %s", line, run.error.text);
	assert_int_not_equal(n, 0);
	for (u64 i = 0; i < n; i++)
		assert_in_range(rec[i].window_max_ps, 1, 5 * MS);
}

/* A row that begins with two tabs goes on with the one before it. */
static void test_answers(void **state)
{
	FILE *f = fopen(ANSWERS, "re");
	char line[120], row[800] = "";

	assert_non_null(f);
	for (bool more = true; more;) {
		more = fgets(line, sizeof(line), f);
		line[more ? strcspn(line, "\n") : 0] = 0;
		if (*row && (!more || strncmp(line, "\t\t", 2))) {
			check_column(row);
			*row = 0;
		}
		if (*line == '\t')
			strcat(row, line);
		else if (strcspn(line, "=") < strcspn(line, " "))
			strcpy(prices, line);
		else if (*line && *line != '#')
			measure_line(line);
	}
	fclose(f);
	assert_int_equal(wrong, 0);
}
