// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other programs' layouts, for harnesses that call them: by a link of their name, or --as. Each
 * figure is measured by the request that calls.def has for the call, and what was not measured is
 * not printed. Every line on either stream may become a result of a harness, so messages go to the
 * file in MEMCACHE_NOTES, or to syslog.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <syslog.h>
#include <unistd.h>

#include "arch/loops.h"
#include "elsewhere.h"
#include "measure/engine.h"
#include "platform/cpus.h"
#include "user.h"

#define MOST_ARGS	80

/* The results of the last request. */
static struct got {
	struct mc_record rec;
	const struct mc_spec *spec;
} *got;
static unsigned int n_got;

static FILE *theirs;	/* the program's standard error */

static void nothing(void)
{
}

static void begin(const struct mc_request *req)
{
}

static void keep(const struct mc_request *req, const struct mc_record *rec)
{
	struct got *more = realloc(got, (n_got + 1) * sizeof(*got));

	if (!more)
		return;
	got = more;
	if (!rec->stats.samples)
		mc_user_note("%s: a result has no sample that counts", req->spec->name);
	got[n_got++] = (struct got){ *rec, req->spec };
}

static void end(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
}

static const struct mc_user_view view = {
	.start = nothing, .begin = begin, .result = keep, .end = end,
};

/* Measure a request. Return: an exit status, not 0 if nothing was measured. */
static int measure(char *line)
{
	char *words[2] = { line };
	int status;

	n_got = 0;
	status = line ? mc_user_run(words, &view) : MC_USER_USAGE;
	free(line);
	return status || n_got ? status : MC_USER_FAILED;
}

/* Measure a call of a program with more arguments behind a first one, which may be NULL. */
static int measure_call(const char *program, const char *first, char **args, const char *more)
{
	char *all[MOST_ARGS + 8] = { NULL }, *copy = strdup(more), *rest = copy, *word;
	unsigned int n = 0;
	int status;

	if (first)
		all[n++] = (char *)first;
	while (*args && n < MOST_ARGS)
		all[n++] = *args++;
	while (copy && (word = strsep(&rest, " ")) && n < MOST_ARGS + 7) {
		if (*word)
			all[n++] = word;
	}
	status = measure(mc_user_call(program, all));
	free(copy);
	return status;
}

/* A figure of a result. Return: was it measured? */
static bool figure(const struct got *g, const char *name, double *value)
{
	unsigned int i, digits;

	for (i = 0; i < g->spec->ncolumns; i++) {
		const struct mc_column *c = &g->spec->columns[i];

		if (strcmp(c->name, name) || !(g->rec.has >> i & 1))
			continue;
		*value = g->rec.value[i];
		for (digits = c->rate ? 3 : c->decimals; digits; digits--)
			*value /= 10;
		return true;
	}
	return false;
}

/* The value of a key in a result, and its word, or NULL. */
static u64 key_of(const struct got *g, const char *name, const char **word)
{
	const struct mc_name *names;
	const struct mc_key *key;
	unsigned int id;

	for (id = 0; id < MC_KEY_FIRST + g->spec->nkeys; id++) {
		key = mc_key_of(g->spec, id);
		if (strcmp(key->name, name))
			continue;
		for (names = key->names; word && names && names->name; names++) {
			if (names->value == g->rec.point.v[id])
				*word = names->name;
		}
		return g->rec.point.v[id];
	}
	return 0;
}

/* The operation of a result, of whichever test. */
static const struct mc_op_info *op_of(const struct got *g)
{
	const char *word = "read";
	unsigned int i;

	key_of(g, "op", &word);
	for (i = 0; i < MC_OP_SUM && strcmp(mc_ops[i].name, word); i++)
		;
	return &mc_ops[i % MC_OP_SUM];
}

/* Bytes of an array of a thread. */
static double array_of(const struct got *g)
{
	return (double)g->rec.point.v[MC_KEY_SIZE] / op_of(g)->arrays / max(g->rec.threads, 1U);
}

/* ------------------------------------------------------------------------- lmbench */

/* lmbench counts a byte that is copied, or read and written, once. */
static int bw_mem(char **args)
{
	int status = measure_call("bw_mem", NULL, args, "");
	double rate, mb;

	if (status || !figure(got, "mb_per_s", &rate))
		return status ? status : MC_USER_FAILED;
	mb = array_of(got) / 1e6;
	rate /= op_of(got)->payload;
	fprintf(theirs, mb < 1 ? "%.6f " : "%.2f ", mb);
	fprintf(theirs, rate < 1 ? "%.6f\n" : "%.2f\n", rate);
	return status;
}

static int lat_mem_rd(char **args)
{
	int status = measure_call("lat_mem_rd", NULL, args, "");
	u64 stride, last = 0;
	unsigned int i;
	double ns;

	for (i = 0; i < n_got; i++) {
		stride = key_of(&got[i], "stride", NULL);
		if (stride != last)
			fprintf(theirs, "%s\"stride=%llu\n", last ? "\n" : "", stride);
		last = stride;
		if (figure(&got[i], "ns_per_load", &ns))
			fprintf(theirs, "%.5f %.3f\n",
				got[i].rec.point.v[MC_KEY_SIZE] / 1048576., ns);
		else
			status = MC_USER_FAILED;
	}
	if (n_got)
		fprintf(theirs, "\n");
	return status;
}

/* ---------------------------------------------------------------------- multichase */

static int multichase(char **args)
{
	int status = measure_call("multichase", NULL, args, "");
	const char *name = "ns_per_load_min";
	double ns;

	for (; *args; args++) {
		if (**args == '-' && args[0][1] != '-' && strchr(*args, 'a'))
			name = "ns_per_load";
	}
	if (status || !figure(got, name, &ns))
		return status ? status : MC_USER_FAILED;
	printf("%6.*f\n", ns < 100 ? 3 : 1, ns);
	return status;
}

/* -------------------------------------------------------------------------- STREAM */

/* All kernels have arrays of one size, which the triad, the first to be measured, chooses. */
static int print_stream(char **args)
{
	static const struct {
		const char *title;
		const char *op;
		unsigned int arrays;
	} kernels[] = {
		{ "Copy:", "copy", 2 }, { "Scale:", "scale", 2 }, { "Add:", "add", 3 },
		{ "Triad:", "triad", 3 },
	};
	struct got of[ARRAY_SIZE(kernels)];
	char more[64], threads[64], *rest[MOST_ARGS] = { NULL };
	const char *set = getenv("OMP_NUM_THREADS");
	unsigned long long elements = 0;
	unsigned int i, n = 0;
	bool verified = true;
	int status;

	snprintf(threads, sizeof(threads), "OMP_NUM_THREADS=%s", set ? set : "");
	for (i = 0; args[i] && n < MOST_ARGS - 1; i++) {
		if (strncmp(args[i], "size=", 5))
			rest[n++] = args[i];
	}
	for (i = ARRAY_SIZE(kernels); i--; ) {
		n = snprintf(more, sizeof(more), "op=%s", kernels[i].op);
		if (elements)
			snprintf(more + n, sizeof(more) - n, " size=%llu",
				 8 * kernels[i].arrays * elements);
		status = measure_call("stream", set && *set ? threads : NULL,
				      elements ? rest : args, more);
		if (status)
			return status;
		of[i] = got[0];
		elements = of[i].rec.payload_bytes / (8 * kernels[i].arrays);
		verified &= of[i].rec.verified == MC_VERIFIED_OK;
	}
	printf("A variant of the STREAM benchmark code, by memcache\n");
	printf("This system uses 8 bytes per array element.\n");
	printf("Array size = %llu (elements), Offset = 0 (elements)\n", elements);
	printf("Number of Threads counted = %u\n", of[0].rec.threads);
	printf("Function    Best Rate MB/s  Avg time     Min time     Max time\n");
	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		const struct mc_stats *st = &of[i].rec.stats;

		printf("%-12s%12.1f  %11.6f  %11.6f  %11.6f\n", kernels[i].title,
		       of[i].rec.payload_bytes * 1e6 / st->min_ps, st->mean_ps / 1e12,
		       st->min_ps / 1e12, st->max_ps / 1e12);
	}
	if (!verified)
		return MC_USER_FAILED;
	printf("Solution Validates: the sums of all words are right\n");
	return status;
}

/* -------------------------------------------------------------------- likwid-bench */

static void list_kernels(void)
{
	static const char * const ends[] = {
		"", "_sse", "_avx", "_avx512", "_sse_fma", "_avx_fma", "_avx512_fma" };
	const struct mc_elsewhere *row;
	unsigned int i;

	for (row = mc_elsewhere; row->of; row++) {
		if (strcmp(row->of, "likwid-bench -t") || row->how == MC_NONE || *row->word == '_')
			continue;
		bool fma = !strncmp(row->word, "stream", 6) || !strncmp(row->word, "triad", 5);
		bool vectors = strstr(row->word, "_sp") || !strcmp(row->word, "triad_mem");
		unsigned int n = !strcmp(row->word, "load_mem") ? 1 : fma ? ARRAY_SIZE(ends) : 4;

		for (i = vectors; i < n; i++)
			printf("%s%s - %s\n", row->word, ends[i], row->means);
	}
}

static int likwid_bench(char **args)
{
	double rate, passes, seconds;
	u64 bytes;
	int status;

	if (*args && !strcmp(*args, "-a")) {
		list_kernels();
		return MC_USER_DONE;
	}
	status = measure_call("likwid-bench", NULL, args, "");
	if (status || !figure(got, "mb_per_s", &rate) ||
	    !figure(got, "passes_per_sample", &passes))
		return status ? status : MC_USER_FAILED;
	passes *= got->rec.stats.samples;
	seconds = passes * got->rec.stats.mean_ps / 1e12;
	bytes = got->rec.point.v[MC_KEY_SIZE];
	printf("Time:\t\t\t%e sec\n", seconds);
	printf("Iterations:\t\t%.0f\n", passes * got->rec.threads);
	printf("Iterations per thread:\t%.0f\n", passes);
	printf("Size (Byte):\t\t%llu\n", bytes);
	printf("Size per thread:\t%llu\n", bytes / max(got->rec.threads, 1U));
	printf("Data volume (Byte):\t%.0f\n", passes * got->rec.payload_bytes);
	printf("MByte/s:\t\t%.2f\n", rate);
	return status;
}

/* ------------------------------------------------------------------------- MLC */

/*
 * MLC counts the lines that stores read before they write them, too: a line that is stored is a
 * read and a write. Return: was the rate measured?
 */
static bool mlc_rate(const struct got *g, double *rate)
{
	const struct mc_op_info *op = op_of(g);
	double load;

	if (!figure(g, "mb_per_s", rate))
		return false;
	if (!figure(g, "load_mb_per_s", &load))		/* without a thread that only reads */
		load = *rate;
	if (!op->nontemporal)
		*rate += load * mc_op_written(op) / op->payload;
	return true;
}

static const char *value_behind(char **args, const char *option)
{
	for (; *args; args++) {
		if (!strncmp(*args, option, 2))
			return args[0][2] ? *args + 2 : args[1];
	}
	return NULL;
}

static int idle_latency(char **args)
{
	int status = measure_call("mlc", "--idle_latency", args, "");
	double ns, cycles;

	if (status || !figure(got, "ns_per_load", &ns))
		return status ? status : MC_USER_FAILED;
	if (figure(got, "cycles_per_load", &cycles))
		printf("Each iteration took %.1f core clocks (\t%.1f\tns)\n", cycles, ns);
	else
		printf("Each iteration took (\t%.1f\tns)\n", ns);
	return status;
}

/* A row for each delay. Without a latency thread there is one, whose latency is 0.00 there. */
static int loaded_latency(char **args)
{
	int status = measure_call("mlc", "--loaded_latency", args, "");
	double ns = 0, rate;
	unsigned int i;

	if (n_got)
		printf("Inject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n"
		       "==========================\n");
	if (n_got && strcmp(got->spec->name, "loaded"))
		mc_user_note("mlc: -T measures no latency, of which it prints 0.00");
	for (i = 0; i < n_got; i++) {
		bool latency = !strcmp(got[i].spec->name, "loaded");

		if (!mlc_rate(&got[i], &rate) ||
		    (latency && !figure(&got[i], "ns_per_load", &ns)))
			status = MC_USER_FAILED;
		else
			printf(" %05llu\t%6.2f\t%9.1f\n", key_of(&got[i], "delay", NULL), ns, rate);
	}
	return status;
}

/* The CPUs of a node as a list; the first one in @first. Return: are there any? */
static bool cpus_of(int node, char *list, size_t size, unsigned int *first)
{
	struct mc_text t = { .buf = list, .size = size };
	unsigned int cpu;

	*list = '\0';
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (!mc_cpu_usable(cpu) || mc_cpu_node(cpu) != node)
			continue;
		if (!t.len)
			*first = cpu;
		mc_textf(&t, t.len ? ",%u" : "%u", cpu);
	}
	return t.len;
}

static bool has_memory(int node)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
	return node == 0 || !access(path, F_OK);
}

/* The CPUs of each node, one or all, with the memory of each. */
static int matrix(char **args, bool latency)
{
	static char list[8192], more[8300];
	int row, column, status = MC_USER_DONE, err;
	unsigned int first = 0;
	double value;

	printf("\t\tNuma node\nNuma node\t");
	for (column = 0; column < MC_MAX_NODES; column++) {
		if (has_memory(column))
			printf("%6d\t", column);
	}
	printf("\n");
	for (row = 0; row < MC_MAX_NODES; row++) {
		if (!has_memory(row) || !cpus_of(row, list, sizeof(list), &first))
			continue;
		printf("%8d\t", row);
		for (column = 0; column < MC_MAX_NODES; column++) {
			if (!has_memory(column))
				continue;
			if (latency)
				snprintf(more, sizeof(more), "-c%u -j%d", first, column);
			else
				snprintf(more, sizeof(more), "-T -d0 -k%s -j%d", list, column);
			err = measure_call("mlc", latency ? "--idle_latency" : "--loaded_latency",
					   args, more);
			if (err || !(latency ? figure(got, "ns_per_load", &value) :
					       mlc_rate(got, &value))) {
				printf("     -\t");
				status = err ? err : MC_USER_FAILED;
				continue;
			}
			printf("%6.1f\t", value);
		}
		printf("\n");
		fflush(stdout);
	}
	return status;
}

static int latency_matrix(char **args)
{
	return matrix(args, true);
}

static int bandwidth_matrix(char **args)
{
	return matrix(args, false);
}

static int injection(const char *mode, char **args)
{
	static const char * const titles[] = {
		"read", "ALL Reads        :", "rw21", "3:1 Reads-Writes :",
		"rw11", "2:1 Reads-Writes :", "write", "1:1 Reads-Writes :",
		"nttriad", "Stream-triad like:",
	};
	int status = measure_call("mlc", mode, args, "");
	unsigned int i, k;
	double rate;

	for (i = 0; i < n_got; i++) {
		const char *op = op_of(&got[i])->name;

		for (k = 0; k < ARRAY_SIZE(titles) && strcmp(titles[k], op); k += 2)
			;
		if (!mlc_rate(&got[i], &rate))
			status = MC_USER_FAILED;
		else
			printf("%s\t%.1f\t\n", k < ARRAY_SIZE(titles) ? titles[k + 1] : op, rate);
	}
	return status;
}

static int peak_injection(char **args)
{
	return injection("--peak_injection_bandwidth", args);
}

static int print_max_bandwidth(char **args)
{
	return injection("--max_bandwidth", args);
}

/* The time of a line in this state that a CPU has written. Return: was it measured? */
static bool line_time(const char *state, unsigned int writer, double *ns)
{
	const char *has;
	unsigned int i;
	double by;

	for (i = 0; i < n_got; i++) {
		key_of(&got[i], "state", &has);
		if (!strcmp(has, state) && figure(&got[i], "writer_cpu", &by) && by == writer)
			return figure(&got[i], "ns_per_line", ns);
	}
	return false;
}

/* Between two cores of a node, or the two CPUs of -c and -w; then between nodes. */
static int c2c_latency(char **args)
{
	static const char * const states[] = { "hit", "hitm" }, * const homes[] = {
		"writer", "reader" };
	static char list[8192];
	static unsigned int first[MC_MAX_NODES], node[MC_MAX_NODES];
	const char *reader = value_behind(args, "-c"), *writer = value_behind(args, "-w");
	unsigned int cpu, one = MC_MAX_CPUS, other = MC_MAX_CPUS, n = 0, i, w, r;
	char more[64] = "";
	int status, err;
	double ns;

	for (cpu = 0; cpu < MC_MAX_CPUS && (!reader || !writer); cpu++) {
		if (!mc_cpu_usable(cpu))
			continue;
		if (one == MC_MAX_CPUS)
			one = cpu;
		else if (other == MC_MAX_CPUS && mc_cpu_core(cpu) != mc_cpu_core(one) &&
			 mc_cpu_node(cpu) == mc_cpu_node(one))
			other = cpu;
	}
	if (!reader && !writer)
		snprintf(more, sizeof(more), "cpu=%u,%u", one, other);
	status = measure_call("mlc", "--c2c_latency", args, more);
	one = writer ? strtoul(writer, NULL, 10) : one;
	for (i = !!writer; i < ARRAY_SIZE(states) && !status; i++) {
		if (line_time(states[i], one, &ns))
			printf("Local Socket L2->L2 %s latency\t%.1f\n", i ? "HITM" : "HIT ", ns);
		else
			status = MC_USER_FAILED;
	}
	for (i = 0; i < MC_MAX_NODES && !reader && !writer; i++) {
		if (has_memory(i) && cpus_of(i, list, sizeof(list), &first[n]))
			node[n++] = i;
	}
	for (i = 0; i < ARRAY_SIZE(homes) && n > 1; i++) {
		printf("Remote Socket L2->L2 HITM latency (data address homed in %s socket)\n"
		       "\t\t\tReader Numa Node\nWriter Numa Node", homes[i]);
		for (r = 0; r < n; r++)
			printf("%6u\t", node[r]);
		for (w = 0; w < n; w++) {
			printf("\n%13u\t", node[w]);
			for (r = 0; r < n; r++) {
				snprintf(more, sizeof(more), "cpu=%u,%u state=hitm home=%s",
					 first[w], first[r], homes[i]);
				err = r == w ? 0 : measure_call("mlc", "--c2c_latency", args, more);
				if (r != w && !err && line_time("hitm", first[w], &ns)) {
					printf("%6.1f\t", ns);
					continue;
				}
				printf("     -\t");
				if (r != w)
					status = err ? err : MC_USER_FAILED;
			}
		}
		printf("\n");
	}
	return status;
}

static int print_mlc(char **args)
{
	static const struct {
		const char *mode;
		const char *title;
		int (*print)(char **args);
		bool always;	/* mlc alone measures it */
	} modes[] = {
		{ "--latency_matrix", "Measuring idle latencies for random access (in ns)...",
		  latency_matrix, true },
		{ "--peak_injection_bandwidth",
		  "Measuring Peak Injection Memory Bandwidths for the system",
		  peak_injection, true },
		{ "--bandwidth_matrix",
		  "Measuring Memory Bandwidths between nodes within system",
		  bandwidth_matrix, true },
		{ "--loaded_latency", "Measuring Loaded Latencies for the system",
		  loaded_latency, true },
		{ "--c2c_latency", "Measuring cache-to-cache transfer latency (in ns)...",
		  c2c_latency, true },
		{ "--idle_latency", NULL, idle_latency },
		{ "--max_bandwidth", "Measuring Maximum Memory Bandwidths for the system",
		  print_max_bandwidth },
	};
	char *rest[MOST_ARGS] = { NULL };
	const char *mode = NULL;
	unsigned int i, n = 0;
	int status = MC_USER_DONE, err;

	for (; *args && n < MOST_ARGS - 1; args++) {
		if (!strncmp(*args, "--", 2) && !mode)
			mode = *args;
		else
			rest[n++] = *args;
	}
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (mode ? strcmp(modes[i].mode, mode) : !modes[i].always)
			continue;
		if (!mode)
			printf("%s\n", modes[i].title);
		err = modes[i].print(rest);
		if (mode)
			return err;
		printf("\n");
		status = err ? err : status;
	}
	if (mode) {
		fprintf(stderr, "memcache-user: mlc: %s has no layout here\n", mode);
		return MC_USER_USAGE;
	}
	return status;
}

/* ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*print)(char **args);
} programs[] = {
	{ "bw_mem", bw_mem },
	{ "lat_mem_rd", lat_mem_rd },
	{ "likwid-bench", likwid_bench },
	{ "mlc", print_mlc },
	{ "mlc_avx512", print_mlc },
	{ "multichase", multichase },
	{ "stream", print_stream },
	{ "stream_c", print_stream },
	{ "stream_c.exe", print_stream },
};

/* Return: the program of this name, or of this path, whose layout is known, or NULL. */
const char *mc_user_stands_in(const char *name)
{
	const char *slash = strrchr(name, '/');
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		if (!strcasecmp(programs[i].name, slash ? slash + 1 : name))
			return programs[i].name;
	}
	return NULL;
}

/* Have what is said in a file of its own. Return: is it for syslog? */
static bool divert(void)
{
	const char *path = getenv("MEMCACHE_NOTES");
	int fd = -1;

	theirs = fdopen(dup(STDERR_FILENO), "w");
	if (!theirs)
		theirs = stderr;
	if (!path && isatty(STDERR_FILENO))	/* a person reads them */
		return false;
	if (path)
		fd = mc_user_open(path, O_WRONLY | O_APPEND);
	if (path && fd < 0)
		fd = mc_user_open(path, O_WRONLY | O_CREAT);
	if (!path)
		fd = memfd_create("notes", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	dup2(fd, STDERR_FILENO);
	close(fd);
	return !path;
}

/**
 * mc_user_stand_in() - measure what another program's call asks for, and print as it does
 * @name: one of mc_user_stands_in()
 * @args: its arguments
 *
 * Return: an exit status; not 0 if something was not measured.
 */
int mc_user_stand_in(const char *name, char **args)
{
	bool to_syslog = divert();
	const char *results = getenv("MEMCACHE_RESULTS");
	int status = results ? mc_user_save_to(results) : 0;
	char line[1024];
	unsigned int i;
	FILE *notes;

	if (status)
		fprintf(stderr, "memcache-user: %s: %s\n", results, strerror(-status));
	for (i = 0; i < ARRAY_SIZE(programs) && status >= 0; i++) {
		if (!strcmp(programs[i].name, name))
			status = programs[i].print(args);
	}
	free(got);
	fflush(theirs);
	notes = to_syslog ? fdopen(dup(STDERR_FILENO), "r") : NULL;
	if (notes) {
		rewind(notes);
		openlog(name, LOG_PID, LOG_USER);
		while (fgets(line, sizeof(line), notes))
			syslog(LOG_INFO, "%s", line);
		fclose(notes);
	}
	return mc_user_flush() || mc_user_saved() || status < 0 ? MC_USER_FAILED : status;
}
