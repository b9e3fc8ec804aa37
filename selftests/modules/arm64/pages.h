/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The witness on arm64. A module can't change the type of pages there, so memcache makes mappings
 * of another type with vmap(). The witness remembers each mapping that is not write-back, and has
 * the CPU itself translate its addresses (AT S1E1R). now_other is Device-nGnRnE. To its file
 * `fault` one writes `map refuse|lie N M`: M mappings of another type, beginning with the N-th from
 * now, fail, or are write-back though they should not; `map none`: they no longer do;
 * `try align N`: memcache tries an address that is not aligned.
 */
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <asm/memory.h>
#include <asm/sysreg.h>

#define FIRST_ARGUMENT(frame)	((frame)->regs[0])

/* const char *mc_attr_try(void *line) */
#define TRIES			"mc_attr_try"

static bool misalign;			/* instead of an address where nothing is mapped */

static unsigned long address_to_try(unsigned long line)
{
	return misalign ? line + 1 : VMALLOC_END - PAGE_SIZE;
}

#define MAPPINGS 64

struct mapping {
	unsigned long addr;	/* 0: free */
	unsigned long pages;
};

static struct mapping mappings[MAPPINGS];
static DEFINE_RAW_SPINLOCK(lock);
static unsigned int disturb_after, disturb_left;
static bool lie;			/* instead of refusing */

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

static void count_page(struct away *now, unsigned long addr)
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
	now->small++;
	now->node[pfn_to_nid(pfn_of(par)) & 1]++;
}

static void count_away(struct away *now)
{
	unsigned long at;
	int i;

	for (i = 0; i < MAPPINGS; i++) {
		struct mapping map = mappings[i];

		for (at = 0; map.addr && at < map.pages; at++)
			count_page(now, map.addr + at * PAGE_SIZE);
	}
}

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

/* Is anything mapped at that address of this process? */
static bool find_mapped(struct mapped *at, unsigned long addr)
{
	u64 par = translate_user(addr);

	if (par & 1)
		return false;
	at->pfn = pfn_of(par);
	at->type = type_of(par);
	at->direct = type_of(translate((unsigned long)pfn_to_kaddr(at->pfn)));
	return true;
}

static int set_fault(const char *name, const char *kind, unsigned int n, unsigned int times)
{
	misalign = !strcmp(kind, "align");
	if (strcmp(name, "map"))
		return -EINVAL;
	lie = !strcmp(kind, "lie");
	disturb_after = n - 1;
	disturb_left = strcmp(kind, "none") ? times : 0;
	return 0;
}

static int begin_watching(void)
{
	int err = register_kretprobe(&vmap_probe);

	if (err)
		return err;
	err = register_kprobe(&vunmap_probe);
	if (err)
		unregister_kretprobe(&vmap_probe);
	return err;
}

static void end_watching(void)
{
	unregister_kprobe(&vunmap_probe);
	unregister_kretprobe(&vmap_probe);
}
