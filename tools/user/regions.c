// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free memory, taken for a run that measures it region by region; the counterpart of
 * module/kernel/regions.c. A process gets whatever pages the kernel gives it. Where they
 * are, /proc/self/pagemap tells root; without that, regions are those of virtual memory.
 * The kernel may move pages later on, which it does rarely.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/regions.h"
#include "measure/verdict.h"
#include "platform/os.h"
#include "platform/regions.h"
#include "user.h"

#define HUGE		(2ULL << 20)
#define STEP		(64ULL << 20)	/* is there still enough memory? */
#define PAGES_MOST	512		/* pages of HUGE */
#define SPARE_REGIONS	64		/* memory has so few holes that these will do */
#define PRESENT		0x8000000000000000ULL	/* in an entry of pagemap */
#define FRAME		0x007fffffffffffffULL

static void give_back(const struct mc_block *block)
{
	madvise(block->addr, block->bytes, MADV_DONTNEED);
}

static struct mc_held held = { .give_back = give_back };
static void *base = MAP_FAILED;		/* the mapping that has all blocks */
static u64 length;
static bool huge;			/* all of it came in huge pages */

u64 mc_memory_regions(u64 region)
{
	return mc_memory_bytes() / region + SPARE_REGIONS;
}

/* -------------------------------------------------------------- how much */

/* Bytes that may still be taken. */
static u64 spare_bytes(void)
{
	struct mc_user_room room;

	mc_user_room(&room);
	return room.bytes - min(room.bytes, room.of / MC_REGIONS_KEEP);
}

/* How many regions of this size so much memory has now, if it lies in one piece. */
u64 mc_user_regions_now(u64 bytes, u64 region)
{
	return max((min(bytes, spare_bytes()) + region - 1) / region, 1ULL);
}

/* If memory runs out in spite of all that, the OOM killer ends this process. */
static void offer_oneself(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "we");

	if (!f)
		return;
	fputs("1000", f);
	fclose(f);
}

/* --------------------------------------------------------------- the blocks */

/* Ask for the nodes of these blocks; a kernel without NUMA does not know. */
static void find_nodes(struct mc_block *blocks, unsigned int n)
{
	void *pages[PAGES_MOST];
	int nodes[PAGES_MOST];
	unsigned int i;
	bool known;

	for (i = 0; i < n; i++)
		pages[i] = blocks[i].addr;
	known = !syscall(SYS_move_pages, 0, (unsigned long)n, pages, NULL, nodes, 0);
	for (i = 0; i < n; i++)
		blocks[i].node = known && nodes[i] >= 0 ? nodes[i] : MC_NODE_NA;
}

/*
 * The blocks of 2 MiB of virtual memory. Return: their number. Without physical addresses it
 * is one block.
 */
static unsigned int blocks_of(int pagemap, u8 *addr, u64 region, struct mc_block *blocks)
{
	u64 entries[PAGES_MOST], page = sysconf(_SC_PAGESIZE), at;
	unsigned int i, n = 0, all = HUGE / page;
	ssize_t got = held.physical ? pread(pagemap, entries, all * 8,
					    (unsigned long)addr / page * 8) : 0;

	if (!held.physical) {
		at = addr - (u8 *)base;
		blocks[0] = (struct mc_block){ .at = at, .addr = addr, .bytes = HUGE };
		return 1;
	}
	for (i = 0; i < all && got == all * 8; i++) {
		struct mc_block *last = n ? &blocks[n - 1] : NULL;
		void *own = addr + i * page;

		if (!(entries[i] & PRESENT))
			continue;
		at = (entries[i] & FRAME) * page;
		if (last && last->at + last->bytes == at && at % region &&
		    (u8 *)last->addr + last->bytes == own)
			last->bytes += page;
		else
			blocks[n++] = (struct mc_block){ .at = at, .addr = own, .bytes = page };
	}
	return n;
}

/* Does pagemap show where a page is? It shows frame 0 to those who may not know. */
static bool shows_frames(int pagemap, const void *addr)
{
	u64 entry = 0, page = sysconf(_SC_PAGESIZE);

	return pagemap >= 0 && pread(pagemap, &entry, 8, (unsigned long)addr / page * 8) == 8 &&
	       entry & PRESENT && entry & FRAME;
}

static int hold_all(struct mc_run *run, int pagemap, u64 bytes, u64 region)
{
	struct mc_block *blocks = calloc(PAGES_MOST, sizeof(*blocks));
	unsigned int i, n;
	int err = blocks ? 0 : -ENOMEM;
	u64 at;

	held.physical = shows_frames(pagemap, base);
	for (at = 0; at < bytes && !err; at += HUGE) {
		n = blocks_of(pagemap, (u8 *)base + at, region, blocks);
		find_nodes(blocks, n);
		for (i = 0; i < n && !err; i++)
			err = mc_held_add(&held, &blocks[i]);
	}
	free(blocks);
	if (err)
		mc_fail(&run->error, err, "region: no memory for the list of blocks");
	return err;
}

/* ----------------------------------------------------------------- take them */

static int map_bytes(struct mc_run *run, const struct mc_point *point, const struct mc_wanted *want)
{
	u64 bytes = min(want->bytes, spare_bytes()) & ~(HUGE - 1);
	u8 *at;

	if (!bytes)
		return mc_fail(&run->error, -ENOMEM,
			       "region: no memory is free beyond the eighth that scan leaves");
	/* Room to align the start to 2 MiB. */
	at = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return mc_fail(&run->error, -ENOMEM, "size: no memory for %llu MiB", bytes >> 20);
	base = (void *)(((unsigned long)at + HUGE - 1) & ~(HUGE - 1));
	munmap(at, (u8 *)base - at);
	munmap((u8 *)base + bytes, at + HUGE - (u8 *)base);
	length = bytes;
	madvise(base, length, point->v[MC_KEY_PAGE] == MC_PAGE_4K ? MADV_NOHUGEPAGE :
								      MADV_HUGEPAGE);
	mc_user_set_node(base, length, want->wish.node, true);
	return 0;
}

/* Touch pages until memory gets short. *@bytes: result. Return: 0 or the errno of a stop. */
static int touch(struct mc_run *run, u64 *bytes)
{
	u64 at;

	for (at = 0; at < length; at += HUGE) {
		int err = mc_threads_look(run->threads);

		if (err)
			return err;
		if (at % STEP == 0 && at && spare_bytes() < STEP)
			break;
		memset((u8 *)base + at, 0, HUGE);
	}
	*bytes = at;
	return 0;
}

static int take_all(struct mc_run *run, const struct mc_point *point, const struct mc_wanted *want)
{
	u64 bytes = 0;
	int pagemap, err;

	offer_oneself();
	err = map_bytes(run, point, want);
	err = err ? err : touch(run, &bytes);
	if (err)
		return err;
	huge = mc_user_huge(base, length) >= bytes;
	if (point->v[MC_KEY_PAGE] == MC_PAGE_THP && !huge)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "page: only %llu of %llu MiB came as huge pages; page=auto takes the others, too",
			       mc_user_huge(base, length) >> 20, bytes >> 20);
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	err = hold_all(run, pagemap, bytes, want->region);
	if (pagemap >= 0)
		close(pagemap);
	return err;
}

/* Find a region; with the first one, memory is taken. See mc_held_find(). */
int mc_user_regions_find(struct mc_run *run, const struct mc_point *point,
			 const struct mc_wanted *want, struct mc_area *area)
{
	struct mc_verdict verdict;
	int err = 0;

	if (!want->index) {
		mc_user_regions_drop();
		err = take_all(run, point, want);
	}
	err = err ? err : mc_held_find(&held, want, area, &run->error);
	if (err || !area->view)
		return err;
	mc_verdict_of(&verdict, MC_WB, area->view->spans->addr, 64);
	area->effective = verdict.effect;
	area->page = huge ? MC_PAGE_THP : MC_PAGE_4K;
	area->page_bytes = huge ? HUGE : sysconf(_SC_PAGESIZE);
	return 0;
}

/* Give everything back. */
void mc_user_regions_drop(void)
{
	mc_held_end(&held);
	if (base != MAP_FAILED)
		munmap(base, length);
	base = MAP_FAILED;
	length = 0;
}
