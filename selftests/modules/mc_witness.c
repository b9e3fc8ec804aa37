// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_witness: what memcache does to pages, observed from outside.
 *
 * It replaces set_memory_wb(), _wc() and _uc(): it counts every call, remembers the
 * pages, and then calls the kernel's function or simulates a fault. In debugfs:
 *
 *   state   name=value lines; now_*: the types, in the page tables now, of all pages
 *           that ever had another type than write-back; of the pages that are
 *           not write-back now, nodeN are on node N, and small are in
 *           mappings of 4 KiB
 *   fault   write `uc|wc|wb refuse|late|lie|part N M`: M calls, beginning with the
 *           N-th from now, fail without having done anything (refuse), fail after
 *           the work is done (late), succeed without having done anything (lie),
 *           or succeed having done only the first page (part);
 *           `sum wrong N`: the N-th sum that memcache compares with is wrong;
 *           `try fault N`: the N-th first access that memcache makes to a target faults;
 *           `repair`: make all pages write-back again
 *   mapped  read at the offset ADDRESS: the entry of that address in the reader's
 *           own page tables: `type=wc direct=wc pfn=N`, where direct is the type of
 *           the same page in the kernel's direct map
 */
#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/msr.h>
#include <asm/pgtable.h>

enum fault { NONE, REFUSE, LATE, LIE, PART };

static const char * const fault_names[] = {
	[NONE] = "none", [REFUSE] = "refuse", [LATE] = "late", [LIE] = "lie",
	[PART] = "part",
};

/**
 * struct function - a function of the kernel that is replaced
 * @name: short name
 * @real: the function
 * @stand_in: the function that is called instead
 * @probe: the probe that redirects calls to @stand_in
 * @calls: number of calls since the module was loaded
 * @fault: the fault to simulate
 * @before: number of calls that pass before the fault
 * @left: number of calls that have the fault then
 */
struct function {
	const char *name;
	int (*real)(unsigned long addr, int pages);
	int (*stand_in)(unsigned long addr, int pages);
	struct kprobe probe;
	unsigned int calls;
	enum fault fault;
	unsigned int before;
	unsigned int left;
};

static int stand_in_wb(unsigned long addr, int pages);
static int stand_in_wc(unsigned long addr, int pages);
static int stand_in_uc(unsigned long addr, int pages);

static struct function functions[] = {
	{ "wb", set_memory_wb, stand_in_wb, { .symbol_name = "set_memory_wb" } },
	{ "wc", set_memory_wc, stand_in_wc, { .symbol_name = "set_memory_wc" } },
	{ "uc", set_memory_uc, stand_in_uc, { .symbol_name = "set_memory_uc" } },
};

static DEFINE_MUTEX(lock);
static struct task_struct *passing;	/* calls of this task go to the kernel */
static unsigned long *touched;		/* a bit for each page frame */
static unsigned long npfns;
static atomic_t hits;			/* faults that took place */

static struct kprobe sum_probe, try_probe;
static atomic_t sums_left, tries_left;
static struct dentry *dir;

/* ---------------------------------------------------------- replacing functions */

static int call_real(struct function *f, unsigned long addr, int pages)
{
	int err;

	WRITE_ONCE(passing, current);
	err = f->real(addr, pages);
	WRITE_ONCE(passing, NULL);
	return err;
}

static enum fault fault_of(struct function *f)
{
	if (!f->left)
		return NONE;
	if (f->before) {
		f->before--;
		return NONE;
	}
	f->left--;
	atomic_inc(&hits);
	return f->fault;
}

static int stand_in(struct function *f, unsigned long addr, int pages)
{
	enum fault fault;
	int err = 0;

	mutex_lock(&lock);
	f->calls++;
	if (f->real != set_memory_wb)
		bitmap_set(touched, __pa(addr) >> PAGE_SHIFT, pages);
	fault = fault_of(f);
	if (fault == NONE || fault == LATE || fault == PART)
		err = call_real(f, addr, fault == PART ? 1 : pages);
	mutex_unlock(&lock);
	return fault == REFUSE || fault == LATE ? -ENOMEM : err;
}

static int stand_in_wb(unsigned long addr, int pages)
{
	return stand_in(&functions[0], addr, pages);
}

static int stand_in_wc(unsigned long addr, int pages)
{
	return stand_in(&functions[1], addr, pages);
}

static int stand_in_uc(unsigned long addr, int pages)
{
	return stand_in(&functions[2], addr, pages);
}

/* Continue in the other function, with the same arguments. */
static int lead_away(struct kprobe *probe, struct pt_regs *regs)
{
	struct function *f = container_of(probe, struct function, probe);

	if (READ_ONCE(passing) == current)
		return 0;
	instruction_pointer_set(regs, (unsigned long)f->stand_in);
	return 1;
}

/* A probe with a post handler is never optimized into a jump, which could not be redirected. */
static void never_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

/* mc_sum_of_run(first, step, n): another first word makes another sum. */
static int change_sum(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&sums_left) == 0) {
		regs->di++;
		atomic_inc(&hits);
	}
	return 0;
}

/* mc_access_try(at, width, stores): nothing is mapped below the end of the address space. */
static int change_address(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&tries_left) == 0) {
		regs->di = -PAGE_SIZE;
		atomic_inc(&hits);
	}
	return 0;
}

/* --------------------------------------------------------------- state */

/* PWT and PCD select an entry of the PAT, which the kernel fills with WB, WC, UC-, UC. */
static unsigned int type_now(unsigned long pfn, bool *small)
{
	unsigned int level = PG_LEVEL_NONE;
	pte_t *pte = lookup_address((unsigned long)pfn_to_kaddr(pfn), &level);
	unsigned long pat = level == PG_LEVEL_4K ? _PAGE_PAT : _PAGE_PAT_LARGE;

	*small = level == PG_LEVEL_4K;
	if (!pte || !pte_present(*pte) || pte_flags(*pte) & pat)
		return 3;
	return (pte_flags(*pte) & _PAGE_PWT ? 1 : 0) +
	       (pte_flags(*pte) & _PAGE_PCD ? 2 : 0);
}

static int state_show(struct seq_file *m, void *unused)
{
	unsigned long now[4] = { 0 }, away[2] = { 0 }, pfn;
	unsigned long all_small = 0;
	bool small;
	size_t i;

	mutex_lock(&lock);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		seq_printf(m, "%s_calls=%u\n", functions[i].name, functions[i].calls);
	for_each_set_bit(pfn, touched, npfns) {
		unsigned int type = type_now(pfn, &small);

		now[type]++;
		if (type) {
			away[pfn_to_nid(pfn) & 1]++;
			all_small += small;
		}
	}
	seq_printf(m, "touched=%lu\nnow_wb=%lu\nnow_wc=%lu\nnow_uc=%lu\nnow_other=%lu\n",
		   now[0] + now[1] + now[2] + now[3], now[0], now[1], now[2],
		   now[3]);
	seq_printf(m, "node0=%lu\nnode1=%lu\nsmall=%lu\nhits=%u\n",
		   away[0], away[1], all_small, atomic_read(&hits));
	mutex_unlock(&lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/* -------------------------------------------------- mappings of user space */

/* The type that the entry of a mapping selects in the PAT, read from the MSR. */
static const char *type_of(unsigned long entry, unsigned long pat_bit)
{
	static const char * const names[8] = {
		"uc", "wc", "2", "3", "wt", "wp", "wb", "uc-",
	};
	unsigned int i = (entry & _PAGE_PWT ? 1 : 0) +
			 (entry & _PAGE_PCD ? 2 : 0) +
			 (entry & pat_bit ? 4 : 0);
	u32 pat[2];

	rdmsr(MSR_IA32_CR_PAT, pat[0], pat[1]);
	return names[pat[i / 4] >> 8 * (i % 4) & 7];
}

/* The page table entry of a page of 4 KiB; 0: there is none. */
static unsigned long entry_of(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;

	if (pgd_none(*pgd))
		return 0;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(*p4d))
		return 0;
	pud = pud_offset(p4d, addr);
	if (!pud_present(*pud) || pud_val(*pud) & _PAGE_PSE)
		return 0;
	pmd = pmd_offset(pud, addr);
	if (!pmd_present(*pmd) || pmd_val(*pmd) & _PAGE_PSE)
		return 0;
	return pte_val(*pte_offset_kernel(pmd, addr));
}

static ssize_t mapped_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	unsigned long entry = 0, pfn, pat_bit;
	unsigned int level;
	char text[64];
	pte_t *direct;
	loff_t begin = 0;

	mmap_read_lock(current->mm);
	if (*pos >= 0 && *pos < TASK_SIZE)
		entry = entry_of(current->mm, *pos);
	mmap_read_unlock(current->mm);
	if (!(entry & _PAGE_PRESENT))
		return -EFAULT;
	pfn = (entry & PTE_PFN_MASK) >> PAGE_SHIFT;
	direct = lookup_address((unsigned long)pfn_to_kaddr(pfn), &level);
	if (!direct)
		return -ENXIO;
	pat_bit = level == PG_LEVEL_4K ? _PAGE_PAT : _PAGE_PAT_LARGE;
	scnprintf(text, sizeof(text), "type=%s direct=%s pfn=%lu\n",
		  type_of(entry, _PAGE_PAT), type_of(pte_val(*direct), pat_bit),
		  pfn);
	return simple_read_from_buffer(to, len, &begin, text, strlen(text));
}

static const struct file_operations mapped_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = mapped_read,
	.llseek = noop_llseek,
};

/* -------------------------------------------------------------- faults */

static int repair(void)
{
	unsigned long pfn;
	bool small;
	int err = 0;

	mutex_lock(&lock);
	for_each_set_bit(pfn, touched, npfns) {
		if (!err && type_now(pfn, &small))
			err = call_real(&functions[0], (unsigned long)pfn_to_kaddr(pfn), 1);
	}
	mutex_unlock(&lock);
	return err;
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

static int set_fault(const char *name, const char *kind, unsigned int n, unsigned int times)
{
	int fault = match_string(fault_names, ARRAY_SIZE(fault_names), kind);
	size_t i;

	if (fault < 0)
		return fault;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strcmp(functions[i].name, name))
			continue;
		mutex_lock(&lock);
		functions[i].fault = fault;
		functions[i].before = n - 1;
		functions[i].left = times;
		mutex_unlock(&lock);
		return 0;
	}
	return -EINVAL;
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
	if (!strcmp(name, "repair"))
		err = repair();
	else if (!strcmp(name, "sum"))
		err = disturb(&sum_probe, "memcache:mc_sum_of_run", change_sum, &sums_left, n);
	else if (!strcmp(name, "try"))
		err = disturb(&try_probe, "memcache:mc_access_try", change_address, &tries_left, n);
	else
		err = set_fault(name, kind, n, times);
	return err ? err : len;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = fault_write,
	.llseek = noop_llseek,
};

/* --------------------------------------------------------- load, unload */

static void unregister(size_t n)
{
	while (n--)
		unregister_kprobe(&functions[n].probe);
}

static int __init witness_init(void)
{
	int node, err;
	size_t i;

	for_each_online_node(node)
		npfns = max(npfns, node_end_pfn(node));
	touched = kvcalloc(BITS_TO_LONGS(npfns), sizeof(long), GFP_KERNEL);
	if (!touched)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		functions[i].probe.pre_handler = lead_away;
		functions[i].probe.post_handler = never_after;
		err = register_kprobe(&functions[i].probe);
		if (err) {
			unregister(i);
			kvfree(touched);
			return err;
		}
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
	unregister(ARRAY_SIZE(functions));
	kvfree(touched);
}

module_init(witness_init);
module_exit(witness_exit);

MODULE_DESCRIPTION("Watches what memcache does to pages, and disturbs it");
MODULE_LICENSE("GPL");
