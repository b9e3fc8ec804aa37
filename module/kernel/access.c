// SPDX-License-Identifier: GPL-2.0-only
/* A first access to memory of which nobody knows whether it answers: the exception table. */
#include <linux/errno.h>

#include "machine/access.h"
#include "machine/instructions.h"
#include "platform/access.h"

/**
 * mc_access_try() - load, and store what was loaded, if that does not fault
 * @at: the address, a multiple of @width
 * @width: bytes of the access: 1, 2, 4, 8, 16, 32 or 64, one that this CPU has
 * @stores: whether to store
 *
 * Hardware that does not answer at all, or a hypervisor that ends the machine in place of a
 * fault, can't be caught.
 *
 * Context: Process.
 * Return: 0, or -EFAULT if an access faulted.
 */
int mc_access_try(void *at, unsigned int width, bool stores)
{
	int err;

	mc_fpu_begin();
	err = mc_access(at, width, stores);
	mc_fpu_end();
	return err ? -EFAULT : 0;
}
