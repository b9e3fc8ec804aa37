/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that the test `file` is about: opened, and looked at before all else. */
#ifndef MC_OPEN_FILES_H
#define MC_OPEN_FILES_H

#include "core/pattern.h"
#include "core/request.h"
#include "platform/files.h"

/**
 * struct mc_file_wanted - what is wanted of files
 * @path: where it is, or where they are: with .0, .1 and so on behind it
 * @each: several, else one
 * @write: to be written, with @bytes of a pattern
 * @check: to be read and compared with the pattern that it has
 * @direct: past the page cache
 * @bytes: see @write
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
 * struct mc_open_file - a file that is open
 * @handle: what the system gave for it
 * @bytes: in it, or to be in it
 * @pattern: that it has, or had before it is written
 * @path: its name
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
