// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memcache-user measures if nobody asks for anything: latency and bandwidth of each
 * cache and of memory, on one CPU and on all. The result is a screen of 80 columns and 24 lines,
 * with a prompt; on a narrower terminal it is one of 40 columns, which is longer.
 *
 * The latency of one size after another shows where the caches are, and the records name
 * them: in a virtual machine, what the CPU reports may be wrong. Memory begins at four times the
 * larger of what the latencies show and what the CPUs of the request report of their last caches;
 * a smaller set is between, and the screen says so. Each row of the bandwidth of these levels is a
 * request of its own and is printed when it has been measured. Beyond the L1, other forms of an
 * operation may do far more than one stream of ordinary accesses, so the best of them stand beside
 * it, or below it where the terminal is narrow.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "arch/caches.h"
#include "arch/cores.h"
#include "arch/loops.h"
#include "measure/source.h"
#include "measure/verdict.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "platform/version.h"
#include "user.h"

#define LEVELS		(MC_CACHES + 1)		/* the caches, and memory */
#define MEMORY		MC_HIT_MEMORY
#define LINE		192			/* bytes of a request */
#define SIZES		"4K..1M,1536K,2M,3M,4M,6M,8M,12M,16M,24M,32M"
#define LARGEST		(32ULL << 20)		/* of these */
#define MOST_BYTES	(512ULL << 20)		/* of a set, where caches are small */
#define LARGE_BYTES	(64ULL << 20)		/* sets beyond this have fewer samples */
#define WIDE		80			/* columns that forms beside a row take */
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

/* Another form of a row's operation, beyond the L1. */
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
	bool sure[2];		/* these sets are of this level, on one CPU, and on all */
};

/* What one kind of request gave. */
struct probed {
	const char *column;
	unsigned int n;
	struct mc_user_probe of[PROBES];
};

/* A row of bandwidths, or a form of one, on one CPU or on all. */
struct planned {
	const struct row *row;
	const struct form *form;
	bool all;
	char line[LINE];
};

/* The figures of a planned row. */
struct figures {
	u64 cell[LEVELS + 1];
	bool filled[LEVELS + 1];
};

#define PLANNED		(2 * (ARRAY_SIZE(rates) + ARRAY_SIZE(forms)))
#define PROBE_PARTS	8	/* finding the levels takes as long as so many rows */

/* What was found, and is printed. There is one, as views have no argument. */
static struct screen {
	struct probed latencies;
	struct probed reads;
	struct probed memory;	/* the set that shows it */
	struct probed all_reads;
	u64 all_memory;		/* the set of all CPUs that shows it */
	bool lacks;		/* a figure is not there */
	bool memory_sure;	/* no larger set had another rate */
	struct probed *probing;
	const char *page;	/* the key, if there are huge pages */
	bool quick;		/* fewer samples, and no other forms */
	bool as_json;
	bool begun;
	u64 between;		/* the set that would show memory, if there is no room for it */
	struct column columns[LEVELS + 1];
	unsigned int ncolumns;
	struct planned plan[PLANNED];
	const struct planned *now;
	const struct planned *next;
	unsigned int got;	/* results of the current request */
	struct figures row;	/* the current one */
	const struct planned *held;	/* a row that is printed with its forms; NULL: none */
	struct figures held_row;
	u64 best[LEVELS + 1];	/* the highest rates in the current row and its forms */
	const struct form *best_form[LEVELS + 1];	/* that had them; NULL: the row itself */
} screen = {
	.latencies.column = "ns_per_load", .reads.column = "mb_per_s",
	.all_reads.column = "mb_per_s", .memory.column = "ns_per_load", .page = "",
	.next = screen.plan,
};

/* --------------------------------------------------------------- what the views share */

static unsigned int cpus(void)
{
	unsigned int n = 0;
	int cpu;

	for (cpu = mc_core_next(-1); cpu >= 0; cpu = mc_core_next(cpu))
		n++;
	return n;
}

/* Then the memory of one CPU serves all, and its pages are there. */
static bool on_one_node(void)
{
	int first = mc_core_next(-1), cpu = first;

	while (cpu >= 0 && mc_cpu_node(cpu) == mc_cpu_node(first))
		cpu = mc_core_next(cpu);
	return cpu < 0;
}

/* Has the terminal room for forms beside the rows? What is no terminal has. */
static bool is_wide(void)
{
	return mc_user_columns(STDOUT_FILENO) >= WIDE;
}

/* Others that run now, or have run for a while, take CPUs or their share of memory. */
static void print_load(void)
{
	int n = get_nprocs(), running = 1;
	const char *needs = mc_user_sched_needs();
	char text[80];
	double load;

	if (!mc_user_read_file("/proc/loadavg", text, sizeof(text)) ||
	    sscanf(text, "%lf %*f %*f %d", &load, &running) != 2)
		return;
	if (load <= n && running <= 1)
		return;
	printf("not quiet: load %.1f on %d CPU%s", load, n, n == 1 ? "" : "s");
	/* The first of these words, since the screen has 80 columns. */
	if (needs)
		printf("; to go first needs %.*s", (int)strcspn(needs, ",;"), needs);
	printf("\n");
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
	printf("\nLinux %s%smemcache-user %s\n", name.release, is_wide() ? ", " : "\n", mc_version);
	print_load();
}

/* Several calls of mc_user_run() make one screen. */
static void start(void)
{
	if (!screen.begun)
		(screen.as_json ? mc_user_json.start : print_machine)();
	screen.begun = true;
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
	screen.got = 0;
	screen.row = (struct figures){ 0 };
}

/* ------------------------------------------------------------------- find the levels */

static void take_probe(const struct mc_request *req, const struct mc_record *rec)
{
	struct mc_user_probe *p = &screen.probing->of[screen.probing->n];
	u64 level;

	if (screen.probing->n == PROBES || !value_of(req, rec, screen.probing->column, &p->value))
		return;
	p->bytes = rec->point.v[MC_KEY_SIZE];
	p->level = value_of(req, rec, "level", &level) ? (enum mc_hit)level : MC_HIT_UNKNOWN;
	screen.probing->n++;
}

static void end_probe(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
	if (screen.as_json)
		mc_user_json.end(run, records, n, err);
}

/* Do so many bytes come in huge pages, if they are asked for? */
static bool huge_pages(u64 bytes)
{
	char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool huge;
	u64 at;

	if (base == MAP_FAILED)
		return false;
	madvise(base, bytes, MADV_HUGEPAGE);
	for (at = 0; at < bytes && !mc_user_interrupted(); at += 1 << 20)
		memset(base + at, 0, 1 << 20);
	/* The two ends need not be aligned. */
	huge = mc_user_huge(base, bytes) + (4ULL << 20) >= bytes;
	munmap(base, bytes);
	return huge;
}

/* The value of cpu=: all, or the first one. */
static void print_cpu(struct mc_text *t, bool all)
{
	if (all)
		mc_textf(t, "%s", on_one_node() ? "all" : "all node=local");
	else
		mc_textf(t, "%d", mc_core_next(-1));
}

/* Measure sizes on the first CPU, or on all. Return: an exit status. */
static int probe(struct probed *what, const char *test, const char *sizes, bool all)
{
	const struct mc_user_view view = {
		.start = start, .begin = begin, .result = take_probe, .end = end_probe,
		.screen = !screen.as_json,
	};
	char line[LINE], *lines[] = { line, NULL };
	struct mc_text t = MC_TEXT(line);
	int status;

	screen.probing = what;
	mc_textf(&t, "%s size=%s repeat=%d warmup=1%s cpu=", test, sizes, screen.quick ? 3 : 5,
		 screen.page);
	print_cpu(&t, all);
	status = mc_user_run(lines, &view);
	return status || what->n ? status : MC_USER_FAILED;
}

/* The last level of cache that the first CPU reports; 0: none. */
static unsigned int last_level(void)
{
	unsigned int level = MC_CACHES;

	while (level && !mc_cache_bytes(mc_core_next(-1), level))
		level--;
	return level;
}

/* The largest set that a cache served. The CPU may not report this cache: then its time tells. */
static u64 cached_bytes(void)
{
	const struct mc_user_probe *p;
	u64 most = 0;

	for (p = screen.latencies.of; p < &screen.latencies.of[screen.latencies.n]; p++) {
		if (p->level < MEMORY || (p->level == MC_HIT_UNKNOWN &&
					  2 * p->value < mc_wb_loads.miss_ps))
			most = p->bytes;
	}
	return most;
}

/* Bytes of the last cache of the first CPU, or of all CPUs, as they or a search say; 0: unknown. */
static u64 reported_bytes(bool all)
{
	return all ? max(mc_source_caches(NULL, 0), mc_source_unlisted(NULL)) :
	       max(mc_cache_bytes(mc_core_next(-1), last_level()), mc_unlisted_cache());
}

/* The same for all CPUs: a set for each of the caches that they have. */
static u64 for_all(u64 bytes, unsigned int level)
{
	u64 one = mc_cache_bytes(mc_core_next(-1), level);

	return one ? mc_muldiv(bytes, mc_source_caches(NULL, level), one) & ~4095ULL : bytes;
}

/* Read sets from @bytes on. Return: an exit status. */
static int probe_reads(struct probed *what, u64 bytes, u64 most, bool all)
{
	char sizes[48];

	snprintf(sizes, sizeof(sizes), "%llu..%llu", bytes, min(most, max(bytes, MOST_BYTES)));
	return probe(what, "bandwidth op=read", sizes, all);
}

/* The least set of all CPUs that is memory, as far as caches are known. */
static u64 least_of_all(void)
{
	return MC_BEYOND * max(reported_bytes(true), for_all(cached_bytes(), last_level()));
}

/*
 * All CPUs read larger and larger sets, from @bytes on: a virtual machine may report one L3 for
 * CPUs that have several.
 */
static int find_memory_of_all(u64 bytes, u64 most)
{
	int status;

	mc_user_progress_part(PROBE_PARTS - 1, 1);
	while (bytes < least_of_all() && 2 * bytes <= most)
		bytes *= 2;
	status = probe_reads(&screen.all_reads, bytes, most, true);
	screen.all_memory = bytes;
	if (!status)
		mc_user_find_memory(screen.all_reads.of, screen.all_reads.n, 0, least_of_all(),
				    &screen.all_memory);
	return status;
}

/* Read larger and larger sets, and measure the latency of that which shows memory. */
static int find_memory(u64 most)
{
	u64 least = MC_BEYOND * max(cached_bytes(), reported_bytes(false)), bytes = LARGEST;
	char sizes[48];
	int status;

	mc_user_progress_part(PROBE_PARTS - 3, 1);
	/* Smaller sets are no memory, whatever their rates are. */
	while (bytes < least)
		bytes *= 2;
	bytes = min(bytes, most);
	status = probe_reads(&screen.reads, bytes, most, false);
	if (status)
		return status;
	mc_user_progress_part(PROBE_PARTS - 2, 1);
	screen.memory_sure = mc_user_find_memory(screen.reads.of, screen.reads.n,
						 MC_BEYOND * cached_bytes(),
						 MC_BEYOND * reported_bytes(false), &bytes);
	snprintf(sizes, sizeof(sizes), "%llu", bytes);
	status = probe(&screen.memory, "latency", sizes, false);
	if (status)
		return status;
	screen.memory_sure &= screen.memory.of->level == MEMORY;
	return cpus() > 1 ? find_memory_of_all(bytes, most) : 0;
}

/* ----------------------------------------------------------- the columns of the screen */

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
	bool sure = found && level != MC_HIT_UNKNOWN;

	screen.columns[screen.ncolumns++] = (struct column){
		.name = names[level], .sure = { sure, sure && all_bytes },
		.bytes = { found ? found->bytes : 0, all_bytes }, .ps = found ? found->ps : 0,
	};
}

static void add_cache(enum mc_hit level, u64 *before)
{
	struct mc_user_level found;
	bool sure = mc_user_find_cache(screen.latencies.of, screen.latencies.n, level,
				       mc_cache_bytes(mc_core_next(-1), level + 1), &found);
	u64 bytes = sure ? set_of_all(level, &found, *before) : 0;

	if (sure)
		*before = max(for_all(found.last, level + 1), mc_source_caches(NULL, level + 1));
	if (sure || mc_cache_bytes(mc_core_next(-1), level + 1))
		add_column(level, sure ? &found : NULL, bytes);
}

static void add_memory(void)
{
	const struct mc_user_probe *p = screen.memory.of;
	struct mc_user_level found = { p->bytes, p->value, p->bytes };
	u64 bytes = max(p->bytes, screen.all_memory), wanted = least_of_all();

	add_column(MEMORY, &found, bytes);
	screen.columns[screen.ncolumns - 1].sure[0] = screen.memory_sure;
	screen.columns[screen.ncolumns - 1].sure[1] = screen.memory_sure && bytes >= wanted;
	if (!screen.columns[screen.ncolumns - 1].sure[1])
		screen.between = wanted;
}

/* No record names a level, as in an emulator: a small set, and a large one. */
static void add_unknown(void)
{
	const struct mc_user_probe *small = &screen.latencies.of[screen.latencies.n / 8];
	const struct mc_user_probe *large = screen.memory.of;

	add_column(MC_HIT_UNKNOWN, &(struct mc_user_level){ small->bytes, small->value, 0 },
		   small->bytes);
	add_column(MC_HIT_UNKNOWN, &(struct mc_user_level){ large->bytes, large->value, 0 },
		   large->bytes);
}

static void find_columns(void)
{
	enum mc_hit level;
	u64 before = 0;
	unsigned int i;

	for (i = 0; i < screen.latencies.n && screen.latencies.of[i].level == MC_HIT_UNKNOWN; i++)
		;
	if (i == screen.latencies.n) {
		add_unknown();
		return;
	}
	for (level = MC_HIT_L1; level < MEMORY; level++)
		add_cache(level, &before);
	add_memory();
}

/* --------------------------------------------------------------------- the screen */

static void print_heading(bool all)
{
	char where[16];
	unsigned int i;

	if (all)
		snprintf(where, sizeof(where), "%u CPUs", cpus());
	else
		snprintf(where, sizeof(where), "CPU %d", mc_core_next(-1));
	printf("\n%-12s", where);
	for (i = 0; i < screen.ncolumns; i++)
		printf("%7s", screen.columns[i].name);
	printf("\n%-12s", "GB/s");
	for (i = 0; i < screen.ncolumns; i++) {
		char size[16] = "";
		struct mc_text t = MC_TEXT(size);

		if (screen.columns[i].bytes[all])
			mc_key_show(&t, mc_key_of(*mc_specs, MC_KEY_SIZE),
				    screen.columns[i].bytes[all]);
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
	const char *mark = !column->sure[all] ? "?" : there ? "" : "-";
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
	const struct column *column;

	print_heading(false);
	printf("  %-10s", "latency ns");
	for (column = screen.columns; column < &screen.columns[screen.ncolumns]; column++)
		print_cell(column, false, column->ps, (column->ps + 5) / 10, 2);
	printf("\n");
	mc_user_flush();
}

/* A signal came before memory was found: what is known of caches. */
static void print_caches(void)
{
	enum mc_hit level;
	u64 before = 0;

	for (level = MC_HIT_L1; level < MEMORY; level++)
		add_cache(level, &before);
	if (screen.ncolumns)
		print_latencies();
}

/* Print a form beside the row, or below it where there is no room. Return: the column behind it. */
static int print_form(const char *text, int at)
{
	int row = 12 + 7 * screen.ncolumns;

	if (at + 2 + (int)strlen(text) > (is_wide() ? WIDE : row)) {
		at = is_wide() ? row : 2;
		printf("\n%*s", at, "");
	}
	return at + printf("  %s", text);
}

/*
 * Forms of the held row that are better than it, each with the levels where it is the best. A form
 * that is the best of more levels than a line has room for is there twice.
 */
static void print_best(void)
{
	int row = 12 + 7 * screen.ncolumns, at = row;
	int room = (is_wide() ? WIDE - row : row - 2) - 2 - (int)strlen(", memory? 9999.9");
	unsigned int i, f, first = screen.ncolumns > 2;

	for (f = 0; f < ARRAY_SIZE(forms); f++) {
		char text[WIDE] = "";
		struct mc_text t = MC_TEXT(text);

		for (i = first; i < screen.ncolumns; i++) {
			if (screen.best_form[i] != &forms[f])
				continue;
			if (*text && (int)strlen(text) > room) {
				at = print_form(text, at);
				*text = '\0';
				t = (struct mc_text)MC_TEXT(text);
			}
			mc_textf(&t, "%s %s %s", *text ? "," : forms[f].name,
				 screen.columns[i].name,
				 screen.columns[i].sure[screen.held->all] ? "" : "?");
			mc_text_fixed(&t, screen.best[i], 1);
		}
		if (*text)
			at = print_form(text, at);
	}
}

/* Print the row that is held, if one is. */
static void print_row(void)
{
	unsigned int i;

	if (!screen.held)
		return;
	printf("  %-10s", screen.held->row->label);
	for (i = 0; i < screen.ncolumns; i++)
		print_cell(&screen.columns[i], screen.held->all, screen.held_row.filled[i],
			   screen.held_row.cell[i], 1);
	print_best();
	printf("\n");
	screen.held = NULL;
}

static void begin_rate(const struct mc_request *req)
{
	begin(req);
	screen.now = screen.next++;
	mc_user_progress_part(PROBE_PARTS + (screen.now - screen.plan), 0);
	if (screen.now->row == rates && !screen.now->form && screen.now->all && !screen.as_json)
		print_heading(true);
	mc_user_flush();
}

/* The first column of a row, or of a form of it: the L1 has no figures of forms. */
static unsigned int first_of(const struct form *form)
{
	return form && screen.ncolumns > 2;
}

/* Sizes come in the order of the columns that have one. */
static void take_rate(const struct mc_request *req, const struct mc_record *rec)
{
	const struct planned *now = screen.now;
	unsigned int i, nth = screen.got++;
	u64 value;

	for (i = first_of(now->form);
	     i < screen.ncolumns && (nth || !screen.columns[i].bytes[now->all]); i++)
		nth -= !!screen.columns[i].bytes[now->all];
	if (i == screen.ncolumns)
		return;
	if (!value_of(req, rec, "mb_per_s", &value)) {
		screen.lacks |= !now->form;
		return;
	}
	screen.row.cell[i] = (value + 50000) / 100000;	/* 0.1 GB/s */
	screen.row.filled[i] = true;
}

static void end_rate(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
	unsigned int i;

	if (screen.as_json) {
		mc_user_json.end(run, records, n, err);
		return;
	}
	if (!screen.now->form) {
		screen.held = screen.now;
		screen.held_row = screen.row;
		memset(screen.best, 0, sizeof(screen.best));
		memset(screen.best_form, 0, sizeof(screen.best_form));
	}
	/* The screen has room for what is clearly faster. */
	for (i = 0; i < screen.ncolumns; i++) {
		u64 cell = screen.row.cell[i], best = screen.best[i];

		if (!screen.row.filled[i] || cell <= best + (screen.best_form[i] ? 0 : best / 10))
			continue;
		screen.best[i] = cell;
		screen.best_form[i] = screen.now->form;
	}
	if (!screen.next->form)
		print_row();
}

/* @form: NULL: the row itself, at all levels */
static void plan_row(struct planned *p, const struct row *row, const struct form *form, bool all)
{
	char sizes[LINE / 2] = "", cpu[24];
	struct mc_text t = MC_TEXT(sizes), c = MC_TEXT(cpu);
	unsigned int i, repeat = screen.quick ? 3 : all ? 10 : 15;

	*p = (struct planned){ .row = row, .form = form, .all = all };
	for (i = 0; i < screen.ncolumns; i++) {
		u64 bytes = screen.columns[i].bytes[all];

		if (!bytes || i < first_of(form))
			continue;
		mc_textf(&t, "%s%llu", *sizes ? "," : "", bytes);
		if (bytes > LARGE_BYTES)
			repeat = min(repeat, bytes > MOST_BYTES ? screen.quick ? 2U : 3U : 5U);
	}
	print_cpu(&c, all);
	snprintf(p->line, sizeof(p->line), "bandwidth %s repeat=%u warmup=1 size=%s cpu=%s%s%s",
		 form ? form->key : row->key, repeat, sizes, cpu, screen.page,
		 screen.quick ? " verify=deferred" : "");
}

static int measure_rates(void)
{
	const struct mc_user_view view = {
		.start = start, .begin = begin_rate, .result = take_rate, .end = end_rate,
		.screen = !screen.as_json,
	};
	char *lines[ARRAY_SIZE(screen.plan) + 1];
	const struct row *row;
	unsigned int n = 0, all, i;

	for (all = 0; all < 1 + (cpus() > 1); all++) {
		for (row = rates; row->label; row++) {
			plan_row(&screen.plan[n++], row, NULL, all);
			for (i = 0; i < ARRAY_SIZE(forms) && !screen.quick; i++) {
				if (screen.columns[screen.ncolumns - 1].bytes[all] &&
				    forms[i].row == row && mc_loop_widest(forms[i].op))
					plan_row(&screen.plan[n++], row, &forms[i], all);
			}
		}
	}
	for (i = 0; i < n; i++)
		lines[i] = screen.plan[i].line;
	lines[n] = NULL;
	mc_user_progress_parts(PROBE_PARTS + n);
	return mc_user_run(lines, &view);
}

static void print_legend(void)
{
	char size[16] = "";
	struct mc_text t = MC_TEXT(size);
	unsigned int i;

	printf("GB/s: 10^9 bytes of payload a second%smedians; more by --help\n",
	       is_wide() ? "; " : "\n");
	if (screen.lacks)
		printf("-: no figure: no sample counted, as on a busy machine\n");
	if (screen.between) {
		mc_key_show(&t, mc_key_of(*mc_specs, MC_KEY_SIZE), screen.between);
		printf("?memory: between; it takes %s to be sure\n", size);
	}
	for (i = 0; i < screen.ncolumns; i++) {
		if (screen.columns[i].sure[1] || (screen.between && i == screen.ncolumns - 1))
			continue;
		printf("?: the times do not show which size is this level\n");
		return;
	}
}

/* Measure it all; @short_form: with fewer samples. Return: an exit status. */
int mc_user_overview(bool json, bool short_form)
{
	u64 room = min(mc_memory_bytes() / 4, mc_memory_room() / 2), most = 1ULL << 20;
	int status;

	room = min(room, MC_AUTO_MOST);
	while (most < max(MOST_BYTES, MC_BEYOND * reported_bytes(true)) && 2 * most <= room)
		most *= 2;
	screen.quick = short_form;
	mc_user_progress_parts(PROBE_PARTS + (screen.quick ? ARRAY_SIZE(rates) - 1 : PLANNED / 2) *
			       (1 + (cpus() > 1)));
	mc_user_progress_part(0, PROBE_PARTS - 3);
	if (huge_pages(min(most, LARGEST)))
		screen.page = " page=thp";
	screen.as_json = json;
	status = probe(&screen.latencies, "latency", most < LARGEST ? "4K..1M" : SIZES, false);
	/* Larger sets take long to touch, so caches come first. */
	if (!status && !huge_pages(most))
		screen.page = "";
	if (!status && mc_user_interrupted()) {
		fprintf(stderr, "memcache-user: " MC_USER_STOPPED "\n");
		status = MC_USER_FAILED;
	}
	status = status ? status : find_memory(most);
	if (status && screen.latencies.n && mc_user_interrupted() && !json)
		print_caches();
	if (status)
		return status;
	find_columns();
	if (!json)
		print_latencies();
	status = measure_rates();
	if (!json)
		print_row();	/* if a signal came while its forms were measured */
	if (!json && !status && !mc_user_interrupted())
		print_legend();
	return status;
}
