// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loop of op=own. The module that has it registers it when it is loaded. A run holds
 * that module, so that it can't be unloaded meanwhile.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/security.h>

#include "arch/own.h"
#include "kernel/own.h"

static DEFINE_MUTEX(own_lock);
static struct module *loop_owner;	/* protected by own_lock; NULL: there is no loop */
static struct module *held_owner;	/* by the current run */

/* A loop is code that nobody has looked at. */
static bool locked_down(void)
{
	return security_locked_down(LOCKDOWN_MODULE_SIGNATURE);
}

static int take(const struct mc_own *own, void (*run)(struct mc_loop_args *args),
		struct module *owner)
{
	const char *why;

	if (loop_owner) {
		pr_err("memcache: own: %s is the loop of op=own; unload %s before another one is loaded\n",
		       mc_own_name(), module_name(loop_owner));
		return -EBUSY;
	}
	why = mc_own_set(own, run);
	if (why) {
		pr_err("memcache: own: the loop of %s is not taken: %s\n", module_name(owner), why);
		return -EINVAL;
	}
	loop_owner = owner;
	return 0;
}

/**
 * mc_own_register() - make a loop that of op=own
 * @own: its description, which is copied
 * @run: the loop
 * @owner: module that has it, and calls mc_own_unregister() when it is unloaded
 *
 * Context: Process, may sleep.
 * Return: 0, -EBUSY (there is a loop already), -EPERM (the kernel is locked down), or
 * -EINVAL; the kernel log has the reason.
 */
int mc_own_register(const struct mc_own *own, void (*run)(struct mc_loop_args *args),
		    struct module *owner)
{
	int err;

	if (locked_down()) {
		pr_err("memcache: own: the kernel is locked down, so no loop is taken\n");
		return -EPERM;
	}
	mutex_lock(&own_lock);
	err = take(own, run, owner);
	mutex_unlock(&own_lock);
	return err;
}
EXPORT_SYMBOL_GPL(mc_own_register);

/**
 * mc_own_unregister() - let op=own have no loop
 *
 * Context: Process, may sleep; the module that registered the loop, which no run holds.
 */
void mc_own_unregister(void)
{
	mutex_lock(&own_lock);
	mc_own_clear();
	loop_owner = NULL;
	mutex_unlock(&own_lock);
}
EXPORT_SYMBOL_GPL(mc_own_unregister);

/**
 * mc_own_hold() - keep the loop of op=own for a run
 * @run: the run
 *
 * Context: Process, may sleep; one run at a time.
 * Return: 0, or -EOPNOTSUPP, explained in the run's error.
 */
int mc_own_hold(struct mc_run *run)
{
	if (locked_down())
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "op: the kernel is locked down, so it runs no loop of one's own");
	mutex_lock(&own_lock);
	held_owner = loop_owner && try_module_get(loop_owner) ? loop_owner : NULL;
	mutex_unlock(&own_lock);
	if (!held_owner)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "op: no loop is registered for op=own; `memcache loop FILE` builds a module that has one");
	return 0;
}

/**
 * mc_own_drop() - end what mc_own_hold() began
 *
 * Context: Process.
 */
void mc_own_drop(void)
{
	module_put(held_owner);
	held_owner = NULL;
}
