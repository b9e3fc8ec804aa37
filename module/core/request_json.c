// SPDX-License-Identifier: GPL-2.0-only
/* The request as a line of JSON, which comes before its results. */
#include "core/record.h"

/**
 * mc_request_json() - append the request and its outcome as a line of JSON
 * @t: the text
 * @req: the request
 * @where: "kernel" or "user"
 * @state: done, failed or stopped
 * @e: the error, if @e->err is not 0
 * @records: number of results that follow
 */
void mc_request_json(struct mc_text *t, const struct mc_request *req,
		     const char *where, const char *state,
		     const struct mc_error *e, u64 records)
{
	mc_textf(t, "{\"record\":\"request\",\"test\":\"%s\",\"where\":\"%s\",\"line\":\"",
		 req->spec->name, where);
	/* Names, digits, separators and the path need no escaping. */
	mc_request_show(t, req);
	mc_textf(t, "\",\"state\":\"%s\",\"errno\":%d,\"error\":", state, -e->err);
	mc_text_json(t, e->err ? e->text : NULL);
	mc_textf(t, ",\"points\":%llu,\"records\":%llu}\n", mc_request_points(req), records);
}
