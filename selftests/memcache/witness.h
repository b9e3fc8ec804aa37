/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the witness of the pages, selftests/modules/mc_witness.c. */
#ifndef SELFTESTS_WITNESS_H
#define SELFTESTS_WITNESS_H

#include <stdbool.h>
#include <stdio.h>

#include "module.h"
#include "types.h"

#define WITNESS "/sys/kernel/debug/mc_witness/"

__attribute__((constructor)) static void witness_need(void)
{
	ko_need("WITNESS_KO", "mc_witness", "$(tools/guest/build -k host -w)");
}

/* Load the witness. This has to be done before memcache is loaded. */
static inline int witness_load(void)
{
	return ko_load(ko_path("WITNESS_KO", "mc_witness"), "");
}

static inline int witness_unload(void)
{
	return ko_unload("mc_witness");
}

/* The value of a name in the witness's state; -1: the name is not there. */
static inline long witness(const char *name)
{
	return file_value(WITNESS "state", name);
}

/* The number of pages that are not write-back now. */
static inline long witness_away(void)
{
	return witness("away");
}

/* The page that is mapped at an address of this process. */
struct witness_page {
	char type[8];	/* in the process's own page tables */
	char direct[8];	/* in the kernel's direct map */
	unsigned long pfn;
};

/* False: no page of 4 KiB is mapped there. */
static inline bool witness_page(const void *addr, struct witness_page *page)
{
	int fd = open(WITNESS "mapped", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, (off_t)addr);

	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return sscanf(text, "type=%7s direct=%7s pfn=%lu", page->type,
		      page->direct, &page->pfn) == 3;
}

static inline int witness_fault(const char *what)
{
	return file_write(WITNESS "fault", what);
}

#endif /* SELFTESTS_WITNESS_H */
