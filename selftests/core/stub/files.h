/* SPDX-License-Identifier: GPL-2.0-only */
/* files.h in memory: what files cost in virtual time, and what goes wrong with them. */
#ifndef MC_SELFTEST_FILES_H
#define MC_SELFTEST_FILES_H

#include "platform/files.h"
#include "team.h"

#define FILES_MOST	4
#define FILES_NOWHERE	(~0ULL)

/**
 * struct mc_file - a file, open or not
 * @path: its name; empty: there is none
 * @data: what it holds
 * @bytes: how much
 * @cached: of it, in the page cache
 * @what: it is no regular file, but this; NULL: it is one
 */
struct mc_file {
	char path[80];
	u8 *data;
	u64 bytes;
	u64 cached;
	const char *what;
};

/**
 * struct files - what a test sets and sees of the files
 * @call_ps: what a transfer takes
 * @byte_ps: and more for each byte
 * @sync_ps: what a sync takes
 * @slower: thread i takes so many times more, and once
 * @most: bytes that a call transfers at most
 * @fail_at: a call that would reach this byte of a file fails
 * @fail: the errno of that
 * @damage_at: this byte is written wrong
 * @no_direct: the filesystem has no direct I/O
 * @no_cache: nobody can tell what is in the page cache
 * @no_memory: no transfer can be made
 * @no_disk: nothing can be dropped, for this errno
 * @transferred: after each call, with the offset in the file; NULL: nothing
 * @open: files that are
 * @dropped: times that one was
 * @synced: the same
 * @file: all there are
 */
struct files {
	u64 call_ps;
	u64 byte_ps;
	u64 sync_ps;
	u64 slower[TEAM_MOST];
	u64 most;
	u64 fail_at;
	int fail;
	u64 damage_at;
	bool no_direct;
	bool no_cache;
	bool no_memory;
	int no_disk;
	void (*transferred)(struct mc_file *f, u64 offset, u64 bytes, bool write);
	unsigned int open;
	unsigned int dropped;
	unsigned int synced;
	struct mc_file file[FILES_MOST];
};

extern struct files files;

void files_reset(void);
struct mc_file *files_find(const char *path);
struct mc_file *files_make(const char *path, u64 bytes);

#endif /* MC_SELFTEST_FILES_H */
