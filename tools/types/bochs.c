// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debian's Bochs is configured with --enable-instrumentation and --enable-memtype,
 * and exports its symbols. Its instrumentation functions are empty: a `ret` and 15
 * bytes of padding. We write a jump to a function of our own over each. So we see every
 * access of the guest with its effective memory type, and can let time pass for it.
 *
 * The table `releases` has everything that depends on the version of Bochs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bochs.h"

/* Indices of the instrumentation functions that we fill. */
enum hook {
	LIN_ACCESS, BEFORE, OPCODE, NEAR, FAR, CLFLUSH, CACHES, TLB, INTERRUPT, OUT,
	NHOOKS
};

/* The CPU models that we run. We replace the cache leaf of their CPUID. */
#define NMODELS		2

/**
 * struct release - a version of Bochs
 * @version: the version as Bochs prints it; the runner passes it in TYPES_BOCHS
 * @hooks: names of its instrumentation functions, after C++ has mangled them
 * @cpuid4: names of the functions that return CPUID's leaf 4, for each model
 * @take_in: function that takes a range of ports for IN
 * @take_out: function that takes a range of ports for OUT
 * @devices: object that @take_in and @take_out are methods of
 * @write_memory: function that stores bytes of one page
 * @read_memory: function that loads bytes of one page
 * @event: function that runs the timers that are due
 * @system: object that @event is a method of
 * @get_tsc: function whose code shows where @system keeps time
 * @get_tsc_code: the beginning of that code; -1: four bytes of a displacement
 * @opcode_at: offset of the opcode in an instruction
 * @mov_cr3: the code of tlb_cntrl for a new CR3
 */
static const struct release {
	const char *version;
	const char *hooks[NHOOKS];
	const char *cpuid4[NMODELS];
	const char *take_in;
	const char *take_out;
	const char *devices;
	const char *write_memory;
	const char *read_memory;
	const char *event;
	const char *system;
	const char *get_tsc;
	int16_t get_tsc_code[16];
	unsigned int opcode_at;
	unsigned int mov_cr3;
} releases[] = {
	{
		.version = "2.7",
		.hooks = {
			[LIN_ACCESS] = "_Z19bx_instr_lin_accessjmmjjj",
			[BEFORE] = "_Z25bx_instr_before_executionjP15bxInstruction_c",
			[OPCODE] = "_Z15bx_instr_opcodejP15bxInstruction_cPKhjbb",
			[NEAR] = "_Z22bx_instr_ucnear_branchjjmm",
			[FAR] = "_Z19bx_instr_far_branchjjtmtm",
			[CLFLUSH] = "_Z16bx_instr_clflushjmm",
			[CACHES] = "_Z20bx_instr_cache_cntrljj",
			[TLB] = "_Z18bx_instr_tlb_cntrljjm",
			[INTERRUPT] = "_Z20bx_instr_hwinterruptjjtm",
			[OUT] = "_Z13bx_instr_outptjj",
		},
		.cpuid4 = {
			"_ZNK21corei7_haswell_4770_t20get_std_cpuid_leaf_4EjP16cpuid_function_t",
			"_ZNK18corei7_skylake_x_t20get_std_cpuid_leaf_4EjP16cpuid_function_t",
		},
		.take_in = "_ZN12bx_devices_c30register_io_read_handler_rangeEPvPFjS0_jjEjjPKch",
		.take_out = "_ZN12bx_devices_c31register_io_write_handler_rangeEPvPFvS0_jjjEjjPKch",
		.devices = "bx_devices",
		.write_memory = "_ZN8BX_MEM_C20dmaWritePhysicalPageEmjPh",
		.read_memory = "_ZN8BX_MEM_C19dmaReadPhysicalPageEmjPh",
		.event = "_ZN14bx_pc_system_c14countdownEventEv",
		.system = "bx_pc_system",
		.get_tsc = "_ZN8BX_CPU_C7get_TSCEv",
		/* mov eax, [period]; sub eax, [countdown]; add rax, [total] */
		.get_tsc_code = { 0x8b, 5, -1, 0x2b, 5, -1, 0x48, 3, 5, -1, -2 },
		.opcode_at = 32,
		.mov_cr3 = 11,
	},
};

static const struct release *release;
static const struct events *events;

/* ------------------------------------------------------------- finding its parts */

_Noreturn void bochs_fail(int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	dprintf(STDERR_FILENO, "\ntypes: ");
	vdprintf(STDERR_FILENO, format, ap);
	dprintf(STDERR_FILENO, "\n");
	va_end(ap);
	_exit(status);
}

static void *symbol(const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);

	if (!p)
		bochs_fail(STATUS_UNKNOWN, "Bochs %s has no %s", release->version, name);
	return p;
}

static void find_release(void)
{
	const char *version = getenv("TYPES_BOCHS");
	size_t i;

	for (i = 0; version && i < sizeof(releases) / sizeof(*releases); i++) {
		if (!strcmp(version, releases[i].version))
			release = &releases[i];
	}
	if (!release)
		bochs_fail(STATUS_UNKNOWN, "Bochs %s is not one that we know",
			   version && *version ? version : "of an unknown version");
}

const char *bochs_version(void)
{
	return release->version;
}

/* --------------------------------------------------------- filling its functions */

/* Write a jump to @to over the beginning of a function. */
static void jump(const char *name, uint8_t *at, void *to)
{
	uint8_t code[14] = { 0xff, 0x25, 0, 0, 0, 0 };		/* jmp [rip] */
	void *page = (void *)((uintptr_t)at & ~4095UL);

	if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		bochs_fail(STATUS_BROKEN, "%s can't be written to", name);
	memcpy(code + 6, &to, sizeof(to));
	memcpy(at, code, sizeof(code));
	mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

static void fill(enum hook hook, void *to)
{
	const char *name = release->hooks[hook];
	uint8_t *at = symbol(name);

	if (*at != 0xc3)
		bochs_fail(STATUS_UNKNOWN, "%s is not empty", name);
	jump(name, at, to);
}

static void lin_access(unsigned int cpu, uint64_t linear, uint64_t physical,
		       unsigned int bytes, unsigned int type, unsigned int access)
{
	events->linear_access(linear, physical, bytes, type & 7, access & 3);
}

static unsigned int opcode_of(const void *instruction)
{
	return *(const uint16_t *)((const char *)instruction + release->opcode_at);
}

static void before_execution(unsigned int cpu, void *instruction)
{
	events->before(opcode_of(instruction));
}

static void opcode(unsigned int cpu, void *instruction, const uint8_t *bytes,
		   unsigned int n, bool is32, bool is64)
{
	events->decoded(opcode_of(instruction), bytes, n, is64);
}

static void near_branch(unsigned int cpu, unsigned int what, uint64_t from, uint64_t to)
{
	events->branch(to);
}

static void far_branch(unsigned int cpu, unsigned int what, uint16_t from_cs, uint64_t from,
		       uint16_t to_cs, uint64_t to)
{
	events->branch(to);
}

static void clflush(unsigned int cpu, uint64_t linear, uint64_t physical)
{
	events->flush(linear, physical);
}

static void cache_cntrl(unsigned int cpu, unsigned int what)
{
	events->caches();
}

static void tlb_cntrl(unsigned int cpu, unsigned int what, uint64_t cr3)
{
	events->translations(what == release->mov_cr3 ? cr3 : 0);
}

static void hwinterrupt(unsigned int cpu, unsigned int vector, uint16_t cs, uint64_t ip)
{
	events->interrupt();
}

static void outp(uint16_t port, unsigned int bytes, unsigned int value)
{
	events->out(port);
}

/* -------------------------------------------------------------------------- time */

/* Fields of Bochs's, which it writes only in our calls into it. */
static uint32_t *countdown, *period;
static uint64_t *total;

static void time_init(void)
{
	void **fields[] = { (void **)&period, (void **)&countdown, (void **)&total };
	const uint8_t *code = symbol(release->get_tsc);
	unsigned int at = 0, found = 0;
	const int16_t *want;
	int32_t distance;

	for (want = release->get_tsc_code; *want != -2; want++) {
		if (*want >= 0 && code[at++] != *want)
			bochs_fail(STATUS_UNKNOWN, "get_TSC is not as in %s", release->version);
		if (*want >= 0)
			continue;
		memcpy(&distance, code + at, sizeof(distance));
		at += sizeof(distance);
		*fields[found++] = (void *)(code + at + distance);
	}
}

uint64_t bochs_now(void)
{
	return *total + (*period - *countdown);
}

/**
 * bochs_pass() - let time pass
 * @ticks: how much time
 *
 * Timers that become due expire meanwhile, as they do between instructions
 * (bx_pc_system_c::tickn(), which the compiler has inlined into its callers).
 */
void bochs_pass(uint64_t ticks)
{
	static void (*event)(void *);
	static void *system;

	if (!event) {
		event = symbol(release->event);
		system = symbol(release->system);
	}
	while (ticks >= *countdown) {
		ticks -= *countdown;
		*countdown = 0;
		event(system);
	}
	*countdown -= ticks;
}

/* --------------------------------------------------------------- memory and ports */

void bochs_write(uint64_t physical, const void *from, uint64_t bytes)
{
	static void (*write)(uint64_t physical, unsigned int bytes, const void *from);
	uint64_t n;

	if (!write)
		write = symbol(release->write_memory);
	for (; bytes; bytes -= n, physical += n, from = (const char *)from + n) {
		n = 4096 - (physical & 4095);
		n = n < bytes ? n : bytes;
		write(physical, n, from);
	}
}

uint64_t bochs_read64(uint64_t physical)
{
	static void (*read)(uint64_t physical, unsigned int bytes, void *to);
	uint64_t value;

	if (!read)
		read = symbol(release->read_memory);
	read(physical, sizeof(value), &value);
	return value;
}

static uint8_t (*port_in)(uint16_t port);
static void (*port_out)(uint16_t port, uint8_t value);

static uint32_t in(void *unused, uint32_t port, unsigned int bytes)
{
	return port_in(port);
}

static void out(void *unused, uint32_t port, uint32_t value, unsigned int bytes)
{
	port_out(port, value);
}

/**
 * bochs_ports() - become the device behind a range of ports, which are one byte wide
 * @first: the first port
 * @last: the last port
 * @on_in: returns what the guest reads
 * @on_out: gets what the guest writes
 */
void bochs_ports(uint16_t first, uint16_t last, uint8_t (*on_in)(uint16_t port),
		 void (*on_out)(uint16_t port, uint8_t value))
{
	bool (*take)(void *devices, void *unused, void *handler, uint32_t first,
		     uint32_t last, const char *name, uint8_t widths);
	void *devices = symbol(release->devices);
	bool taken;

	port_in = on_in;
	port_out = on_out;
	take = symbol(release->take_in);
	taken = take(devices, NULL, in, first, last, "memcache", 1);
	take = symbol(release->take_out);
	taken &= take(devices, NULL, out, first, last, "memcache", 1);
	if (!taken)
		bochs_fail(STATUS_BROKEN, "ports %#x to %#x are not free", first, last);
}

/* ------------------------------------------------------------------------- CPUID */

static void (*cpuid_caches)(unsigned int index, uint32_t registers[4]);

static void leaf4(const void *model, uint32_t index, uint32_t *registers)
{
	cpuid_caches(index, registers);
}

/**
 * bochs_cpuid_caches() - set the caches that the CPU reports
 * @say: returns eax, ebx, ecx and edx of CPUID's leaf 4 for an index
 */
void bochs_cpuid_caches(void (*say)(unsigned int index, uint32_t registers[4]))
{
	int i;

	cpuid_caches = say;
	for (i = 0; i < NMODELS; i++)
		jump(release->cpuid4[i], symbol(release->cpuid4[i]), leaf4);
}

/**
 * bochs_attach() - have events reported
 * @e: functions to call for them
 */
void bochs_attach(const struct events *e)
{
	events = e;
	find_release();
	time_init();
	fill(OPCODE, opcode);
	fill(TLB, tlb_cntrl);
	fill(OUT, outp);
}

/**
 * bochs_watch() - from now on have accesses, instructions and branches reported, too
 *
 * The machine boots faster without them.
 */
void bochs_watch(void)
{
	fill(LIN_ACCESS, lin_access);
	fill(BEFORE, before_execution);
	fill(NEAR, near_branch);
	fill(FAR, far_branch);
	fill(CLFLUSH, clflush);
	fill(CACHES, cache_cntrl);
	fill(INTERRUPT, hwinterrupt);
}
