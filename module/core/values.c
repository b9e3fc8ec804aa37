// SPDX-License-Identifier: GPL-2.0-only
/*
 * The value in key=value: words, numbers, sizes, ranges, times, CPU lists, paths, groups.
 *
 * Functions that are not inlined have the text of an error, or values: two of them would be too
 * much for one frame of the kernel's stack.
 */
#include "core/meant.h"
#include "core/request.h"

/* A piece of the request line, not terminated. */
struct piece {
	const char *s;
	size_t len;
};

/* Take the piece before the next @by, or the last one. Return: false if none is left. */
static bool next_piece(struct piece *rest, char by, struct piece *out)
{
	const char *end;

	if (!rest->s)
		return false;
	end = memchr(rest->s, by, rest->len);
	*out = *rest;
	if (end) {
		out->len = end - rest->s;
		rest->len -= out->len + 1;
		rest->s = end + 1;
	} else {
		rest->s = NULL;
	}
	return true;
}

static int refuse(struct mc_error *e, const struct mc_key *key, struct piece p, const char *why)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);

	mc_text_quote(&t, p.s, p.len);
	mc_textf(&t, " %s", why);
	return mc_fail(e, -EINVAL, "%s: %s", key->name, text);
}

static bool word_value(const struct mc_name *names, struct piece p, u64 *value)
{
	for (; names && names->name; names++) {
		if (mc_word_is(names->name, names->was, p.s, p.len)) {
			*value = names->value;
			return true;
		}
	}
	return false;
}

/* A longer list leaves no room for the word that was meant. */
#define LONGEST_LIST	(MC_ERROR_TEXT - 100)

static int refuse_word(struct mc_error *e, const struct mc_key *key, struct piece p)
{
	struct mc_suggestion meant = { .s = p.s, .len = p.len };
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	const struct mc_name *n;

	mc_textf(&t, "is not one of ");
	for (n = key->names; n->name; n++) {
		mc_textf(&t, n == key->names ? "%s" : "|%s", n->name);
		mc_suggestion_try(&meant, n->name);
	}
	if (meant.word && t.len > LONGEST_LIST) {
		t = (struct mc_text)MC_TEXT(text);
		mc_textf(&t, "is not a value of it");
	}
	mc_suggestion_show(&t, &meant);
	return refuse(e, key, p, text);
}

static int parse_digits(struct piece p, u64 *value)
{
	return mc_digits(p.s, p.len, 10, value);
}

/*
 * Parse a number with at most @decimals digits behind its point. Return: false if it is none,
 * or 10^@decimals times the number, which is *@value, does not fit 64 bits.
 */
static bool parse_decimal(struct piece p, unsigned int decimals, u64 *value)
{
	struct piece whole = { 0 };
	size_t behind, i;
	int n;

	next_piece(&p, '.', &whole);
	behind = p.s ? p.len : 0;
	n = parse_digits(whole, value);
	if (n <= 0 || (size_t)n != whole.len || (p.s && !behind) || behind > decimals)
		return false;
	for (i = 0; i < decimals; i++) {
		unsigned int digit = i < behind ? p.s[i] - '0' : 0;

		if (digit > 9 || *value > (~0ULL - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return true;
}

/* A number of seconds may have its unit, or another one. Return: false if it is no such number. */
static bool parse_seconds(const struct mc_key *key, struct piece p, u64 *value)
{
	static const struct {
		const char *name;
		unsigned int times, part;
	} units[] = { { "ms", 1, 1000 }, { "s", 1, 1 }, { "min", 60, 1 }, { "h", 3600, 1 } };
	unsigned int i;
	size_t n;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		n = strlen(units[i].name);
		if (p.len > n && mc_same_letters(units[i].name, p.s + p.len - n, n))
			break;
	}
	if (i == ARRAY_SIZE(units))
		return parse_decimal(p, key->decimals, value);
	p.len -= n;
	if (!parse_decimal(p, key->decimals, value) || *value > ~0ULL / units[i].times ||
	    *value % units[i].part)
		return false;
	*value = *value * units[i].times / units[i].part;
	return true;
}

static noinline int parse_number(const struct mc_key *key, struct piece p, u64 *value,
				 struct mc_error *e)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);

	if (word_value(key->names, p, value))
		return 0;
	if ((key->seconds ? parse_seconds(key, p, value) :
			    parse_decimal(p, key->decimals, value)) &&
	    *value >= key->min && *value <= key->max)
		return 0;
	mc_textf(&t, key->decimals ? "is not a number from " : "is not a whole number from ");
	mc_text_decimal(&t, key->min, key->decimals);
	mc_textf(&t, " to ");
	mc_text_decimal(&t, key->max, key->decimals);
	if (key->decimals)
		mc_textf(&t, " with at most %u decimals", key->decimals);
	if (key->names)
		mc_textf(&t, " or '%s'", key->names->name);
	return refuse(e, key, p, text);
}

static unsigned int suffix_shift(char c)
{
	switch (c) {
	case 'k': case 'K': return 10;
	case 'm': case 'M': return 20;
	case 'g': case 'G': return 30;
	default: return 0;
	}
}

/* K, KB or KiB: all are 1024. Return: the shift; 0: bytes, also as B; -1: it is no unit. */
static int unit_shift(struct piece unit)
{
	int shift;

	if (!unit.len || mc_same_letters("b", unit.s, unit.len))
		return 0;
	shift = suffix_shift(*unit.s);
	if (!shift || (unit.len > 1 && !mc_same_letters("b", unit.s + 1, unit.len - 1) &&
		       !mc_same_letters("ib", unit.s + 1, unit.len - 1)))
		return -1;
	return shift;
}

/* Take the digits behind the point. Return: false if these are none, or too many. */
static bool take_fraction(struct piece *p, u64 *fraction, u64 *of)
{
	const size_t most = 6;
	int n;

	*fraction = 0;
	*of = 1;
	if (!p->len || *p->s != '.')
		return true;
	p->s++;
	p->len--;
	n = parse_digits(*p, fraction);
	if (n <= 0 || (size_t)n > most)
		return false;
	p->s += n;
	p->len -= n;
	while (n--)
		*of *= 10;
	return true;
}

static int parse_size(const struct mc_key *key, struct piece p, u64 *value, struct mc_error *e)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	const char *unit = key->unit ? key->unit : "bytes";
	int n = parse_digits(p, value), shift = -1;
	u64 fraction = 0, of = 1;
	struct piece rest = p;

	if (n > 0) {
		rest.s += n;
		rest.len -= n;
		if (take_fraction(&rest, &fraction, &of))
			shift = unit_shift(rest);
	}
	if (n >= 0 && shift < 0)
		return refuse(e, key, p,
			      "is not a size; write bytes or K, M, G, e.g. 64K or 4K..16M");
	if (n < 0 || *value > ~0ULL >> shift)
		return refuse(e, key, p, "is too large: it does not fit 64 bits");
	if ((fraction << shift) % of) {
		mc_textf(&t, "is not a whole number of %s", unit);
		return refuse(e, key, p, text);
	}
	*value = (*value << shift) + (fraction << shift) / of;
	if (*value < key->min || *value > key->max) {
		mc_textf(&t, "is outside %llu to %llu %s", key->min, key->max, unit);
		return refuse(e, key, p, text);
	}
	if (key->multiple && *value % key->multiple) {
		mc_textf(&t, "is not a multiple of %llu %s", key->multiple, unit);
		return refuse(e, key, p, text);
	}
	return 0;
}

/* The value of a unit in ns; 0: it is none. */
static u64 time_unit(struct piece unit)
{
	static const struct mc_name units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { }
	};
	const struct mc_name *u;

	for (u = units; u->name; u++) {
		if (mc_same_letters(u->name, unit.s, unit.len))
			return u->value;
	}
	return 0;
}

static int parse_time(const struct mc_key *key, struct piece p, u64 *value, struct mc_error *e)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	u64 ns = 1;
	int n;

	if (word_value(key->names, p, value))
		return 0;
	n = parse_digits(p, value);
	if (n > 0 && (*value || (size_t)n < p.len))
		ns = time_unit((struct piece){ p.s + n, p.len - n });
	if (!n || !ns)
		return refuse(e, key, p, "is not a time; write e.g. 500us, 20ms or 1s");
	if (n > 0 && *value <= key->max / ns) {
		*value *= ns;
		if (*value >= key->min)
			return 0;
	}
	mc_textf(&t, "is outside ");
	mc_text_time(&t, key->min);
	mc_textf(&t, " to ");
	mc_text_time(&t, key->max);
	return refuse(e, key, p, text);
}

static int add_value(const struct mc_key *key, struct mc_values *out, u64 v,
		     struct piece p, struct mc_error *e)
{
	if (out->n == MC_MAX_VALUES)
		return refuse(e, key, p, "is one value too many: 64 at most");
	out->v[out->n++] = v;
	return 0;
}

/* A, or A..B, which stands for A, 2A, 4A, ... up to B. */
static int parse_range(const struct mc_key *key, struct piece p,
		       struct mc_values *out, struct mc_error *e)
{
	struct piece low = p, high = { 0 };
	u64 a, b, v;
	size_t i;
	int err;

	if (word_value(key->names, p, &v))
		return add_value(key, out, v, p, e);
	for (i = 0; i + 1 < p.len; i++) {
		if (p.s[i] == '.' && p.s[i + 1] == '.') {
			low.len = i;
			high.s = p.s + i + 2;
			high.len = p.len - i - 2;
			break;
		}
	}
	err = parse_size(key, low, &a, e);
	if (err || !high.s)
		return err ? err : add_value(key, out, a, p, e);
	err = parse_size(key, high, &b, e);
	if (err)
		return err;
	if (!a)
		return refuse(e, key, p, "doubles from 0; write a larger size first");
	if (b < a)
		return refuse(e, key, p,
			      "runs backwards; write the smaller size first");
	for (v = a; ; v <<= 1) {
		err = add_value(key, out, v, p, e);
		if (err || v > b >> 1)
			return err;
	}
}

/* Parse N or N-M. */
static int parse_cpu_range(const struct mc_key *key, struct piece p, u64 *from, u64 *to,
			   struct mc_error *e)
{
	u64 first, last;
	int n = parse_digits(p, &first);
	struct piece rest = p;

	last = first;
	if (n > 0 && (size_t)n < p.len && p.s[n] == '-') {
		rest.s += n + 1;
		rest.len -= n + 1;
		n = parse_digits(rest, &last);
		rest.len -= n > 0 ? n : 0;
	} else {
		rest.len -= n > 0 ? n : 0;
	}
	if (n <= 0 || rest.len || first > last)
		return refuse(e, key, p, key->kind == MC_GROUPS ?
			      "is not a CPU list; write e.g. 0 or 0-3,8" :
			      "is not a CPU list; write e.g. 0 or 0-3,8, or all, or any");
	if (last >= MC_MAX_CPUS)
		return refuse(e, key, p, "names a CPU above 8191");
	*from = first;
	*to = last;
	return 0;
}

static int add_cpus(struct mc_request *req, const struct mc_key *key, struct piece p,
		    struct mc_error *e)
{
	u64 first, last;
	int err = parse_cpu_range(key, p, &first, &last, e);

	if (err)
		return err;
	for (; first <= last; first++) {
		u64 mask = 1ULL << (first % 64);

		if (req->cpus[first / 64] & mask)
			return refuse(e, key, p, "names a CPU twice");
		req->cpus[first / 64] |= mask;
		req->ncpus++;
	}
	return 0;
}

static int parse_cpus(struct mc_request *req, const struct mc_key *key,
		      struct piece rest, struct mc_error *e)
{
	struct piece p;
	int err;

	memset(req->cpus, 0, sizeof(req->cpus));
	req->ncpus = 0;
	req->any_cpu = mc_same_letters("any", rest.s, rest.len);
	req->all_cpus = mc_same_letters("all", rest.s, rest.len);
	if (req->any_cpu || req->all_cpus)
		return 0;
	while (next_piece(&rest, ',', &p)) {
		err = add_cpus(req, key, p, e);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Lines and JSON show the path unescaped, so it has no characters that JSON must escape.
 * It has no comma, which separates values, and no space, which separates keys.
 */
static int parse_path(struct mc_request *req, const struct mc_key *key,
		      struct mc_values *out, struct piece p, struct mc_error *e)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	size_t i;

	*req->path = '\0';
	out->n = 1;
	if (word_value(key->names, p, &out->v[0]))
		return 0;
	for (i = 0; i < p.len; i++) {
		if (p.s[i] == ',' || p.s[i] == '"' || p.s[i] == '\\')
			return refuse(e, key, p,
				      "has a comma, a quote or a backslash; a path here has none, nor a space");
	}
	if (p.s[0] != '/')
		return refuse(e, key, p, "is not an absolute path; write one that begins with /");
	if (p.len > MC_PATH_MAX) {
		mc_textf(&t, "is longer than %d bytes", MC_PATH_MAX);
		return refuse(e, key, p, text);
	}
	out->v[0] = MC_PATH_GIVEN;
	memcpy(req->path, p.s, p.len);
	req->path[p.len] = '\0';
	return 0;
}

static int parse_target(struct mc_request *req, const struct mc_key *key,
			struct mc_values *out, struct piece p, struct mc_error *e)
{
	req->target = (struct mc_target){ .kind = MC_TARGET_RAM };
	out->n = 1;
	if (!word_value(key->names, p, &out->v[0]) && !mc_target_parse(&req->target, p.s, p.len))
		return refuse(e, key, p,
			      "is no target; write ram, pci:0000:03:00.0/2 or phys:0x30000000+128M, in whole pages");
	out->v[0] = req->target.kind;
	return 0;
}

static int parse_one(const struct mc_key *key, struct piece p,
		     struct mc_values *out, struct mc_error *e)
{
	u64 v;
	int err;

	switch (key->kind) {
	case MC_CHOICE:
		if (!word_value(key->names, p, &v))
			return refuse_word(e, key, p);
		break;
	case MC_NUMBER:
		err = parse_number(key, p, &v, e);
		if (err)
			return err;
		break;
	case MC_TIME:
		err = parse_time(key, p, &v, e);
		if (err)
			return err;
		break;
	default:
		return parse_range(key, p, out, e);
	}
	return add_value(key, out, v, p, e);
}

/* The CPUs of the group that is last so far. */
static int parse_group_cpus(struct mc_request *req, const struct mc_key *key,
			    struct piece list, struct mc_error *e)
{
	u64 first, last;
	struct piece p;
	int err;

	while (next_piece(&list, ',', &p)) {
		err = parse_cpu_range(key, p, &first, &last, e);
		if (err)
			return err;
		for (; first <= last; first++) {
			if (req->group_of[first])
				return refuse(e, key, p, "names a CPU twice");
			req->group_of[first] = req->ngroups;
		}
	}
	return 0;
}

/* Find a key that a group may have. Return: its number; that of keys if there is none. */
static unsigned int grouped_key(const struct mc_request *req, struct piece name)
{
	unsigned int id;

	for (id = 0; id < req->nkeys; id++) {
		const struct mc_key *key = mc_key_of(req->spec, id);

		if (key->grouped && mc_same_letters(key->name, name.s, name.len))
			break;
	}
	return id;
}

static noinline int refuse_group_key(const struct mc_request *req, const struct mc_key *groups,
				     struct piece word, struct mc_error *e)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	const char *comma = "";
	unsigned int id;

	mc_textf(&t, "is no key of a group; a group takes ");
	for (id = 0; id < req->nkeys; id++) {
		if (!mc_key_of(req->spec, id)->grouped)
			continue;
		mc_textf(&t, "%s%s=", comma, mc_key_of(req->spec, id)->name);
		comma = ", ";
	}
	return refuse(e, groups, word, text);
}

/* KEY=VALUE in a group: one value of a key of the test. */
static noinline int parse_group_key(struct mc_request *req, const struct mc_key *groups,
				    struct mc_group *group, struct piece p, struct mc_error *e)
{
	struct mc_values one = { .n = 0 };
	const struct mc_key *key;
	struct piece word = p;
	unsigned int id;
	int err;

	if (!next_piece(&p, '=', &word) || !p.s)
		return refuse(e, groups, word,
			      "is not KEY=VALUE; a group is CPUS:OP[:KEY=VALUE]..., e.g. 0-3:read:size=64M");
	id = grouped_key(req, word);
	if (id == req->nkeys)
		return refuse_group_key(req, groups, word, e);
	if (group->given >> id & 1)
		return refuse(e, groups, word, "is given twice in a group");
	key = mc_key_of(req->spec, id);
	err = parse_one(key, p, &one, e);
	if (err)
		return err;
	if (one.n > 1 || (key->kind == MC_SIZE && one.v[0] == MC_AUTO))
		return refuse(e, groups, p, "is not one value; a group takes one");
	group->given |= 1ULL << id;
	group->v[id] = one.v[0];
	return 0;
}

/* CPUS:OP[:KEY=VALUE]..., @at bytes behind the begin of the list */
static int parse_group(struct mc_request *req, const struct mc_key *key,
		       struct piece rest, size_t at, struct mc_error *e)
{
	struct piece whole = rest, p;
	struct mc_group *group;
	int err;

	if (req->ngroups == MC_MAX_GROUPS)
		return refuse(e, key, rest, "is one group too many: 16 at most");
	group = &req->group[req->ngroups++];
	next_piece(&rest, ':', &p);
	*group = (struct mc_group){ .cpus_at = at, .cpus_len = p.len };
	err = parse_group_cpus(req, key, p, e);
	if (err)
		return err;
	if (!next_piece(&rest, ':', &p))
		return refuse(e, key, whole,
			      "has no operation; a group is CPUS:OP[:KEY=VALUE]..., e.g. 0-3:read");
	if (!word_value(key->names, p, &group->op))
		return refuse_word(e, key, p);
	while (next_piece(&rest, ':', &p)) {
		err = parse_group_key(req, key, group, p, e);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Groups, with + between them. Their text needs no escaping, since it has only what was
 * understood.
 */
static noinline int parse_groups(struct mc_request *req, const struct mc_key *key,
				 struct mc_values *out, struct piece rest, struct mc_error *e)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	struct piece whole = rest, p;
	int err;

	if (rest.len > MC_GROUPS_MAX) {
		mc_textf(&t, "is longer than %d bytes", MC_GROUPS_MAX);
		return refuse(e, key, rest, text);
	}
	*out = (struct mc_values){ .n = 1 };
	memset(req->group_of, 0, sizeof(req->group_of));
	req->ngroups = 0;
	while (next_piece(&rest, '+', &p)) {
		err = parse_group(req, key, p, p.s - whole.s, e);
		if (err)
			return err;
	}
	memcpy(req->groups, whole.s, whole.len);
	req->groups[whole.len] = '\0';
	return 0;
}

/**
 * mc_values_parse() - parse the value of one key
 * @req: the request; the key's values are replaced
 * @id: the key's number
 * @s: the text behind '='
 * @len: its length
 * @e: result: what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int mc_values_parse(struct mc_request *req, unsigned int id, const char *s,
		    size_t len, struct mc_error *e)
{
	const struct mc_key *key = mc_key_of(req->spec, id);
	struct mc_values *out = &req->values[id];
	struct piece rest = { s, len }, p;
	int err;

	if (!len)
		return mc_fail(e, -EINVAL, "%s: has no value; write %s=%s",
			       key->name, key->name, key->preset);
	if (key->kind == MC_CPULIST)
		return parse_cpus(req, key, rest, e);
	if (key->kind == MC_PATH)
		return parse_path(req, key, out, rest, e);
	if (key->kind == MC_TARGET)
		return parse_target(req, key, out, rest, e);
	if (key->kind == MC_GROUPS)
		return parse_groups(req, key, out, rest, e);
	out->n = 0;
	while (next_piece(&rest, ',', &p)) {
		if (!p.len)
			return refuse(e, key, (struct piece){ s, len },
				      "has an empty value in its list");
		err = parse_one(key, p, out, e);
		if (err)
			return err;
	}
	if (key->single && out->n > 1)
		return refuse(e, key, (struct piece){ s, len },
			      "is a list; this key takes one value");
	return 0;
}
