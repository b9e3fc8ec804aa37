// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requests of a call: all are checked, and then each is measured; the counterpart of
 * module/kernel/run.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elsewhere.h"
#include "measure/engine.h"
#include "measure/target.h"
#include "platform/os.h"
#include "user.h"

/* A request of the call: what was typed, and what it means. */
struct job {
	char *line;
	struct mc_request req;
};

static const struct mc_user_view *view;

void mc_user_result(struct mc_run *run, const struct mc_record *rec)
{
	mc_user_progress_clear();
	if (view->result)
		view->result(run->req, rec);
}

/* A request's line may come in several words, as a shell passes them without quotes. */
static bool continues(char **word)
{
	return strcspn(*word, "=") < strcspn(*word, " ") || (word[1] && *word[1] == '=');
}

/* Are they sizes without a key, as in latency 1M or 4K..1M,8M? */
static bool is_size(const char *word)
{
	return *word >= '0' && *word <= '9' && !word[strspn(word, "0123456789.,KMGkmgiBb")];
}

/* Is this the end of a word, as in size = 4K or size= 4K? */
static bool joins(const char *line, const char *word)
{
	return *word == '=' || (line[strlen(line) - 1] == '=' && !strpbrk(word, "= "));
}

/* Return: the requests of these words, or NULL if there is no memory. */
static struct job *join(char **word, unsigned int *n)
{
	struct job *jobs = NULL, *more;
	char *line;

	for (*n = 0; *word; word++) {
		const char *last = *n ? jobs[*n - 1].line : "";
		bool pair = *last && joins(last, *word), size = *last && !pair && is_size(*word);

		if (size)
			fprintf(stderr, "memcache-user: %s: this is size=%s\n", *word, *word);
		if (*last && (pair || size || continues(word))) {
			if (asprintf(&line, "%s%s%s%s", last, pair ? "" : " ", size ? "size=" : "",
				     *word) < 0)
				return NULL;
			free(jobs[*n - 1].line);
			jobs[*n - 1].line = line;
			continue;
		}
		more = realloc(jobs, (*n + 1) * sizeof(*jobs));
		line = more ? strdup(*word) : NULL;
		if (!line)
			return NULL;
		jobs = more;
		jobs[(*n)++].line = line;
	}
	return jobs;
}

/* A long list of words in an error is a table below it, unless a program reads the errors. */
static bool print_list(const char *text, const char *line, unsigned int n)
{
	static const char intro[] = " is not one of ";
	static char before[MC_LINE_MAX];	/* the list that was printed last */
	const char *list = strstr(text, intro), *end;
	unsigned int columns = min(mc_user_columns(STDERR_FILENO), 100), at, wide = 0;
	size_t len;

	list = list ? list + strlen(intro) : NULL;
	end = list ? list + strcspn(list, "; ") : NULL;
	if (!list || end - list < 60 || view == &mc_user_json)
		return false;
	bool again = !strncmp(before, list, end - list) && !before[end - list];

	fprintf(stderr, "%.*s%s%s", (int)(list - text), text, again ? "those" : "these", end);
	fprintf(stderr, n > 1 ? " (in: %s)\n" : "\n", line);
	if (again)
		return true;
	snprintf(before, sizeof(before), "%.*s", (int)(end - list), list);
	for (const char *word = list; word < end; word += len + 1) {
		len = strcspn(word, "|; ");
		wide = max(wide, (unsigned int)len + 2);
	}
	for (at = 0; list < end; list += len + 1) {
		len = strcspn(list, "|; ");
		bool last = at + 2 * wide + 2 > columns || list + len >= end;

		fprintf(stderr, "%*s%-*.*s%s", at ? 0 : 2, "", last ? 0 : (int)wide, (int)len, list,
			last ? "\n" : "");
		at = last ? 0 : at + wide;
	}
	if (!strncmp(text, "test: ", 6))
		fprintf(stderr, "Suites and commands are those of memcache: memcache list\n");
	return true;
}

/* With several requests the message says which one is meant. */
static void report(const struct mc_error *e, const struct job *job, unsigned int n)
{
	mc_user_progress_clear();
	if (e->err == -EINTR && view->screen) {
		fprintf(stderr, "memcache-user: " MC_USER_STOPPED "\n");
		return;
	}
	fprintf(stderr, "memcache-user: %s: ", strerror(-e->err));
	if (!print_list(e->text, job->line, n))
		fprintf(stderr, n == 1 ? "%s\n" : "%s (in: %s)\n", e->text, job->line);
}

/* Read a request, with what it means on this machine. */
static int understand(struct job *job, struct mc_error *e)
{
	int err = mc_request_parse(&job->req, job->line, strlen(job->line), mc_specs, e);

	if (err)
		return err;
	job->req.room = mc_target_room(&job->req);
	return mc_engine_cpus(&job->req, e);
}

/* Do everything that comes before measuring. */
static int check(struct job *job, struct mc_error *e)
{
	struct mc_run run = { .req = &job->req, .side = &mc_user_side };
	int err;

	if (understand(job, e))
		return e->err;
	err = mc_engine_check(&run);
	*e = run.error;
	return err;
}

/* Return: an exit status. A wrong request is a wrong call. */
static int check_all(struct job *jobs, unsigned int n)
{
	int status = MC_USER_DONE;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct mc_error e = { 0 };
		int err = mc_user_usual(&jobs[i].line, false);

		if (!err)
			err = check(&jobs[i], &e);
		if (e.err)
			report(&e, &jobs[i], n);
		if (err == -EINVAL)
			status = MC_USER_USAGE;
		else if (err && !status)
			status = MC_USER_FAILED;
	}
	if (status && n > 1)
		fprintf(stderr, "memcache-user: nothing was measured\n");
	return status;
}

/* Did other threads have the CPU in most samples of some record? */
static bool others_had_cpus(const struct mc_record *records, u64 n)
{
	const struct mc_record *rec;

	for (rec = records; rec < records + n; rec++) {
		if (2 * rec->disturbed[__builtin_ctz(MC_BY_PREEMPTION)] >
		    rec->stats.samples + rec->stats.left_out)
			return true;
	}
	return false;
}

static void print_note(const struct mc_request *req, const struct mc_record *records, u64 n,
		       bool stopped)
{
	char note[192] = "";
	struct mc_text t = MC_TEXT(note);

	mc_engine_note(&t, req, records, n);
	if (!*note && stopped && others_had_cpus(records, n))
		mc_textf(&t, "sched: a limit of CPU time stopped the threads; "
			 "raise cpu.max of the control group, --cpus of the container\n");
	if (!*note && req->values[MC_KEY_SCHED].v[0] == MC_AUTO && mc_user_sched_needs() &&
	    others_had_cpus(records, n))
		mc_textf(&t, "sched: others had the CPUs; to go before them needs %s\n",
			 mc_user_sched_needs());
	if (!*note && !strcmp(req->spec->name, "mmio") && !mc_request_given(req, MC_KEY_TARGET) &&
	    !mc_request_given(req, MC_KEY_TYPE))
		mc_textf(&t, "this timed memory; target=DEVICE/BAR times a device\n");
	if (*note && !view->screen)
		fprintf(stderr, "memcache-user: note: %s", note);
}

static int measure(const struct job *job, struct mc_error *e)
{
	struct mc_run run = { .req = &job->req, .side = &mc_user_side };
	struct mc_record *records = calloc(mc_engine_records(run.req), sizeof(*records));
	struct mc_user_room before, after;
	u64 i, n = 0;
	int err;

	mc_user_room(&before);
	mc_user_progress_name(job->line);
	if (view->begin)
		view->begin(run.req);
	err = records ? mc_engine_measure(&run, records, &n) :
			mc_fail(&run.error, -ENOMEM, "line: no memory");
	mc_user_progress_clear();
	if (view->end)
		view->end(&run, records, n, err);
	mc_user_save(&run, records, n, err);
	mc_user_room(&after);
	print_note(run.req, records, n, after.stops > before.stops);
	for (i = 0; i < n; i++) {
		mc_free(records[i].histogram);
		mc_free(records[i].tail);
	}
	free(records);
	*e = run.error;
	return err;
}

static int measure_all(const struct job *jobs, unsigned int n)
{
	int status = MC_USER_DONE;
	u64 samples = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		samples += mc_engine_samples(&jobs[i].req);
	mc_user_progress_begin(samples);
	for (i = 0; i < n && !mc_user_interrupted(); i++) {
		struct mc_error e = { 0 };
		int err = measure(&jobs[i], &e);

		if (mc_user_flush())
			return MC_USER_FAILED;
		if (err) {
			report(&e, &jobs[i], n);
			status = MC_USER_FAILED;
		}
	}
	return status;
}

/*
 * Measure the requests of these words, and show them by @with.
 * Return: the exit status of the program, unless a signal has come.
 */
int mc_user_run(char **words, const struct mc_user_view *with)
{
	unsigned int i, n;
	struct job *jobs = join(words, &n);
	int status;

	if (!jobs) {
		fprintf(stderr, "memcache-user: no memory\n");
		return MC_USER_FAILED;
	}
	view = with;
	status = check_all(jobs, n);
	if (!status && view->start)
		view->start();
	status = status ? status : measure_all(jobs, n);
	for (i = 0; i < n; i++)
		free(jobs[i].line);
	free(jobs);
	return status;
}

/* Print the requests of these words in words of ours. Return: the exit status of the program. */
int mc_user_translate_all(char **words)
{
	unsigned int i, n;
	struct job *jobs = join(words, &n);
	int status = jobs ? MC_USER_DONE : MC_USER_FAILED;

	for (i = 0; jobs && i < n; i++) {
		if (mc_user_usual(&jobs[i].line, true))
			status = MC_USER_USAGE;
		free(jobs[i].line);
	}
	free(jobs);
	return status ? status : mc_user_flush();
}

/*
 * Print how many results each of these requests gives, or `na` if it is wrong here; about how many
 * if there is one for each region. Return: the exit status of the program.
 */
int mc_user_records(char **words)
{
	unsigned int i, n;
	struct job *jobs = join(words, &n);
	struct mc_error e;
	int err;

	for (i = 0; jobs && i < n; i++) {
		struct mc_request *req = &jobs[i].req;

		e = (struct mc_error){ 0 };
		err = understand(&jobs[i], &e);
		if (err && err != -E2BIG) {
			printf("na\n");
			continue;
		}
		/* The engine has room for more: memory has holes. */
		if (req->regions) {
			u64 most = mc_request_max(req, MC_KEY_SIZE);
			unsigned int region = mc_test_of(req->spec)->region;

			req->regions = mc_user_regions_now(most, mc_request_max(req, region));
		}
		printf("%llu\n", mc_engine_records(req));
	}
	return jobs ? mc_user_flush() : MC_USER_FAILED;
}
