/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes allocations of a kernel with fault injection fail (the guest `debug`), and checks
 * what must hold for the module after each failure.
 */
#ifndef SELFTESTS_INJECT_H
#define SELFTESTS_INJECT_H

#include "watched.h"

#include "chance.h"

#define SLAB "/sys/kernel/debug/failslab/"
#define PAGES "/sys/kernel/debug/fail_page_alloc/"

/* The kernel thread that starts the module's threads and allocates what they need. */
#define KTHREADD "/proc/2/task/2/"
#define HERE "/proc/thread-self/"

/* The harness's assertions suit only tests that take a moment. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 14400

/* Print a line for `make faults`, which adds up such lines. */
static struct {
	unsigned long runs;
	unsigned long injected;
	unsigned long kills;
	unsigned long offline;
} counted;

static inline void counted_show(void)
{
	printf("# faults: runs=%lu injected=%lu kills=%lu offline=%lu\n",
	       counted.runs, counted.injected, counted.kills, counted.offline);
	fflush(stdout);
}

/* ------------------------------------------------------------- injection */

static const char *const both_allocators[] = { SLAB, PAGES };

static inline int inject_set(const char *name, const char *value)
{
	int i, err = 0;

	for (i = 0; i < 2 && !err; i++)
		err = file_write(TEXT("%s%s", both_allocators[i], name), value);
	return err;
}

/*
 * Are all caches but that of vmalloc's areas marked? If vmalloc() can't have an area while it holds
 * its lock, it warns, which taints the kernel, and tries again.
 */
static inline bool inject_spares_areas(void)
{
	char line[4096];

	return file_read("/proc/cmdline", line, sizeof(line)) > 0 &&
	       strstr(line, "slub_debug=A;-,vmap_area");
}

/* Let allocations of every other kind fail, and keep failures out of the log. */
static inline bool inject_ready(void)
{
	return access(HERE "fail-nth", W_OK) == 0 &&
	       !file_write(SLAB "cache-filter", inject_spares_areas() ? "Y" : "N") &&
	       !inject_set("ignore-gfp-wait", "N") && !inject_set("verbose", "0") &&
	       !inject_set("probability", "0") && !inject_set("task-filter", "Y") &&
	       !file_write(KTHREADD "make-it-fail", "0") &&
	       !file_write(PAGES "min-order", "0");
}

/* Make the @n-th allocation of a task fail, counted from now; 0: none. */
static inline int inject_nth(const char *task, unsigned int n)
{
	return file_write(TEXT("%sfail-nth", task), TEXT("%u", n));
}

/* Return whether it has failed, and end the injection in either case. */
static inline bool inject_has(const char *task)
{
	char text[16];
	bool has = file_read(TEXT("%sfail-nth", task), text, sizeof(text)) > 0 && atoi(text) == 0;

	inject_nth(task, 0);
	counted.injected += has;
	return has;
}

/* Write to a file of the module while the @n-th allocation of @task fails. */
static inline int write_failing(const char *file, const char *text,
				const char *task, unsigned int n, bool *failed)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0 || inject_nth(task, n))
		return -EBADF;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	*failed = inject_has(task);
	close(fd);
	return err;
}

/* ------------------------------------------------- before, and afterwards */

/* Bytes in kernel mappings of another type than write-back. */
static inline long away_in_page_tables(void)
{
	FILE *f = fopen("/sys/kernel/debug/page_tables/kernel", "r");
	unsigned long from, to;
	char line[256];
	long sum = 0;

	if (!f)
		return 0;	/* not in this kernel, where the witness has looked */
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "0x%lx-0x%lx ", &from, &to) == 2 &&
		    (strstr(line, " PWT ") || strstr(line, " PCD ")))
			sum += to - from;
	}
	fclose(f);
	return sum;
}

static long away_before;	/* without the module */

static inline void inject_setup(struct __test_metadata *_metadata)
{
	module_clear();
	away_before = away_in_page_tables();
	watched_setup(_metadata);
}

static inline void inject_teardown(struct __test_metadata *_metadata)
{
	watched_teardown(_metadata);
	EXPECT_EQ(away_before, away_in_page_tables());
	counted_show();
}

/* Pages of another type that the text of `buffers` names. Blocks may be small. */
static inline long pages_held(char *at)
{
	long huge, large, small, kib = 0;
	char *line, *sizes;

	while ((line = strsep(&at, "\n"))) {
		sizes = strstr(line, "after_kib=");
		if (sizes && strncmp(line, "wb ", 3) &&
		    sscanf(sizes, "after_kib=1G:%ld,2M:%ld,4K:%ld", &huge, &large,
			   &small) == 3)
			kib += huge + large + small;
	}
	return kib / 4;
}

/* Nothing is left of the run, and the next run is as usual. */
static inline void is_sound(struct __test_metadata *_metadata)
{
	EXPECT_EQ(-1, run_done());
	EXPECT_EQ(0, run_threads());
	EXPECT_TRUE(file_has("buffers", "leaked_pages=0\n"));
	EXPECT_EQ(NULL, strstr(run_text, " run "));
	EXPECT_EQ(pages_held(run_text), witness_away());
	ASSERT_EQ(0, run("bandwidth type=wb,uc size=16K repeat=2 warmup=0"));
	EXPECT_TRUE(file_has("run", "\nstate: done\n"));
	EXPECT_EQ(2, results_with("\"verified\":\"ok\""));
}

#endif /* SELFTESTS_INJECT_H */
