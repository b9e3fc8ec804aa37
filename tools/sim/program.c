// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static const uint8_t *image;
static size_t size;

/**
 * program_read() - read the program
 * @file: its file
 *
 * Return: false: it is no static ELF program of 64 bits.
 */
bool program_read(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *header;
	struct stat about;

	if (fd < 0 || fstat(fd, &about) || (size_t)about.st_size < sizeof(*header))
		return false;
	size = about.st_size;
	image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED)
		return false;
	header = (const void *)image;
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_type == ET_EXEC &&
	       header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) <= size;
}

/**
 * program_has() - whether the program has these bytes at an address
 * @address: the address
 * @bytes: the bytes
 * @n: how many
 *
 * Other programs may lie at the same addresses, so that the address alone does not tell.
 */
bool program_has(uint64_t address, const uint8_t *bytes, size_t n)
{
	const Elf64_Ehdr *header = (const void *)image;
	const Elf64_Phdr *part;
	int i;

	if (!image)
		return false;
	part = (const void *)(image + header->e_phoff);
	for (i = 0; i < header->e_phnum; i++, part++) {
		uint64_t at = address - part->p_vaddr;

		if (part->p_type == PT_LOAD && part->p_flags & PF_X && at < part->p_filesz &&
		    n <= part->p_filesz - at && part->p_offset + at + n <= size)
			return !memcmp(image + part->p_offset + at, bytes, n);
	}
	return false;
}
