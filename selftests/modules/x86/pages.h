/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The witness on x86 replaces set_memory_wb(), _wc() and _uc(): it remembers the pages, and then
 * calls the kernel's function or simulates a fault. To its file `fault` one writes
 * `uc|wc|wb refuse|late|lie|part N M`: M calls, beginning with the N-th from now, fail without
 * having done anything (refuse), fail after the work is done (late), succeed without having done
 * anything (lie), or succeed having done only the first page (part). `repair` makes all pages
 * write-back again.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/set_memory.h>
#include <asm/msr.h>
#include <asm/pgtable.h>

#define FIRST_ARGUMENT(regs)	((regs)->di)

/* mc_access_try(at, width, stores): nothing is mapped below the end of the address space. */
#define TRIES			"mc_access_try"

static unsigned long address_to_try(unsigned long at)
{
	return -PAGE_SIZE;
}

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
 * @fault: the fault to simulate
 * @before: number of calls that pass before the fault
 * @left: number of calls that have the fault then
 */
struct function {
	const char *name;
	int (*real)(unsigned long addr, int pages);
	int (*stand_in)(unsigned long addr, int pages);
	struct kprobe probe;
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

/* --------------------------------------------------------------- types */

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

static void count_away(struct away *now)
{
	unsigned long pfn;
	bool small;

	mutex_lock(&lock);
	for_each_set_bit(pfn, touched, npfns) {
		unsigned int type = type_now(pfn, &small);

		now->wc += type == 1;
		now->uc += type == 2;
		now->other += type == 3;
		now->node[pfn_to_nid(pfn) & 1] += !!type;
		now->small += type && small;
	}
	mutex_unlock(&lock);
}

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

/* Is there a page of 4 KiB at that address of this process? */
static bool find_mapped(struct mapped *at, unsigned long addr)
{
	unsigned long entry, pat_bit;
	unsigned int level;
	pte_t *direct;

	mmap_read_lock(current->mm);
	entry = entry_of(current->mm, addr);
	mmap_read_unlock(current->mm);
	if (!(entry & _PAGE_PRESENT))
		return false;
	at->pfn = (entry & PTE_PFN_MASK) >> PAGE_SHIFT;
	direct = lookup_address((unsigned long)pfn_to_kaddr(at->pfn), &level);
	if (!direct)
		return false;
	pat_bit = level == PG_LEVEL_4K ? _PAGE_PAT : _PAGE_PAT_LARGE;
	at->type = type_of(entry, _PAGE_PAT);
	at->direct = type_of(pte_val(*direct), pat_bit);
	return true;
}

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

static int set_fault(const char *name, const char *kind, unsigned int n, unsigned int times)
{
	int fault = match_string(fault_names, ARRAY_SIZE(fault_names), kind);
	size_t i;

	if (!strcmp(name, "repair"))
		return repair();
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

/* --------------------------------------------------------- load, unload */

static void unregister(size_t n)
{
	while (n--)
		unregister_kprobe(&functions[n].probe);
}

static int begin_watching(void)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		functions[i].probe.pre_handler = lead_away;
		functions[i].probe.post_handler = never_after;
		err = register_kprobe(&functions[i].probe);
		if (err) {
			unregister(i);
			return err;
		}
	}
	return 0;
}

static void end_watching(void)
{
	unregister(ARRAY_SIZE(functions));
}
