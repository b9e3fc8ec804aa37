// SPDX-License-Identifier: GPL-2.0-only
/* The three devices side by side, the page of the fence, and no device at all. */
#include "devices.h"

static const char * const paths[3] = PATHS;

/* Whole words, as all_are() loads them. */
static void set_all(unsigned char *map, unsigned char byte, size_t bytes)
{
	unsigned long *at = (void *)map;

	for (; bytes; bytes -= sizeof(*at))
		__atomic_store_n(at++, byte * 0x0101010101010101UL, __ATOMIC_RELAXED);
}

FIXTURE(devices) {
	int fd[3];
	unsigned char *map[3];
};

FIXTURE_SETUP(devices)
{
	int i;

	watched_setup(_metadata);
	for (i = 0; i < 3; i++) {
		self->fd[i] = open(paths[i], O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, self->fd[i]);
		self->map[i] = map_at(self->fd[i], 0, BYTES);
		ASSERT_NE(MAP_FAILED, self->map[i]);
	}
}

static void let_go(unsigned char **map, const int *fd)
{
	int i;

	for (i = 0; i < 3; i++) {
		munmap(map[i], BYTES);
		close(fd[i]);
	}
}

FIXTURE_TEARDOWN(devices)
{
	let_go(self->map, self->fd);
	watched_teardown(_metadata);
}

static int by_number(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

TEST_F(devices, have_pages_of_their_own)
{
	unsigned long pfns[3 * BLOCK];
	struct witness_page page;
	int i;

	for (i = 0; i < 3 * BLOCK; i++) {
		ASSERT_TRUE(witness_page(self->map[i / BLOCK] + i % BLOCK * PAGE, &page));
		pfns[i] = page.pfn;
	}
	qsort(pfns, 3 * BLOCK, sizeof(*pfns), by_number);
	for (i = 1; i < 3 * BLOCK; i++)
		EXPECT_LT(pfns[i - 1], pfns[i]);

	for (i = 0; i < 3; i++)
		set_all(self->map[i], i + 1, BYTES);
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(all_are(self->map[i], i + 1, BYTES));
}

TEST_F(devices, have_one_page_more_for_the_fence)
{
	struct witness_page page, other;
	unsigned char *fence, *again;
	struct memcache_info info;
	int i;

	for (i = 0; i < 2; i++)
		EXPECT_ERRNO(EINVAL, map_at(self->fd[i], BYTES, PAGE));
	ASSERT_EQ(0, ioctl(self->fd[2], MEMCACHE_INFO, &info));
	EXPECT_EQ(MAP_FAILED, map_at(self->fd[2], info.fence_offset, 2 * PAGE));
	EXPECT_EQ(MAP_FAILED, map_at(self->fd[2], info.fence_offset - PAGE, 2 * PAGE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, RW | PROT_EXEC, MAP_SHARED,
				   self->fd[2], info.fence_offset));
	EXPECT_FALSE(file_has("buffers", "uc fence "));

	fence = map_at(self->fd[2], info.fence_offset, PAGE);
	again = map_at(self->fd[2], info.fence_offset, PAGE);
	ASSERT_NE(MAP_FAILED, fence);
	ASSERT_NE(MAP_FAILED, again);
	EXPECT_TRUE(file_has("buffers", "uc fence pages=1 "));
	ASSERT_TRUE(witness_page(fence, &page));
	EXPECT_STREQ(ATTRIBUTE_UC, page.type);
	EXPECT_STREQ(IN_DIRECT_MAP(ATTRIBUTE_UC), page.direct);
	for (i = 0; i < 3 * BLOCK; i++) {
		ASSERT_TRUE(witness_page(self->map[i / BLOCK] + i % BLOCK * PAGE, &other));
		EXPECT_NE(page.pfn, other.pfn);
	}

	EXPECT_EQ(0, fence[0]);
	set_all(fence, 0xff, PAGE);
	EXPECT_EQ(0xff, again[PAGE - 1]);
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(all_are(self->map[i], 0, BYTES));
	/* The mapping alone keeps the module loaded, too. */
	let_go(self->map, self->fd);
	EXPECT_EQ(0, munmap(again, PAGE));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(0, munmap(fence, PAGE));
}

TEST_F(devices, are_not_there_without_standing_buffers)
{
	int i;

	let_go(self->map, self->fd);
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("size_mb=0"));
	for (i = 0; i < 3; i++)
		EXPECT_ERRNO(ENOENT, access(paths[i], F_OK));
	EXPECT_EQ(0, run("bandwidth type=wb,wc,uc fence=none,uc size=64K repeat=1"));
}

TEST_HARNESS_MAIN
