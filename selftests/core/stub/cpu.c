// SPDX-License-Identifier: GPL-2.0-only
/* What this CPU can run, from the compiler's library or by a try. */
#include <setjmp.h>
#include <signal.h>

#include "cpu.h"

static sigjmp_buf before;

static void on_sigill(int number)
{
	siglongjmp(before, 1);
}

/* Some hypervisors hide it from CPUID but let it run, so that it can be tested. */
static bool try_movdir64b(void)
{
	static _Alignas(64) char from[64], to[64];
	struct sigaction action = { .sa_handler = on_sigill }, old;
	bool runs = false;

	sigaction(SIGILL, &action, &old);
	if (!sigsetjmp(before, 1)) {
		asm volatile("movdir64b (%0), %1" : : "r" (from), "r" (to) : "memory");
		runs = true;
	}
	sigaction(SIGILL, &old, NULL);
	return runs;
}

bool cpu_runs(enum mc_feature feature)
{
	static int movdir64b = -1;

	switch (feature) {
	case MC_CPU_SSE41:
		return __builtin_cpu_supports("sse4.1");
	case MC_CPU_AVX:
		return __builtin_cpu_supports("avx");
	case MC_CPU_AVX2:
		return __builtin_cpu_supports("avx2") &&
		       __builtin_cpu_supports("fma");
	case MC_CPU_AVX512F:
		return __builtin_cpu_supports("avx512f");
	case MC_CPU_CLFLUSHOPT:
		return __builtin_cpu_supports("clflushopt");
	case MC_CPU_CLWB:
		return __builtin_cpu_supports("clwb");
	case MC_CPU_MOVDIR64B:
		if (movdir64b < 0)
			movdir64b = try_movdir64b();
		return movdir64b;
	case MC_CPU_LLSC:
	case MC_CPU_CLDEMOTE:
	case MC_CPU_MOVRS:
	case MC_CPU_AVX10_2:
		return false;
	default:
		return true;
	}
}
