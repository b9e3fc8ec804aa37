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
#include "measure/test.h"
#include "platform/cpus.h"
#include "user.h"

#define MOST	64	/* words of a request, and of a call */
#define MANUAL	"\"Coming from other tools\" in the manual has the options of %s"
#define TWO	"%s and %s are two requests; make two calls"

/* Which of two words of a key counts: a program's, one beside the first of a row, what is asked. */
enum rank { PRESET, BESIDE, ASKED };

/**
 * struct words - a request in words
 * @word: the test, NULL if only a suite measures this; then key=value
 * @from: the argument that brought it
 * @rank: enum rank
 * @n: their number with the test
 * @suite: the suite of the front end that measures the same, or NULL
 * @program: the program whose call it is, or NULL
 * @asked: a key was asked for
 * @copy: the line, of whose parts @from are some
 * @note: what differs from what the other program does
 */
struct words {
	char *word[MOST + 1];
	const char *from[MOST + 1];
	enum rank rank[MOST + 1];
	unsigned int n;
	const char *suite;
	char suite_name[32];
	const char *program;
	bool asked;
	char *copy;
	char note[512];
};

/* An argument, the row that explains it, and its value. A word key=value of ours has no row. */
struct argument {
	const char *word;
	const struct mc_elsewhere *row;
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

/* The row of an argument that begins as a row says, and what follows. */
static const struct mc_elsewhere *find_start(const char *of, const char *arg, const char **value)
{
	const struct mc_elsewhere *row, *found = NULL;
	size_t n, most = 0;

	for (row = mc_elsewhere; row->of; row++) {
		n = strlen(row->word);
		if (strcmp(row->of, of) || !n || row->word[n - 1] != '*' ||
		    strncmp(row->word, arg, n - 1) || n < most)
			continue;
		found = row;
		most = n;
		*value = arg + n - 1;
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

/* The value of a key in the words, or NULL. */
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

/* ------------------------------------------------------------------ lists of CPUs */

static struct {
	unsigned int n;
	unsigned int cpu[MC_MAX_CPUS];
} cpus;

static void all_cpus(void)
{
	unsigned int cpu;

	for (cpu = cpus.n = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (mc_cpu_usable(cpu))
			cpus.cpu[cpus.n++] = cpu;
	}
}

/* Take the numbers of a list such as 0-3,8. Return: is it one? */
static bool take_list(const char *list)
{
	unsigned long first, last;
	char *end;

	for (cpus.n = 0;; list = end + 1) {
		first = strtoul(list, &end, 10);
		if (end == list)
			return false;
		list = end + 1;
		last = *end == '-' ? strtoul(list, &end, 10) : first;
		for (; first <= last && cpus.n < MC_MAX_CPUS; first++)
			cpus.cpu[cpus.n++] = first;
		if (*end != ',')
			return !*end;
	}
}

static void show_list(struct mc_text *t)
{
	unsigned int i, first;

	for (i = 0; i < cpus.n; i++) {
		for (first = i; i + 1 < cpus.n && cpus.cpu[i + 1] == cpus.cpu[i] + 1; i++)
			;
		mc_textf(t, first ? ",%u" : "%u", cpus.cpu[first]);
		if (i > first)
			mc_textf(t, "-%u", cpus.cpu[i]);
	}
}

static int by_core(const void *one, const void *other)
{
	unsigned int a = *(const unsigned int *)one, b = *(const unsigned int *)other;
	unsigned int core_a = mc_cpu_core(a), core_b = mc_cpu_core(b);

	return core_a != core_b ? (core_a > core_b) - (core_a < core_b) : (a > b) - (a < b);
}

/* Keep the CPUs of one package, or of one node. */
static void keep(char kind, unsigned long number)
{
	unsigned int i, n = 0;

	for (i = 0; i < cpus.n; i++) {
		int of = kind == 'S' ? mc_cpu_socket(cpus.cpu[i]) : mc_cpu_node(cpus.cpu[i]);

		if (max(of, 0) == (int)number)
			cpus.cpu[n++] = cpus.cpu[i];
	}
	cpus.n = n;
}

/*
 * The CPUs of likwid's DOMAIN:SIZE[:THREADS[:CHUNK:STRIDE]], threads of a core side by side.
 * Return: 0, or -EINVAL.
 */
static int take_domain(const char *value)
{
	unsigned int threads, chunk, stride, i, n = 0, colons = 0;
	unsigned long number = 0;
	const char *at = value;
	char end;

	for (; *at; at++)
		colons += *at == ':';
	all_cpus();
	if (memchr("SM", *value, 2))
		number = strtoul(value + 1, (char **)&at, 10);
	else
		at = value + (*value == 'N');
	if (at == value || *at != ':' || (*value != 'N' && at == value + 1))
		return -EINVAL;
	if (*value != 'N')
		keep(*value, number);
	qsort(cpus.cpu, cpus.n, sizeof(*cpus.cpu), by_core);
	at += 1 + strcspn(at + 1, ":");
	threads = cpus.n;
	chunk = 1;
	stride = 1;
	if ((colons == 2 && sscanf(at, ":%u%c", &threads, &end) != 1) ||
	    (colons == 4 && sscanf(at, ":%u:%u:%u%c", &threads, &chunk, &stride, &end) != 3) ||
	    colons == 3 || colons > 4 || !chunk || stride < chunk)
		return -EINVAL;
	for (i = 0; i < cpus.n && n < threads; i++) {
		if (i % stride < chunk)
			cpus.cpu[n++] = cpus.cpu[i];
	}
	cpus.n = n;
	return n && n == threads ? 0 : -EINVAL;
}

/* ------------------------------------------------------------- words of a request */

/* Add a word, or one more value of `key+=value`. Return: 0, or -EINVAL, which was said. */
static int put(struct words *w, const char *word, const char *from, enum rank rank)
{
	size_t key = strcspn(word, "="), name = key - (key && word[key - 1] == '+');
	char *made = NULL;
	unsigned int i;

	for (i = 1; i < w->n; i++) {
		if (strcspn(w->word[i], "=") == name && !strncasecmp(w->word[i], word, name))
			break;
	}
	if (i > MOST)
		return refuse(w->program, "more than %u words", MOST);
	if (i < w->n && w->rank[i] == ASKED && rank == ASKED && name < key) {
		if (asprintf(&made, "%s,%s", w->word[i], word + key + 1) < 0)
			return -ENOMEM;
	} else if (asprintf(&made, "%.*s%s", (int)name, word, word + key) < 0) {
		return -ENOMEM;
	} else if (i < w->n && rank <= w->rank[i]) {
		bool same = rank < ASKED || !strcmp(made, w->word[i]);

		free(made);
		return same ? 0 : refuse(w->program, TWO, w->from[i], from);
	}
	if (i < w->n)
		free(w->word[i]);
	w->word[i] = made;
	w->from[i] = from;
	w->rank[i] = rank;
	w->n += i == w->n;
	return 0;
}

/* Set the test. An option replaces that of a mode. */
static void put_test(struct words *w, const char *test, size_t len, enum rank rank)
{
	if (w->word[0] && rank < w->rank[0])
		return;
	free(w->word[0]);
	w->word[0] = strndup(test, len);
	w->rank[0] = rank;
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

/* Put a value into a word of the table. Return: 0, or -EINVAL if it is not one. */
static int fill(struct mc_text *t, const char *word, size_t len, const char *value)
{
	char part[256], end;
	unsigned int n;
	size_t i;

	for (i = 0; i < len; i++) {
		char c = word[i];

		if (!memchr("*@%", c, 3)) {
			mc_textf(t, "%c", c);
			continue;
		}
		snprintf(part, sizeof(part), "%s", value);
		if (c == '@' && !part_of(value, word[++i] - '0', part, sizeof(part)))
			return -EINVAL;
		if (c == '%') {
			if (sscanf(part, "%u%c", &n, &end) != 1 || n < 1 || n > MC_MAX_CPUS)
				return -EINVAL;
			snprintf(part, sizeof(part), n == 1 ? "0" : "0-%u", n - 1);
		}
		mc_textf(t, "%s", part);
		/* The unit of the other program counts if the value has none. */
		if (i + 1 < len && memchr("KMG", word[i + 1], 3) && *part &&
		    !isdigit(part[strlen(part) - 1]))
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
		if (find_key(spec, *word, strcspn(*word, "+=")))
			return n;
	}
}

/* A key that becomes others. Return: 1 if it is none, 0, or -EINVAL. */
static int replace_key(struct mc_text *t, char *word)
{
	char *value = strchr(word, '='), *unit, made[512] = "";
	size_t len = value++ - word;
	struct mc_text m = MC_TEXT(made);
	double bytes;

	if (!strncmp(word, "decimal=", len + 1)) {
		bytes = strtod(value, &unit);
		for (const char *units = "kMG", *u = strchr(units, *unit == 'K' ? 'k' : *unit);
		     *unit && u && u >= units; u--)
			bytes *= 1000;
		if (unit == value || bytes < 64)
			return -EINVAL;
		mc_textf(&m, "size=%llu", (unsigned long long)bytes / 64 * 64);
	} else if (!strncmp(word, "domain=", len + 1)) {
		if (take_domain(value))
			return -EINVAL;
		mc_textf(&m, "cpu=");
		show_list(&m);
	} else if (!strncmp(word, "cpunode=", len + 1)) {
		all_cpus();
		keep('M', strtoul(value, &unit, 10));
		if (*unit || !cpus.n)
			return -EINVAL;
		mc_textf(&m, "cpu=");
		show_list(&m);
	} else if (!strncmp(word, "at=", len + 1)) {
		snprintf(made, sizeof(made), "/sys/devices/system/cpu/cpu%s", value);
		bool there = isdigit(*value) && !access(made, F_OK);

		m = (struct mc_text)MC_TEXT(made);
		if (there)
			mc_textf(&m, "node=%d", mc_cpu_node(strtoul(value, NULL, 10)));
		else
			mc_textf(&m, "node=local");
		if (!there)
			mc_user_note("no CPU %s: memory is on the measuring CPU's node", value);
	} else {
		return 1;
	}
	*t = (struct mc_text){ .buf = t->buf, .size = t->size };
	mc_textf(t, "%s", made);
	return 0;
}

/* Add the words of a row of the table. Return: 0, or -EINVAL, which was said. */
static int apply(struct words *w, const struct argument *arg, enum rank rank)
{
	const char *at = arg->row->ours;
	size_t n;

	for (; *at; at += strspn(at, " ")) {
		const char *word = at;
		char text[1024] = "";
		struct mc_text t = MC_TEXT(text);

		n = strcspn(at, " ");
		at += n;
		if (!memchr(word, '=', n)) {
			put_test(w, word, n, rank);
			rank = min(rank, BESIDE);
			continue;
		}
		if (!strncmp(word, "suite=", 6)) {
			snprintf(w->suite_name, sizeof(w->suite_name), "%.*s", (int)n - 6,
				 word + 6);
			w->suite = w->suite_name;
			continue;
		}
		n = choose(find_spec(w->word[0]), &word, n);
		if (!n)
			continue;
		if (fill(&t, word, n, arg->value) || replace_key(&t, text) < 0)
			return refuse(w->program ? w->program : arg->word, "%s %s %s", arg->word,
				      arg->value, memchr(word, '%', n) ? "is no number of CPUs" :
				      "has no counterpart here");
		if (put(w, text, arg->word, rank))
			return -EINVAL;
		w->asked |= rank == ASKED;
		rank = min(rank, BESIDE);
	}
	if (arg->row->how == MC_SAME && strncmp(arg->row->ours, "suite=", 6) &&
	    !strstr(w->note, arg->row->note))
		snprintf(w->note + strlen(w->note), sizeof(w->note) - strlen(w->note), "%s%s",
			 *w->note ? "; " : "", arg->row->note);
	return 0;
}

/*
 * The threads that measure at once. Return: their number; 1 also if the list of CPUs is wrong,
 * which the parser says.
 */
static unsigned int count_threads(const struct words *w)
{
	const struct mc_spec *spec = find_spec(w->word[0]);
	const char *list = value_of(w, "cpu"), *smt = value_of(w, "smt");
	char preset[64] = "";
	struct mc_text t = MC_TEXT(preset);
	unsigned int i, j, n = 0;

	if (!spec || !mc_test_of(spec)->shares)			/* CPUs take turns */
		return 1;
	if (!list) {
		mc_spec_preset(&t, spec, mc_common_key(MC_KEY_CPU));
		list = strchr(preset, '=') + 1;
	}
	if (!strcmp(list, "all"))
		all_cpus();
	else if (!take_list(list))
		return 1;
	for (i = 0; i < cpus.n; i++) {
		for (j = 0; j < i && smt && !strcmp(smt, "off"); j++) {
			if (mc_cpu_core(cpus.cpu[i]) == mc_cpu_core(cpus.cpu[j]))
				break;
		}
		n += j == i || !smt || strcmp(smt, "off");
	}
	return max(n, 1U);
}

/* Arrays of the operations; 0: they differ. */
static unsigned int count_arrays(const char *ops)
{
	unsigned int i, found = 0;
	size_t n;

	for (; ops && *ops; ops += n + (ops[n] == ',')) {
		n = strcspn(ops, ",");
		for (i = 0; i < MC_OP_SUM && (strlen(mc_ops[i].name) != n ||
					      strncasecmp(mc_ops[i].name, ops, n)); i++)
			;
		if (i < MC_OP_SUM && found && found != mc_ops[i].arrays)
			return 0;
		found = i < MC_OP_SUM ? mc_ops[i].arrays : found;
	}
	return max(found, 1U);
}

static void drop(struct words *w, unsigned int i)
{
	free(w->word[i]);
	for (w->n--; i < w->n; i++) {
		w->word[i] = w->word[i + 1];
		w->from[i] = w->from[i + 1];
		w->rank[i] = w->rank[i + 1];
	}
}

/* The size that others count for each thread, or array, is one of all here. */
static int finish_size(struct words *w, unsigned int i)
{
	bool array = !strncmp(w->word[i], "array=", 6);
	const char *size = strchr(w->word[i], '=') + 1;
	unsigned int n = count_threads(w) * (array ? count_arrays(value_of(w, "op")) : 1);
	double value = strtod(size, (char **)&size);
	char *text;

	if (!n || (!w->word[0] && strcmp(w->suite, "latency-matrix")))
		return refuse(w->program, "%s is the size of a thread; write that of all: size=",
			      w->from[i]);
	if (asprintf(&text, "size=%.15g%s", n * value, size) < 0)
		return -ENOMEM;
	free(w->word[i]);
	w->word[i] = text;
	for (n = 1; n < w->n && (n == i || strncmp(w->word[n], "size=", 5)); n++)
		;
	if (n < w->n)
		drop(w, n);
	return 0;
}

/* What only the whole call tells. Return: 0, or -EINVAL, which was said. */
static int finish(struct words *w)
{
	const struct mc_spec *spec = find_spec(w->word[0]);
	const char *latency = value_of(w, "latency_cpu"), *list = value_of(w, "cpu");
	char more[64];
	unsigned int i;
	int err = 0;

	/* The CPU that follows pointers is one of cpu=. */
	if (latency && list && take_list(list)) {
		for (i = 0; i < cpus.n && cpus.cpu[i] != strtoul(latency, NULL, 10); i++)
			;
		snprintf(more, sizeof(more), "cpu+=%s", latency);
		err = i == cpus.n ? put(w, more, "", ASKED) : 0;
	}
	for (i = 1; i < w->n && !err; i++) {
		const char *word = w->word[i];
		size_t len = strcspn(word, "=");

		if (!strncmp(word, "each=", 5) || !strncmp(word, "array=", 6)) {
			err = finish_size(w, i);
			i = 0;	/* a word may have gone */
		} else if (w->rank[i] < ASKED && spec && !find_key(spec, word, len)) {
			drop(w, i--);
		} else if (!word[len + 1]) {
			err = refuse(w->program, "%s has no counterpart here: accesses of 4 bytes",
				     w->from[i]);
		}
	}
	return err;
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

/* A word of the user counts, and may be there twice, which the parser says. */
static int put_typed(struct words *w, const char *word)
{
	size_t key = strcspn(word, "=");
	unsigned int i;

	for (i = 1; i < w->n; i++) {
		if (w->rank[i] == ASKED && strcspn(w->word[i], "=") == key &&
		    !strncasecmp(w->word[i], word, key))
			break;
	}
	w->asked = true;
	if (i == w->n || w->program)
		return put(w, word, word, ASKED);
	if (w->n > MOST)
		return -E2BIG;
	w->word[w->n] = strdup(word);
	w->from[w->n] = word;
	w->rank[w->n++] = ASKED;
	return 0;
}

/* The row of `key=value`; with an end of the value that begins with _, the row of that end. */
static const struct mc_elsewhere *find_value(const char *key, const char *value, size_t *end)
{
	const struct mc_elsewhere *row;
	size_t n = strlen(key), len = strlen(value);
	const char *theirs;

	for (row = mc_elsewhere; row->of; row++) {
		if (*row->of || strncasecmp(row->word, key, n) || row->word[n] != '=')
			continue;
		theirs = row->word + n + 1;
		*end = *theirs == '_' ? len - min(len, strlen(theirs)) : len;
		if (*end && !strcasecmp(theirs, *theirs == '_' ? value + *end : value))
			return row;
	}
	return NULL;
}

/*
 * A value of a key that takes words. Append ours to @list. Return: 0; -ENOENT if it is not one that
 * the key takes, nor one of the table; -EINVAL, which was said.
 */
static int usual_value(struct words *w, const struct mc_key *key, char *value, struct mc_text *list)
{
	const struct mc_elsewhere *row = NULL;
	size_t end;
	int err;

	if (!takes_word(key, value))
		row = find_value(key->name, value, &end);
	if (!row && !takes_word(key, value))
		return -ENOENT;
	if (row && row->how == MC_NONE)
		return refuse(row->word, "%s", row->note);
	if (row && value[end]) {
		value[end] = '\0';
		err = usual_value(w, key, value, list);
		return err || !*row->ours ? err : put_typed(w, row->ours);
	}
	mc_textf(list, "%s%s", list->len ? "," : "", row ? strchr(row->ours, '=') + 1 : value);
	return 0;
}

/* Say a word key=value of a request in words of ours: one, and more if it stands for more. */
static int put_usual(struct words *w, const char *word)
{
	const struct mc_spec *spec = find_spec(w->word[0]);
	size_t len = strcspn(word, "=");
	const struct mc_key *key = find_key(spec, word, len);
	char text[MC_LINE_MAX + 1] = "", list[MC_LINE_MAX] = "", *values, *value;
	struct mc_text t = MC_TEXT(text), l = MC_TEXT(list);
	const struct mc_elsewhere *row;
	int err = 0;

	if (!spec || !word[len])
		return put_typed(w, word);
	if (key && key->kind == MC_CHOICE) {
		snprintf(text, sizeof(text), "%s", word + len + 1);
		for (values = text; !err && (value = strsep(&values, ",")); )
			err = usual_value(w, key, value, &l);
		if (err && err != -ENOENT)
			return err;
	}
	if (key && (err || key->kind != MC_CHOICE)) {
		snprintf(list, sizeof(list), "%s", word + len + 1);
		if (err) {	/* another key may have this value's name */
			snprintf(text, sizeof(text), "%.*s=", (int)len, word);
			key = find_row("", text) ? NULL : key;
		}
	}
	if (key) {		/* in its own letters */
		*text = '\0';
		mc_textf(&t, "%s=%s", key->name, list);
		return put_typed(w, text);
	}
	snprintf(text, sizeof(text), "%.*s=", (int)len, word);
	row = find_row("", text);
	*text = '\0';
	if (row && !fill(&t, row->ours, strlen(row->ours), word + len + 1))
		return put_usual(w, text);
	return put_typed(w, word);
}

/* Begin with the word in the place of a test. */
static int begin(struct words *w, const char *word)
{
	struct mc_elsewhere loop = { .word = word, .ours = "bandwidth op=*" };
	struct argument arg = { word, find_row("", word), word };
	char mode[64], *at;
	unsigned int i;

	snprintf(mode, sizeof(mode), "--%s", word);
	for (at = mode; *at; at++)
		*at = tolower(*at);
	if (find_spec(word))
		arg.row = NULL;
	else if (!arg.row)
		arg.row = find_row("mlc", mode);
	for (i = 0; !arg.row && !find_spec(word) && i < MC_OP_SUM; i++) {
		if (!strcasecmp(mc_ops[i].name, word))
			arg = (struct argument){ word, &loop, mc_ops[i].name };
	}
	if (!arg.row) {
		put_test(w, find_spec(word) ? find_spec(word)->name : word, strlen(word), PRESET);
		return 0;
	}
	if (arg.row->how == MC_NONE)
		return refuse(word, "%s", arg.row->note);
	return apply(w, &arg, BESIDE);
}

/* ------------------------------------------------------------ calls of other programs */

/* Say that a word of a call has no counterpart. Return: -EINVAL. */
static int refuse_word(const char *program, const char *word)
{
	return refuse(program, "%s has no counterpart here; " MANUAL, word, program);
}

/* The rows of a value: its beginning, then its ends. Return: their number, or -EINVAL. */
static int explain_value(const char *program, const struct argument *arg, struct argument *out)
{
	char of[64], name[64];
	const struct mc_elsewhere *row, *base;
	const char *rest;
	int n = 1;

	snprintf(of, sizeof(of), "%s %.2s", program, arg->row->word);
	snprintf(name, sizeof(name), "%s", arg->value);
	while (!(base = find_row(of, name)) && !(base = find_start(of, name, &rest))) {
		size_t len = strlen(name), end;

		for (row = mc_elsewhere; row->of; row++) {
			end = strlen(row->word);
			if (!strcmp(row->of, of) && *row->word == '_' && end < len &&
			    !strcmp(row->word, name + len - end))
				break;
		}
		if (!row->of || n == 4)
			return refuse_word(program, arg->value);
		name[len - strlen(row->word)] = '\0';
		out[n++] = (struct argument){ arg->value, row, "" };
	}
	if (base->how == MC_NONE)
		return refuse(program, "%s %s: %s", arg->word, arg->value, base->note);
	out[0] = (struct argument){ arg->value, base, "" };
	return n;
}

/*
 * Find the row of an argument, and its value, which may be the next one. Return: how many were
 * taken, 0 if there is no row.
 */
static int find_argument(const char *program, char **args, unsigned int position,
			 struct argument *out)
{
	char word[128];

	*out = (struct argument){ *args, find_row(program, *args), "" };
	if (!out->row && **args == '-' && args[1]) {
		snprintf(word, sizeof(word), "%s%s", *args, args[1]);
		out->row = find_row(program, word);
		if (out->row)
			return 2;
	}
	if (!out->row)
		out->row = find_start(program, *args, &out->value);
	if (out->row && out->row->word[1] && strchr(out->row->word, '*') && !*out->value) {
		out->value = args[1] && *args[1] != '-' ? args[1] : NULL;
		return out->value ? 2 : 1;
	}
	if (!out->row && **args != '-' && !strchr(*args, '=')) {
		snprintf(word, sizeof(word), "#%u", position);
		out->row = find_row(program, word);
		out->row = out->row ? out->row : find_row(program, "#+");
		out->value = *args;
	}
	return !!out->row;
}

/* Does a row name a test, or only a suite? */
static bool is_head(const struct mc_elsewhere *row)
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
 * Say a call of another program in words of ours; what precedes its name is the environment.
 * Return: 0, or -EINVAL, which was said.
 */
static int translate(struct words *w, const char *program, char **args)
{
	struct argument found[MOST + 8], whole = { program, NULL, "" };
	const char *mode = NULL;
	unsigned int position = 0;
	int i, n = 0, turn, took;

	program = stands_for(program);
	w->program = program;
	for (; *args; args += took) {
		struct argument *arg = &found[n];

		if (n >= MOST)
			return refuse(program, "more than %u words", MOST);
		position += **args != '-';
		took = find_argument(program, args, position, arg);
		if (!took && **args != '-' && find_row(program, "")->how == MC_NONE &&
		    mc_user_program(*args)) {
			program = stands_for(mc_user_program(*args));
			w->program = program;
			position = 0;
			took = 1;
			continue;
		}
		if (!took && strchr(*args, '=') && **args != '-') {
			arg->value = *args;
			took = 1;
			n++;
			continue;
		}
		if (!took)
			return refuse_word(program, *args);
		if (arg->row->how == MC_NONE)
			return refuse(program, "%s: %s", arg->word, arg->row->note);
		if (!arg->value)
			return refuse(program, "%s needs a value", arg->word);
		if (arg->row->how == MC_WORDS) {
			i = explain_value(program, arg, arg + 1);
			if (i < 0)
				return i;
			n += i;
		}
		n++;
	}
	/* Of an option that is there twice, the keys behind the first would be lost. */
	for (i = 1; i < n; i++) {
		for (took = 0; took < i; took++) {
			if (found[i].row && found[i].row == found[took].row &&
			    !strstr(found[i].row->ours, "+=") &&
			    strcmp(found[i].value, found[took].value))
				return refuse(program, TWO, found[took].word, found[i].word);
		}
	}
	whole.row = find_row(program, "");
	if (whole.row->how != MC_NONE && apply(w, &whole, PRESET))
		return -EINVAL;
	/* The words for a test come first. */
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < n; i++) {
			const struct mc_elsewhere *row = found[i].row;
			enum rank rank = ASKED;

			if (turn != !(row && is_head(row)))
				continue;
			if (row && !turn && !strncmp(row->word, "--", 2)) {
				if (mode && mode != found[i].word)
					return refuse(program, TWO, mode, found[i].word);
				mode = found[i].word;
				rank = BESIDE;
			}
			if (row && row->how == MC_WORDS)
				rank = PRESET;
			if (row ? apply(w, &found[i], rank) : put_usual(w, found[i].value))
				return -EINVAL;
			w->asked |= row && turn;
		}
	}
	if (!w->word[0] && !w->suite)
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
		if (!*word)
			continue;
		if (n <= MOST)
			args[n] = word;
		n++;
	}
	/* Variables of the environment may precede a program. */
	while (at < min(n, MOST) && isupper(*args[at]) && strchr(args[at], '='))
		at++;
	if (at < min(n, MOST))
		program = mc_user_mode(args[at]) ? "mlc" : mc_user_program(args[at]);
	if (program && n > MOST)
		return refuse(program, "more than %u words", MOST);
	if (program) {
		if (!mc_user_mode(args[at]))
			memmove(args + at, args + at + 1, (n - at) * sizeof(*args));
		return translate(w, program, args);
	}
	if (n > MOST)
		return -E2BIG;
	for (i = 0; i < n && !err; i++)
		err = i ? put_usual(w, args[i]) : begin(w, args[i]);
	return err;
}

/* Return: the request in one line, allocated; the words are freed. */
static char *join(struct words *w)
{
	static char line[4 * MC_LINE_MAX];
	struct mc_text t = MC_TEXT(line);
	unsigned int i;

	for (i = 0; i < w->n; i++) {
		mc_textf(&t, i ? " %s" : "%s", w->word[i] ? w->word[i] : "");
		free(w->word[i]);
	}
	free(w->copy);
	return strdup(line);
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
	bool alone = !w.word[0] && w.suite;
	char *made = join(&w);

	if (!err && alone)
		err = refuse(*line, "the front end measures this: memcache run %s", w.suite);
	if (err || !made || same_words(made, *line)) {
		free(made);
		return err == -EINVAL ? err : 0;
	}
	mc_user_note("%s: this is %s", *line, made);
	if (*w.note)
		mc_user_note("%s: %s", *line, w.note);
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
	int err = put_line(&w, line);
	bool alone = !w.word[0];	/* without a test: its keys are those of the suite */
	char *made = join(&w);

	if (err == -EINVAL) {
		free(made);
		return err;
	}
	if (made && !err && w.suite && (!w.asked || alone)) {
		printf("suite %s%s\n", w.suite, alone ? made : "");
	} else {
		printf("%s\n", made && !err ? made : line);
		if (*w.note)
			mc_user_note("%s: %s", line, w.note);
	}
	free(made);
	return 0;
}

/**
 * mc_user_call() - say a call of another program in words of ours
 * @program: its name, as the table has it
 * @args: its arguments
 *
 * Return: the request, allocated, or NULL and then a message was printed.
 */
char *mc_user_call(const char *program, char **args)
{
	struct words w = { .n = 1 };
	int err = translate(&w, program, args);
	bool alone = !w.word[0];
	char *made = join(&w);

	if (!err && alone)
		mc_user_note("%s: it does not say what to measure", program);
	if (!err && !alone && *w.note)
		mc_user_note("%s: %s", made, w.note);
	if (!err && !alone)
		return made;
	free(made);
	return NULL;
}
