// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts a kernel and its initramfs into the machine's memory. The kernel is entered by the
 * PVH protocol (Documentation/x86/boot.rst and xen/include/public/arch-x86/hvm/start_info.h):
 * ebx has the address of hvm_start_info, and a note of the ELF file has the entry point.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "bochs.h"
#include "load.h"

#define NOTE_PHYS32_ENTRY	18	/* XEN_ELFNOTE_PHYS32_ENTRY */

/* Where things lie; boot.S knows the first two. */
#define AT_INFO		0x6000
#define AT_PVH_ENTRY	0x6100
#define AT_MODULES	0x6080
#define AT_MEMMAP	0x6200
#define AT_CMDLINE	0x7000

#define TOP_RESERVED	0x10000		/* at the end of memory: the BIOS's ACPI tables */

struct start_info {
	uint32_t magic, version, flags, modules;
	uint64_t modlist, cmdline, rsdp, memmap;
	uint32_t memmap_entries, reserved;
};

struct module {
	uint64_t at, size, cmdline, reserved;
};

struct region {
	uint64_t at, size;
	uint32_t type, reserved;
};

enum { RAM = 1, RESERVED = 2, ACPI = 3 };

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		bochs_fail(STATUS_BROKEN, "%s is not set", name);
	return value;
}

static char *map(const char *name, uint64_t *size)
{
	const char *path = setting(name);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *p;

	if (file < 0 || fstat(file, &st))
		bochs_fail(STATUS_BROKEN, "%s can't be opened", path);
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (p == MAP_FAILED)
		bochs_fail(STATUS_BROKEN, "%s can't be mapped", path);
	*size = st.st_size;
	return p;
}

/* The PVH entry in the notes of a segment; 0: they have none. */
static uint32_t entry_in(const char *at, const char *end)
{
	uint32_t entry = 0;

	while (at < end) {
		const Elf64_Nhdr *note = (const void *)at;
		const char *name = at + sizeof(*note);
		const char *desc = name + ((note->n_namesz + 3) & ~3U);

		if (note->n_type == NOTE_PHYS32_ENTRY && !strcmp(name, "Xen"))
			memcpy(&entry, desc, sizeof(entry));
		at = desc + ((note->n_descsz + 3) & ~3U);
	}
	return entry;
}

static uint32_t load_kernel(void)
{
	uint64_t size;
	const char *elf = map("TYPES_KERNEL", &size);
	const Elf64_Ehdr *header = (const void *)elf;
	const Elf64_Phdr *segment = (const void *)(elf + header->e_phoff);
	uint32_t entry = 0;
	int i;

	for (i = 0; i < header->e_phnum; i++, segment++) {
		const char *from = elf + segment->p_offset;

		if (segment->p_type == PT_LOAD)
			bochs_write(segment->p_paddr, from, segment->p_filesz);
		if (segment->p_type == PT_NOTE && !entry)
			entry = entry_in(from, from + segment->p_filesz);
	}
	if (!entry)
		bochs_fail(STATUS_BROKEN, "the kernel has no PVH entry");
	return entry;
}

/**
 * load_bytes() - size of the machine's memory
 *
 * Return: its size in bytes.
 */
uint64_t load_bytes(void)
{
	static uint64_t bytes;

	if (!bytes)
		bytes = strtoull(setting("TYPES_MEM_MIB"), NULL, 10) << 20;
	return bytes;
}

/**
 * load() - load kernel and initramfs
 *
 * The environment names the files (TYPES_KERNEL, TYPES_INITRD), the size of the
 * machine's memory (TYPES_MEM_MIB) and the kernel's command line (TYPES_CMDLINE).
 */
void load(void)
{
	uint64_t ram = load_bytes();
	const char *cmdline = setting("TYPES_CMDLINE");
	const struct region memmap[] = {
		{ 0, 0x9fc00, RAM }, { 0x9fc00, 0x400, RESERVED },
		{ 0xe8000, 0x18000, RESERVED },
		{ 0x100000, ram - 0x100000 - TOP_RESERVED, RAM },
		{ ram - TOP_RESERVED, TOP_RESERVED, ACPI },
	};
	const struct start_info info = {
		.magic = 0x336ec578, .version = 1, .modules = 1, .modlist = AT_MODULES,
		.cmdline = AT_CMDLINE, .memmap = AT_MEMMAP,
		.memmap_entries = sizeof(memmap) / sizeof(*memmap),
	};
	struct module initrd = { 0 };
	uint32_t entry = load_kernel();
	const char *archive = map("TYPES_INITRD", &initrd.size);

	initrd.at = (ram - 0x100000 - initrd.size) & ~4095ULL;
	bochs_write(initrd.at, archive, initrd.size);
	bochs_write(AT_INFO, &info, sizeof(info));
	bochs_write(AT_MODULES, &initrd, sizeof(initrd));
	bochs_write(AT_PVH_ENTRY, &entry, sizeof(entry));
	bochs_write(AT_MEMMAP, memmap, sizeof(memmap));
	bochs_write(AT_CMDLINE, cmdline, strlen(cmdline) + 1);
}
