// SPDX-License-Identifier: GPL-2.0-only
/*
 * All that the tests say of themselves, as one JSON object. What is false, 0 or empty is left
 * out. Each key and figure has a line, so that changes can be read.
 */
#include "arch/loops.h"
#include "core/record.h"
#include "elsewhere.h"
#include "measure/test.h"
#include "user.h"

static const char * const kinds[] = {
	[MC_CHOICE] = "choice", [MC_NUMBER] = "number", [MC_SIZE] = "size", [MC_TIME] = "time",
	[MC_CPULIST] = "cpus", [MC_PATH] = "path", [MC_TARGET] = "target",
	[MC_GROUPS] = "groups",
};

static const char * const records[] = {
	[MC_RECORD_OF_POINT] = "point", [MC_RECORD_OF_CPU] = "cpu", [MC_RECORD_OF_PAIR] = "pair",
	[MC_RECORD_OF_GROUP] = "group", [MC_RECORD_OF_REGION] = "region",
	[MC_RECORD_OF_STEP] = "step",
};

static const char * const stores[] = {
	[MC_STORES_NOTHING] = NULL, [MC_STORES_COUNTER] = "counter", [MC_STORES_COPY] = "copy",
	[MC_STORES_ONE_MORE] = "one_more", [MC_STORES_TRIAD] = "triad", [MC_STORES_BYTE] = "byte",
	[MC_STORES_UNKNOWN] = "unknown", [MC_STORES_OR] = "or",
	[MC_STORES_ZERO] = "zero",
};

/* The bits of enum mc_role. */
static const char * const roles[] = { "main", "over", "count", "each", "which", "detail" };

static void text(struct mc_text *t, const char *name, const char *value)
{
	if (!value)
		return;
	mc_textf(t, ", \"%s\": ", name);
	mc_text_json(t, value);
}

static void number(struct mc_text *t, const char *name, u64 value)
{
	if (value)
		mc_textf(t, ", \"%s\": %llu", name, value);
}

/* A number times 10^@decimals. */
static void limit(struct mc_text *t, const char *name, u64 value, unsigned int decimals)
{
	if (!value)
		return;
	mc_textf(t, ", \"%s\": ", name);
	mc_text_decimal(t, value, decimals);
}

static void flag(struct mc_text *t, const char *name, bool value)
{
	if (value)
		mc_textf(t, ", \"%s\": true", name);
}

/* A list of words: all, or only those that results never have. No words, no list. */
static void words(struct mc_text *t, const char *name, const struct mc_name *names, bool asked_only)
{
	bool any = false;

	for (; names && names->name; names++) {
		if (asked_only && !names->asked_only)
			continue;
		if (any)
			mc_textf(t, ", ");
		else
			mc_textf(t, ", \"%s\": [", name);
		mc_text_json(t, names->name);
		any = true;
	}
	if (any)
		mc_textf(t, "]");
}

static void describe_key(struct mc_text *t, const struct mc_key *key)
{
	mc_textf(t, "{\"name\": \"%s\"", key->name);
	text(t, "was", key->was);
	text(t, "column", key->column);
	text(t, "kind", kinds[key->kind]);
	text(t, "preset", key->preset);
	words(t, "words", key->names, false);
	words(t, "asked_only", key->names, true);
	words(t, "found_only", key->outcomes, false);
	limit(t, "min", key->min, key->decimals);
	limit(t, "max", key->max, key->decimals);
	number(t, "decimals", key->decimals);
	number(t, "multiple", key->multiple);
	text(t, "unit", key->unit);
	flag(t, "seconds", key->seconds);
	flag(t, "single", key->single);
	flag(t, "found", key->found);
	text(t, "help", key->help);
	mc_textf(t, "}");
}

static void describe_roles(struct mc_text *t, u8 bits)
{
	const char *comma = "";
	size_t i;

	if (!bits)
		return;
	mc_textf(t, ", \"roles\": [");
	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		if (!(bits >> i & 1))
			continue;
		mc_textf(t, "%s\"%s\"", comma, roles[i]);
		comma = ", ";
	}
	mc_textf(t, "]");
}

static void describe_figure(struct mc_text *t, const struct mc_column *figure)
{
	mc_textf(t, "{\"name\": \"%s\"", figure->name);
	describe_roles(t, figure->roles);
	text(t, "unit", figure->unit);
	number(t, "decimals", figure->rate ? 3 : figure->decimals);
	words(t, "words", figure->names, false);
	flag(t, "text", figure->text);
	flag(t, "always", figure->always);
	text(t, "help", figure->help);
	mc_textf(t, "}");
}

static void describe_test(struct mc_text *t, const struct mc_test *test)
{
	const struct mc_spec *spec = &test->spec;
	unsigned int i;

	mc_textf(t, "  {\"name\": \"%s\"", spec->name);
	text(t, "records", records[test->records]);
	text(t, "presets", spec->presets);
	text(t, "table", test->table);
	flag(t, "no_memory", test->allocates_memory || spec->memoryless);
	flag(t, "histogram", test->histogram);
	flag(t, "causes", test->causes);
	text(t, "help", spec->help);
	mc_textf(t, ",\n   \"keys\": [");
	for (i = 0; i < spec->nkeys; i++) {
		mc_textf(t, i ? ",\n    " : "\n    ");
		describe_key(t, &spec->keys[i]);
	}
	mc_textf(t, "],\n   \"figures\": [");
	for (i = 0; i < spec->ncolumns; i++) {
		mc_textf(t, i ? ",\n    " : "\n    ");
		describe_figure(t, &spec->columns[i]);
	}
	mc_textf(t, "]}");
}

/* The operations that a request can name; helpers of other loops come after them. */
static void describe_operations(struct mc_text *t)
{
	unsigned int i;

	for (i = 0; i < MC_OP_SUM; i++) {
		mc_textf(t, "%s  {\"name\": \"%s\"", i ? ",\n" : "\n", mc_ops[i].name);
		number(t, "arrays", mc_ops[i].arrays);
		number(t, "payload", mc_ops[i].payload / (mc_ops[i].turn ?: 1));
		text(t, "stores", stores[mc_ops[i].stores]);
		flag(t, "nontemporal", mc_ops[i].nontemporal);
		flag(t, "flushes", mc_ops[i].flushes);
		flag(t, "kernels", mc_ops[i].kernels);
		flag(t, "registered", mc_ops[i].registered);
		mc_textf(t, "}");
	}
}

static void describe_calls(struct mc_text *t)
{
	const struct mc_foreign_word *row;
	const char *between = "";

	for (row = mc_foreign_words; row->of; row++) {
		if (!*row->of || (*row->word && (*row->word != '-' || !mc_user_program(row->word))))
			continue;
		mc_textf(t, "%s\"%s\"", between, *row->word ? row->word : row->of);
		between = ", ";
	}
}

/**
 * mc_user_describe() - append what the tests say of themselves, as JSON
 * @t: the text
 *
 * "keys" are those that every test takes. A record has the column of each key, then the
 * "facts", then the figures of its test. Those of the facts that count "events" of a core
 * have the events' names. "calls" are the words with which calls of other programs begin.
 */
void mc_user_describe(struct mc_text *t)
{
	const struct mc_spec *const *spec;
	unsigned int i;

	mc_textf(t, "{\"keys\": [");
	for (i = 0; i < MC_KEY_FIRST; i++) {
		mc_textf(t, i ? ",\n  " : "\n  ");
		describe_key(t, mc_key_of(*mc_specs, i));
	}
	mc_textf(t, "],\n \"facts\": [");
	for (i = 0; mc_fact_name(i); i++)
		mc_textf(t, "%s\"%s\"", !i ? "\n  " : i % 4 ? ", " : ",\n  ", mc_fact_name(i));
	mc_textf(t, "],\n \"events\": [");
	for (i = 0; mc_event_name(i); i++)
		mc_textf(t, "%s\"%s\"", i ? ", " : "", mc_event_name(i));
	mc_textf(t, "],\n \"operations\": [");
	describe_operations(t);
	mc_textf(t, "],\n \"tests\": [");
	for (spec = mc_specs; *spec; spec++) {
		mc_textf(t, spec == mc_specs ? "\n" : ",\n");
		describe_test(t, mc_test_of(*spec));
	}
	mc_textf(t, "],\n \"calls\": [");
	describe_calls(t);
	mc_textf(t, "]}\n");
}
