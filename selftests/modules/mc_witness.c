// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_witness: what memcache does to pages, observed from outside. How a page gets another type than
 * write-back differs between architectures: x86/pages.h and arm64/pages.h see to that. In debugfs:
 *
 *   state   name=value lines: touched: pages that ever had another type than write-back; now_*: the
 *           types that these have now, by the page tables or by the CPU; away: those that are not
 *           write-back now, of which nodeN are on node N, and small are in mappings of 4 KiB;
 *           hits: faults that took place
 *   fault   write `try fault N`: the N-th first access that memcache makes to memory faults;
 *           `sum wrong N`: the N-th sum that memcache compares with is wrong; each architecture
 *           has other faults, too
 *   mapped  read at the offset ADDRESS: that address in the reader's own page tables:
 *           `type=wc direct=wc pfn=N`, where direct is the type of the same page in the kernel's
 *           direct map
 */
#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

/* Pages that are not write-back now. */
struct away {
	unsigned long wc, uc, other, node[2], small;
};

/* The page that is mapped at an address: its type there, and in the direct map. */
struct mapped {
	const char *type, *direct;
	unsigned long pfn;
};

static unsigned long *touched;		/* a bit for each page frame */
static unsigned long npfns;
static atomic_t hits;			/* faults that took place */

#ifdef CONFIG_X86
#include "x86/pages.h"
#else
#include "arm64/pages.h"
#endif

static struct kprobe sum_probe, try_probe;
static atomic_t sums_left, tries_left;
static struct dentry *dir;

static int state_show(struct seq_file *m, void *unused)
{
	unsigned long ever, away;
	struct away now = { };

	count_away(&now);
	ever = bitmap_weight(touched, npfns);
	away = now.wc + now.uc + now.other;
	seq_printf(m, "touched=%lu\naway=%lu\nnow_wb=%lu\nnow_wc=%lu\nnow_uc=%lu\n",
		   ever, away, ever - away, now.wc, now.uc);
	seq_printf(m, "now_other=%lu\nnode0=%lu\nnode1=%lu\nsmall=%lu\nhits=%u\n", now.other,
		   now.node[0], now.node[1], now.small, atomic_read(&hits));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static ssize_t mapped_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct mapped at;
	loff_t begin = 0;
	char text[64];

	if (*pos < 0 || *pos >= TASK_SIZE || !find_mapped(&at, *pos))
		return -EFAULT;
	scnprintf(text, sizeof(text), "type=%s direct=%s pfn=%lu\n", at.type, at.direct, at.pfn);
	return simple_read_from_buffer(to, len, &begin, text, strlen(text));
}

static const struct file_operations mapped_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = mapped_read,
	.llseek = noop_llseek,
};

/* -------------------------------------------------------------- faults */

static int change_try(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&tries_left) == 0) {
		FIRST_ARGUMENT(regs) = address_to_try(FIRST_ARGUMENT(regs));
		atomic_inc(&hits);
	}
	return 0;
}

/* mc_sum_of_run(first, step, n): another first word makes another sum. */
static int change_sum(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&sums_left) == 0) {
		FIRST_ARGUMENT(regs)++;
		atomic_inc(&hits);
	}
	return 0;
}

/* A probe is for memcache as it is loaded now: it goes when memcache is unloaded. */
static int disturb(struct kprobe *probe, const char *name, kprobe_pre_handler_t handler,
		   atomic_t *left, unsigned int n)
{
	if (probe->symbol_name)
		unregister_kprobe(probe);
	*probe = (struct kprobe){ .symbol_name = name, .pre_handler = handler };
	atomic_set(left, n);
	if (!register_kprobe(probe))
		return 0;
	probe->symbol_name = NULL;
	return -ENOENT;
}

static ssize_t fault_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char line[32] = "", name[8] = "", kind[8] = "";
	unsigned int n = 1, times = 1;
	int err;

	if (len >= sizeof(line) || copy_from_user(line, from, len))
		return -EINVAL;
	if (sscanf(line, "%7s %7s %u %u", name, kind, &n, &times) < 1 || !n)
		return -EINVAL;
	err = set_fault(name, kind, n, times);
	if (!strcmp(name, "sum"))
		err = disturb(&sum_probe, "memcache:mc_sum_of_run", change_sum, &sums_left, n);
	else if (!strcmp(name, "try"))
		err = disturb(&try_probe, "memcache:" TRIES, change_try, &tries_left, n);
	return err ? err : len;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = fault_write,
	.llseek = noop_llseek,
};

/* --------------------------------------------------------- load, unload */

static int __init witness_init(void)
{
	int node, err;

	for_each_online_node(node)
		npfns = max(npfns, node_end_pfn(node));
	touched = kvcalloc(BITS_TO_LONGS(npfns), sizeof(long), GFP_KERNEL);
	if (!touched)
		return -ENOMEM;
	err = begin_watching();
	if (err) {
		kvfree(touched);
		return err;
	}
	dir = debugfs_create_dir("mc_witness", NULL);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	debugfs_create_file("fault", 0200, dir, NULL, &fault_fops);
	debugfs_create_file("mapped", 0400, dir, NULL, &mapped_fops);
	return 0;
}

static void __exit witness_exit(void)
{
	debugfs_remove(dir);
	if (sum_probe.symbol_name)
		unregister_kprobe(&sum_probe);
	if (try_probe.symbol_name)
		unregister_kprobe(&try_probe);
	end_watching();
	kvfree(touched);
}

module_init(witness_init);
module_exit(witness_exit);

MODULE_DESCRIPTION("Watches what memcache does to pages, and disturbs it");
MODULE_LICENSE("GPL");
