// SPDX-License-Identifier: GPL-2.0-only
/* As much memory as a test wants, and no other caches, unless it has functions of its own. */
#pragma weak mc_memory_room
unsigned long long mc_memory_room(void)
{
	return ~0ULL;
}

#pragma weak mc_unlisted_cache
unsigned long long mc_unlisted_cache(void)
{
	return 0;
}
