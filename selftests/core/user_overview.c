// SPDX-License-Identifier: GPL-2.0-only
/*
 * The screen of memcache-user on made-up machines: the sets that it plans for each level, and the
 * figures of these sets.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cmocka_all.h"
#include "fixture.h"

#include "arch/caches.h"
#include "arch/cores.h"
#include "measure/source.h"
#include "measure/test.h"
#include "measure/verdict.h"
#include "platform/version.h"
#include "user.h"

#define MISS_PS	100000
#define TEXT	4096
#define VERSION	"1"
#define READ	"  read        400.0  200.0  100.0   20.0\n"

/* A machine, and what its screen has. */
static const struct seen {
	u64 l3;			/* as its CPUs report it; 0: they don't */
	u64 share;		/* what a thread gets of it */
	u64 unseen;		/* so many L3s are there; 0: one a socket, as reported */
	u64 sockets;		/* each has such an L3 and two CPUs */
	u64 room;		/* bytes of memory for a set */
	const char *sets[2];	/* on one CPU, and on all of them */
	const char *read;	/* GB/s of one CPU */
	const char *note;	/* in the last lines; NULL: there is no mark */
	u64 lost;		/* this set has no figure on all CPUs */
	u64 l2;			/* what times show of an L2 of 1M; 0: all of it */
} rows[] = {
	{ 32 * M, 32 * M, 0, 1, 64 * G, { "GB/s            16K   512K     8M   128M\n",
	  "GB/s            32K     1M     8M   128M\n" }, READ, NULL },
	{ 32 * M, 32 * M, 0, 4, 64 * G, { "GB/s            16K   512K     8M   128M\n",
	  "GB/s           128K     4M    32M   512M\n" }, READ, NULL },
	/* Each CPU has an L3 of its own, as rates of both show, and the L3s are larger, too. */
	{ 32 * M, 48 * M, 2, 1, 64 * G, { "GB/s            16K   512K     8M   128M\n",
	  "GB/s            32K     1M     8M   256M\n" }, READ, NULL },
	{ 504 * M, 504 * M, 0, 1, 64 * G, { "GB/s            16K   512K     8M     2G\n",
	  "GB/s            32K     1M     8M     2G\n" }, READ, NULL },
	/* A virtual machine has a share of this L3, and not enough memory to be sure. */
	{ 504 * M, 8 * M, 0, 1, 64 * G, { "GB/s            16K   512K     4M     2G\n",
	  "GB/s            32K     1M     4M     2G\n" }, READ, NULL },
	{ 504 * M, 8 * M, 0, 1, 1 * G, { "GB/s            16K   512K     4M     1G\n",
	  "GB/s            32K     1M     4M     1G\n" }, "  100.0  ?20.0\n",
	  "?memory: between; it takes 2016M to be sure\n" },
	{ 32 * M, 32 * M, 0, 4, 256 * M, { "GB/s            16K   512K     8M   128M\n",
	  "GB/s           128K     4M    32M   256M\n" }, READ,
	  "?memory: between; it takes 512M to be sure\n" },
	/* No table has these. Where CPUs don't report an L3, its times show it. */
	{ 57 * M, 57 * M, 0, 1, 64 * G, { "GB/s            16K   512K     8M   256M\n",
	  "GB/s            32K     1M     8M   256M\n" }, READ, NULL },
	{ 32 * M, 32 * M, 0, 1, 64 * G, { "GB/s            16K   512K     8M   128M\n",
	  "GB/s            32K     1M     8M   128M\n" }, "  800.0      -  200.0   40.0\n",
	  "-: no figure: no sample counted, as on a busy machine\n", 1 * M },
	/* Times climb before the end of the L2s: two CPUs have 2M of them. */
	{ 32 * M, 4 * M, 0, 1, 64 * G, { "GB/s            16K   512K     3M   128M\n",
	  "GB/s            32K     1M     4M   128M\n" }, READ, NULL, 0, 512 * K },
	{ 0, 24 * M, 0, 1, 64 * G, { "GB/s            16K   512K   128M\n",
	  "GB/s            32K     1M   256M\n" }, "  400.0  200.0   20.0\n", NULL },
};

static const struct seen *machine;

/* ------------------------------------------------------------ the machine */

static unsigned int ncpus(void)
{
	return 2 * machine->sockets;
}

int mc_core_next(int cpu)
{
	return cpu + 1 < (int)ncpus() ? cpu + 1 : -1;
}

int mc_cpu_node(unsigned int cpu)
{
	return cpu / 2;
}

u64 mc_cache_bytes(int cpu, unsigned int level)
{
	const u64 bytes[MC_CACHES] = { 48 * K, 1 * M, machine->l3 };

	return bytes[level - 1];
}

u64 mc_source_caches(const u64 *cpus, unsigned int level)
{
	level = level ? level : machine->l3 ? 3 : 2;
	return mc_cache_bytes(0, level) * (level == 3 ? machine->sockets : ncpus());
}

u64 mc_source_unlisted(const u64 *cpus)
{
	return 0;
}

long get_phys_pages(void)
{
	return 8 * machine->room / 4096;
}

u64 mc_memory_room(void)
{
	return 2 * machine->room;
}

struct mc_wb_loads mc_wb_loads = { .miss_ps = MISS_PS };

/* The price of an access to a set. Up to twice its size, a cache holds a part. */
static u64 price(u64 bytes, const u64 prices[4])
{
	const u64 held[] = { 48 * K, machine->l2 ? machine->l2 : 1 * M, machine->share };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (bytes <= held[i])
			return prices[i];
		if (bytes < 2 * held[i])
			return prices[i] + mc_muldiv(prices[i + 1] - prices[i], bytes - held[i],
						     held[i]);
	}
	return prices[3];
}

/* The latency and its level as a record has them, or the rate of all CPUs. */
static void fill(const struct mc_request *req, struct mc_record *rec, u64 bytes)
{
	static const u64 ps[] = { 1000, 4000, 30000, MISS_PS }, a_gb[] = { 25, 50, 100, 500 };
	const struct mc_hierarchy h = {
		.bytes = { 48 * K, 1 * M, machine->l3 }, .hit_ps = 1000, .miss_ps = MISS_PS,
	};
	u64 n = req->all_cpus ? ncpus() : 1;

	if (strcmp(req->spec->name, "latency")) {
		/* CPUs of a socket share its L3. */
		u64 l3s = machine->unseen ? machine->unseen : machine->sockets;
		u64 part = bytes / (n == 1 ? 1 : bytes > n * M ? l3s : n);

		if (n > 1 && bytes == machine->lost)
			return;
		mc_record_set(rec, 0, n * 10000000000 / price(part, a_gb));
		return;
	}
	mc_record_set(rec, 0, price(bytes, ps));
	rec->value[1] = mc_level_of(&h, &(struct mc_set){ .bytes = bytes,
				    .sharers = { 1, 1, 1, 1 } }, rec->value[0], false);
	rec->has |= (rec->value[1] != MC_HIT_UNKNOWN) << 1;
}

static const struct mc_column latency_columns[] = {
	{ "ns_per_load", "", 3 }, { "level", "", .names = mc_hit_names },
};

static const struct mc_spec latency = {
	.name = "latency", .help = "", .columns = latency_columns, .ncolumns = 2,
};

const struct mc_spec *const mc_specs[] = { &latency, &bandwidth, NULL };

int mc_user_run(char **words, const struct mc_user_view *view)
{
	struct mc_request req;
	struct mc_error e = { 0 };
	unsigned int i;

	for (; *words; words++) {
		/* The tests' own bandwidth does not have this key. */
		(*words)[strcspn(*words, "v")] = 0;
		if (mc_request_parse(&req, *words, strlen(*words), mc_specs, &e))
			fail_msg("%s: %s", *words, e.text);
		/* CPUs of one node share the memory of the rows of one CPU, which is there. */
		assert_int_equal(!!strstr(*words, "node=local"),
				 req.all_cpus && machine->sockets > 1);
		/* A request that asks for more than the process may have would be refused. */
		assert_int_equal(req.values[MC_KEY_SCHED].v[0], MC_AUTO);
		view->start();
		view->begin(&req);
		for (i = 0; i < req.values[MC_KEY_SIZE].n; i++) {
			u64 bytes = req.values[MC_KEY_SIZE].v[i];
			struct mc_record rec = { .point.v[MC_KEY_SIZE] = bytes };

			fill(&req, &rec, bytes);
			view->result(&req, &rec);
		}
		view->end(NULL, NULL, 0, 0);
	}
	return 0;
}

/* ------------------------------------------------------- what is not asked */

const char mc_version[] = VERSION;
const struct mc_user_view mc_user_json;

void mc_cpu_name(char name[MC_CPU_NAME_BYTES])
{
	*name = 0;
}

unsigned int mc_user_columns(int fd)
{
	return 80;
}

/* In place of all others: false, NULL or 0. */
u64 nothing(void)
{
	return 0;
}

/* Others always have the CPUs, and on machines with several sockets this process can't go first. */
bool mc_user_read_file(const char *path, char *buf, size_t size)
{
	return !strcmp(path, "/proc/loadavg") && snprintf(buf, size, "99999.50 1.00 1.00 1/9 9");
}

const char *mc_user_sched_needs(void)
{
	return machine->sockets > 1 ? "sudo, CAP_SYS_NICE or `ulimit -r 1`" : NULL;
}

/* No page is touched. */
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return MAP_FAILED;
}

/* ------------------------------------------------------------------- tests */

/* The overview keeps what it found, so each machine has a process. */
static void test_sets_and_figures_of_each_machine(void **state)
{
	char screen[TEXT];
	unsigned int i;
	int ends[2];
	FILE *from;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		machine = &rows[i];
		assert_int_equal(pipe(ends), 0);
		if (!fork()) {
			dup2(ends[1], STDOUT_FILENO);
			mc_user_overview(false, true);
			fflush(stdout);
			_exit(0);
		}
		close(ends[1]);
		from = fdopen(ends[0], "r");
		screen[fread(screen, 1, TEXT - 1, from)] = 0;
		fclose(from);
		wait(NULL);
		print_message("%s", screen);
		assert_non_null(strstr(screen, "not quiet: load 99999.5 on "));
		assert_int_equal(!!strstr(screen, "; to go first needs sudo\n"),
				 machine->sockets > 1);
		assert_non_null(strstr(screen, machine->sets[0]));
		assert_non_null(strstr(screen, machine->sets[1]));
		assert_non_null(strstr(screen, machine->read));
		if (machine->note)
			assert_non_null(strstr(screen, machine->note));
		else
			assert_null(strchr(screen, '?'));
		assert_null(strstr(screen, "the times do not show"));
	}
}
