// SPDX-License-Identifier: GPL-2.0-only
/*
 * memcache-user: the module's requests, measured in user space.
 *
 *   $ memcache-user 'bandwidth op=read,write size=16K..16M'
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/engine.h"
#include "platform/clock.h"
#include "platform/cpus.h"
#include "platform/os.h"
#include "platform/version.h"
#include "user.h"

/* Exit statuses, the same as the front end's. */
enum { DONE, FAILED, USAGE, INTERRUPTED = 130 };

static const char usage[] =
	"usage: memcache-user [-j] [--own] [--counters FILE] REQUEST...\n"
	"       memcache-user [-j] --tests | --version | --help\n"
	"\n"
	"Measures memory from user space, with the loops and the request lines of the\n"
	"memcache module: TEST [key=value]..., e.g.\n"
	"  memcache-user 'bandwidth op=read,write size=16K..16M cpu=0'\n"
	"\n"
	"  -j, --json   JSON Lines, as the module's results.jsonl\n"
	"  --own        own memory, even if the module's devices are there\n"
	"  --counters FILE\n"
	"               perf counters of DRAM traffic, as in the module's `counters`\n"
	"  --tests      the tests, their keys, presets and allowed values; with -j all\n"
	"               that they say of themselves, as one JSON object\n"
	"\n"
	"Memory: the pages of /dev/memcache_wb, _wc, _uc where the module is loaded and\n"
	"they are large enough; else own anonymous memory (type=wb) in pages of 4 KiB\n"
	"(page=auto, 4k), in huge pages (2m) or in transparent huge pages (thp).\n"
	"Exit status: 0, 1 if a request failed, 2 for a wrong call, 130 after Ctrl-C.\n";

static void on_signal(int number)
{
	mc_user_interrupt();
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* Results that could not be written are a failure. */
static int flush_stdout(void)
{
	int err = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;

	if (err)
		fprintf(stderr, "memcache-user: stdout: %s\n", strerror(err));
	return err ? FAILED : DONE;
}

/* Print a text of up to @size bytes, made by @make. */
static void print_text(size_t size, void (*make)(struct mc_text *t))
{
	struct mc_text t = { .buf = calloc(1, size), .size = size };

	if (!t.buf)
		return;
	make(&t);
	fputs(t.buf, stdout);
	free(t.buf);
}

static void tests_text(struct mc_text *t)
{
	const struct mc_spec *const *spec;

	for (spec = mc_specs; *spec; spec++)
		mc_spec_show(t, *spec);
}

static void print_table(const struct mc_request *req,
			const struct mc_record *records, u64 n)
{
	static char row[MC_ROW_MAX];
	struct mc_layout layout;
	struct mc_text t;
	u64 i;

	mc_layout_init(&layout, req);
	for (i = 0; i < n; i++)
		mc_layout_fit(&layout, req, &records[i]);
	for (i = 0; i <= n; i++) {
		t = (struct mc_text)MC_TEXT(row);
		if (i)
			mc_record_row(&t, &layout, req, &records[i - 1]);
		else
			mc_header_show(&t, &layout, req);
		fputs(row, stdout);
	}
}

static void print_json(const struct mc_run *run, const struct mc_record *records,
		       u64 n, const char *state)
{
	static char line[MC_REQUEST_JSON_MAX];
	struct mc_text t = MC_TEXT(line);
	u64 i;

	mc_request_json(&t, run->req, "user", state, &run->error, n);
	fputs(line, stdout);
	for (i = 0; i < n; i++) {
		t = (struct mc_text)MC_TEXT(line);
		mc_record_json(&t, run->req, "user", &records[i]);
		fputs(line, stdout);
	}
}

static void print_note(const struct mc_record *records, u64 n)
{
	char note[160] = "";
	struct mc_text t = MC_TEXT(note);

	mc_engine_note(&t, records, n);
	if (*note)
		fprintf(stderr, "memcache-user: note: %s", note);
}

/* Return: 0 or a negative errno, which has been reported. */
static int run_line(const char *line, bool json)
{
	static struct mc_request req;
	struct mc_run run = { .req = &req, .side = &mc_user_side };
	struct mc_record *records = NULL;
	u64 i, n = 0;
	int err = mc_request_parse(&req, line, strlen(line), mc_specs,
				   &run.error);

	if (!err)
		err = mc_engine_cpus(&req, &run.error);
	if (!err) {
		records = calloc(mc_engine_records(&req), sizeof(*records));
		err = records ? mc_engine_measure(&run, records, &n) :
				mc_fail(&run.error, -ENOMEM, "line: no memory");
		if (json && (n || !err))
			print_json(&run, records, n, mc_engine_state(err, n));
		else if (n)
			print_table(&req, records, n);
	}
	print_note(records, n);
	for (i = 0; i < n; i++)
		mc_free(records[i].histogram);
	free(records);
	if (flush_stdout() != DONE)
		return -EIO;
	if (err)
		fprintf(stderr, "memcache-user: %s: %s\n", strerror(-err),
			run.error.text);
	return err;
}

static int run_lines(char **line, bool json)
{
	int status = DONE;

	if (json)
		print_text(MC_MACHINE_MAX, mc_user_machine_json);
	for (; *line && !mc_user_interrupted() && !ferror(stdout); line++) {
		if (run_line(*line, json))
			status = FAILED;
	}
	return mc_user_interrupted() ? INTERRUPTED : status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "own", no_argument, NULL, 'o' },
		{ "counters", required_argument, NULL, 'c' },
		{ "tests", no_argument, NULL, 't' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	bool json = false, own = false, tests = false;
	struct mc_error e = { 0 };
	int c, status;

	while ((c = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 'o':
			own = true;
			break;
		case 'c':
			if (mc_user_counters(optarg, &e)) {
				fprintf(stderr, "memcache-user: %s: %s\n",
					strerror(-e.err), e.text);
				return FAILED;
			}
			break;
		case 't':
			tests = true;
			break;
		case 'v':
			printf("memcache-user %s\n", mc_version);
			return flush_stdout();
		case 'h':
			fputs(usage, stdout);
			return flush_stdout();
		default:
			fputs(usage, stderr);
			return USAGE;
		}
	}
	if (tests) {
		print_text(262144, json ? mc_user_describe : tests_text);
		return flush_stdout();
	}
	if (optind == argc) {
		fputs(usage, stderr);
		return USAGE;
	}
	catch_signals();
	status = mc_cpus_init();
	if (status) {
		fprintf(stderr, "memcache-user: %s: the CPUs can't be looked at\n",
			strerror(-status));
		return FAILED;
	}
	mc_clock_init();
	mc_detector_init();
	mc_user_memory_init(own);
	status = run_lines(argv + optind, json);
	mc_user_memory_end();
	mc_cpus_exit();
	return status;
}
