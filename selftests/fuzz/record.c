// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a record: its row stands under the header, word by word, its JSON
 * is JSON, and both say the same. The first byte chooses the request; the record's bytes follow,
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

/* A request, and what is the same for each of its records: made and checked once. */
static struct asked {
	struct mc_request req;
	struct mc_layout layout;
	char line[MC_SHOW_MAX];
} asked[ARRAY_SIZE(lines)];

/* The line that is shown is a line that is the same request. */
static void ask(struct asked *a, const char *line)
{
	static struct mc_request again;
	struct mc_text t = MC_TEXT(a->line);
	struct mc_error e = { 0 };

	MUST(!mc_request_parse(&a->req, line, strlen(line), fixture_specs, &e));
	mc_layout_init(&a->layout, &a->req);
	mc_request_show(&t, &a->req);
	MUST(!t.cut && !mc_request_parse(&again, a->line, t.len, fixture_specs, &e));
	MUST(same_request(&a->req, &again));
}

static const struct asked *request(u8 which)
{
	struct asked *a = &asked[which % ARRAY_SIZE(lines)];

	if (!a->req.spec)
		ask(a, lines[which % ARRAY_SIZE(lines)]);
	return a;
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

#define SPACE	" \t\n"

static char header[MC_ROW_MAX], row[MC_ROW_MAX], json[MC_TAIL_ROW_MAX];

_Static_assert(MC_TAIL_ROW_MAX >= MC_REQUEST_JSON_MAX, "the longest line");

static void check_table(const struct asked *a, const struct mc_record *rec)
{
	struct mc_text h = MC_TEXT(header), r = MC_TEXT(row);
	const struct mc_request *req = &a->req;
	struct mc_layout l = a->layout;

	mc_layout_fit(&l, req, rec);
	mc_header_show(&h, &l, req);
	mc_record_row(&r, &l, req, rec);
	MUST(!h.cut && !r.cut);
	MUST(h.len == r.len);
	MUST(words(header + 1) == words(row));
	MUST(strchr(header, '\n') == header + h.len - 1);
	MUST(strchr(row, '\n') == row + r.len - 1);
}

/* One cell of the table, and the value from @value to @end of the JSON line. */
static void check_same(const char *cell, const char *value, const char *end)
{
	if (!strncmp(value, "null", 4))
		MUST(!strcmp(cell, "na"));
	else if (*value == '"')
		MUST(json_says(value, cell));
	else
		MUST(strlen(cell) == (size_t)(end - value) && !memcmp(cell, value, end - value));
}

/* JSON has more members than the table has columns, in the same order. */
static void check_record_json(const struct mc_request *req, const struct mc_record *rec)
{
	struct mc_text t = { .buf = json, .size = rec->tail ? MC_TAIL_ROW_MAX : MC_ROW_MAX };
	char *names = header + 1, *cells = row, *column;
	const char *at = json, *name, *value;
	size_t n;

	mc_record_json(&t, req, "kernel", rec);
	MUST(!t.cut && json_line(json));
	column = strtok_r(NULL, SPACE, &names);
	while (column && json_next(&at, &name, &n, &value)) {
		if (n != strlen(column) || memcmp(name, column, n))
			continue;
		check_same(strtok_r(NULL, SPACE, &cells), value, at);
		column = strtok_r(NULL, SPACE, &names);
	}
	MUST(!column);
}

/* Its line is the request's; its error is the error. */
static void check_request_json(const struct asked *a,
			       const struct mc_record *rec, const struct mc_error *e)
{
	struct mc_text t = MC_TEXT(json);
	const char *value, *end;

	mc_request_json(&t, &a->req, "user", "failed", e, rec->threads);
	MUST(!t.cut && json_line(json));
	value = json_member(json, "line", &end);
	MUST(value && end - value - 2 == strlen(a->line) &&
	     !memcmp(value + 1, a->line, end - value - 2));
	value = json_member(json, "error", &end);
	MUST(value && (e->err ? json_says(value, e->text) : !strncmp(value, "null", 4)));
}

/* A distribution whose times and causes are the input's. */
static struct mc_tail *fill_tail(const u8 *data, size_t size)
{
	static struct mc_tail t;

	memset(&t, 0, sizeof(t));
	t.khz = 1 + size * size;
	t.known = size;
	for (size_t i = 0; i < size && i < MC_TAIL_BINS; i++)
		t.bins.count[i] = data[i] - '0';
	for (size_t i = 0; i < size && i < MC_TAIL_WORST; i++) {
		t.worst[t.nworst++] = (struct mc_spike){
			.at = (u64)data[i] << i, .ticks = (u64)data[i] << 4 * i,
			.cause = data[i] % (unsigned int)MC_NCAUSES,
		};
		t.cause[i].count = data[i];
		t.cause[i].longest = (u64)data[i] << 5 * i;
		t.slot[i][i].ticks = data[i];
	}
	return &t;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct asked *a = request(size ? *data - '0' : 0);
	struct mc_record rec = { 0 };
	struct mc_histogram histogram = { .first = size % 189 };
	struct mc_error e = { 0 };
	size_t i, at = 1;

	for (i = 0; i < sizeof(rec) && at < size; i++)
		((u8 *)&rec)[i] = data[at++] - '0';
	for (i = 0; i < MC_BINS; i++)
		histogram.count[i] = size > i ? (u32)data[i] << i % 25 : 0;
	for (i = 0; i < sizeof(e.text) - 1 && at < size; i++)
		e.text[i] = data[at++];
	rec.histogram = rec.histogram ? &histogram : NULL;
	rec.tail = rec.tail ? fill_tail(data, size) : NULL;
	if (rec.tail)
		rec.histogram = NULL;
	rec.object = rec.object ? "an:object" : NULL;
	e.err = e.text[0] ? -EINVAL : 0;
	check_table(a, &rec);
	check_record_json(&a->req, &rec);
	check_request_json(a, &rec, &e);
	return 0;
}
