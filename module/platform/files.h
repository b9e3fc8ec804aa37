/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular files for the test `file`. module/kernel/files.c uses the VFS in the kernel,
 * tools/user/files.c makes system calls.
 */
#ifndef MC_FILE_H
#define MC_FILE_H

#ifdef __KERNEL__
#include <linux/stat.h>
#else
#include <sys/stat.h>
#endif

#include "core/shim.h"

struct mc_file;

/* Flags of mc_file_open(). */
#define MC_FILE_READ	0U
#define MC_FILE_WRITE	1U	/* open an existing file to read and write */
#define MC_FILE_CREATE	2U	/* create a file to read and write */
#define MC_FILE_DIRECT	4U	/* bypass the page cache */

/* Words for a file that is not a regular one, by its mode. */
static inline const char *mc_file_kind(unsigned int mode)
{
	return S_ISDIR(mode) ? "a directory" : S_ISLNK(mode) ? "a symbolic link" :
	       S_ISFIFO(mode) ? "a FIFO" : S_ISSOCK(mode) ? "a socket" : "a device";
}

#define MC_FILE_ALIGN	4096	/* alignment of the memory of transfers */

/**
 * struct mc_transfer - memory for transfers
 * @data: the memory, aligned to MC_FILE_ALIGN
 * @bytes: its size
 * @pages: its pages, for the kernel's direct I/O
 * @npages: number of pages
 */
struct mc_transfer {
	void *data;
	u64 bytes;
	void *pages;
	u64 npages;
};

int mc_file_open(struct mc_file **f, const char *path, unsigned int how,
		 u64 bytes, const char **what);
u64 mc_file_size(const struct mc_file *f);
int mc_file_cut(struct mc_file *f, u64 bytes);
s64 mc_file_move(struct mc_file *f, struct mc_transfer *t, u64 at, u64 bytes, u64 offset,
		 bool write);
int mc_file_sync(struct mc_file *f);
int mc_file_drop(struct mc_file *f);
bool mc_file_cached(struct mc_file *f, u64 *bytes);
void mc_file_close(struct mc_file *f);

int mc_transfer_make(struct mc_transfer *t, u64 bytes);
void mc_transfer_free(struct mc_transfer *t);

#endif /* MC_FILE_H */
