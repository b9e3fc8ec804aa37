// SPDX-License-Identifier: GPL-2.0-only
/* The pages of the devices show no old data: neither of the kernel, nor of an earlier run. */
#include "addresses.h"
#include "devices.h"

static const char * const paths[3] = PATHS;

#define MIB	8UL
#define LARGE	(MIB << 20)
#define PFN	((1UL << 55) - 1)	/* the PFN in an entry of pagemap */
#define ONCE	" type=wb,wc,uc repeat=1 warmup=0"

FIXTURE(pages) {
	unsigned char *map[3];
	unsigned long pfn[3 * LARGE / PAGE];
	unsigned long before[3 * LARGE / PAGE];
};

FIXTURE_SETUP(pages)
{
	module_clear();
}

FIXTURE_TEARDOWN(pages)
{
	EXPECT_EQ(0, module_unload());
}

static int map_all(unsigned char **map, unsigned long *pfn)
{
	const size_t bytes = LARGE / PAGE * sizeof(*pfn);
	int i, fd, pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	int whole = 0;

	for (i = 0; i < 3; i++) {
		fd = open(paths[i], O_RDWR | O_CLOEXEC);
		map[i] = mmap(NULL, LARGE, RW, MAP_SHARED, fd, 0);
		close(fd);
		if (map[i] == MAP_FAILED)
			break;
		whole += pread(pagemap, (char *)pfn + i * bytes, bytes,
			       (unsigned long)map[i] / PAGE * sizeof(*pfn)) == (ssize_t)bytes;
	}
	close(pagemap);
	return whole;
}

static void unmap_all(unsigned char **map)
{
	int i;

	for (i = 0; i < 3; i++)
		munmap(map[i], LARGE);
}

static int by_pfn(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a & PFN;
	unsigned long y = *(const unsigned long *)b & PFN;

	return (x > y) - (x < y);
}

/* Run all tests on pages that are mapped. Returns how many could be run. */
static int run_each_test(void)
{
	static char tests[sizeof(run_text)];
	char *at = tests, *line;
	int n = 0, err;

	if (file_read(FILES "tests", tests, sizeof(tests)) < 0)
		return -1;
	while ((line = strsep(&at, "\n"))) {
		size_t len = strcspn(line, ": ");

		/* The first part of the file is about every test. */
		if (!islower(*line) || line[len] != ':')
			continue;
		err = run(TEXT("%.*s size=1M" ONCE, (int)len, line));
		/* Some tests may not take a size, and some see that data changed. */
		if (err && err != -EINVAL && err != -EOPNOTSUPP && err != -EBADMSG)
			return -1;
		n += !err || err == -EBADMSG;
	}
	return n;
}

/*
 * Pages are zeroed when the module gets them, also those that held patterns of a run or
 * data of a user when the module was loaded before.
 */
TEST_F(pages, are_zero_when_they_come)
{
	const size_t n = 3 * LARGE / PAGE;
	int i, round, again = 0;
	size_t j;

	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, module_load(TEXT("numa_node=0 size_mb=%lu", MIB)));
		ASSERT_EQ(3, map_all(self->map, self->pfn));
		for (i = 0; i < 3; i++)
			EXPECT_TRUE(all_are(self->map[i], 0, LARGE));
		qsort(self->pfn, n, sizeof(*self->pfn), by_pfn);
		for (j = 0; j < n && round; j++)
			again += !!bsearch(&self->pfn[j], self->before, n,
					   sizeof(*self->pfn), by_pfn);
		memcpy(self->before, self->pfn, sizeof(self->pfn));
		EXPECT_EQ(0, run("bandwidth size=4K,64K,1M,8M,16M op=write,ntwrite fence=uc" ONCE));
		EXPECT_EQ(0, run("random size=8M op=write count=64K" ONCE));
		for (i = 0; i < 3; i++) {
			EXPECT_FALSE(all_are(self->map[i], 0, LARGE));
			memset(self->map[i] + LARGE / 2, 0xa5, LARGE / 2);
		}
		unmap_all(self->map);
		if (!round)
			ASSERT_EQ(0, module_unload());
	}
	/* Otherwise this would have tested nothing. */
	EXPECT_LT(0, again);
}

/* Runs leave numbers in the pages, but no kernel addresses. */
TEST_F(pages, never_hold_an_address)
{
	struct memcache_info info;
	unsigned long *fence;
	size_t j;
	int i, fd;

	ASSERT_EQ(0, module_load("numa_node=0 size_mb=8"));
	ASSERT_EQ(3, map_all(self->map, self->pfn));
	EXPECT_EQ(0, run("bandwidth size=8M op=read,write,ntwrite,copy,rmw,triad" ONCE));
	EXPECT_EQ(0, run("bandwidth size=64K page=4k fence=uc op=write,ntwrite" ONCE));
	EXPECT_EQ(0, run("random size=8M op=read,write count=64K" ONCE));
	EXPECT_LT(0, run_each_test());
	for (i = 0; i < 3; i++) {
		for (j = 0; j < LARGE; j += 8) {
			unsigned long word = *(unsigned long *)(self->map[i] + j);

			if (word < KERNEL_FROM)
				continue;
			ASSERT_EQ(NULL, address_in(TEXT("%lx", word)));
		}
	}
	unmap_all(self->map);
	fd = open(paths[2], O_RDWR | O_CLOEXEC);
	ASSERT_EQ(0, ioctl(fd, MEMCACHE_INFO, &info));
	fence = mmap(NULL, PAGE, RW, MAP_SHARED, fd, info.fence_offset);
	ASSERT_NE(MAP_FAILED, fence);
	/* The page holds what the fence stored, and nothing else. */
	EXPECT_LT(fence[0], 1UL << 40);
	EXPECT_TRUE(all_are(&fence[1], 0, PAGE - 8));
	munmap(fence, PAGE);
	close(fd);
}

/* The kernel does not follow pointers in a user's data. */
TEST_F(pages, are_written_while_tests_run)
{
	pid_t pid;
	int i;

	ASSERT_EQ(0, module_load("numa_node=0 size_mb=8"));
	ASSERT_EQ(3, map_all(self->map, self->pfn));
	pid = fork();
	if (!pid) {
		for (i = 0;; i++)
			memset(self->map[i % 3], 0x41, 1 << 20);
	}
	EXPECT_LT(0, run_each_test());
	EXPECT_EQ(0, run("latency type=wb,wc,uc size=64K,1M page=auto,4k repeat=3"));
	EXPECT_EQ(12, results_with("\"verified\":\"ok\""));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(SIGKILL, run_end(pid));
	unmap_all(self->map);
}

TEST_HARNESS_MAIN
