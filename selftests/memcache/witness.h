/* SPDX-License-Identifier: GPL-2.0-only */
/* The witness of what becomes of pages: selftests/modules/mc_witness.c. */
#ifndef SELFTESTS_WITNESS_H
#define SELFTESTS_WITNESS_H

#include <stdio.h>

#include "module.h"

#define WITNESS "/sys/kernel/debug/mc_witness/"

#define BLOCK 512	/* pages: memcache takes whole blocks of 2 MiB */

/* Memcache with standing buffers of 2 MiB, watched from before it was loaded. */
static inline int witness_load(void)
{
	return ko_load(getenv("WITNESS_KO"), "");
}

static inline int witness_unload(void)
{
	return ko_unload("mc_witness");
}

/* What the witness says of a name; -1: nothing. */
static inline long witness(const char *name)
{
	char text[1024], *at = text, *line;

	if (file_read(WITNESS "state", text, sizeof(text)) < 0)
		return -1;
	while ((line = strsep(&at, "\n"))) {
		char *value = strchr(line, '=');

		if (value && strlen(name) == (size_t)(value - line) &&
		    !strncmp(line, name, value - line))
			return atol(value + 1);
	}
	return -1;
}

/* Pages that are not write-back now. */
static inline long witness_away(void)
{
	return witness("touched") - witness("now_wb");
}

static inline int witness_fault(const char *what)
{
	return file_write(WITNESS "fault", what);
}

#endif /* SELFTESTS_WITNESS_H */
