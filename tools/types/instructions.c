// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "instructions.h"

static bool is_prefix(uint8_t byte)
{
	return byte && strchr("\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x67\xf0", byte);
}

/* The kind of a two-byte opcode; @b: the second byte; @has_66: there was a prefix 66. */
static enum kind kind_of_0f(const uint8_t *b, const uint8_t *end, bool has_66)
{
	uint8_t modrm = b + 1 < end ? b[1] : 0;
	bool memory = modrm < 0xc0;

	switch (b[0]) {
	case 0x31:	/* RDTSC */
		return READ_CLOCK;
	case 0x01:	/* RDTSCP is f9 */
		return modrm == 0xf9 ? READ_CLOCK : ORDINARY;
	case 0x2b:	/* MOVNTPS, MOVNTPD */
	case 0xc3:	/* MOVNTI */
	case 0xe7:	/* MOVNTDQ */
		return memory ? STREAMING : ORDINARY;
	case 0xae:
		if (memory)
			return has_66 && (modrm >> 3 & 7) == 6 ? WRITE_BACK : ORDINARY;
		return modrm == 0xf8 ? FENCE_S : modrm == 0xf0 ? FENCE_M :
		       modrm == 0xe8 ? FENCE_L : ORDINARY;
	default:
		return ORDINARY;
	}
}

static bool stores_streaming(uint8_t opcode)
{
	return opcode == 0x2b || opcode == 0xe7;
}

/**
 * instruction_kind() - kind of an instruction, by its bytes (Intel SDM vol. 2, 2.1 to 2.7)
 * @b: the first byte
 * @end: the address behind the last byte
 * @is64: the CPU is in 64-bit mode
 *
 * Return: the kind; ORDINARY if the witness does not count the instruction.
 */
enum kind instruction_kind(const uint8_t *b, const uint8_t *end, bool is64)
{
	bool has_66 = false;

	for (; b < end && is_prefix(*b); b++)
		has_66 |= *b == 0x66;
	if (b < end && is64 && *b >> 4 == 4)	/* REX */
		b++;
	if (end - b >= 2 && b[0] == 0x0f)
		return kind_of_0f(b + 1, end, has_66);
	if (is64 && end - b >= 4 && b[0] == 0xc5)	/* VEX of two bytes: map 0f */
		return stores_streaming(b[2]) ? STREAMING : ORDINARY;
	if (is64 && end - b >= 5 && b[0] == 0xc4)	/* VEX of three bytes */
		return (b[1] & 31) == 1 && stores_streaming(b[3]) ? STREAMING : ORDINARY;
	if (is64 && end - b >= 6 && b[0] == 0x62)	/* EVEX */
		return (b[1] & 7) == 1 && stores_streaming(b[4]) ? STREAMING : ORDINARY;
	return ORDINARY;
}
