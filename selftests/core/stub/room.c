// SPDX-License-Identifier: GPL-2.0-only
/* As much memory as a test wants, unless it has a function of its own. */
#pragma weak mc_memory_room
unsigned long long mc_memory_room(void)
{
	return ~0ULL;
}
