// SPDX-License-Identifier: GPL-2.0-only
/* Intel SDM vol. 2, 2.1 to 2.7: the bytes of instructions in 64-bit mode. */
#include <string.h>

#include "instruction.h"

static bool is_prefix(uint8_t byte)
{
	return byte && strchr("\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x67\xf0", byte);
}

/* Decode the address of a memory operand: ModRM, SIB and displacement (SDM vol. 2, 2.1.5). */
static void operand(const uint8_t *b, const uint8_t *end, uint8_t rex, struct instruction *in)
{
	uint8_t mod = b[0] >> 6, rm = b[0] & 7;
	bool only_offset;

	b++;
	in->base = rm | (rex & 1) << 3;
	only_offset = !mod && rm == 5;
	if (rm == 4 && b < end) {
		in->base = (b[0] & 7) | (rex & 1) << 3;
		in->index = (b[0] >> 3 & 7) | (rex & 2) << 2;
		in->scale = 1 << (b[0] >> 6);
		if (in->index == 4)
			in->index = NO_REGISTER;
		only_offset = !mod && (b[0] & 7) == 5;
		b++;
	}
	if (only_offset)
		in->base = NO_REGISTER;
	if (mod == 1 && b < end)
		in->offset = (int8_t)b[0];
	else if ((mod == 2 || only_offset) && b + 4 <= end)
		memcpy(&in->offset, b, sizeof(in->offset));
}

static enum kind kind_of_0f_01(uint8_t modrm)
{
	if (modrm == 0xf9)				/* RDTSCP */
		return READS_CLOCK;
	return modrm < 0xc0 && (modrm >> 3 & 7) == 7 ? CHANGES_TRANSLATIONS : ORDINARY;
}

static enum kind kind_of_0f_ae(uint8_t modrm, bool has_66)
{
	uint8_t reg = modrm >> 3 & 7;

	if (modrm >= 0xc0 && !has_66)
		return modrm == 0xf8 ? SFENCE : modrm == 0xf0 ? MFENCE : ORDINARY;
	if (modrm >= 0xc0)
		return ORDINARY;
	if (reg == 7)					/* CLFLUSH, CLFLUSHOPT */
		return FLUSHES;
	return has_66 && reg == 6 ? CLEANS : ORDINARY;	/* CLWB */
}

/* The kind of a two-byte opcode. @b: the second byte. */
static enum kind kind_of_0f(const uint8_t *b, const uint8_t *end, bool has_66, bool has_f3)
{
	uint8_t modrm = b + 1 < end ? b[1] : 0;
	bool memory = modrm < 0xc0;

	switch (b[0]) {
	case 0x31:	/* RDTSC */
		return READS_CLOCK;
	case 0x30:
		return WRITES_MSR;
	case 0x01:	/* RDTSCP, INVLPG */
		return kind_of_0f_01(modrm);
	case 0x22:	/* MOV to CR3, CR4 or another */
		return CHANGES_TRANSLATIONS;
	case 0x08:	/* INVD */
		return LOSES_CACHES;
	case 0x09:	/* WBNOINVD, WBINVD */
		return has_f3 ? CLEANS_CACHES : EMPTIES_CACHES;
	case 0x38:	/* INVPCID is 66 0f 38 82 */
		return has_66 && modrm == 0x82 ? CHANGES_TRANSLATIONS : ORDINARY;
	case 0x2b:	/* MOVNTPS, MOVNTPD */
	case 0xc3:	/* MOVNTI */
	case 0xe7:	/* MOVNTDQ */
		return memory ? STREAMS : ORDINARY;
	case 0x0d:	/* PREFETCH, PREFETCHW */
		return memory ? HINTS : ORDINARY;
	case 0x18:	/* PREFETCHNTA, PREFETCHT0 to PREFETCHT2 */
		return memory && (modrm >> 3 & 7) < 4 ? HINTS : ORDINARY;
	case 0x1c:	/* CLDEMOTE */
		return memory && !(modrm >> 3 & 7) && !has_66 && !has_f3 ? HINTS : ORDINARY;
	case 0xae:
		return kind_of_0f_ae(modrm, has_66);
	default:
		return ORDINARY;
	}
}

static bool stores_streaming(uint8_t opcode)
{
	return opcode == 0x2b || opcode == 0xe7;
}

/* Opcodes of map 0f whose memory operand is no whole register: shifts by a count, conversions to
 * wider numbers.
 */
static bool is_narrow(uint8_t opcode)
{
	return opcode && strchr("\x5a\xd1\xd2\xd3\xe1\xe2\xe6\xf1\xf2\xf3", opcode);
}

/* Decode an instruction from the bytes of its VEX prefix that has the length, its map, and its
 * opcode (SDM vol. 2, 2.3.5). Of map 0f38, only VMOVNTDQA is known to access a whole register.
 */
static struct instruction decode_vex(uint8_t length, uint8_t map, uint8_t opcode)
{
	struct instruction in = { ORDINARY, NO_REGISTER, NO_REGISTER, 1, 0 };

	if (map == 1 && stores_streaming(opcode))
		in.kind = STREAMS;
	in.halves = length & 4 && (map == 1 ? !is_narrow(opcode) : map == 2 && opcode == 0x2a);
	return in;
}

/**
 * instruction_x86() - decode an instruction
 * @b: its bytes
 * @n: how many
 */
struct instruction instruction_x86(const uint8_t *b, size_t n)
{
	struct instruction in = { ORDINARY, NO_REGISTER, NO_REGISTER, 1, 0 };
	const uint8_t *end = b + n;
	bool has_66 = false, has_f3 = false;
	uint8_t rex = 0;

	for (; b < end && is_prefix(*b); b++) {
		has_66 |= *b == 0x66;
		has_f3 |= *b == 0xf3;
	}
	if (b < end && *b >> 4 == 4)
		rex = *b++;
	if (end - b >= 2 && b[0] == 0x0f) {
		in.kind = kind_of_0f(b + 1, end, has_66, has_f3);
		if (in.kind == FLUSHES || in.kind == CLEANS)
			operand(b + 2, end, rex, &in);
	} else if (end - b >= 1 && b[0] == 0xcf) {	/* IRET */
		in.kind = RETURNS_FROM_INTERRUPT;
	} else if (end - b >= 4 && b[0] == 0xc5) {	/* VEX of two bytes: map 0f */
		in = decode_vex(b[1], 1, b[2]);
	} else if (end - b >= 5 && b[0] == 0xc4) {	/* VEX of three bytes */
		in = decode_vex(b[2], b[1] & 31, b[3]);
	} else if (end - b >= 6 && b[0] == 0x62) {	/* EVEX */
		in.kind = (b[1] & 7) == 1 && stores_streaming(b[4]) ? STREAMS : ORDINARY;
	}
	return in;
}
