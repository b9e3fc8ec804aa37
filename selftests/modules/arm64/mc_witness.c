// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_witness on arm64: what memcache does to pages, observed from outside.
 *
 * A module can't change the type of pages there, so memcache makes mappings of another type with
 * vmap(). The witness remembers each mapping that is not write-back, and has the CPU itself
 * translate its addresses (AT S1E1R). In debugfs:
 *
 *   state   name=value lines: now_*: the types of all pages that ever had a mapping of another
 *           type, now_other is Device-nGnRnE; of the pages that have one now, nodeN are
 *           on node N; hits: faults that took place
 *   fault   write `map refuse|lie N M`: M mappings of another type, beginning with the N-th from
 *           now, fail, or are write-back though they should not; `map none`: they no longer do;
 *           `try fault N`: the N-th time that memcache tries accesses, it gets an
 *           address where nothing is mapped; `try align N`: one that is not aligned;
 *           `sum wrong N`: the N-th sum that memcache compares with is wrong
 *   mapped  read at the offset ADDRESS: what that address is for the reader itself:
 *           `type=nc direct=wb pfn=N`, where direct is the type of the same page in the
 *           kernel's direct map
 */
#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/memory.h>
#include <asm/sysreg.h>

#define MAPPINGS 64

struct mapping {
	unsigned long addr;	/* 0: free */
	unsigned long pages;
};

static struct mapping mappings[MAPPINGS];
static DEFINE_RAW_SPINLOCK(lock);
static unsigned long *touched;		/* a bit for each page frame */
static unsigned long npfns;
static unsigned int disturb_after, disturb_left;
static bool lie;			/* instead of refusing */
static bool misalign;			/* instead of an address where nothing is mapped */
static atomic_t tries_left, sums_left, hits;
static struct dentry *dir;

/* ------------------------------------------------------------ mappings */

/* PAR_EL1 of an address, by an instruction that translates it. */
#define TRANSLATE(at, addr) ({							\
	unsigned long flags_;							\
	u64 par_;								\
										\
	local_irq_save(flags_);							\
	asm volatile("at " at ", %1\n\tisb\n\tmrs %0, par_el1"			\
		     : "=r" (par_) : "r" (addr) : "memory");			\
	local_irq_restore(flags_);						\
	par_;									\
})

/* Of the kernel. */
static u64 translate(unsigned long addr)
{
	return TRANSLATE("s1e1r", addr);
}

/* Of the process that runs. */
static u64 translate_user(unsigned long addr)
{
	return TRANSLATE("s1e0r", addr);
}

static unsigned long pfn_of(u64 par)
{
	return (par & GENMASK_ULL(47, 12)) >> PAGE_SHIFT;
}

static bool other_type(pgprot_t prot)
{
	u64 index = pgprot_val(prot) & PTE_ATTRINDX_MASK;

	return index != PTE_ATTRINDX(MT_NORMAL) && index != PTE_ATTRINDX(MT_NORMAL_TAGGED);
}

struct call {
	unsigned long pages;	/* 0: of no interest */
};

/* void *vmap(struct page **pages, unsigned int count, unsigned long flags, pgprot_t prot) */
static int vmap_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (struct call *)instance->data;

	*call = (struct call){ };
	if (!other_type(__pgprot(regs->regs[3])))
		return 0;
	call->pages = (u32)regs->regs[1];
	if (disturb_left && !disturb_after--) {
		disturb_after = 0;
		disturb_left--;
		if (lie)
			regs->regs[3] = pgprot_val(PAGE_KERNEL);
		else
			regs->regs[1] = UINT_MAX;	/* more pages than there are */
		atomic_inc(&hits);
	}
	return 0;
}

NOKPROBE_SYMBOL(vmap_begins);

static int vmap_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (struct call *)instance->data;
	unsigned long addr = regs_return_value(regs), at, flags;
	int i;

	if (!call->pages || !addr)
		return 0;
	for (at = 0; at < call->pages; at++)
		set_bit(pfn_of(translate(addr + at * PAGE_SIZE)), touched);
	raw_spin_lock_irqsave(&lock, flags);
	for (i = 0; i < MAPPINGS && mappings[i].addr; i++)
		;
	if (i < MAPPINGS)
		mappings[i] = (struct mapping){ addr, call->pages };
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

NOKPROBE_SYMBOL(vmap_ends);

static struct kretprobe vmap_probe = {
	.kp.symbol_name = "vmap",
	.entry_handler = vmap_begins,
	.handler = vmap_ends,
	.data_size = sizeof(struct call),
};

/* void vunmap(const void *addr) */
static int vunmap_begins(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&lock, flags);
	for (i = 0; i < MAPPINGS; i++) {
		if (mappings[i].addr == regs->regs[0])
			mappings[i].addr = 0;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static struct kprobe vunmap_probe = { .symbol_name = "vunmap", .pre_handler = vunmap_begins };

/* --------------------------------------------------------------- state */

struct counts {
	unsigned long wc, uc, other, node[2];
};

static void count(struct counts *now, unsigned long addr)
{
	u64 par = translate(addr);

	switch (par >> 56) {
	case 0x44:
		now->wc++;
		break;
	case 0x04:
		now->uc++;
		break;
	case 0x00:
		now->other++;
		break;
	default:
		return;		/* write-back, though another type was asked for */
	}
	now->node[pfn_to_nid(pfn_of(par)) & 1]++;
}

static int state_show(struct seq_file *m, void *unused)
{
	struct counts now = { };
	unsigned long ever, at;
	int i;

	for (i = 0; i < MAPPINGS; i++) {
		struct mapping map = mappings[i];

		for (at = 0; map.addr && at < map.pages; at++)
			count(&now, map.addr + at * PAGE_SIZE);
	}
	ever = bitmap_weight(touched, npfns);
	seq_printf(m, "touched=%lu\nnow_wb=%lu\nnow_wc=%lu\nnow_uc=%lu\nnow_other=%lu\n",
		   ever, ever - now.wc - now.uc - now.other, now.wc, now.uc, now.other);
	seq_printf(m, "node0=%lu\nnode1=%lu\nsmall=%lu\nhits=%u\n", now.node[0], now.node[1],
		   now.wc + now.uc + now.other, atomic_read(&hits));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/* -------------------------------------------------- mappings of user space */

static const char *type_of(u64 par)
{
	switch (par >> 56) {
	case 0xff:
	case 0xf0:
		return "wb";
	case 0x44:
		return "nc";
	case 0x04:
		return "nGnRE";
	case 0x00:
		return "nGnRnE";
	default:
		return "other";
	}
}

static ssize_t mapped_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	loff_t begin = 0;
	char text[64];
	u64 par = 1;

	if (*pos >= 0 && *pos < TASK_SIZE)
		par = translate_user(*pos);
	if (par & 1)		/* not mapped */
		return -EFAULT;
	scnprintf(text, sizeof(text), "type=%s direct=%s pfn=%lu\n", type_of(par),
		  type_of(translate((unsigned long)pfn_to_kaddr(pfn_of(par)))), pfn_of(par));
	return simple_read_from_buffer(to, len, &begin, text, strlen(text));
}

static const struct file_operations mapped_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = mapped_read,
	.llseek = noop_llseek,
};

/* -------------------------------------------------------------- faults */

/* const char *mc_attr_try(void *line) */
static int change_line(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&tries_left) == 0) {
		if (misalign)
			regs->regs[0]++;
		else
			regs->regs[0] = VMALLOC_END - PAGE_SIZE;
		atomic_inc(&hits);
	}
	return 0;
}

/* mc_sum_of_run(first, step, n): another first word makes another sum. */
static int change_sum(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&sums_left) == 0) {
		regs->regs[0]++;
		atomic_inc(&hits);
	}
	return 0;
}

static struct kprobe try_probe, sum_probe;

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
	int err = 0;

	if (len >= sizeof(line) || copy_from_user(line, from, len))
		return -EINVAL;
	if (sscanf(line, "%7s %7s %u %u", name, kind, &n, &times) < 2 || !n)
		return -EINVAL;
	if (!strcmp(name, "map")) {
		lie = !strcmp(kind, "lie");
		disturb_after = n - 1;
		disturb_left = strcmp(kind, "none") ? times : 0;
	} else if (!strcmp(name, "try")) {
		misalign = !strcmp(kind, "align");
		err = disturb(&try_probe, "memcache:mc_attr_try", change_line, &tries_left, n);
	} else if (!strcmp(name, "sum")) {
		err = disturb(&sum_probe, "memcache:mc_sum_of_run", change_sum, &sums_left, n);
	} else {
		return -EINVAL;
	}
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
	err = register_kretprobe(&vmap_probe);
	if (err)
		goto out_free;
	err = register_kprobe(&vunmap_probe);
	if (err)
		goto out_vmap;
	dir = debugfs_create_dir("mc_witness", NULL);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	debugfs_create_file("fault", 0200, dir, NULL, &fault_fops);
	debugfs_create_file("mapped", 0400, dir, NULL, &mapped_fops);
	return 0;
out_vmap:
	unregister_kretprobe(&vmap_probe);
out_free:
	kvfree(touched);
	return err;
}

static void __exit witness_exit(void)
{
	debugfs_remove(dir);
	if (sum_probe.symbol_name)
		unregister_kprobe(&sum_probe);
	if (try_probe.symbol_name)
		unregister_kprobe(&try_probe);
	unregister_kprobe(&vunmap_probe);
	unregister_kretprobe(&vmap_probe);
	kvfree(touched);
}

module_init(witness_init);
module_exit(witness_exit);

MODULE_DESCRIPTION("Watches what memcache does to pages, and disturbs it");
MODULE_LICENSE("GPL");
