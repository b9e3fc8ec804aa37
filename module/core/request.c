// SPDX-License-Identifier: GPL-2.0-only
/* Request lines: parse them, count and enumerate their combinations, show them. */
#include "core/math.h"
#include "core/meant.h"
#include "core/request.h"

/**
 * mc_word_is() - is this the name of a key, or a word that it takes?
 * @name: the name
 * @was: its name in older versions, or NULL
 * @s: a word in any letters, not terminated
 * @len: its length
 *
 * Return: true if it is, or was in older versions.
 */
bool mc_word_is(const char *name, const char *was, const char *s, size_t len)
{
	return mc_same_letters(name, s, len) || (was && mc_same_letters(was, s, len));
}

/* Find the next word from *@at on, and move *@at there. Return: its length, 0 at the end. */
static size_t next_word(const char *line, size_t len, size_t *at)
{
	size_t end;

	while (*at < len && line[*at] == ' ')
		(*at)++;
	for (end = *at; end < len && line[end] != ' '; end++)
		;
	return end - *at;
}

static int find_spec(struct mc_request *req, const char *s, size_t len,
		     const struct mc_spec *const *specs, struct mc_error *e)
{
	struct mc_suggestion meant = { .s = s, .len = len };
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	unsigned int i;

	if (!len)
		return mc_fail(e, -EINVAL,
			       "test: the line is empty; write TEST [key=value]...; "
			       MC_TESTS_LISTED);
	mc_text_quote(&t, s, len);
	mc_textf(&t, " is not one of ");
	for (i = 0; specs[i]; i++) {
		if (mc_same_letters(specs[i]->name, s, len)) {
			req->spec = specs[i];
			req->nkeys = MC_KEY_FIRST + specs[i]->nkeys;
			return 0;
		}
		mc_textf(&t, i ? "|%s" : "%s", specs[i]->name);
		mc_suggestion_try(&meant, specs[i]->name);
	}
	mc_suggestion_show(&t, &meant);
	return mc_fail(e, -EINVAL, "test: %s", text);
}

static int refuse_key(const struct mc_request *req, const char *s, size_t len, struct mc_error *e)
{
	struct mc_suggestion meant = { .s = s, .len = len };
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	unsigned int id;

	for (id = 0; id < req->nkeys; id++)
		mc_suggestion_try(&meant, mc_key_of(req->spec, id)->name);
	mc_text_quote(&t, s, len);
	mc_textf(&t, ": not a key of %s", req->spec->name);
	if (meant.word)
		mc_suggestion_show(&t, &meant);
	else
		mc_textf(&t, "; " MC_TESTS_LISTED);
	return mc_fail(e, -EINVAL, "%s", text);
}

/* Parse one key=value. @seen has a bit for each key before it. */
static int parse_word(struct mc_request *req, const char *s, size_t len,
		      u64 *seen, struct mc_error *e)
{
	const char *eq = memchr(s, '=', len);
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	unsigned int id;
	size_t klen;

	if (!eq) {
		mc_text_quote(&t, s, len);
		return mc_fail(e, -EINVAL, "%s: not key=value", text);
	}
	klen = eq - s;
	for (id = 0; id < req->nkeys; id++) {
		const struct mc_key *key = mc_key_of(req->spec, id);

		if (mc_word_is(key->name, key->was, s, klen))
			break;
	}
	if (id == req->nkeys)
		return refuse_key(req, s, klen, e);
	if (*seen & 1ULL << id)
		return mc_fail(e, -EINVAL, "%s: is given twice", mc_key_of(req->spec, id)->name);
	*seen |= 1ULL << id;
	req->order[req->given++] = id;
	return mc_values_parse(req, id, eq + 1, len - klen - 1, e);
}

static int parse_words(struct mc_request *req, const char *line, size_t len,
		       size_t at, struct mc_error *e)
{
	u64 seen = 0;
	size_t n;
	int err;

	req->given = 0;
	while ((n = next_word(line, len, &at))) {
		err = parse_word(req, line + at, n, &seen, e);
		if (err)
			return err;
		at += n;
	}
	return 0;
}

/* Give every key its preset; the words of the line then replace them. */
static int fill_presets(struct mc_request *req, struct mc_error *e)
{
	const struct mc_spec *spec = req->spec;
	unsigned int id;
	int err;

	for (id = 0; id < req->nkeys; id++) {
		const char *preset = mc_key_of(spec, id)->preset;

		err = mc_values_parse(req, id, preset, strlen(preset), e);
		if (err)
			return err;
	}
	if (!spec->presets)
		return 0;
	return parse_words(req, spec->presets, strlen(spec->presets), 0, e);
}

/* Append the keys that the user did not write. */
static void complete_order(struct mc_request *req)
{
	unsigned int id, i, n = req->given;

	for (id = 0; id < req->nkeys; id++) {
		for (i = 0; i < req->given && req->order[i] != id; i++)
			;
		if (i == req->given)
			req->order[n++] = id;
	}
}

static int check_bytes(const char *line, size_t len, struct mc_error *e)
{
	size_t i;

	if (len > MC_LINE_MAX)
		return mc_fail(e, -EINVAL, "line: is longer than %d bytes", MC_LINE_MAX);
	for (i = 0; i < len; i++) {
		u8 c = line[i];

		if (c < 0x20 || c > 0x7e)
			return mc_fail(e, -EINVAL,
				       "line: byte %u is 0x%02x; write one line of printable ASCII",
				       (unsigned int)i, c);
	}
	return 0;
}

/**
 * mc_request_parse() - parse a request line
 * @req: result; too large for the stack
 * @line: the line, with or without a newline at its end; not terminated
 * @len: its length
 * @specs: all tests, terminated by NULL
 * @e: result: what is wrong and what would be right, naming the key
 *
 * Return: 0, or -EINVAL and then @req is not valid.
 */
int mc_request_parse(struct mc_request *req, const char *line, size_t len,
		     const struct mc_spec *const *specs, struct mc_error *e)
{
	size_t at = 0, n;
	int err;

	memset(req, 0, sizeof(*req));
	if (len && line[len - 1] == '\n')
		len--;
	err = check_bytes(line, len, e);
	if (err)
		return err;
	n = next_word(line, len, &at);
	err = find_spec(req, line + at, n, specs, e);
	if (!err)
		err = fill_presets(req, e);
	if (!err)
		err = parse_words(req, line, len, at + n, e);
	if (err)
		return err;
	complete_order(req);
	if (mc_request_points(req) > MC_MAX_POINTS)
		return mc_fail(e, -EINVAL,
			       "line: asks for more than %d combinations",
			       MC_MAX_POINTS);
	return 0;
}

static u64 values_of(const struct mc_request *req, unsigned int id)
{
	u32 n = req->values[id].n;

	return n ? n : 1;	/* the CPU list counts as one value */
}

/**
 * mc_request_points() - number of combinations in a request
 * @req: the request
 *
 * Return: the number; if it is more than MC_MAX_POINTS, any number above that.
 */
u64 mc_request_points(const struct mc_request *req)
{
	u64 n = 1;
	unsigned int id;

	for (id = 0; id < req->nkeys && n <= MC_MAX_POINTS; id++)
		n *= values_of(req, id);
	return n;
}

/**
 * mc_request_point() - one combination; the last key varies fastest
 * @req: the request
 * @index: 0 to mc_request_points() - 1
 * @point: result
 */
void mc_request_point(const struct mc_request *req, u64 index, struct mc_point *point)
{
	unsigned int i;

	memset(point, 0, sizeof(*point));
	for (i = req->nkeys; i-- > 0; ) {
		unsigned int id = req->order[i];
		u64 n = values_of(req, id);

		point->v[id] = req->values[id].v[index % n];
		index /= n;
	}
}

/**
 * mc_group_point() - the values that count for a group of CPUs
 * @group: the group
 * @point: the values of the request
 * @out: result: those of the group where it has its own; may be @point
 */
void mc_group_point(const struct mc_group *group, const struct mc_point *point,
		    struct mc_point *out)
{
	unsigned int id;

	*out = *point;
	for (id = 0; id < MC_MAX_KEYS; id++) {
		if (group->given >> id & 1)
			out->v[id] = group->v[id];
	}
}

/**
 * mc_request_given() - did the user write this key?
 * @req: the request
 * @id: the key's number
 *
 * Return: false if the key has its preset because the user did not write it.
 */
bool mc_request_given(const struct mc_request *req, unsigned int id)
{
	return memchr(req->order, id, req->given);
}

/**
 * mc_request_cpu() - the next of the request's CPUs
 * @req: the request, with at least one CPU
 * @cpu: one of them, or -1
 *
 * Return: the next one above @cpu, or else the first one.
 */
int mc_request_cpu(const struct mc_request *req, int cpu)
{
	do {
		cpu = (cpu + 1) % MC_MAX_CPUS;
	} while (!mc_bit(req->cpus, cpu));
	return cpu;
}

/**
 * mc_request_max() - the largest value of a key
 * @req: the request
 * @id: the key's number
 *
 * Return: the value; 0 for the CPU list.
 */
u64 mc_request_max(const struct mc_request *req, unsigned int id)
{
	const struct mc_values *v = &req->values[id];
	u64 max = 0;
	u32 i;

	for (i = 0; i < v->n; i++)
		max = v->v[i] > max ? v->v[i] : max;
	return max;
}

/**
 * mc_request_values() - append a key's values in the form of a request
 * @t: the text
 * @req: the request
 * @id: the key's number
 */
void mc_request_values(struct mc_text *t, const struct mc_request *req, unsigned int id)
{
	const struct mc_key *key = mc_key_of(req->spec, id);
	u32 i;

	if (key->kind == MC_CPULIST && req->all_cpus)
		mc_textf(t, "all");
	else if (key->kind == MC_CPULIST && req->any_cpu)
		mc_textf(t, "any");
	else if (key->kind == MC_CPULIST)
		mc_text_list(t, req->cpus, MC_MAX_CPUS);
	if (key->kind == MC_PATH && *req->path) {
		mc_textf(t, "%s", req->path);
		return;
	}
	if (key->kind == MC_GROUPS) {
		mc_textf(t, "%s", req->groups);
		return;
	}
	if (key->kind == MC_TARGET) {
		mc_target_show(t, &req->target);
		return;
	}
	for (i = 0; i < req->values[id].n; i++) {
		mc_textf(t, i ? "," : "");
		mc_key_show(t, key, req->values[id].v[i]);
	}
}

/**
 * mc_request_show() - append the request with all presets filled in
 * @t: the text
 * @req: the request
 */
void mc_request_show(struct mc_text *t, const struct mc_request *req)
{
	unsigned int i;

	mc_textf(t, "%s", req->spec->name);
	for (i = 0; i < req->nkeys; i++) {
		mc_textf(t, " %s=", mc_key_of(req->spec, req->order[i])->name);
		mc_request_values(t, req, req->order[i]);
	}
}
