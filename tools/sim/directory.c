// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <sys/mman.h>

#include "directory.h"

/* Lines of 16 GiB. Higher addresses, which only devices have, share entries with these. */
#define ENTRIES		0x10000000ULL

/* A bit for each CPU that has the line, and above them the number of its owner plus 1. */
#define OWNER_SHIFT	8
#define SHARERS		0xffU

static uint16_t *entries;	/* pages that nobody wrote to take no memory */

/** directory_make() - make an empty directory; false: there is no memory for it */
bool directory_make(void)
{
	if (entries) {
		directory_empty();
		return true;
	}
	entries = mmap(NULL, ENTRIES * sizeof(*entries), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (entries == MAP_FAILED)
		entries = NULL;
	return entries;
}

void directory_empty(void)
{
	if (entries)
		madvise(entries, ENTRIES * sizeof(*entries), MADV_DONTNEED);
}

/** directory_sharers() - a bit for each CPU that has the line */
unsigned int directory_sharers(uint64_t line)
{
	return entries[line % ENTRIES] & SHARERS;
}

/** directory_owner() - the CPU that has changed the line; -1: it is as in memory */
int directory_owner(uint64_t line)
{
	return (entries[line % ENTRIES] >> OWNER_SHIFT) - 1;
}

void directory_add(uint64_t line, unsigned int cpu)
{
	entries[line % ENTRIES] |= 1U << cpu;
}

/** directory_own() - a CPU changes a line that it has, and no other */
void directory_own(uint64_t line, unsigned int cpu)
{
	entries[line % ENTRIES] |= (cpu + 1) << OWNER_SHIFT;
}

void directory_clean(uint64_t line)
{
	entries[line % ENTRIES] &= SHARERS;
}

void directory_remove(uint64_t line, unsigned int cpu)
{
	uint16_t *entry = &entries[line % ENTRIES];

	if (directory_owner(line) == (int)cpu)
		directory_clean(line);
	*entry &= ~(1U << cpu);
}
