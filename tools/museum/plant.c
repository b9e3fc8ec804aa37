// SPDX-License-Identifier: GPL-2.0-only
/*
 * plant: put a mistake of the past back into the running kernel of a guest of QEMU. `insmod
 * plant.ko bug=NAME` makes it. rmmod takes it back, except `split`: the kernel can't join pages of
 * the direct map.
 */
#include <linux/dmi.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/set_memory.h>
#include <linux/string.h>

#define BLOCKS		32
#define BLOCK_ORDER	(PMD_SHIFT - PAGE_SHIFT)
#define MTRR_INVALID	0xff

static char *bug = "";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "memremap, split or left-uc");

static unsigned long blocks[BLOCKS];

/* MTRRs are off, as in a confidential guest, and pat_x_mtrr_type() takes that for "uncached". */
static int return_invalid(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, MTRR_INVALID);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "mtrr_type_lookup",
	.handler = return_invalid,
};

static int memremap_begin(void)
{
	return register_kretprobe(&probe);
}

static void memremap_end(void)
{
	unregister_kretprobe(&probe);
}

static int take_blocks(void)
{
	int i, err = 0;

	for (i = 0; i < BLOCKS; i++) {
		blocks[i] = __get_free_pages(GFP_KERNEL | __GFP_NOWARN, BLOCK_ORDER);
		err = blocks[i] ? err : -ENOMEM;
	}
	return err;
}

static void free_blocks(void)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		free_pages(blocks[i], BLOCK_ORDER);
}

/* Make pages of all blocks UC. If that fails, they are WB again. */
static int make_uc(int pages)
{
	int i, err = 0;

	for (i = 0; i < BLOCKS && !err; i++)
		err = set_memory_uc(blocks[i], pages);
	while (err && i)
		set_memory_wb(blocks[--i], pages);
	return err;
}

static void make_wb(int pages)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		set_memory_wb(blocks[i], pages);
}

/* A driver changes a single page of a block and back. */
static int split_begin(void)
{
	int err = take_blocks();

	err = err ?: make_uc(1);
	if (!err)
		make_wb(1);
	free_blocks();
	return err;
}

/* A driver frees blocks that are UC. */
static int left_uc_begin(void)
{
	int err = take_blocks();

	err = err ?: make_uc(1 << BLOCK_ORDER);
	free_blocks();
	return err;
}

/* Others have these pages now. If they have changed the type of some meanwhile, that is lost. */
static void left_uc_end(void)
{
	make_wb(1 << BLOCK_ORDER);
}

static const struct mistake {
	const char *name;
	int (*begin)(void);
	void (*end)(void);
} mistakes[] = {
	{ "memremap", memremap_begin, memremap_end },
	{ "split", split_begin, NULL },
	{ "left-uc", left_uc_begin, left_uc_end },
};

static const struct mistake *planted;

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
	return planted ? planted->begin() : -EINVAL;
}

static void __exit plant_exit(void)
{
	if (planted->end)
		planted->end();
}

module_init(plant_init);
module_exit(plant_exit);

MODULE_DESCRIPTION("Mistakes of the past, put back");
MODULE_LICENSE("GPL");
