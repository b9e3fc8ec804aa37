// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work on much memory, piece by piece. The kernel's functions take sizes of 32 bits, and none of
 * them lets other threads run.
 */
#include "measure/pieces.h"
#include "platform/os.h"

#define AT_ONCE	1048576U	/* bytes */

/**
 * mc_in_pieces() - call a function for each piece of memory
 * @addr: the first address
 * @bytes: number of bytes
 * @work: the function; pieces follow one another, and are multiples of 1 MiB but for the last
 *
 * Context: Process, may sleep.
 */
void mc_in_pieces(void *addr, u64 bytes, void (*work)(void *addr, unsigned int bytes))
{
	u64 done, left;

	for (done = 0; done < bytes; done += AT_ONCE) {
		left = bytes - done;
		work((u8 *)addr + done, left < AT_ONCE ? (unsigned int)left : AT_ONCE);
		mc_breathe();
	}
}
