// SPDX-License-Identifier: GPL-2.0-only
/* Results as a table, row by row as they come, and as JSON Lines, request by request. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/engine.h"
#include "user.h"

static FILE *saved;
static const char *saved_path;
static int saved_errno, stdout_errno;	/* of the first write that failed */

/* Write a text. Of a large one nothing may be left that fflush() could fail to write. */
static void put(FILE *to, const char *text)
{
	int *first = to == stdout ? &stdout_errno : &saved_errno;

	if (fputs(text, to) < 0 && !*first)
		*first = errno;
}

/* Results that could not be written are a failure. Return: an exit status. */
int mc_user_flush(void)
{
	static bool said;
	int err = fflush(stdout) ? errno : stdout_errno ?: ferror(stdout) ? EIO : 0;

	/* A reader that has gone, such as head, knows. */
	if (err && err != EPIPE && !said)
		fprintf(stderr, "memcache-user: stdout: %s\n", strerror(err));
	said |= err;
	return err ? MC_USER_FAILED : MC_USER_DONE;
}

static void write_text(FILE *to, size_t size, void (*make)(struct mc_text *t))
{
	struct mc_text t = { .buf = calloc(1, size), .size = size };

	if (!t.buf)
		return;
	make(&t);
	put(to, t.buf);
	free(t.buf);
}

/* Print a text of up to @size bytes, made by @make. */
void mc_user_print(size_t size, void (*make)(struct mc_text *t))
{
	write_text(stdout, size, make);
}

/* ---------------------------------------------------------------- the table */

static struct mc_layout layout;
static bool headed;

/*
 * A record as long as those that may come: figures of up to seven digits, times of up to
 * a second, and value @i of each key.
 */
static void expected(struct mc_record *rec, const struct mc_request *req, unsigned int i)
{
	unsigned int k;
	u64 second = 1000000000000;

	*rec = (struct mc_record){
		.cpu = MC_CPU_ALL, .has = ~0U,
		.stats = { .samples = 100, .min_ps = second, .median_ps = second,
			   .max_ps = second, .cv_ppm = 1000000 },
	};
	for (k = 0; k < req->nkeys; k++) {
		const struct mc_values *values = &req->values[k];

		if (values->n)
			rec->point.v[k] = values->v[i % values->n];
	}
	/* `auto` becomes any mapping. */
	if (rec->point.v[MC_KEY_PAGE] == MC_PAGE_AUTO)
		rec->point.v[MC_KEY_PAGE] = MC_PAGE_DIRECT;
	for (k = 0; k < req->spec->ncolumns; k++) {
		const struct mc_column *column = &req->spec->columns[k];
		unsigned int digits;

		/* Few records have a text, and the first one tells. */
		if (column->text)
			rec->has &= ~(1U << k);
		rec->value[k] = column->names ? column->names->value : 1000000;
		for (digits = 0; !column->names && digits < column->decimals; digits++)
			rec->value[k] *= 10;
	}
}

/* On a narrow terminal, figures are left out in this order. */
static const char * const dispensable[] = {
	"memory_node", "attribute", "samples", "max_ns", "min_ns", "verified", "effective",
	"median_ns", "level", "cv_percent",
};

int mc_user_wide;

/* May this figure be left out? A memory type may have no effect, which must be seen. */
static bool can_go(const struct mc_request *req, const char *name)
{
	unsigned int i;

	if (!strcmp(name, "effective"))
		return mc_request_max(req, MC_KEY_TYPE) == MC_WB;
	if (strcmp(name, "median_ns"))
		return true;
	/* It is the figure of a test that has no other in the table. */
	for (i = 0; i < req->spec->ncolumns && req->spec->columns[i].json_only; i++)
		;
	return i < req->spec->ncolumns;
}

/* Leave keys out that do not tell rows apart: those that the user wrote, or the others. */
static void leave_keys_out(const struct mc_request *req, bool given, unsigned int columns)
{
	unsigned int id;

	for (id = req->nkeys; id-- && mc_layout_width(&layout, req) > columns; ) {
		const char *name = mc_key_of(req->spec, id)->column;

		/* Records of groups and CPUs differ in it. */
		if (id == MC_KEY_CPU && req->ngroups)
			continue;
		if (name && req->values[id].n < 2 && mc_request_given(req, id) == given)
			mc_layout_drop(&layout, req, name);
	}
}

/* Leave the test's own figures out, the last first, except those that a reader looks for. */
static void leave_figures_out(const struct mc_request *req, unsigned int columns)
{
	unsigned int i;

	for (i = req->spec->ncolumns; i-- && mc_layout_width(&layout, req) > columns; ) {
		const struct mc_column *col = &req->spec->columns[i];

		if (!(col->roles & (MC_MAIN | MC_OVER | MC_WHICH)))
			mc_layout_drop(&layout, req, col->name);
	}
}

/* Leave columns out until the table fits a terminal, as far as it goes. */
static void fit_terminal(const struct mc_request *req, unsigned int columns)
{
	unsigned int i;

	leave_keys_out(req, false, columns);
	for (i = 0; i < ARRAY_SIZE(dispensable) && mc_layout_width(&layout, req) > columns; i++) {
		if (can_go(req, dispensable[i]))
			mc_layout_drop(&layout, req, dispensable[i]);
	}
	leave_keys_out(req, true, columns);
	leave_figures_out(req, columns);
}

static void begin_table(const struct mc_request *req)
{
	struct mc_record rec;
	unsigned int i;

	mc_layout_init(&layout, req);
	for (i = 0; i < MC_MAX_VALUES; i++) {
		expected(&rec, req, i);
		mc_layout_fit(&layout, req, &rec);
	}
	headed = false;
}

static void show_row(const struct mc_request *req, const struct mc_record *rec)
{
	static char row[MC_ROW_MAX];
	struct mc_text t = MC_TEXT(row);
	struct mc_layout fitting = layout;

	/* A column that only some records have begins with the first of them. */
	if (mc_layout_fit(&fitting, req, rec) || !headed) {
		layout = fitting;
		if (isatty(STDOUT_FILENO) && !mc_user_wide)
			fit_terminal(req, mc_user_columns(STDOUT_FILENO));
		mc_header_show(&t, &layout, req);
		fputs(row, stdout);
		t = (struct mc_text)MC_TEXT(row);
		headed = true;
	}
	mc_record_row(&t, &layout, req, rec);
	fputs(row, stdout);
	mc_user_flush();
}

const struct mc_user_view mc_user_table = { .begin = begin_table, .result = show_row };

/* --------------------------------------------------------------- JSON Lines */

static void print_machine(void)
{
	mc_user_print(MC_MACHINE_MAX, mc_user_machine_json);
}

/* The request comes before its results and says how it ended, so all wait for its end. */
static void write_json(FILE *to, const struct mc_run *run, const struct mc_record *records,
		       u64 n, int err)
{
	static char line[MC_TAIL_ROW_MAX];
	struct mc_text t = MC_TEXT(line);
	u64 i;

	if (err && !n)
		return;
	mc_request_json(&t, run->req, "user", mc_engine_state(err, n), &run->error, n);
	put(to, line);
	for (i = 0; i < n; i++) {
		t = (struct mc_text)MC_TEXT(line);
		mc_record_json(&t, run->req, "user", &records[i]);
		put(to, line);
	}
}

static void print_json(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
	write_json(stdout, run, records, n, err);
}

const struct mc_user_view mc_user_json = { .start = print_machine, .end = print_json };

/* ------------------------------------------------------- a file beside either */

/* Write all results to this file, too, as JSON Lines. Return: 0, or a negative errno. */
int mc_user_save_to(const char *path)
{
	int fd = mc_user_open(path, O_WRONLY | O_CREAT);

	if (fd < 0)
		return fd;
	saved = fdopen(fd, "w");
	saved_path = path;
	return saved ? 0 : -errno;
}

/* Write the machine before the first request. */
void mc_user_save(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
	static bool begun;

	if (!saved || (err && !n))
		return;
	if (!begun)
		write_text(saved, MC_MACHINE_MAX, mc_user_machine_json);
	begun = true;
	write_json(saved, run, records, n, err);
	if (fflush(saved) && !saved_errno)
		saved_errno = errno;
}

/* Return: an exit status, as results that could not be written are a failure. */
int mc_user_saved(void)
{
	if (!saved || (!saved_errno && !fclose(saved)))
		return MC_USER_DONE;
	fprintf(stderr, "memcache-user: %s: %s\n", saved_path,
		strerror(saved_errno ? saved_errno : errno));
	return MC_USER_FAILED;
}
