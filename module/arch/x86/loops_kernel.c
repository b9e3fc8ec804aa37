// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops that call the kernel's own functions, to measure the code that drivers run. User space has
 * none of them.
 */
#include "arch/loops.h"

#ifdef __KERNEL__
#include <linux/io.h>
#include <asm/cpufeature.h>

#include "arch/x86/fence.h"

static void run_fence(const struct mc_loop_args *args)
{
	if (args->fence == MC_FENCE_UC) {
		WRITE_ONCE(*(u64 *)args->uc_word, 1);
		READ_ONCE(*(u64 *)args->uc_word);
	} else {
		x86_fence(args->fence);
	}
}

#define BYTES		1
#define IO_BYTES	4
#define NORMAL_ONLY	false
#include "arch/kernel_loops.def"

/*
 * The flags that the functions' alternatives look at; the first row counts whose flag this CPU has,
 * and without one it is a loop. memmove() and copy_mc_to_kernel() depend on more than flags.
 */
static const struct {
	enum mc_op op;
	enum mc_uses uses;
	unsigned int flag;
} uses[] = {
#ifdef MC_HAVE_REP_MOVS_ALTERNATIVE
	{ MC_OP_MEMSET, MC_USES_STOSB, X86_FEATURE_FSRS },
	{ MC_OP_MEMCPY, MC_USES_MOVSB, X86_FEATURE_FSRM },
	{ MC_OP_CLEAR_USER, MC_USES_STOSB, X86_FEATURE_FSRS },
	{ MC_OP_COPY_FROM_USER, MC_USES_MOVSB, X86_FEATURE_FSRM },
	{ MC_OP_COPY_FROM_USER, MC_USES_MOVSB, X86_FEATURE_ERMS },
	{ MC_OP_COPY_FROM_USER, MC_USES_MOVSQ, X86_FEATURE_ALWAYS },
#else
	{ MC_OP_MEMSET, MC_USES_STOSB, X86_FEATURE_ERMS },
	{ MC_OP_MEMSET, MC_USES_STOSQ, X86_FEATURE_REP_GOOD },
	{ MC_OP_MEMCPY, MC_USES_MOVSB, X86_FEATURE_ERMS },
	{ MC_OP_MEMCPY, MC_USES_MOVSQ, X86_FEATURE_REP_GOOD },
	{ MC_OP_COPY_FROM_USER, MC_USES_MOVSB, X86_FEATURE_ERMS },
	{ MC_OP_COPY_FROM_USER, MC_USES_MOVSQ, X86_FEATURE_REP_GOOD },
	{ MC_OP_CLEAR_USER, MC_USES_STOSB, X86_FEATURE_ERMS },
	{ MC_OP_CLEAR_USER, MC_USES_STOSQ, X86_FEATURE_REP_GOOD },
#endif
	{ MC_OP_CLEAR_PAGE, MC_USES_STOSB, X86_FEATURE_ERMS },
	{ MC_OP_CLEAR_PAGE, MC_USES_STOSQ, X86_FEATURE_REP_GOOD },
	{ MC_OP_COPY_PAGE, MC_USES_MOVSQ, X86_FEATURE_REP_GOOD },
	{ MC_OP_CSUM, MC_USES_LOOP, X86_FEATURE_ALWAYS },
	{ MC_OP_FLUSHCACHE, MC_USES_STREAMING, X86_FEATURE_ALWAYS },
};

#define NEAR	48	/* bytes of code in which a string instruction comes, or does not */

/* The string instruction near the begin of a function. A landing pad or a jump may come first. */
static enum mc_uses at_first(const u8 *code)
{
	unsigned int i, wide;

	if (*(const u32 *)code == 0xfa1e0ff3)
		code += 4;
	if (code[0] == 0xe9)
		code += 5 + *(const s32 *)(code + 1);
	else if (code[0] == 0xeb)
		code += 2 + (s8)code[1];
	for (i = 0; i < NEAR; i++) {
		wide = code[i + 1] == 0x48;
		if (code[i] == 0xf3 && code[i + 1 + wide] == 0xa4 + wide)
			return wide ? MC_USES_MOVSQ : MC_USES_MOVSB;
		if (code[i] == 0xf3 && code[i + 1 + wide] == 0xaa + wide)
			return wide ? MC_USES_STOSQ : MC_USES_STOSB;
	}
	return MC_USES_LOOP;
}

static enum mc_uses by_flags(enum mc_op op)
{
	enum mc_uses found = MC_USES_UNKNOWN;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		if (uses[i].op != op)
			continue;
		if (test_cpu_cap(&boot_cpu_data, uses[i].flag))
			return uses[i].uses;
		found = MC_USES_LOOP;
	}
	return found;
}

/**
 * mc_kernel_uses() - how a function of the kernel moves memory on this CPU
 * @op: its operation
 *
 * Return: what the kernel's own flags say, unless the first bytes of the function contradict.
 */
enum mc_uses mc_kernel_uses(enum mc_op op)
{
	const void *code = op == MC_OP_MEMCPY ? (const void *)memcpy :
			   op == MC_OP_MEMSET ? (const void *)memset : NULL;
	enum mc_uses found = by_flags(op == MC_OP_COPY_TO_USER ? MC_OP_COPY_FROM_USER :
				      op == MC_OP_CLEAR_PAGES ? MC_OP_CLEAR_PAGE : op);

	return code && at_first(code) != found ? MC_USES_UNKNOWN : found;
}
#else
const struct mc_loop mc_loops_of_kernel[] = { { } };
#endif
