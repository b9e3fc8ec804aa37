// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_maps: mappings for `memcache look` to find. Those of a device are of physical addresses at
 * which there is nothing, and nobody accesses them, unless their number is written to `touch`:
 *
 *   0           2 MiB WC, as a huge page
 *   16M         8 KiB UC-
 *   32M         4 KiB UC; on arm64 Device-nGnRnE
 *   48M         4 KiB WT; on arm64 write-back, which a device can have there
 *   64M         `many` pages of 4 KiB WC, 8 KiB apart
 *
 * behind the parameter `at`, with `apart` in place of 16M. The page `ram` is mapped WC, and
 * write-back in the direct map. The page `left`, only on x86, is UC in the direct map although it
 * is free, and the 2 MiB at `split` are in small pages there, though all of them are write-back
 * again. With threads=N so many threads map and unmap 2 MiB and 4 KiB, 1G behind `at`, in turn.
 */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/set_memory.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define THREADS		8
#define BLOCK_ORDER	10

static ulong at = 0x800000000;
module_param(at, ulong, 0444);
MODULE_PARM_DESC(at, "The first physical address");
static ulong apart = SZ_16M;
module_param(apart, ulong, 0444);
MODULE_PARM_DESC(apart, "Bytes from one mapping to the next one");
static uint many;
module_param(many, uint, 0444);
MODULE_PARM_DESC(many, "How many more pages are mapped");
static uint threads;
module_param(threads, uint, 0444);
MODULE_PARM_DESC(threads, "How many threads map and unmap");
static ulong ram;
module_param(ram, ulong, 0444);
MODULE_PARM_DESC(ram, "Result: physical address of a page that is WC and WB");
static ulong left;
module_param(left, ulong, 0444);
MODULE_PARM_DESC(left, "Result: physical address of a page that is UC and free");

static ulong split;
module_param(split, ulong, 0444);
MODULE_PARM_DESC(split, "Result: physical address of 2 MiB that are split in the direct map");

static void __iomem *device[4], **more;
static struct task_struct *tasks[THREADS];
static struct page *page;
static void *wc;
static ulong split_block;

/* Load a byte 1000 times: of the device, of `ram` as WC and as write-back, or of `left`. */
static int touch(const char *text, const struct kernel_param *kp)
{
	const void *places[] = {
		(__force void *)device[0], (__force void *)device[1], (__force void *)device[2],
		(__force void *)device[3], wc, __va(ram), __va(left),
	};
	uint i, n;
	int err = kstrtouint(text, 0, &i);

	for (n = 0; !err && n < 1000; n++)
		READ_ONCE(*(const u8 *)places[i % ARRAY_SIZE(places)]);
	return err;
}

static const struct kernel_param_ops touch_ops = { .set = touch };
module_param_cb(touch, &touch_ops, NULL, 0200);
MODULE_PARM_DESC(touch, "Number of a mapping that is to be accessed");

static int map_and_unmap(void *number)
{
	ulong mine = at + SZ_1G + (ulong)number * SZ_4M;
	bool large = false;

	while (!kthread_should_stop()) {
		void __iomem *p = ioremap_wc(mine, large ? SZ_2M : SZ_4K);

		/* A look on the only CPU comes here. */
		usleep_range(50, 100);
		if (p)
			iounmap(p);
		large = !large;
	}
	return 0;
}

/* Of a block so large that no CPU keeps it when it is freed. */
static void leave_uc(void)
{
#ifdef CONFIG_X86
	ulong block = __get_free_pages(GFP_KERNEL | __GFP_NOWARN, BLOCK_ORDER);

	if (!block)
		return;
	if (!set_memory_uc(block, 1))
		left = __pa(block);
	free_pages(block, BLOCK_ORDER);
#endif
}

/* The second half of the block stays a large page beside it. */
static void split_a_page(void)
{
#ifdef CONFIG_X86
	split_block = __get_free_pages(GFP_KERNEL | __GFP_NOWARN, BLOCK_ORDER);
	if (!split_block || set_memory_uc(split_block, 1))
		return;
	set_memory_wb(split_block, 1);
	split = __pa(split_block);
#endif
}

static void undo(void)
{
	uint i;

	for (i = 0; i < threads; i++) {
		if (!IS_ERR_OR_NULL(tasks[i]))
			kthread_stop(tasks[i]);
	}
	for (i = 0; i < many && more; i++) {
		if (more[i])
			iounmap(more[i]);
	}
	kvfree(more);
	for (i = 0; i < ARRAY_SIZE(device); i++) {
		if (device[i])
			iounmap(device[i]);
	}
	vunmap(wc);
	if (page)
		__free_page(page);
	free_pages(split_block, BLOCK_ORDER);
#ifdef CONFIG_X86
	/* Somebody else may have it now. */
	if (left)
		set_memory_wb((ulong)__va(left), 1);
#endif
}

/* Not __init: /proc/vmallocinfo has no name for code that is gone. */
static noinline int make(void)
{
	ulong i;

	threads = min_t(uint, threads, THREADS);
	device[0] = ioremap_wc(at, SZ_2M);
	device[1] = ioremap(at + apart, SZ_8K);
	device[2] = IS_ENABLED(CONFIG_ARM64) ? ioremap_np(at + 2 * apart, SZ_4K) :
					       ioremap_uc(at + 2 * apart, SZ_4K);
	device[3] = IS_ENABLED(CONFIG_ARM64) ? ioremap_cache(at + 3 * apart, SZ_4K) :
					       ioremap_wt(at + 3 * apart, SZ_4K);
	page = alloc_page(GFP_KERNEL);
	more = kvcalloc(max(many, 1U), sizeof(*more), GFP_KERNEL);
	if (!device[0] || !device[1] || !device[2] || !device[3] || !page || !more)
		goto fail;
	ram = page_to_phys(page);
	wc = vmap(&page, 1, VM_MAP, pgprot_writecombine(PAGE_KERNEL));
	if (!wc)
		goto fail;
	for (i = 0; i < many; i++) {
		more[i] = ioremap_wc(at + 4 * apart + i * SZ_8K, SZ_4K);
		if (!more[i])
			goto fail;
	}
	split_a_page();		/* first: it would get the block that is left */
	leave_uc();
	for (i = 0; i < threads; i++)
		tasks[i] = kthread_run(map_and_unmap, (void *)i, "mc_maps/%lu", i);
	return 0;
fail:
	undo();
	return -ENOMEM;
}

static int __init maps_init(void)
{
	return make();
}

module_init(maps_init);
module_exit(undo);

MODULE_DESCRIPTION("Mappings for memcache to look at");
MODULE_LICENSE("GPL");
