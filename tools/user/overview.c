// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memcache-user measures if nobody asks for anything: latency and bandwidth of each
 * cache and of memory, on one CPU and on all. The result is a screen of 40 columns.
 *
 * The latency of one size after another shows where the caches are, and the records name
 * them: in a virtual machine, what the CPU reports may be wrong. Memory is what is read at the
 * rate of the largest set. Each row of the bandwidth of these levels is a request of its own and
 * is printed when it has been measured. In memory, other forms of an operation may do far more
 * than one stream of ordinary accesses, so the best of them stands beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "arch/caches.h"
#include "arch/cores.h"
#include "arch/loops.h"
#include "measure/engine.h"
#include "measure/source.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "platform/version.h"
#include "user.h"

#define LEVELS		(MC_CACHES + 1)		/* the caches, and memory */
#define MEMORY		MC_HIT_MEMORY
#define LINE		192			/* bytes of a request */
#define SIZES		"4K..1M,1536K,2M,3M,4M,6M,8M,12M,16M,24M,32M"
#define LARGEST		(32ULL << 20)		/* of these */
#define MOST_BYTES	(512ULL << 20)		/* of the sets that are read */
#define LARGE_BYTES	(64ULL << 20)		/* sets beyond this have fewer samples */
#define BEYOND		4			/* memory is so many times what a cache served */
#define PROBES		32			/* at least as many as there are sizes */

/* A figure of each level in a row of the screen. */
struct row {
	const char *label;
	const char *key;	/* of the request */
};

static const struct row rates[] = {
	{ "read", "op=read" },
	{ "write", "op=write" },
	{ "ntwrite", "op=ntwrite" },
	{ "copy", "op=copy" },
	{ "triad", "op=triad" },
	{ }
};

/* Another form of a row's operation, in memory. */
struct form {
	const struct row *row;
	const char *key;	/* of the request */
	const char *name;
	enum mc_op op;
};

static const struct form forms[] = {
	{ &rates[0], "op=read streams=2", "streams=2", MC_OP_READ },
	{ &rates[0], "op=read streams=4", "streams=4", MC_OP_READ },
	{ &rates[0], "op=read streams=8", "streams=8", MC_OP_READ },
	{ &rates[1], "op=write streams=4", "streams=4", MC_OP_WRITE },
	{ &rates[1], "op=ntwrite", "op=ntwrite", MC_OP_NTWRITE },
	{ &rates[1], "op=rep_stosb", "op=rep_stosb", MC_OP_REP_STOSB },
	{ &rates[3], "op=copy streams=4", "streams=4", MC_OP_COPY },
	{ &rates[3], "op=ntcopy", "op=ntcopy", MC_OP_NTCOPY },
	{ &rates[3], "op=rep_movsb", "op=rep_movsb", MC_OP_REP_MOVSB },
	{ &rates[4], "op=triad streams=4", "streams=4", MC_OP_TRIAD },
	{ &rates[4], "op=nttriad", "op=nttriad", MC_OP_NTTRIAD },
};

/* A column of the screen. */
struct column {
	const char *name;
	u64 bytes[2];		/* working set on one CPU, and on all; 0: none shows the level */
	u64 ps;			/* latency; 0: not known */
	bool sure;		/* the latencies show that it is this level */
};

/* What one kind of request gave. */
struct probed {
	const char *column;
	unsigned int n;
	struct mc_user_probe of[PROBES];
};

static struct probed latencies = { .column = "ns_per_load" };
static struct probed reads = { .column = "mb_per_s" };
static struct probed *probing;

/* The set that shows memory; it may not if larger sets had other rates, or nobody knows. */
static struct {
	struct probed latency;
	bool sure;
} memory = { .latency.column = "ns_per_load" };

static const char *page = "";	/* the key, if there are huge pages */
static struct column columns[LEVELS + 1];
static unsigned int ncolumns;
static bool as_json, begun;
static unsigned int got;	/* results of the current request */
static u64 cell[LEVELS + 1];	/* figures of the current row */
static bool filled[LEVELS + 1];
static u64 best;		/* the highest rate of memory in the current row and its forms */
static const char *best_name;	/* of the form; NULL: one stream */

/* A row of bandwidths, or a form of one in memory, on one CPU or on all. */
struct planned {
	const struct row *row;
	const struct form *form;
	bool all;
	char line[LINE];
};

static struct planned plan[2 * (ARRAY_SIZE(rates) + ARRAY_SIZE(forms))];
static const struct planned *now, *next = plan;

/* --------------------------------------------------------------- what the views share */

static unsigned int cpus(void)
{
	unsigned int n = 0;
	int cpu;

	for (cpu = mc_core_next(-1); cpu >= 0; cpu = mc_core_next(cpu))
		n++;
	return n;
}

/* With more processes than CPUs, some take the CPUs from others, and so from this one. */
static void print_load(void)
{
	double load;
	int n = get_nprocs();

	if (getloadavg(&load, 1) == 1 && load > n)
		printf("not quiet: load %.1f on %d CPU%s\n", load, n, n == 1 ? "" : "s");
}

static void print_machine(void)
{
	char cpu[MC_CPU_NAME_BYTES], id[MC_HYPERVISOR_BYTES];
	const char *hypervisor = mc_user_hypervisor(id);
	struct utsname name;

	mc_cpu_name(cpu);
	if (*cpu)
		printf("%s, ", cpu);
	printf("%u CPU%s", cpus(), cpus() == 1 ? "" : "s");
	if (hypervisor && !strcmp(hypervisor, "unknown"))
		printf(", hypervisor unknown");
	else if (hypervisor)
		printf(", under %s", hypervisor);
	uname(&name);
	printf("\nLinux %s\nmemcache-user %s\n", name.release, mc_version);
	print_load();
}

/* Several calls of mc_user_run() make one screen. */
static void start(void)
{
	if (!begun)
		(as_json ? mc_user_json.start : print_machine)();
	begun = true;
	mc_user_flush();
}

static bool value_of(const struct mc_request *req, const struct mc_record *rec,
		     const char *column, u64 *value)
{
	unsigned int i;

	for (i = 0; i < req->spec->ncolumns; i++) {
		if (strcmp(req->spec->columns[i].name, column) || !(rec->has & 1U << i))
			continue;
		*value = rec->value[i];
		return true;
	}
	return false;
}

static void begin(const struct mc_request *req)
{
	got = 0;
	memset(filled, 0, sizeof(filled));
}

/* ------------------------------------------------------------------- find the levels */

static void take_probe(const struct mc_request *req, const struct mc_record *rec)
{
	struct mc_user_probe *p = &probing->of[probing->n];
	u64 level;

	if (probing->n == PROBES || !value_of(req, rec, probing->column, &p->value))
		return;
	p->bytes = rec->point.v[MC_KEY_SIZE];
	p->level = value_of(req, rec, "level", &level) ? (enum mc_hit)level : MC_HIT_UNKNOWN;
	probing->n++;
}

static void end_probe(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
	if (as_json)
		mc_user_json.end(run, records, n, err);
}

/* Do so many bytes come in huge pages, if they are asked for? */
static bool huge_pages(u64 bytes)
{
	char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool huge;

	if (base == MAP_FAILED)
		return false;
	madvise(base, bytes, MADV_HUGEPAGE);
	memset(base, 0, bytes);
	/* The two ends need not be aligned. */
	huge = mc_user_huge(base, bytes) + (4ULL << 20) >= bytes;
	munmap(base, bytes);
	return huge;
}

/* Measure sizes on the first CPU. Return: an exit status. */
static int probe(struct probed *what, const char *test, const char *sizes)
{
	const struct mc_user_view view = {
		.start = start, .begin = begin, .result = take_probe, .end = end_probe,
		.screen = !as_json,
	};
	char line[LINE], *lines[] = { line, NULL };
	int status;

	probing = what;
	snprintf(line, sizeof(line), "%s size=%s cpu=%d repeat=5 warmup=1%s", test, sizes,
		 mc_core_next(-1), page);
	status = mc_user_run(lines, &view);
	return status || what->n ? status : MC_USER_FAILED;
}

/* The largest set that a cache served. */
static u64 cached_bytes(void)
{
	u64 most = 0;
	unsigned int i;

	for (i = 0; i < latencies.n; i++) {
		if (latencies.of[i].level < MEMORY)
			most = latencies.of[i].bytes;
	}
	return most;
}

static int find_caches(u64 most)
{
	return probe(&latencies, "latency", most < LARGEST ? "4K..1M" : SIZES);
}

/* Read larger and larger sets, and measure the latency of that which shows memory. */
static int find_memory(u64 most)
{
	u64 bytes = min(most, LARGEST);
	char sizes[40];
	int status;

	snprintf(sizes, sizeof(sizes), "%llu..%llu", bytes, most);
	status = probe(&reads, "bandwidth op=read", sizes);
	if (status)
		return status;
	memory.sure = mc_user_find_memory(reads.of, reads.n, BEYOND * cached_bytes(), &bytes);
	snprintf(sizes, sizeof(sizes), "%llu", bytes);
	status = probe(&memory.latency, "latency", sizes);
	if (status)
		return status;
	memory.sure &= memory.latency.of->level == MEMORY;
	return 0;
}

/* ----------------------------------------------------------- the columns of the screen */

/* The last level of cache that the first CPU reports; 0: none. */
static unsigned int last_level(void)
{
	unsigned int level = MC_CACHES;

	while (level && !mc_cache_bytes(mc_core_next(-1), level))
		level--;
	return level;
}

/* The same for all CPUs: a set for each of the caches that they have. */
static u64 for_all(u64 bytes, unsigned int level)
{
	u64 one = mc_cache_bytes(mc_core_next(-1), level);

	return one ? mc_muldiv(bytes, mc_source_caches(NULL, level), one) & ~4095ULL : bytes;
}

/*
 * All CPUs together: a set that this level holds, and those before it do not, whose CPUs may be
 * many. 0: there is none.
 */
static u64 set_of_all(enum mc_hit level, const struct mc_user_level *found, u64 before)
{
	u64 bytes = for_all(found->bytes, level + 1), last = for_all(found->last, level + 1);

	if (bytes >= 2 * before)
		return bytes;
	return last >= before + before / 2 ? last : 0;
}

static void add_column(enum mc_hit level, const struct mc_user_level *found, u64 all_bytes)
{
	static const char * const names[] = { "L1", "L2", "L3", "L4", "memory", "?" };

	columns[ncolumns++] = (struct column){
		.name = names[level], .sure = found && level != MC_HIT_UNKNOWN,
		.bytes = { found ? found->bytes : 0, all_bytes }, .ps = found ? found->ps : 0,
	};
}

static void add_cache(enum mc_hit level, u64 *before)
{
	struct mc_user_level found;
	bool sure = mc_user_find_cache(latencies.of, latencies.n, level, &found);
	u64 bytes = sure ? set_of_all(level, &found, *before) : 0;

	if (sure)
		*before = for_all(found.last, level + 1);
	if (sure || mc_cache_bytes(mc_core_next(-1), level + 1))
		add_column(level, sure ? &found : NULL, bytes);
}

static void add_memory(u64 before, u64 most)
{
	const struct mc_user_probe *p = memory.latency.of;
	struct mc_user_level found = { p->bytes, p->value, p->bytes };
	u64 bytes = p->bytes, wanted = max(for_all(bytes, last_level()), BEYOND * before);

	while (bytes < wanted && 2 * bytes <= most)
		bytes *= 2;
	add_column(MEMORY, &found, bytes);
	columns[ncolumns - 1].sure = memory.sure;
}

/* No record names a level, as in an emulator: a small set, and a large one. */
static void add_unknown(void)
{
	const struct mc_user_probe *small = &latencies.of[latencies.n / 8];
	const struct mc_user_probe *large = memory.latency.of;

	add_column(MC_HIT_UNKNOWN, &(struct mc_user_level){ small->bytes, small->value, 0 },
		   small->bytes);
	add_column(MC_HIT_UNKNOWN, &(struct mc_user_level){ large->bytes, large->value, 0 },
		   large->bytes);
}

static void find_columns(u64 most)
{
	enum mc_hit level;
	u64 before = 0;
	unsigned int i;

	for (i = 0; i < latencies.n && latencies.of[i].level == MC_HIT_UNKNOWN; i++)
		;
	if (i == latencies.n) {
		add_unknown();
		return;
	}
	for (level = MC_HIT_L1; level < MEMORY; level++)
		add_cache(level, &before);
	add_memory(before, most);
}

/* --------------------------------------------------------------------- the screen */

static void print_heading(const char *unit, bool all)
{
	char where[16];
	unsigned int i;

	printf("\n%-12s", unit);
	for (i = 0; i < ncolumns; i++)
		printf("%7s", columns[i].name);
	if (all)
		snprintf(where, sizeof(where), "%u CPUs", cpus());
	else
		snprintf(where, sizeof(where), "CPU %d", mc_core_next(-1));
	printf("\n%-12s", where);
	for (i = 0; i < ncolumns; i++) {
		char size[16] = "";
		struct mc_text t = MC_TEXT(size);

		if (columns[i].bytes[all])
			mc_key_show(&t, mc_key_of(*mc_specs, MC_KEY_SIZE), columns[i].bytes[all]);
		else
			mc_textf(&t, "?");
		printf("%7s", size);
	}
	printf("\n");
}

/* A figure, with a question mark if it may be of another level; without a figure only the mark. */
static void print_cell(const struct column *column, bool all, bool there, u64 figure,
		       unsigned int decimals)
{
	const char *mark = !column->sure || !column->bytes[all] ? "?" : there ? "" : "-";
	char text[24] = "";
	struct mc_text t = MC_TEXT(text);

	mc_textf(&t, "%s", mark);
	/* A large figure with a mark has one decimal less, as else it would touch its neighbour. */
	if (there && *mark && figure >= 10000)
		mc_text_fixed(&t, (figure + 5) / 10, decimals - 1);
	else if (there)
		mc_text_fixed(&t, figure, decimals);
	printf("%7s", text);
}

static void print_latencies(void)
{
	unsigned int i;

	print_heading("ns a load", false);
	printf("  %-10s", "latency");
	for (i = 0; i < ncolumns; i++)
		print_cell(&columns[i], false, columns[i].ps, (columns[i].ps + 5) / 10, 2);
	printf("\n");
	mc_user_flush();
}

/* The best form of the current row, if one of them is better than one stream of it. */
static void print_best(void)
{
	const struct column *last = &columns[ncolumns - 1];
	int width = 12 + 7 * (int)(ncolumns - 1);
	char text[64];

	snprintf(text, sizeof(text), "    best: %s", best_name);
	printf("%-*s", width, text);
	print_cell(last, now->all, true, best, 1);
	printf("\n");
}

static void begin_rate(const struct mc_request *req)
{
	begin(req);
	now = next++;
	if (now->row == rates && !now->form && !as_json)
		print_heading("GB/s", now->all);
	mc_user_flush();
}

/* Sizes come in the order of the columns that have one. */
static void take_rate(const struct mc_request *req, const struct mc_record *rec)
{
	unsigned int i, nth = got++;
	u64 value;

	for (i = 0; i < ncolumns && (nth || !columns[i].bytes[now->all]); i++)
		nth -= !!columns[i].bytes[now->all];
	if (now->form)
		i = ncolumns - 1;
	if (i == ncolumns || !value_of(req, rec, "mb_per_s", &value))
		return;
	cell[i] = (value + 500) / 1000;
	filled[i] = true;
}

static void end_rate(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
	unsigned int i;

	if (as_json) {
		mc_user_json.end(run, records, n, err);
		return;
	}
	if (!now->form) {
		printf("  %-10s", now->row->label);
		for (i = 0; i < ncolumns; i++)
			print_cell(&columns[i], now->all, filled[i], cell[i], 1);
		printf("\n");
		best = 0;
		best_name = NULL;
	}
	if (filled[ncolumns - 1] && cell[ncolumns - 1] > best) {
		best = cell[ncolumns - 1];
		best_name = now->form ? now->form->name : NULL;
	}
	if (best_name && !next->form)
		print_best();
}

/* @form: NULL: the row itself, at all levels */
static void plan_row(struct planned *p, const struct row *row, const struct form *form, bool all)
{
	char sizes[LINE / 2] = "", cpu[24] = "all node=local";
	struct mc_text t = MC_TEXT(sizes);
	unsigned int i, repeat = all ? 10 : 15;

	*p = (struct planned){ .row = row, .form = form, .all = all };
	for (i = 0; i < ncolumns; i++) {
		u64 bytes = columns[i].bytes[all];

		if (!bytes || (form && i + 1 < ncolumns))
			continue;
		mc_textf(&t, "%s%llu", *sizes ? "," : "", bytes);
		if (bytes > LARGE_BYTES)
			repeat = 5;
	}
	if (!all)
		snprintf(cpu, sizeof(cpu), "%d", mc_core_next(-1));
	snprintf(p->line, sizeof(p->line), "bandwidth %s repeat=%u size=%s cpu=%s%s",
		 form ? form->key : row->key, repeat, sizes, cpu, page);
}

static int measure_rates(void)
{
	const struct mc_user_view view = {
		.start = start, .begin = begin_rate, .result = take_rate, .end = end_rate,
		.screen = !as_json,
	};
	char *lines[ARRAY_SIZE(plan) + 1];
	const struct row *row;
	unsigned int n = 0, all, i;

	for (all = 0; all < 1 + (cpus() > 1); all++) {
		for (row = rates; row->label; row++) {
			plan_row(&plan[n++], row, NULL, all);
			for (i = 0; i < ARRAY_SIZE(forms); i++) {
				if (columns[ncolumns - 1].bytes[all] && forms[i].row == row &&
				    mc_loop_widest(forms[i].op))
					plan_row(&plan[n++], row, &forms[i], all);
			}
		}
	}
	for (i = 0; i < n; i++)
		lines[i] = plan[i].line;
	lines[n] = NULL;
	return mc_user_run(lines, &view);
}

static void print_legend(void)
{
	unsigned int i;

	printf("\n1 GB/s: 10^9 bytes of payload a second\n"
	       "Figures are medians; more by --help\n");
	for (i = 0; i < ncolumns; i++) {
		if (columns[i].sure && columns[i].bytes[0] && columns[i].bytes[1])
			continue;
		printf("?: no size shows this level for sure\n");
		return;
	}
}

/* Measure it all. Return: an exit status. */
int mc_user_overview(bool json)
{
	u64 room = min(mc_memory_bytes() / 4, mc_memory_room() / 2), most = 1ULL << 20;
	int status;

	while (2 * most <= min(MOST_BYTES, room))
		most *= 2;
	if (huge_pages(most))
		page = " page=thp";
	as_json = json;
	status = find_caches(most);
	status = status ? status : find_memory(most);
	if (status)
		return status;
	find_columns(most);
	if (!json)
		print_latencies();
	status = measure_rates();
	if (!json && !status && !mc_user_interrupted())
		print_legend();
	return status;
}
