// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translation of other programs' calls, and of their words in our requests, into requests of ours,
 * by the table in elsewhere.c. The front end calls memcache-user --translate.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arch/loops.h"
#include "core/meant.h"
#include "elsewhere.h"
#include "measure/test.h"
#include "user.h"

#define MOST	64	/* words of a request */

/**
 * struct words - a request in words
 * @word: the test, NULL if only a suite measures this; then key=value
 * @n: their number with the test
 * @suite: the suite of the front end that measures the same, or NULL
 */
struct words {
	char *word[MOST];
	unsigned int n;
	const char *suite;
};

static const struct mc_elsewhere *find_row(const char *of, const char *word)
{
	const struct mc_elsewhere *row;

	for (row = mc_elsewhere; row->of; row++) {
		if (!strcmp(row->of, of) && !strcmp(row->word, word))
			return row;
	}
	return NULL;
}

/* The row of an option with a value, and the value if it is in the same argument. */
static const struct mc_elsewhere *find_option(const char *of, const char *arg, const char **value)
{
	const struct mc_elsewhere *row, *found = NULL;
	size_t n, most = 0;

	for (row = mc_elsewhere; row->of; row++) {
		n = strlen(row->word);
		if (strcmp(row->of, of) || n < 3 || *row->word != '-' || row->word[n - 1] != '*' ||
		    strncmp(row->word, arg, n - 1) || n < most)
			continue;
		found = row;
		most = n;
		*value = arg[n - 1] ? arg + n - 1 : NULL;
	}
	return found;
}

/* Return: the program of this name as the table has it, or NULL. */
const char *mc_user_program(const char *name)
{
	const struct mc_elsewhere *row;
	const char *slash = strrchr(name, '/');

	for (row = mc_elsewhere; row->of; row++) {
		if (*row->of && !*row->word && !strcasecmp(row->of, slash ? slash + 1 : name))
			return row->of;
	}
	return NULL;
}

/* Is this an option by which Intel MLC is told what to measure? */
bool mc_user_mode(const char *option)
{
	return !strncmp(option, "--", 2) && find_row("mlc", option);
}

static const struct mc_spec *find_spec(const char *name)
{
	const struct mc_spec *const *spec;

	for (spec = mc_specs; name && *spec && strcmp((*spec)->name, name); spec++)
		;
	return name ? *spec : NULL;
}

static const struct mc_key *find_key(const struct mc_spec *spec, const char *name, size_t len)
{
	const struct mc_key *key = NULL;
	unsigned int i;

	for (i = 0; spec && (key = mc_spec_key(spec, i)); i++) {
		if (strlen(key->name) == len && !memcmp(key->name, name, len))
			break;
	}
	return key;
}

/* ---------------------------------------------------------------- words of a request */

/* Add a word, in place of one with the same key; @more adds its value to a list. */
static void put(struct words *w, const char *word, bool more)
{
	size_t key = strcspn(word, "=");
	char *old, *list = NULL;
	unsigned int i;

	for (i = 1; i < w->n; i++) {
		if (strcspn(w->word[i], "=") == key && !strncmp(w->word[i], word, key))
			break;
	}
	if (i == MOST)
		return;
	old = i < w->n ? w->word[i] : NULL;
	if (more && old && asprintf(&list, "%s,%s", old, word + key + 1) < 0)
		list = NULL;
	w->word[i] = list ? list : strdup(word);
	w->n += i == w->n;
	free(old);
}

static char *join(struct words *w)
{
	static char line[4 * MC_LINE_MAX];
	struct mc_text t = MC_TEXT(line);
	unsigned int i;

	for (i = 0; i < w->n; i++) {
		mc_textf(&t, i ? " %s" : "%s", w->word[i] ? w->word[i] : "");
		free(w->word[i]);
	}
	return strdup(line);
}

/* Part @n of a value, from 1 on, that colons divide. Return: false if there is none. */
static bool part_of(const char *value, unsigned int n, char *out, size_t size)
{
	while (--n) {
		value = strchr(value, ':');
		if (!value++)
			return false;
	}
	snprintf(out, size, "%.*s", (int)strcspn(value, ":"), value);
	return *out;
}

/* A list of the first CPUs. Return: false if this is no number of CPUs. */
static bool show_cpus(struct mc_text *t, const char *count)
{
	char *end;
	long n = strtol(count, &end, 10);

	if (*end || n < 1 || n > MC_MAX_CPUS)
		return false;
	mc_textf(t, n == 1 ? "0" : "0-%ld", n - 1);
	return true;
}

/* Put a value into a word of the table. Return: false if a part of the value is not there. */
static bool fill(struct mc_text *t, const char *from, size_t len, const char *value)
{
	char part[256];
	size_t i;

	for (i = 0; i < len; i++) {
		char c = from[i];

		if (!memchr("*@%", c, 3)) {
			mc_textf(t, "%c", c);
			continue;
		}
		if (i + 1 < len && from[i + 1] >= '1' && from[i + 1] <= '9') {
			if (!part_of(value, from[++i] - '0', part, sizeof(part)))
				return false;
		} else {
			snprintf(part, sizeof(part), "%s", value);
		}
		if (c == '%') {
			if (!show_cpus(t, part))
				return false;
			continue;
		}
		mc_textf(t, "%s", part);
		/* The unit of the other program counts if the value has none. */
		if (i + 1 < len && memchr("KMG", from[i + 1], 3) && *part &&
		    !memchr("0123456789", part[strlen(part) - 1], 10))
			i++;
	}
	return true;
}

/* Of a=*|b=*, the first whose key the test has. Return: its length; @word is moved there. */
static size_t choose(const struct mc_spec *spec, const char **word, size_t len)
{
	const char *end = *word + len;
	size_t n;

	for (;; *word += n + 1) {
		n = strcspn(*word, "|");
		if (*word + n >= end)
			return end - *word;
		if (find_key(spec, *word, strcspn(*word, "=")))
			return n;
	}
}

/* Add what a row of the table says. */
static void apply(struct words *w, const struct mc_elsewhere *row, const char *value)
{
	const char *at = row->ours ? row->ours : "";
	size_t n;

	for (; *at; at += strspn(at, " ")) {
		const char *word = at;
		char text[512] = "";
		struct mc_text t = MC_TEXT(text);

		n = strcspn(at, " ");
		at += n;
		if (!memchr(word, '=', n)) {
			free(w->word[0]);
			w->word[0] = strndup(word, n);
			continue;
		}
		n = choose(find_spec(w->word[0]), &word, n);
		if (fill(&t, word, n, value))
			put(w, text, !strcmp(row->word, "#+"));
	}
}

/* ------------------------------------------------------------ calls of other programs */

/* An argument, the row that explains it, and its value. */
struct argument {
	const struct mc_elsewhere *row;
	const char *value;
};

static bool is_head(const struct mc_elsewhere *row)
{
	return row->suite || (row->ours && strcspn(row->ours, " ") < strcspn(row->ours, "="));
}

/* Explain the arguments. Return: their number, or -EINVAL, which was said. */
static int explain(const char *program, char **args, struct argument *out)
{
	unsigned int n = 0, position = 0;
	char place[8];

	for (; *args && n < MOST; args++) {
		const char *value = "";
		const struct mc_elsewhere *row = find_row(program, *args);

		position += **args != '-';
		if (!row && **args == '-') {
			row = find_option(program, *args, &value);
			if (row && !value)
				value = args[1] ? *++args : NULL;
		} else if (!row && !strchr(*args, '=')) {
			snprintf(place, sizeof(place), "#%u", position);
			row = find_row(program, place);
			row = row ? row : find_row(program, "#+");
			value = *args;
		}
		if (strchr(*args, '=') && !row) {
			out[n++] = (struct argument){ .value = *args };
			continue;
		}
		if (!row || !value) {
			fprintf(stderr, "memcache-user: %s: %s has no counterpart here; "
				"the manual has a page for those who come from other tools\n",
				program, *args);
			return -EINVAL;
		}
		out[n++] = (struct argument){ row, value };
	}
	return n;
}

/* Say a call of another program in words of ours. Return: 0, or -EINVAL, which was said. */
static int translate(struct words *w, const char *program, char **args)
{
	struct argument found[MOST];
	int i, n = explain(program, args, found), turn;
	bool plain = true;	/* nothing says how to measure it */

	if (n < 0)
		return n;
	w->suite = find_row(program, "")->suite;
	apply(w, find_row(program, ""), "");
	/* The words for a test come first. Options come last, since they replace the rest. */
	for (turn = 0; turn < 3; turn++) {
		for (i = 0; i < n; i++) {
			const struct mc_elsewhere *row = found[i].row;

			if (!row && turn == 2)
				put(w, found[i].value, false);
			if (!row || turn != (is_head(row) ? 0 : *row->word != '-' ? 1 : 2))
				continue;
			if (!turn && row->suite)
				w->suite = row->suite;
			apply(w, row, found[i].value);
		}
	}
	for (i = 0; i < n; i++)
		plain &= found[i].row && is_head(found[i].row);
	if (w->word[0] && !plain)
		w->suite = NULL;
	return 0;
}

/* -------------------------------------------------------- their words in our requests */

static bool takes_word(const struct mc_key *key, const char *word)
{
	const struct mc_name *name;

	for (name = key->names; name && name->name; name++) {
		if (mc_same_letters(name->name, word, strlen(word)))
			return true;
	}
	return false;
}

/* The row of `key=value`; with an end of the value that begins with _, the row of that end. */
static const struct mc_elsewhere *find_value(const char *key, const char *value, size_t *end)
{
	const struct mc_elsewhere *row;
	size_t n = strlen(key), len = strlen(value), tail;

	for (row = mc_elsewhere; row->of; row++) {
		if (*row->of || strncmp(row->word, key, n) || row->word[n] != '=')
			continue;
		tail = strlen(row->word + n + 1);
		*end = len;
		if (!strcasecmp(row->word + n + 1, value))
			return row;
		*end = len - tail;
		if (row->word[n + 1] == '_' && tail < len &&
		    !strcasecmp(row->word + n + 1, value + *end))
			return row;
	}
	return NULL;
}

/*
 * A value of a key that takes words. Append ours to @list. Return: false if it is not one that the
 * key takes, nor one of the table.
 */
static bool usual_value(struct words *w, const struct mc_key *key, const char *value,
			struct mc_text *list, const char **why)
{
	const struct mc_elsewhere *row;
	size_t end;
	char *base;
	bool known;

	if (takes_word(key, value)) {
		mc_textf(list, "%s%s", list->len ? "," : "", value);
		return true;
	}
	row = find_value(key->name, value, &end);
	if (!row)
		return false;
	if (row->why) {
		*why = row->why;
		return false;
	}
	if (end == strlen(value)) {
		mc_textf(list, "%s%s", list->len ? "," : "", strchr(row->ours, '=') + 1);
		return true;
	}
	base = strndup(value, end);
	known = base && usual_value(w, key, base, list, why);
	free(base);
	if (known)
		put(w, row->ours, false);
	return known;
}

/* Say a word key=value of a request in words of ours: one in @w, and more if it stands for more. */
static int put_usual(struct words *w, const struct mc_spec *spec, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct mc_key *key = find_key(spec, word, len);
	char text[MC_LINE_MAX] = "", list[MC_LINE_MAX] = "", *values, *value, *rest;
	struct mc_text t = MC_TEXT(text), l = MC_TEXT(list);
	const struct mc_elsewhere *row;
	const char *why = NULL;
	bool known = true;

	if (!spec || !word[len] || (key && key->kind != MC_CHOICE)) {
		put(w, word, false);
		return 0;
	}
	values = key ? strdup(word + len + 1) : NULL;
	rest = values;
	while (known && rest && (value = strsep(&rest, ",")))
		known = usual_value(w, key, value, &l, &why);
	free(values);
	if (why) {
		fprintf(stderr, "memcache-user: %s: %s\n", word, why);
		return -EINVAL;
	}
	if (key && known) {
		mc_textf(&t, "%.*s=%s", (int)len, word, list);
		put(w, text, false);
		return 0;
	}
	snprintf(text, sizeof(text), "%.*s=", (int)len, word);
	row = find_row("", text);
	*text = '\0';
	if (row && fill(&t, row->ours, strlen(row->ours), word + len + 1))
		return put_usual(w, spec, text);
	put(w, word, false);
	return 0;
}

/* A word in the place of a test. Return: the row of it, or NULL. */
static const struct mc_elsewhere *find_test(const char *word)
{
	const struct mc_elsewhere *row = find_row("", word);
	const char *program = mc_user_program(word);
	char mode[64];

	if (row || program)
		return row ? row : find_row(program, "");
	snprintf(mode, sizeof(mode), "--%s", word);
	return find_row("mlc", mode);
}

/* Begin with the word in the place of a test. */
static void begin(struct words *w, const char *word)
{
	const struct mc_elsewhere *row = find_spec(word) ? NULL : find_test(word);
	struct mc_elsewhere loop = { .word = word, .ours = "bandwidth op=*" };
	unsigned int i;

	for (i = 0; !row && !find_spec(word) && i < MC_OP_SUM; i++)
		row = strcmp(mc_ops[i].name, word) ? NULL : &loop;
	if (!row) {
		w->word[0] = strdup(word);
		return;
	}
	apply(w, row, word);
	w->suite = row->suite;
}

/* Is it a key of the request that a word for the test has brought? Those of the user count. */
static bool replaces(struct words *w, const bool *theirs, char *word)
{
	size_t key = strcspn(word, "=");
	unsigned int i;

	for (i = 1; i < w->n; i++) {
		if (theirs[i] || strcspn(w->word[i], "=") != key || strncmp(w->word[i], word, key))
			continue;
		free(w->word[i]);
		w->word[i] = word;
		return true;
	}
	return false;
}

/* Put the words of a request into words of ours. Those that the user gave may be there twice. */
static int put_all(struct words *w, char *line)
{
	bool theirs[MOST] = { false };
	bool begun = false;
	struct words one;
	unsigned int i;
	char *word;
	int err = 0;

	while ((word = strsep(&line, " ")) && !err) {
		if (!*word)
			continue;
		if (!begun) {
			begin(w, word);
			begun = true;
			continue;
		}
		if (w->word[0])
			w->suite = NULL;
		one = (struct words){ .n = 1 };
		err = put_usual(&one, find_spec(w->word[0]), word);
		for (i = 1; i < one.n; i++) {
			if (replaces(w, theirs, one.word[i]))
				continue;
			if (w->n == MOST)
				return -E2BIG;
			theirs[w->n] = true;
			w->word[w->n++] = one.word[i];
		}
	}
	return err;
}

static bool same_words(const char *one, const char *other)
{
	size_t n;

	do {
		one += strspn(one, " ");
		other += strspn(other, " ");
		n = strcspn(one, " ");
		if (n != strcspn(other, " ") || memcmp(one, other, n))
			return false;
		one += n;
		other += n;
	} while (*one);
	return true;
}

/*
 * Put a call of another program, with arguments that are no key=value, into words of ours. Those
 * stay empty if @line is none. Return: 0, or -EINVAL, which was said.
 */
static int put_call(struct words *w, const char *line)
{
	char *copy = strdup(line), *rest = copy, *word;
	const char *program = NULL;
	char *args[MOST + 1] = { NULL };
	bool plain = false;
	unsigned int n = 0;
	int err = 0;

	while (copy && (word = strsep(&rest, " ")) && n < MOST) {
		if (*word)
			args[n++] = word;
		plain |= n > 1 && !strchr(word, '=');
	}
	if (n)
		program = mc_user_mode(*args) ? "mlc" : mc_user_program(*args);
	if (program && (plain || mc_user_mode(*args)))
		err = translate(w, program, args + !mc_user_mode(*args));
	free(copy);
	return err;
}

/* Put a line into words of ours. Return: 0; -EINVAL, which was said; -E2BIG. */
static int put_line(struct words *w, const char *line)
{
	struct words call = { .n = 1 };
	char *copy;
	int err;

	if (strlen(line) > MC_LINE_MAX)		/* the parser says so */
		return -E2BIG;
	err = put_call(&call, line);
	if (err || (call.suite && !call.word[0])) {
		*w = call;
		return err;
	}
	copy = call.word[0] ? join(&call) : strdup(line);
	err = copy ? put_all(w, copy) : -ENOMEM;
	if (call.suite)
		w->suite = call.suite;
	free(copy);
	return err;
}

/**
 * mc_user_usual() - say a request in words of ours
 * @line: the request, allocated; replaced if it has words of others, and this is said
 *
 * Return: 0, or -EINVAL and then a message was printed.
 */
int mc_user_usual(char **line)
{
	struct words w = { .n = 1 };
	int err = put_line(&w, *line);
	char *made;

	if (err)
		return err == -EINVAL ? err : 0;
	if (!w.word[0] && w.suite) {
		fprintf(stderr,
			"memcache-user: %s: the front end measures this: memcache run %s\n", *line,
			w.suite);
		return -EINVAL;
	}
	made = join(&w);
	if (made && !same_words(made, *line)) {
		fprintf(stderr, "memcache-user: %s: this is %s\n", *line, made);
		free(*line);
		*line = made;
		return 0;
	}
	free(made);
	return 0;
}

/**
 * mc_user_translate() - print a request in words of ours, for the front end
 * @line: the request
 *
 * A line `suite NAME [key=value]...` stands for a suite of the front end. What has no words of
 * others is printed as it is.
 *
 * Return: 0, or -EINVAL and then a message was printed.
 */
int mc_user_translate(const char *line)
{
	struct words w = { .n = 1 };
	int err = put_line(&w, line);
	bool alone = !w.word[0];	/* without a test: its keys are those of the suite */
	char *made;

	if (err == -EINVAL)
		return err;
	made = err ? NULL : join(&w);
	if (made && w.suite)
		printf("suite %s%s\n", w.suite, alone ? made : "");
	else
		printf("%s\n", made ? made : line);
	free(made);
	return 0;
}
