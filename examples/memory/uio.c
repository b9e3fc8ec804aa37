// SPDX-License-Identifier: GPL-2.0-only
/*
 * A memory map of a UIO device. Its driver decides on the type, and sysfs does not tell it, so
 * the request says what it should be. What was in the map is brought back at the end. Choose
 * memory, not registers: all of it is read and written.
 *
 *   --memory uio.so,uio0:1      map 1 of /dev/uio0
 */
#include "device.h"

#define CLASS	"/sys/class/uio"

/* A number of a map, from sysfs. Return: 0 or a negative errno. */
static int read_number(unsigned int device, unsigned int map, const char *name, size_t *number)
{
	char path[96], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), CLASS "/uio%u/maps/map%u/%s", device, map, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	*number = strtoull(text, NULL, 0);
	return 0;
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	char path[32], word[64], end;
	unsigned int device, map;
	size_t has, skip = 0;
	int fd, err;

	if (sscanf(options, "uio%u:%u%c", &device, &map, &end) != 2)
		return fail(why, -EINVAL,
			    "the options name a device and a map, as --memory uio.so,uio0:0; ls %s names the devices that there are",
			    CLASS);
	if (read_number(device, map, "size", &has))
		return fail(why, -ENODEV,
			    "%s has no map %u of uio%u; the UIO driver of a device makes its maps",
			    CLASS, map, device);
	read_number(device, map, "offset", &skip);
	if (skip)
		return fail(why, -EOPNOTSUPP, "the map %s does not begin with a page", options);
	bytes = round_up_to(bytes, 4096);
	if (bytes > has)
		return fail(why, -ENOMEM, "the map %s has %zu bytes; ask for a smaller size=",
			    options, has);
	snprintf(path, sizeof(path), "/dev/uio%u", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail(why, -errno, "%s: %s; root may open it", path, strerror(errno));
	snprintf(word, sizeof(word), "uio:%s", options);
	err = map_region(fd, (off_t)map * sysconf(_SC_PAGESIZE), bytes, word, block, why);
	close(fd);
	return err;
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe_region,
	.free = unmap_region,
};
