// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loop of op=own, in a shared object that `memcache loop` has built; the counterpart of
 * module/kernel/own.c. A static program has no dynamic linker, and such an object needs none:
 * nothing in it is relocated, and its entry point is the description of the loop.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/own.h"
#include "user.h"

#define PAGE		4096ULL
#define SEGMENTS_MAX	16
#define LARGEST		(64ULL << 20)

#if defined(__x86_64__)
#define MACHINE	EM_X86_64
#else
#define MACHINE	EM_AARCH64
#endif

static bool loaded;

/* The bytes of memory that the segments take; 0: they can't be those of a loop. */
static u64 size_of(const Elf64_Phdr *part, unsigned int n, u64 file_bytes)
{
	u64 end = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (part[i].p_type != PT_LOAD)
			continue;
		if (part[i].p_offset > file_bytes ||
		    part[i].p_filesz > file_bytes - part[i].p_offset ||
		    part[i].p_memsz != part[i].p_filesz || part[i].p_vaddr > LARGEST ||
		    part[i].p_memsz > LARGEST || (part[i].p_vaddr - part[i].p_offset) % PAGE)
			return 0;
		end = max(end, part[i].p_vaddr + part[i].p_memsz);
	}
	return end;
}

static int protection(u32 flags)
{
	return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
	       (flags & PF_X ? PROT_EXEC : 0);
}

/* Map the segments. Return: address of the first byte, or MAP_FAILED. */
static u8 *map(int fd, const Elf64_Phdr *part, unsigned int n, u64 size)
{
	u8 *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	for (i = 0; i < n && base != MAP_FAILED; i++) {
		u64 skip = part[i].p_vaddr % PAGE;

		if (part[i].p_type != PT_LOAD || !part[i].p_filesz)
			continue;
		if (mmap(base + part[i].p_vaddr - skip, part[i].p_filesz + skip,
			 protection(part[i].p_flags), MAP_PRIVATE | MAP_FIXED, fd,
			 part[i].p_offset - skip) == MAP_FAILED)
			return MAP_FAILED;
	}
	return base;
}

/* Return: why the open file is not taken, or NULL. */
static const char *load(int fd)
{
	static const char not_one[] =
		"it is not a loop that `memcache loop` has built for this CPU";
	Elf64_Phdr part[SEGMENTS_MAX];
	const struct mc_own *own;
	struct stat status;
	Elf64_Ehdr head;
	u64 size;
	u8 *base;

	if (fstat(fd, &status) ||
	    pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_type != ET_DYN || head.e_machine != MACHINE ||
	    head.e_phentsize != sizeof(*part) || head.e_phnum > SEGMENTS_MAX ||
	    pread(fd, part, head.e_phnum * sizeof(*part), head.e_phoff) !=
	    head.e_phnum * sizeof(*part))
		return not_one;
	size = size_of(part, head.e_phnum, status.st_size);
	if (size < sizeof(*own) || !head.e_entry || head.e_entry > size - sizeof(*own))
		return not_one;
	base = map(fd, part, head.e_phnum, size);
	if (base == MAP_FAILED)
		return "it can't be mapped";
	own = (const struct mc_own *)(base + head.e_entry);
	return mc_own_set(own, (void *)((u8 *)own + own->run));
}

/* Make the loop of this file that of op=own. */
int mc_user_loop(const char *path, struct mc_error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *why;

	if (fd < 0)
		return mc_fail(e, -errno, "loop: %s can't be read", path);
	why = loaded ? "there is a loop already" : load(fd);
	close(fd);
	if (why)
		return mc_fail(e, loaded ? -EBUSY : -EINVAL, "loop: %s: %s", path, why);
	loaded = true;
	return 0;
}

int mc_user_own_hold(struct mc_run *run)
{
	if (!loaded)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "op: op=own has no loop; `memcache loop FILE` builds one, and --loop names it");
	return 0;
}

void mc_user_own_drop(void)
{
}
