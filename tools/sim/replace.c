// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "replace.h"

/**
 * replace() - have a function of our own called in place of one that the program exports
 * @name: its name
 * @by: our function
 *
 * A jump is written over its first bytes.
 *
 * Return: false: the program has no such function.
 */
bool replace(const char *name, void *by)
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
