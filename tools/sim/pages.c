// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <strings.h>

#include "pages.h"
#include "qemu.h"

#define PAGES		4096
#define GENERAL_MOST	32

/* Registers of a CPU besides the general ones. */
enum special { CR3, TTBR0, TTBR1, MAIR, NSPECIAL };

static const char *const special_names[NSPECIAL] = { "cr3", "TTBR0_EL1", "TTBR1_EL1", "MAIR_EL1" };

/* In the order of their numbers in instructions. */
static const char *const x86_names[] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

/**
 * struct page - a page of 4 KiB that was looked up
 * @number: number of the virtual page, plus 1
 * @mapping: where it is
 */
struct page {
	uint64_t number;
	struct mapping mapping;
};

/**
 * struct tables - what a CPU knows of its address space
 * @general: its general registers
 * @special: the others
 * @types: registers of an x86 CPU that it has written
 * @prefetchers: its register that switches them off, too
 * @pages: pages that were looked up since translations changed
 */
static struct tables {
	struct qemu_plugin_register *general[GENERAL_MOST];
	struct qemu_plugin_register *special[NSPECIAL];
	struct x86_types types;
	uint64_t prefetchers;
	struct page pages[PAGES];
} all[CPUS_MOST];

static bool is_x86;

static void note_register(struct tables *t, const struct plugin_register_name *r)
{
	unsigned int i, number;

	for (i = 0; i < NSPECIAL; i++) {
		if (!strcasecmp(r->name, special_names[i]))
			t->special[i] = r->handle;
	}
	for (i = 0; is_x86 && i < sizeof(x86_names) / sizeof(*x86_names); i++) {
		if (!strcmp(r->name, x86_names[i]))
			t->general[i] = r->handle;
	}
	number = 0;
	for (i = 1; r->name[i] >= '0' && r->name[i] <= '9'; i++)
		number = number * 10 + (r->name[i] - '0');
	if (!is_x86 && r->name[0] == 'x' && i > 1 && !r->name[i] && number < GENERAL_MOST)
		t->general[number] = r->handle;
}

/**
 * pages_begin() - a CPU begins
 * @cpu: the CPU, which the caller is the thread of
 * @x86: it is an x86 CPU
 */
void pages_begin(unsigned int cpu, bool x86)
{
	struct array *registers = qemu_plugin_get_registers();
	const struct plugin_register_name *r = (const void *)registers->data;
	unsigned int i;

	is_x86 = x86;
	all[cpu].types.pat = X86_PAT_AT_RESET;
	for (i = 0; i < registers->length; i++)
		note_register(&all[cpu], &r[i]);
}

static uint64_t value_of(struct qemu_plugin_register *handle)
{
	static struct byte_array *bytes;
	uint64_t value = 0;

	if (!bytes)
		bytes = g_byte_array_new();
	g_byte_array_set_size(bytes, 0);
	if (handle && qemu_plugin_read_register(handle, bytes) > 0)
		memcpy(&value, bytes->data, bytes->length < 8 ? bytes->length : 8);
	return value;
}

/** pages_register() - the value of a general register, by its number in instructions */
uint64_t pages_register(unsigned int cpu, unsigned int number)
{
	return value_of(all[cpu].general[number]);
}

static uint64_t read_entry_of_guest(uint64_t physical)
{
	uint64_t entry = 0;

	cpu_physical_memory_rw(physical, &entry, sizeof(entry), false);
	return entry;
}

static struct mapping walk(struct tables *t, uint64_t address)
{
	if (is_x86)
		return x86_walk(&t->types, value_of(t->special[CR3]), address, read_entry_of_guest);
	return arm64_walk(value_of(t->special[address >> 63 ? TTBR1 : TTBR0]),
			  value_of(t->special[MAIR]), address, read_entry_of_guest);
}

/**
 * pages_find() - where an address is, and of which type
 * @cpu: the CPU
 * @address: a virtual address
 */
struct mapping pages_find(unsigned int cpu, uint64_t address)
{
	struct page *p = &all[cpu].pages[(address >> 12) % PAGES];
	struct mapping m;

	if (p->number != (address >> 12) + 1) {
		p->mapping = walk(&all[cpu], address & ~4095ULL);
		p->number = p->mapping.found ? (address >> 12) + 1 : 0;
	}
	m = p->mapping;
	m.physical += address & 4095;
	return m;
}

/** pages_forget() - translations of a CPU have changed */
void pages_forget(unsigned int cpu)
{
	memset(all[cpu].pages, 0, sizeof(all[cpu].pages));
}

/** pages_write_msr() - an x86 CPU is about to execute WRMSR */
void pages_write_msr(unsigned int cpu)
{
	uint32_t msr = pages_register(cpu, 1);
	uint64_t value = (uint32_t)pages_register(cpu, 0) | pages_register(cpu, 2) << 32;

	if (msr == MSR_PREFETCHERS) {
		all[cpu].prefetchers = value;
		model_switch_prefetcher(cpu, !(value & 1));
	}
	x86_write_msr(&all[cpu].types, msr, value);
	pages_forget(cpu);
}

/** pages_prefetchers() - the register of an x86 CPU that switches prefetchers off */
uint64_t pages_prefetchers(unsigned int cpu)
{
	return all[cpu].prefetchers;
}
