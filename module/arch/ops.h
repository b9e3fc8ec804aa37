/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations: for each its name in enum mc_op and its struct mc_op_info, which begins with
 * the word of op=. A file that includes this defines OP() as what it needs of them.
 */

OP(READ, "read", 1, 1),	/* loads */
OP(NTREAD, "ntread", 1, 1, .sums = true),	/* by movntdqa, a line's loads back to back */
OP(WRITE, "write", 1, 1, MC_STORES_COUNTER),
OP(NTWRITE, "ntwrite", 1, 1, MC_STORES_COUNTER, .nontemporal = true),
OP(COPY, "copy", 2, 2, MC_STORES_COPY),	/* a = b */
OP(NTCOPY, "ntcopy", 2, 2, MC_STORES_COPY, .nontemporal = true),
OP(RMW, "rmw", 1, 2, MC_STORES_ONE_MORE),	/* a += 1, as integers */
/* Atomics: a += 1, the same by a comparison with what a load found, a = counter, a |= 1. */
OP(XADD, "xadd", 1, 2, MC_STORES_ONE_MORE, MC_CPU_ATOMICS, .atomic = true),
OP(CMPXCHG, "cmpxchg", 1, 2, MC_STORES_ONE_MORE, MC_CPU_ATOMICS, .atomic = true),
OP(XCHG, "xchg", 1, 2, MC_STORES_COUNTER, MC_CPU_ATOMICS, .atomic = true),
OP(FETCH_OR, "fetch_or", 1, 2, MC_STORES_OR, MC_CPU_ATOMICS, .atomic = true),
/* The same by a load and a store that fails if another CPU came in between. */
OP(XADD_LLSC, "xadd_llsc", 1, 2, MC_STORES_ONE_MORE, MC_CPU_LLSC, .atomic = true),
OP(CMPXCHG_LLSC, "cmpxchg_llsc", 1, 2, MC_STORES_ONE_MORE, MC_CPU_LLSC, .atomic = true),
OP(XCHG_LLSC, "xchg_llsc", 1, 2, MC_STORES_COUNTER, MC_CPU_LLSC, .atomic = true),
OP(FETCH_OR_LLSC, "fetch_or_llsc", 1, 2, MC_STORES_OR, MC_CPU_LLSC, .atomic = true),
OP(TRIAD, "triad", 3, 3, MC_STORES_TRIAD),	/* a = b + 2 * c, as doubles */
OP(NTTRIAD, "nttriad", 3, 3, MC_STORES_TRIAD, .nontemporal = true),
OP(SCALE, "scale", 2, 2, MC_STORES_TRIAD),	/* a = 2 * b, as doubles */
OP(ADD, "add", 3, 3, MC_STORES_TRIAD),	/* a = b + c, as doubles */
OP(TRIAD4, "triad4", 4, 4, MC_STORES_TRIAD),	/* a = b + c * d, as doubles */
OP(NTTRIAD4, "nttriad4", 4, 4, MC_STORES_TRIAD, .nontemporal = true),
/* a = counter, sum of b, c and d, a line of each in turn; then without d; without c and d. */
OP(RW31, "rw31", 4, 4, MC_STORES_COUNTER, .sums = true),
OP(RW21, "rw21", 3, 3, MC_STORES_COUNTER, .sums = true),
OP(RW11, "rw11", 2, 2, MC_STORES_COUNTER, .sums = true),
OP(RW32, "rw32", 5, 5, MC_STORES_COUNTER, .sums = true, .twice = true),	/* a = b = counter */
OP(RW41, "rw41", 5, 5, MC_STORES_COUNTER, .sums = true),
OP(RW91, "rw91", 10, 10, MC_STORES_COUNTER, .sums = true),
OP(NTRW31, "ntrw31", 4, 4, MC_STORES_COUNTER, .sums = true, .nontemporal = true),
OP(NTRW21, "ntrw21", 3, 3, MC_STORES_COUNTER, .sums = true, .nontemporal = true),
OP(NTRW11, "ntrw11", 2, 2, MC_STORES_COUNTER, .sums = true, .nontemporal = true),
OP(NTRW32, "ntrw32", 5, 5, MC_STORES_COUNTER, .sums = true, .nontemporal = true, .twice = true),
OP(NTRW41, "ntrw41", 5, 5, MC_STORES_COUNTER, .sums = true, .nontemporal = true),
OP(NTRW91, "ntrw91", 10, 10, MC_STORES_COUNTER, .sums = true, .nontemporal = true),
/* Each line is flushed when it is full, or written back. */
OP(WRITE_FLUSHOPT, "write_clflushopt", 1, 1, MC_STORES_COUNTER, MC_CPU_CLFLUSHOPT, .flushes = true),
OP(WRITE_CLWB, "write_clwb", 1, 1, MC_STORES_COUNTER, MC_CPU_CLWB, .flushes = true),
/*
 * Loads or stores, and a hint about each line: of one that comes later, that it is read once, or
 * will be written; of one that is full, that others want it; in the loads, that others read it.
 */
OP(READ_PREFETCHNTA, "read_prefetchnta", 1, 1, .hints = true),
OP(WRITE_PREFETCHW, "write_prefetchw", 1, 1, MC_STORES_COUNTER, MC_CPU_PREFETCHW, .hints = true),
OP(WRITE_CLDEMOTE, "write_cldemote", 1, 1, MC_STORES_COUNTER, MC_CPU_CLDEMOTE, .hints = true),
OP(READ_MOVRS, "read_movrs", 1, 1, .needs = MC_CPU_MOVRS, .hints = true, .processes = true),
/* a = b, a line an access. */
OP(MOVDIR64B, "movdir64b", 2, 2, MC_STORES_COPY, MC_CPU_MOVDIR64B, .nontemporal = true),
OP(REP_MOVSB, "rep_movsb", 2, 2, MC_STORES_COPY, MC_CPU_STRINGS),	/* a = b */
OP(REP_STOSB, "rep_stosb", 1, 1, MC_STORES_BYTE, MC_CPU_STRINGS),	/* a = a byte */
/* A loop that somebody has registered (own.h), which replaces all but the name. */
OP(OWN, "own", 1, 1, .registered = true),
/* The kernel's functions. */
OP(MEMCPY_TOIO, "memcpy_toio", 2, 2, MC_STORES_COPY, .kernels = true),
OP(MEMCPY_FROMIO, "memcpy_fromio", 2, 2, MC_STORES_COPY, .kernels = true),
OP(MEMSET_IO, "memset_io", 1, 1, MC_STORES_BYTE, .kernels = true),
OP(IOWRITE64_COPY, "__iowrite64_copy", 2, 2, MC_STORES_COPY, .kernels = true),
OP(FLUSHCACHE, "memcpy_flushcache", 2, 2, MC_STORES_COPY, .nontemporal = true, .kernels = true),
OP(MEMSET, "memset", 1, 1, MC_STORES_BYTE, .kernels = true),
OP(MEMCPY, "memcpy", 2, 2, MC_STORES_COPY, .kernels = true),
OP(MEMMOVE, "memmove", 2, 2, MC_STORES_COPY, .kernels = true),
OP(COPY_MC, "copy_mc_to_kernel", 2, 2, MC_STORES_COPY, .kernels = true),
OP(CSUM, "csum_partial", 1, 1, .kernels = true),
/* One array is at user addresses. */
OP(COPY_FROM_USER, "copy_from_user", 2, 2, MC_STORES_COPY, .kernels = true, .user = 2),
OP(COPY_TO_USER, "copy_to_user", 2, 2, MC_STORES_COPY, .kernels = true, .user = 1),
OP(CLEAR_USER, "clear_user", 1, 1, MC_STORES_ZERO, .kernels = true, .user = 1),
OP(CLEAR_PAGE, "clear_page", 1, 4096, MC_STORES_ZERO, .turn = 4096, .kernels = true),
OP(CLEAR_PAGES, "clear_pages", 1, 4096, MC_STORES_ZERO, .turn = 4096, .kernels = true),
OP(COPY_PAGE, "copy_page", 2, 8192, MC_STORES_COPY, .turn = 4096, .kernels = true),
