/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka, which wants these four headers before its own, and units of bytes. */
#ifndef MC_SELFTEST_CMOCKA_ALL_H
#define MC_SELFTEST_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define K	1024ULL
#define M	(1024 * K)
#define G	(1024 * M)

#endif /* MC_SELFTEST_CMOCKA_ALL_H */
