/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All tests, in the order of the file `tests`: a line for each file in benchmarks/. A file that
 * includes this defines MC_TEST() as what it needs of them.
 */

MC_TEST(bandwidth),
MC_TEST(latency),
MC_TEST(loaded),
MC_TEST(mix),
MC_TEST(c2c),
MC_TEST(line),
MC_TEST(tlb),
MC_TEST(mmio),
MC_TEST(random),
MC_TEST(atomic),
MC_TEST(scan),
MC_TEST(ramp),
MC_TEST(tail),
MC_TEST(overhead),
MC_TEST(file),
#ifndef __KERNEL__	/* in tools/user/benchmarks/ */
MC_TEST(os),
MC_TEST(pipe),
#endif
