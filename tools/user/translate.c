// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translation of other programs' calls, and of their words in our requests, into requests of ours,
 * by the table in elsewhere.c. The front end calls memcache-user --translate.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysinfo.h>

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

/* The row of a word. Options differ by their capitals, words of requests do not. */
static const struct mc_elsewhere *find_row(const char *of, const char *word)
{
	const struct mc_elsewhere *row;

	for (row = mc_elsewhere; row->of; row++) {
		if (!strcmp(row->of, of) &&
		    !(*of ? strcmp(row->word, word) : strcasecmp(row->word, word)))
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

	for (spec = mc_specs; name && *spec && strcasecmp((*spec)->name, name); spec++)
		;
	return name ? *spec : NULL;
}

static const struct mc_key *find_key(const struct mc_spec *spec, const char *name, size_t len)
{
	const struct mc_key *key = NULL;
	unsigned int i;

	for (i = 0; spec && (key = mc_spec_key(spec, i)); i++) {
		if (mc_key_is(key, name, len))
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
		if (strcspn(w->word[i], "=") == key && !strncasecmp(w->word[i], word, key))
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

/* Part @n of a value, from 1 on, that colons divide; it may be empty. Return: is there one? */
static bool part_of(const char *value, unsigned int n, char *out, size_t size)
{
	while (--n) {
		value = strchr(value, ':');
		if (!value++)
			return false;
	}
	snprintf(out, size, "%.*s", (int)strcspn(value, ":"), value);
	return true;
}

/* A list of the first CPUs. Return: false if it is no number of CPUs. */
static bool show_cpus(struct mc_text *t, const char *count)
{
	char *end;
	long n = strtol(count, &end, 10);

	if (*end || n < 1 || n > MC_MAX_CPUS)
		return false;
	mc_textf(t, n == 1 ? "0" : "0-%ld", n - 1);
	return true;
}

/* Show a size whose units are powers of 1000, in whole lines. */
static void show_decimal(struct mc_text *t, const char *size)
{
	static const char * const units[] = { "B", "kB", "MB", "GB" };
	char *unit;
	double bytes = strtod(size, &unit);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(units) && strcasecmp(unit, units[i]); i++)
		bytes *= 1000;
	if (i == ARRAY_SIZE(units) || bytes < 64 || bytes > 1e15)
		mc_textf(t, "%s", size);
	else
		mc_textf(t, "%llu", (u64)bytes & ~63ULL);
}

/*
 * Put a value into a word of the table. Return: 0, -ENOENT if it lacks a part, or -EINVAL if it has
 * no number of CPUs.
 */
static int fill(struct mc_text *t, const char *from, size_t len, const char *value)
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
			if (!part_of(value, from[++i] - '0', part, sizeof(part))) {
				if (c != '%' || !strchr(value, ':'))
					return -ENOENT;
				if (strncmp(value, "N:", 2))
					return -EINVAL;
				mc_textf(t, "all");
				continue;
			}
		} else {
			snprintf(part, sizeof(part), "%s", value);
		}
		if (c == '%') {
			if (!show_cpus(t, part))
				return -EINVAL;
			continue;
		}
		if (c == '@')
			show_decimal(t, part);
		else
			mc_textf(t, "%s", part);
		/* The unit of the other program counts if the value has none. */
		if (i + 1 < len && memchr("KMG", from[i + 1], 3) && *part &&
		    !memchr("0123456789", part[strlen(part) - 1], 10))
			i++;
	}
	return 0;
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

/* An argument, the row that explains it, and its value. A word key=value of ours has no row. */
struct argument {
	const char *word;
	const struct mc_elsewhere *row;
	const char *value;
};

/* The first key that an argument stands for, in a test. Return: its length; 0: none. */
static size_t find_first_key(const struct mc_spec *spec, const struct argument *arg,
			     const char **key)
{
	*key = arg->row ? arg->row->ours : arg->value;
	if (!*key || !strchr(*key, '=') || strcspn(*key, " ") < strcspn(*key, "="))
		return 0;
	choose(spec, key, strcspn(*key, " "));
	return strcspn(*key, "=");
}

/* Is this the first key of an argument? */
static bool is_first_key(const struct mc_spec *spec, const struct argument *args, unsigned int n,
			 const char *word)
{
	size_t len = strcspn(word, "=");
	const char *key;

	while (n--) {
		if (find_first_key(spec, &args[n], &key) == len && !strncmp(key, word, len))
			return true;
	}
	return false;
}

/*
 * Add the words of a row of the table. A key behind the first one counts only if it is not the
 * first of one of @n arguments. Return: how many keys were added, or -EINVAL.
 */
static int apply(struct words *w, const struct mc_elsewhere *row, const char *value,
		 const struct argument *args, unsigned int n_args)
{
	bool behind = false;
	int err, added = 0;
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
		if (behind && is_first_key(find_spec(w->word[0]), args, n_args, word))
			continue;
		behind = true;
		err = fill(&t, word, n, value);
		if (err == -EINVAL)
			return err;
		if (!err)
			put(w, text, !strcmp(row->word, "#+"));
		added += !err;
	}
	return added;
}

/* ------------------------------------------------------------ calls of other programs */

static bool is_head(const struct mc_elsewhere *row)
{
	return row->suite || (row->ours && strcspn(row->ours, " ") < strcspn(row->ours, "="));
}

/* Say that a word of a call has no counterpart. Return: -EINVAL. */
static int refuse_word(const char *program, const char *word)
{
	fprintf(stderr, "memcache-user: %s: %s has no counterpart here", program, word);
	if (find_row(program, "")->listed)
		fprintf(stderr, "; \"Coming from other tools\" in the manual has the options of %s",
			program);
	fprintf(stderr, "\n");
	return -EINVAL;
}

/* Have all parts of a value a word of ours? Return: 0, or -EINVAL, which was said. */
static int check_parts(const char *program, const struct argument *arg)
{
	const char *at = arg->row->ours ? arg->row->ours : "";
	char part[256], spaced[sizeof(part) + 2];
	unsigned int n, most = 0;

	for (; *at; at++) {
		if (strchr("@%", *at) && at[1] >= '1' && at[1] <= '9')
			most = max(most, at[1] - '0');
	}
	for (n = 1; most && part_of(arg->value, n, part, sizeof(part)); n++) {
		snprintf(spaced, sizeof(spaced), " %s ", part);
		if (n > most || (n == 1 && arg->row->first && !strstr(arg->row->first, spaced))) {
			snprintf(part, sizeof(part), "%s %.200s", arg->word, arg->value);
			return refuse_word(program, part);
		}
	}
	return 0;
}

/* Must one of these arguments be dropped for the other? */
static bool exclude_each_other(const struct mc_spec *spec, const struct argument *one,
			       const struct argument *other)
{
	const char *key, *same;
	size_t len;

	if (one->row && other->row) {
		if (one->row->ours && other->row->ours && !strcmp(one->value, other->value) &&
		    !strcmp(one->row->ours, other->row->ours))
			return false;
		if (is_head(one->row) || is_head(other->row))
			return one->row != other->row && is_head(one->row) && is_head(other->row);
		if (!strcmp(one->row->word, "#+") && one->row == other->row)
			return false;
	}
	len = find_first_key(spec, one, &key);
	return len && find_first_key(spec, other, &same) == len && !strncmp(key, same, len);
}

/* Can a request say all of these arguments? Return: 0, or -EINVAL, which was said. */
static int check_arguments(const char *program, const struct mc_spec *spec,
			   const struct argument *args, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++) {
			if (!exclude_each_other(spec, &args[j], &args[i]))
				continue;
			fprintf(stderr,
				"memcache-user: %s: %s and %s are two requests; make two calls\n",
				program, args[j].word, args[i].word);
			return -EINVAL;
		}
	}
	return 0;
}

/* Explain the arguments. Return: their number, or -EINVAL, which was said. */
static int explain(const char *program, char **args, struct argument *out)
{
	unsigned int n = 0, position = 0;
	char text[256];

	for (; *args && n < MOST; args++) {
		const char *value = "", *rest, *word = *args;
		const struct mc_elsewhere *row = find_row(program, word);

		position += **args != '-';
		if (!row && **args == '-') {
			row = find_option(program, *args, &value);
			if (row && !value && args[1] && *args[1] != '-')
				value = *++args;
			/* Some values have a row of their own. */
			snprintf(text, sizeof(text), "%s%s", word, word == *args ? "" : *args);
			row = find_option(program, text, &rest);
			if (row && row->why)
				value = rest;
		} else if (!row && !strchr(*args, '=')) {
			snprintf(text, sizeof(text), "#%u", position);
			row = find_row(program, text);
			row = row ? row : find_row(program, "#+");
			value = *args;
		}
		if (strchr(*args, '=') && !row) {
			out[n++] = (struct argument){ word, .value = word };
			continue;
		}
		if (!row)
			return refuse_word(program, word);
		if (row->why) {
			fprintf(stderr, "memcache-user: %s: %s: %s\n", program, word, row->why);
			return -EINVAL;
		}
		if (!value) {
			fprintf(stderr, "memcache-user: %s: %s needs a value\n", program, word);
			return -EINVAL;
		}
		out[n] = (struct argument){ word, row, value };
		if (check_parts(program, &out[n++]))
			return -EINVAL;
	}
	return n;
}

/* The words of a key. Return: the value, or NULL. */
static const char *value_of(const struct words *w, const char *key)
{
	size_t len = strlen(key);
	unsigned int i;

	for (i = 1; i < w->n; i++) {
		if (!strncmp(w->word[i], key, len) && w->word[i][len] == '=')
			return w->word[i] + len + 1;
	}
	return NULL;
}

/*
 * The threads that measure at once. Return: their number, 0 if the request does not tell; 1 also if
 * the list of CPUs is wrong, which the parser says.
 */
static unsigned int count_threads(const struct words *w)
{
	const struct mc_spec *spec = find_spec(w->word[0]);
	const char *cpus = value_of(w, "cpu"), *smt = value_of(w, "smt");
	unsigned long first, last, n = 0;
	char preset[64] = "", *end;
	struct mc_text t = MC_TEXT(preset);

	if (!spec || !mc_test_of(spec)->shares)			/* CPUs take turns */
		return 1;
	if (!cpus) {
		mc_spec_preset(&t, spec, mc_common_key(MC_KEY_CPU));
		cpus = strchr(preset, '=') + 1;
	}
	if (smt && !strcmp(smt, "off"))
		return 0;
	if (!strcmp(cpus, "all"))
		return get_nprocs();
	for (;; cpus = end + 1) {
		first = strtoul(cpus, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		n += last - first + 1;
		if (*end != ',')
			return *end || last < first ? 1 : n;
	}
}

/* A size that others count for each thread is one of all threads here. Return: 0, or -EINVAL. */
static int scale_size(struct words *w, const char *program, const struct argument *arg)
{
	const char *size = value_of(w, "size");
	unsigned int n = count_threads(w);
	char text[64], *unit;
	double value;

	if (!size || n == 1)
		return 0;
	value = strtod(size, &unit);
	if (!n || unit == size) {
		fprintf(stderr,
			"memcache-user: %s: %s is the size of a thread; write that of all: size=\n",
			program, arg->word);
		return -EINVAL;
	}
	snprintf(text, sizeof(text), "size=%.15g%s", n * value, unit);
	put(w, text, false);
	return 0;
}

/* Say a call of another program in words of ours. Return: 0, or -EINVAL, which was said. */
static int translate(struct words *w, const char *program, char **args)
{
	struct argument found[MOST];
	int i, n = explain(program, args, found), turn, added;
	bool plain = true;	/* nothing says how to measure it */
	const char *key;

	if (n < 0)
		return n;
	w->suite = find_row(program, "")->suite;
	apply(w, find_row(program, ""), "", NULL, 0);
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
			added = apply(w, row, found[i].value, found, n);
			if (added < 0) {
				fprintf(stderr,
					"memcache-user: %s: %s %s names no number of CPUs\n",
					program, found[i].word, found[i].value);
				return added;
			}
			if (!added && find_first_key(NULL, &found[i], &key))
				return refuse_word(program, found[i].value);
		}
		if (!turn && check_arguments(program, find_spec(w->word[0]), found, n))
			return -EINVAL;
	}
	for (i = 0; i < n; i++) {
		if (found[i].row && found[i].row->each && scale_size(w, program, &found[i]))
			return -EINVAL;
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
		if (*row->of || strncasecmp(row->word, key, n) || row->word[n] != '=')
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
		if (!row->ours)
			return false;
		mc_textf(list, "%s%s", list->len ? "," : "", strchr(row->ours, '=') + 1);
		return true;
	}
	base = strndup(value, end);
	known = base && usual_value(w, key, base, list, why);
	free(base);
	if (known && row->ours)
		put(w, row->ours, false);
	return known;
}

/* Say a word key=value of a request in words of ours: one in @w, and more if it stands for more. */
static int put_usual(struct words *w, const struct mc_spec *spec, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct mc_key *key = find_key(spec, word, len);
	char text[MC_LINE_MAX] = "", list[MC_LINE_MAX] = "", named[MC_LINE_MAX + 1];
	char *values, *value, *rest;
	struct mc_text t = MC_TEXT(text), l = MC_TEXT(list);
	const struct mc_elsewhere *row;
	const char *why = NULL, *theirs = word;
	bool known = true;

	if (key && word[len]) {		/* in its own letters */
		snprintf(named, sizeof(named), "%s%s", key->name, word + len);
		word = named;
		len = strlen(key->name);
	}
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
	snprintf(text, sizeof(text), "%.*s=", (int)strcspn(theirs, "="), theirs);
	row = find_row("", text);
	*text = '\0';
	if (row && !fill(&t, row->ours, strlen(row->ours), word + len + 1))
		return put_usual(w, spec, text);
	put(w, word, false);
	return 0;
}

/* A word in the place of a test. Return: the row of it, or NULL. */
static const struct mc_elsewhere *find_test(const char *word)
{
	const struct mc_elsewhere *row = find_row("", word);
	const char *program = mc_user_program(word);
	char mode[64], *at;

	if (row || program)
		return row ? row : find_row(program, "");
	snprintf(mode, sizeof(mode), "--%s", word);
	for (at = mode; *at; at++)
		*at = tolower(*at);
	return find_row("mlc", mode);
}

/* Begin with the word in the place of a test. */
static void begin(struct words *w, const char *word)
{
	const struct mc_elsewhere *row = find_spec(word) ? NULL : find_test(word);
	struct mc_elsewhere loop = { .word = word, .ours = "bandwidth op=*" };
	unsigned int i;

	for (i = 0; !row && !find_spec(word) && i < MC_OP_SUM; i++) {
		if (!strcasecmp(mc_ops[i].name, word)) {
			row = &loop;
			word = mc_ops[i].name;
		}
	}
	if (!row) {
		w->word[0] = strdup(find_spec(word) ? find_spec(word)->name : word);
		return;
	}
	apply(w, row, word, NULL, 0);
	w->suite = row->suite;
}

/* Is it a key of the request that a word for the test has brought? Those of the user count. */
static bool replaces(struct words *w, const bool *theirs, char *word)
{
	size_t key = strcspn(word, "=");
	unsigned int i;

	for (i = 1; i < w->n; i++) {
		if (theirs[i] || strcspn(w->word[i], "=") != key ||
		    strncasecmp(w->word[i], word, key))
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
	char *args[MOST + 2] = { NULL };
	bool plain = false;
	unsigned int n = 0;
	int err = 0;

	while (copy && (word = strsep(&rest, " ")) && n <= MOST) {
		if (*word)
			args[n++] = word;
		plain |= n > 1 && !strchr(word, '=');
	}
	if (n)
		program = mc_user_mode(*args) ? "mlc" : mc_user_program(*args);
	if (program && n > MOST) {
		fprintf(stderr, "memcache-user: %s: more than %u words\n", program, MOST);
		err = -EINVAL;
	} else if (program && (plain || mc_user_mode(*args))) {
		err = translate(w, program, args + !mc_user_mode(*args));
	}
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
