// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translation of other programs' calls, and of their words in our requests, into requests of ours,
 * by the table calls.def. The front end calls memcache-user --translate.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arch/loops.h"
#include "elsewhere.h"
#include "measure/engine.h"
#include "platform/cpus.h"
#include "user.h"

#define CALL(of, word, how, ours, means, note)	{ of, word, MC_##how, ours, means, note },
#define WORD(word, ours)			{ "", word, MC_EXACT, ours, "", "" },
const struct mc_foreign_word mc_foreign_words[] = {
#include "calls.def"
	{ }
};

#define MOST	64	/* words of a request, and of a call */
#define TWO	"%s and %s are two requests; make two calls"
#define HAS_NONE "has no counterpart here"
#define MANUAL	"%s " HAS_NONE "; \"Coming from other tools\" in the manual has the options of %s"
#define NO_NUMBER "%s is no whole number, or has a unit that it does not know"

/* Which of two words of a key counts: a program's, one beside the first of a row, what is asked. */
enum rank { PRESET, BESIDE, ASKED };

/* A word of a request. A test has the key "", what is no key=value has no value. */
struct word {
	const char *key, *value;
	const char *from;	/* the argument that brought it, for messages */
	enum rank rank;
};

/* A request in words. */
struct words {
	struct word word[MOST + 1];
	unsigned int n;
	const char *program;		/* whose call it is, or NULL */
	const char *list;		/* the key whose values come one by one, or NULL */
	const struct mc_foreign_word *row;	/* the last that was applied */
	bool asked;			/* for more than a test or a suite */
	bool changed;			/* words of others were there */
	const char *note[MOST];		/* what differs from what the other program does */
	unsigned int notes;
	char room[8 * MC_LINE_MAX];	/* for texts */
	size_t used;
};

/*
 * An argument and its row; NULL: it is a word key=value of ours. @from: as it was typed, where its
 * value may be the next argument.
 */
struct argument {
	const char *from;
	const char *text;
	const struct mc_foreign_word *row;
};

/* Print why a call can't be one of ours. Return: -EINVAL. */
static int __printf(2, 3) refuse(const struct words *w, const char *format, ...)
{
	const char *program = w->program ? w->program : "";
	va_list args;

	fprintf(stderr, "memcache-user: %s%s", program, *program ? ": " : "");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	return -EINVAL;
}

/* A text that stays as long as the request. One that is too long is cut, see mc_user_usual(). */
static char *keep(struct words *w, const char *format, ...)
{
	char *text = w->room + w->used;
	va_list args;

	va_start(args, format);
	w->used += vsnprintf(text, sizeof(w->room) - w->used, format, args) + 1;
	va_end(args);
	w->used = min(w->used, sizeof(w->room) - 1);
	return text;
}

/* ------------------------------------------------------------------------ the rows */

/*
 * The row that is @word, or else the one with most letters around `*`, in place of which there is
 * something if letters follow. Options of one letter differ by their capitals.
 */
static const struct mc_foreign_word *find_row(const char *of, const char *word)
{
	bool letter = *of && strncmp(word, "--", 2);
	int (*differ)(const char *, const char *, size_t) = letter ? strncmp : strncasecmp;
	const struct mc_foreign_word *row, *found = NULL;
	size_t len = strlen(word), begin, end, most = 0;

	for (row = mc_foreign_words; row->of; row++) {
		begin = strcspn(row->word, "*");
		if (strcmp(row->of, of) || differ(row->word, word, begin))
			continue;
		if (!row->word[begin] && len == begin)
			return row;
		end = row->word[begin] ? strlen(row->word + begin + 1) : len;
		if (begin + end > most && begin + end + !!end <= len &&
		    !differ(row->word + begin + 1, word + len - end, end)) {
			found = row;
			most = begin + end;
		}
	}
	return found;
}

/*
 * Return: the program that one of this name stands for, or that has this --mode, as the table has
 * it, or NULL.
 */
const char *mc_user_program(const char *name)
{
	const struct mc_foreign_word *row;
	const char *slash = strrchr(name, '/');

	if (!strncmp(name, "--", 2) && find_row("mlc", name))
		return "mlc";
	for (row = mc_foreign_words; row->of; row++) {
		if (*row->of && !*row->word && !strcasecmp(row->of, slash ? slash + 1 : name))
			return mc_user_program(row->ours) ?: row->of;
	}
	return NULL;
}

/* ---------------------------------------------------------------------- the words */

static struct word *find_word(struct words *w, const char *key)
{
	struct word *word;

	for (word = w->word; word < w->word + w->n; word++) {
		if (word->value && !strcasecmp(word->key, key))
			return word;
	}
	return NULL;
}

static void drop(struct words *w, struct word *word)
{
	w->n--;
	memmove(word, word + 1, (w->word + w->n - word) * sizeof(*word));
}

static const struct mc_spec *find_spec(struct words *w)
{
	const struct word *test = find_word(w, "");
	const struct mc_spec *const *spec;

	for (spec = mc_specs; test && *spec && strcasecmp((*spec)->name, test->value); spec++)
		;
	return test ? *spec : NULL;
}

/* Return: the key of the test that a word key=value or key+=value sets, or NULL. */
static const struct mc_key *find_key(struct words *w, const char *word)
{
	const struct mc_spec *spec = find_spec(w);
	const struct mc_key *key = NULL;
	unsigned int i;

	for (i = 0; spec && (key = mc_spec_key(spec, i)); i++) {
		if (mc_word_is(key->name, key->was, word, strcspn(word, "+=")))
			break;
	}
	return key;
}

/* Add a word; of `key+` and of a list, one more value. Return: 0, or -EINVAL, which was said. */
static int put(struct words *w, const char *key, const char *value, const char *from,
	       enum rank rank)
{
	struct word new = { keep(w, "%.*s", (int)strcspn(key, "+"), key), value, from, rank };
	bool more = strchr(key, '+') || (w->list && !strcmp(w->list, key));
	struct word *old = value ? find_word(w, new.key) : NULL;
	bool last = !strcmp(new.key, "within");	/* of programs that start each other */
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };

	if (last && value && !mc_user_cpus(cpus, value, strlen(value)))
		return refuse(w, "%s names no CPUs", from);
	if (old && more && rank == old->rank) {
		new.value = keep(w, "%s,%s", old->value, value);
	} else if (old && rank + last <= old->rank) {
		if (rank < ASKED ||
		    (!strcmp(value, old->value) && (w->program || old->from == from)))
			return 0;
		if (w->program)
			return refuse(w, TWO, old->from, from);
		old = NULL;	/* the parser says that it is there twice */
	}
	if (!old && w->n == MOST)
		return refuse(w, "more than %u words", MOST);
	*(old ? old : &w->word[w->n++]) = new;
	return 0;
}

/* Say a word of a row, with a value. Return: NULL if it is not the number that the row wants. */
static char *fill(struct words *w, const char *word, const char *value)
{
	size_t digits = strspn(value, "0123456789"), n;
	char text[MC_LINE_MAX] = "", *units;
	struct mc_text t = MC_TEXT(text);
	unsigned long most;
	bool unit;

	for (; *word; word++) {
		if (*word != '*' && *word != '#') {
			mc_textf(&t, "%c", *word);
			continue;
		}
		most = strtoul(word + 1, &units, 10);
		n = *units == '[' ? strcspn(units, "]") : 0;
		unit = value[digits] && memchr(units, value[digits], n);
		if (*word == '#' && (!digits || value[digits + unit]))
			return NULL;
		if (most && strtoul(value, NULL, 10) > most)
			mc_textf(&t, "%lu", most);
		else
			mc_textf(&t, "%s", value);
		word = units + n - !n;
		/* The unit of the other program counts if the value has none. */
		n = strlen(value);
		word += word[1] && memchr("KMG", word[1], 3) && n && !isdigit(value[n - 1]);
	}
	return keep(w, "%s", text);
}

static int put_ours(struct words *w, const char *word, const char *from, enum rank rank);

/* Add the words of the row that has @text. Return: 0, or -EINVAL, which was said. */
static int apply(struct words *w, const struct mc_foreign_word *row, const char *text,
		 const char *from, const enum rank asked)
{
	size_t begin = strcspn(row->word, "*"), rest = strlen(row->word) - begin;
	const char *value = *row->word == '#' ? text : !rest ? "" :
			    keep(w, "%.*s", (int)(strlen(text) + 1 - begin - rest), text + begin);
	char *words = keep(w, "%s", row->ours), *word, *bar, *key;
	enum rank rank = asked;
	int err = 0;

	w->changed = true;
	w->row = row;
	if (rest && !*value && (begin < 3 || text[begin - 1] == '='))
		return refuse(w, "%s needs a value", from);
	if (row->how == MC_NONE)
		return refuse(w, "%s: %s", from, row->note);
	for (; !err && (word = strsep(&words, " ")); rank = min(asked, BESIDE)) {
		for (; (bar = strchr(word, '|')); word = bar + 1) {
			*bar = '\0';
			if (find_key(w, word))
				break;
		}
		word = fill(w, word, value);
		if (!word)
			return refuse(w, NO_NUMBER, from);
		if (*word == '-') {
			err = apply(w, find_row(row->of, word), word, from, asked);
		} else if (*word && !*row->of && find_key(w, word)) {
			err = put_ours(w, word, from, asked);
		} else if (*word) {
			key = strchr(word, '=') ? strsep(&word, "=") : "";
			err = put(w, key, word, from, rank);
		}
	}
	if (row->how == MC_SAME && w->notes < MOST)
		w->note[w->notes++] = row->note;
	return err;
}

/* Return: the word of a key that a value is, or NULL. */
static const char *word_of(const struct mc_key *key, const char *value)
{
	const struct mc_name *name = key->names;

	while (name && name->name && !mc_word_is(name->name, name->was, value, strlen(value)))
		name++;
	return name ? name->name : NULL;
}

/* Return: the row of a value that is not the key's, if it is known without ends such as _avx. */
static const struct mc_foreign_word *row_of(struct words *w, const struct mc_key *key,
					    const char *value)
{
	const struct mc_foreign_word *row = find_row("", keep(w, "%s=%s", key->name, value));
	const char *end = row ? strchr(row->word, '*') : NULL, *rest;

	if (word_of(key, value))
		return NULL;
	rest = end ? keep(w, "%.*s", (int)(strlen(value) - strlen(end + 1)), value) : NULL;
	return !rest || word_of(key, rest) || row_of(w, key, rest) ? row : NULL;
}

/*
 * Add key=value, of which the key and each value may be words of others: what is not known stays as
 * it is, for the parser. Return: 0, or -EINVAL, which was said.
 */
static int put_ours(struct words *w, const char *word, const char *from, enum rank rank)
{
	char *values = keep(w, "%s", word), *name = strsep(&values, "="), *value;
	const struct mc_key *key = values ? find_key(w, word) : NULL;
	const struct mc_foreign_word *row = find_row("", keep(w, "%s=*", name));
	const char *list = w->list;
	int err = 0;

	/* Another key may once have had the name of one that others use. */
	if (row && values && find_spec(w) && !(key && word_of(key, values)))
		return apply(w, row, word, from, rank);
	if (!key)
		return put(w, word, NULL, from, rank);
	if (key->kind != MC_CHOICE)
		return put(w, key->name, values, from, rank);
	while (!err && (value = strsep(&values, ","))) {
		row = row_of(w, key, value);
		err = row ? apply(w, row, keep(w, "%s=%s", key->name, value), from, rank) :
			    put(w, key->name, word_of(key, value) ?: value, from, rank);
		w->list = key->name;
	}
	w->list = list;
	return err;
}

/* --------------------------------------------------------------- the whole request */

/*
 * Append the words as a line: all that the test has, what it has not if it is of this rank, and no
 * suite.
 */
static void show(struct words *w, struct mc_text *t, enum rank least)
{
	const struct mc_spec *spec = find_spec(w);
	const struct word *word, *suite = find_word(w, "suite");
	const char *equals;
	bool known;

	for (word = w->word; word < w->word + w->n; word++) {
		known = !*word->key || (word->value && *word->value &&
					(!spec || find_key(w, word->key)));
		if (word == suite || (!known && word->rank < least))
			continue;
		equals = *word->key && word->value ? "=" : "";
		mc_textf(t, "%s%s%s%s", t->len ? " " : "", word->key, equals,
			 !*word->key && spec ? spec->name : word->value ? word->value : "");
	}
}

/* Parse what the test has. Return: NULL if there is none, or it is wrong, which the parser says. */
static struct mc_request *parse(struct words *w)
{
	static struct mc_request req;
	char line[2 * MC_LINE_MAX] = "";
	struct mc_text t = MC_TEXT(line);
	struct mc_error e = { 0 };

	show(w, &t, ASKED + 1);
	return mc_request_parse(&req, line, t.len, mc_specs, &e) ? NULL : &req;
}

/* Put some CPUs of those that a word names, see mc_user_choose(). */
static int put_cpus(struct words *w, const struct word *by, const char *list, size_t len,
		    unsigned int n, unsigned int chunk, unsigned int stride, bool by_core)
{
	char text[MC_LINE_MAX] = "";
	struct mc_text t = MC_TEXT(text);
	const char *why = mc_user_choose(&t, list, len, n, chunk, stride, by_core);

	if (why)
		return refuse(w, "%s %s", by->from, why);
	return put(w, "cpu", keep(w, "%s", text), by->from, by->rank);
}

/* likwid's DOMAIN:SIZE[:THREADS[:CHUNK:STRIDE]], where a K is 1000. */
static int put_group(struct words *w, struct word *group)
{
	unsigned int threads = 0, chunk = 1, stride = 1;
	const char *value = group->value, *letter;
	size_t domain = strcspn(value, ":");
	unsigned long long n = 0;
	int used = 0, parts;
	char unit[3] = "";

	parts = sscanf(value + domain, ":%10llu%2[kKMGB]%n:%u%n:%u:%u%n", &n, unit, &used, &threads,
		       &used, &chunk, &stride, &used);
	for (letter = strchr("BKMG", toupper(*unit)); letter && *letter > 'B'; letter--)
		n *= 1000;
	if (!memchr("NSM", *value, 3) || (parts != 2 && parts != 3 && parts != 5) ||
	    value[domain + used] || strcmp(unit + (*unit != 'B'), "B") || n < 64 ||
	    (parts > 2 && !threads) || !chunk || stride < chunk)
		return refuse(w, "%s " HAS_NONE, group->from);
	if (put(w, "size", keep(w, "%llu", n / 64 * 64), group->from, group->rank))
		return -EINVAL;
	group->rank = BESIDE;
	return put_cpus(w, group, value, domain, threads, chunk, stride, true);
}

/* The first of all CPUs, or of those to choose from. */
static int put_threads(struct words *w, struct word *threads)
{
	struct word *within = find_word(w, "within");
	unsigned long n = strtoul(threads->value, NULL, 10);
	const char *list = within ? within->value : keep(w, n > 1 ? "0-%lu" : "0", n - 1);

	if (threads->value[strspn(threads->value, "0123456789")] || !n || n > MC_MAX_CPUS)
		return refuse(w, "%s is no number of CPUs", threads->from);
	if (within)
		drop(w, within);
	return put_cpus(w, threads, list, strlen(list), n, 1, 1, false);
}

/* A program of one thread takes the first of the CPUs to choose from. */
static int put_within(struct words *w, struct word *within)
{
	const struct mc_request *req = parse(w);
	const char *list = within->value;

	return put_cpus(w, within, list, strlen(list), req && !req->all_cpus, 1, 1, false);
}

/* Harnesses name CPUs that are not there. */
static int put_at(struct words *w, struct word *at)
{
	unsigned long cpu = strtoul(at->value, NULL, 10);
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };
	char list[MC_LINE_MAX];

	if (mc_user_read_file("/sys/devices/system/cpu/online", list, sizeof(list)))
		mc_user_cpus(cpus, list, strlen(list));
	if (!at->value[strspn(at->value, "0123456789")] && cpu < MC_MAX_CPUS &&
	    (mc_cpu_usable(cpu) || cpus[cpu / 64] >> cpu % 64 & 1))
		return put(w, "node", keep(w, "%d", mc_cpu_node(cpu)), at->from, at->rank);
	mc_user_note("no CPU %s: memory is on the measuring CPU's node", at->value);
	return put(w, "node", "local", at->from, at->rank);
}

/* One more CPU, where CPUs are asked for. */
static int put_with(struct words *w, struct word *with)
{
	unsigned long cpu = strtoul(with->value, NULL, 10) % MC_MAX_CPUS;
	const struct mc_request *req = parse(w);

	if (!req || !mc_request_given(req, MC_KEY_CPU) || req->all_cpus ||
	    req->cpus[cpu / 64] >> cpu % 64 & 1)
		return 0;
	return put(w, "cpu+", with->value, with->from, ASKED);
}

/* The size that others count for each thread, or array, is one of all here. */
static int put_size(struct words *w, struct word *size)
{
	struct mc_request *req = parse(w);
	unsigned int n = 1, arrays = 0, id, k;
	struct mc_error e = { 0 };
	const struct word *suite = find_word(w, "suite");
	char *unit;
	double value = strtod(size->value, &unit);

	for (id = 0; req && !strcmp(size->key, "array") && id < req->nkeys; id++) {
		for (k = 0; !strcmp(mc_key_of(req->spec, id)->name, "op") && k < req->values[id].n;
		     k++) {
			n = mc_ops[min(req->values[id].v[k], MC_OP_SUM)].arrays;
			arrays = arrays && arrays != n ? ~0U : n;
		}
	}
	if (arrays == ~0U || (!find_word(w, "") && suite && strcmp(suite->value, "latency-matrix")))
		return refuse(w, "%s is the size of a thread; write the size of all: size=",
			      size->from);
	n = max(n, 1U);
	if (req && mc_test_of(req->spec)->shares && !req->any_cpu) {
		mc_engine_cpus(req, &e);
		n *= max(req->ncpus, 1U);
	}
	return put(w, "size", keep(w, "%.15g%s", n * value, unit), size->from, size->rank);
}

/* Put what only the whole call tells. Return: 0, or -EINVAL, which was said. */
static int finish(struct words *w)
{
	static const struct {
		const char *key;
		int (*put)(struct words *w, struct word *word);
	} others[] = {
		{ "group", put_group }, { "threads", put_threads }, { "within", put_within },
		{ "at", put_at }, { "with", put_with }, { "each", put_size },
		{ "array", put_size },
	};
	struct word *word, one;
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		while (!err && (word = find_word(w, others[i].key))) {
			one = *word;
			drop(w, word);
			err = others[i].put(w, &one);
		}
	}
	for (i = 0; w->program && !err && i < w->n; i++) {
		word = &w->word[i];
		if (word->value && !*word->value && (!find_spec(w) || find_key(w, word->key)))
			err = refuse(w, "%s " HAS_NONE " without %s=", word->from, word->key);
	}
	return err;
}

/* ------------------------------------------------------------ calls of other programs */

/* Explain an argument. Return: how many were taken. */
static int explain(struct words *w, char **args, unsigned int position, struct argument *out)
{
	const struct mc_foreign_word *row = find_row(w->program, *args);
	const char *format = strncmp(*args, "--", 2) ? "%s%s" : "%s=%s";
	bool option = **args == '-';

	*out = (struct argument){ *args, *args, row };
	if (option && args[1] && *args[1] != '-' &&
	    (!row || !strcmp(row->word, keep(w, "%s*", *args)))) {
		out->text = keep(w, format, args[0], args[1]);
		out->row = find_row(w->program, out->text);
		out->from = out->row ? keep(w, "%s %s", args[0], args[1]) : *args;
		return 1 + !!out->row;
	}
	if (!row && !option && !strchr(*args, '=')) {
		out->row = find_row(w->program, keep(w, "#%u", position));
		out->row = out->row ? out->row : find_row(w->program, "#+");
	}
	return 1;
}

/* Does a row name a test, or a suite? Such rows come first. */
static bool comes_first(const struct mc_foreign_word *row)
{
	return row && (!strncmp(row->ours, "suite=", 6) ||
		       strcspn(row->ours, " ") < strcspn(row->ours, "="));
}

/* Obey the variables that the program does, where the call has no others. */
static int put_environment(struct words *w)
{
	const struct mc_foreign_word *row;
	const char *value, *text;
	int err = 0;

	for (row = mc_foreign_words; row->of && !err; row++) {
		text = strstr(row->word, "=*");
		if (strcmp(row->of, w->program) || !text || !isupper(*row->word))
			continue;
		text = keep(w, "%.*s", (int)(text - row->word), row->word);
		value = getenv(text);
		text = keep(w, "%s=%s", text, value ? value : "");
		if (value && *value)
			err = apply(w, find_row(w->program, text), text, text, BESIDE);
	}
	return err;
}

/*
 * Say a call of another program in words of ours; its environment is behind it. Return: 0, or
 * -EINVAL, which was said.
 */
static int translate(struct words *w, char **args)
{
	struct argument found[MOST + 2], *arg, *other, *end = found + 1;
	const char *mode = NULL;
	unsigned int position = 0;
	enum rank rank;
	int first, err;

	while (*args) {
		position += **args != '-';
		args += explain(w, args, position, end);
		if (end->row && end->row->how == MC_NONE)
			return apply(w, end->row, end->text, end->from, ASKED);
		if (end->row || (*end->from != '-' && strchr(end->from, '='))) {
			end++;
		} else if (find_row(w->program, "")->how == MC_NONE && mc_user_program(end->from)) {
			w->program = mc_user_program(end->from);
			position = 0;
		} else {
			return refuse(w, MANUAL, end->from, w->program);
		}
	}
	*found = (struct argument){ w->program, "", find_row(w->program, "") };
	for (first = 1; first >= 0; first--) {
		/* A program that starts others measures nothing itself. */
		for (arg = found + (found->row->how == MC_NONE); arg < end; arg++) {
			if (comes_first(arg->row) != first)
				continue;
			rank = first && !strncmp(arg->from, "--", 2) ? BESIDE : ASKED;
			if (rank == BESIDE && mode)
				return refuse(w, TWO, mode, arg->from);
			mode = rank == BESIDE ? arg->from : mode;
			rank = arg == found ? PRESET : rank;
			err = arg->row ? apply(w, arg->row, arg->text, arg->from, rank) :
					 put_ours(w, arg->from, arg->from, rank);
			if (err)
				return err;
			w->asked |= !first && arg != found;
			if (!arg->row || arg == found || strstr(arg->row->ours, "+="))
				continue;
			/* The row of -tload, for -tload_avx. */
			arg->row = w->row;
			for (other = found + 1; other < arg; other++) {
				if (other->row == arg->row && strcmp(other->text, arg->text))
					return refuse(w, TWO, other->from, arg->from);
			}
		}
	}
	if (!find_word(w, "") && !find_word(w, "suite"))
		return refuse(w, "%s", found->row->note);
	err = put_environment(w);
	return err ? err : finish(w);
}

/* ------------------------------------------------------------------- a request of ours */

/* Begin with the word in the place of a test. Return: 0, or -EINVAL, which was said. */
static int begin(struct words *w, const char *word)
{
	static const struct mc_foreign_word loop = { "", "*", MC_EXACT, "bandwidth op=*" };
	const struct mc_foreign_word *row = find_row("", word);
	unsigned int i;

	if (put(w, "", word, word, PRESET) || find_spec(w) || strchr(word, '='))
		return 0;
	row = row ? row : find_row("mlc", keep(w, "--%s", word));
	for (i = 0; !row && i < MC_OP_SUM; i++)
		row = strcasecmp(mc_ops[i].name, word) ? NULL : &loop;
	if (!row)
		return 0;
	w->n = 0;
	return apply(w, row, word, word, BESIDE);
}

/* Put a line into words of ours. Return: 0, or -EINVAL, which was said. */
static int put_line(struct words *w, const char *line)
{
	char *rest = keep(w, "%s", line), *word, *args[2 * MOST + 2] = { NULL };
	unsigned int n = 0, env = 0, i;
	int err = 0;

	while ((word = strsep(&rest, " "))) {
		if (*word)
			args[min(n++, MOST)] = word;
	}
	/* Variables of the environment may precede a program; here they come last. */
	for (; args[env] && env < n && isupper(*args[env]) && strchr(args[env], '='); env++)
		args[min(n, MOST) + env] = args[env];
	w->program = env < n ? mc_user_program(args[env]) : NULL;
	if (n > MOST)
		return refuse(w, "more than %u words", MOST);
	if (w->program)
		return translate(w, args + env + (*args[env] != '-'));
	w->asked = n > 1;
	for (i = 0; i < n && !err; i++)
		err = i ? put_ours(w, args[i], args[i], ASKED) : begin(w, args[i]);
	return err ? err : finish(w);
}

/* A note that begins with key=value is one of a request that has it. */
static bool is_of(struct words *w, const char *note)
{
	char *value = keep(w, "%.*s", (int)strcspn(note, " "), note), *key = strsep(&value, "=");
	const struct word *word = value ? find_word(w, key) : NULL;

	return !value || (word && !strcmp(word->value, value));
}

/**
 * mc_user_usual() - say a request in words of ours
 * @line: the request, allocated; replaced if it has words of others, and this is said
 * @print: print it instead, for the front end: a line `suite NAME [key=value]...` stands for one of
 *	   its suites
 *
 * Return: 0, or -EINVAL and then a message was printed.
 */
int mc_user_usual(char **line, bool print)
{
	char made[2 * MC_LINE_MAX] = "", said[512] = "", *ours;
	struct mc_text t = MC_TEXT(made), notes = MC_TEXT(said);
	struct word *suite, *test;
	static struct words w;
	unsigned int i;

	w = (struct words){ .n = 0 };
	if (put_line(&w, *line))
		return -EINVAL;
	suite = find_word(&w, "suite");
	test = find_word(&w, "");
	if (test && suite && (!print || w.asked || suite->rank < test->rank)) {
		drop(&w, suite);
		suite = NULL;
	}
	if (suite)
		mc_textf(&t, "suite %s", suite->value);
	if (!suite || !test)
		show(&w, &t, ASKED);
	if (t.cut || w.used == sizeof(w.room) - 1)
		return refuse(&w, "the call is too long");
	for (i = 0; i < w.notes; i++) {
		if (is_of(&w, w.note[i]) && !strstr(said, w.note[i]))
			mc_textf(&notes, "%s%s", notes.len ? "; " : "", w.note[i]);
	}
	if (suite && !print) {
		mc_user_note("%s: the front end measures this: memcache run %s", *line,
			     suite->value);
		return -EINVAL;
	}
	if (print)
		printf("%s\n", made);
	else if (w.changed)
		mc_user_note("%s: this is %s", *line, made);
	if (*said)
		mc_user_note("%s: %s", *line, said);
	ours = w.changed ? strdup(made) : NULL;
	if (ours) {
		free(*line);
		*line = ours;
	}
	return w.changed && !ours ? -ENOMEM : 0;
}
