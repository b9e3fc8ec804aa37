// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a request line. A line that is refused has an error to show; one
 * that is taken unfolds to values that its keys allow, and is the same request
 * when it is shown and parsed again.
 */
#include "fuzz.h"

static struct mc_request req, again;
static char line[MC_SHOW_MAX], echo[MC_SHOW_MAX];

static size_t show(char *buf, const struct mc_request *r)
{
	struct mc_text t = { .buf = buf, .size = MC_SHOW_MAX };

	mc_request_show(&t, r);
	MUST(!t.cut);
	return t.len;
}

static void check_error(const struct mc_error *e)
{
	const char *s;

	MUST(e->err == -EINVAL);
	MUST(strchr(e->text, ':') && strlen(e->text) < sizeof(e->text) - 1);
	for (s = e->text; *s; s++)
		MUST(*s >= 0x20 && *s <= 0x7e);
}

static void check_value(const struct mc_key *key, u64 v)
{
	switch (key->kind) {
	case MC_CHOICE:
		MUST(mc_key_word(key, v));
		break;
	case MC_NUMBER:
	case MC_SIZE:
		MUST(mc_key_word(key, v) || (v >= key->min && v <= key->max));
		MUST(!key->multiple || v % key->multiple == 0);
		break;
	case MC_CPULIST:
		MUST(v == 0);
	}
}

static void check_point(u64 index)
{
	struct mc_point p;
	unsigned int id;

	mc_request_point(&req, index, &p);
	for (id = 0; id < req.nkeys; id++) {
		check_value(mc_key_of(req.spec, id), p.v[id]);
		MUST(p.v[id] <= mc_request_max(&req, id));
	}
}

static void check_echo(void)
{
	struct mc_error e = { 0 };
	size_t len = show(line, &req);

	/* A short line can unfold to one too long to be typed. */
	if (len > MC_LINE_MAX)
		return;
	MUST(!mc_request_parse(&again, line, len, fixture_specs, &e));
	MUST(same_request(&req, &again));
	MUST(show(echo, &again) == len && !memcmp(line, echo, len));
}

static void check_spec(void)
{
	static char buf[4096];
	struct mc_text t = MC_TEXT(buf);

	mc_spec_show(&t, req.spec);
	MUST(!t.cut);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct mc_error e = { 0 };
	u64 n, seed = size;
	int i;

	if (mc_request_parse(&req, (const char *)data, size, fixture_specs, &e)) {
		check_error(&e);
		return 0;
	}
	MUST(!e.err && !e.text[0]);
	n = mc_request_points(&req);
	MUST(n >= 1 && n <= MC_MAX_POINTS);
	check_point(0);
	check_point(n - 1);
	for (i = 0; i < 4; i++)
		check_point(random_u64(&seed) % n);
	check_echo();
	check_spec();
	return 0;
}
