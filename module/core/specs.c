// SPDX-License-Identifier: GPL-2.0-only
/* The text of the file `tests`, from the table that the parser uses. */
#include "core/keys.h"
#include "core/target.h"

/**
 * mc_spec_key() - find a key of a test in the order in which they are shown
 * @spec: the test
 * @i: its place
 *
 * The test's own keys come first, then the main ones of those that every test takes.
 *
 * Return: the key, or NULL if there are no more.
 */
const struct mc_key *mc_spec_key(const struct mc_spec *spec, unsigned int i)
{
	if (i < spec->nkeys)
		return &spec->keys[i];
	return i < spec->nkeys + MC_KEY_FIRST ? mc_common_key(i - spec->nkeys) : NULL;
}

/**
 * mc_spec_preset() - append a key and its preset as `key=preset`
 * @t: the text
 * @spec: the test, whose own presets have precedence
 * @key: the key
 */
void mc_spec_preset(struct mc_text *t, const struct mc_spec *spec, const struct mc_key *key)
{
	const char *p = spec->presets;
	size_t len = strlen(key->name), n;

	mc_textf(t, "%s=", key->name);
	for (; p && *p; p += n) {
		while (*p == ' ')
			p++;
		n = strcspn(p, " ");
		if (n > len && p[len] == '=' && !memcmp(p, key->name, len)) {
			mc_textf(t, "%.*s", (int)(n - len - 1), p + len + 1);
			return;
		}
	}
	mc_textf(t, "%s", key->preset);
}

/**
 * mc_key_allowed() - append the values that a key allows, with bars between them
 * @t: the text
 * @key: the key
 */
void mc_key_allowed(struct mc_text *t, const struct mc_key *key)
{
	const char *bar = "";
	const struct mc_name *n;

	if (key->kind == MC_GROUPS) {	/* its names are values of OP */
		mc_textf(t, "LIST:OP[:KEY=VALUE][+MORE]");
		return;
	}
	for (n = key->names; n && n->name; n++) {
		mc_textf(t, "%s%s", bar, n->name);
		bar = "|";
	}
	if (key->kind == MC_CPULIST)
		mc_textf(t, "LIST|all|any");
	if (key->kind == MC_PATH)
		mc_textf(t, "%s/PATH", bar);
	if (key->kind == MC_TARGET)
		mc_textf(t, "%s" MC_TARGET_FORMS, bar);
	if (key->kind != MC_NUMBER && key->kind != MC_SIZE && key->kind != MC_TIME)
		return;
	mc_textf(t, "%s", bar);
	mc_key_show(t, key, key->min);
	mc_textf(t, "..");
	mc_key_show(t, key, key->max);
}

static void pad(struct mc_text *t, size_t from, size_t width)
{
	do {
		mc_textf(t, " ");
	} while (t->len < from + width && !t->cut);
}

static void show_key(struct mc_text *t, const struct mc_key *key)
{
	size_t from = t->len;

	mc_textf(t, "  %s=%s", key->name, key->preset);
	pad(t, from, 20);
	from = t->len;
	mc_key_allowed(t, key);
	pad(t, from, 30);
	mc_textf(t, "%s\n", key->help);
}

/**
 * mc_spec_show() - append a test's own keys, its presets and its figures
 * @t: the text
 * @spec: the test
 *
 * The first line is `TEST: help`. Then there is a line `  key=preset allowed help` for
 * each of its own keys, a line `  presets: key=preset...` if it has other presets of common
 * keys, and a line `  > name help` for each of its own figures.
 */
void mc_spec_show(struct mc_text *t, const struct mc_spec *spec)
{
	unsigned int i;

	mc_textf(t, "%s: %s\n", spec->name, spec->help);
	for (i = 0; i < spec->nkeys; i++)
		show_key(t, &spec->keys[i]);
	if (spec->presets)
		mc_textf(t, "  presets: %s\n", spec->presets);
	for (i = 0; i < spec->ncolumns; i++)
		mc_textf(t, "  > %-24s %s\n", spec->columns[i].name, spec->columns[i].help);
}

/**
 * mc_specs_show() - append the text of the file `tests`
 * @t: the text
 * @specs: all tests, with NULL behind the last one
 *
 * Before the tests come the keys that every test takes.
 */
void mc_specs_show(struct mc_text *t, const struct mc_spec *const *specs)
{
	unsigned int i;

	mc_textf(t, "every test: takes these keys, with other presets where it says so\n");
	for (i = 0; i < MC_KEY_FIRST; i++)
		show_key(t, mc_common_key(i));
	for (; *specs; specs++)
		mc_spec_show(t, *specs);
}
