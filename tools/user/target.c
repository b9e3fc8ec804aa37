// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is not RAM, in a process; the counterpart of module/kernel/target.c. A BAR is
 * mapped through its file in sysfs, which the kernel maps like ioremap(), or resourceN_wc,
 * like ioremap_wc(). Its owner says yes as for the module: the device's driver_override
 * names memcache. No driver may be bound to it: not that of the device, which uses it, and
 * not that of the module, which keeps all others out.
 *
 * A physical range is mapped through the devdax device that has it. Without write=yes, nothing
 * is mapped writable.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/target.h"
#include "platform/os.h"
#include "user.h"

#define DEVICES		"/sys/bus/pci/devices"
#define DAX		"/sys/bus/dax/devices"
#define PAT_LIST	"/sys/kernel/debug/x86/pat_memtype_list"
#define PAGE		4096ULL

/* include/linux/ioport.h, as the file resource in sysfs shows them. */
#define IS_MEMORY	0x00000200
#define IS_PREFETCHABLE	0x00002000
#define IS_UNSET	0x20000000

/**
 * struct holder - the device that has a target
 * @name: its name, as 0000:03:00.0 or dax0.0
 * @range: physical addresses of the BAR, or of the whole device
 * @align: size that a mapping of it is a multiple of
 */
struct holder {
	char name[32];
	struct mc_range range;
	u64 align;
};

static struct holder holder;	/* its device, which was switched on if it is a BAR */
static void *base;		/* all that is mapped, of so many bytes, or NULL */
static u64 length;

/* ------------------------------------------------------------------- sysfs */

/* Return: what the file DIRECTORY/NAME/FILE has, without its newline; "" if it is not there. */
static const char *told(const char *directory, const char *name, const char *file)
{
	static char text[4096];

	if (!mc_user_read_of(text, sizeof(text), "%s/%s/%s", directory, name, file))
		return "";
	text[strcspn(text, "\n")] = 0;
	return text;
}

/* Return: the name of the device's driver, "" if it has none. */
static const char *driver_of(const char *directory, const char *name)
{
	static char link[PATH_MAX];
	char path[128];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s/driver", directory, name);
	n = readlink(path, link, sizeof(link) - 1);
	link[n < 0 ? 0 : n] = 0;
	return *link ? basename(link) : "";
}

/* ------------------------------------------------------- find what is asked for */

/* What there is to know of a BAR, from the file resource: a line each, of three numbers. */
static struct mc_bar bar_of(const char *name, unsigned int number)
{
	struct mc_bar bar = { .device = name, .number = number };
	u64 start, last, flags = 0;
	char path[128];
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), DEVICES "/%s/resource", name);
	f = fopen(path, "re");
	for (i = 0; f && i <= number; i++) {
		if (fscanf(f, "%llx %llx %llx", &start, &last, &flags) != 3)
			flags = 0;
	}
	if (f)
		fclose(f);
	bar.prefetchable = flags & IS_PREFETCHABLE;
	if (flags & IS_MEMORY && !(flags & IS_UNSET))
		bar.range = (struct mc_range){ start, last - start + 1 };
	return bar;
}

static int find_bar(const struct mc_request *req, struct holder *p, struct mc_error *e)
{
	const struct mc_target *t = &req->target;
	char path[128];
	const char *driver;
	struct mc_bar bar;

	snprintf(p->name, sizeof(p->name), "%04x:%02x:%02x.%x", t->domain, t->bus, t->device,
		 t->function);
	snprintf(path, sizeof(path), DEVICES "/%s", p->name);
	if (access(path, F_OK))
		return mc_fail(e, -ENODEV, "target: there is no PCI device %s", p->name);
	if (strcmp(told(DEVICES, p->name, "driver_override"), "memcache"))
		return mc_fail(e, -EINVAL,
			       "target: %s is not reserved for memcache; write memcache to its driver_override, and unbind its driver",
			       p->name);
	driver = driver_of(DEVICES, p->name);
	if (*driver)
		return mc_fail(e, -EINVAL,
			       "target: the driver %s has %s; write %s to /sys/bus/pci/drivers/%s/unbind",
			       driver, p->name, p->name, driver);
	bar = bar_of(p->name, t->bar);
	p->range = bar.range;
	p->align = PAGE;
	return mc_target_check_bar(&bar, req, e);
}

static bool inside(const struct mc_range *range, const struct mc_range *whole)
{
	return range->start >= whole->start && range->bytes <= whole->bytes &&
	       range->start - whole->start <= whole->bytes - range->bytes;
}

/* Is all of the range in this devdax device? */
static bool dax_has(const char *name, const struct mc_range *range, struct holder *p)
{
	snprintf(p->name, sizeof(p->name), "%.31s", name);
	p->range.start = strtoull(told(DAX, name, "resource"), NULL, 0);
	p->range.bytes = strtoull(told(DAX, name, "size"), NULL, 0);
	p->align = strtoull(told(DAX, name, "align"), NULL, 0);
	p->align = p->align ? p->align : 2 << 20;
	return inside(range, &p->range);
}

static int find_dax(const struct mc_request *req, struct holder *p, struct mc_error *e)
{
	const char *driver = "";
	struct dirent *entry;
	bool found = false;
	DIR *dir = opendir(DAX);

	while (dir && !found && (entry = readdir(dir)))
		found = *entry->d_name != '.' && dax_has(entry->d_name, &req->target.range, p);
	if (dir)
		closedir(dir);
	if (!found)
		return mc_fail(e, -EINVAL,
			       "target: no devdax device has this range, and a process maps no other; %s has those that there are",
			       DAX);
	driver = driver_of(DAX, p->name);
	if (!strcmp(driver, "device_dax"))
		return 0;
	return mc_fail(e, -EINVAL, "target: bind %s to the driver device_dax; it has %s", p->name,
		       *driver ? driver : "none");
}

static int find(const struct mc_request *req, struct holder *p, struct mc_error *e)
{
	return req->target.kind == MC_TARGET_PCI ? find_bar(req, p, e) : find_dax(req, p, e);
}

static int check_types(const struct mc_values *types, bool pci, struct mc_error *e)
{
	u32 i;

	for (i = 0; i < types->n; i++) {
		if (pci && types->v[i] != MC_UC && types->v[i] != MC_WC)
			return mc_fail(e, -EOPNOTSUPP,
				       "type: a process maps a BAR as uc or wc; %s is for the module",
				       mc_type_name(types->v[i]));
		if (!pci && types->v[i] != MC_WB)
			return mc_fail(e, -EOPNOTSUPP,
				       "type: a process maps a range as wb; %s is for the module",
				       mc_type_name(types->v[i]));
	}
	return 0;
}

static int find_bytes(const struct mc_request *req, u64 *bytes, struct mc_error *e)
{
	bool pci = req->target.kind == MC_TARGET_PCI;
	struct holder at = { 0 };
	int err = find(req, &at, e);

	*bytes = pci ? at.range.bytes : req->target.range.bytes;
	return err ? err : check_types(&req->values[MC_KEY_TYPE], pci, e);
}

/* -------------------------------------------------------- open, map, close */

/* Switch the device's memory on, or back. Return: 0 or a negative errno. */
static int set_enabled(const char *name, bool on)
{
	char path[128];
	int fd, err = 0;

	snprintf(path, sizeof(path), DEVICES "/%s/enable", name);
	fd = mc_user_open(path, O_WRONLY);
	if (fd < 0)
		return fd;
	if (write(fd, on ? "1" : "0", 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

static void unmap(void)
{
	if (base)
		munmap(base, length);
	base = NULL;
	mc_opened.at = NULL;
}

/*
 * The type that the kernel has noted for the mapping: "PAT: [mem 0xfe000000-0xfe400000]
 * uncached-minus". The kernel gives every mapping of a BAR the same type, the first one's.
 */
static enum mc_attr noted(u64 physical)
{
	static const struct {
		const char *name;
		enum mc_attr attr;
	} names[] = {
		{ "uncached", MC_ATTR_UC }, { "uncached-minus", MC_ATTR_UC_MINUS },
		{ "write-combining", MC_ATTR_WC }, { "write-through", MC_ATTR_WT },
		{ "write-protected", MC_ATTR_WP }, { "write-back", MC_ATTR_WB },
	};
	enum mc_attr attr = MC_ATTR_NA;
	char line[256], name[32];
	FILE *f = fopen(PAT_LIST, "re");
	u64 start, end;
	unsigned int i;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "PAT: [mem %llx-%llx] %31s", &start, &end, name) != 3 ||
		    physical < start || physical >= end)
			continue;
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			if (!strcmp(names[i].name, name))
				attr = names[i].attr;
		}
	}
	if (f)
		fclose(f);
	return attr;
}

/* The mapping begins and ends where the device allows it. */
static int map_file(const char *path, bool writes, struct mc_error *e)
{
	u64 align = holder.align, from = mc_opened.range.start - holder.range.start;
	u64 begin = from & ~(align - 1);
	int fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);

	if (fd < 0)
		return mc_fail(e, -errno, "target: %s: %s", path, strerror(errno));
	length = (from + mc_opened.range.bytes - begin + align - 1) & ~(align - 1);
	base = mmap(NULL, length, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, fd, begin);
	close(fd);
	if (base == MAP_FAILED) {
		base = NULL;
		return mc_fail(e, -errno, "target: %s can't be mapped: %s", path, strerror(errno));
	}
	mc_opened.at = (u8 *)base + (from - begin);
	return 0;
}

static int map_as(struct mc_run *run, enum mc_type type)
{
	enum mc_attr wanted = type == MC_UC ? MC_ATTR_UC_MINUS : MC_ATTR_WC;
	const struct mc_request *req = run->req;
	char path[128];
	int err;

	if (!mc_opened.pci)
		type = MC_WB;		/* a devdax device has no other */
	if (base && mc_opened.type == type)
		return 0;
	unmap();
	if (mc_opened.pci)
		snprintf(path, sizeof(path), DEVICES "/%s/resource%u%s", holder.name,
			 req->target.bar, type == MC_WC ? "_wc" : "");
	else
		snprintf(path, sizeof(path), "/dev/%s", holder.name);
	mc_opened.type = type;
	err = map_file(path, req->values[MC_KEY_WRITE].v[0], &run->error);
	if (err || !mc_opened.pci)
		return err;
	mc_opened.attribute = noted(mc_opened.range.start);
	return mc_opened.attribute == MC_ATTR_NA ? 0 : mc_target_mapped(wanted, &run->error);
}

static int open_target(struct mc_run *run)
{
	struct mc_error *e = &run->error;
	const char *node;
	int err;

	holder = (struct holder){ 0 };
	err = find(run->req, &holder, e);
	if (err)
		return err;
	mc_opened.range = mc_opened.pci ? holder.range : run->req->target.range;
	mc_opened.page = holder.align == PAGE ? MC_PAGE_4K : MC_PAGE_2M;
	mc_opened.page_bytes = holder.align;
	node = told(mc_opened.pci ? DEVICES : DAX, holder.name, "numa_node");
	mc_opened.node = *node && *node != '-' ? atoi(node) : MC_NODE_NA;
	err = mc_target_check_window(&mc_opened.window, mc_opened.range.bytes,
				     run->req->values[MC_KEY_WRITE].v[0], e);
	if (err)
		return err;
	err = mc_opened.pci ? set_enabled(holder.name, true) : 0;
	if (err)
		return mc_fail(e, err, "target: %s can't be switched on: %s", holder.name,
			       strerror(-err));
	return 0;
}

static void close_target(struct mc_run *run)
{
	unmap();
	if (mc_opened.pci)
		set_enabled(holder.name, false);
}

static const struct mc_target_ops target_ops = {
	.find = find_bytes,
	.open = open_target,
	.map = map_as,
	.go_on = mc_user_progress_back,
	.close = close_target,
};

struct mc_opened mc_opened = { .ops = &target_ops };
