/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What holds for any line and any tests: a line that is refused has an error that
 * names what was written; one that is taken unfolds to values that its keys allow,
 * and is the same request when it is shown and parsed again.
 */
#ifndef MC_SELFTEST_ORACLE_H
#define MC_SELFTEST_ORACLE_H

#include <strings.h>

#include "fuzz.h"

static size_t show(char *buf, const struct mc_request *req)
{
	struct mc_text t = { .buf = buf, .size = MC_SHOW_MAX };

	mc_request_show(&t, req);
	MUST(!t.cut);
	return t.len;
}

/* Does KEY= stand in the line, as the beginning of a word? */
static bool written(const char *key, size_t len, const char *line, size_t size)
{
	for (size_t i = 1; i + len < size; i++) {
		if (line[i - 1] == ' ' && !strncasecmp(line + i, key, len) &&
		    line[i + len] == '=')
			return true;
	}
	return false;
}

/* A word in quotes is what was written; so is a key, unless a line has none. */
static void check_error(const struct mc_error *e, const char *line, size_t size)
{
	const char *s, *colon = strstr(e->text, ": ");

	MUST(e->err == -EINVAL);
	MUST(colon && strlen(e->text) < sizeof(e->text) - 1);
	for (s = e->text; *s; s++)
		MUST(*s >= 0x20 && *s <= 0x7e);
	if (e->text[0] != '\'' && strncmp(e->text, "test: ", 6) &&
	    strncmp(e->text, "line: ", 6))
		MUST(written(e->text, colon - e->text, line, size) ||
		     (!strncmp(e->text, "measure: ", 9) && written("cpus", 4, line, size)));
}

static void check_value(const struct mc_key *key, u64 v)
{
	switch (key->kind) {
	case MC_CHOICE:
		MUST(mc_key_word(key, v));
		break;
	case MC_NUMBER:
	case MC_SIZE:
	case MC_TIME:
		MUST(mc_key_word(key, v) || (v >= key->min && v <= key->max));
		MUST(!key->multiple || v % key->multiple == 0);
		break;
	case MC_PATH:
		MUST(mc_key_word(key, v) || v == MC_PATH_GIVEN);
		break;
	case MC_TARGET:
		MUST(v <= MC_TARGET_PHYS);
		break;
	case MC_GROUPS:
	case MC_CPULIST:
		MUST(v == 0);
	}
}

static void check_point(const struct mc_request *req, u64 index)
{
	struct mc_point p;

	mc_request_point(req, index, &p);
	for (unsigned int id = 0; id < req->nkeys; id++) {
		check_value(mc_key_of(req->spec, id), p.v[id]);
		MUST(p.v[id] <= mc_request_max(req, id));
	}
}

/* Shown, parsed and shown again; and as it may be typed, with more spaces. */
static void check_echo(const struct mc_request *req,
		       const struct mc_spec *const *specs)
{
	static char line[MC_SHOW_MAX], echo[2 * MC_SHOW_MAX];
	static struct mc_request again;
	struct mc_error e = { 0 };
	size_t len = show(line, req), i, n = 0;

	/* A short line can unfold to one too long to be typed. */
	if (len > MC_LINE_MAX)
		return;
	MUST(!mc_request_parse(&again, line, len, specs, &e));
	MUST(same_request(req, &again));
	MUST(show(echo, &again) == len && !memcmp(line, echo, len));

	for (i = 0; i < len; i++) {
		echo[n++] = line[i];
		if (line[i] == ' ')
			echo[n++] = ' ';
	}
	echo[n++] = '\n';
	if (n > MC_LINE_MAX)
		return;
	MUST(!mc_request_parse(&again, echo, n, specs, &e));
	MUST(same_request(req, &again));
}

/* Parse a line and look at what came of it. Return: it was taken. */
static bool check_line(struct mc_request *req, const char *line, size_t size,
		       const struct mc_spec *const *specs)
{
	struct mc_error e = { 0 };
	u64 n, seed = size;

	if (mc_request_parse(req, line, size, specs, &e)) {
		check_error(&e, line, size);
		return false;
	}
	MUST(!e.err && !e.text[0]);
	n = mc_request_points(req);
	MUST(n >= 1 && n <= MC_MAX_POINTS);
	check_point(req, 0);
	check_point(req, n - 1);
	for (int i = 0; i < 4; i++)
		check_point(req, random_u64(&seed) % n);
	check_echo(req, specs);
	return true;
}

#endif /* MC_SELFTEST_ORACLE_H */
