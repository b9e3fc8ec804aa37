// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation fails once: the first one of a run, then the second one, until
 * a run has no more. EACH=1 takes them all, EACH=n every n-th.
 */
#include "devices.h"
#include "inject.h"

/* If the step is not 1, the first allocation is a random one in the first step. */
static unsigned int first, step;

static void walk_setup(struct __test_metadata *_metadata)
{
	step = chance_count("EACH", 7);
	first = 1 + chance(step);
	TH_LOG("SEED=%llu", chance_seed);
}

static void counted_teardown(struct __test_metadata *_metadata)
{
	watched_teardown(_metadata);
	counted_show();
}

/* ------------------------------------------------------------------- runs */

FIXTURE(each) {
	long before;	/* bytes not write-back, without the module */
};

FIXTURE_VARIANT(each) {
	const char *line;
	const char *counters;
	const char *task;	/* the task whose allocations fail: HERE if not set */
	bool fresh;		/* the module is loaded anew each time */
};

#define COUNTER "dram_read type=1 config=0 cpu=0 scale=64"

FIXTURE_VARIANT_ADD(each, one_thread) { .line = "bandwidth size=64K repeat=2 warmup=0" };
FIXTURE_VARIANT_ADD(each, two_threads) { .line = "bandwidth size=64K cpu=0-1 repeat=2 warmup=0" };

FIXTURE_VARIANT_ADD(each, threads_of_the_kernel) {
	.line = "bandwidth size=64K cpu=0-1 repeat=2 warmup=0",
	.task = KTHREADD,
};

FIXTURE_VARIANT_ADD(each, uc_mapped) {
	.line = "bandwidth size=3M type=uc page=4k repeat=1 warmup=0",
};

FIXTURE_VARIANT_ADD(each, all_types) {
	.line = "bandwidth size=4M type=wb,wc,uc op=ntwrite irq=off repeat=1 warmup=0",
};

FIXTURE_VARIANT_ADD(each, fence) {
	.line = "bandwidth size=4K fence=uc repeat=1 warmup=0",
	.fresh = true,
};

FIXTURE_VARIANT_ADD(each, counters) {
	.line = "bandwidth size=4K repeat=1 warmup=0",
	.counters = COUNTER,
};

FIXTURE_VARIANT_ADD(each, latency) { .line = "latency size=64K,4M repeat=1 warmup=0" };
FIXTURE_VARIANT_ADD(each, c2c) { .line = "c2c cpu=0-1 size=4K repeat=1 warmup=0" };

FIXTURE_VARIANT_ADD(each, loaded) {
	.line = "loaded cpu=0-1 size=64K delay=0,100 repeat=1 warmup=0",
};

FIXTURE_VARIANT_ADD(each, random) { .line = "random size=64K repeat=1 warmup=0 type=wb,wc" };

/* All of the guest's memory is in this region, so there is one result, whichever blocks are got. */
FIXTURE_VARIANT_ADD(each, scan) { .line = "scan region=1G size=2M repeat=1 warmup=0" };

FIXTURE_SETUP(each)
{
	walk_setup(_metadata);
	module_clear();
	self->before = away_in_page_tables();
	watched_setup(_metadata);
	if (variant->counters)
		ASSERT_EQ(0, file_write(FILES "counters", variant->counters));
}

FIXTURE_TEARDOWN(each)
{
	counted_teardown(_metadata);
	EXPECT_EQ(self->before, away_in_page_tables());
}

/* A run that can do without the allocation succeeds; one that can't reports an error. */
TEST_F(each, allocation_of_a_run)
{
	const char *task = variant->task ? : HERE;
	bool failed = true;
	unsigned int n;
	int err, all;

	if (!inject_ready())
		SKIP(return, "this kernel has no fault injection");
	ASSERT_EQ(0, run(variant->line));
	all = results_with("");
	for (n = first; failed; n += step) {
		if (variant->fresh) {
			ASSERT_EQ(0, module_unload());
			ASSERT_EQ(0, module_load("size_mb=2"));
		}
		err = write_failing(FILES "run", variant->line, task, n, &failed);
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
		if (variant->counters)
			EXPECT_EQ(0, results_with("\"dram_why\":\"no_counters\""));
		is_sound(_metadata);
		if (!test_passed(_metadata)) {
			TH_LOG("at allocation %u", n);
			return;
		}
	}
	TH_LOG("%u allocations", n - step - 1);
}

/* ------------------------------------------------------------------- load */

#define IMAGE_MAX (64UL << 20)

FIXTURE(load) {
	long before;
	char *image;	/* the module, read before, so that no file system takes part */
	size_t bytes;
};

FIXTURE_SETUP(load)
{
	walk_setup(_metadata);
	module_clear();
	witness_unload();
	ASSERT_EQ(0, witness_load());
	self->before = away_in_page_tables();
	self->image = malloc(IMAGE_MAX);
	self->bytes = file_read(ko_path("MEMCACHE_KO", "memcache"), self->image, IMAGE_MAX);
	ASSERT_LT(0, (ssize_t)self->bytes);
}

FIXTURE_TEARDOWN(load)
{
	free(self->image);
	EXPECT_EQ(0, witness_away());
	EXPECT_EQ(0, witness_unload());
	counted_show();
}

/* Files of debugfs that can't be made are missing, as with any module. */
static bool has_all_files(void)
{
	static const char *const names[] = {
		"run", "results", "results.jsonl", "tests", "progress", "stop",
		"machine", "buffers", "counters", "mappings",
	};
	char path[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), FILES "%s", names[i]);
		if (access(path, F_OK))
			return false;
	}
	return true;
}

TEST_F(load, fails_or_is_whole)
{
	bool failed = true;
	unsigned int n;
	int err;

	if (!inject_ready())
		SKIP(return, "this kernel has no fault injection");
	for (n = first; failed; n += step) {
		ASSERT_EQ(0, inject_nth(HERE, n));
		err = syscall(SYS_init_module, self->image, self->bytes, "size_mb=2") ? -errno : 0;
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
	EXPECT_EQ(self->before, away_in_page_tables());
}

/* ------------------------------------------------------------------ files */

FIXTURE_BY(file, walk_setup(_metadata); watched_setup(_metadata);
	   ASSERT_EQ(0, run("bandwidth size=4K type=wb,uc,wc repeat=2"));
	   ASSERT_EQ(0, file_write(FILES "mappings", "not_wb")),
	   counted_teardown(_metadata))

FIXTURE_VARIANT(file) {
	const char *path;
};

FIXTURE_VARIANT_ADD(file, run) { FILES "run" };
FIXTURE_VARIANT_ADD(file, results) { FILES "results" };
FIXTURE_VARIANT_ADD(file, jsonl) { FILES "results.jsonl" };
FIXTURE_VARIANT_ADD(file, tests) { FILES "tests" };
FIXTURE_VARIANT_ADD(file, progress) { FILES "progress" };
FIXTURE_VARIANT_ADD(file, machine) { FILES "machine" };
FIXTURE_VARIANT_ADD(file, buffers) { FILES "buffers" };
FIXTURE_VARIANT_ADD(file, counters) { FILES "counters" };
FIXTURE_VARIANT_ADD(file, mappings) { FILES "mappings" };

static char whole[1 << 17], part[1 << 17];

/* A read returns all of a file or an error, never a part that looks like all. */
TEST_F(file, is_read_whole_or_not)
{
	ssize_t all = file_read(variant->path, whole, sizeof(whole)), n_read;
	bool failed = true;
	unsigned int n;

	if (!inject_ready())
		SKIP(return, "this kernel has no fault injection");
	ASSERT_LT(0, all);
	for (n = 1; failed; n++) {
		ASSERT_EQ(0, inject_nth(HERE, n));
		n_read = file_read(variant->path, part, sizeof(part));
		failed = inject_has(HERE);
		counted.runs++;
		ASSERT_TRUE(n_read == -ENOMEM || n_read == all) {
			TH_LOG("read %zd of %zd at allocation %u", n_read, all, n);
		}
	}
	is_sound(_metadata);
}

/* ------------------------------------------------------- counters, devices */

FIXTURE_BY(rest, walk_setup(_metadata); watched_setup(_metadata),
	   counted_teardown(_metadata))

TEST_F(rest, counters_are_taken_or_not)
{
	bool failed = true;
	unsigned int n;
	int err;

	if (!inject_ready())
		SKIP(return, "this kernel has no fault injection");
	for (n = 1; failed; n++) {
		ASSERT_EQ(0, file_write(FILES "counters", "\n"));
		err = write_failing(FILES "counters", COUNTER, HERE, n, &failed);
		counted.runs++;
		ASSERT_TRUE(!err || failed);
		EXPECT_EQ(err ? 0 : 1, file_count("counters", "dram_read "));
	}
	is_sound(_metadata);
}

TEST_F(rest, a_look_has_an_answer_or_fails)
{
	bool failed = true;
	unsigned int n;
	int err;

	if (!inject_ready())
		SKIP(return, "this kernel has no fault injection");
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

TEST_F(rest, device_is_mapped_or_not)
{
	bool failed = true;
	unsigned int n;
	int mapped;

	if (!inject_ready())
		SKIP(return, "this kernel has no fault injection");
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
