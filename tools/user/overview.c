// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memcache-user measures if nobody asks for anything: latency and bandwidth of each
 * cache and of memory, on one CPU and on all. The result is a screen of 40 columns. Each
 * row is a request of its own and is printed when it has been measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "arch/caches.h"
#include "arch/cores.h"
#include "measure/engine.h"
#include "measure/served.h"
#include "platform/version.h"
#include "user.h"

#define LEVELS	4	/* three caches, and memory */
#define LINE	160	/* bytes of a request */

/* A figure of each level in a row of the screen. */
struct row {
	const char *label;
	const char *request;	/* without the keys that its block and the machine add */
	const char *column;	/* of the results */
	u64 divide;		/* its value by this */
	unsigned int decimals;	/* of the result of that */
};

static const struct row latencies[] = {
	{ "latency", "latency", "ns_per_load", 10, 2 },
	{ }
};

static const struct row rates[] = {
	{ "read", "bandwidth op=read", "mb_per_s", 1000, 1 },
	{ "write", "bandwidth op=write", "mb_per_s", 1000, 1 },
	{ "ntwrite", "bandwidth op=ntwrite", "mb_per_s", 1000, 1 },
	{ "copy", "bandwidth op=copy", "mb_per_s", 1000, 1 },
	{ "triad", "bandwidth op=triad", "mb_per_s", 1000, 1 },
	{ }
};

static const struct block {
	const char *unit;
	const struct row *rows;
	const char *keys;	/* of its requests */
	bool all;		/* on all CPUs, else on one */
} blocks[] = {
	{ "ns a load", latencies, "repeat=5", false },
	{ "GB/s", rates, "repeat=15", false },
	{ "GB/s", rates, "repeat=10 node=local", true },
};

#define ROWS	16	/* at least as many as all blocks have */

/* A row of a block, and the levels that its request measures, in this order. */
struct planned {
	const struct block *block;
	const struct row *row;
	unsigned int n;
	unsigned int level[LEVELS];
	char line[LINE];
};

static struct planned plan[ROWS];
static struct planned *now, *next = plan;
static unsigned int got;	/* results of the current row */
static u64 cell[LEVELS];	/* its figures, by level */
static bool filled[LEVELS];

/* ---------------------------------------------------------------- the requests */

/* Bytes of the caches of a level that the first CPU has, or all CPUs together. */
static u64 caches(unsigned int level, bool all)
{
	return all ? mc_served_caches(NULL, level) : mc_cache_bytes(mc_core_next(-1), level);
}

/*
 * A working set that this level holds and the one before does not: a quarter of the cache,
 * because from a half on its pages decide whether it fits; half, or three quarters if the
 * caches before are large. Return: 0 if there is none.
 */
static u64 working_set(unsigned int level, bool all)
{
	u64 bytes = caches(level, all), before = level > 1 ? caches(level - 1, all) : 0;
	unsigned int quarters;

	for (quarters = 1; quarters <= 3; quarters++) {
		u64 size = bytes / 4 * quarters;

		if (size >= (quarters < 3 ? 2 * before : before + before / 2))
			return size & ~4095ULL;
	}
	return 0;
}

static void plan_row(struct planned *p, const struct block *block, const struct row *row)
{
	char sizes[LINE / 2] = "", cpu[16] = "all";
	struct mc_text t = MC_TEXT(sizes);
	unsigned int level;

	p->block = block;
	p->row = row;
	for (level = 1; level < LEVELS; level++) {
		u64 size = working_set(level, block->all);

		if (!size)
			continue;
		mc_textf(&t, "%llu,", size);
		p->level[p->n++] = level - 1;
	}
	p->level[p->n++] = LEVELS - 1;
	if (!block->all)
		snprintf(cpu, sizeof(cpu), "%d", mc_core_next(-1));
	snprintf(p->line, sizeof(p->line), "%s %s size=%sauto cpu=%s", row->request,
		 block->keys, sizes, cpu);
}

/* --------------------------------------------------------------------- the screen */

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

static void print_heading(const struct mc_request *req)
{
	static const char * const names[LEVELS] = { "L1", "L2", "L3", "memory" };
	const struct mc_values *sizes = &req->values[MC_KEY_SIZE];
	char where[16];
	unsigned int i;

	printf("\n%-12s", now->block->unit);
	for (i = 0; i < now->n; i++)
		printf("%7s", names[now->level[i]]);
	if (now->block->all)
		snprintf(where, sizeof(where), "%u CPUs", req->ncpus);
	else
		snprintf(where, sizeof(where), "CPU %d", mc_core_next(-1));
	printf("\n%-12s", where);
	for (i = 0; i < now->n; i++) {
		char size[16] = "";
		struct mc_text t = MC_TEXT(size);

		mc_key_show(&t, mc_key_of(req->spec, MC_KEY_SIZE), sizes->v[i]);
		printf("%7s", size);
	}
	printf("\n");
}

static void begin(const struct mc_request *req)
{
	now = next++;
	got = 0;
	memset(filled, 0, sizeof(filled));
	if (now->row == now->block->rows)
		print_heading(req);
	mc_user_flush();
}

static void take(const struct mc_request *req, const struct mc_record *rec)
{
	unsigned int level = now->level[got++], i;

	for (i = 0; i < req->spec->ncolumns; i++) {
		if (strcmp(req->spec->columns[i].name, now->row->column) ||
		    !(rec->has & 1U << i))
			continue;
		cell[level] = (rec->value[i] + now->row->divide / 2) / now->row->divide;
		filled[level] = true;
	}
}

static void end(const struct mc_run *run, const struct mc_record *records, u64 n, int err)
{
	unsigned int i;

	printf("  %-10s", now->row->label);
	for (i = 0; i < now->n; i++) {
		char text[24] = "-";
		struct mc_text t = MC_TEXT(text);

		if (filled[now->level[i]])
			mc_text_fixed(&t, cell[now->level[i]], now->row->decimals);
		printf("%7s", text);
	}
	printf("\n");
	if (!next->block && !err)
		printf("\n1 GB/s: 10^9 bytes of payload a second\n"
		       "Figures are medians; more by --help\n");
}

static const struct mc_user_view screen = {
	.start = print_machine,
	.begin = begin,
	.result = take,
	.end = end,
};

/* Measure it all. Return: an exit status. */
int mc_user_overview(bool json)
{
	struct planned *p = plan;
	char *lines[ROWS + 1];
	const struct row *row;
	unsigned int i;

	for (i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
		if (blocks[i].all && cpus() == 1)
			continue;
		for (row = blocks[i].rows; row->label; row++)
			plan_row(p++, &blocks[i], row);
	}
	for (i = 0; plan[i].block; i++)
		lines[i] = plan[i].line;
	lines[i] = NULL;
	return mc_user_run(lines, json ? &mc_user_json : &screen);
}
