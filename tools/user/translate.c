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
#include <unistd.h>

#include "arch/loops.h"
#include "core/meant.h"
#include "elsewhere.h"
#include "measure/engine.h"
#include "platform/cpus.h"
#include "user.h"

#define MOST	64	/* words of a request, and of a call */
#define SAMPLES	10000UL	/* at most; a pass of theirs takes far less than a sample */
#define ENDS	4	/* rows of an argument */
#define TWO	"%s and %s are two requests; make two calls"
#define HAS_NONE "has no counterpart here"
#define MANUAL	"%s " HAS_NONE "; \"Coming from other tools\" in the manual has the options of %s"

/* Which of two words of a key counts: a program's, one beside the first of a row, what is asked. */
enum rank { PRESET, BESIDE, ASKED };

/**
 * struct words - a request in words
 * @word: the test, whose text is NULL if only a suite measures this; then key=value, each with the
 *        argument that brought it, for messages
 * @n: their number with the test
 * @suite: the suite of the front end that measures the same, up to a blank, or NULL
 * @program: the program whose call it is, or NULL
 * @asked: a key was asked for
 * @same: the line has these words
 * @copy: the line, of whose parts some are pointed to
 * @note: what differs from what the other program does
 */
struct words {
	struct word {
		char *text;
		const char *from;
		enum rank rank;
	} word[MOST + 1];
	unsigned int n;
	const char *suite;
	const char *program;
	bool asked;
	bool same;
	char *copy;
	char note[512];
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

/* What stands in the place of the `*` of a row. */
static const char *value_in(const struct mc_foreign_word *row, const char *word)
{
	word += min(strcspn(row->word, "*"), strlen(word));
	return word + (*word == ' ');
}

/*
 * The rows of an option or key=value: its own, and those of ends such as _avx, which the word loses
 * until it has a row, or @key takes the value. Return: how many; the first one may be NULL.
 */
static int find_rows(const char *of, char *word, const struct mc_key *key, struct argument *out)
{
	size_t at = *word == '-' ? 2 : strcspn(word, "=") + 1, len = strlen(word), end;
	const struct mc_foreign_word *row;
	const struct mc_name *name;
	int n = 1;

	for (;; len -= end, word[len] = '\0') {
		for (name = key ? key->names : NULL; name && name->name; name++) {
			if (!mc_word_is(name->name, name->was, word + at, len - at))
				continue;
			out->value = word + at;
			return n;
		}
		out->row = find_row(of, word);
		if (len <= at || n == ENDS || (out->row && !strchr(out->row->word, '*')))
			break;
		for (row = mc_foreign_words; row->of; row++) {
			end = strlen(row->word) - min(strlen(row->word), at);
			if (!strcmp(row->of, of) && end && row->word[at] == '_' &&
			    !strncasecmp(row->word, word, at) && end < len - at &&
			    !strcasecmp(row->word + at, word + len - end))
				break;
		}
		if (!row->of)
			break;
		out[n++].row = row;
	}
	if (len > at && word[at] == '_')	/* an end of nothing */
		out->row = NULL;
	return n;
}

/* Return: the program of this name as the table has it, or NULL. */
const char *mc_user_program(const char *name)
{
	const struct mc_foreign_word *row;
	const char *slash = strrchr(name, '/');

	for (row = mc_foreign_words; row->of; row++) {
		if (*row->of && !*row->word && !strcasecmp(row->of, slash ? slash + 1 : name))
			return row->of;
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
	free(w->word[i].text);
	w->n--;
	memmove(w->word + i, w->word + i + 1, (w->n - i) * sizeof(*w->word));
}

/* Add a word, or one more value of `key+=value`. Return: 0, or a negative errno. */
static int put(struct words *w, const char *word, const char *from, enum rank rank)
{
	size_t key = strcspn(word, "+="), value = strcspn(word, "=");
	unsigned int i = find_word(w, word);
	struct word *old = w->word + i;
	bool more = i < w->n && key < value && rank == ASKED && old->rank == ASKED;
	char *made;

	if ((more ? asprintf(&made, "%s,%s", old->text, word + value + 1) :
		    asprintf(&made, "%.*s%s", (int)key, word, word + value)) < 0)
		return -ENOMEM;
	if (i < w->n && !more && rank <= old->rank) {
		bool same = !strcmp(made, old->text);

		if (w->program || rank < ASKED) {
			free(made);
			return same || rank < ASKED ? 0 : refuse(w->program, TWO, old->from, from);
		}
		i = w->n;	/* the parser says that it is there twice */
	}
	if (i > MOST) {
		free(made);
		return w->program ? refuse(w->program, "more than %u words", MOST) : -E2BIG;
	}
	if (i < w->n)
		free(w->word[i].text);
	w->n += i == w->n;
	w->word[i] = (struct word){ made, from, rank };
	return 0;
}

/* Set the test. An option replaces that of a mode. */
static void put_test(struct words *w, const char *test, size_t len, enum rank rank)
{
	if (w->word[0].text && rank < w->word[0].rank)
		return;
	free(w->word[0].text);
	w->word[0] = (struct word){ strndup(test, len), NULL, rank };
}

/* --------------------------------------------------------------- values of a row */

/*
 * Append the CPUs of likwid's DOMAIN:SIZE[:THREADS[:CHUNK:STRIDE]], taken core by core. Return: 0,
 * or -EINVAL.
 */
static int take_domain(struct mc_text *t, const char *value)
{
	unsigned int of = 0, threads = 0, chunk = 1, stride = 1, cpu, core, i, n = 0, taken = 0;
	static unsigned int list[MC_MAX_CPUS];
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };
	int used = 0, parts = 1, number;
	char kind = *value;

	if (kind != 'N' && (!memchr("SM", kind, 2) || sscanf(value + 1, "%u%n", &of, &used) != 1))
		return -EINVAL;
	value += 1 + used;
	if (*value != ':')
		return -EINVAL;
	value += 1 + strcspn(value + 1, ":");
	used = 0;
	if (*value)
		parts = sscanf(value, ":%u%n:%u:%u%n", &threads, &used, &chunk, &stride, &used);
	if ((parts != 1 && parts != 3) || value[used] || !chunk || stride < chunk)
		return -EINVAL;
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (!mc_cpu_usable(cpu))
			continue;
		number = kind == 'S' ? mc_cpu_socket(cpu) : mc_cpu_node(cpu);
		if (kind == 'N' || max(number, 0) == (int)of)
			list[n++] = cpu;
	}
	threads = *value ? threads : n;
	number = 0;
	for (core = 0; core < MC_MAX_CPUS; core++) {
		for (i = 0; i < n; i++) {
			cpu = list[i];
			if (mc_cpu_core(cpu) != core || number++ % stride >= chunk ||
			    taken == threads)
				continue;
			cpus[cpu / 64] |= 1ULL << cpu % 64;
			taken++;
		}
	}
	mc_text_list(t, cpus, MC_MAX_CPUS);
	return taken && taken == threads ? 0 : -EINVAL;
}

/* Append a key that becomes another, see calls.def. Return: 0, or -EINVAL. */
static int become(struct mc_text *t, const char *word)
{
	static const char units[] = "kMG";
	const char *value = strchr(word, '=') + 1, *u;
	unsigned long passes;
	char path[64], *unit;
	double bytes;

	if (!strncmp(word, "domain=", 7)) {
		mc_textf(t, "cpu=");
		return take_domain(t, value);
	}
	if (!strncmp(word, "passes=", 7)) {
		passes = strtoul(value, &unit, 10);
		mc_textf(t, "repeat=%lu", min(passes, SAMPLES));
		return unit == value || *unit ? -EINVAL : 0;
	}
	if (!strncmp(word, "decimal=", 8)) {
		bytes = strtod(value, &unit);
		u = *unit ? strchr(units, *unit == 'K' ? 'k' : *unit) : NULL;
		for (; u && u >= units; u--)
			bytes *= 1000;
		mc_textf(t, "size=%llu", (unsigned long long)bytes / 64 * 64);
		return unit == value || bytes < 64 ? -EINVAL : 0;
	}
	if (strncmp(word, "at=", 3)) {
		mc_textf(t, "%s", word);
		return 0;
	}
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%s", value);
	if (isdigit(*value) && !access(path, F_OK)) {
		mc_textf(t, "node=%d", mc_cpu_node(strtoul(value, NULL, 10)));
	} else {
		mc_textf(t, "node=local");
		mc_user_note("no CPU %s: memory is on the measuring CPU's node", value);
	}
	return 0;
}

/* Put a value into a word of the table. Return: 0, or -EINVAL if it is not one. */
static int fill(struct mc_text *t, const char *word, size_t len, const char *value)
{
	unsigned int n;
	size_t i;
	char end;

	for (i = 0; i < len; i++) {
		const char *part = value;

		if (!memchr("*@%", word[i], 3)) {
			mc_textf(t, "%c", word[i]);
			continue;
		}
		if (word[i] == '%') {
			if (sscanf(value, "%u%c", &n, &end) != 1 || n < 1 || n > MC_MAX_CPUS)
				return -EINVAL;
			mc_textf(t, n == 1 ? "0" : "0-%u", n - 1);
			continue;
		}
		for (n = word[i] == '@' ? word[++i] - '1' : 0; n && part; n--) {
			part = strchr(part, ':');
			part += !!part;
		}
		if (!part)
			return -EINVAL;
		n = word[i] == '*' ? strlen(part) : strcspn(part, ":");
		mc_textf(t, "%.*s", n, part);
		/* The unit of the other program counts if the value has none. */
		i += i + 1 < len && memchr("KMG", word[i + 1], 3) && n && !isdigit(part[n - 1]);
	}
	return 0;
}

/* Add the words of a row of the table. Return: 0, or -EINVAL, which was said. */
static int apply(struct words *w, const struct argument *arg, enum rank rank)
{
	const struct mc_foreign_word *row = arg->row;
	const char *at, *word, *bar;
	size_t n;

	for (at = row->ours; *at; at += strspn(at, " ")) {
		char filled[1024] = "", text[1024] = "";
		struct mc_text f = MC_TEXT(filled), t = MC_TEXT(text);

		word = at;
		n = strcspn(at, " ");
		at += n;
		if (!strncmp(word, "suite=", 6)) {
			w->suite = word + 6;
			continue;
		}
		if (!memchr(word, '=', n)) {
			put_test(w, word, n, rank);
			rank = min(rank, BESIDE);
			continue;
		}
		for (; (bar = memchr(word, '|', n)); word = bar + 1) {
			n -= bar + 1 - word;
			if (find_key(find_spec(w->word[0].text), word)) {
				n = bar - word;
				break;
			}
		}
		if (!n)
			continue;
		if (fill(&f, word, n, arg->value) || become(&t, filled))
			return refuse(w->program ? w->program : arg->word, "%s %s", arg->word,
				      memchr(word, '%', n) ? "is no number of CPUs" : HAS_NONE);
		if (put(w, text, arg->word, rank))
			return -EINVAL;
		rank = min(rank, BESIDE);
	}
	n = strlen(w->note);
	if (row->how == MC_SAME && strncmp(row->ours, "suite=", 6) && !strstr(w->note, row->note))
		snprintf(w->note + n, sizeof(w->note) - n, n ? "; %s" : "%s", row->note);
	return 0;
}

/* --------------------------------------------------------------- the whole request */

/*
 * The size that others count for each thread, or array, is one of all here. @req: the other words;
 * NULL: they are wrong, which the parser says. Return: 0, or -EINVAL, which was said.
 */
static int finish_size(struct words *w, unsigned int i, struct mc_request *req)
{
	bool array = !strncmp(w->word[i].text, "array=", 6);
	unsigned int n = 1, arrays = 0, id, k;
	struct mc_error e = { 0 };
	const char *size;
	double value;
	char *text;

	for (id = 0; req && array && id < req->nkeys; id++) {
		if (strcmp(mc_key_of(req->spec, id)->name, "op"))
			continue;
		for (k = 0; k < req->values[id].n; k++) {
			n = mc_ops[min(req->values[id].v[k], MC_OP_SUM)].arrays;
			arrays = arrays && arrays != n ? ~0U : n;
		}
		n = arrays ? arrays : 1;
	}
	if (n == ~0U || (!w->word[0].text && strncmp(w->suite, "latency-matrix", 14)))
		return refuse(w->program, "%s is the size of a thread; write that of all: size=",
			      w->word[i].from);
	if (req && mc_test_of(req->spec)->shares && !req->any_cpu) {
		mc_engine_cpus(req, &e);
		n *= max(req->ncpus, 1U);
	}
	value = strtod(strchr(w->word[i].text, '=') + 1, (char **)&size);
	if (asprintf(&text, "size=%.15g%s", n * value, size) < 0)
		return -ENOMEM;
	id = find_word(w, "size=");
	if (id < w->n)
		drop(w, id);
	i -= id < i;
	free(w->word[i].text);
	w->word[i].text = text;
	return 0;
}

/* What only the whole call tells. Return: 0, or -EINVAL, which was said. */
static int finish(struct words *w)
{
	static struct mc_request request;
	const struct mc_spec *spec = find_spec(w->word[0].text);
	struct mc_request *req = &request;
	struct mc_error e = { 0 };
	char line[2 * MC_LINE_MAX] = "", more[64];
	struct mc_text t = MC_TEXT(line);
	unsigned int i, size = 0;
	unsigned long cpu;

	mc_textf(&t, "%s", spec ? spec->name : "");
	for (i = 1; i < w->n; i++) {
		const char *word = w->word[i].text;

		if (!word[strcspn(word, "=") + 1])
			return refuse(w->program, "%s " HAS_NONE ": accesses of 4 bytes",
				      w->word[i].from);
		if (!strncmp(word, "each=", 5) || !strncmp(word, "array=", 6))
			size = i;
		else if (w->word[i].rank < ASKED && spec && !find_key(spec, word))
			drop(w, i--);
		else
			mc_textf(&t, " %s", word);
	}
	if (mc_request_parse(req, line, t.len, mc_specs, &e))
		req = NULL;
	/* The CPU that follows pointers is one of cpu=. */
	i = find_word(w, "latency_cpu");
	if (req && i < w->n && mc_request_given(req, MC_KEY_CPU) && !req->all_cpus) {
		cpu = strtoul(w->word[i].text + strlen("latency_cpu="), NULL, 10) % MC_MAX_CPUS;
		snprintf(more, sizeof(more), "cpu+=%lu", cpu);
		if (!(req->cpus[cpu / 64] >> cpu % 64 & 1)) {
			req->ncpus++;
			if (put(w, more, "", ASKED))
				return -EINVAL;
		}
	}
	return size ? finish_size(w, size, req) : 0;
}

/* -------------------------------------------------------- their words in our requests */

/*
 * Say the values of a key that takes words. Return: 0; -ENOENT if there is one that neither the key
 * takes nor the table has; -EINVAL, which was said.
 */
static int usual_values(struct words *w, const struct mc_key *key, const char *list,
			struct mc_text *t, const char *from)
{
	char values[MC_LINE_MAX + 1], one[MC_LINE_MAX + 1], *rest = values, *value;
	const char *comma = "", *known;
	int i, n, err = 0;

	snprintf(values, sizeof(values), "%s", list);
	while ((value = strsep(&rest, ","))) {
		struct argument found[ENDS] = { 0 };

		snprintf(one, sizeof(one), "%s=%s", key->name, value);
		n = find_rows("", one, key, found);
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
	char text[MC_LINE_MAX + 1] = "", theirs[MC_LINE_MAX + 1] = "";
	struct mc_text t = MC_TEXT(text), their = MC_TEXT(theirs);
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
	if ((!key || err) && row && strchr(row->word, '*') &&
	    !fill(&their, row->ours, strlen(row->ours), value_in(row, word)))
		return put_usual(w, theirs, from);
	return put(w, key ? text : word, from, ASKED);
}

/* Begin with the word in the place of a test. */
static int begin(struct words *w, const char *word)
{
	static const struct mc_foreign_word loop = { .ours = "bandwidth op=*" };
	const struct mc_spec *spec = find_spec(word);
	struct argument arg = { word, find_row("", word), word };
	char mode[64], *at;
	unsigned int i;

	snprintf(mode, sizeof(mode), "--%s", word);
	for (at = mode; *at; at++)
		*at = tolower(*at);
	if (!arg.row)
		arg.row = find_row("mlc", mode);
	for (i = 0; !arg.row && i < MC_OP_SUM; i++) {
		if (!strcasecmp(mc_ops[i].name, word))
			arg = (struct argument){ word, &loop, mc_ops[i].name };
	}
	if (!arg.row || spec) {
		put_test(w, spec ? spec->name : word, strlen(word), PRESET);
		return 0;
	}
	if (arg.row->how == MC_NONE)
		return refuse(word, "%s", arg.row->note);
	return apply(w, &arg, BESIDE);
}

/* ------------------------------------------------------------ calls of other programs */

/* Does a row name a test, or only a suite? */
static bool is_head(const struct mc_foreign_word *row)
{
	return strcspn(row->ours, " ") < strcspn(row->ours, "=") ||
	       !strncmp(row->ours, "suite=", 6);
}

/* Return: the program that a row of another name stands for, or the program. */
static const char *stands_for(const char *program)
{
	const char *other = mc_user_program(find_row(program, "")->ours);

	return other ? other : program;
}

/*
 * Find the rows of an argument; its value may be the next one, which is then joined with it by a
 * blank. Return: how many rows, 0: none; *took arguments were taken.
 */
static int explain(const char *program, char **args, unsigned int position, struct argument *out,
		   int *took)
{
	char text[2 * MC_LINE_MAX], *end = *args + strlen(*args);
	bool option = **args == '-';
	int i, n;

	*took = 1;
	snprintf(text, sizeof(text), "%s", *args);
	n = find_rows(program, text, NULL, out);
	if (option && args[1] && *args[1] != '-' &&
	    (!out->row || (strchr(out->row->word, '*') && !*value_in(out->row, *args)))) {
		snprintf(text, sizeof(text), "%s%s", args[0], args[1]);
		n = find_rows(program, text, NULL, out);
		if (out->row) {
			memmove(end + 1, args[1], strlen(args[1]) + 1);
			*end = ' ';
			*took = 2;
		}
	}
	if (!out->row && !option && !strchr(*args, '=')) {
		snprintf(text, sizeof(text), "#%u", position);
		out->row = find_row(program, text);
		out->row = out->row ? out->row : find_row(program, "#+");
		out->value = *args;
	}
	out->word = *args;
	if (!out->row)
		return 0;
	for (i = 0; i < n; i++)
		out[i] = (struct argument){ *args, out[i].row, *out[i].row->word == '#' ? *args :
					    value_in(out[i].row, *args) };
	return n;
}

/*
 * Say a call of another program in words of ours; what precedes its name is the environment.
 * Return: 0, or -EINVAL, which was said.
 */
static int translate(struct words *w, const char *program, char **args)
{
	struct argument found[MOST + ENDS] = { 0 }, whole = { program, NULL, "" };
	struct argument *arg, *end = found;
	const char *mode = NULL;
	unsigned int position = 0;
	int turn, took, n;

	program = stands_for(program);
	w->program = program;
	for (; *args; args += took) {
		if (end >= found + MOST)
			return refuse(program, "more than %u words", MOST);
		position += **args != '-';
		n = explain(program, args, position, end, &took);
		if (!n && **args != '-' && find_row(program, "")->how == MC_NONE &&
		    mc_user_program(*args)) {
			program = stands_for(mc_user_program(*args));
			w->program = program;
			position = 0;
			continue;
		}
		if (!n && (**args == '-' || !strchr(*args, '=')))
			return refuse(program, MANUAL, *args, program);
		if (n && strchr(end->row->word, '*') && !*end->value)
			return refuse(program, "%s needs a value", *args);
		if (n && end->row->how == MC_NONE)
			return refuse(program, "%s: %s", *args, end->row->note);
		/* Of an option that is there twice, the keys behind the first would be lost. */
		for (arg = found; n && arg < end; arg++) {
			if (arg->row == end->row && !strstr(arg->row->ours, "+=") &&
			    strcmp(arg->value, end->value))
				return refuse(program, TWO, arg->word, end->word);
		}
		end += max(n, 1);
	}
	whole.row = find_row(program, "");
	if (whole.row->how != MC_NONE && apply(w, &whole, PRESET))
		return -EINVAL;
	/* The words for a test come first. */
	for (turn = 0; turn < 2; turn++) {
		for (arg = found; arg < end; arg++) {
			bool head = arg->row && is_head(arg->row);
			bool is_mode = head && !strncmp(arg->word, "--", 2);

			if (turn == head)
				continue;
			if (is_mode && mode)
				return refuse(program, TWO, mode, arg->word);
			mode = is_mode ? arg->word : mode;
			if (arg->row ? apply(w, arg, is_mode ? BESIDE : ASKED) :
				       put_usual(w, arg->word, arg->word))
				return -EINVAL;
			w->asked |= turn;
		}
	}
	if (!w->word[0].text && !w->suite)
		return refuse(program, "%s", whole.row->note);
	return finish(w);
}

/* Put a line into words of ours. Return: 0; -EINVAL, which was said; -E2BIG. */
static int put_line(struct words *w, const char *line)
{
	char *rest = w->copy = strdup(line), *word, *args[MOST + 2] = { NULL };
	const char *program = NULL;
	unsigned int n = 0, i, at = 0;
	int err = 0;

	if (!rest || strlen(line) > MC_LINE_MAX)		/* the parser says so */
		return -E2BIG;
	while ((word = strsep(&rest, " "))) {
		if (*word && n <= MOST)
			args[n] = word;
		n += !!*word;
	}
	/* Variables of the environment may precede a program. */
	while (at < min(n, MOST) && isupper(*args[at]) && strchr(args[at], '='))
		at++;
	if (at < min(n, MOST))
		program = is_mlc_mode_option(args[at]) ? "mlc" : mc_user_program(args[at]);
	if (n > MOST)
		return program ? refuse(program, "more than %u words", MOST) : -E2BIG;
	if (program) {
		if (!is_mlc_mode_option(args[at]))
			memmove(args + at, args + at + 1, (n - at) * sizeof(*args));
		return translate(w, program, args);
	}
	for (i = 0; i < n && !err; i++)
		err = i ? put_usual(w, args[i], args[i]) : begin(w, args[i]);
	w->same = max(n, 1U) == w->n;
	for (i = 0; i < n && w->same; i++)
		w->same = w->word[i].text && !strcmp(args[i], w->word[i].text);
	return err;
}

/* Say a line in words of ours. Return: the request, allocated, and *err as of put_line(). */
static char *say(struct words *w, const char *line, int *err)
{
	static char made[4 * MC_LINE_MAX];
	struct mc_text t = MC_TEXT(made);
	unsigned int i;

	*made = '\0';
	*err = put_line(w, line);
	for (i = 0; i < w->n; i++) {
		mc_textf(&t, i ? " %s" : "%s", w->word[i].text ? w->word[i].text : "");
		free(w->word[i].text);
	}
	free(w->copy);
	return made;
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
	char *made = say(&w, *line, &err);

	if (!err && w.suite && (!*made || *made == ' '))
		err = refuse(*line, "the front end measures this: memcache run %.*s",
			     (int)strcspn(w.suite, " "), w.suite);
	if (err || w.same)
		return err == -EINVAL ? err : 0;
	mc_user_note("%s: this is %s", *line, made);
	if (*w.note)
		mc_user_note("%s: %s", *line, w.note);
	made = strdup(made);
	if (!made)
		return -ENOMEM;
	free(*line);
	*line = made;
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
	if (!err && w.suite && (!w.asked || alone)) {
		printf("suite %.*s%s\n", (int)strcspn(w.suite, " "), w.suite, alone ? made : "");
		return 0;
	}
	printf("%s\n", err ? line : made);
	if (*w.note)
		mc_user_note("%s: %s", line, w.note);
	return 0;
}
