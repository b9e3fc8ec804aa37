// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/memcache_wb, _wc, _uc: which processes may map what part of them, and that the process's
 * page tables map the module's pages with their own memory type. A mapping can't become executable,
 * map other pages, or keep pages after it has gone.
 */
#include <sys/uio.h>

#include "addresses.h"
#include "devices.h"
#include "others.h"

FIXTURE(device) {
	int fd;
	struct memcache_info info;
	unsigned char *map;	/* all of it */
};

FIXTURE_VARIANT(device) {
	const char *type;
	const char *path;
	const char *attribute;
};

FIXTURE_VARIANT_ADD(device, wb) { "wb", "/dev/memcache_wb", "wb" };
FIXTURE_VARIANT_ADD(device, wc) { "wc", "/dev/memcache_wc", ATTRIBUTE_WC };
FIXTURE_VARIANT_ADD(device, uc) { "uc", "/dev/memcache_uc", ATTRIBUTE_UC };

FIXTURE_SETUP(device)
{
	watched_setup(_metadata);
	self->fd = open(variant->path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ioctl(self->fd, MEMCACHE_INFO, &self->info));
	self->map = map_at(self->fd, 0, BYTES);
	ASSERT_NE(MAP_FAILED, self->map);
}

FIXTURE_TEARDOWN(device)
{
	munmap(self->map, BYTES);
	close(self->fd);
	watched_teardown(_metadata);
}

/* The errno of a mapping that must be refused; 0: it was not refused. */
static int refusal(int fd, unsigned long offset, unsigned long length, int prot, int flags)
{
	/* A direct system call, since the C library checks offsets, too. */
	long addr = syscall(SYS_mmap, NULL, length, prot, flags, fd, offset);

	if (addr == -1)
		return errno;
	munmap((void *)addr, length);
	return 0;
}

/* How many pages from @addr have that type in the page tables, also in the kernel's. */
static int pages_of_type(const unsigned char *addr, const char *type, int n)
{
	struct witness_page page;
	int i, found = 0;

	for (i = 0; i < n; i++)
		found += witness_page(addr + i * PAGE, &page) &&
			 !strcmp(page.type, type) && !strcmp(page.direct, IN_DIRECT_MAP(type));
	return found;
}

/* ------------------------------------------------------------------ access */

TEST_F(device, is_for_root_only)
{
	is_for_root_only(_metadata, AT_FDCWD, variant->path, S_IFCHR | 0600);
}

TEST_F(device, tells_what_buffers_tells)
{
	const struct memcache_info *info = &self->info;
	const char *begin = TEXT("%s standing ", variant->type);
	char attribute[8] = "", effective[8] = "", *line;
	unsigned long long pages = 0;
	int node = -1, found;

	EXPECT_EQ(BYTES, info->size_bytes);
	EXPECT_EQ(strcmp(variant->type, "uc") ? 0 : BYTES, info->fence_offset);
	EXPECT_EQ(0u, info->reserved);
	EXPECT_STREQ(variant->attribute, info->attribute);

	ASSERT_TRUE(file_has("buffers", begin));
	line = strstr(run_text, begin);
	found = sscanf(line, "%*s %*s pages=%llu node=%d %*s %*s attribute=%7s effective=%7s",
		       &pages, &node, attribute, effective);
	ASSERT_EQ(4, found);
	EXPECT_EQ(info->size_bytes, pages * PAGE);
	EXPECT_EQ(info->node, node);
	EXPECT_STREQ(info->attribute, attribute);
	EXPECT_STREQ(info->effective, effective);
}

TEST_F(device, knows_one_ioctl_and_no_other)
{
	static const unsigned long unknown[] = {
		0, ~0U, FIONREAD, _IO(0xbc, 1), _IO(0xbc, 0),
		_IOW(0xbc, 1, struct memcache_info),
		_IOR(0xbc, 2, struct memcache_info), _IOR(0xbc, 1, char),
	};
	struct memcache_info info;
	size_t i;

	for (i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		EXPECT_ERRNO(ENOTTY, ioctl(self->fd, unknown[i], &info));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, MEMCACHE_INFO, NULL));
	EXPECT_ERRNO(EINVAL, read(self->fd, &info, sizeof(info)));
	EXPECT_ERRNO(EINVAL, write(self->fd, &info, sizeof(info)));
}

/* ----------------------------------------------------------------- mapping */

TEST_F(device, maps_what_lies_within)
{
	static const unsigned long parts[][2] = {
		{ 0, 1 }, { 1, 1 }, { 3, 7 }, { 1, BLOCK - 1 }, { BLOCK - 1, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		unsigned long offset = parts[i][0] * PAGE;
		unsigned long length = parts[i][1] * PAGE;
		unsigned char *part = map_at(self->fd, offset, length);

		ASSERT_NE(MAP_FAILED, part);
		part[0] = i + 1;
		part[length - 1] = i + 101;
		EXPECT_EQ(i + 1, self->map[offset]);
		EXPECT_EQ(i + 101, self->map[offset + length - 1]);
		EXPECT_EQ(0, munmap(part, length));
	}
}

TEST_F(device, refuses_what_lies_beyond)
{
	static const unsigned long beyond[][2] = {
		{ 0, BYTES + PAGE }, { PAGE, BYTES }, { BYTES - PAGE, 2 * PAGE },
		{ BYTES, 2 * PAGE }, { BYTES + PAGE, PAGE }, { 2 * BYTES, PAGE },
		{ 0, 1UL << 40 }, { 1UL << 32, PAGE }, { 1UL << 52, PAGE },
		{ 1UL << 63, PAGE }, { (1UL << 63) + PAGE, BYTES },
		{ -BYTES, PAGE }, { -2 * PAGE, PAGE }, { 1, PAGE }, { PAGE / 2, PAGE },
	};
	size_t i;

	for (i = 0; i < sizeof(beyond) / sizeof(*beyond); i++)
		EXPECT_EQ(EINVAL, refusal(self->fd, beyond[i][0], beyond[i][1],
					  RW, MAP_SHARED));
	/* The sum of offset and length overflows. */
	EXPECT_EQ(EOVERFLOW, refusal(self->fd, -PAGE, PAGE, RW, MAP_SHARED));
	EXPECT_EQ(EOVERFLOW, refusal(self->fd, -BYTES, 2 * BYTES, RW, MAP_SHARED));
}

TEST_F(device, is_neither_copied_nor_executed)
{
	EXPECT_EQ(EINVAL, refusal(self->fd, 0, PAGE, RW, MAP_PRIVATE));
	EXPECT_EQ(EINVAL, refusal(self->fd, 0, PAGE, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(EPERM, refusal(self->fd, 0, PAGE, RW | PROT_EXEC, MAP_SHARED));
	EXPECT_EQ(EPERM, refusal(self->fd, 0, PAGE, PROT_EXEC, MAP_SHARED));
	EXPECT_ERRNO(EACCES, mprotect(self->map, PAGE, PROT_READ | PROT_EXEC));
	EXPECT_ERRNO(EACCES, mprotect(self->map, BYTES, PROT_EXEC));
}

TEST_F(device, mapping_moves_and_shrinks_but_does_not_grow)
{
	char *to = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *small = map_at(self->fd, PAGE, 2 * PAGE);

	ASSERT_NE(MAP_FAILED, to);
	ASSERT_NE(MAP_FAILED, small);
	EXPECT_ERRNO(EFAULT, mremap(small, 2 * PAGE, 4 * PAGE, 0));
	EXPECT_ERRNO(EFAULT, mremap(small, 2 * PAGE, 2 * BYTES, MREMAP_MAYMOVE));
	/* A length of 0 would make a second mapping. */
	EXPECT_ERRNO(EFAULT, mremap(small, 0, 2 * PAGE, MREMAP_MAYMOVE));

	small[17] = 99;
	ASSERT_EQ(to, mremap(small, 2 * PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	EXPECT_EQ(99, to[17]);
	EXPECT_EQ(1, pages_of_type((unsigned char *)to, variant->attribute, 2));
	EXPECT_EQ(0, munmap(to, BYTES));
}

TEST_F(device, maps_to_be_read_only)
{
	int fd = open(variant->path, O_RDONLY | O_CLOEXEC);
	unsigned char *one, *two;

	self->map[17] = 99;
	ASSERT_LE(0, fd);
	EXPECT_EQ(EACCES, refusal(fd, 0, PAGE, RW, MAP_SHARED));
	one = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
	two = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_NE(MAP_FAILED, one);
	EXPECT_NE(MAP_FAILED, two);
	if (one != MAP_FAILED) {
		EXPECT_EQ(99, one[17]);
		EXPECT_ERRNO(EACCES, mprotect(one, BYTES, RW));
		EXPECT_ERRNO(EACCES, mprotect(one, BYTES, PROT_READ | PROT_EXEC));
		EXPECT_EQ(BLOCK, pages_of_type(one, variant->attribute, BLOCK));
		EXPECT_EQ(0, munmap(one, BYTES));
	}
	EXPECT_EQ(99, two[17]);
	EXPECT_EQ(0, munmap(two, BYTES));
	close(fd);
}

/* -------------------------------------------------------------------- data */

TEST_F(device, is_zero_at_first_and_then_what_was_written)
{
	static const unsigned char zeros[PAGE];
	unsigned char *again = map_at(self->fd, 0, BYTES);
	size_t i;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, again);
	for (i = 0; i < BYTES; i += PAGE)
		ASSERT_EQ(0, memcmp(self->map + i, zeros, PAGE));
	memset(self->map, 0xa5, BYTES);
	for (i = 0; i < BYTES; i += PAGE)
		EXPECT_EQ(0, memcmp(again + i, self->map, PAGE));

	/* A child shares the mapping; nothing is copied. */
	pid = fork();
	if (!pid) {
		self->map[BYTES - 1] = 7;
		_exit(again[BYTES - 2] != 0xa5);
	}
	EXPECT_EQ(0, run_end(pid));
	EXPECT_EQ(7, again[BYTES - 1]);

	/* The kernel's runs use the same pages. */
	EXPECT_EQ(0, run(TEXT("bandwidth type=%s node=%d op=write size=8K repeat=1",
			      variant->type, self->info.node)));
	EXPECT_NE(0xa5, again[0]);
	EXPECT_NE(0, memcmp(again, again + 2 * PAGE, PAGE));
	EXPECT_NE(0, memcmp(again + PAGE, again + 2 * PAGE, PAGE));
	EXPECT_EQ(0xa5, again[2 * PAGE]);
	EXPECT_EQ(0, munmap(again, BYTES));
}

/* This does not trust the module, but reads the process's own page tables. */
TEST_F(device, has_its_memory_type_in_user_space)
{
	const char *type = variant->attribute;
	pid_t pid;

	EXPECT_EQ(BLOCK, pages_of_type(self->map, type, BLOCK));
	ASSERT_EQ(0, mprotect(self->map, PAGE, PROT_READ));
	EXPECT_EQ(2, pages_of_type(self->map, type, 2));
	ASSERT_EQ(0, mprotect(self->map, PAGE, RW));
	EXPECT_EQ(2, pages_of_type(self->map, type, 2));
	pid = fork();
	if (!pid)
		_exit(pages_of_type(self->map, type, BLOCK) != BLOCK);
	EXPECT_EQ(0, run_end(pid));
	EXPECT_EQ(BLOCK, witness("now_wc"));
	EXPECT_EQ(BLOCK, witness("now_uc"));
	EXPECT_EQ(0, witness("now_other"));
}

/* ------------------------------------------------------------------- reach */

/* A process that could pin a page would still have it when the module is gone. */
TEST_F(device, pages_are_not_pinned)
{
	struct iovec here = { self->map, PAGE };
	char out[16];
	int fds[2], mem;

	ASSERT_EQ(0, pipe(fds));
	EXPECT_ERRNO(EFAULT, vmsplice(fds[1], &here, 1, 0));
	close(fds[0]);
	close(fds[1]);

	/* This is how a debugger, or another process, would read it. */
	mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, mem);
	EXPECT_ERRNO(EIO, pread(mem, out, sizeof(out), (off_t)self->map));
	EXPECT_ERRNO(EIO, pwrite(mem, out, sizeof(out), (off_t)self->map));
	close(mem);
	if (process_vm_readv(getpid(), NULL, 0, NULL, 0, 0))
		return;		/* a small kernel does not have this call */
	EXPECT_ERRNO(EFAULT, process_vm_readv(getpid(), &(struct iovec){ out, sizeof(out) }, 1,
					      &here, 1, 0));
}

TEST_F(device, mapping_stays_what_it_is)
{
	struct witness_page page;

	self->map[5 * PAGE] = 55;
	/* It can be neither doubled nor given holes that would be filled later. */
	EXPECT_ERRNO(EINVAL, mremap(self->map, PAGE, PAGE,
				    MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL));
	EXPECT_ERRNO(EINVAL, madvise(self->map, BYTES, MADV_DONTNEED));
	EXPECT_ERRNO(EINVAL, madvise(self->map, BYTES, MADV_DODUMP));

	/* Pages in another order are still pages of the buffer, with its type. */
	EXPECT_EQ(0, remap_file_pages(self->map, PAGE, 0, 5, 0));
	EXPECT_EQ(55, self->map[0]);
	ASSERT_TRUE(witness_page(self->map, &page));
	EXPECT_STREQ(variant->attribute, page.type);
	EXPECT_ERRNO(EACCES, mprotect(self->map, BYTES, PROT_READ | PROT_EXEC));
	/* Nothing lies behind the buffer except the page of the fence. */
	EXPECT_ERRNO(EINVAL, remap_file_pages(self->map + PAGE, PAGE, 0, BLOCK + 1, 0));
}

#define UNVERIFIED " verify=off size=8K repeat=1"

/* The data of a user in the pages do not get into files that others may read. */
TEST_F(device, data_of_a_user_are_in_no_result)
{
	static const char * const files[] = { "run", "results", "results.jsonl", "buffers" };
	const unsigned long secret = 0x5ec2e75ec2e75ec2;
	unsigned long *words = (void *)self->map;
	size_t i;

	for (i = 0; i < BYTES / 8; i++)
		words[i] = secret;
	EXPECT_EQ(0, run(TEXT("bandwidth type=%s node=%d op=read,write,copy" UNVERIFIED,
			      variant->type, self->info.node)));
	EXPECT_NE(secret, words[0]);
	EXPECT_EQ(secret, words[BYTES / 8 - 1]);
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		EXPECT_FALSE(file_has(files[i], TEXT("%lx", secret >> 32)));
		EXPECT_FALSE(file_has(files[i], TEXT("%lu", secret / 1000000)));
	}
}

/* ---------------------------------------------------------------- lifetime */

TEST_F(device, keeps_the_module_while_open_or_mapped)
{
	EXPECT_EQ(0, munmap(self->map, BYTES));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	self->map = map_at(self->fd, 0, BYTES);
	ASSERT_NE(MAP_FAILED, self->map);
	EXPECT_EQ(0, close(self->fd));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(0, munmap(self->map + PAGE, BYTES - 2 * PAGE));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	self->map[0] = 1;
	self->map[BYTES - 1] = 1;
	EXPECT_EQ(0, munmap(self->map, PAGE));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(0, munmap(self->map, BYTES));
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(0, witness_away());

	EXPECT_ERRNO(ENOENT, access(variant->path, F_OK));
	ASSERT_LT(0, file_read("/proc/self/maps", run_text, sizeof(run_text)));
	EXPECT_EQ(NULL, strstr(run_text, "memcache_"));
	ASSERT_EQ(0, module_load("size_mb=2"));
}

TEST_HARNESS_MAIN
