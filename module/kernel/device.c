// SPDX-License-Identifier: GPL-2.0-only
/*
 * The standing buffers as devices, so that user space measures the same pages.
 * A user mapping has the buffer's own memory type, since mapping a page with two types
 * is undefined on x86. An open file or a mapping keeps the module loaded.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "kernel/device.h"
#include "kernel/memory.h"
#include "platform/compat.h"
#include "uapi/memcache.h"

static struct miscdevice devices[MC_NTYPES] = {
	[MC_WB] = { .name = "memcache_wb" },
	[MC_WC] = { .name = "memcache_wc" },
	[MC_UC] = { .name = "memcache_uc" },
};

static bool registered[MC_NTYPES];

static struct mc_buffer *buffer_of(const struct file *file)
{
	const struct miscdevice *misc = file->private_data;

	return mc_memory_permanent((enum mc_type)(misc - devices));
}

/*
 * Whatever the device's mode, no ordinary user may map uncached or write-combining
 * memory: accesses that bypass the caches make Rowhammer easy.
 */
static int device_open(struct inode *inode, struct file *file)
{
	return capable(CAP_SYS_ADMIN) ? nonseekable_open(inode, file) : -EPERM;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct mc_buffer *b = buffer_of(file);
	struct memcache_info info = { 0 };
	struct mc_verdict verdict;
	enum mc_attr attribute;

	if (cmd != MEMCACHE_INFO)
		return -ENOTTY;
	info.size_bytes = b->bytes;
	info.fence_offset = b->type == MC_UC ? b->bytes : 0;
	info.node = b->memory_node;
	mc_memory_known(b->type, &attribute, &verdict);
	strscpy(info.attribute, mc_attr_name(attribute), sizeof(info.attribute));
	strscpy(info.effective, mc_effect_name(verdict.effect), sizeof(info.effective));
	return copy_to_user((void __user *)arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/* Map the whole of @vma to @view, from @offset on. */
static int map_view(struct vm_area_struct *vma, const struct mc_view *view, u64 offset)
{
	u64 length = vma->vm_end - vma->vm_start, done = 0;
	unsigned int i;

	for (i = 0; i < view->n && done < length; i++) {
		const struct mc_span *s = &view->spans[i];
		u64 skip = offset + done - s->start, bytes;
		int err;

		if (skip >= s->bytes)
			continue;
		bytes = min(s->bytes - skip, length - done);
		err = remap_pfn_range(vma, vma->vm_start + done,
				      PHYS_PFN(__pa((u8 *)s->addr + skip)),
				      bytes, vma->vm_page_prot);
		if (err)
			return err;
		done += bytes;
	}
	return done == length ? 0 : -EINVAL;
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct mc_buffer *b = buffer_of(file);
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 length = vma->vm_end - vma->vm_start;

	/* Not VM_SHARED: a shared mapping lacks it if the file was opened read-only. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	/* The offset right behind the UC buffer stands for the page for fence=uc. */
	if (b->type == MC_UC && offset == b->bytes && length == PAGE_SIZE) {
		b = mc_memory_fence();
		offset = 0;
		if (!b)
			return -ENOMEM;
	}
	if (offset > b->bytes || length > b->bytes - offset)
		return -EINVAL;
	mc_vma_set_flags(vma, VM_DONTEXPAND | VM_DONTDUMP);
	mc_vma_clear_flags(vma, VM_MAYEXEC);
	vma->vm_page_prot = mc_protection(b->type, vma->vm_page_prot);
	return map_view(vma, &b->direct, offset);
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = device_mmap,
};

/**
 * mc_device_init() - make a device for each standing buffer
 *
 * Context: Process, at load, after mc_memory_init().
 * Return: 0, or a negative errno and then there are no devices.
 */
int mc_device_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < MC_NTYPES; i++) {
		if (!mc_memory_permanent(i))
			continue;
		devices[i].minor = MISC_DYNAMIC_MINOR;
		devices[i].fops = &device_fops;
		devices[i].mode = 0600;
		err = misc_register(&devices[i]);
		if (err) {
			mc_device_exit();
			return err;
		}
		registered[i] = true;
	}
	return 0;
}

/**
 * mc_device_exit() - remove the devices
 *
 * Context: Process, at unload, when no device is open or mapped.
 */
void mc_device_exit(void)
{
	unsigned int i;

	for (i = 0; i < MC_NTYPES; i++) {
		if (registered[i])
			misc_deregister(&devices[i]);
		registered[i] = false;
	}
}
