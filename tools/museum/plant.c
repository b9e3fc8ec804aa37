// SPDX-License-Identifier: GPL-2.0-only
/*
 * plant: put a mistake of the past back into the running kernel of a guest of QEMU. `insmod
 * plant.ko bug=NAME` makes it, and with control=1 does everything but the mistake. rmmod takes it
 * back, except `split`: the kernel can't join pages of the direct map.
 */
#include <linux/dmi.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#define BLOCKS		1024
#define BLOCK_ORDER	(PMD_SHIFT - PAGE_SHIFT)
#define MTRR_INVALID	0xff

static char *bug = "";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "memremap, ioremap, split or left-uc");

static bool control;
module_param(control, bool, 0444);
MODULE_PARM_DESC(control, "Do everything but the mistake");

static unsigned long blocks[BLOCKS];
static int taken;
static LIST_HEAD(kept);		/* pages that nobody else gets until rmmod */

/* MTRRs are off, as in a confidential guest, and pat_x_mtrr_type() takes that for "uncached". */
static u8 find_no_mtrr(u64 start, u64 end, u8 *uniform)
{
	*uniform = 1;
	return MTRR_INVALID;
}

/**
 * struct mistake - what is wrong in the kernel
 * @name: the parameter bug
 * @function: the function of the kernel in whose place @other is called
 * @other: it
 * @pages: without @function: pages of each free block that become UC
 * @back: they are WB again before the block is free
 */
struct mistake {
	const char *name;
	const char *function;
	void *other;
	int pages;
	bool back;
};

static const struct mistake mistakes[] = {
	{ "memremap", "mtrr_type_lookup", find_no_mtrr },
	/* As before de33c442ed2a: UC, which no MTRR can make WC, in place of UC-. */
	{ "ioremap", "ioremap", ioremap_uc },
	/* A driver changes a single page of a block and back. */
	{ "split", .pages = 1, .back = true },
	/* A driver frees blocks that are UC. */
	{ "left-uc", .pages = 1 << BLOCK_ORDER },
};

static const struct mistake *planted;

static int go_on_elsewhere(struct kprobe *probe, struct pt_regs *regs)
{
	if (!control)
		regs->ip = (unsigned long)planted->other;
	return !control;
}

static struct kprobe probe = { .pre_handler = go_on_elsewhere };

/* Take all blocks that are free, those that are kept for this CPU and for emergencies, too. */
static long take_blocks(void *unused)
{
	while (taken < BLOCKS) {
		blocks[taken] = __get_free_pages(GFP_ATOMIC | __GFP_MEMALLOC | __GFP_NOWARN,
						 BLOCK_ORDER);
		if (!blocks[taken])
			break;
		taken++;
	}
	return 0;
}

static bool is_in_block(struct page *page)
{
	unsigned long addr = (unsigned long)page_address(page);
	int i;

	for (i = 0; i < taken; i++) {
		if (addr - blocks[i] < PMD_SIZE)
			return true;
	}
	return false;
}

/*
 * The kernel first gives away free pages that lie in smaller pieces than a block, so take these. A
 * page of a block shows that no smaller piece is left, so there has to be a block.
 */
static long keep_pieces(void *unused)
{
	struct page *page;

	do {
		page = alloc_page(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
		if (page)
			list_add(&page->lru, &kept);
	} while (page && !is_in_block(page));
	return 0;
}

/* Others have these pages now. If they have changed the type of some meanwhile, that is lost. */
static void make_wb(void)
{
	int i;

	for (i = 0; i < taken; i++)
		set_memory_wb(blocks[i], planted->pages);
}

/*
 * Change all free blocks and free them again, so that each later allocation gets a part of one. An
 * error leaves all blocks WB.
 */
static int change_blocks(void)
{
	/* Little memory is left. This task may use all of it, since page tables need some. */
	unsigned int flags = memalloc_noreclaim_save();
	int i, cpu, err = 0;

	for_each_online_cpu(cpu)
		work_on_cpu(cpu, take_blocks, NULL);
	for (i = 0; i < taken; i++) {
		/* It is wrong of split to change a page, and of left-uc to leave it. */
		if (!err && !(control && planted->back))
			err = set_memory_uc(blocks[i], planted->pages);
		if (!err && control != planted->back)
			set_memory_wb(blocks[i], planted->pages);
		free_pages(blocks[i], BLOCK_ORDER);
	}
	memalloc_noreclaim_restore(flags);
	if (err) {
		make_wb();
	} else if (taken && !planted->back) {
		for_each_online_cpu(cpu)
			work_on_cpu(cpu, keep_pieces, NULL);
	}
	return err;
}

static int __init plant_init(void)
{
	const struct mistake *m;

	/* Nobody wants a mistake on a machine that is more than a test's guest. */
	if (!dmi_match(DMI_SYS_VENDOR, "QEMU"))
		return -EPERM;
	for (m = mistakes; m < mistakes + ARRAY_SIZE(mistakes); m++) {
		if (!strcmp(bug, m->name))
			planted = m;
	}
	if (!planted)
		return -EINVAL;
	probe.symbol_name = planted->function;
	return planted->function ? register_kprobe(&probe) : change_blocks();
}

static void __exit plant_exit(void)
{
	if (planted->function)
		unregister_kprobe(&probe);
	else if (!planted->back)
		make_wb();
	put_pages_list(&kept);
}

module_init(plant_init);
module_exit(plant_exit);

MODULE_DESCRIPTION("Mistakes of the past, put back");
MODULE_LICENSE("GPL");
