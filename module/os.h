/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests and measure.c need of the system under them, on either side. */
#ifndef MC_OS_H
#define MC_OS_H

#include "core/shim.h"

#ifdef __KERNEL__
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/slab.h>

static inline void *mc_alloc_array(size_t n, size_t size)
{
	return kvcalloc(n, size, GFP_KERNEL);
}

static inline void mc_free(void *p)
{
	kvfree(p);
}
#else
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))

static inline void *mc_alloc_array(size_t n, size_t size)
{
	return calloc(n, size);
}

static inline void mc_free(void *p)
{
	free(p);
}
#endif /* __KERNEL__ */

#endif /* MC_OS_H */
