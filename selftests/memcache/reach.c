// SPDX-License-Identifier: GPL-2.0-only
/*
 * A mapping of the devices can't become executable, map other pages, or keep pages after
 * it has gone. And the pages do not hold what was in them before.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/uio.h>

#include "addresses.h"
#include "uapi/memcache.h"
#include "watched.h"

#define PAGE	4096UL
#define BYTES	(BLOCK * PAGE)
#define RW	(PROT_READ | PROT_WRITE)

static const char * const paths[3] = {
	"/dev/memcache_wb", "/dev/memcache_wc", "/dev/memcache_uc",
};

FIXTURE(reach) {
	int fd;
	unsigned char *map;
};

FIXTURE_VARIANT(reach) {
	const char *path;
	const char *attribute;
};

FIXTURE_VARIANT_ADD(reach, wb) { "/dev/memcache_wb", "wb" };
FIXTURE_VARIANT_ADD(reach, wc) { "/dev/memcache_wc", ATTRIBUTE_WC };
FIXTURE_VARIANT_ADD(reach, uc) { "/dev/memcache_uc", ATTRIBUTE_UC };

FIXTURE_SETUP(reach)
{
	watched_setup(_metadata);
	self->fd = open(variant->path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->map = mmap(NULL, BYTES, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
}

FIXTURE_TEARDOWN(reach)
{
	munmap(self->map, BYTES);
	close(self->fd);
	watched_teardown(_metadata);
}

/* Is the mapping at @addr executable, by /proc/self/maps? */
static int is_executable(const void *addr)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512], x = '?';

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*c%*c%c", &start, &end, &x) == 3 &&
		    (unsigned long)addr >= start && (unsigned long)addr < end)
			break;
		x = '?';
	}
	fclose(f);
	return x != '-';
}

/* For old programs, everything that is readable is executable as well. */
TEST_F(reach, is_not_executable_by_personality)
{
	pid_t pid = fork();

	if (!pid) {
		if (personality(READ_IMPLIES_EXEC) < 0)
			_exit(1);
		if (mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, 0) != MAP_FAILED ||
		    errno != EPERM)
			_exit(2);
		mprotect(self->map, PAGE, PROT_READ);
		_exit(is_executable(self->map) ? 3 : 0);
	}
	EXPECT_EQ(0, run_end(pid));
	EXPECT_TRUE(is_executable(is_executable));
}

/* A process that could pin a page would still have it when the module is gone. */
TEST_F(reach, pages_are_not_pinned)
{
	struct iovec here = { self->map, PAGE };
	char out[16];
	int fds[2], mem;

	ASSERT_EQ(0, pipe(fds));
	EXPECT_EQ(-1, vmsplice(fds[1], &here, 1, 0));
	EXPECT_EQ(EFAULT, errno);
	close(fds[0]);
	close(fds[1]);

	/* This is how a debugger, or another process, would read it. */
	mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, mem);
	EXPECT_EQ(-1, pread(mem, out, sizeof(out), (off_t)self->map));
	EXPECT_EQ(EIO, errno);
	EXPECT_EQ(-1, pwrite(mem, out, sizeof(out), (off_t)self->map));
	EXPECT_EQ(EIO, errno);
	close(mem);
	if (process_vm_readv(getpid(), NULL, 0, NULL, 0, 0))
		return;		/* a small kernel does not have this call */
	EXPECT_EQ(-1, process_vm_readv(getpid(), &(struct iovec){ out, sizeof(out) }, 1,
				       &here, 1, 0));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(reach, mapping_stays_what_it_is)
{
	struct witness_page page;

	self->map[5 * PAGE] = 55;
	/* It can be neither doubled nor given holes that would be filled later. */
	EXPECT_EQ(MAP_FAILED, mremap(self->map, PAGE, PAGE,
				     MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, madvise(self->map, BYTES, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, madvise(self->map, BYTES, MADV_DODUMP));
	EXPECT_EQ(EINVAL, errno);

	/* Pages in another order are still pages of the buffer, with its type. */
	EXPECT_EQ(0, remap_file_pages(self->map, PAGE, 0, 5, 0));
	EXPECT_EQ(55, self->map[0]);
	ASSERT_TRUE(witness_page(self->map, &page));
	EXPECT_STREQ(variant->attribute, page.type);
	EXPECT_EQ(-1, mprotect(self->map, BYTES, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	/* Nothing lies behind the buffer except the page of the fence. */
	EXPECT_EQ(-1, remap_file_pages(self->map + PAGE, PAGE, 0, BLOCK + 1, 0));
	EXPECT_EQ(EINVAL, errno);
}

/* The data of a user in the pages do not get into files that others may read. */
TEST_F(reach, data_of_a_user_are_in_no_result)
{
	static const char * const files[] = { "run", "results", "results.jsonl", "buffers" };
	const unsigned long secret = 0x5ec2e75ec2e75ec2;
	unsigned long *words = (void *)self->map;
	struct memcache_info info;
	char line[256], hex[24], dec[24];
	size_t i;

	snprintf(hex, sizeof(hex), "%lx", secret >> 32);
	snprintf(dec, sizeof(dec), "%lu", secret / 1000000);
	for (i = 0; i < BYTES / 8; i++)
		words[i] = secret;
	ASSERT_EQ(0, ioctl(self->fd, MEMCACHE_INFO, &info));
	snprintf(line, sizeof(line),
		 "bandwidth type=%s node=%d op=read,write,copy verify=off size=8K repeat=1",
		 variant->path + strlen("/dev/memcache_"), info.node);
	EXPECT_EQ(0, run(line));
	EXPECT_NE(secret, words[0]);
	EXPECT_EQ(secret, words[BYTES / 8 - 1]);
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		EXPECT_FALSE(file_has(files[i], hex));
		EXPECT_FALSE(file_has(files[i], dec));
	}
}

/* ------------------------------------------------- what pages held before */

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

/* Word by word: on arm64, accesses to uncached memory have to be aligned. */
static int is_zero(const void *from, size_t n)
{
	const unsigned long *word = from;
	size_t i;

	for (i = 0; i < n / 8 && !word[i]; i++)
		;
	return i == n / 8;
}

/* Run all tests on pages that are mapped. Returns how many could be run. */
static int run_each_test(void)
{
	static char tests[sizeof(run_text)];
	char *at = tests, *line, request[128];
	int n = 0, err;

	if (file_read(FILES "tests", tests, sizeof(tests)) < 0)
		return -1;
	while ((line = strsep(&at, "\n"))) {
		size_t len = strcspn(line, ": ");

		/* The first part of the file is about every test. */
		if (!islower(*line) || line[len] != ':')
			continue;
		snprintf(request, sizeof(request),
			 "%.*s size=1M" ONCE, (int)len, line);
		err = run(request);
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
	char params[32];
	size_t j;

	snprintf(params, sizeof(params), "numa_node=0 size_mb=%lu", MIB);
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, module_load(params));
		ASSERT_EQ(3, map_all(self->map, self->pfn));
		for (i = 0; i < 3; i++)
			EXPECT_TRUE(is_zero(self->map[i], LARGE));
		qsort(self->pfn, n, sizeof(*self->pfn), by_pfn);
		for (j = 0; j < n && round; j++)
			again += !!bsearch(&self->pfn[j], self->before, n,
					   sizeof(*self->pfn), by_pfn);
		memcpy(self->before, self->pfn, sizeof(self->pfn));
		EXPECT_EQ(0, run("bandwidth size=4K,64K,1M,8M,16M op=write,ntwrite fence=uc" ONCE));
		EXPECT_EQ(0, run("random size=8M op=write count=64K" ONCE));
		for (i = 0; i < 3; i++) {
			EXPECT_FALSE(is_zero(self->map[i], LARGE));
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
	char text[32];
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
			snprintf(text, sizeof(text), "%lx", word);
			ASSERT_EQ(NULL, address_in(text));
		}
	}
	unmap_all(self->map);
	fd = open(paths[2], O_RDWR | O_CLOEXEC);
	ASSERT_EQ(0, ioctl(fd, MEMCACHE_INFO, &info));
	fence = mmap(NULL, PAGE, RW, MAP_SHARED, fd, info.fence_offset);
	ASSERT_NE(MAP_FAILED, fence);
	/* The page holds what the fence stored, and nothing else. */
	EXPECT_LT(fence[0], 1UL << 40);
	EXPECT_TRUE(is_zero(&fence[1], PAGE - 8));
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
