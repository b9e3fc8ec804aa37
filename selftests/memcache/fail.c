// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation fails once: the first one of a run, then the second one, until
 * a run has no more. EACH=1 takes them all, EACH=n every n-th. Then allocations fail at random, in
 * the process that writes a request and in the kernel thread that starts its threads: FAILING
 * runs, each with another probability.
 */
#include <sys/mman.h>

#include "devices.h"
#include "inject.h"

#define MANY 1000000	/* the limit of failures; the kernel counts it down */

/* If the step is not 1, the first allocation is a random one in the first step. */
static unsigned int first, step;

/* Older frameworks go on with a test whose set-up has skipped it, so all are skipped at once. */
__attribute__((constructor)) static void injection_need(void)
{
	if (inject_ready())
		return;
	ksft_print_header();
	ksft_exit_skip("this kernel has no fault injection\n");
}

static void walk_setup(struct __test_metadata *_metadata)
{
	step = chance_count("EACH", 7);
	first = 1 + chance(step);
	TH_LOG("SEED=%llu", chance_seed);
	ASSERT_TRUE(inject_ready());
	inject_setup(_metadata);
}

FIXTURE_BY(fail, walk_setup(_metadata), inject_teardown(_metadata))

/* ------------------------------------------------------------------- runs */

#define COUNTER "dram_read type=1 config=0 cpu=0 scale=64"
#define ONCE " repeat=1 warmup=0"

static const struct request {
	const char *line;
	const char *counters;
	const char *task;	/* the task whose allocations fail: HERE if not set */
	bool fresh;		/* the module is loaded anew each time */
} requests[] = {
	{ .line = "bandwidth size=64K repeat=2 warmup=0" },
	{ .line = "bandwidth size=64K cpu=0-1 repeat=2 warmup=0" },
	{ .line = "bandwidth size=64K cpu=0-1 repeat=2 warmup=0", .task = KTHREADD },
	{ .line = "bandwidth size=3M type=uc,wc page=4k node=1" ONCE },
	{ .line = "bandwidth size=4M type=wb,wc,uc op=ntwrite irq=off" ONCE },
	{ .line = "bandwidth size=4K fence=uc" ONCE, .fresh = true },
	{ .line = "bandwidth size=4K" ONCE, .counters = COUNTER },
	{ .line = "latency size=64K,4M" ONCE },
	{ .line = "c2c cpu=0-1 size=4K" ONCE },
	{ .line = "loaded cpu=0-1 size=64K delay=0,100" ONCE },
	{ .line = "random size=64K type=wb,wc" ONCE },
	{ .line = "line" ONCE },
	{ .line = "tlb size=64K" ONCE },
	/* All memory is in this region, so there is one result, whichever blocks are got. */
	{ .line = "scan region=1G size=2M" ONCE },
};

/* A run that can do without the allocation succeeds; one that can't reports an error. */
static void walk_run(struct __test_metadata *_metadata, const struct request *request)
{
	const char *task = request->task ? : HERE;
	bool failed = true;
	unsigned int n;
	int err, all;

	ASSERT_EQ(0, file_write(FILES "counters", request->counters ? : "\n"));
	ASSERT_EQ(0, run(request->line));
	all = results_with("");
	for (n = first; failed; n += step) {
		if (request->fresh) {
			ASSERT_EQ(0, module_unload());
			ASSERT_EQ(0, module_load("size_mb=2"));
		}
		err = write_failing(FILES "run", request->line, task, n, &failed);
		counted.runs++;
		ASSERT_TRUE(!err || (failed && err == -ENOMEM)) {
			TH_LOG("error %d at allocation %u", -err, n);
		}
		/* Without memory for the line there is no request yet. */
		EXPECT_TRUE(file_has("run", !err ? "\nstate: done\n" :
					    n > 2 ? "\nerror: ENOMEM " : "")) {
			TH_LOG("error %d at allocation %u: %s", -err, n, run_text);
		}
		if (!err)
			EXPECT_EQ(all, results_with(""));
		EXPECT_FALSE(file_has("results.jsonl", "\"verified\":\"failed\""));
		/* A user who has set counters must not see that there are none. */
		if (request->counters)
			EXPECT_EQ(0, results_with("\"dram_why\":\"no_counters\""));
		is_sound(_metadata);
		ASSERT_TRUE(test_passed(_metadata)) {
			TH_LOG("at allocation %u", n);
		}
	}
	TH_LOG("%u allocations of %s", n - step - 1, request->line);
}

TEST_F(fail, each_allocation_of_a_run)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests); i++)
		walk_run(_metadata, &requests[i]);
}

/* How many allocations have failed since the start. */
static long failed(void)
{
	char text[32];
	long n = 0;
	int i;

	for (i = 0; i < 2; i++)
		if (file_read(TEXT("%stimes", both_allocators[i]), text, sizeof(text)) > 0)
			n += MANY - atol(text);
	return n;
}

static int run_in_need(const char *line)
{
	pid_t pid = fork();

	if (pid)
		return run_end(pid);
	if (file_write(HERE "make-it-fail", "1"))
		_exit(255);
	_exit(-run(line));
}

TEST_F(fail, allocations_of_runs_at_random)
{
	unsigned long i, n = chance_count("FAILING", 40);
	char percent[16];
	const char *line;
	int err;

	TH_LOG("SEED=%llu", chance_seed);
	/* No page of this program may have to be read from a file meanwhile. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	ASSERT_EQ(0, inject_set("interval", "1"));
	ASSERT_EQ(0, file_write(KTHREADD "make-it-fail", "1"));
	for (i = 0; i < n; i++) {
		line = PICK(requests).line;
		snprintf(percent, sizeof(percent), "%lu", 1 + chance(chance(4) ? 5 : 40));
		ASSERT_EQ(0, file_write(SLAB "times", "1000000"));
		ASSERT_EQ(0, file_write(PAGES "times", "1000000"));
		ASSERT_EQ(0, inject_set("probability", percent));
		err = run_in_need(line);
		ASSERT_EQ(0, inject_set("probability", "0"));
		counted.runs++;
		counted.injected += failed();
		ASSERT_TRUE(!err || (err == -ENOMEM && failed())) {
			TH_LOG("error %d of %s at %s %%", -err, line, percent);
		}
		EXPECT_FALSE(file_has("results.jsonl", "\"verified\":\"failed\""));
		is_sound(_metadata);
		if (!test_passed(_metadata)) {
			TH_LOG("run %lu, %s at %s %%", i, line, percent);
			return;
		}
	}
}

/* ------------------------------------------------------------------- load */

#define IMAGE_MAX (64UL << 20)

/* Files of debugfs that can't be made are missing, as with any module. */
static bool has_all_files(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_files); i++) {
		if (access(all_files[i].path, F_OK))
			return false;
	}
	return true;
}

TEST_F(fail, a_load_fails_or_is_whole)
{
	/* Read before, so that no file system takes part. */
	char *image = malloc(IMAGE_MAX);
	ssize_t bytes = file_read(ko_path("MEMCACHE_KO", "memcache"), image, IMAGE_MAX);
	bool failed = true;
	unsigned int n;
	int err;

	ASSERT_LT(0, bytes);
	ASSERT_EQ(0, module_unload());
	for (n = first; failed; n += step) {
		ASSERT_EQ(0, inject_nth(HERE, n));
		err = syscall(SYS_init_module, image, bytes, "size_mb=2") ? -errno : 0;
		failed = inject_has(HERE);
		counted.runs++;
		ASSERT_TRUE(!err || failed) {
			TH_LOG("error %d at allocation %u", -err, n);
		}
		if (!err && has_all_files())
			is_sound(_metadata);
		if (!err)
			ASSERT_EQ(0, module_unload());
		ASSERT_EQ(0, witness_away());
		ASSERT_NE(0, access("/dev/memcache_uc", F_OK));
	}
	TH_LOG("%u allocations", n - step - 1);
	free(image);
	ASSERT_EQ(0, module_load("size_mb=2"));
}

/* ------------------------------------------------------------------ files */

static char whole[1 << 17], part[1 << 17];

static void walk_reads(struct __test_metadata *_metadata, const char *path)
{
	ssize_t all = file_read(path, whole, sizeof(whole)), n_read;
	bool failed = true;
	unsigned int n;

	ASSERT_LT(0, all);
	for (n = 1; failed; n++) {
		ASSERT_EQ(0, inject_nth(HERE, n));
		n_read = file_read(path, part, sizeof(part));
		failed = inject_has(HERE);
		counted.runs++;
		ASSERT_TRUE(n_read == -ENOMEM || n_read == all) {
			TH_LOG("%s: read %zd of %zd at allocation %u", path, n_read, all, n);
		}
	}
}

/* A read returns all of a file or an error, never a part that looks like all. */
TEST_F(fail, a_read_of_a_file_has_all_or_nothing)
{
	size_t i;

	ASSERT_EQ(0, run("bandwidth size=4K type=wb,uc,wc repeat=2"));
	ASSERT_EQ(0, file_write(FILES "mappings", "not_wb"));
	for (i = 0; i < ARRAY_SIZE(all_files); i++) {
		if (all_files[i].mode & 0400)
			walk_reads(_metadata, all_files[i].path);
	}
	is_sound(_metadata);
}

/* ------------------------------------------------------- counters, devices */

TEST_F(fail, counters_are_taken_or_not)
{
	bool failed = true;
	unsigned int n;
	int err;

	for (n = 1; failed; n++) {
		ASSERT_EQ(0, file_write(FILES "counters", "\n"));
		err = write_failing(FILES "counters", COUNTER, HERE, n, &failed);
		counted.runs++;
		ASSERT_TRUE(!err || failed);
		EXPECT_EQ(err ? 0 : 1, file_count("counters", "dram_read "));
	}
	is_sound(_metadata);
}

TEST_F(fail, a_look_has_an_answer_or_fails)
{
	bool failed = true;
	unsigned int n;
	int err;

	for (n = 1; failed; n++) {
		err = write_failing(FILES "mappings", "not_wb", HERE, n, &failed);
		counted.runs++;
		ASSERT_TRUE(!err || (failed && err == -ENOMEM));
	}
	EXPECT_EQ(1, file_count("mappings", "\"state\":\"done\""));
	is_sound(_metadata);
}

/*
 * Map the buffer, and the page behind it that fence=uc uses, between pages of our own.
 * These make sure that the page tables exist: the kernel warns (untrack_pfn) when it lacks
 * one.
 * Return: the number of pages that were mapped.
 */
static int map_device(int fd, char *between, unsigned int nth, bool *failed)
{
	const int how = MAP_SHARED | MAP_FIXED;
	struct memcache_info info;
	char *map, *page;

	inject_nth(HERE, nth);
	ioctl(fd, MEMCACHE_INFO, &info);
	map = mmap(between + BYTES / 2, BYTES, RW, how, fd, 0);
	page = mmap(between + 2 * BYTES, PAGE, RW, how, fd, BYTES);
	*failed = inject_has(HERE);
	if (map != MAP_FAILED)
		map[BYTES - 1] = 1;
	if (page != MAP_FAILED)
		page[PAGE - 1] = 1;
	return (map != MAP_FAILED) + (page != MAP_FAILED);
}

static int use_device(unsigned int nth, bool *failed)
{
	int fd = open("/dev/memcache_uc", O_RDWR | O_CLOEXEC), mapped;
	char *map = mmap(NULL, 4 * BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *between = (char *)(((unsigned long)map + BYTES - 1) & ~(BYTES - 1));

	memset(map, 1, 4 * BYTES);
	mapped = map_device(fd, between, nth, failed);
	munmap(map, 4 * BYTES);
	close(fd);
	return mapped;
}

TEST_F(fail, a_device_is_mapped_or_not)
{
	bool failed = true;
	unsigned int n;
	int mapped;

	for (n = first; failed; n += step) {
		mapped = use_device(n, &failed);
		counted.runs++;
		ASSERT_TRUE(failed || mapped == 2);
		is_sound(_metadata);
		/* Load it again, so that it has no page for the fence. */
		ASSERT_EQ(0, module_unload());
		ASSERT_EQ(0, witness_away());
		ASSERT_EQ(0, module_load("size_mb=2"));
	}
}

TEST_HARNESS_MAIN
