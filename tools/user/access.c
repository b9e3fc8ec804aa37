// SPDX-License-Identifier: GPL-2.0-only
/* A first access to memory of which nobody knows whether it answers: signals of this thread. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>

#include "machine/access.h"
#include "platform/access.h"

static const int faults[] = { SIGBUS, SIGSEGV, SIGILL };

static sigjmp_buf out;
static int err;	/* a jump leaves it alone */

static void on_fault(int number)
{
	siglongjmp(out, 1);
}

/* See module/kernel/access.c. No other thread of the program accesses a target meanwhile. */
int mc_access_try(void *at, unsigned int width, bool stores)
{
	const struct sigaction catching = { .sa_handler = on_fault };
	struct sigaction old[ARRAY_SIZE(faults)];
	unsigned int i;

	err = 1;
	for (i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &catching, &old[i]);
	if (!sigsetjmp(out, 1))
		err = mc_access(at, width, stores);
	for (i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &old[i], NULL);
	return err ? -EFAULT : 0;
}
