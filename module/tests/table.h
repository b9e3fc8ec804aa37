/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests there are, a line each: tests/NAME.c defines mc_test_NAME. */
MC_TEST(bandwidth)
