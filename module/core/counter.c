// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar of `counters`. Each line names a counter:
 *
 *   dram_read_imc0 type=13 config=0x304 cpu=0 scale=64
 *   cache-misses
 *
 * An event of a core is opened for each thread. It has the name that `perf list` has for
 * it, and that name says type and config, unless the line does.
 *
 * Keys come in any order, each once; numbers are decimal or begin with 0x. Empty lines
 * are ignored; a text that has only empty lines clears the set.
 */
#include "core/counter.h"

static const struct field {
	const char *name;
	size_t offset;
	u64 min;
	u64 max;
	bool core;	/* an event of a core can have it */
} fields[] = {
	{ "type", offsetof(struct mc_counter, type), 0, 0xffffffff, true },
	{ "config", offsetof(struct mc_counter, config), 0, ~0ULL, true },
	{ "cpu", offsetof(struct mc_counter, cpu), 0, 8191 },
	{ "scale", offsetof(struct mc_counter, scale), 1, 1 << 20 },
};

static const char * const prefixes[MC_NTRAFFIC] = {
	[MC_DRAM_READ] = "dram_read", [MC_DRAM_WRITE] = "dram_write",
};

/*
 * Events by their names in `perf list`, with the numbers that <linux/perf_event.h> has for
 * them: type 0 is PERF_TYPE_HARDWARE, 3 is PERF_TYPE_HW_CACHE.
 */
static const struct event {
	const char *name;
	u64 type;
	u64 config;
} events[MC_NEVENTS] = {
	{ "cycles", 0, 0 },
	{ "instructions", 0, 1 },
	{ "L1-dcache-load-misses", 3, 0x10000 },
	{ "cache-misses", 0, 3 },
	[MC_EVENT_LOAD_WALKS] = { "dTLB-load-misses", 3, 0x10003 },
	[MC_EVENT_STORE_WALKS] = { "dTLB-store-misses", 3, 0x10103 },
};

/**
 * mc_event_name() - the name of an event of a core
 * @event: its index
 *
 * Return: the name that `perf list` has, or NULL if there are no more.
 */
const char *mc_event_name(unsigned int event)
{
	return event < MC_NEVENTS ? events[event].name : NULL;
}

/* The part of a line that is still to be parsed, and its number for errors. */
struct cursor {
	const char *at;
	const char *end;
	unsigned int line;
	struct mc_error *e;
};

static int refuse_part(const struct cursor *c, const char *s, size_t len, const char *why)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);

	mc_text_quote(&t, s, len);
	return mc_fail(c->e, -EINVAL, "counters: line %u: %s %s", c->line, text, why);
}

/* Return: false unless all @len bytes are one number. */
static bool parse_whole(const char *s, size_t len, u64 *value)
{
	size_t prefix = len > 2 && s[0] == '0' && s[1] == 'x' ? 2 : 0;
	int n = mc_digits(s + prefix, len - prefix, prefix ? 16 : 10, value);

	return n > 0 && n + prefix == len;
}

/* Find the next word of the line. Return: its length, 0 at the end of the line. */
static size_t take_word(struct cursor *c, const char **word)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
	*word = c->at;
	while (c->at < c->end && *c->at != ' ' && *c->at != '\t')
		c->at++;
	return c->at - *word;
}

static bool is_label(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') && s[i] != '_')
			return false;
	}
	return true;
}

/* Return: false if no event of a core has this name. */
static bool parse_event(struct mc_counter *out, const char *s, size_t len)
{
	unsigned int i;

	for (i = 0; i < MC_NEVENTS; i++) {
		const struct event *event = &events[i];

		if (strlen(event->name) != len || memcmp(event->name, s, len))
			continue;
		memcpy(out->name, s, len);
		out->core = true;
		out->event = i;
		out->type = event->type;
		out->config = event->config;
		return true;
	}
	return false;
}

static int refuse_name(const struct cursor *c, const char *s, size_t len)
{
	char text[MC_ERROR_TEXT];
	struct mc_text t = MC_TEXT(text);
	unsigned int i;

	mc_textf(&t, "is no name; write dram_read or dram_write, or that with _label behind it");
	for (i = 0; i < MC_NEVENTS; i++)
		mc_textf(&t, i + 1 < MC_NEVENTS ? ", %s" : " or %s", events[i].name);
	return refuse_part(c, s, len, text);
}

static int parse_name(const struct cursor *c, struct mc_counter *out, const char *s, size_t len)
{
	int i;

	if (parse_event(out, s, len))
		return 0;
	for (i = 0; i < MC_NTRAFFIC; i++) {
		size_t known = strlen(prefixes[i]);

		if (len < known || memcmp(s, prefixes[i], known) ||
		    (len > known && s[known] != '_') || !is_label(s, len))
			continue;
		if (len >= sizeof(out->name))
			return refuse_part(c, s, len, "is too long: 31 bytes at most");
		memcpy(out->name, s, len);
		out->name[len] = '\0';
		out->traffic = i;
		return 0;
	}
	return refuse_name(c, s, len);
}

static int parse_field(const struct cursor *c, struct mc_counter *out,
		       const char *s, size_t len, u32 *seen)
{
	const char *eq = memchr(s, '=', len);
	size_t i, key = eq ? eq - s : len;
	u64 value;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];

		if (strlen(f->name) != key || memcmp(f->name, s, key) || (out->core && !f->core))
			continue;
		if (*seen & 1U << i)
			return refuse_part(c, s, len, "comes twice");
		*seen |= 1U << i;
		if (!eq || !parse_whole(eq + 1, len - key - 1, &value) ||
		    value < f->min || value > f->max)
			return refuse_part(c, s, len,
					   "is not KEY=NUMBER in the range of that key");
		*(u64 *)((char *)out + f->offset) = value;
		return 0;
	}
	return refuse_part(c, s, len, out->core ? "is not one of type=|config=" :
					  "is not one of type=|config=|cpu=|scale=");
}

static int parse_line(struct cursor *c, struct mc_counter *out)
{
	const char *word;
	size_t len = take_word(c, &word), i;
	u32 seen = 0;
	int err;

	memset(out, 0, sizeof(*out));
	out->line = c->line;
	err = parse_name(c, out, word, len);
	while (!err && (len = take_word(c, &word)))
		err = parse_field(c, out, word, len, &seen);
	for (i = 0; !err && !out->core && i < ARRAY_SIZE(fields); i++) {
		if (!(seen & 1U << i))
			err = refuse_part(c, fields[i].name, strlen(fields[i].name),
					  "is missing");
	}
	return err;
}

static bool is_empty(struct cursor c)
{
	const char *word;

	return !take_word(&c, &word);
}

/* A counter that is in the set twice would count its traffic twice. */
static bool same(const struct mc_counter *a, const struct mc_counter *b)
{
	if (a->core || b->core)
		return a->core && b->core && a->event == b->event;
	return a->traffic == b->traffic && a->type == b->type &&
	       a->config == b->config && a->cpu == b->cpu;
}

static bool contains(const struct mc_counter *set, unsigned int n, const struct mc_counter *c)
{
	for (; n--; set++) {
		if (same(set, c))
			return true;
	}
	return false;
}

static int add_line(struct cursor *c, struct mc_counter *set, unsigned int *n)
{
	struct mc_counter one;
	int err = parse_line(c, &one);

	if (err)
		return err;
	if (*n == MC_MAX_COUNTERS)
		return mc_fail(c->e, -EINVAL,
			       "counters: line %u: is one too many; %u at most",
			       c->line, MC_MAX_COUNTERS);
	if (contains(set, *n, &one))
		return refuse_part(c, one.name, strlen(one.name),
				   one.core ? "is there already" :
				   "has type, config and cpu of a counter that is there already");
	set[(*n)++] = one;
	return 0;
}

/**
 * mc_counters_parse() - add to a set of counters
 * @set: the set, an array of MC_MAX_COUNTERS
 * @n: number of counters in the set, updated
 * @text: the lines, not terminated
 * @len: bytes
 * @e: result: what is wrong, naming the line
 *
 * Return: 0 or -EINVAL.
 */
int mc_counters_parse(struct mc_counter *set, unsigned int *n, const char *text,
		      size_t len, struct mc_error *e)
{
	const char *end = text + len;
	struct cursor c = { .line = 0, .e = e };
	bool empty = true;
	int err;

	for (; text < end; text = c.end + 1) {
		const char *newline = memchr(text, '\n', end - text);

		c.at = text;
		c.end = newline ? newline : end;
		c.line++;
		if (is_empty(c))
			continue;
		empty = false;
		err = add_line(&c, set, n);
		if (err)
			return err;
	}
	if (empty)
		*n = 0;
	return 0;
}

/**
 * mc_counter_show() - append a counter's line, without a newline
 * @t: the text
 * @c: the counter
 */
void mc_counter_show(struct mc_text *t, const struct mc_counter *c)
{
	mc_textf(t, "%s type=%llu config=0x%llx", c->name, c->type, c->config);
	if (!c->core)
		mc_textf(t, " cpu=%llu scale=%llu", c->cpu, c->scale);
}
