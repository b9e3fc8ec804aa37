/* SPDX-License-Identifier: GPL-2.0-only */
/* files.h in memory: what files cost in virtual time, and what goes wrong with them. */
#ifndef MC_SELFTEST_FILES_H
#define MC_SELFTEST_FILES_H

#include "platform/files.h"
#include "threads.h"

#define FILES_MOST	4
#define FILES_NOWHERE	(~0ULL)

/**
 * struct mc_file - a file, open or not
 * @path: its name; empty: there is no file
 * @data: its content
 * @bytes: its size
 * @cached: number of its bytes in the page cache
 * @what: kind of a file that is not regular; NULL: it is a regular file
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
 * @call_ps: time of a transfer
 * @byte_ps: additional time of each byte
 * @sync_ps: time of a sync
 * @slower: a transfer of thread i takes @slower[i] + 1 times as long
 * @most: the most bytes that a call transfers
 * @fail_at: a call that would reach this byte of a file fails
 * @fail: errno of that call
 * @damage_at: this byte is written wrong
 * @no_direct: the filesystem has no direct I/O
 * @no_cache: the content of the page cache is not known
 * @no_memory: no transfer can be made
 * @no_disk: errno of dropping a file from the page cache; 0: it can be dropped
 * @transferred: called after each call, with the offset in the file; NULL: nothing is
 * @open: number of open files
 * @dropped: number of times that a file was dropped
 * @synced: number of times that a file was synced
 * @file: all files
 */
struct files {
	u64 call_ps;
	u64 byte_ps;
	u64 sync_ps;
	u64 slower[THREADS_MOST];
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
