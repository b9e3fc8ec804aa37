// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other programs' layouts, for harnesses that call them: by a link of their name, or --as. Each
 * figure is measured by the request that calls.def has for the call, and what was not measured is
 * not printed. Every line on either stream may become a result of a harness, so messages go to the
 * file in MEMCACHE_NOTES, or to syslog.
 */
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

#include "arch/loops.h"
#include "core/math.h"
#include "elsewhere.h"
#include "platform/cpus.h"
#include "user.h"

/* The results of the last request. */
static struct got {
	struct mc_record rec;
	const struct mc_spec *spec;
} *got;
static unsigned int n_got;

/* Prints a result of a call with these arguments. Return: was it measured? */
typedef bool print_row(const struct got *g, const char *args);

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

static const struct mc_user_view view = { .result = keep };

/* Where numactl, or another program, has bound the memory of this process, as numactl says it. */
static void add_policy(struct mc_text *t)
{
	u64 nodes[MC_MAX_NODES / 64] = { 0 };
	char list[4096] = "";
	struct mc_text l = MC_TEXT(list);
	int mode = MPOL_DEFAULT;

	syscall(SYS_get_mempolicy, &mode, nodes, MC_MAX_NODES, NULL, 0);
	mode &= ~MPOL_MODE_FLAGS;
	mc_text_list(&l, nodes, MC_MAX_NODES);
	if (*list)
		mc_textf(t, "numactl -%c %s ", mode == MPOL_BIND ? 'm' :
			 mode == MPOL_PREFERRED ? 'p' : 'i', list);
}

/* The pages of calls: MLC takes the largest that are there. */
static const char * const pages[] = { "", " page=thp", " page=2m" };
static unsigned int page;

/* Measure a call. Return: an exit status, not 0 if nothing was measured. */
static int measure(const char *format, ...)
{
	static char line[MC_LINE_MAX + 1], call[MC_LINE_MAX + 1];
	char *words[2] = { line };
	va_list values;
	int status;

	va_start(values, format);
	n_got = 0;
	status = vsnprintf(call, sizeof(call), format, values);
	va_end(values);
	if (status >= (int)sizeof(call))
		return MC_USER_USAGE;
	for (;; page--) {
		struct mc_text t = MC_TEXT(line);

		*line = '\0';
		if (!strstr(call, " -j"))	/* of a cell of a matrix */
			add_policy(&t);
		mc_textf(&t, "%s%s", call, pages[page]);
		status = t.cut ? MC_USER_USAGE : mc_user_run(words, &view);
		if (status != MC_USER_FAILED || n_got || !page || mc_user_interrupted())
			break;
	}
	return status || n_got ? status : MC_USER_FAILED;
}

/* A figure of a result; NAN: it was not measured. */
static double figure(const struct got *g, const char *name)
{
	unsigned int i, digits;
	double scale = 1;

	for (i = 0; i < g->spec->ncolumns; i++) {
		const struct mc_column *c = &g->spec->columns[i];

		if (strcmp(c->name, name) || !(g->rec.has >> i & 1))
			continue;
		for (digits = c->rate ? 3 : c->decimals; digits; digits--)
			scale *= 10;
		return g->rec.value[i] / scale;
	}
	return NAN;
}

/* The value of a key in a result, and its word if that is asked for. */
static u64 key_of(const struct got *g, const char *name, const char **word)
{
	unsigned int id;

	for (id = 0; id < MC_KEY_FIRST + g->spec->nkeys; id++) {
		const struct mc_key *key = mc_key_of(g->spec, id);

		if (strcmp(key->name, name))
			continue;
		if (word)
			*word = mc_key_word(key, g->rec.point.v[id]);
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

/* Measure a call, and print a row of each result. Return: an exit status. */
static int answer(const char *call, const char *args, const char *head, print_row *row)
{
	int status = measure("%s %s", call, args);
	unsigned int i;

	if (n_got)
		printf("%s", head);
	for (i = 0; i < n_got; i++) {
		if (row(&got[i], args))
			continue;
		if (got[i].rec.stats.samples)
			mc_user_note("%s has no row for the test %s", call, got[i].spec->name);
		status = status ? status : MC_USER_FAILED;
	}
	return status;
}

/* The words without the first one that begins so, allocated. */
static char *without(const char *words, const char *begins)
{
	char *all = strdup(words), *word = all;
	size_t n;

	for (; all && *word; word += n + (word[n] == ' ')) {
		n = strcspn(word, " ");
		if (!strncmp(word, begins, strlen(begins))) {
			n += word[n] == ' ';
			memmove(word, word + n, strlen(word + n) + 1);
			break;
		}
	}
	return all;
}

/* ------------------------------------------------------------------------- lmbench */

/* lmbench counts a byte that is copied, or read and written, once. */
static bool bw_mem(const struct got *g, const char *args)
{
	const struct mc_op_info *op = op_of(g);
	double rate = figure(g, "mb_per_s") / op->payload;
	double mb = g->rec.point.v[MC_KEY_SIZE] / 1e6 / op->arrays / max(g->rec.threads, 1U);

	if (isnan(rate))
		return false;
	printf(mb < 1 ? "%.6f " : "%.2f ", mb);
	return printf(rate < 1 ? "%.6f\n" : "%.2f\n", rate) > 0;
}

/* Of its samples, lmbench takes the fastest. */
static bool lat_mem_rd(const struct got *g, const char *args)
{
	double ns = figure(g, "ns_per_load_min");
	u64 stride = key_of(g, "stride", NULL);

	if (g == got || key_of(g - 1, "stride", NULL) != stride)
		printf("%s\"stride=%llu\n", g == got ? "" : "\n", stride);
	if (!isnan(ns))
		printf("%.5f %.3f\n", g->rec.point.v[MC_KEY_SIZE] / 1048576., ns);
	if (g == got + n_got - 1)
		printf("\n");
	return !isnan(ns);
}

/* ---------------------------------------------------------------------- multichase */

/* The best sample, or the mean with -a. */
static bool multichase(const struct got *g, const char *args)
{
	const struct mc_stats *st = &g->rec.stats;
	double ns = strstr(args, "-a") ? figure(g, "ns_per_load") * st->mean_ps / st->median_ps :
					 figure(g, "ns_per_load_min");

	return !isnan(ns) && printf("%6.*f\n", ns < 100 ? 3 : 1, ns) > 0;
}

/* -------------------------------------------------------------------------- STREAM */

/* All kernels have arrays of one size, which the triad, the first to be measured, chooses. */
static int print_stream(const char *name, const char *args)
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
	char *rest = without(args, "size="), size[32] = "";
	unsigned long long elements = 0;
	bool verified = true;
	unsigned int i;
	int status;

	for (i = ARRAY_SIZE(kernels); i--; ) {
		if (elements)
			snprintf(size, sizeof(size), "size=%llu", 8 * kernels[i].arrays * elements);
		status = measure("%s %s op=%s %s", name, elements ? rest : args, kernels[i].op,
				 size);
		if (status)
			return status;
		of[i] = got[0];
		elements = of[i].rec.payload_bytes / (8 * kernels[i].arrays);
		verified &= of[i].rec.verified == MC_VERIFIED_OK;
	}
	free(rest);
	printf("A variant of the STREAM benchmark code, by memcache\n");
	printf("This system uses 8 bytes per array element.\n");
	printf("Array size = %llu (elements), Offset = 0 (elements)\n", elements);
	printf("Number of Threads counted = %u\n", of[0].rec.threads);
	printf("Function    Best Rate MB/s  Avg time     Min time     Max time\n");
	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		const struct mc_stats *st = &of[i].rec.stats;

		if (!st->samples) {
			verified = false;
			continue;
		}
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
	const struct mc_foreign_word *row;
	unsigned int i;

	for (row = mc_foreign_words; row->of; row++) {
		const char *name = row->word + strlen("-t ?");

		if (strcmp(row->of, "likwid-bench") || strncmp(row->word, "-t ?", 4) ||
		    row->how == MC_NONE || *name == '(')
			continue;
		bool fma = !strncmp(name, "stream", 6) || !strncmp(name, "triad", 5);
		bool vectors = strstr(name, "_sp") || !strcmp(name, "triad_mem");
		unsigned int n = !strcmp(name, "load_mem") ? 1 : fma ? ARRAY_SIZE(ends) : 4;

		for (i = vectors; i < n; i++)
			printf("%s%s - %s\n", name, ends[i], row->means);
	}
}

/* A rate of likwid's is that of all its iterations. */
static bool print_loop(const struct got *g, const char *args)
{
	double rate = g->rec.payload_bytes * 1e6 / g->rec.stats.mean_ps;
	double passes = figure(g, "passes_per_sample") * g->rec.stats.samples;
	u64 bytes = g->rec.point.v[MC_KEY_SIZE];

	if (isnan(passes) || !passes)
		return false;
	printf("Time:\t\t\t%e sec\n", passes * g->rec.stats.mean_ps / 1e12);
	printf("Iterations:\t\t%.0f\n", passes * g->rec.threads);
	printf("Iterations per thread:\t%.0f\n", passes);
	printf("Size (Byte):\t\t%llu\n", bytes);
	printf("Size per thread:\t%llu\n", bytes / max(g->rec.threads, 1U));
	printf("Data volume (Byte):\t%.0f\n", passes * g->rec.payload_bytes);
	printf("MByte/s:\t\t%.2f\n", rate);
	return true;
}

static int likwid_bench(const char *name, const char *args)
{
	if (strcmp(args, "-a"))
		return answer(name, args, "", print_loop);
	list_kernels();
	return MC_USER_DONE;
}

/* ------------------------------------------------------------------------- MLC */

/*
 * MLC counts the lines that stores read before they write them, too: a line that is stored is a
 * read and a write. Return: the rate; NAN: it was not measured.
 */
static double mlc_rate(const struct got *g)
{
	const struct mc_op_info *op = op_of(g);
	double rate = figure(g, "mb_per_s"), load = figure(g, "load_mb_per_s");

	if (isnan(load))		/* without a thread that only reads */
		load = rate;
	return op->nontemporal ? rate : rate + load * mc_op_written(op) / op->payload;
}

static bool idle_latency(const struct got *g, const char *args)
{
	double ns = figure(g, "ns_per_load"), cycles = figure(g, "cycles_per_load");

	if (isnan(ns))
		return false;
	printf("Each iteration took ");
	if (!isnan(cycles))
		printf("%.1f core clocks ", cycles);
	printf("(\t%.1f\tns)\n", ns);
	return true;
}

/* A row for each delay. Without a latency thread there is one, whose latency is 0.00 there. */
static bool loaded_latency(const struct got *g, const char *args)
{
	bool latency = !strcmp(g->spec->name, "loaded");
	double rate = mlc_rate(g), ns = latency ? figure(g, "ns_per_load") : 0;

	if (!latency)
		mc_user_note("mlc: -T measures no latency, of which it prints 0.00");
	return !isnan(rate) && !isnan(ns) &&
	       printf(" %05llu\t%6.2f\t%9.1f\n", key_of(g, "delay", NULL), ns, rate) > 0;
}

static bool injection(const struct got *g, const char *args)
{
	static const char * const titles[] = {
		"read", "ALL Reads        :", "rw21", "3:1 Reads-Writes :",
		"rw11", "2:1 Reads-Writes :", "write", "1:1 Reads-Writes :",
		"nttriad", "Stream-triad like:",
	};
	const char *op = op_of(g)->name;
	double rate = mlc_rate(g);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(titles) && strcmp(titles[i], op); i += 2)
		;
	return !isnan(rate) &&
	       printf("%s\t%.1f\t\n", i < ARRAY_SIZE(titles) ? titles[i + 1] : op, rate) > 0;
}

/* The CPUs of a node as a list. Return: the first of them, or -1. */
static int cpus_of(int node, char *list, size_t size)
{
	struct mc_text t = { .buf = list, .size = size };
	char name[16];

	snprintf(name, sizeof(name), "M%d", node);
	mc_user_choose(&t, name, NULL, false, 0);
	return t.len ? atoi(list) : -1;
}

/* The nodes that are online, of which a kernel without NUMA lists none. Return: how many. */
static unsigned int find_nodes(int *nodes)
{
	unsigned int n = 0;
	int node = mc_user_node_next(-1);

	nodes[n++] = max(node, 0);
	while (node >= 0 && (node = mc_user_node_next(node)) >= 0)
		nodes[n++] = node;
	return n;
}

/* Print a cell of a matrix; what was not measured is a dash. Return: the exit status so far. */
static int print_cell(double value, int status, int so_far)
{
	if (!status && !isnan(value)) {
		printf("%6.1f\t", value);
		return so_far;
	}
	printf("     -\t");
	return status ? status : MC_USER_FAILED;
}

/*
 * The CPUs of each node that has any, one or all, with the memory of each that has any. Nothing is
 * printed for a call that is wrong.
 */
static int matrix(const char *call, const char *args)
{
	bool latency = strstr(call, "latency");
	unsigned int row, column, n;
	int first, status = MC_USER_DONE, err;
	static char list[8192], head[8192];	/* head: what precedes the next cell */
	static int nodes[MC_MAX_NODES];
	struct mc_text t = MC_TEXT(head);

	mc_textf(&t, "\t\tNuma node\nNuma node\t");
	n = find_nodes(nodes);
	for (column = 0; column < n; column++) {
		if (mc_user_node_has_memory(nodes[column]))
			mc_textf(&t, "%6d\t", nodes[column]);
	}
	for (row = 0; row < n; row++) {
		first = cpus_of(nodes[row], list, sizeof(list));
		if (first < 0)
			continue;
		mc_textf(&t, "\n%8d\t", nodes[row]);
		for (column = 0; column < n; column++) {
			if (!mc_user_node_has_memory(nodes[column]))
				continue;
			err = latency ? measure("mlc --idle_latency %s -c%d -j%d", args, first,
						nodes[column]) :
					measure("mlc --loaded_latency %s -T -d0 -k%s -j%d", args,
						list, nodes[column]);
			if (err == MC_USER_USAGE && strchr(head, 'N'))
				return err;
			printf("%s", head);
			*head = '\0';
			t.len = 0;
			status = print_cell(err ? NAN : latency ? figure(got, "ns_per_load") :
					    mlc_rate(got), err, status);
		}
		fflush(stdout);
	}
	printf("\n");
	return status;
}

/* This figure of lines in this state that a CPU has written; NAN: it was not measured. */
static double of_lines(const char *column, const char *state, unsigned int writer)
{
	const char *has = "";
	unsigned int i;

	for (i = 0; i < n_got; i++) {
		key_of(&got[i], "state", &has);
		if (!strcmp(has, state) && figure(&got[i], "writer_cpu") == writer)
			return figure(&got[i], column);
	}
	return NAN;
}

/* Between two cores of a node, or the two CPUs of -c and -w (-H: clean); then between nodes. */
static int cache_to_cache(const char *call, const char *args)
{
	static const char * const states[] = { "hit", "hitm" }, * const homes[] = {
		"writer", "reader" };
	static char list[8192];
	static int first[MC_MAX_NODES], nodes[MC_MAX_NODES];
	const char *reader = strstr(args, "-c"), *writer = strstr(args, "-w");
	unsigned int cpu, one = MC_MAX_CPUS, other = MC_MAX_CPUS, n = 0, i, w, r;
	bool all = !reader && !writer, clean = strstr(args, "-H"), rate = strstr(call, "bandwidth");
	const char *column = rate ? "mb_per_s" : "ns_per_line";
	const char *what = rate ? "bandwidth" : "latency";
	unsigned int online = all ? find_nodes(nodes) : 0;
	u64 usable[MC_MAX_CPUS / 64];
	char two[64] = "";
	int status, err;
	double value;

	mc_cpus_usable(usable);
	if (rate)
		mc_user_note("mlc: no output is published: the rows are those of --c2c_latency");
	for (cpu = 0; cpu < MC_MAX_CPUS && all; cpu++) {
		if (!mc_bit(usable, cpu))
			continue;
		if (one == MC_MAX_CPUS)
			one = cpu;
		else if (other == MC_MAX_CPUS && mc_cpu_core(cpu) != mc_cpu_core(one) &&
			 mc_cpu_node(cpu) == mc_cpu_node(one))
			other = cpu;
	}
	if (all && other == MC_MAX_CPUS) {
		mc_user_note("mlc: no two cores of a node are there");
		return MC_USER_FAILED;
	}
	if (all)
		snprintf(two, sizeof(two), "cpu=%u,%u", one, other);
	status = measure("%s %s %s", call, args, two);
	one = writer ? strtoul(writer + 2, NULL, 10) : one;
	for (i = writer && !clean; i < ARRAY_SIZE(states) - clean; i++) {
		value = of_lines(column, states[i], one);
		if (isnan(value))
			status = status ? status : MC_USER_FAILED;
		else
			printf("Local Socket L2->L2 %s %s\t%.1f\n", i ? "HITM" : "HIT ", what,
			       value);
	}
	for (i = 0; i < online; i++) {
		nodes[n] = nodes[i];
		first[n] = cpus_of(nodes[i], list, sizeof(list));
		n += first[n] >= 0;
	}
	for (i = 0; i < ARRAY_SIZE(homes) && n > 1; i++) {
		printf("Remote Socket L2->L2 HITM %s (data address homed in %s socket)\n"
		       "\t\t\tReader Numa Node\nWriter Numa Node", what, homes[i]);
		for (r = 0; r < n; r++)
			printf("%6d\t", nodes[r]);
		for (w = 0; w < n; w++) {
			printf("\n%13d\t", nodes[w]);
			for (r = 0; r < n; r++) {
				if (r == w) {
					printf("     -\t");
					continue;
				}
				err = measure("%s %s cpu=%d,%d state=hitm home=%s", call, args,
					      first[w], first[r], homes[i]);
				status = print_cell(err ? NAN : of_lines(column, "hitm", first[w]),
						    err, status);
			}
		}
		printf("\n");
	}
	return status;
}

#define MLC_HEAD "Inject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n=========================="

static int print_mlc(const char *name, const char *args)
{
	static const struct {
		const char *call;
		print_row *row;
		int (*print)(const char *call, const char *args);
		const char *head;
		const char *title;	/* if mlc alone measures it */
	} modes[] = {
		{ "mlc --latency_matrix", NULL, matrix, "",
		  "Measuring idle latencies for random access (in ns)..." },
		{ "mlc --peak_injection_bandwidth", injection, NULL, "",
		  "Measuring Peak Injection Memory Bandwidths for the system" },
		{ "mlc --bandwidth_matrix", NULL, matrix, "",
		  "Measuring Memory Bandwidths between nodes within system" },
		{ "mlc --loaded_latency", loaded_latency, NULL, MLC_HEAD "\n",
		  "Measuring Loaded Latencies for the system" },
		{ "mlc --c2c_latency", NULL, cache_to_cache, "",
		  "Measuring cache-to-cache transfer latency (in ns)..." },
		{ "mlc --c2c_bandwidth", NULL, cache_to_cache, "" },
		{ "mlc --idle_latency", idle_latency, NULL, "" },
		{ "mlc --max_bandwidth", injection, NULL, "" },
	};
	char *rest = without(args, "--"), *line;
	const char *mode = strstr(args, "--");
	size_t n = mode ? strcspn(mode, " ") : 0;
	int status = MC_USER_DONE, err;
	bool found = false;
	unsigned int i;

	if (!strstr(args, "-L") && !strstr(args, "page="))
		page = ARRAY_SIZE(pages) - 1;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		const char *call = modes[i].call, *its = call + strlen("mlc ");

		if (mode ? strlen(its) != n || strncmp(its, mode, n) : !modes[i].title)
			continue;
		if (!mode)
			printf("%s\n", modes[i].title);
		err = modes[i].row ? answer(call, rest, modes[i].head, modes[i].row) :
				     modes[i].print(call, rest);
		if (!mode)
			printf("\n");
		status = err ? err : status;
		found = true;
	}
	free(rest);
	if (found)
		return status;
	/* The table may say why. */
	if (asprintf(&line, "mlc %s", args) >= 0 && !mc_user_usual(&line, false))
		mc_user_note("mlc: %.*s has no layout here", (int)n, mode);
	return MC_USER_USAGE;
}

/* ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	print_row *row;
	int (*print)(const char *name, const char *args);
	bool on_stderr;
} programs[] = {
	{ "bw_mem", bw_mem, NULL, true },
	{ "lat_mem_rd", lat_mem_rd, NULL, true },
	{ "likwid-bench", NULL, likwid_bench },
	{ "mlc", NULL, print_mlc },
	{ "mlc_avx512", NULL, print_mlc },
	{ "multichase", multichase },
	{ "stream", NULL, print_stream },
	{ "stream_c", NULL, print_stream },
	{ "stream_c.exe", NULL, print_stream },
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

/*
 * Have rows on the program's stream, and what is said in a file of its own. Return: is it for
 * syslog?
 */
static bool divert(bool rows_on_stderr)
{
	const char *path = getenv("MEMCACHE_NOTES");
	int file = -1, fd;

	if (rows_on_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (!path && isatty(STDERR_FILENO))	/* a person reads them */
		return false;
	if (path)
		file = mc_user_open(path, O_WRONLY | O_APPEND);
	if (path && file < 0)
		file = mc_user_open(path, O_WRONLY | O_CREAT);
	fd = file < 0 ? memfd_create("notes", MFD_CLOEXEC) : file;
	dup2(fd, STDERR_FILENO);
	close(fd);
	return file < 0;
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
	const char *results = getenv("MEMCACHE_RESULTS");
	char line[MC_LINE_MAX + 1] = "";
	struct mc_text t = MC_TEXT(line);
	unsigned int i = 0;
	bool to_syslog;
	FILE *notes;
	int status;

	while (strcmp(programs[i].name, name))
		i++;
	to_syslog = divert(programs[i].on_stderr);
	status = results ? mc_user_save_to(results) : 0;
	if (status)
		fprintf(stderr, "memcache-user: %s: %s\n", results, strerror(-status));
	for (; *args; args++)
		mc_textf(&t, "%s%s", t.len ? " " : "", *args);
	if (t.cut) {
		mc_user_note("%s: the call is too long", name);
		status = MC_USER_USAGE;
	}
	if (!status)
		status = programs[i].row ? answer(name, line, "", programs[i].row) :
					   programs[i].print(name, line);
	free(got);
	if (mc_user_flush() || mc_user_saved() || status < 0)
		status = MC_USER_FAILED;
	notes = to_syslog ? fdopen(dup(STDERR_FILENO), "r") : NULL;
	if (notes) {
		rewind(notes);
		openlog(name, LOG_PID, LOG_USER);
		while (fgets(line, sizeof(line), notes))
			syslog(LOG_INFO, "%s", line);
		fclose(notes);
	}
	return status;
}
