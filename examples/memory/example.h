/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the examples share. */
#ifndef MEMCACHE_EXAMPLE_H
#define MEMCACHE_EXAMPLE_H

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memcache_memory.h"

/* Explain an error in @why. Its value is the error, for allocate() to return. */
#define fail(why, err, ...) ({						\
	int error_of_fail = (err);					\
									\
	snprintf(why, MEMCACHE_MEMORY_WHY, __VA_ARGS__);		\
	error_of_fail;							\
})

/* Return: @bytes rounded up to a multiple of @unit, a power of two. */
static inline size_t round_up_to(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

/* Copy words, one access each, as memory of a device may want it. */
static inline void copy_words(uint64_t *to, const uint64_t *from, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / sizeof(*to); i++) {
		uint64_t word = __atomic_load_n(&from[i], __ATOMIC_RELAXED);

		__atomic_store_n(&to[i], word, __ATOMIC_RELAXED);
	}
}

/* Functions of a library, by name. */
struct function {
	const char *name;
	void *address;	/* of the pointer that gets the address of the function */
};

/* Load a library, once. @get: what to do if it is not there. Return: 0 or a negative errno. */
static inline int load_library(const char *file, const struct function *functions, unsigned int n,
			       const char *get, char *why)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
	unsigned int i;

	if (!library)
		return fail(why, -EOPNOTSUPP, "there is no %s here; %s", file, get);
	for (i = 0; i < n; i++) {
		void *address = dlsym(library, functions[i].name);

		if (!address)
			return fail(why, -EOPNOTSUPP, "%s has no %s(); a newer version has it",
				    file, functions[i].name);
		memcpy(functions[i].address, &address, sizeof(address));
	}
	return 0;
}

#endif /* MEMCACHE_EXAMPLE_H */
