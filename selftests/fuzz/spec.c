// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test whose keys are any bytes: of each kind, with any limits and words. What
 * `tests` shows of it is taken by the parser, limits are limits, and the rest of
 * the bytes is a request line for it; see oracle.h. A byte counts from '0'.
 */
#include "oracle.h"

#define MOST_KEYS	(MC_MAX_KEYS - MC_KEY_FIRST)

static const char *data_at;
static size_t data_left;

static u8 next_byte(void)
{
	return data_left ? (data_left--, *data_at++ - '0') : 0;
}

/* As many bits as the first byte says. */
static u64 next_number(void)
{
	unsigned int bits = next_byte() % 65;
	u64 v = 0;

	for (; bits >= 8; bits -= 8)
		v = v << 8 | next_byte();
	return v << bits | (next_byte() & ((1U << bits) - 1));
}

static const struct mc_name words[] = {
	{ "a", 0 }, { "b", 1 }, { "off", 2 }, { "7", 7 }, { "max", MC_AUTO },
	{ "4k", 4096 }, { "x+1", 1ULL << 40 }, { }
};

static struct mc_key keys[MOST_KEYS];
static struct mc_spec spec;
static char names[MOST_KEYS][4], presets[MOST_KEYS][32];
static const struct mc_spec *const specs[] = { &spec, NULL };
static struct mc_request req;

static void make_numbers(struct mc_key *key, char *preset)
{
	struct mc_text t = { .buf = preset, .size = sizeof(presets[0]) };
	u64 a = next_number(), b = next_number();

	key->min = a < b ? a : b;
	key->max = a < b ? b : a;
	key->multiple = key->kind == MC_SIZE ? 1ULL << next_byte() % 16 : 0;
	/* Sizes that are no such multiple would be none at all. */
	if (key->multiple && key->min % key->multiple)
		key->min -= key->min % key->multiple;
	/* The words of a number stand for numbers that it can't be otherwise. */
	key->names = key->kind == MC_NUMBER && key->max < MC_AUTO && next_byte() % 2 ?
		     &words[4] : NULL;
	mc_key_show(&t, key, key->min);
}

static void make_key(unsigned int i)
{
	static const enum mc_kind kinds[] = { MC_CHOICE, MC_NUMBER, MC_SIZE, MC_TIME };
	struct mc_key *key = &keys[i];

	snprintf(names[i], sizeof(names[i]), "k%u", i);
	*key = (struct mc_key){
		.name = names[i], .column = names[i], .help = "help",
		.preset = presets[i], .kind = kinds[next_byte() % 4],
		.single = next_byte() % 4 == 1,
	};
	key->decimals = key->kind == MC_NUMBER ? i % 4 : 0;
	if (key->kind != MC_CHOICE)
		return make_numbers(key, presets[i]);
	key->names = &words[next_byte() % (ARRAY_SIZE(words) - 1)];
	snprintf(presets[i], sizeof(presets[i]), "%s", key->names->name);
}

static bool taken(const char *name, const char *value)
{
	struct mc_error e = { 0 };
	char line[128];
	int n = snprintf(line, sizeof(line), "made %s=%s", name, value);

	return !mc_request_parse(&req, line, n, specs, &e);
}

/* The smallest and the largest are taken, as they are shown; what is beyond isn't. */
static void check_limits(const struct mc_key *key)
{
	u64 max = key->multiple ? key->max - key->max % key->multiple : key->max;
	const char *unit = key->kind == MC_TIME ? "ns" : "";
	char text[32];
	struct mc_text t = MC_TEXT(text);

	if (key->kind == MC_CHOICE)
		return;
	mc_key_show(&t, key, max);
	MUST(taken(key->name, text));
	t = (struct mc_text)MC_TEXT(text);
	mc_text_decimal(&t, key->max + 1, key->decimals);
	mc_textf(&t, "%s", unit);
	MUST(key->max == ~0ULL || !taken(key->name, text));
	t = (struct mc_text)MC_TEXT(text);
	mc_text_decimal(&t, key->min - 1, key->decimals);
	mc_textf(&t, "%s", unit);
	MUST(!key->min || !taken(key->name, text));
}

/* A row of `tests`: its preset, and the first thing that is allowed. */
static void check_row(const char *row)
{
	char name[16], preset[64], allowed[128];

	MUST(sscanf(row, " %15[^=]=%63s %127s", name, preset, allowed) == 3);
	MUST(taken(name, preset));
	allowed[strcspn(allowed, "|")] = '\0';
	if (strstr(allowed, ".."))
		*strstr(allowed, "..") = '\0';
	MUST(!strcmp(allowed, "LIST") || taken(name, allowed));
}

/* Is the line about a key? There are headings and presets, too. */
static bool is_row(const char *line)
{
	return *line == ' ' && line[strcspn(line, "=:")] == '=';
}

static void check_shown(unsigned int which)
{
	static char shown[16384];
	struct mc_text t = MC_TEXT(shown);
	char *at = shown, *row;
	unsigned int n = 0;

	mc_specs_show(&t, specs);
	MUST(!t.cut);
	while ((row = strsep(&at, "\n")) && *row) {
		if (is_row(row) && n++ == which)
			check_row(row);
	}
	MUST(n == MC_KEY_FIRST + spec.nkeys);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int i;

	data_at = (const char *)data;
	data_left = size;
	spec = (struct mc_spec){
		.name = "made", .help = "help", .keys = keys,
		.nkeys = next_byte() % (MOST_KEYS + 1),
		.presets = next_byte() % 2 ? "size=64K repeat=3" : NULL,
	};
	for (i = 0; i < spec.nkeys; i++)
		make_key(i);
	/* One key is enough for an input: there are many. */
	i = next_byte() % (MC_KEY_FIRST + spec.nkeys);
	check_shown(i);
	if (i < spec.nkeys)
		check_limits(&keys[i]);
	check_line(&req, data_at, data_left, specs);
	return 0;
}
