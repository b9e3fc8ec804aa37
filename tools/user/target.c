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
#include "measure/verdict.h"
#include "platform/os.h"
#include "user.h"

#define DEVICES		"/sys/bus/pci/devices"
#define DAX		"/sys/bus/dax/devices"
#define PAT_LIST	"/sys/kernel/debug/x86/pat_memtype_list"
#define PAGE		4096ULL
#define DEVICE_NAME	32

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
	char name[DEVICE_NAME];
	struct mc_range range;
	u64 align;
};

static struct mc_opened opened;
static struct holder holder;	/* its device, which was switched on if it is a BAR */
static void *base;		/* all that is mapped, of so many bytes, or NULL */
static u64 length;

/* ------------------------------------------------------------------- sysfs */

/* Return: what the file DIRECTORY/NAME/FILE has, without its newline; "" if it is not there. */
static const char *told(const char *directory, const char *name, const char *file)
{
	static char text[4096];
	char path[128];

	snprintf(path, sizeof(path), "%s/%s/%s", directory, name, file);
	if (!mc_user_read_file(path, text, sizeof(text)))
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

static void name_device(char *name, const struct mc_target *t)
{
	snprintf(name, DEVICE_NAME, "%04x:%02x:%02x.%x", t->domain, t->bus, t->device, t->function);
}

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
	char path[128];
	const char *driver;
	struct mc_bar bar;

	name_device(p->name, &req->target);
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
	bar = bar_of(p->name, req->target.bar);
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

/* ------------------------------------------------------- check the request */

/**
 * mc_user_target_room() - bytes that a request's target has from its largest offset on
 * @req: the request
 *
 * Return: whole lines; 0: none, or the target is RAM or is not there.
 */
u64 mc_user_target_room(const struct mc_request *req)
{
	u64 offset = mc_request_max(req, MC_KEY_OFFSET), bytes = req->target.range.bytes;
	char name[DEVICE_NAME];

	if (req->target.kind == MC_TARGET_PCI) {
		name_device(name, &req->target);
		bytes = bar_of(name, req->target.bar).range.bytes;
	}
	return (bytes - min(bytes, offset)) & ~63ULL;
}

static int check_type(enum mc_type type, bool pci, struct mc_error *e)
{
	if (pci && type != MC_UC && type != MC_WC)
		return mc_fail(e, -EOPNOTSUPP,
			       "type: a process maps a BAR as uc or wc; %s is for the module",
			       mc_type_name(type));
	if (!pci && type != MC_WB)
		return mc_fail(e, -EOPNOTSUPP,
			       "type: a process maps a range as wb; %s is for the module",
			       mc_type_name(type));
	return 0;
}

/**
 * mc_user_target_check() - check that a point's target is there and may be measured
 * @run: the run
 * @point: the point, with a target other than RAM
 *
 * Return: 0, -EINVAL, -ENODEV (no such device) or -EOPNOTSUPP (not in a process), explained in
 * @run->error.
 */
int mc_user_target_check(struct mc_run *run, const struct mc_point *point)
{
	bool pci = run->req->target.kind == MC_TARGET_PCI;
	struct mc_error *e = &run->error;
	struct holder at = { 0 };
	int err;

	err = mc_target_check_test(point, mc_test_of(run->req->spec), e);
	/* All points have the same target. */
	if (!err && !run->target_bytes) {
		err = find(run->req, &at, e);
		run->target_bytes = pci ? at.range.bytes : run->req->target.range.bytes;
	}
	err = err ? err : check_type(point->v[MC_KEY_TYPE], pci, e);
	return err ? err : mc_target_check_place(point, run->target_bytes, e);
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
	opened.at = NULL;
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
	u64 align = holder.align, from = opened.range.start - holder.range.start;
	u64 begin = from & ~(align - 1);
	int fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);

	if (fd < 0)
		return mc_fail(e, -errno, "target: %s: %s", path, strerror(errno));
	length = (from + opened.range.bytes - begin + align - 1) & ~(align - 1);
	base = mmap(NULL, length, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, fd, begin);
	close(fd);
	if (base == MAP_FAILED) {
		base = NULL;
		return mc_fail(e, -errno, "target: %s can't be mapped: %s", path, strerror(errno));
	}
	opened.at = (u8 *)base + (from - begin);
	return 0;
}

static int map_as(struct mc_run *run, enum mc_type type)
{
	enum mc_attr wanted = type == MC_UC ? MC_ATTR_UC_MINUS : MC_ATTR_WC;
	const struct mc_request *req = run->req;
	char path[128];
	int err;

	if (!opened.pci)
		type = MC_WB;		/* a devdax device has no other */
	if (base && opened.type == type)
		return 0;
	unmap();
	if (opened.pci)
		snprintf(path, sizeof(path), DEVICES "/%s/resource%u%s", holder.name,
			 req->target.bar, type == MC_WC ? "_wc" : "");
	else
		snprintf(path, sizeof(path), "/dev/%s", holder.name);
	opened.type = type;
	err = map_file(path, req->values[MC_KEY_WRITE].v[0], &run->error);
	if (err || !opened.pci)
		return err;
	opened.attribute = noted(opened.range.start);
	return opened.attribute == MC_ATTR_NA ? 0 : mc_target_mapped(&opened, wanted, &run->error);
}

static int open_target(struct mc_run *run)
{
	struct mc_error *e = &run->error;
	const char *node;
	int err;

	holder = (struct holder){ 0 };
	opened = (struct mc_opened){
		.pci = run->req->target.kind == MC_TARGET_PCI, .map = map_as,
		.window = mc_target_window(run->req),
	};
	err = find(run->req, &holder, e);
	if (err)
		return err;
	opened.range = opened.pci ? holder.range : run->req->target.range;
	opened.page = holder.align == PAGE ? MC_PAGE_4K : MC_PAGE_2M;
	opened.page_bytes = holder.align;
	node = told(opened.pci ? DEVICES : DAX, holder.name, "numa_node");
	opened.node = *node && *node != '-' ? atoi(node) : MC_NODE_NA;
	err = mc_target_check_window(&opened.window, opened.range.bytes,
				     run->req->values[MC_KEY_WRITE].v[0], e);
	if (err)
		return err;
	err = opened.pci ? set_enabled(holder.name, true) : 0;
	if (err)
		return mc_fail(e, err, "target: %s can't be switched on: %s", holder.name,
			       strerror(-err));
	opened.is = true;
	return 0;
}

/**
 * mc_user_target_find() - the part of its target that a point measures
 * @run: the run
 * @point: the point, checked
 * @area: result, valid until the next call, or mc_user_target_end()
 *
 * Return: 0, or a negative errno, explained in @run->error.
 */
int mc_user_target_find(struct mc_run *run, const struct mc_point *point, struct mc_area *area)
{
	struct mc_verdict verdict;
	int err = opened.is ? 0 : open_target(run);

	err = err ? err : mc_target_part(&opened, run, point, area);
	/* Only where nobody else writes: the verdict follows pointers. */
	if (!err && opened.contents.saved && !opened.pci) {
		mc_verdict_of(&verdict, opened.type, opened.span.addr, opened.span.bytes);
		area->effective = verdict.effect;
	}
	return err;
}

/**
 * mc_user_target_end() - bring back the contents of the run's target, unmap it, switch it off
 * @run: the run; contents that are not back are its error
 */
void mc_user_target_end(struct mc_run *run)
{
	if (!opened.is)
		return;
	mc_target_restore(&opened, run, true, mc_user_progress_back);
	unmap();
	if (opened.pci)
		set_enabled(holder.name, false);
	opened.is = false;
}
