/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of the test `file`: opened and checked before anything is measured. */
#ifndef MC_OPEN_FILES_H
#define MC_OPEN_FILES_H

#include "core/pattern.h"
#include "core/request.h"
#include "platform/files.h"

/**
 * struct mc_file_wanted - how to open the files of a point
 * @path: path of the file; with @each, .0, .1 and so on are appended
 * @each: one file for each reader, otherwise one for all
 * @write: write @bytes of a pattern
 * @check: read, and compare with the pattern in the file
 * @direct: bypass the page cache
 * @bytes: size to write
 */
struct mc_file_wanted {
	const char *path;
	bool each;
	bool write;
	bool check;
	bool direct;
	u64 bytes;
};

/**
 * struct mc_open_file - an open file
 * @handle: handle of the system
 * @bytes: its size, or the size it will have
 * @pattern: the pattern it holds, or held before it is written
 * @path: its path
 */
struct mc_open_file {
	struct mc_file *handle;
	u64 bytes;
	struct mc_pattern pattern;
	char path[MC_PATH_MAX + 8];
};

int mc_files_open(struct mc_open_file *t, unsigned int n,
		  const struct mc_file_wanted *ask, struct mc_error *e);
void mc_files_close(struct mc_open_file *t, unsigned int n);

#endif /* MC_OPEN_FILES_H */
