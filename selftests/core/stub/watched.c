// SPDX-License-Identifier: GPL-2.0-only
/* Watched memory on x86: page faults, the trap flag, and the encodings of instructions. */
#include <sys/mman.h>

#include <signal.h>
#include <ucontext.h>

#include "../cmocka_all.h"

#include "watched.h"

#define PAGE		4096
#define TRAP_FLAG	0x100
#define IS_WRITE	2	/* in the error code of a page fault */

struct watched watched;

static bool opened;	/* the current instruction may access a page */

/* ------------------------------------------------------------- instructions */

/* Maps of opcodes: none, 0F and 0F 38, as VEX and EVEX number them. */
enum opcode_map { BARE, MAP_0F, MAP_0F38 };

struct instruction {
	enum opcode_map map;
	u8 opcode;
	u8 modrm;
	int displacement;	/* if the operand is a register and it alone */
	bool operand_size;	/* it has the prefix 66 */
	bool locked;		/* it has the prefix f0 */
	bool wide;		/* REX.W */
	unsigned int vector;	/* bytes of a vector with VEX or EVEX; 0: neither */
};

static struct instruction decode(const u8 *at)
{
	struct instruction i = { 0 };

	for (; ; at++) {
		if (*at == 0x66)
			i.operand_size = true;
		else if (*at == 0xf0)
			i.locked = true;
		else if (*at >> 4 == 4)
			i.wide = *at & 8;
		else if (*at != 0xf2 && *at != 0xf3)
			break;
	}
	if (*at == 0xc5) {
		i.map = MAP_0F;
		i.vector = at[1] & 4 ? 32 : 16;
		at += 2;
	} else if (*at == 0xc4) {
		i.map = at[1] & 0x1f;
		i.vector = at[2] & 4 ? 32 : 16;
		at += 3;
	} else if (*at == 0x62) {
		i.map = at[1] & 7;
		i.vector = 16 << (at[3] >> 5 & 3);
		at += 4;
	} else if (*at == 0x0f) {
		i.map = at[1] == 0x38 ? MAP_0F38 : MAP_0F;
		at += i.map;
	}
	i.opcode = at[0];
	i.modrm = at[1];
	i.displacement = i.modrm >> 6 == 1 ? (signed char)at[2] : 0;
	if (i.modrm >> 6 == 2)
		memcpy(&i.displacement, at + 2, sizeof(i.displacement));
	return i;
}

static bool is_of(const struct instruction *i, enum opcode_map map, u8 opcode)
{
	return i->map == map && i->opcode == opcode;
}

/* CLFLUSH and its like, and the fences, differ in the middle of the next byte. */
static unsigned int group_15(const struct instruction *i)
{
	return is_of(i, MAP_0F, 0xae) && !i->vector ? i->modrm >> 3 & 7 : 0;
}

static bool is_fence(const struct instruction *i, unsigned int number)
{
	return group_15(i) == number && i->modrm >> 6 == 3;
}

static bool is_movdir64b(const struct instruction *i)
{
	return is_of(i, MAP_0F38, 0xf8);
}

/* Does it load and store: an addition of a constant and its like, XCHG, XADD, CMPXCHG? */
static bool does_both(const struct instruction *i)
{
	return is_of(i, BARE, 0x83) || is_of(i, BARE, 0x87) || is_of(i, MAP_0F, 0xc1) ||
	       is_of(i, MAP_0F, 0xb1);
}

static enum how how_of(const struct instruction *i, bool store)
{
	if (group_15(i) == 7)
		return FLUSH;
	if (group_15(i) == 6)
		return WRITE_BACK;
	if (is_of(i, MAP_0F38, 0x2a))	/* MOVNTDQA */
		return STREAMING;
	if (is_of(i, MAP_0F, 0xe7) || is_of(i, MAP_0F, 0xc3) || is_of(i, MAP_0F, 0x2b))
		return STREAMING;
	if (i->locked || is_of(i, BARE, 0x87))
		return LOCKED;
	return store && is_movdir64b(i) ? STREAMING : ORDINARY;
}

static unsigned int width_of(const struct instruction *i)
{
	if (group_15(i) || is_movdir64b(i))
		return 64;
	if (i->vector)
		return i->vector;
	if (is_of(i, MAP_0F, 0xb6) || (i->map == BARE && !(i->opcode & 1)))
		return 1;
	if (is_of(i, MAP_0F, 0xb7))
		return 2;
	if (i->map == BARE)
		return i->wide ? 8 : i->operand_size ? 2 : 4;
	return i->operand_size ? 16 : 8;
}

/* Is it a hint, and which: PREFETCHNTA, PREFETCHW, CLDEMOTE? 0: it is none. */
static enum how hint_of(const struct instruction *i)
{
	if (is_of(i, MAP_0F, 0x18) && !(i->modrm >> 3 & 7))
		return PREFETCH_NTA;
	if (is_of(i, MAP_0F, 0x0d) && (i->modrm >> 3 & 7) == 1)
		return PREFETCH_WRITE;
	return is_of(i, MAP_0F, 0x1c) && i->modrm < 0xc0 && !(i->modrm >> 3 & 7) ? DEMOTE : 0;
}

/* ------------------------------------------------------------------ signals */

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct instruction i = decode((const u8 *)registers[REG_RIP]);
	u64 offset = (u8 *)info->si_addr - watched.memory;
	bool both = does_both(&i);
	bool store = registers[REG_ERR] & IS_WRITE;

	if (offset >= WATCHED_BYTES || watched.n == ARRAY_SIZE(watched.access)) {
		signal(SIGSEGV, SIG_DFL);
		return;
	}
	watched.access[watched.n++] = (struct access){
		offset, width_of(&i), both || !store, both || store, how_of(&i, store),
	};
	watched.sfences_behind = 0;
	/* Only this page: an instruction may access two of them, and is then tried again. */
	opened = true;
	mprotect(watched.memory + offset / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static void on_step(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct instruction i = decode((const u8 *)registers[REG_RIP]);

	watched.sfences += is_fence(&i, 7);
	watched.sfences_behind += is_fence(&i, 7);
	watched.mfences += is_fence(&i, 6);
	watched.additions += i.map == BARE && i.opcode == 0x01 && i.modrm >> 6 == 3;
	if (hint_of(&i)) {
		watched.hints[hint_of(&i)]++;
		watched.hinted += registers[REG_RDX] + i.displacement - (u64)watched.memory;
	}
	if (opened)
		mprotect(watched.memory, WATCHED_BYTES, PROT_NONE);
	opened = false;
}

/* ------------------------------------------------------------------ the calls */

/* Get the memory. It may be filled and looked at while no call is watched. */
void watched_begin(void)
{
	watched.memory = mmap(NULL, WATCHED_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(watched.memory, MAP_FAILED);
}

/* The CPU traps after each instruction from the next one on, or no longer. */
static void step(bool on)
{
	unsigned long flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(u64)TRAP_FLAG);
}

static struct sigaction before[2];	/* what is done about the two signals elsewhere */

void watch_from_here(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	struct sigaction trap = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	watched.n = 0;
	watched.sfences = 0;
	watched.sfences_behind = 0;
	watched.mfences = 0;
	watched.additions = 0;
	memset(watched.hints, 0, sizeof(watched.hints));
	watched.hinted = 0;
	sigaction(SIGSEGV, &fault, &before[0]);
	sigaction(SIGTRAP, &trap, &before[1]);
	mprotect(watched.memory, WATCHED_BYTES, PROT_NONE);
	step(true);
}

void watch_until_here(void)
{
	step(false);
	mprotect(watched.memory, WATCHED_BYTES, PROT_READ | PROT_WRITE);
	sigaction(SIGSEGV, &before[0], NULL);
	sigaction(SIGTRAP, &before[1], NULL);
}
