// SPDX-License-Identifier: GPL-2.0-only
/*
 * A try of the accesses that the loops make, before one of them measures memory of a Device type.
 * Such memory faults on what is not aligned, and hardware may refuse more. A fault in a loop
 * would stop the kernel; one in a try is caught by the exception table.
 */
#include <linux/kernel.h>
#include <asm/asm-extable.h>

#include "kernel/arch.h"
#include "machine/instructions.h"

/* Do an instruction, with the line as operand 1. Return: 0, or a negative errno if it faults. */
#define TRY(instruction, line) ({					\
	register long err_ asm("x11") = 0;				\
									\
	asm volatile(".arch_extension fp\n\t"				\
		     ".arch_extension simd\n"				\
		     "1:\t" instruction "\n"				\
		     "2:\n"						\
		     _ASM_EXTABLE_KACCESS_ERR_ZERO(1b, 2b, w11, wzr)	\
		     : "+r" (err_) : "r" (line)				\
		     : "memory", "x9", "v6", "v7");			\
	err_;								\
})

const char *mc_attr_try(void *line)
{
	const char *failed = NULL;

	mc_fpu_begin();
	if (TRY("ldr x9, [%1]", line) || TRY("str x9, [%1]", line))
		failed = "accesses of 8 bytes";
	else if (TRY("ldr q6, [%1]", line) || TRY("str q6, [%1]", line))
		failed = "accesses of 16 bytes";
	else if (TRY("ldp q6, q7, [%1]", line) || TRY("stp q6, q7, [%1]", line))
		failed = "accesses of 32 bytes";
	else if (TRY("ldnp q6, q7, [%1]", line) || TRY("stnp q6, q7, [%1]", line))
		failed = "non-temporal accesses";
	mc_fpu_end();
	return failed;
}
