// SPDX-License-Identifier: GPL-2.0-only
/* Ways to store a line that are the same on each architecture; see arch/mmio.h. */
#include "arch/mmio.h"

/**
 * mc_mmio_c_loop() - copy a line as a driver without assembly does
 * @to: where it goes
 * @from: the line
 */
void mc_mmio_c_loop(void *to, const void *from)
{
	unsigned int i;

	for (i = 0; i < MC_MMIO_LINE / 8; i++)
		WRITE_ONCE(((u64 *)to)[i], ((const u64 *)from)[i]);
}

#if defined(__KERNEL__) && !defined(CONFIG_UML)
#include <linux/io.h>

#define IO(p)	((void __iomem __force *)(p))

/**
 * mc_mmio_memcpy_toio() - copy a line by memcpy_toio()
 * @to: where it goes
 * @from: the line
 */
void mc_mmio_memcpy_toio(void *to, const void *from)
{
	memcpy_toio(IO(to), from, MC_MMIO_LINE);
}

/**
 * mc_mmio_iowrite64_copy() - copy a line by __iowrite64_copy()
 * @to: where it goes
 * @from: the line
 */
void mc_mmio_iowrite64_copy(void *to, const void *from)
{
	__iowrite64_copy(IO(to), from, MC_MMIO_LINE / 8);
}
#endif
