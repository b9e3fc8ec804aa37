// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is not the kernel's, for target=. A BAR is measured only if its device is bound
 * to the driver here, which has no ids: whoever writes the driver's name to the device's
 * driver_override has said yes. A physical range is measured only if it is set aside for
 * special use, persistent memory without a driver, or, with any_range=yes, reserved; never if
 * some of it is System RAM, or belongs to the firmware.
 *
 * The driver, or the run, owns the range, and maps it once. A second mapping would silently
 * have the type of the first one, so the type is read back from the page tables.
 */
#include <linux/completion.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/security.h>

#include "kernel/arch.h"
#include "kernel/buffers.h"
#include "kernel/firmware.h"
#include "kernel/target.h"
#include "measure/target.h"
#include "platform/compat.h"
#include "platform/os.h"

#define NAME	"memcache"

/* A kernel without PCI has no device, and only some of the functions, which do nothing. */
#ifndef CONFIG_PCI
#define pci_enable_device_mem(pci)				(-ENODEV)
#define pci_select_bars(pci, flags)				(0)
#define pci_request_selected_regions_exclusive(pci, bars, name)	(-ENODEV)
#define pci_release_selected_regions(pci, bars)			do { } while (0)
#define pci_device_is_present(pci)				(false)
#endif

static void __iomem *mapping;	/* mc_opened.at */

/* How many bytes of the contents were brought back or compared, and how many will be in the end. */
static u64 back, all;

/* The device of the current run, if its target is a BAR; and what remove() needs of the run. */
static struct {
	struct mutex lock;		/* protects the others */
	struct pci_dev *pci;		/* or NULL */
	struct mc_threads *threads;
	bool gone;			/* remove() waits for @closed */
	struct completion closed;	/* the run has let go of the device */
} in_use = {
	.lock = __MUTEX_INITIALIZER(in_use.lock),
	.closed = COMPLETION_INITIALIZER(in_use.closed),
};

/* ------------------------------------------------------------- the driver */

/*
 * An id that somebody has written to new_id is not enough: it is about all such devices. The
 * lock of the device, which the caller holds, protects its driver_override.
 */
static int probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	int err;

	if (!mc_pci_offered(pci, NAME))
		return -ENODEV;
	err = pci_enable_device_mem(pci);	/* in the power state D0 */
	if (err)
		return err;
	/* Exclusively: nobody can map the BAR through sysfs or /dev/mem from now on. */
	err = pci_request_selected_regions_exclusive(pci, pci_select_bars(pci, IORESOURCE_MEM),
						     NAME);
	if (err)
		pci_disable_device(pci);
	return err;
}

/* End the run that uses the device, if there is one, and wait until it has let go of it. */
static void remove(struct pci_dev *pci)
{
	bool wait;

	mutex_lock(&in_use.lock);
	wait = in_use.pci == pci;
	if (wait) {
		in_use.gone = true;
		mc_threads_stop(in_use.threads, -ENODEV);
	}
	mutex_unlock(&in_use.lock);
	if (wait)
		wait_for_completion(&in_use.closed);
	pci_release_selected_regions(pci, pci_select_bars(pci, IORESOURCE_MEM));
	pci_disable_device(pci);
}

static struct pci_driver driver = {
	.name = NAME,
	.probe = probe,
	.remove = remove,
};

/**
 * mc_target_init() - register the driver that devices can be bound to
 *
 * Context: Process, at load.
 * Return: 0 or a negative errno.
 */
int mc_target_init(void)
{
	return pci_register_driver(&driver);
}

/**
 * mc_target_exit() - unregister the driver, which unbinds its devices
 *
 * Context: Process, at unload; no run is active.
 */
void mc_target_exit(void)
{
	pci_unregister_driver(&driver);
}

/* ------------------------------------------------------ check the request */

static bool bound(const struct pci_dev *pci)
{
	return READ_ONCE(pci->dev.driver) == &driver.driver;
}

/* Return: the device, for pci_dev_put(), or NULL. */
static struct pci_dev *find_device(const struct mc_target *t, struct mc_error *e)
{
	struct pci_dev *pci = pci_get_domain_bus_and_slot(t->domain, t->bus,
							  PCI_DEVFN(t->device, t->function));

	if (!pci) {
		mc_fail(e, -ENODEV, "target: there is no PCI device %04x:%02x:%02x.%x",
			t->domain, t->bus, t->device, t->function);
		return NULL;
	}
	if (bound(pci))
		return pci;
	mc_fail(e, -EINVAL,
		"target: %s is not bound to the driver memcache; write memcache to its driver_override, unbind its driver, then write %s to /sys/bus/pci/drivers_probe",
		pci_name(pci), pci_name(pci));
	pci_dev_put(pci);
	return NULL;
}

/* What there is to know of a BAR. */
static struct mc_bar bar_of(struct pci_dev *pci, unsigned int number)
{
	unsigned long flags = pci_resource_flags(pci, number);
	struct mc_bar bar = {
		.device = pci_name(pci), .number = number,
		.prefetchable = flags & IORESOURCE_PREFETCH,
	};

	if (flags & IORESOURCE_MEM && !(flags & IORESOURCE_UNSET))
		bar.range = (struct mc_range){
			pci_resource_start(pci, number), pci_resource_len(pci, number)
		};
	return bar;
}

/**
 * struct look - a look at what /proc/iomem has of a range
 * @desc: what all of it should be
 * @next: up to here it is that, without a gap
 * @other: some of it is something else, too
 */
struct look {
	unsigned long desc;
	u64 next;
	bool other;
};

static int look_at(struct resource *part, void *arg)
{
	struct look *look = arg;

	if (part->desc != look->desc)
		look->other = true;
	else if (part->start <= look->next)
		look->next = max_t(u64, look->next, part->end + 1);
	return 0;
}

/* @alone: nothing else lies in the range, such as a BAR, or the window of a bus around it. */
static bool is_all(const struct mc_range *range, unsigned long desc, bool alone)
{
	u64 last = range->start + (range->bytes - 1);
	struct look look = { .desc = desc, .next = range->start };

	/* Without a kind the walk sees what is outermost only, see open_range(). */
	walk_iomem_res_desc(alone ? IORES_DESC_NONE : desc, IORESOURCE_MEM, range->start, last,
			    &look, look_at);
	return look.next - 1 >= last && look.next > range->start && !(alone && look.other);
}

/*
 * Reserved says only that Linux must leave it alone. It may be spare memory, or memory of the
 * firmware that no list names.
 */
static int check_reserved(const struct mc_request *req, struct mc_error *e)
{
	const char *unknown = mc_firmware_unknown();

	if (unknown)
		return mc_fail(e, -EINVAL,
			       "target: this range is reserved, and the kernel does not have %s, which would say whether the firmware uses it",
			       unknown);
	if (!req->values[MC_KEY_ANY_RANGE].v[0])
		return mc_fail(e, -EINVAL,
			       "any_range: this range is reserved, and the kernel does not know what it is for; any_range=yes measures it nevertheless");
	return 0;
}

/* Memory that no part of the kernel, and no firmware, uses as its own. */
static int check_phys(const struct mc_request *req, struct mc_error *e)
{
	static const unsigned long kinds[] = {
		IORES_DESC_SOFT_RESERVED, IORES_DESC_PERSISTENT_MEMORY,
		IORES_DESC_PERSISTENT_MEMORY_LEGACY,
	};
	const struct mc_range *range = &req->target.range;
	const char *owned = mc_firmware_owns(range);
	unsigned int i;

	if (owned)
		return mc_fail(e, -EINVAL,
			       "target: some of this range belongs to the firmware: %s", owned);
	if (region_intersects(range->start, range->bytes, IORESOURCE_SYSTEM_RAM,
			      IORES_DESC_NONE) != REGION_DISJOINT)
		return mc_fail(e, -EINVAL,
			       "target: some of this range is System RAM, which belongs to the kernel; use target=ram");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (is_all(range, kinds[i], false))
			return 0;
	}
	if (is_all(range, IORES_DESC_RESERVED, true))
		return check_reserved(req, e);
	return mc_fail(e, -EINVAL,
		       "target: this range is not reserved, soft reserved or persistent memory; /proc/iomem has those that are");
}

/* Find the size of the request's target, if it can be measured. */
static int find_bytes(const struct mc_request *req, u64 *bytes, struct mc_error *e)
{
	const struct mc_target *t = &req->target;
	struct pci_dev *pci;
	struct mc_bar bar;

	if (security_locked_down(LOCKDOWN_PCI_ACCESS) || security_locked_down(LOCKDOWN_DEV_MEM))
		return mc_fail(e, -EOPNOTSUPP,
			       "target: the kernel is locked down, so target=ram only");
	if (t->kind == MC_TARGET_PHYS) {
		*bytes = t->range.bytes;
		return check_phys(req, e);
	}
	pci = find_device(t, e);
	if (!pci)
		return e->err;
	bar = bar_of(pci, t->bar);
	*bytes = bar.range.bytes;
	mc_target_check_bar(&bar, req, e);
	pci_dev_put(pci);
	return e->err;
}

/* ---------------------------------------------------- open, map and close */

/* Find the range of a BAR whose device can't go away, nor change. */
static int hold_bar(struct mc_run *run, struct pci_dev *pci)
{
	struct mc_bar bar = bar_of(pci, run->req->target.bar);
	int err;

	if (!bound(pci) || pci->current_state != PCI_D0)
		return mc_fail(&run->error, -ENODEV, "target: %s went away, or it sleeps",
			       pci_name(pci));
	err = mc_target_check_bar(&bar, run->req, &run->error);
	mc_opened.range = bar.range;
	mc_opened.node = dev_to_node(&pci->dev);
	return err ? err : mc_target_check_window(&mc_opened.window, bar.range.bytes,
						  run->req->values[MC_KEY_WRITE].v[0], &run->error);
}

/*
 * Since mc_target_check() the device may have been unbound, or even been bound again with
 * another BAR, which is only resized and moved while no driver has the device.
 */
static int open_device(struct mc_run *run)
{
	struct pci_dev *pci = find_device(&run->req->target, &run->error);
	int err;

	if (!pci)
		return run->error.err;
	/* remove() runs with this lock held. */
	device_lock(&pci->dev);
	err = hold_bar(run, pci);
	mutex_lock(&in_use.lock);
	in_use.pci = err ? NULL : pci;
	in_use.threads = run->threads;
	mutex_unlock(&in_use.lock);
	device_unlock(&pci->dev);
	if (err)
		pci_dev_put(pci);
	return err;
}

static int open_range(struct mc_run *run)
{
	const struct mc_range *r = &run->req->target.range;
	struct resource *held;

	if (check_phys(run->req, &run->error))
		return run->error.err;
	mc_opened.range = *r;
	held = request_mem_region(r->start, r->bytes, NAME);
	/* In a reserved range there may be what has a name, such as registers of the chipset. */
	if (held && held->parent->desc != IORES_DESC_RESERVED &&
	    is_all(r, IORES_DESC_RESERVED, true)) {
		release_mem_region(r->start, r->bytes);
		return mc_fail(&run->error, -EINVAL,
			       "target: /proc/iomem has a name for a part of this reserved range");
	}
	if (held)
		return 0;
	return mc_fail(&run->error, -EINVAL,
		       "target: a driver uses this range, or some of it; /proc/iomem names it");
}

static int open_target(struct mc_run *run)
{
	mc_opened.page = MC_PAGE_DIRECT;
	return mc_opened.pci ? open_device(run) : open_range(run);
}

static void unmap(void)
{
	if (!mc_opened.at)
		return;
	mc_attr_leave(mc_opened.at + mc_opened.window.start, mc_opened.window.bytes,
		      mc_opened.type);
	iounmap(mapping);
	mc_opened.at = NULL;
}

static int map_as(struct mc_run *run, enum mc_type type)
{
	u64 levels[MC_NLEVELS] = { 0 };

	if (mc_opened.at && mc_opened.type == type)
		return 0;
	unmap();
	mapping = mc_attr_map(mc_opened.range.start, mc_opened.range.bytes, type);
	if (!mapping)
		return mc_fail(&run->error, -ENOMEM, "target: the kernel can't map its %llu MiB",
			       mc_opened.range.bytes >> 20);
	mc_opened.at = (u8 __force *)mapping;	/* for loops that use it as memory */
	mc_opened.type = type;
	mc_opened.attribute = mc_attr_walk(mc_opened.at, mc_opened.range.bytes, MC_ATTR_NA, levels);
	mc_opened.page_bytes = mc_level_most(levels);
	return mc_target_mapped(mc_attr_of(type), &run->error);
}

/* ------------------------------------------- contents: bring back */

static bool tell_how_far(u64 done, u64 both)
{
	WRITE_ONCE(back, done);
	WRITE_ONCE(all, both);
	return !READ_ONCE(mc_opened.given_up);
}

/**
 * mc_target_back() - how far a run is that brings back the contents of its target
 * @done: result: bytes
 * @both: result: what @done will be in the end
 *
 * Return: false if no run does.
 */
bool mc_target_back(u64 *done, u64 *both)
{
	*done = READ_ONCE(back);
	*both = READ_ONCE(all);
	return *both;
}

/**
 * mc_target_give_up() - leave the rest of the contents as they are, if some are brought back now
 */
void mc_target_give_up(void)
{
	/* Not those of the next run. */
	mutex_lock(&in_use.lock);
	if (READ_ONCE(all))
		WRITE_ONCE(mc_opened.given_up, true);
	mutex_unlock(&in_use.lock);
}

/* Let go of the device, for which remove() may wait. */
static void close_device(struct mc_run *run)
{
	struct pci_dev *pci = in_use.pci;
	bool gone;

	mutex_lock(&in_use.lock);
	gone = in_use.gone;
	in_use.pci = NULL;
	in_use.gone = false;
	mutex_unlock(&in_use.lock);
	if (gone) {
		mc_fail(&run->error, -ENODEV,
			"target: %s went away while the run was on; earlier results are kept",
			pci_name(pci));
		complete(&in_use.closed);
	}
	pci_dev_put(pci);
}

static void close_target(struct mc_run *run)
{
	mutex_lock(&in_use.lock);
	WRITE_ONCE(all, 0);
	mutex_unlock(&in_use.lock);
	unmap();
	if (in_use.pci)
		close_device(run);
	else
		release_mem_region(mc_opened.range.start, mc_opened.range.bytes);
}

static bool is_gone(void)
{
	return in_use.pci && !pci_device_is_present(in_use.pci);
}

static const struct mc_target_ops target_ops = {
	.find = find_bytes,
	.open = open_target,
	.map = map_as,
	.is_gone = is_gone,
	.go_on = tell_how_far,
	.close = close_target,
};

struct mc_opened mc_opened = { .ops = &target_ops };
