// SPDX-License-Identifier: GPL-2.0-only
/*
 * CALLS calls of ioctl, mmap and everything that can be done to a mapping, with random
 * arguments, on the devices. Whatever succeeds, a mapping stays shared, within its buffer
 * and not executable, and an ioctl returns the same until the next run. SEED=a number repeats the
 * same calls.
 */
#include <setjmp.h>
#include <stddef.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "chance.h"
#include "devices.h"

#ifndef MAP_32BIT		/* x86 only */
#define MAP_32BIT 0
#endif
#define ARENA	(64UL << 20)
#define SLOTS	24

static const char * const paths[3] = PATHS;

/* A descriptor of a device, as it was opened. */
struct opened {
	int fd;
	int device;
	int flags;
};

static struct opened opened[SLOTS];
static struct memcache_info infos[3];
static char *arena;		/* addresses where only this test maps anything */
static char *low;		/* a page below 4 GiB, with nothing mapped behind it */
static const char *problem;	/* the first thing that is wrong */

static void must(bool holds, const char *what)
{
	if (!holds && !problem)
		problem = what;
}

/*
 * Note what the devices say. A run judges their memory again, and on a busy host the result may
 * differ in an emulated guest; nothing else may.
 */
static bool learn_infos(void)
{
	struct memcache_info info;
	bool good = true;
	int i, fd;

	for (i = 0; i < 3; i++) {
		fd = open(paths[i], O_RDWR | O_CLOEXEC);
		good &= fd >= 0 && !ioctl(fd, MEMCACHE_INFO, &info);
		good &= !infos[i].size_bytes ||
			!memcmp(&info, &infos[i], offsetof(struct memcache_info, effective));
		infos[i] = info;
		close(fd);
	}
	return good;
}

/* What must hold for every mapping of a device, whatever was done to it. */
static void check_maps(void)
{
	static char text[1 << 18];
	char *at = text, *line, perms[5], path[64];
	unsigned long start, end, offset;

	must(file_read("/proc/self/maps", text, sizeof(text)) > 0, "no maps");
	while ((line = strsep(&at, "\n"))) {
		if (!strstr(line, "/dev/memcache_") ||
		    sscanf(line, "%lx-%lx %4s %lx %*s %*s %63s", &start, &end,
			   perms, &offset, path) != 5)
			continue;
		must(perms[2] == '-', "a mapping is executable");
		must(perms[3] == 's', "a mapping is private");
		if (strcmp(path, paths[2]) || offset != BYTES)
			must(offset + end - start <= BYTES, "a mapping is too long");
		else
			must(end - start == PAGE, "the fence's mapping is too long");
	}
}

/* -------------------------------------------------------- random choices */

static struct opened *any_fd(void)
{
	static const int flags[] = { O_RDWR, O_RDWR, O_RDWR, O_RDONLY, O_WRONLY };
	struct opened *o = &opened[chance(SLOTS)];

	if (o->fd && chance(50))
		return o;
	if (o->fd)
		close(o->fd);
	o->device = chance(3);
	o->flags = PICK(flags);
	o->fd = open(paths[o->device], o->flags | O_CLOEXEC |
		     (chance(8) ? 0 : O_NONBLOCK | O_APPEND | O_TRUNC));
	must(o->fd > 0, "a device can't be opened");
	return o;
}

static unsigned long any_number(void)
{
	return chance_bits() + (chance(2) ? 0 : -chance(PAGE));
}

static unsigned long any_length(void)
{
	static const unsigned long some[] = {
		0, 1, PAGE - 1, PAGE, PAGE + 1, BYTES - PAGE, BYTES - 1, BYTES,
		BYTES + 1, BYTES + PAGE, 2 * BYTES, 1UL << 46, ~0UL, ~0UL << 12,
	};

	switch (chance(4)) {
	case 0: return PICK(some);
	case 1: return any_number();
	default: return (1 + chance(16)) * PAGE;
	}
}

static unsigned long any_offset(void)
{
	static const unsigned long some[] = {
		BYTES - PAGE, BYTES, BYTES + PAGE, 1, ~0UL << 12, 1UL << 63,
		(1UL << 63) - PAGE, -BYTES,
	};

	switch (chance(6)) {
	case 0: return PICK(some);
	case 1: return any_number();
	default: return chance(BLOCK + 2) * PAGE;
	}
}

static char *any_page(void)
{
	return arena + chance(64) * PAGE;
}

static int any_prot(void)
{
	static const int some[] = {
		PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ,
		PROT_WRITE, PROT_NONE, PROT_EXEC, PROT_READ | PROT_EXEC,
		PROT_READ | PROT_WRITE | PROT_EXEC,
	};

	return chance(10) ? PICK(some) : (int)chance_bits();
}

static int any_flags(void)
{
	static const int types[] = {
		MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_SHARED_VALIDATE, MAP_PRIVATE,
	};
	static const int more[] = {
		MAP_POPULATE, MAP_LOCKED, MAP_NORESERVE, MAP_32BIT, MAP_GROWSDOWN,
		MAP_STACK, MAP_NONBLOCK, MAP_SYNC, MAP_HUGETLB, MAP_DENYWRITE,
	};

	return PICK(types) | (chance(4) ? 0 : PICK(more));
}

/* ------------------------------------------------------------------ the calls */

/* The kernel answers these before they reach a driver. */
static bool is_of_every_file(unsigned int cmd)
{
	return !_IOC_TYPE(cmd) || strchr("\x02\x12TXf\x94", _IOC_TYPE(cmd));
}

static unsigned int any_cmd(void)
{
	unsigned int type = chance(4) ? 0xbc : chance(256);
	unsigned int size = chance(2) ? sizeof(struct memcache_info) : chance(1 << 14);

	if (!chance(3))
		return MEMCACHE_INFO;
	if (!chance(8))
		return chance_bits();
	return _IOC(chance(4), type, chance(3) ? chance(4) : chance(256), size);
}

static void call_ioctl(void)
{
	struct opened *o = any_fd();
	unsigned int cmd = any_cmd();
	struct memcache_info *info = (void *)(low + (chance(4) ? 0 : PAGE - 8));
	void *arg = chance(3) ? info : (void *)any_number();
	int err;

	if (is_of_every_file(cmd))
		return;
	memset(low, 0xff, PAGE);
	err = ioctl(o->fd, cmd, arg) ? errno : 0;
	if (cmd != MEMCACHE_INFO)
		must(err == ENOTTY, "ioctl: not ENOTTY");
	else if (arg == (void *)low)
		must(!err && !memcmp(low, &infos[o->device], sizeof(*infos)),
		     "ioctl: not what it said before");
	else if (arg == (void *)info)
		must(err == EFAULT, "ioctl: half a buffer, and not EFAULT");
	else
		must(!err || err == EFAULT, "ioctl: neither 0 nor EFAULT");
}

/* Whether the driver may allow the mapping. The kernel may refuse it nevertheless. */
static bool allowed(const struct opened *o, unsigned long length, int prot,
		    int flags, unsigned long offset)
{
	unsigned long end = (length + PAGE - 1) / PAGE * PAGE + offset;
	bool fence = o->device == 2 && offset == BYTES && length <= PAGE;

	return length && length <= BYTES && (fence || (offset <= BYTES && end <= BYTES)) &&
	       !(prot & PROT_EXEC) && (flags & MAP_TYPE) != MAP_PRIVATE &&
	       !(offset % PAGE) && o->flags != O_WRONLY &&
	       (o->flags == O_RDWR || !(prot & PROT_WRITE));
}

static void call_mmap(void)
{
	struct opened *o = any_fd();
	unsigned long length = any_length(), offset = any_offset();
	int prot = any_prot(), flags = any_flags();
	bool plain = !(flags & ~MAP_TYPE) && !(prot & ~7);
	char *at = any_page(), *got;

	if (length > ARENA - 64 * PAGE)
		at = NULL;
	got = mmap(at, length, prot, flags | (at ? MAP_FIXED : 0), o->fd, offset);
	if (got != MAP_FAILED) {
		must(allowed(o, length, prot, flags, offset), "mmap: should have failed");
		if (!at)
			munmap(got, length);
	} else if (plain && at) {
		must(!allowed(o, length, prot, flags, offset), "mmap: should not have failed");
	}
}

static void call_mremap(void)
{
	static const int some[] = {
		0, MREMAP_MAYMOVE, MREMAP_MAYMOVE | MREMAP_FIXED,
		MREMAP_MAYMOVE | MREMAP_DONTUNMAP, ~0,
	};

	char *from = any_page() + (chance(16) ? 0 : chance(PAGE));

	mremap(from, chance(16) * PAGE, (1 + chance(32)) * PAGE, PICK(some), any_page());
}

static void call_mprotect(void)
{
	mprotect(any_page(), chance(16) * PAGE, any_prot());
}

/* Reserve again what was unmapped, so that the arena stays ours. */
static void call_munmap(void)
{
	char *at = any_page();
	size_t length = (1 + chance(16)) * PAGE;

	if (chance(2))
		munmap(at, length);
	mmap(at, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void call_madvise(void)
{
	/* All but MADV_HWPOISON and MADV_SOFT_OFFLINE, which take real pages offline. */
	madvise(any_page(), chance(16) * PAGE, chance(26));
}

static void call_remap_file_pages(void)
{
	syscall(SYS_remap_file_pages, any_page(), chance(16) * PAGE, 0, any_offset() / PAGE, 0);
}

static void call_mlock(void)
{
	char *at = any_page();
	size_t length = chance(16) * PAGE;

	mlock(at, length);
	munlock(at + chance(2) * PAGE, length);
}

static void call_mlockall(void)
{
	mlockall(chance(8));
	munlockall();
}

static void call_msync(void)
{
	msync(any_page(), chance(16) * PAGE, chance(8));
}

static void call_mincore(void)
{
	mincore(any_page(), PAGE, (void *)low);
}

/* Calls that suit other files than devices of memory. */
static void call_file(void)
{
	struct opened *o = any_fd();
	char buf[16] = "";

	lseek(o->fd, any_number(), chance(5));
	must(read(o->fd, buf, chance(16)) < 0, "read");
	must(write(o->fd, buf, chance(16)) < 0, "write");
	must(ftruncate(o->fd, any_number()) < 0, "ftruncate");
	must(fsync(o->fd) < 0, "fsync");
	must(posix_fallocate(o->fd, 0, PAGE) != 0, "fallocate");
}

static sigjmp_buf fault;
static sig_atomic_t faulted;

static void on_fault(int number)
{
	faulted = number;
	siglongjmp(fault, 1);
}

static void touch(char *at)
{
	struct iovec there = { at, 64 }, here = { low, 64 };

	process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	process_vm_writev(getpid(), &here, 1, &there, 1, 0);
	if (chance(2))
		__atomic_load_n(at, __ATOMIC_RELAXED);
	else
		__atomic_store_n(at, chance(256), __ATOMIC_RELAXED);
}

/* Access by the kernel for this process, and by the CPU. */
static void call_touch(void)
{
	char *at = any_page() + chance(PAGE);

	if (sigsetjmp(fault, 1))
		must(faulted == SIGSEGV, "SIGBUS: a mapping without its pages");
	else
		touch(at);
}

/* A mapping in two processes, of which one does random things. */
static void call_fork(void)
{
	pid_t pid = fork();
	int i;

	if (!pid) {
		for (i = 0; i < 10; i++) {
			call_mprotect();
			call_touch();
			call_munmap();
			call_mmap();
		}
		_exit(!!problem);
	}
	must(!run_end(pid), "in a child process");
}

/* A personality that makes everything readable executable, too. */
static void call_read_implies_exec(void)
{
	struct opened *o = any_fd();
	char *got;

	personality(PER_LINUX | READ_IMPLIES_EXEC);
	got = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, o->fd, 0);
	personality(PER_LINUX);
	if (got == MAP_FAILED)
		return;
	check_maps();
	munmap(got, PAGE);
}

static void call_run(void)
{
	any_fd();	/* no device may be open yet */
	must(!run("bandwidth type=wb,wc,uc op=write size=4K repeat=1 warmup=0"), "a run");
	must(learn_infos(), "ioctl: another device than before the run");
	must(module_unload() == -EWOULDBLOCK, "unloaded, with devices open");
}

static const struct {
	void (*make)(void);
	unsigned int weight;
} calls[] = {
	{ call_ioctl, 30 }, { call_mmap, 40 }, { call_mremap, 10 },
	{ call_mprotect, 15 }, { call_munmap, 8 }, { call_madvise, 8 },
	{ call_remap_file_pages, 4 }, { call_touch, 15 }, { call_mlock, 2 },
	{ call_mlockall, 1 }, { call_msync, 1 }, { call_mincore, 1 },
	{ call_file, 3 }, { call_fork, 1 }, { call_read_implies_exec, 1 },
	{ call_run, 1 },
};

static void make_a_call(void)
{
	unsigned int i, n = 0, which;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		n += calls[i].weight;
	which = chance(n);
	for (i = 0; which >= calls[i].weight; i++)
		which -= calls[i].weight;
	calls[i].make();
}

FIXTURE(fuzz) {
};

FIXTURE_SETUP(fuzz)
{
	struct sigaction action = { .sa_handler = on_fault };

	watched_setup(_metadata);
	ASSERT_TRUE(learn_infos());
	arena = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	low = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, arena);
	ASSERT_EQ(0, mprotect(low + PAGE, PAGE, PROT_NONE));
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

FIXTURE_TEARDOWN(fuzz)
{
	int i;

	munmap(arena, ARENA);
	for (i = 0; i < SLOTS; i++) {
		if (opened[i].fd)
			close(opened[i].fd);
	}
	watched_teardown(_metadata);
}

/* `settings` limits the time; a caller that sets a larger CALLS allows more. */
TEST_F_TIMEOUT(fuzz, devices_take_any_call, 86400)
{
	unsigned long i, n = chance_count("CALLS", 3000);

	for (i = 0; i < n && !problem; i++) {
		make_a_call();
		if (i % 16 == 0)
			check_maps();
	}
	check_maps();
	TH_LOG("SEED=%llu: %lu calls%s%s", chance_seed, i, problem ? ": " : "",
	       problem ? problem : "");
	EXPECT_EQ(NULL, problem);
	EXPECT_EQ(0, run("bandwidth type=wb,wc,uc fence=none,uc size=4K,64K repeat=1"));
	EXPECT_EQ(12, results_with("\"verified\":\"ok\""));
}

TEST_HARNESS_MAIN
