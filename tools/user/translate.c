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
#include "core/meant.h"
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
#define ENDS	4	/* rows of an argument */
#define MOST_SAMPLES	10000UL	/* a pass of theirs takes far less than a sample */
#define TWO	"%s and %s are two requests; make two calls"
#define HAS_NONE "has no counterpart here"
#define MANUAL	"%s " HAS_NONE "; \"Coming from other tools\" in the manual has the options of %s"

/* Which of two words of a key counts: a program's, one beside the first of a row, what is asked. */
enum rank { PRESET, BESIDE, ASKED };

/* A request in words. */
struct words {
	struct word {
		const char *text;	/* NULL in place of a test that only a suite measures */
		const char *from;	/* the argument that brought it, for messages */
		enum rank rank;
	} word[MOST + 1];		/* the test, then key=value */
	unsigned int n;			/* their number with the test */
	const char *suite;		/* of the front end, that measures the same, or NULL */
	const char *program;		/* whose call it is, or NULL */
	const char *within;		/* the CPUs that it may choose from, or NULL */
	bool asked;			/* a key was asked for */
	char note[512];			/* what differs from what the other program does */
	char room[8 * MC_LINE_MAX];	/* for texts */
	size_t used;
};

/* An argument, and a row that explains it. A word key=value of ours has none. */
struct argument {
	const char *word;
	const struct mc_foreign_word *row;
	const char *value;
};

/* Print why a call can't be one of ours. Its value is -EINVAL. */
#define refuse(what, format, ...)	\
	(mc_user_note("%s: " format, what, ##__VA_ARGS__), -EINVAL)

/* Say what is worth knowing of a request, and is no error. */
void mc_user_note(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "memcache-user: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
}

/* A text that stays as long as the request. One that is too long is cut, see put_line(). */
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
 * The row that is @word, or else the one with the longest of beginnings before `*`. Options differ
 * by their capitals, words of requests do not.
 */
static const struct mc_foreign_word *find_row(const char *of, const char *word)
{
	int (*differ)(const char *, const char *, size_t) = *of ? strncmp : strncasecmp;
	const struct mc_foreign_word *row, *found = NULL;
	size_t n, most = 0;

	for (row = mc_foreign_words; row->of; row++) {
		n = strcspn(row->word, "*");
		if (strcmp(row->of, of) || differ(row->word, word, n))
			continue;
		if (!row->word[n] && !word[n])
			return row;
		if (row->word[n] && n > most) {
			found = row;
			most = n;
		}
	}
	return found;
}

/*
 * The rows of an option or key=value: its own, and those of ends such as _avx, which the word loses
 * until it has a row, or @key takes the value. Return: how many; the first one may be NULL.
 */
static int find_rows(const char *of, char *word, const struct mc_key *key, struct argument *out)
{
	size_t at = *word == '-' ? min(strlen(word), 2UL) : strcspn(word, "=");
	const struct mc_name *name;
	char *end, text[64];
	int n = 1;

	at += word[at] == '=';
	for (;; *end = '\0') {
		for (name = key ? key->names : NULL; name && name->name; name++) {
			if (!mc_word_is(name->name, name->was, word + at, strlen(word + at)))
				continue;
			out->value = word + at;
			return n;
		}
		out->row = find_row(of, word);
		end = strrchr(word + at, '_');
		if (!end || end == word + at || n == ENDS ||
		    (out->row && !strchr(out->row->word, '*')))
			break;
		snprintf(text, sizeof(text), "%.*s%s", (int)at, word, end);
		out[n].row = find_row(of, text);
		if (!out[n].row || strchr(out[n].row->word, '*'))
			break;
		n++;
	}
	if (end == word + at)		/* an end of nothing */
		out->row = NULL;
	return n;
}

/* The end of a word that stands in the place of a row's `*`. */
static const char *value_in(const struct mc_foreign_word *row, const char *word)
{
	return word + min(strcspn(row->word, "*"), strlen(word));
}

/* Return: the program that one of this name stands for, as the table has it, or NULL. */
const char *mc_user_program(const char *name)
{
	const struct mc_foreign_word *row;
	const char *slash = strrchr(name, '/');

	for (row = mc_foreign_words; row->of; row++) {
		if (*row->of && !*row->word && !strcasecmp(row->of, slash ? slash + 1 : name))
			return mc_user_program(row->ours) ?: row->of;
	}
	return NULL;
}

/* Is this an option by which Intel MLC is told what to measure? */
bool is_mlc_mode_option(const char *option)
{
	return !strncmp(option, "--", 2) && find_row("mlc", option);
}

/* ------------------------------------------------------------- words of a request */

static const struct mc_spec *find_spec(const char *name)
{
	const struct mc_spec *const *spec;

	for (spec = mc_specs; name && *spec && strcasecmp((*spec)->name, name); spec++)
		;
	return name ? *spec : NULL;
}

static const struct mc_key *find_key(const struct mc_spec *spec, const char *word)
{
	const struct mc_key *key = NULL;
	unsigned int i;

	for (i = 0; spec && (key = mc_spec_key(spec, i)); i++) {
		if (mc_word_is(key->name, key->was, word, strcspn(word, "+=")))
			break;
	}
	return key;
}

/* The place of a key in the words, or that behind the last one. */
static unsigned int find_word(const struct words *w, const char *key)
{
	size_t len = strcspn(key, "+=");
	unsigned int i;

	for (i = 1; i < w->n && (strcspn(w->word[i].text, "=") != len ||
				 strncasecmp(w->word[i].text, key, len)); i++)
		;
	return i;
}

static void drop(struct words *w, unsigned int i)
{
	w->n--;
	memmove(w->word + i, w->word + i + 1, (w->n - i) * sizeof(*w->word));
}

/* Add a word, or one more value of `key+=value`. Return: 0, or -EINVAL, which was said. */
static int put(struct words *w, const char *word, const char *from, enum rank rank)
{
	size_t key = strcspn(word, "+="), value = strcspn(word, "=");
	unsigned int i = find_word(w, word);
	const struct word *old = w->word + i;
	bool more = i < w->n && key < value && rank == ASKED && old->rank == ASKED;
	const char *text = more ? keep(w, "%s,%s", old->text, word + value + 1) :
				  keep(w, "%.*s%s", (int)key, word, word + value);

	if (i < w->n && !more && rank <= old->rank) {
		if (rank < ASKED || (w->program && !strcmp(text, old->text)))
			return 0;
		if (w->program)
			return refuse(w->program, TWO, old->from, from);
		i = w->n;	/* the parser says that it is there twice */
	}
	if (i > MOST)
		return refuse(from, "more than %u words", MOST);
	w->n += i == w->n;
	w->word[i] = (struct word){ text, from, rank };
	return 0;
}

/* Set the test. An option replaces that of a mode. */
static void put_test(struct words *w, const char *test, enum rank rank)
{
	if (!w->word[0].text || rank >= w->word[0].rank)
		w->word[0] = (struct word){ test, NULL, rank };
}

/* --------------------------------------------------------------- values of a row */

/* Say the CPUs and the size of likwid's DOMAIN:SIZE[:THREADS[:CHUNK:STRIDE]]. Return: could it? */
static bool say_group(struct mc_text *t, const char *value)
{
	static const struct {
		const char *name;
		u64 bytes;
	} units[] = { { "B", 1 }, { "kB", 1000 }, { "KB", 1000 }, { "MB", 1000000 },
		      { "GB", 1000000000 }, { } };
	unsigned int threads = 0, chunk = 1, stride = 1, i;
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };
	size_t domain = strcspn(value, ":");
	int used = 0, parts = 1;
	unsigned long long n;
	char unit[3] = "";

	if (!memchr("NSM", *value, 3) || !mc_user_cpus(cpus, value, domain) ||
	    sscanf(value + domain, ":%10llu%2[kKMGB]%n", &n, unit, &used) != 2)
		return false;
	value += domain + used;
	used = 0;
	if (*value)
		parts = sscanf(value, ":%u%n:%u:%u%n", &threads, &used, &chunk, &stride, &used);
	for (i = 0; units[i].name && strcmp(units[i].name, unit); i++)
		;
	if ((parts != 1 && parts != 3) || value[used] || (used && !threads) || !chunk ||
	    stride < chunk || n * units[i].bytes < 64 ||
	    !mc_user_choose(cpus, threads, chunk, stride, true))
		return false;
	mc_textf(t, "size=%llu cpu=", n * units[i].bytes / 64 * 64);
	mc_text_list(t, cpus, MC_MAX_CPUS);
	return true;
}

/* Say a key that becomes others, see calls.def. Return: why that can't be, or NULL. */
static const char *become(struct words *w, struct mc_text *t, const char *word)
{
	const char *value = strchr(word, '=') + 1;
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };
	char list[MC_LINE_MAX], *end;
	unsigned long n = strtoul(value, &end, 10);
	bool whole = isdigit(*value) && !*end;

	if (!strncmp(word, "group=", 6))
		return say_group(t, value) ? NULL : HAS_NONE;
	if (!strncmp(word, "within=", 7)) {
		w->within = keep(w, "%s", value);
		return mc_user_cpus(cpus, value, strlen(value)) ? NULL : "names no CPUs";
	}
	if (!strncmp(word, "count=", 6)) {
		if (!whole || !n || n > MC_MAX_CPUS)
			return "is no number of CPUs";
		snprintf(list, sizeof(list), n > 1 ? "0-%lu" : "0", n - 1);
		value = w->within ? w->within : list;
		w->within = NULL;
		mc_user_cpus(cpus, value, strlen(value));
		if (!mc_user_choose(cpus, n, 1, 1, false))
			return "is more than these CPUs";
		mc_textf(t, "cpu=");
		mc_text_list(t, cpus, MC_MAX_CPUS);
		return NULL;
	}
	if (!strncmp(word, "passes=", 7)) {
		mc_textf(t, "repeat=%lu", min(n, MOST_SAMPLES));
		return whole ? NULL : HAS_NONE;
	}
	if (strncmp(word, "at=", 3)) {
		mc_textf(t, "%s", word);
		return NULL;
	}
	if (mc_user_read_file("/sys/devices/system/cpu/online", list, sizeof(list)))
		mc_user_cpus(cpus, list, strlen(list));
	if (whole && n < MC_MAX_CPUS && (mc_cpu_usable(n) || cpus[n / 64] >> n % 64 & 1)) {
		mc_textf(t, "node=%d", mc_cpu_node(n));
	} else {
		mc_textf(t, "node=local");
		mc_user_note("no CPU %s: memory is on the measuring CPU's node", value);
	}
	return NULL;
}

/* Say a word of the table, with a value. Return: the words, or NULL and why that can't be. */
static char *fill(struct words *w, const char *word, const char *value, const char **why)
{
	char text[MC_LINE_MAX] = "", said[2 * MC_LINE_MAX] = "";
	struct mc_text t = MC_TEXT(text), others = MC_TEXT(said);
	size_t n = strlen(value), digits = strspn(value, "0123456789");
	const char *units;

	*why = HAS_NONE;
	for (; *word; word++) {
		if (*word != '*' && *word != '#') {
			mc_textf(&t, "%c", *word);
			continue;
		}
		if (*word == '#') {
			units = word[1] == '[' ? word + 2 : "";
			word += *units ? 2 + strcspn(units, "]") : 0;
			*why = "is no whole number, or has a unit that it does not know";
			if (!digits || n > digits + 1 ||
			    (n > digits && !memchr(units, value[digits], strcspn(units, "]"))))
				return NULL;
		}
		mc_textf(&t, "%s", value);
		/* The unit of the other program counts if the value has none. */
		word += word[1] && memchr("KMG", word[1], 3) && n && !isdigit(value[n - 1]);
	}
	*why = strchr(text, '=') ? become(w, &others, text) : NULL;
	return *why ? NULL : keep(w, "%s", said);
}

/* Add the words of a row of the table. Return: 0, or -EINVAL, which was said. */
static int apply(struct words *w, const struct argument *arg, enum rank rank)
{
	char *rest = keep(w, "%s", arg->row->ours), *word, *bar, *said, *one;
	const struct mc_foreign_word *row = arg->row;
	const char *why;
	size_t n;

	while ((word = strsep(&rest, " "))) {
		if (!strncmp(word, "suite=", 6)) {
			w->suite = word + 6;
			continue;
		}
		if (*word && !strchr(word, '=')) {
			put_test(w, word, rank);
			rank = min(rank, BESIDE);
			continue;
		}
		for (; (bar = strchr(word, '|')); word = bar + 1) {
			*bar = '\0';
			if (find_key(find_spec(w->word[0].text), word))
				break;
		}
		if (!*word)
			continue;
		said = fill(w, word, arg->value, &why);
		if (!said)
			return refuse(w->program ? w->program : arg->word, "%s %s", arg->word, why);
		while ((one = strsep(&said, " "))) {
			if (*one && put(w, one, arg->word, rank))
				return -EINVAL;
			rank = min(rank, BESIDE);
		}
	}
	n = strlen(w->note);
	if (row->how == MC_SAME && !strstr(w->note, row->note))
		snprintf(w->note + n, sizeof(w->note) - n, n ? "; %s" : "%s", row->note);
	return 0;
}

/* --------------------------------------------------------------- the whole request */

/* Parse the words, less sizes that are not of ours. NULL: they are wrong, which the parser says. */
static struct mc_request *parse(const struct words *w)
{
	static struct mc_request req;
	char line[2 * MC_LINE_MAX] = "";
	struct mc_text t = MC_TEXT(line);
	struct mc_error e = { 0 };
	unsigned int i;

	for (i = 0; i < w->n && w->word[0].text; i++) {
		const char *value = strchr(w->word[i].text, '=');

		if (!value || (value[1] && strncmp(w->word[i].text, "each=", 5) &&
			       strncmp(w->word[i].text, "array=", 6)))
			mc_textf(&t, i ? " %s" : "%s", w->word[i].text);
	}
	return mc_request_parse(&req, line, t.len, mc_specs, &e) ? NULL : &req;
}

/*
 * The size that others count for each thread, or array, is one of all here. @req: the other words,
 * or NULL. Return: 0, or -EINVAL, which was said.
 */
static int finish_size(struct words *w, struct word *size, struct mc_request *req)
{
	unsigned int n = 1, arrays = 0, id, k;
	struct mc_error e = { 0 };
	const char *unit, *text;
	double value = strtod(strchr(size->text, '=') + 1, (char **)&unit);

	for (id = 0; req && *size->text == 'a' && id < req->nkeys; id++) {
		for (k = 0; !strcmp(mc_key_of(req->spec, id)->name, "op") && k < req->values[id].n;
		     k++) {
			n = mc_ops[min(req->values[id].v[k], MC_OP_SUM)].arrays;
			arrays = arrays && arrays != n ? ~0U : n;
		}
	}
	if (arrays == ~0U || (!w->word[0].text && strcmp(w->suite, "latency-matrix")))
		return refuse(w->program, "%s is the size of a thread; write that of all: size=",
			      size->from);
	n = max(arrays, 1U);
	if (req && mc_test_of(req->spec)->shares && !req->any_cpu) {
		mc_engine_cpus(req, &e);
		n *= max(req->ncpus, 1U);
	}
	text = keep(w, "size=%.15g%s", n * value, unit);
	id = find_word(w, "size");
	size->text = text;
	if (id < w->n)
		drop(w, id);
	return 0;
}

/* What only the whole call tells. Return: 0, or -EINVAL, which was said. */
static int finish(struct words *w)
{
	const struct mc_spec *spec = find_spec(w->word[0].text);
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };
	char list[MC_LINE_MAX] = "";
	struct mc_text t = MC_TEXT(list);
	struct mc_request *req;
	unsigned long cpu;
	unsigned int i;
	int err = 0;

	for (i = w->n - 1; i; i--) {
		if (w->word[i].rank < ASKED && spec && !find_key(spec, w->word[i].text) &&
		    strncmp(w->word[i].text, "array=", 6))
			drop(w, i);
	}
	req = parse(w);
	if (w->within && (req || !spec)) {
		/* A program of one thread takes one of them. */
		mc_user_cpus(cpus, w->within, strlen(w->within));
		if (spec && !req->all_cpus)
			mc_user_choose(cpus, 1, 1, 1, false);
		mc_textf(&t, "cpu=");
		mc_text_list(&t, cpus, MC_MAX_CPUS);
		err = put(w, keep(w, "%s", list), keep(w, "CPUs %s", w->within), ASKED);
	}
	/* The CPU that follows pointers is one of cpu=. */
	i = find_word(w, "latency_cpu");
	if (req && i < w->n && mc_request_given(req, MC_KEY_CPU) && !req->all_cpus && !err) {
		cpu = strtoul(strchr(w->word[i].text, '=') + 1, NULL, 10) % MC_MAX_CPUS;
		if (!(req->cpus[cpu / 64] >> cpu % 64 & 1))
			err = put(w, keep(w, "cpu+=%lu", cpu), "", ASKED);
	}
	i = find_word(w, "each");
	i = i < w->n ? i : find_word(w, "array");
	if (i < w->n && !err)
		err = finish_size(w, w->word + i, parse(w));
	for (i = 1; i < w->n && !err; i++) {
		if (!w->word[i].text[strcspn(w->word[i].text, "=") + 1])
			err = refuse(w->program, "%s " HAS_NONE " without %s", w->word[i].from,
				     w->word[i].text);
	}
	return err;
}

/* -------------------------------------------------------- their words in our requests */

/*
 * Say the values of a key that takes words. Return: 0; -ENOENT if there is one that neither the key
 * takes nor the table has; -EINVAL, which was said.
 */
static int usual_values(struct words *w, const struct mc_key *key, const char *list,
			struct mc_text *t, const char *from)
{
	char *rest = keep(w, "%s", list), *value;
	const char *comma = "", *known;
	int i, n, err = 0;

	while ((value = strsep(&rest, ","))) {
		struct argument found[ENDS] = { 0 };

		n = find_rows("", keep(w, "%s=%s", key->name, value), key, found);
		if (found->row && found->row->how == MC_NONE)
			return refuse(found->row->word, "%s", found->row->note);
		known = found->row ? strchr(found->row->ours, '=') + 1 : found->value;
		err = known ? err : -ENOENT;
		mc_textf(t, "%s%s", comma, known ? known : value);
		comma = ",";
		for (i = 1; i < n && known; i++) {
			found[i] = (struct argument){ from, found[i].row, "" };
			if (apply(w, &found[i], ASKED))
				return -EINVAL;
		}
	}
	return err;
}

/*
 * Say a word key=value of a request in words of ours: one, and more if it stands for more. What the
 * user has written counts, and may be there twice, which the parser says.
 */
static int put_usual(struct words *w, const char *word, const char *from)
{
	const struct mc_spec *spec = strchr(word, '=') ? find_spec(w->word[0].text) : NULL;
	const struct mc_foreign_word *row = spec ? find_row("", word) : NULL;
	const struct mc_key *key = find_key(spec, word);
	char text[MC_LINE_MAX + 1] = "", *theirs;
	struct mc_text t = MC_TEXT(text);
	const char *why;
	int err = 0;

	w->asked = true;
	if (key && key->kind == MC_CHOICE) {
		mc_textf(&t, "%s=", key->name);
		err = usual_values(w, key, strchr(word, '=') + 1, &t, from);
	} else if (key) {
		mc_textf(&t, "%s%s", key->name, strchr(word, '='));
	}
	if (err == -EINVAL)
		return err;
	/* Another key may have the name of a value's key. */
	theirs = (!key || err) && row && strchr(row->word, '*') ?
		 fill(w, row->ours, value_in(row, word), &why) : NULL;
	return theirs ? put_usual(w, theirs, from) :
			put(w, key ? keep(w, "%s", text) : word, from, ASKED);
}

/* Begin with the word in the place of a test. */
static int begin(struct words *w, const char *word)
{
	static const struct mc_foreign_word loop = { .ours = "bandwidth op=*" };
	const struct mc_spec *spec = find_spec(word);
	struct argument arg = { word, find_row("", word), word };
	char *mode = keep(w, "--%s", word), *at;
	unsigned int i;

	for (at = mode; *at; at++)
		*at = tolower(*at);
	if (!arg.row)
		arg.row = find_row("mlc", mode);
	for (i = 0; !arg.row && i < MC_OP_SUM; i++) {
		if (!strcasecmp(mc_ops[i].name, word))
			arg = (struct argument){ word, &loop, mc_ops[i].name };
	}
	if (!arg.row || spec) {
		put_test(w, spec ? spec->name : word, PRESET);
		return 0;
	}
	return arg.row->how == MC_NONE ? refuse(word, "%s", arg.row->note) : apply(w, &arg, BESIDE);
}

/* ------------------------------------------------------------ calls of other programs */

/*
 * Find the rows of an argument, whose value may be the next one. Return: how many rows, 0: none;
 * *took arguments were taken.
 */
static int explain(struct words *w, char **args, unsigned int position, struct argument *out,
		   int *took)
{
	const char *whole = *args;
	bool option = *whole == '-';
	int i, n;

	*took = 1;
	out->word = whole;
	n = find_rows(w->program, keep(w, "%s", whole), NULL, out);
	if (option && args[1] && *args[1] != '-' &&
	    (!out->row || (strchr(out->row->word, '*') && !*value_in(out->row, whole)))) {
		whole = keep(w, whole[1] == '-' ? "%s=%s" : "%s%s", args[0], args[1]);
		n = find_rows(w->program, keep(w, "%s", whole), NULL, out);
		if (out->row) {
			out->word = keep(w, "%s %s", args[0], args[1]);
			*took = 2;
		}
	}
	if (!out->row && !option && !strchr(whole, '=')) {
		out->row = find_row(w->program, keep(w, "#%u", position));
		out->row = out->row ? out->row : find_row(w->program, "#+");
	}
	for (i = 0; i < n && out->row; i++) {
		out[i].word = out->word;
		out[i].value = *out[i].row->word == '#' ? whole : value_in(out[i].row, whole);
	}
	return out->row ? n : 0;
}

/* CPUs to choose from come first, then what names a test, or only a suite. */
static int turn_of(const struct argument *arg)
{
	const char *ours = arg->row ? arg->row->ours : "";

	if (!strncmp(ours, "within=", 7))
		return 0;
	return strncmp(ours, "suite=", 6) && strcspn(ours, " ") >= strcspn(ours, "=") ? 2 : 1;
}

/*
 * Say a call of another program in words of ours; its environment is behind it. Return: 0, or
 * -EINVAL, which was said.
 */
static int translate(struct words *w, char **args)
{
	struct argument found[MOST * ENDS] = { 0 }, whole = { w->program, NULL, "" };
	struct argument *arg, *end = found;
	const char *mode = NULL;
	unsigned int position = 0;
	int turn, took, n;

	for (; *args; args += took) {
		position += **args != '-';
		n = explain(w, args, position, end, &took);
		if (!n && find_row(w->program, "")->how == MC_NONE && mc_user_program(*args)) {
			w->program = mc_user_program(*args);
			position = 0;
			continue;
		}
		if (!n && (**args == '-' || !strchr(*args, '=')))
			return refuse(w->program, MANUAL, *args, w->program);
		if (n && took == 1 && strchr(end->row->word, '*') && strlen(*args) < 3)
			return refuse(w->program, "%s needs a value", *args);
		if (n && end->row->how == MC_NONE)
			return refuse(w->program, "%s: %s", end->word, end->row->note);
		/* Of an option that is there twice, the keys behind the first would be lost. */
		for (arg = found; n && arg < end; arg++) {
			if (arg->row == end->row && !strstr(arg->row->ours, "+=") &&
			    strcmp(arg->value, end->value))
				return refuse(w->program, TWO, arg->word, end->word);
		}
		end += max(n, 1);
	}
	whole.row = find_row(w->program, "");
	whole.word = w->program;
	if (whole.row->how != MC_NONE && apply(w, &whole, PRESET))
		return -EINVAL;
	for (turn = 0; turn < 3; turn++) {
		for (arg = found; arg < end; arg++) {
			bool is_mode = turn == 1 && !strncmp(arg->word, "--", 2);

			if (turn_of(arg) != turn)
				continue;
			if (is_mode && mode)
				return refuse(w->program, TWO, mode, arg->word);
			if (is_mode) {
				mode = arg->word;
				*w->note = '\0';	/* of all that it measures alone */
			}
			if (arg->row ? apply(w, arg, is_mode ? BESIDE : ASKED) :
				       put_usual(w, arg->word, arg->word))
				return -EINVAL;
			w->asked |= turn != 1;
		}
	}
	return w->word[0].text || w->suite ? finish(w) : refuse(w->program, "%s", whole.row->note);
}

/* Put a line into words of ours. Return: 0; -EINVAL, which was said; -E2BIG. */
static int put_line(struct words *w, const char *line)
{
	char *rest = keep(w, "%s", line), *word, *all[2 * MOST + 2] = { NULL }, **args = all;
	unsigned int n = 0, i, env = 0;
	int err = 0;

	if (strlen(line) > MC_LINE_MAX)		/* the parser says so */
		return -E2BIG;
	while ((word = strsep(&rest, " "))) {
		if (*word && n <= MOST)
			args[n] = word;
		n += !!*word;
	}
	/* Variables of the environment may precede a program; here they come last. */
	while (env < min(n, MOST) && isupper(*args[env]) && strchr(args[env], '='))
		env++;
	if (env < min(n, MOST))
		w->program = is_mlc_mode_option(args[env]) ? "mlc" : mc_user_program(args[env]);
	if (n > MOST)
		return w->program ? refuse(w->program, "more than %u words", MOST) : -E2BIG;
	if (w->program) {
		for (i = 0; i < env; i++)
			args[n + i] = args[i];
		args += env + !is_mlc_mode_option(args[env]);
		err = translate(w, args);
		if (!err && w->used == sizeof(w->room) - 1)
			err = refuse(w->program, "the call is too long");
		return err;
	}
	for (i = 0; i < n && !err; i++)
		err = i ? put_usual(w, args[i], args[i]) : begin(w, args[i]);
	return err;
}

/* Say a line in words of ours. Return: the request, and *err as of put_line(). */
static const char *say(struct words *w, const char *line, int *err)
{
	static char made[4 * MC_LINE_MAX];
	struct mc_text t = MC_TEXT(made);
	unsigned int i;

	*made = '\0';
	*err = put_line(w, line);
	for (i = 0; i < w->n; i++)
		mc_textf(&t, i ? " %s" : "%s", w->word[i].text ? w->word[i].text : "");
	return made;
}

/* Are these the same words? Lines may have any number of spaces. */
static bool are_alike(const char *a, const char *b)
{
	size_t n;

	do {
		a += strspn(a, " ");
		b += strspn(b, " ");
		n = strcspn(a, " ");
		if (n != strcspn(b, " ") || strncmp(a, b, n))
			return false;
		a += n;
		b += n;
	} while (n);
	return true;
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
	int err;
	const char *made = say(&w, *line, &err);
	char *ours;

	if (!err && w.suite && (!*made || *made == ' '))
		err = refuse(*line, "the front end measures this: memcache run %s", w.suite);
	if (err || are_alike(made, *line))
		return err == -EINVAL ? err : 0;
	mc_user_note("%s: this is %s", *line, made);
	if (*w.note)
		mc_user_note("%s: %s", *line, w.note);
	ours = strdup(made);
	if (!ours)
		return -ENOMEM;
	free(*line);
	*line = ours;
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
	int err;
	const char *made = say(&w, line, &err);
	bool alone = !*made || *made == ' ';	/* its keys are those of the suite */

	if (err == -EINVAL)
		return err;
	if (!err && w.suite && (!w.asked || alone))
		printf("suite %s%s\n", w.suite, alone ? made : "");
	else
		printf("%s\n", err ? line : made);
	if (*w.note)
		mc_user_note("%s: %s", line, w.note);
	return 0;
}
