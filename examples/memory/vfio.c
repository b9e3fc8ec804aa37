// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BAR of a PCI device that vfio-pci has, as a driver in user space maps it. What was in it
 * is brought back at the end. Choose memory, not registers: all of it is read and written.
 *
 *   --memory vfio.so,0000:03:00.0/2      BAR 2 of this device
 */
#include <libgen.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>

#include "device.h"

#define DEVICES	"/sys/bus/pci/devices"

/* The group, container and device that are open while the BAR is mapped. */
static struct {
	int container;
	int group;
	int device;
} files = { -1, -1, -1 };

static void close_files(void)
{
	if (files.device >= 0)
		close(files.device);
	if (files.group >= 0)
		close(files.group);
	if (files.container >= 0)
		close(files.container);
	files.device = -1;
	files.group = -1;
	files.container = -1;
}

static int open_group(const char *name, char *why)
{
	struct vfio_group_status status = { .argsz = sizeof(status) };
	char path[96], link[256] = "";

	snprintf(path, sizeof(path), DEVICES "/%s/iommu_group", name);
	if (readlink(path, link, sizeof(link) - 1) < 0)
		return fail(why, -EOPNOTSUPP,
			    "the device %s has no IOMMU group: there is no such device, or the IOMMU is off",
			    name);
	snprintf(path, sizeof(path), "/dev/vfio/%.32s", basename(link));
	files.group = open(path, O_RDWR | O_CLOEXEC);
	if (files.group < 0)
		return fail(why, errno == ENOENT ? -EOPNOTSUPP : -errno,
			    "%s: %s; bind %s to the driver vfio-pci, through its driver_override",
			    path, strerror(errno), name);
	if (ioctl(files.group, VFIO_GROUP_GET_STATUS, &status) ||
	    !(status.flags & VFIO_GROUP_FLAGS_VIABLE))
		return fail(why, -EBUSY,
			    "another device of the group of %s has a driver of its own; bind it to vfio-pci, too",
			    name);
	return 0;
}

static int open_device(const char *name, char *why)
{
	files.container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (files.container < 0)
		return fail(why, errno == ENOENT ? -EOPNOTSUPP : -errno,
			    "/dev/vfio/vfio: %s; modprobe vfio-pci", strerror(errno));
	if (ioctl(files.group, VFIO_GROUP_SET_CONTAINER, &files.container) ||
	    ioctl(files.container, VFIO_SET_IOMMU, VFIO_TYPE1_IOMMU))
		return fail(why, -errno, "the group of %s can't be used: %s", name,
			    strerror(errno));
	files.device = ioctl(files.group, VFIO_GROUP_GET_DEVICE_FD, name);
	if (files.device < 0)
		return fail(why, -errno, "vfio-pci does not open %s: %s", name, strerror(errno));
	return 0;
}

static int map_bar(unsigned int bar, size_t bytes, const char *options,
		   struct memcache_memory_block *block, char *why)
{
	struct vfio_region_info info = { .argsz = sizeof(info), .index = bar };
	const unsigned int needed = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE |
				    VFIO_REGION_INFO_FLAG_MMAP;
	char word[64];

	if (ioctl(files.device, VFIO_DEVICE_GET_REGION_INFO, &info) || !info.size ||
	    (info.flags & needed) != needed)
		return fail(why, -EOPNOTSUPP, "%s is no BAR that vfio-pci maps", options);
	if (bytes > info.size)
		return fail(why, -ENOMEM, "%s has %llu bytes; ask for a smaller size=", options,
			    (unsigned long long)info.size);
	snprintf(word, sizeof(word), "vfio:%s", options);
	return map_region(files.device, info.offset, bytes, word, block, why);
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	char name[16], end;
	unsigned int bar;
	int err;

	if (sscanf(options, "%15[0-9a-f:.]/%u%c", name, &bar, &end) != 2 || bar > 5)
		return fail(why, -EINVAL,
			    "the options name a PCI device and a BAR, as --memory vfio.so,0000:03:00.0/2");
	err = open_group(name, why);
	err = err ? err : open_device(name, why);
	err = err ? err : map_bar(bar, round_up_to(bytes, 4096), options, block, why);
	if (err)
		close_files();
	return err;
}

static void give_back(struct memcache_memory_block *block)
{
	unmap_region(block);
	close_files();
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe_region,
	.free = give_back,
};
