// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module with a loop of one's own: it registers the loop as op=own of memcache.
 *
 * memcache is found when this module is loaded, not when it is built, so building it takes
 * nothing but the kernel's headers.
 */
#include <linux/module.h>

#include "arch/own.h"

static void (*unregister)(void);

static int __init own_init(void)
{
	int (*enter)(const struct mc_own *own, void (*run)(struct mc_loop_args *args),
		     struct module *owner) = symbol_get(mc_own_register);
	int err;

	if (!enter) {
		pr_err("memcache_own: load memcache first; it must be as new as this loop\n");
		return -ENODEV;
	}
	unregister = symbol_get(mc_own_unregister);
	err = unregister ? enter(&mc_own, mc_own_run, THIS_MODULE) : -ENODEV;
	/* The second symbol keeps memcache where it is. */
	symbol_put(mc_own_register);
	if (err && unregister)
		symbol_put(mc_own_unregister);
	return err;
}

static void __exit own_exit(void)
{
	unregister();
	symbol_put(mc_own_unregister);
}

module_init(own_init);
module_exit(own_exit);

MODULE_DESCRIPTION("A loop of one's own for memcache");
MODULE_LICENSE("GPL");
