// SPDX-License-Identifier: GPL-2.0-only
/* The loop that measures a core's clock takes the same cycles on every core. */
#include "cmocka_all.h"

#include "measure/chase.h"

/*
 * The latency of a multiplication differs between cores: 3 cycles on most, 4 or 5 on
 * Silvermont, Alder Lake's E cores, and before Zen 2. Here IMUL is 0F AF, 69 or 6B.
 */
static void test_nothing_is_multiplied(void **state)
{
	const u8 *at = (const u8 *)(uintptr_t)mc_asm_clock;

	for (; *at != 0xc3; at++) {	/* RET */
		assert_false(at[0] == 0x0f && at[1] == 0xaf);
		assert_false(at[0] == 0x48 && (at[1] == 0x69 || at[1] == 0x6b));
	}
}
