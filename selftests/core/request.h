/* SPDX-License-Identifier: GPL-2.0-only */
/* Making and checking requests, for the tests of the parser. */
#ifndef MC_SELFTEST_REQUEST_H
#define MC_SELFTEST_REQUEST_H

#include "cmocka_all.h"
#include "fixture.h"
#include "json.h"

/* The parser's line has no terminator. A block of its size shows reads behind its end. */
static inline int parse_bytes(struct mc_request *req, const char *line,
			      size_t len, struct mc_error *e)
{
	char *tight = malloc(len ? len : 1);
	int err;

	memcpy(tight, line, len);
	memset(req, 0x5a, sizeof(*req));
	memset(e, 0, sizeof(*e));
	err = mc_request_parse(req, len ? tight : tight + 1, len,
			       fixture_specs, e);
	free(tight);
	return err;
}

static inline int parse(struct mc_request *req, const char *line,
			struct mc_error *e)
{
	return parse_bytes(req, line, strlen(line), e);
}

/* The text that shows a request; valid until the next call. */
static inline const char *shown(const struct mc_request *req)
{
	static char buf[32768];
	struct mc_text t = MC_TEXT(buf);

	mc_request_show(&t, req);
	assert_false(t.cut);
	return buf;
}

static struct mc_request req;

/* Parse a request that is right into req. */
static inline void parse_good(const char *line)
{
	struct mc_error e;

	if (parse(&req, line, &e))
		fail_msg("'%s': %s", line, e.text);
	assert_int_equal(e.err, 0);
	assert_int_equal(e.text[0], 0);
}

/* The table that has this record only; valid until the next call. */
static inline const char *table_of(const struct mc_record *rec)
{
	static char buf[8192];
	struct mc_text t = MC_TEXT(buf);
	struct mc_layout layout;

	mc_layout_init(&layout, &req);
	mc_layout_fit(&layout, &req, rec);
	mc_header_show(&t, &layout, &req);
	mc_record_row(&t, &layout, &req, rec);
	return buf;
}

/* The JSON line of this record; valid until the next call. */
static inline const char *json_of(const struct mc_record *rec)
{
	static char buf[MC_ROW_MAX];
	struct mc_text t = MC_TEXT(buf);

	mc_record_json(&t, &req, "user", rec);
	assert_true(json_line(buf));
	return buf;
}

#endif /* MC_SELFTEST_REQUEST_H */
