// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated machine's side of QEMU: a plugin of its code generator (TCG). It is told of each
 * block of instructions that a CPU executes, and of the accesses of those that it watches: the
 * module's, and memcache-user's. It takes over QEMU's clock and its choice of the next CPU.
 *
 * Its arguments (-plugin FILE,KEY=VALUE,…):
 *   prices=FILE         what memory costs
 *   module=FROM-TO      addresses of the code of kernel modules; the kernel must run with nokaslr
 *   program=FILE        the program whose code is watched, too
 *   cpu=NODE            the node of the next CPU
 *   memory=FROM-TO-NODE physical memory of a node
 *   control=PATH        a socket that takes orders (control.c)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control.h"
#include "describe.h"
#include "instruction.h"
#include "machine.h"
#include "pages.h"
#include "program.h"
#include "qemu.h"

EXPORTED int qemu_plugin_version = PLUGIN_VERSION;

static bool is_x86;
static uint64_t module_from, module_to;

/* ------------------------------------------------------------ what instructions do */

/* QEMU passes to the callbacks below the number of the CPU for which a block was translated. With
 * thread=single, another CPU may execute it, so we ask machine_current().
 */

/**
 * struct watched - an instruction that has a callback
 * @at: its address
 * @bytes: its length
 * @rest: instructions that come after it in its block
 * @in: what it does
 */
struct watched {
	uint64_t at;
	unsigned int bytes;
	unsigned int rest;
	struct instruction in;
};

static void reads_clock(unsigned int translator, void *data)
{
	const struct watched *w = data;
	unsigned int cpu = machine_current();

	if (!machine_clock_is_due(cpu, w->rest))
		cpu_loop_exit_restore(vcpus[cpu].state, (uintptr_t)__builtin_return_address(0) - 2);
	control_clock_is_read(cpu, w->at);
}

static void drains(unsigned int translator, void *data)
{
	const struct watched *w = data;
	const struct access a = { .operation = DRAIN };
	unsigned int cpu = machine_current();

	tally_fence(cpu, w->in.kind - SFENCE);
	machine_access(cpu, &a, w->rest);
}

static void flushes(unsigned int translator, void *data)
{
	const struct watched *w = data;
	const struct instruction *in = &w->in;
	unsigned int cpu = machine_current();
	uint64_t address = in->offset;
	struct mapping m;
	struct access a = { .operation = in->kind == FLUSHES ? FLUSH : CLEAN };

	if (in->base != NO_REGISTER)
		address += pages_register(cpu, in->base);
	if (in->index != NO_REGISTER)
		address += pages_register(cpu, in->index) * in->scale;
	if (in->base == NO_REGISTER && in->index == NO_REGISTER)
		address += w->at + w->bytes;
	m = pages_find(cpu, address);
	if (!m.found)
		return;
	a.physical = m.physical;
	tally_access(cpu, &a);
	machine_access(cpu, &a, w->rest);
}

static void hints(unsigned int translator, void *data)
{
	vcpus[machine_current()].tally.hints++;
}

static void writes_msr(unsigned int translator, void *data)
{
	pages_write_msr(machine_current());
}

static void changes_translations(unsigned int translator, void *data)
{
	const struct watched *w = data;
	unsigned int i, cpu = machine_current();

	for (i = 0; i < nvcpus; i++) {
		if (i != cpu && w->in.kind != CHANGES_ALL_TRANSLATIONS)
			continue;
		pages_forget(i);
		model_forget_translations(i);
	}
}

static void returns_from_interrupt(unsigned int translator, void *data)
{
	vcpus[machine_current()].tally.interrupts++;
}

static void cleans_caches(unsigned int translator, void *data)
{
	model_clean_caches(vcpus[machine_current()].clock);
}

static void loses_caches(unsigned int translator, void *data)
{
	model_forget_caches();
}

static void empties_caches(unsigned int translator, void *data)
{
	cleans_caches(translator, data);
	loses_caches(translator, data);
}

/**
 * struct action - what is done before an instruction of a kind
 * @call: the function; NULL: nothing
 * @flags: whether it reads registers
 */
static const struct action {
	exec_callback call;
	int flags;
} actions[] = {
	[SFENCE] = { drains, REGISTERS_UNTOUCHED },
	[MFENCE] = { drains, REGISTERS_UNTOUCHED },
	[DSB] = { drains, REGISTERS_UNTOUCHED },
	[FLUSHES] = { flushes, REGISTERS_READ },
	[CLEANS] = { flushes, REGISTERS_READ },
	[HINTS] = { hints, REGISTERS_UNTOUCHED },
	[READS_CLOCK] = { reads_clock, REGISTERS_READ },
	[WRITES_MSR] = { writes_msr, REGISTERS_READ },
	[CHANGES_TRANSLATIONS] = { changes_translations, REGISTERS_UNTOUCHED },
	[CHANGES_ALL_TRANSLATIONS] = { changes_translations, REGISTERS_UNTOUCHED },
	[CLEANS_CACHES] = { cleans_caches, REGISTERS_UNTOUCHED },
	[EMPTIES_CACHES] = { empties_caches, REGISTERS_UNTOUCHED },
	[LOSES_CACHES] = { loses_caches, REGISTERS_UNTOUCHED },
	[RETURNS_FROM_INTERRUPT] = { returns_from_interrupt, REGISTERS_UNTOUCHED },
};

#define STREAMING	0x10000U
#define HALVES		0x20000U

/* Is this the second half of an access whose first half was already taken for the whole? If it is
 * the first half, note where the second one comes.
 */
static bool is_second_half(unsigned int cpu, uint64_t address)
{
	static uint64_t second[CPUS_MOST];
	bool is = address == second[cpu];

	second[cpu] = is ? 0 : address + 16;
	return is;
}

static void accesses(unsigned int translator, plugin_memory_info info, uint64_t address, void *data)
{
	unsigned int cpu = machine_current();
	uintptr_t flags = (uintptr_t)data;
	unsigned int bytes = 1 << qemu_plugin_mem_size_shift(info);
	bool halves = flags & HALVES && bytes == 16;
	struct mapping m = pages_find(cpu, address);
	struct access a = {
		.physical = m.physical,
		.page = address >> m.shift,
		.page_shift = m.shift,
		.bytes = halves ? 32 : bytes,
		.operation = qemu_plugin_mem_is_store(info) ? STORE : LOAD,
		.type = m.type,
	};

	if (!m.found || (halves && is_second_half(cpu, address)))
		return;
	a.streaming = a.operation == STORE && flags & STREAMING;
	tally_access(cpu, &a);
	machine_access(cpu, &a, flags & 0xffff);
}

/* ---------------------------------------------------------- blocks of instructions */

/* Of the only CPU; NULL: there are several. */
static struct qemu_plugin_scoreboard *of_one;

static void passes(unsigned int translator, void *data)
{
	machine_pass(machine_current(), (uintptr_t)data);
}

static void begins_watched(unsigned int translator, void *data)
{
	control_block_begins((uintptr_t)data);
}

/* Have a block's instructions counted. One CPU waits for no other, and QEMU's code adds them to its
 * clock, without a call: a scoreboard's numbers need not lie in it.
 */
static void count_block(struct qemu_plugin_tb *tb, unsigned int instructions)
{
	struct plugin_number clock = { of_one };

	if (of_one) {
		clock.offset = (char *)&vcpus[0].clock -
			       (char *)qemu_plugin_scoreboard_find(of_one, 0);
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, INLINE_ADD, clock,
								  instructions);
	} else {
		qemu_plugin_register_vcpu_tb_exec_cb(tb, passes, REGISTERS_UNTOUCHED,
						     (void *)(uintptr_t)instructions);
	}
}

static struct instruction decode_instruction(const struct qemu_plugin_insn *insn)
{
	uint8_t bytes[16] = { 0 };
	uint32_t word;
	size_t n = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

	if (is_x86)
		return instruction_x86(bytes, n);
	memcpy(&word, bytes, sizeof(word));
	return instruction_arm64(word);
}

static void *keep_copy(const void *from, size_t n)
{
	void *to = malloc(n);

	if (!to)
		abort();
	return memcpy(to, from, n);
}

static bool is_watched(const struct qemu_plugin_tb *tb, uint64_t at)
{
	uint8_t bytes[16];
	size_t n;

	if ((at >= module_from && at < module_to) || control_has_function(at))
		return true;
	n = qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, 0), bytes, sizeof(bytes));
	return program_has(at, bytes, n);
}

static void translate_block(plugin_id id, struct qemu_plugin_tb *tb)
{
	unsigned int i, n = qemu_plugin_tb_n_insns(tb);
	uint64_t at = qemu_plugin_tb_vaddr(tb);
	bool watched = is_watched(tb, at);

	if (watched)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, begins_watched, REGISTERS_UNTOUCHED,
						     (void *)(uintptr_t)at);
	count_block(tb, n);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct watched w = {
			.at = qemu_plugin_insn_vaddr(insn), .bytes = qemu_plugin_insn_size(insn),
			.rest = n - 1 - i, .in = decode_instruction(insn),
		};
		const struct action *action = &actions[w.in.kind];
		void *flags = (void *)(uintptr_t)(w.rest | (w.in.kind == STREAMS ? STREAMING : 0) |
						  (w.in.halves ? HALVES : 0));

		if (action->call && (watched || w.in.kind >= READS_CLOCK))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, action->call, action->flags,
							       keep_copy(&w, sizeof(w)));
		if (watched)
			qemu_plugin_register_vcpu_mem_cb(insn, accesses, REGISTERS_READ,
							 MEMORY_READ_WRITE, flags);
	}
}

/* ---------------------------------------------------------------------- the start */

static void begin_cpu(plugin_id id, unsigned int cpu)
{
	if (cpu >= CPUS_MOST) {
		fprintf(stderr, "memcache: the simulated machine has at most %d CPUs\n", CPUS_MOST);
		exit(1);
	}
	machine_add(cpu, qemu_get_cpu(cpu));
	pages_begin(cpu, is_x86);
}

static cpuid_function qemu_cpuid;

/* In place of QEMU's helper. Its CPU's state begins with rax, rcx, rdx and rbx. */
static void cpuid(uint64_t *rax_rcx_rdx_rbx)
{
	uint64_t *r = rax_rcx_rdx_rbx;
	uint32_t leaf = r[0], index = r[1], out[4], highest, other;

	qemu_cpuid(r, 0, 0, &highest, &other, &other, &other);
	qemu_cpuid(r, leaf, index, &out[0], &out[1], &out[2], &out[3]);
	describe_x86_clock(highest, leaf, out);
	if (leaf == 4)
		describe_x86_cache(model_prices(), index, out);
	if (leaf == 0x80000007)
		out[3] |= 1 << 8;	/* the TSC is invariant */
	r[0] = out[0];
	r[3] = out[1];
	r[1] = out[2];
	r[2] = out[3];
}

static bool is_count(uint64_t number)
{
	return number >= TRAFFIC && number <= CYCLES;
}

/* Accesses that wait in the CPU's queue are not counted yet; with one CPU that runs, none wait. */
static uint64_t count_register(uint32_t number)
{
	const struct happened *h = model_happened(machine_current());
	const struct traffic *t;

	if (number == WALKS)
		return COUNT_VALID | h->walks;
	if (number == CYCLES)
		return COUNT_VALID | (vcpus[machine_current()].clock - h->still_ns);
	t = model_traffic((number - TRAFFIC) / 2);
	return COUNT_VALID | (number % 2 ? t->written : t->read);
}

static msr_function qemu_rdmsr;

/* Before QEMU's helper, which knows no such registers. QEMU finds the instruction by the address
 * that its helper returns to, so the helper is reached by a jump.
 */
static void __attribute__((optimize("O2"))) rdmsr(uint64_t *rax_rcx_rdx_rbx)
{
	uint64_t *r = rax_rcx_rdx_rbx, value;
	uint32_t msr = r[1];

	if (msr == MSR_PREFETCHERS)
		value = pages_prefetchers(machine_current());
	else if (is_count(msr))
		value = count_register(msr);
	else
		return qemu_rdmsr(r);
	r[0] = (uint32_t)value;
	r[2] = value >> 32;
}

/* The cache that each CPU of arm64 has selected by CSSELR_EL1: 2 * (level - 1), plus 1 for code. */
static uint64_t selected[CPUS_MOST];

static get_register_function qemu_get_register;
static set_register_function qemu_set_register;

/* Before QEMU's helpers, which are reached as that of RDMSR is. Their description of a system
 * register begins with its name.
 */
static uint64_t __attribute__((optimize("O2"))) get_register(void *env, const void *about)
{
	uint64_t which = selected[machine_current()];

	if (strcmp(*(const char *const *)about, "CCSIDR"))
		return qemu_get_register(env, about);
	return is_count(which) ? count_register(which) :
				 describe_arm64_cache(model_prices(), which);
}

static void __attribute__((optimize("O2"))) set_register(void *env, const void *about,
							 uint64_t value)
{
	if (!strcmp(*(const char *const *)about, "CSSELR"))
		selected[machine_current()] = value;
	return qemu_set_register(env, about, value);
}

/* In place of QEMU's function. Its code generator looks a register up, and makes a value that never
 * changes a part of the code. So the value is changed here.
 */
static const void *find_register(void *all, uint32_t key)
{
	struct register_description *d = g_hash_table_lookup(all, (void *)(uintptr_t)key);

	if (d && !strcmp(d->name, "CLIDR"))
		d->value = describe_arm64_list(model_prices(), d->value);
	if (d && !strcmp(d->name, "ID_AA64MMFR2_EL1"))
		d->value = (d->value & ~(0xfULL << 20)) | 1 << 20;	/* FEAT_CCIDX */
	return d;
}

/* QEMU has a description of each helper, which begins with its address. */
static bool take_over_helper(const char *name, void *by, void **qemus)
{
	void **helper = dlsym(RTLD_DEFAULT, name);

	if (!helper) {
		fprintf(stderr, "memcache: this QEMU does not export %s\n", name);
		return false;
	}
	*qemus = *helper;
	*helper = by;
	return true;
}

static bool take_over_helpers(void)
{
	if (is_x86)
		return take_over_helper("helper_info_rdmsr", rdmsr, (void **)&qemu_rdmsr);
	return take_over_helper("helper_info_get_cp_reg64", get_register,
				(void **)&qemu_get_register) &&
	       take_over_helper("helper_info_set_cp_reg64", set_register,
				(void **)&qemu_set_register);
}

/*
 * Have a function of our own called in place of one that QEMU exports: a jump is written over its
 * first bytes. Return: false: there is no such function.
 */
static bool replace(const char *name, void *by)
{
	uint8_t code[14] = { 0xff, 0x25, 0, 0, 0, 0 };		/* jmp [rip] */
	uint8_t *at = dlsym(RTLD_DEFAULT, name);
	void *page = (void *)((uintptr_t)at & ~4095UL);

	if (!at || mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	memcpy(code + 6, &by, sizeof(by));
	memcpy(at, code, sizeof(code));
	mprotect(page, 8192, PROT_READ | PROT_EXEC);
	return true;
}

static bool take_over(void)
{
	enum { EITHER, X86, ARM64 };
	const struct { const char *name; void *by; int machine; } ours[] = {
		{ "cpu_can_run", machine_may_run, EITHER },
		{ "all_cpu_threads_idle", machine_is_idle, EITHER },
		{ "cpu_get_clock", machine_now, EITHER },
		{ "cpus_get_elapsed_ticks", machine_now, X86 },
		{ "helper_cpuid", cpuid, X86 },
		{ "get_arm_cp_reginfo", find_register, ARM64 },
	};
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		if (ours[i].machine != (is_x86 ? ARM64 : X86) &&
		    !replace(ours[i].name, ours[i].by)) {
			fprintf(stderr, "memcache: this QEMU does not export %s\n", ours[i].name);
			return false;
		}
	}
	return true;
}

static const char *take_argument(const char *argument, struct shape *shape, struct prices *prices)
{
	static char why[512];
	const char *value = strchr(argument, '=');
	uint64_t from, to;
	unsigned int node;

	if (!value++)
		return "an argument is KEY=VALUE";
	if (!strncmp(argument, "prices=", 7))
		return prices_read(prices, value, why, sizeof(why)) ? NULL : why;
	if (sscanf(argument, "module=%lx-%lx", &module_from, &module_to) == 2)
		return NULL;
	if (!strncmp(argument, "program=", 8))
		return program_read(value) ? NULL : "program= is no static ELF program";
	if (sscanf(argument, "cpu=%u", &node) == 1 && node < NODES_MOST &&
	    shape->ncpus < CPUS_MOST) {
		shape->node[shape->ncpus++] = node;
		return NULL;
	}
	if (sscanf(argument, "memory=%lx-%lx-%u", &from, &to, &node) == 3 &&
	    node < NODES_MOST && shape->nranges < RANGES_MOST) {
		shape->ranges[shape->nranges++] = (struct range){ from, to, node };
		return NULL;
	}
	if (!strncmp(argument, "control=", 8))
		return control_begin(value);
	snprintf(why, sizeof(why), "'%s' is no argument of the simulated machine", argument);
	return why;
}

EXPORTED int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
				 char **argv)
{
	struct prices prices = { 0 };
	struct shape shape = { 0 };
	const char *why = NULL;
	int i;

	is_x86 = !strcmp(info->target_name, "x86_64");
	for (i = 0; i < argc && !why; i++)
		why = take_argument(argv[i], &shape, &prices);
	if (!why && !prices.wc_buffers)
		why = "prices= is missing";
	if (!why)
		why = control_make(&prices, &shape);
	if (why) {
		fprintf(stderr, "memcache: %s\n", why);
		return -1;
	}
	if (is_x86) {
		qemu_cpuid = (cpuid_function)dlsym(RTLD_DEFAULT, "cpu_x86_cpuid");
		if (!qemu_cpuid) {
			fprintf(stderr, "memcache: this QEMU does not export cpu_x86_cpuid\n");
			return -1;
		}
	}
	if (!take_over() || !take_over_helpers())
		return -1;
	if (shape.ncpus == 1)
		of_one = qemu_plugin_scoreboard_new(sizeof(vcpus[0].clock));
	qemu_plugin_register_vcpu_init_cb(id, begin_cpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_block);
	return 0;
}
