// SPDX-License-Identifier: GPL-2.0-only
/* An item of the test `os`: the fault for which the kernel clears a huge page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/os.h"
#include "system_items.h"
#include "user.h"

#define HUGE_FILES	"/sys/kernel/mm/transparent_hugepage/"

/* Static, because an item's functions take no pointer; there is one run at a time. */
static struct {
	char *base;	/* of the mapping, which has room for one page more */
	char *first;	/* the first huge page in it */
	u64 page;
	u64 bytes;
	u64 faults;	/* that the last operations took, and must have taken */
	u64 must;
} job;

/**
 * mc_os_huge_page() - the size of huge pages
 *
 * Return: bytes, or 0 if the kernel gives no huge page to a mapping that asks for them.
 */
u64 mc_os_huge_page(void)
{
	char text[64];

	if (!mc_user_read_file(HUGE_FILES "enabled", text, sizeof(text)) ||
	    strstr(text, "[never]") ||
	    !mc_user_read_file(HUGE_FILES "hpage_pmd_size", text, sizeof(text)))
		return 0;
	return strtoull(text, NULL, 10);
}

static u64 faults_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

/* The last pages stay until the next call, so that they can be looked at. */
static void fault_huge(u64 n)
{
	u64 at;

	job.must = n * (job.bytes / job.page);
	job.faults = faults_so_far();
	while (n--) {
		madvise(job.first, job.bytes, MADV_DONTNEED);
		for (at = 0; at < job.bytes; at += job.page)
			WRITE_ONCE(job.first[at], 1);
	}
	job.faults = faults_so_far() - job.faults;
}

/* Was each page cleared, and by one fault? A second fault would show that it is not huge. */
static bool cleared(void)
{
	u64 at, i, before = faults_so_far();
	bool zero = true;

	for (at = 0; at < job.bytes; at += job.page) {
		const u64 *words = (const u64 *)(job.first + at);

		zero &= job.first[at] == 1;
		for (i = 1; i < job.page / sizeof(*words); i++)
			zero &= !READ_ONCE(words[i]);
	}
	return zero && job.faults == job.must && faults_so_far() == before;
}

static void stop_huge(void)
{
	if (job.base)
		munmap(job.base, job.bytes + job.page);
	job.base = NULL;
}

static int start_huge(const struct mc_os_asked *asked)
{
	u64 size = mc_os_huge_page();
	void *base;

	job.page = size;
	job.bytes = asked->pages * size;
	if (job.bytes > (u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4)
		return mc_os_stop_with(ENOMEM, "pages are more than a quarter of the memory");
	base = mmap(NULL, job.bytes + size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return mc_os_stop_with(errno, "mmap");
	job.base = base;
	job.first = job.base + (size - (unsigned long)base % size) % size;
	madvise(job.first, job.bytes, MADV_HUGEPAGE);
	fault_huge(1);
	return cleared() ? 0 : mc_os_stop_with(ENOMEM, "no huge page is free");
}

static u64 huge_pages(const struct mc_os_asked *asked)
{
	return asked->pages;
}

const struct mc_os_item mc_os_hugefault = {
	.run = fault_huge, .batch = 8,
	.start = start_huge, .right = cleared, .stop = stop_huge, .parts = huge_pages,
};
