// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a record: its row stands under the header, word by word, and its
 * JSON is JSON. The first byte chooses the request; the record's bytes follow,
 * then the text of an error. A byte of the record counts from '0', which is what
 * is missing, too: so the corpus is text.
 */
#include "fuzz.h"

static const char * const lines[] = {
	"bandwidth", "bandwidth type=uc op=copy width=8 cpu=0-127",
	"bandwidth cpu=any", "tlb", "full",
	"tlb cpu=1,11,21,31,41,51,61,71,81,91,101,111,121,131,141,151,161,171",
	"tlb cpu=1000-1100,1200-1300,1400-1500,1600-1700,1800-1900,2000-2100,2200-2300,2400-2500,2600-2700,2800-2900,3000-3100,3200-3300,3400-3500,3600-3700,3800-3900,4000-4100,4200-4300",
};

static struct mc_request requests[ARRAY_SIZE(lines)];

static const struct mc_request *request(u8 which)
{
	struct mc_request *req = &requests[which % ARRAY_SIZE(lines)];
	const char *line = lines[which % ARRAY_SIZE(lines)];
	struct mc_error e = { 0 };

	if (!req->spec)
		MUST(!mc_request_parse(req, line, strlen(line), fixture_specs, &e));
	return req;
}

static size_t words(const char *s)
{
	size_t n = 0;

	for (s += strspn(s, " "); *s && *s != '\n'; s += strspn(s, " ")) {
		s += strcspn(s, "\n ");
		n++;
	}
	return n;
}

static void check_table(const struct mc_request *req,
			const struct mc_record *rec)
{
	static char header[MC_ROW_MAX], row[MC_ROW_MAX];
	struct mc_text h = MC_TEXT(header), r = MC_TEXT(row);
	struct mc_layout l;

	mc_layout_init(&l, req);
	mc_layout_fit(&l, req, rec);
	mc_header_show(&h, &l, req);
	mc_record_row(&r, &l, req, rec);
	MUST(!h.cut && !r.cut);
	MUST(h.len == r.len);
	MUST(words(header + 1) == words(row));
	MUST(strchr(header, '\n') == header + h.len - 1);
	MUST(strchr(row, '\n') == row + r.len - 1);
}

static void check_json(const struct mc_request *req,
		       const struct mc_record *rec, const struct mc_error *e)
{
	static char json[MC_REQUEST_JSON_MAX];
	struct mc_text t = { .buf = json, .size = MC_ROW_MAX };

	mc_record_json(&t, req, "kernel", rec);
	MUST(!t.cut && json_line(json));

	t = (struct mc_text)MC_TEXT(json);
	mc_request_json(&t, req, "user", "failed", e, rec->threads);
	MUST(!t.cut && json_line(json));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct mc_request *req = request(size ? *data - '0' : 0);
	struct mc_record rec = { 0 };
	struct mc_error e = { 0 };
	size_t i, at = 1;

	for (i = 0; i < sizeof(rec) && at < size; i++)
		((u8 *)&rec)[i] = data[at++] - '0';
	for (i = 0; i < sizeof(e.text) - 1 && at < size; i++)
		e.text[i] = data[at++];
	e.err = e.text[0] ? -EINVAL : 0;
	check_table(req, &rec);
	check_json(req, &rec, &e);
	return 0;
}
