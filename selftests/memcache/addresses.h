/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking for kernel addresses in a text. */
#ifndef SELFTESTS_ADDRESSES_H
#define SELFTESTS_ADDRESSES_H

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where the kernel's part of the address space begins. */
#ifdef __aarch64__
#define KERNEL_FROM 0xffff000000000000
#else
#define KERNEL_FROM 0xffff800000000000
#endif

/* The kernel's addresses, without small negative numbers. */
static inline bool address_of_kernel(const char *digits, int base)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(digits, &end, base);
	return !errno && !isxdigit(*end) && value >= KERNEL_FROM && value < -4096UL;
}

/* Find such an address in a text, in any notation; NULL: there is none. */
static inline const char *address_in(const char *text)
{
	const char *at = text;

	while (*at) {
		size_t n = strspn(at, "0123456789abcdefABCDEF");

		if (n && (address_of_kernel(at, 16) || address_of_kernel(at, 10)))
			return at;
		at += n ? n : 1;
	}
	return NULL;
}

#endif /* SELFTESTS_ADDRESSES_H */
