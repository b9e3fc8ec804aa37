// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test `file`: what it reads and writes, what it never does, and its errors. What does not
 * depend on the kernel is in the native tests file and file_errors.
 */
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "watched.h"

#define DIR_NAME	"/tmp/memcache-file"
#define F		DIR_NAME "/f"
#define SMALL		" repeat=2 warmup=0"
#define small(keys)	run("file path=" F " " keys SMALL)
#define M		1048576

static void place_setup(struct __test_metadata *_metadata)
{
	watched_setup(_metadata);
	umount2(DIR_NAME, MNT_DETACH);
	mkdir(DIR_NAME, 0700);
	ASSERT_EQ(0, mount("none", DIR_NAME, "tmpfs", 0, "size=16m"));
	ASSERT_EQ(0, chdir(DIR_NAME));
}

/* The filesystem can be unmounted only if no file is still open. */
static void place_teardown(struct __test_metadata *_metadata)
{
	EXPECT_EQ(0, chdir("/"));
	EXPECT_EQ(0, umount(DIR_NAME));
	rmdir(DIR_NAME);
	watched_teardown(_metadata);
}

FIXTURE_BY(file, place_setup(_metadata), place_teardown(_metadata))

static long size_of(const char *path)
{
	struct stat s;

	return lstat(path, &s) ? -1 : (long)s.st_size;
}

static int put(const char *path, long at, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int err = fd >= 0 && pwrite(fd, bytes, n, at) == (ssize_t)n ? 0 : -1;

	close(fd);
	return err;
}

static int flip(const char *path, long at)
{
	char c;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = pread(fd, &c, 1, at);

	close(fd);
	c ^= 4;
	return n == 1 ? put(path, at, &c, 1) : -1;
}

TEST_F(file, is_written_and_read_back)
{
	EXPECT_EQ(0, small("op=write bytes=256K transfer=16K,64K readers=1,3 check=on"));
	EXPECT_EQ(4, results_with("\"verified\":\"ok\""));
	EXPECT_EQ(M / 4, size_of(F));
	EXPECT_EQ(0, small("transfer=512,96K,2M readers=1,20 check=on,off cpu=0-1"));
	EXPECT_EQ(12, results_with("\"samples\":2,"));
	EXPECT_EQ(6, results_with("\"verified\":\"ok\""));
	EXPECT_EQ(6, results_with("\"verified\":\"off\""));
	EXPECT_EQ(12, results_with("\"file_bytes\":262144,"));
	EXPECT_EQ(6, results_with("\"threads\":20,"));
	EXPECT_EQ(6, results_with("\"payload_bytes\":5242880,"));
	EXPECT_EQ(12, results_with("\"path\":\"" F "\","));
	EXPECT_FALSE(file_has("results", F));
	EXPECT_EQ(0, run_threads());
	EXPECT_EQ(0, small("op=write bytes=512K,2M check=on"));
	EXPECT_EQ(2 * M, size_of(F));
	EXPECT_EQ(0, small("op=write bytes=1M"));
	EXPECT_EQ(M, size_of(F));
}

/* Only regular files are read, written or even opened. */
TEST_F(file, only_regular_files)
{
	static const struct {
		const char *path, *what;
	} bad[] = {
		{ DIR_NAME, "a directory" },
		{ DIR_NAME "/fifo", "a FIFO" },
		{ DIR_NAME "/socket", "a socket" },
		{ DIR_NAME "/link", "a symbolic link" },
		{ DIR_NAME "/nowhere", "a symbolic link" },
		{ DIR_NAME "/device", "a device" },
		{ "/dev/null", "a device" },
	};
	struct sockaddr_un address = { AF_UNIX, "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	unsigned int i, write;

	ASSERT_EQ(0, bind(fd, (void *)&address, sizeof(address)));
	close(fd);
	ASSERT_EQ(0, mkfifo("fifo", 0600));
	ASSERT_EQ(0, mknod("device", S_IFCHR | 0600, makedev(1, 5)));
	ASSERT_EQ(0, put("there", 0, "x", 1));
	ASSERT_EQ(0, symlink("there", "link"));
	ASSERT_EQ(0, symlink("nothing", "nowhere"));
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char *says = TEXT("state: refused\n"
				  "error: EINVAL path: %s is %s; only regular files",
				  bad[i].path, bad[i].what);

		for (write = 0; write < 2; write++) {
			EXPECT_EQ(-EINVAL, run(TEXT("file op=%s path=%s" SMALL,
						    write ? "write" : "read", bad[i].path)));
			EXPECT_TRUE(file_has("run", says));
		}
	}
	EXPECT_EQ(-1, size_of("nothing"));
	EXPECT_EQ(1, size_of("there"));
}

/* Flags of chattr(1): the test refuses what open(2) refuses, and still reads the file. */
TEST_F(file, that_must_not_be_changed)
{
	static const int flags[] = { FS_APPEND_FL, FS_IMMUTABLE_FL };
	int none = 0, fd, i, flag;

	ASSERT_EQ(0, small("op=write bytes=1M"));
	fd = open(F, O_RDONLY | O_CLOEXEC);
	for (i = 0; i < 2; i++) {
		flag = flags[i];
		if (ioctl(fd, FS_IOC_SETFLAGS, &flag)) {
			close(fd);
			SKIP(return, "no such flags on tmpfs");
		}
		EXPECT_EQ(-EPERM, small("op=write bytes=2M"));
		EXPECT_TRUE(file_has("run",
				     "state: failed\nerror: EPERM path: " F " has an attribute"));
		EXPECT_EQ(-EPERM, small("op=write bytes=4K"));
		EXPECT_EQ(M, size_of(F));
		EXPECT_EQ(0, small("check=on"));
		ASSERT_EQ(0, ioctl(fd, FS_IOC_SETFLAGS, &none));
	}
	close(fd);
	EXPECT_EQ(0, small("op=write bytes=2M"));
}

TEST_F(file, what_is_missing_has_its_errno)
{
	EXPECT_EQ(-ENOENT, run("file path=" DIR_NAME "/none" SMALL));
	EXPECT_TRUE(file_has("run", "state: failed\nerror: ENOENT path: "));
	EXPECT_EQ(-ENOENT, run("file op=write path=" DIR_NAME "/no/ne bytes=4K" SMALL));
	ASSERT_EQ(0, put(F, 0, "x", 1));
	EXPECT_EQ(-ENOTDIR, run("file path=" F "/f" SMALL));
	EXPECT_TRUE(file_has("run", "error: ENOTDIR path: "));
	ASSERT_EQ(0, mount("none", DIR_NAME, NULL, MS_REMOUNT | MS_RDONLY, "size=16m"));
	EXPECT_EQ(0, small(""));
	EXPECT_EQ(-EROFS, run("file op=write path=" F "2 bytes=4K" SMALL));
	EXPECT_TRUE(file_has("run", "error: EROFS path: "));
	EXPECT_EQ(-1, size_of(F "2"));
}

TEST_F(file, full_disk)
{
	struct rlimit limit = { M, RLIM_INFINITY };

	EXPECT_EQ(-ENOSPC, small("op=write bytes=1M,64M readers=3 transfer=64K"));
	EXPECT_TRUE(file_has("run",
			     "state: failed\nerror: ENOSPC path: " F " can't be written at byte "));
	EXPECT_EQ(1, results_with("\"samples\":2,"));
	EXPECT_EQ(0, run_threads());
	/* The file is still one of ours, and may be written over. */
	EXPECT_EQ(0, small("op=write bytes=2M check=on"));
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	EXPECT_EQ(-EFBIG, small("op=write bytes=2M"));
	EXPECT_TRUE(file_has("run", "error: EFBIG path: "));
	EXPECT_EQ(0, small("op=write bytes=1M"));
	limit.rlim_cur = RLIM_INFINITY;
	EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
}

TEST_F(file, shrinks_while_it_is_read)
{
	int i, err, all = 0;
	pid_t pid;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, small("op=write bytes=8M transfer=1M"));
		pid = run_start("file path=" F " readers=1,7 transfer=64K repeat=100000");
		ASSERT_TRUE(run_gets_to(3));
		ASSERT_EQ(0, truncate(F, i * M + 12345));
		err = run_end(pid);
		EXPECT_EQ(-ENODATA, err);
		EXPECT_TRUE(file_has("run",
				     "\nerror: ENODATA path: " F " was cut short to "));
		EXPECT_EQ(1, results_with("\"verified\":\"off\""));
		EXPECT_FALSE(file_has("results.jsonl", "\"samples\":0,"));
		EXPECT_EQ(0, run_threads());
		all += err == -ENODATA;
	}
	EXPECT_EQ(3, all);
	EXPECT_EQ(-ENODATA, small("check=on"));
	EXPECT_EQ(0, small(""));
}

/* tmpfs lies in the page cache: nothing can be dropped from it or bypass it. */
TEST_F(file, what_a_filesystem_cant_do_is_said)
{
	ASSERT_EQ(0, small("op=write bytes=1M cache=drop"));
	EXPECT_EQ(0, small("cache=drop check=on"));
	EXPECT_EQ(1, results_with("\"cached_percent\":100.0,"));
	/* Newer kernels accept direct I/O on tmpfs. */
	if (small("direct=on"))
		EXPECT_TRUE(file_has("run", "state: refused\nerror: EOPNOTSUPP direct: "));
	if (run("file op=write path=" F "2 bytes=4K direct=on" SMALL)) {
		EXPECT_TRUE(file_has("run", "state: refused\nerror: EOPNOTSUPP direct: "));
		EXPECT_EQ(0, size_of(F "2"));
		EXPECT_EQ(0, run("file op=write path=" F "2 bytes=4K" SMALL));
	}
}

#define DISK	DIR_NAME "/disk"
#define on_disk(keys)	run("file path=" DISK "/f " keys SMALL)

FIXTURE(disk) {
	bool there;
};

FIXTURE_SETUP(disk)
{
	place_setup(_metadata);
	ASSERT_EQ(0, mkdir(DISK, 0700));
	/* Without them, mkfs.ext4 would be work for nothing. */
	self->there = !system("modprobe -aq loop ext4; grep -qw ext4 /proc/filesystems") &&
		      !access("/dev/loop-control", F_OK) && !system("truncate -s 12M img") &&
		      !system("mkfs.ext4 -q -O ^has_journal img && mount -o loop img disk");
}

FIXTURE_TEARDOWN(disk)
{
	if (self->there)
		EXPECT_EQ(0, umount(DISK));
	place_teardown(_metadata);
}

TEST_F(disk, past_the_page_cache)
{
	int err;

	if (!self->there)
		SKIP(return, "no ext4 on a loop device here");
	err = on_disk("check=on op=write bytes=4M direct=on,off cache=drop,keep readers=1,3");
	EXPECT_EQ(0, err);
	EXPECT_EQ(8, results_with("\"verified\":\"ok\""));
	EXPECT_EQ(0, on_disk("op=write bytes=4M direct=on,off transfer=516K check=on"));
	EXPECT_EQ(0, on_disk("direct=on,off cache=drop readers=1,3 transfer=4K,516K check=on"));
	EXPECT_EQ(8, results_with("\"verified\":\"ok\""));
	EXPECT_EQ(8, results_with("\"cached_percent\":0.0,"));
	EXPECT_EQ(0, on_disk("cache=keep"));
	EXPECT_EQ(1, results_with("\"cached_percent\":100.0,"));
	/* A file whose size is no multiple of a page or block. */
	ASSERT_EQ(0, truncate(DISK "/f", 1000001));
	EXPECT_EQ(0, on_disk("direct=on,off transfer=64K readers=3"));
	EXPECT_EQ(2, results_with("\"payload_bytes\":3000003,"));
	EXPECT_EQ(-ENODATA, on_disk("direct=on check=on"));
	ASSERT_EQ(0, flip(DISK "/f", 5000));
	ASSERT_EQ(0, truncate(DISK "/f", 4 * M));
	EXPECT_EQ(-EBADMSG, on_disk("direct=on check=on transfer=4K"));
	EXPECT_TRUE(file_has("run", "check: byte 5000 of "));
}

static int disk_size(const char *size)
{
	return system(TEXT("sync; truncate -s %s img && losetup -c $(losetup -nO NAME -j img)",
			   size));
}

/* Most of the disk is gone, but the filesystem on it does not know that. */
TEST_F(disk, fails)
{
	if (!self->there)
		SKIP(return, "no ext4 on a loop device here");
	ASSERT_EQ(0, on_disk("op=write bytes=8M cache=drop"));
	ASSERT_EQ(0, disk_size("4M"));
	EXPECT_EQ(-EIO, on_disk("cache=drop readers=1,3 transfer=64K"));
	EXPECT_TRUE(file_has("run",
			     "state: failed\nerror: EIO path: " DISK "/f can't be read at byte "));
	EXPECT_EQ(0, run_threads());
	EXPECT_EQ(-EIO, on_disk("direct=on transfer=64K"));
	EXPECT_EQ(0, disk_size("12M"));
}

TEST_F(disk, full)
{
	if (!self->there)
		SKIP(return, "no ext4 on a loop device here");
	EXPECT_EQ(-ENOSPC, on_disk("op=write bytes=1M,64M direct=on"));
	EXPECT_EQ(1, results_with("\"samples\":2,"));
	EXPECT_EQ(-ENOSPC, on_disk("op=write bytes=64M cache=drop"));
}

TEST_HARNESS_MAIN
