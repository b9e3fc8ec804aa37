/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's own headers say must stay as its configuration has it; the rest has KUnit. */
#include <linux/module.h>
#include <linux/sched.h>

#define CONFIG_KUNIT			1
#define CONFIG_KUNIT_DEFAULT_ENABLED	1
#define CONFIG_MEMTYPE_KUNIT_INTRUSIVE	1

#ifndef MAX_PAGE_ORDER		/* as in 6.1 */
#define MAX_PAGE_ORDER			(MAX_ORDER - 1)
#endif

struct kunit;
void kunit_free_boot_suites(void);
int memtype_run(void);
#include "inc/kunit/test-bug.h"
