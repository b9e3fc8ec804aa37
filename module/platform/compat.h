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
