// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of other programs, and words of theirs in our requests, are put into words of ours by the
 * table calls.def. The front end calls memcache-user --translate.
 */
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "arch/loops.h"
#include "core/math.h"
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

#define MOST	64	/* words of a request */
#define TOO_MANY "more than 64 words"
#define HAS_NONE "has no counterpart here"
#define MANUAL	"%s " HAS_NONE "; \"Coming from other tools\" in the manual has the options of %s"

/* A row that fits the beginning of a text, up to a blank or the end. */
struct match {
	const struct mc_foreign_word *row;
	const char *from;		/* these words as they were typed */
	regmatch_t group[10];
};

/* A word of a request. A test has the key "", what becomes other words one with a colon. */
struct word {
	const char *key, *value;	/* no value: it is no key=value */
	const char *from;		/* what brought it, for messages */
	bool weak;			/* it counts if nothing else sets the key */
};

/* The request. What is wrong is said once, and ends nothing before mc_user_usual(). */
static struct {
	struct word word[MOST];
	unsigned int n;
	const char *program;		/* whose call it is, or NULL */
	const char *list;		/* the key whose values come one by one, or NULL */
	bool asked;			/* for more than a test or a suite */
	bool refused;
	const char *note[MOST];		/* what differs from what the other program does */
	unsigned int notes;
} w;

/* Return: a text that stays until the program ends. */
static char *__printf(1, 2) keep(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort();
	va_end(args);
	return text;
}

static void refuse(const char *why)
{
	if (!w.refused)
		fprintf(stderr, "memcache-user: %s%s%s\n", w.program ?: "", w.program ? ": " : "",
			why);
	w.refused = true;
}

/* ------------------------------------------------------------------------ the rows */

/* Find the row of the first words of a text. Options of one letter differ by their capitals. */
static bool find_row(const char *of, const char *text, struct match *m)
{
	int flags = REG_EXTENDED | (*of && strncmp(text, "--", 2) ? 0 : REG_ICASE);
	const struct mc_foreign_word *row;
	regex_t expression;

	*m = (struct match){ };
	for (row = mc_foreign_words; row->of && !m->row; row++) {
		if (strcmp(row->of, of) ||
		    strncasecmp(row->word, text, strcspn(row->word, "([ ")) ||
		    regcomp(&expression, row->word, flags))
			continue;
		/* A match ends before a blank, or before the end of the text. */
		if (!regexec(&expression, text, ARRAY_SIZE(m->group), m->group, 0) &&
		    !m->group->rm_so && strchr(" ", text[m->group->rm_eo])) {
			m->row = row;
			m->from = keep("%.*s", (int)m->group->rm_eo, text);
		}
		regfree(&expression);
	}
	return m->row;
}

/*
 * Return: the program that one of this name stands for, or that has this --mode, as the table has
 * it, or NULL.
 */
const char *mc_user_program(const char *name)
{
	const char *slash = strrchr(name, '/');
	const struct mc_foreign_word *row;
	struct match m;

	if (!strncmp(name, "--", 2) && find_row("mlc", name, &m))
		return "mlc";
	for (row = mc_foreign_words; row->of; row++) {
		if (*row->of && !*row->word && !strcasecmp(row->of, slash ? slash + 1 : name))
			return mc_user_program(row->ours) ?: row->of;
	}
	return NULL;
}

/* Say a row in words; in them, * and $2, $3 and so on stand for its groups, as lists of words. */
static char *fill(const struct match *m)
{
	char text[3 * MC_LINE_MAX] = "";
	struct mc_text t = MC_TEXT(text);
	const regmatch_t *group;
	const char *c;
	regoff_t at;

	for (c = m->row->ours; *c; c++) {
		group = &m->group[*c == '*' ? 1 : *c == '$' ? *++c - '0' : 0];
		if (group == m->group)
			mc_textf(&t, "%c", *c);
		for (at = group->rm_so; group != m->group && at < group->rm_eo; at++) {
			if (m->from[at] != ' ')
				mc_textf(&t, "%c", m->from[at]);
			else if (at > group->rm_so)
				mc_textf(&t, ",");
		}
	}
	return keep("%s", text);
}

/* ---------------------------------------------------------------------- the words */

static struct word *find_word(const char *key)
{
	struct word *word;

	for (word = w.word; word < w.word + w.n; word++) {
		if (word->value && !strcmp(word->key, key))
			return word;
	}
	return NULL;
}

/* Return: the words as a line. */
static char *say(void)
{
	const struct word *word;
	char *line = "";

	for (word = w.word; word < w.word + w.n; word++) {
		if (*word->key == ':' || (w.program && !*word->value))
			continue;
		line = keep("%s%s%s%s%s", line, *line ? " " : "", word->key,
			    word->value && *word->key ? "=" : "", word->value ?: "");
	}
	return line;
}

/* Add a word; of `key+` and of a list, one more value. */
static void put(const char *key, const char *value, const char *from, bool weak)
{
	struct word new = { keep("%.*s", (int)strcspn(key, "+"), key), value, from, weak };
	bool more = strchr(key, '+') || (w.list && !strcmp(w.list, key));
	struct word *old = value ? find_word(new.key) : NULL;

	w.asked |= !weak && *key != ':';
	if (old && more && weak == old->weak && from != old->from)
		old->from = keep("%s %s", old->from, from);
	if (old && more && weak == old->weak)
		old->value = keep("%s%c%s", old->value, strcmp(key, ":on+") ? ',' : '@', value);
	else if (old && weak && !old->weak)
		return;
	else if (old && (old->weak || !strcmp(key, ":within")))	/* that of the last program */
		*old = new;
	else if (old && !strcmp(value, old->value) && (w.program || old->from == from))
		return;
	else if (old && w.program)
		refuse(keep("%s and %s are two requests; make two calls", old->from, from));
	else if (w.n == MOST)
		refuse(TOO_MANY);
	else		/* the parser says what is there twice */
		w.word[w.n++] = new;
}

static void apply(const struct match *m, const char *from, bool weak);

/* Add a word of ours, or one whose key, value, or a value of its list, is another program's. */
static void put_word(const char *text, const char *from, bool weak)
{
	const char *equals = strchr(text, '='), *list = w.list;
	char *key, *values, *value;
	struct match m;

	if (find_row("", text, &m))
		return apply(&m, from, weak);
	if (!equals || equals == text)
		return put(w.n ? text : "", w.n ? NULL : text, from, weak);
	key = keep("%.*s", (int)(equals - text), text);
	for (values = keep("%s", equals + 1); (value = strsep(&values, ",")); w.list = key) {
		if (find_row("", keep("%s=%s", key, value), &m))
			apply(&m, from, weak);
		else
			put(key, value, from, weak);
	}
	w.list = list;
}

/* Add what a row says. Behind the first word of a program's, and all if @weak, is weak. */
static void apply(const struct match *m, const char *from, bool weak)
{
	const struct mc_foreign_word *row = m->row;
	const regoff_t at = m->group[1].rm_so;
	struct match other;
	char *words, *word;

	if (at >= 0 && m->group[1].rm_eo == at && (at < 3 || m->from[at - 1] == '='))
		return refuse(keep("%s needs a value", from));
	if (row->how == MC_NONE)
		return refuse(*row->word ? keep("%s: %s", from, row->note) : row->note);
	for (words = fill(m); (word = strsep(&words, " ")); weak |= *row->of) {
		if (*word == '-' && find_row(row->of, word, &other))
			apply(&other, from, weak);
		else if (*word)
			put_word(word, from, weak);
	}
	if (row->how == MC_SAME && w.notes < MOST)
		w.note[w.notes++] = row->note;
}

/* --------------------------------------------------------------- the whole request */

/* Return: the request of a line, or NULL if it is wrong, which the parser says later. */
static struct mc_request *parse(const char *line)
{
	static struct mc_request req;
	struct mc_error e = { 0 };

	return mc_request_parse(&req, line, strlen(line), mc_specs, &e) ? NULL : &req;
}

/*
 * :within, the CPUs to choose from, by default those that this process may use, of which a program
 * of one thread takes the first; :threads, so many of them; :on, likwid's domains.
 */
static void put_cpus(void)
{
	const struct word *within = find_word(":within"), *threads = find_word(":threads");
	const struct word *on = find_word(":on"), *by = threads ?: on ?: within;
	char text[MC_LINE_MAX] = "";
	struct mc_text t = MC_TEXT(text);
	/* Memory of workgroups, unless the call says where it is, is on the node of each. */
	bool nodes = on && strchr(on->value, '@') && !find_word("node");
	const struct mc_request *req;
	unsigned long n = 0;
	const char *why;

	if (!by)
		return;
	if (threads) {
		n = min(strtoul(threads->value, NULL, 10), MC_MAX_CPUS + 1UL);
		if (!n || threads->value[strspn(threads->value, "0123456789")])
			return refuse(keep("%s is no number of CPUs", threads->from));
	} else if (!on) {
		req = parse(say());
		n = req && !req->all_cpus;
	}
	why = mc_user_choose(&t, within ? within->value : "N", on ? on->value : NULL, nodes, n);
	if (nodes)
		put("node", "local", by->from, by->weak);
	if (!why)
		put("cpu", keep("%s", text), by->from, by->weak);
	else if (within || on || n > MC_MAX_CPUS)
		refuse(keep("%s %s", by->from, why));
	else		/* the machine that it is said for may have more */
		put("cpu", keep("0-%lu", n - 1), by->from, by->weak);
}

/* :at, a CPU whose node has the memory. Harnesses name CPUs that are not there. */
static void put_node(void)
{
	const struct word *at = find_word(":at");
	unsigned long cpu = at ? strtoul(at->value, NULL, 10) : 0;
	u64 usable[MC_MAX_CPUS / 64];
	char list[MC_LINE_MAX] = "";

	if (!at)
		return;
	mc_cpus_usable(usable);
	mc_user_read_file("/sys/devices/system/cpu/online", list, sizeof(list));
	if (mc_user_listed(list, cpu) || (cpu < MC_MAX_CPUS && mc_bit(usable, cpu)))
		return put("node", keep("%d", mc_cpu_node(cpu)), at->from, at->weak);
	mc_user_note("no CPU %lu: memory is on the measuring CPU's node", cpu);
	put("node", "local", at->from, at->weak);
}

/* :each, bytes of a thread; :array, of one of its arrays; :bytes, of a group, in whole lines. */
static void put_size(void)
{
	const struct word *array = find_word(":array"), *bytes = find_word(":bytes");
	const struct word *size = array ?: bytes ?: find_word(":each"), *op = find_word("op");
	const struct word *on = find_word(":on");
	struct mc_request *req = size ? parse(say()) : NULL;
	struct mc_error e = { 0 };
	unsigned int i, groups = 1;
	double sum;
	char *unit;

	if (!size)
		return;
	sum = strtod(size->value, &unit);
	for (i = 0; array && op && i < MC_OP_SUM; i++)
		sum *= strcmp(mc_ops[i].name, op->value) ? 1 : mc_ops[i].arrays;
	for (i = 0; on && on->value[i]; i++)
		groups += on->value[i] == '@';
	if (bytes) {
		sum = groups * ((u64)sum & ~63ULL);
	} else if (req && mc_test_of(req->spec)->shares && !req->any_cpu) {
		mc_engine_cpus(req, &e);
		sum *= max(req->ncpus, 1U);
	}
	put("size", keep("%.15g%s", sum, unit), size->from, size->weak);
}

static bool has_key(const char *test, const char *key)
{
	const struct mc_request *req = parse(test);
	unsigned int id;

	for (id = 0; req && id < req->nkeys; id++) {
		if (!strcmp(mc_key_of(req->spec, id)->name, key))
			return true;
	}
	return !req;
}

/* Put what only the whole request tells. */
static void finish(void)
{
	const struct word *word = find_word(":with"), *cpu = find_word("cpu");
	const struct word *test = find_word("");

	if (word && cpu && !cpu->weak)		/* one more CPU, where CPUs are asked for */
		put("cpu+", word->value, word->from, false);
	put_cpus();
	put_node();
	put_size();
	for (word = w.word; w.program && word < w.word + w.n; word++) {
		if (!isalpha(*word->key))	/* the test, or for the words above */
			continue;
		if (!*word->value)
			refuse(keep("%s " HAS_NONE " without %s=", word->from, word->key));
		if (*word->from == '-' && test && !has_key(test->value, word->key))
			refuse(keep("%s: %s has no %s=", word->from, test->value, word->key));
	}
}

/* ------------------------------------------------------------ calls of other programs */

/* Does a row name a test, or a suite? The one of a mode takes the place of its program's. */
static bool names_test(const struct mc_foreign_word *row)
{
	return !strncmp(row->ours, ":suite", 6) ||
	       (isalpha(*row->ours) && row->ours[strcspn(row->ours, " =")] != '=');
}

/* Say a call of w.program, with these arguments, in words of ours. */
static void translate(const char *text)
{
	struct match found[MOST], *end = found, *base = NULL, *m, other;
	const struct word *of;
	const char *word;
	char **variable;
	int letters;

	if (strlen(text) > MC_LINE_MAX)
		return refuse("the call is too long");
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		if (end == found + MOST)
			return refuse(TOO_MANY);
		word = keep("%.*s", (int)strcspn(text, " "), text);
		if (find_row(w.program, text, end)) {
			if (end->row->how == MC_NONE)
				return apply(end, end->from, false);
			/* MLC's -T changes a mode. */
			if (names_test(end->row) && (!base || text[1] != '-'))
				base = end;
			word = end++->from;
		} else if (*word != '-' && strchr(word, '=')) {
			end++->from = word;
		} else if (find_row(w.program, "", &other) && other.row->how == MC_NONE &&
			   mc_user_program(word)) {
			w.program = mc_user_program(word);
		} else {
			return refuse(keep(MANUAL, word, w.program));
		}
		text += strlen(word);
	}
	find_row(w.program, "", &other);
	apply(base ?: &other, base ? base->from : w.program, true);
	of = find_word("") ?: find_word(":suite");
	for (m = found; m < end && of; m++) {
		if (!m->row) {
			put_word(m->from, m->from, false);
			continue;
		}
		/* An option twice says two things, and so do two modes. */
		letters = names_test(m->row) || m->from[1] != '-' ? 2 : strcspn(m->from, "= ");
		if (*m->from == '-' && m->row->how != MC_MORE)
			put(keep(":%s %.*s", m->row->of, letters, m->from), m->from, m->from,
			    false);
		if (names_test(m->row))
			continue;
		w.asked = true;
		/* The row of the option in this test, if there is one. */
		if (find_row(keep("%s %s", m->row->of, of->value), m->from, &other))
			*m = other;
		apply(m, m->from, false);
	}
	for (variable = environ; *variable; variable++) {
		if (!find_row(w.program, *variable, &other))
			continue;
		if (strcmp(other.from, *variable))
			refuse(keep("%s " HAS_NONE, *variable));
		apply(&other, other.from, true);
	}
}

/* ------------------------------------------------------------------- a request of ours */

/* Put the key of a word, or a word without one, into small letters. */
static char *lower(char *word)
{
	for (char *c = word; *c && *c != '='; c++)
		*c = tolower(*c);
	return word;
}

/* Put a line into words of ours. */
static void put_line(const char *line)
{
	const char *text = line + strspn(line, " "), *name = text;
	char *words, *word, *mode;
	struct match m;

	/* Variables of the environment may precede a program; here they come last. */
	while (isupper(*name) && strcspn(name, "=") < strcspn(name, " ")) {
		name += strcspn(name, " ");
		name += strspn(name, " ");
	}
	word = lower(keep("%.*s", (int)strcspn(name, " "), name));
	mode = keep("--%s", word + strspn(word, "-"));		/* of MLC, without its program */
	w.program = mc_user_program(word) ?: mc_user_program(mode);
	if (w.program)
		return translate(keep("%s%s %.*s", find_row("mlc", mode, &m) ? mode : "",
				      name + strlen(word), (int)(name - text), text));
	if (name == text && !find_row("", word, &m) && parse(keep("bandwidth op=%s", word)))
		text = keep("bandwidth op=%s%s", word, text + strlen(word));
	for (words = keep("%s", text); (word = strsep(&words, " ")); ) {
		if (*word)
			put_word(lower(word), word, !w.n);
	}
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
	const struct word *suite;
	char *made, *of, *notes = "";
	unsigned int i;

	memset(&w, 0, sizeof(w));
	if (parse(*line)) {
		if (print)
			printf("%s\n", *line);
		return 0;
	}
	put_line(*line);
	finish();
	/* A suite has no keys but its own: those of a test are asked for. */
	suite = find_word("") && (!print || w.asked) ? NULL : find_word(":suite");
	made = suite && find_word("") ? "" : say();
	if (suite)
		made = keep("suite %s%s%s", suite->value, *made ? " " : "", made);
	if (w.refused)
		return -EINVAL;
	/* The parser names a wrong word with the letters that the user typed. */
	if (!strcasecmp(made, *line) && !parse(made))
		made = keep("%s", *line);
	if (suite && !print) {
		mc_user_note("%s: the front end measures this: memcache run %s", *line,
			     suite->value);
		return -EINVAL;
	}
	if (print)
		printf("%s\n", made);
	else if (strcasecmp(made, *line))
		mc_user_note("%s: this is %s", *line, made);
	for (i = 0; i < w.notes; i++) {
		/* One that begins with key=value is of requests that have it. */
		of = keep("%.*s", (int)strcspn(w.note[i], " "), w.note[i]);
		if (!strstr(notes, w.note[i]) && (!strchr(of, '=') || strstr(made, of)))
			notes = keep("%s%s%s", notes, *notes ? "; " : "", w.note[i]);
	}
	if (*notes)
		mc_user_note("%s: %s", *line, notes);
	free(*line);
	*line = made;
	return 0;
}
