/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka wants these four headers before its own. */
#ifndef MC_SELFTEST_CMOCKA_ALL_H
#define MC_SELFTEST_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif /* MC_SELFTEST_CMOCKA_ALL_H */
