// SPDX-License-Identifier: GPL-2.0-only
/* A shared object that needs the dynamic linker; memcache-user itself is static. */
#include <dlfcn.h>

#include "user.h"

/**
 * mc_user_load() - load a shared object
 * @path: its file
 * @name: a symbol of it
 * @why: result: what the dynamic linker says if there is no such object, or symbol
 *
 * Return: address of the symbol, or NULL.
 */
const void *mc_user_load(const char *path, const char *name, const char **why)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const void *symbol = object ? dlsym(object, name) : NULL;

	*why = symbol ? NULL : dlerror();
	return symbol;
}
