// SPDX-License-Identifier: GPL-2.0-only
/* Some tests and their keys for a person: the text of the file `tests`, in narrow lines. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure/test.h"
#include "platform/os.h"
#include "user.h"

#define WIDEST	80
#define NARROW	60	/* below this, what is said of a key begins on a line of its own */

#define AFTER_NAME	6	/* indent of the rest of a long name */

static unsigned int columns;	/* of the screen */

/*
 * Print words from column @at on, and break lines before they get too long, also behind bars
 * and commas. Further lines begin in column @indent. Return: the column at the end.
 */
static unsigned int wrap(const char *text, unsigned int at, unsigned int indent)
{
	unsigned int blank = 0;		/* a space stands before the word */
	bool first = true;

	while (*text) {
		size_t n = strcspn(text, " |,");

		n += text[n] == '|' || text[n] == ',';
		if (!first && at + blank + n > columns) {
			printf("\n%*s", (int)indent, "");
			at = indent;
			blank = 0;
		}
		at += printf("%*s%.*s", (int)blank, "", (int)n, text);
		text += n;
		blank = *text == ' ';
		text += strspn(text, " ");
		first = false;
	}
	return at;
}

/* Print what is said of a name that ends in column @at. */
static void explain(const char *text, unsigned int at)
{
	unsigned int indent = columns < NARROW ? AFTER_NAME : 24;

	if (at >= indent || !at) {
		printf("\n");
		at = 0;
	}
	printf("%*s", (int)(indent - at), "");
	wrap(text, indent, indent);
}

static void show_key(const struct mc_spec *spec, const struct mc_key *key)
{
	char preset[256], allowed[1024];
	struct mc_text t = MC_TEXT(preset), a = MC_TEXT(allowed);

	mc_spec_preset(&t, spec, key);
	mc_key_allowed(&a, key);
	explain(key->help, wrap(preset, printf("  "), AFTER_NAME));
	explain(allowed, 0);
	printf("\n");
}

static void show(const struct mc_spec *spec)
{
	const struct mc_key *key;
	unsigned int i;

	wrap(spec->help, printf("%s: ", spec->name), AFTER_NAME);
	printf("\n");
	for (i = 0; (key = mc_spec_key(spec, i)); i++) {
		if (i == spec->nkeys)
			printf("  -- keys of every test\n");
		if (i == spec->nkeys + MC_KEYS_MAIN)
			printf("  -- those that few requests have\n");
		show_key(spec, key);
	}
	printf("  -- figures\n");
	for (i = 0; i < spec->ncolumns; i++) {
		explain(spec->columns[i].help,
			wrap(spec->columns[i].name, printf("  > "), AFTER_NAME));
		printf("\n");
	}
}

static const struct mc_spec *find(const char *name)
{
	const struct mc_spec *const *spec;

	for (spec = mc_specs; *spec; spec++) {
		if (!strcmp((*spec)->name, name))
			return *spec;
	}
	fprintf(stderr, "memcache-user: no test %s; there are:", name);
	for (spec = mc_specs; *spec; spec++)
		fprintf(stderr, " %s", (*spec)->name);
	fprintf(stderr, "\n");
	return NULL;
}

/* Print the tests of these names. Return: an exit status. */
int mc_user_tests(char **names)
{
	char **name;

	columns = min(mc_user_columns(STDOUT_FILENO), WIDEST);
	for (name = names; *name; name++) {
		if (!find(*name))
			return MC_USER_USAGE;
	}
	for (name = names; *name; name++) {
		if (name != names)
			printf("\n");
		show(find(*name));
	}
	return mc_user_flush();
}
