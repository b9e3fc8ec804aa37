/* SPDX-License-Identifier: GPL-2.0-only */
/* Making and checking requests, for the tests of the parser. */
#ifndef MC_SELFTEST_REQUEST_H
#define MC_SELFTEST_REQUEST_H

#include "cmocka_all.h"
#include "fixture.h"

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

#endif /* MC_SELFTEST_REQUEST_H */
