/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only header through which core/ uses its environment: the kernel's types and
 * string functions in the module, and libc's in user space.
 */
#ifndef MC_CORE_SHIM_H
#define MC_CORE_SHIM_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/types.h>

#define MC_TESTS_LISTED	"the file tests lists them"
#else
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short s16;
typedef long long s64;

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
/* A thread that reads this value also sees all earlier stores. */
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PTR_ALIGN(p, a)	({ unsigned long n_ = (a); \
	(typeof(p))(((unsigned long)(p) + n_ - 1) & -n_); })
#define __iomem
#define noinline	__attribute((noinline))
#define __printf(a, b)	__attribute((format(printf, a, b)))

#define MC_TESTS_LISTED	"memcache-user --tests lists them"

#endif /* __KERNEL__ */

/* Only this function deals with the kernel's swap argument. */
static inline void mc_sort(void *v, size_t n, size_t size, int (*cmp)(const void *a, const void *b))
{
#ifdef __KERNEL__
	sort(v, n, size, cmp, NULL);
#else
	qsort(v, n, size, cmp);
#endif
}

#endif /* MC_CORE_SHIM_H */
