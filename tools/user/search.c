// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last cache in front of memory, where no CPU reports it: a memory-side cache in sysfs, or what
 * a search found in the latencies of larger and larger sets. A search is kept until the next boot:
 * by root for all users, by others for themselves. What is kept is a line:
 *
 *	BOOT REPORTED FOUND DATE
 *
 * with the kernel's random name of this boot, and bytes of the last cache that CPUs report, and
 * that was found; 0: it failed.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arch/caches.h"
#include "measure/source.h"
#include "platform/os.h"
#include "user.h"

#define MEMORY_SIDE	"/sys/devices/system/node/node%d/memory_side_cache/index%u/size"
#define LEAST		"1M"
#define USUAL		(512ULL << 20)	/* the largest set, where CPUs report small caches */
#define MOST		(4ULL << 30)	/* at all: a larger one takes minutes */
#define SIZES		13		/* from LEAST to MOST */
#define DATE		"%Y-%m-%dT%H:%M:%SZ"
#define AGAIN_S		3600		/* after a search that failed */

struct kept {
	char boot[40];
	u64 reported;
	u64 found;
	char date[24];
};

static struct mc_user_probe curve[SIZES];	/* of each size the least: others delay loads */
static unsigned int nsizes;

/* Bytes of the largest cache in front of the memory of a node. */
static u64 memory_side(void)
{
	char text[64];
	unsigned int i;
	u64 most = 0;
	int node;

	for (node = mc_user_node_next(-1); node >= 0; node = mc_user_node_next(node)) {
		for (i = 1; i <= MC_CACHES; i++) {
			if (!mc_user_read_of(text, sizeof(text), MEMORY_SIDE, node, i))
				break;
			most = max(most, strtoull(text, NULL, 10));
		}
	}
	return most;
}

/*
 * The directory of what is kept; @own: that of a user who is not root. Root reads and writes no
 * place that a variable names. /run/memcache has notes of devices that are lent, and only these.
 * Return: false if there is none.
 */
static bool place(bool own, char *path, size_t size)
{
	const char *root = getenv(MC_USER_ROOT), *run = getenv("XDG_RUNTIME_DIR");
	const char *home = getenv("HOME");
	int n = -1;

	if (!own)
		n = snprintf(path, size, "%s/run/memcache-found", root ? root : "");
	else if (geteuid() && run && *run == '/')
		n = snprintf(path, size, "%s/memcache", run);
	else if (geteuid() && home && *home == '/')
		n = snprintf(path, size, "%s/.cache/memcache", home);
	return n >= 0 && n + sizeof("/last-cache") <= size;
}

static bool is_ours(int fd)
{
	struct stat s;

	return !fstat(fd, &s) && S_ISREG(s.st_mode) && !(s.st_mode & 0022);
}

/*
 * Is it of this boot and of these caches, and whole? A hypervisor may move a machine to another
 * one, and a user change what he keeps.
 */
static bool is_right(const struct kept *k, const char *text, int end)
{
	char boot[40];
	struct tm t;
	const char *after = strptime(k->date, DATE, &t);

	return end && !text[end] && after && !*after &&
	       mc_user_read_file("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) &&
	       !strcmp(boot, k->boot) && k->reported == mc_source_largest(NULL) &&
	       k->found <= MOST && (k->found || timegm(&t) + AGAIN_S > time(NULL));
}

static bool read_kept(bool own, struct kept *k)
{
	char path[PATH_MAX], text[160] = "";
	int fd, end = 0;
	ssize_t n = -1;

	if (!place(own, path, sizeof(path)))
		return false;
	strcat(path, "/last-cache");
	fd = mc_user_open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (is_ours(fd))
		n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && sscanf(text, "%39s %llu %llu %23s %n", k->boot, &k->reported, &k->found,
			       k->date, &end) == 4 && is_right(k, text, end);
}

/* What a search of this boot found. Return: false if there was none, or none that is trusted. */
static bool is_kept(struct kept *k)
{
	return read_kept(false, k) || read_kept(true, k);
}

/* Where nothing can be kept, the next program searches anew. */
static void keep(u64 found)
{
	char path[PATH_MAX], boot[40], date[24];
	time_t now = time(NULL);
	FILE *file;
	int fd;

	if (!place(geteuid(), path, sizeof(path)) ||
	    !mc_user_read_file("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
		return;
	mkdir(path, 0755);
	strcat(path, "/last-cache");
	fd = mc_user_open(path, O_WRONLY | O_CREAT);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return;
	fchmod(fd, 0644);
	strftime(date, sizeof(date), DATE, gmtime(&now));
	fprintf(file, "%s %llu %llu %s\n", boot, mc_source_largest(NULL), found, date);
	fclose(file);
}

u64 mc_unlisted_cache(void)
{
	static u64 known = ~0ULL;
	struct kept k;

	if (known != ~0ULL)
		return known;
	known = memory_side();
	/* A search sees the caches that CPUs report, too, and not to the byte. */
	if (is_kept(&k) && k.found > k.reported + k.reported / 2)
		known = max(known, k.found);
	return known;
}

/* The last cache in the record of the machine: how large, who says so, and when a search was. */
void mc_user_last_cache_json(struct mc_text *t)
{
	u64 last = max(mc_source_largest(NULL), mc_unlisted_cache());
	struct kept k = { .found = 0 };
	bool searched = is_kept(&k) && k.found;

	mc_textf(t, ",\"last_cache\":{\"size_bytes\":");
	if (last)
		mc_textf(t, "%llu", last);
	else
		mc_textf(t, "null");
	mc_textf(t, ",\"by\":\"%s\",\"searched\":", last == mc_source_largest(NULL) ? "cpu" :
		 last == memory_side() ? "memory_side" : "search");
	mc_text_json(t, searched ? k.date : NULL);
	mc_textf(t, "}");
}

static void begin_request(const struct mc_request *req)
{
	nsizes = 0;
}

static void take(const struct mc_request *req, const struct mc_record *rec)
{
	struct mc_user_probe *p = &curve[nsizes];

	if (nsizes == SIZES || !rec->stats.samples)
		return;
	if (p->bytes != rec->point.v[MC_KEY_SIZE] || p->value > rec->value[0])
		p->value = rec->value[0];
	p->bytes = rec->point.v[MC_KEY_SIZE];
	nsizes++;
}

/*
 * Measure, and find the last cache. A climb at the largest size may be of others that used the
 * machine: a second look tells. Return: 0: it is not sure.
 */
static u64 search(u64 most)
{
	const struct mc_user_view view = {
		.begin = begin_request, .result = take, .screen = true,
	};
	char line[96], *first[] = { "latency size=4K repeat=1", NULL }, *lines[] = { line, NULL };
	bool sure = false;
	u64 found = 0;
	int round;

	/* Page by page, so that page walks of large sets do not look like misses of a cache. */
	snprintf(line, sizeof(line), "%s size=%s..%llu cpu=%d repeat=2 warmup=1",
		 "latency pattern=page", LEAST, most, mc_core_next(-1));
	fprintf(stderr, "memcache-user: looking for the last cache, once after a start\n");
	if (mc_user_run(first, &view) || mc_wb_loads.miss_ps < 4 * mc_wb_loads.hit_ps)
		return 0;
	for (round = 0; round < 2 && (!sure || MC_BEYOND * found >= most); round++) {
		if (mc_user_run(lines, &view) || nsizes < 3)
			return 0;
		sure = mc_user_find_last(curve, nsizes, mc_source_largest(NULL), &found);
	}
	return sure ? found : 0;
}

/**
 * mc_user_search() - search for the last cache, unless one of this boot is kept
 *
 * Where hits and misses take about the same time, as in an emulator, there is nothing to find.
 *
 * Return: an exit status; what was found is printed.
 */
int mc_user_search(void)
{
	u64 room = min(mc_memory_bytes() / 4, mc_memory_room() / 2), most = USUAL;
	struct kept k;

	while (most < MC_BEYOND * mc_source_largest(NULL) && most < MOST)
		most *= 2;
	while (most > room)
		most /= 2;
	if (!is_kept(&k)) {
		k.found = search(most);
		if (mc_user_interrupted())
			return MC_USER_FAILED;
		keep(k.found);
	}
	if (k.found)
		printf("last cache: %llu KiB\n", k.found >> 10);
	else
		printf("last cache: not known\n");
	return mc_user_flush();
}
