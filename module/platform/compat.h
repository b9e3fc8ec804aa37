/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels, found in their headers by Kbuild. Nothing here tests for
 * a version, because distributions backport.
 */
#ifndef MC_COMPAT_H
#define MC_COMPAT_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* This is a macro in kernels that have RCU tasks. */
#ifndef cond_resched_tasks_rcu_qs
#define cond_resched_tasks_rcu_qs()	cond_resched()
#endif

/* In newer kernels vm_flags is read-only, and functions change it. */
#ifdef MC_HAVE_VM_FLAGS_SET
#define mc_vma_set_flags(vma, flags)	vm_flags_set(vma, flags)
#define mc_vma_clear_flags(vma, flags)	vm_flags_clear(vma, flags)
#else
#define mc_vma_set_flags(vma, flags)	((vma)->vm_flags |= (flags))
#define mc_vma_clear_flags(vma, flags)	((vma)->vm_flags &= ~(flags))
#endif

/* In newer kernels a mount can map owners, so permission checks need the mount, too. */
#ifdef MC_HAVE_PATH_PERMISSION
#define mc_path_permission(path, mask)	path_permission(path, mask)
#else
#define mc_path_permission(path, mask)	inode_permission(d_inode((path)->dentry), mask)
#endif

/*
 * The entry of a mapping that a driver has made for a process. Older kernels have it of the last
 * level only, newer ones don't tell the size of larger ones. The mmap lock is held. Return: it is
 * there; result: what it maps, its other bits, and whether it is a larger one.
 */
static inline bool mc_follow_entry(struct vm_area_struct *vma, unsigned long address,
				   unsigned long *pfn, u64 *prot, bool *large)
{
#ifdef MC_HAVE_FOLLOW_PFNMAP
	struct follow_pfnmap_args args = { .vma = vma, .address = address };

	if (follow_pfnmap_start(&args))
		return false;
	*pfn = args.pfn;
	*prot = pgprot_val(args.pgprot);
	*large = !args.ptep;
	follow_pfnmap_end(&args);
#else
	spinlock_t *lock;	/* of the table */
	pte_t *pte;

#ifdef MC_HAVE_FOLLOW_PTE_OF_VMA
	if (follow_pte(vma, address, &pte, &lock))
#else
	if (follow_pte(vma->vm_mm, address, &pte, &lock))
#endif
		return false;
	__acquire(lock);	/* as it is declared, sparse does not know */
	*pfn = pte_pfn(*pte);
	*prot = pte_val(*pte);
	*large = false;
	pte_unmap_unlock(pte, lock);
#endif
	return true;
}

/* In newer kernels the name of the driver that a device is offered to is in struct device. */
static inline bool mc_pci_offered(struct pci_dev *pci, const char *driver)
{
#ifdef MC_HAVE_MATCH_DRIVER_OVERRIDE
	bool offered;

	spin_lock(&pci->dev.driver_override.lock);
	offered = pci->dev.driver_override.name &&
		  !strcmp(pci->dev.driver_override.name, driver);
	spin_unlock(&pci->dev.driver_override.lock);
	return offered;
#else
	return pci->driver_override && !strcmp(pci->driver_override, driver);
#endif
}

#endif /* MC_COMPAT_H */
