// SPDX-License-Identifier: GPL-2.0-only
/*
 * memcache-user: the module's requests, measured in user space.
 *
 *   $ memcache-user 'bandwidth op=read,write size=16K..16M'
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/meant.h"
#include "elsewhere.h"
#include "platform/clock.h"
#include "platform/cpus.h"
#include "platform/os.h"
#include "platform/version.h"
#include "user.h"

static const char usage[] =
	"usage: memcache-user [OPTION...] [REQUEST...]\n"
	"       memcache-user --counters FILE --count COMMAND [ARGUMENT...]\n"
	"       memcache-user --translate | --records REQUEST...\n"
	"       memcache-user --as PROGRAM [ARGUMENT...]\n"
	"       memcache-user [-j] --tests [NAME...] | --machine | --search\n"
	"       memcache-user --version | --help\n"
	"\n"
	"Measures memory from user space. Without a request: latency and bandwidth of\n"
	"each cache and of memory, on one CPU and on all, in 10 to 20 seconds. Requests\n"
	"are those of the memcache module, TEST [key=value]..., with the same loops, e.g.\n"
	"  memcache-user bandwidth op=read,write size=16K..16M cpu=0\n"
	"A word with = belongs to the request before it. All requests are checked before\n"
	"the first one is measured. Calls of Intel MLC, lmbench, likwid-bench, STREAM and\n"
	"mbw are understood, and words such as triad, threads=2, op=2:1, size=1.5M:\n"
	"  memcache-user lat_mem_rd 64 128\n"
	"The words help, version and list are these options.\n"
	"\n"
	"  -j, --json   JSON Lines, as the module's results.jsonl\n"
	"  --wide       all columns, even if the terminal is narrower\n"
	"  --quick      without a request: fewer samples, and no other forms\n"
	"  --save FILE  write all results to FILE, too, as JSON Lines\n"
	"  --own        own memory, even if the module's devices are there\n"
	"  --counters FILE\n"
	"               perf counters of DRAM traffic and events of the cores, as in the\n"
	"               module's `counters`\n"
	"  --loop FILE  the loop of op=own, which this program then executes: a shared\n"
	"               object that `memcache loop` has built\n"
	"  --memory FILE[,OPTIONS]\n"
	"               memory that a shared object makes, see memcache_memory.h;\n"
	"               requests, which it needs, name its type\n"
	"  --count      run a command, then print the DRAM traffic of the machine while\n"
	"               it ran; exit with its status\n"
	"  --as         print in the layout of mlc, lat_mem_rd, bw_mem, stream,\n"
	"               likwid-bench or multichase, as links of these names do; what\n"
	"               there is to say goes to the file in MEMCACHE_NOTES, or to syslog\n"
	"  --translate  measure nothing: print the requests in words of memcache, a line\n"
	"               each; `suite NAME [key=value]...` is for memcache run\n"
	"  --records    measure nothing: print how many results each request gives here\n"
	"  --machine    measure no request: print the record that results begin with\n"
	"  --search     measure no request: find the last cache by the time of loads, in\n"
	"               some seconds, unless this was done since the machine started\n"
	"  --tests      the tests, their keys, presets and allowed values; with -j all\n"
	"               that they say of themselves, as one JSON object\n"
	"\n"
	"Memory: the pages of /dev/memcache_wb, _wc, _uc where the module is loaded and\n"
	"they are large enough; else own anonymous memory (type=wb) in pages of 4 KiB\n"
	"(page=auto, 4k), in huge pages (2m) or in transparent huge pages (thp).\n"
	"Exit status: 0; 1: a request failed, or can't be measured here; 2: the call or\n"
	"a request is wrong; 128 and its number after a signal: 130 after Ctrl-C.\n";

static atomic_int signalled;

/* Signals whose default is no end of the process, and those that can't be caught. */
static bool ends_process(int number)
{
	static const int others[] = {
		SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (others[i] == number)
			return false;
	}
	return true;
}

/* A fault would come again at once: the thread can't go on. */
static bool is_fault(int number, const siginfo_t *info)
{
	return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGILL ||
				     number == SIGFPE || number == SIGTRAP || number == SIGSYS);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	if (is_fault(number, info)) {
		signal(number, SIG_DFL);
		return;
	}
	signalled = number;
	mc_user_interrupt();
}

/*
 * A signal ends the run, and then this program, which gives devices back as they were. What
 * nohup ignores stays ignored; a shell sets SIGINT to be ignored in the background, where
 * kill -INT must work.
 */
static void catch_signals(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct sigaction old;
	int number;

	for (number = 1; number <= SIGRTMAX; number++) {
		if (!ends_process(number) || sigaction(number, NULL, &old))
			continue;
		if (old.sa_handler == SIG_DFL || number == SIGINT || number == SIGTERM)
			sigaction(number, &action, NULL);
	}
}

static void tests_text(struct mc_text *t)
{
	mc_specs_show(t, mc_specs);
}

/* A file that an option names is not taken. */
static int refused(const struct mc_error *e, int status)
{
	fprintf(stderr, "memcache-user: %s: %s\n", strerror(-e->err), e->text);
	return status;
}

/*
 * A call of another program in place of requests, such as memcache-user bw_mem 64M rd, becomes one
 * word, since its arguments are no options of ours.
 */
static void take_call(int *argc, char **argv)
{
	char **word = argv + 1, **name, **more, *line, *longer;

	while (*word && **word == '-' && !mc_user_program(*word))
		word++;
	/* Variables of the environment may precede a program. */
	for (name = word; *name && isupper(**name) && strchr(*name, '='); name++)
		;
	if (!*name || !mc_user_program(*name))
		return;
	if (asprintf(&line, "%s%s", **word == '-' ? "mlc " : "", *word) < 0)
		return;
	for (more = word + 1; *more; more++) {
		if (asprintf(&longer, "%s %s", line, *more) < 0)
			return;
		free(line);
		line = longer;
	}
	*word = line;
	word[1] = NULL;
	*argc = word + 1 - argv;
}

/* memcache-user help, version and list are options of these names. */
static void take_word(int argc, char **argv)
{
	char *option = NULL;

	if (argc == 2 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "version")))
		option = strcmp(argv[1], "help") ? strdup("--version") : strdup("--help");
	else if (argc > 1 && !strcmp(argv[1], "list"))
		option = strdup("--tests");
	if (option)
		argv[1] = option;
}

/* The first lines of the help. */
static void print_synopsis(void)
{
	fwrite(usage, 1, strstr(usage, "\n\n") + 1 - usage, stderr);
}

/* The options of the call. @unmeasured does something else with requests than measure them. */
static struct {
	int json, no_devices, quick, tests, count, machine, search;
	int (*unmeasured)(char **words);
} asked;

static const struct option options[] = {
	{ "json", no_argument, &asked.json, 1 },
	{ "own", no_argument, &asked.no_devices, 1 },
	{ "wide", no_argument, &mc_user_wide, 1 },
	{ "quick", no_argument, &asked.quick, 1 },
	{ "save", required_argument, NULL, 's' },
	{ "counters", required_argument, NULL, 'c' },
	{ "loop", required_argument, NULL, 'l' },
	{ "memory", required_argument, NULL, 'm' },
	{ "count", no_argument, &asked.count, 1 },
	{ "tests", no_argument, &asked.tests, 1 },
	{ "translate", no_argument, NULL, 'r' },
	{ "records", no_argument, NULL, 'R' },
	{ "machine", no_argument, &asked.machine, 1 },
	{ "search", no_argument, &asked.search, 1 },
	{ "version", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

/* Print the synopsis, and the error below it. Return: an exit status. */
static int refuse_option(int c, int letter, const char *word)
{
	const struct option *option;
	struct mc_suggestion meant = { .s = word + 2, .len = strcspn(word, "=") - 2 };
	char text[80] = "";
	struct mc_text t = MC_TEXT(text);

	print_synopsis();
	if (c == ':') {
		fprintf(stderr, "memcache-user: %s needs a value\n", word);
		return MC_USER_USAGE;
	}
	for (option = options; !strncmp(word, "--", 2) && option->name; option++)
		mc_suggestion_try(&meant, option->name);
	if (meant.word)
		mc_textf(&t, "; did you mean --%s?", meant.word);
	if (!strncmp(word, "--", 2))
		fprintf(stderr, "memcache-user: no option %s%s\n", word, text);
	else
		fprintf(stderr, "memcache-user: no option -%c%s\n", letter,
			letter == 'o' ? "; --save FILE writes results" : "");
	return MC_USER_USAGE;
}

static int start(bool no_devices)
{
	int err;

	catch_signals();
	err = mc_cpus_init();
	if (err) {
		fprintf(stderr, "memcache-user: %s: the CPUs can't be looked at\n", strerror(-err));
		return err;
	}
	mc_clock_init();
	mc_detector_init();
	mc_user_memory_init(no_devices);
	return 0;
}

static int end(int status)
{
	mc_user_memory_end();
	mc_cpus_exit();
	return signalled ? 128 + signalled : status;
}

#define GO_ON	-1

/* Take an option, or refuse it. Return: GO_ON, or an exit status: the program ends. */
static int take_option(int c, char **argv)
{
	struct mc_error e = { 0 };
	int err;

	switch (c) {
	case 0:		/* a switch */
		break;
	case 'j':
		asked.json = 1;
		break;
	case 's':
		err = mc_user_save_to(optarg);
		if (!err)
			break;
		fprintf(stderr, "memcache-user: %s: %s\n", optarg, strerror(-err));
		return MC_USER_FAILED;
	case 'c':
		if (mc_user_counters(optarg, &e))
			return refused(&e, MC_USER_FAILED);
		break;
	case 'l':
	case 'm':
		if (c == 'l' ? mc_user_loop(optarg, &e) : mc_user_object(optarg, argv, &e))
			return refused(&e, e.err == -EINVAL ? MC_USER_USAGE : MC_USER_FAILED);
		break;
	case 'r':
	case 'R':
		asked.unmeasured = c == 'r' ? mc_user_translate_all : mc_user_records;
		break;
	case 'v':
	case 'V':
		printf("memcache-user %s\n", mc_version);
		return mc_user_flush();
	case 'h':
		fputs(usage, stdout);
		return mc_user_flush();
	default:
		return refuse_option(c, optopt, argv[optind - 1]);
	}
	return GO_ON;
}

/* Why the options do not go with the words behind them, or without any; NULL: they do. */
static const char *misused(bool words)
{
	if (words)
		return asked.quick ? "--quick is for a call without a request" : NULL;
	if (asked.count)
		return "--count needs a command";
	if (asked.unmeasured)
		return asked.unmeasured == mc_user_records ? "--records needs a request" :
							      "--translate needs a request";
	/* The sizes and the type of such memory are not known before it is asked for some. */
	return asked.tests || !mc_user_has_object() ? NULL :
	       "--memory needs a request, such as latency type=wc size=1M";
}

/* Do what needs to know the machine. Return: an exit status. */
static int measure(char **words)
{
	int status;

	if (start(asked.no_devices))
		return MC_USER_FAILED;
	if (asked.machine) {
		mc_user_print(MC_MACHINE_MAX, mc_user_machine_json);
		return end(mc_user_flush());
	}
	if (asked.unmeasured)
		status = asked.unmeasured(words);
	else if (asked.search)
		status = mc_user_search();
	else if (!*words)
		status = mc_user_overview(asked.json, asked.quick);
	else
		status = mc_user_run(words, asked.json ? &mc_user_json : &mc_user_table);
	return end(mc_user_saved() && !status ? MC_USER_FAILED : status);
}

/* Measure and print as another program does. Return: GO_ON: no other program is meant. */
static int stand_in(const char *word, bool as, char **args)
{
	const char *name = word ? mc_user_stands_in(word) : NULL;

	if (name)
		return start(true) ? MC_USER_FAILED : end(mc_user_stand_in(name, args));
	if (!as)
		return GO_ON;
	fprintf(stderr, "memcache-user: --as needs %s%s%s\n",
		"mlc, lat_mem_rd, bw_mem, stream, likwid-bench or multichase",
		word ? ", not " : "", word ?: "");
	return MC_USER_USAGE;
}

int main(int argc, char **argv)
{
	bool as = argc > 1 && !strcmp(argv[1], "--as");
	int c, status = stand_in(argv[as ? 2 : 0], as, argv + (as ? 3 : 1));

	if (status != GO_ON)
		return status;
	take_call(&argc, argv);
	take_word(argc, argv);
	opterr = 0;
	/* What follows --count is of the command. */
	while (!asked.count && (c = getopt_long(argc, argv, ":jhV", options, NULL)) != -1) {
		status = take_option(c, argv);
		if (status != GO_ON)
			return status;
	}
	if (asked.count && optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	argv += optind;
	if (misused(*argv)) {
		print_synopsis();
		fprintf(stderr, "memcache-user: %s\n", misused(*argv));
		return MC_USER_USAGE;
	}
	if (asked.count) {
		mc_clock_init();
		return mc_user_count(argv);
	}
	if (asked.unmeasured == mc_user_translate_all)
		return mc_user_translate_all(argv);
	if (asked.tests && !asked.json && *argv)
		return mc_user_tests(argv);
	if (asked.tests) {
		mc_user_print(262144, asked.json ? mc_user_describe : tests_text);
		return mc_user_flush();
	}
	return measure(argv);
}
