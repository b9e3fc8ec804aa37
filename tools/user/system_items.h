/* SPDX-License-Identifier: GPL-2.0-only */
/* What the test `os` times. The items that need more than a system call have their own files. */
#ifndef MC_USER_SYSTEM_ITEMS_H
#define MC_USER_SYSTEM_ITEMS_H

#include <sys/types.h>

#include "core/shim.h"

/**
 * struct mc_os_asked - what the request says about items
 * @processes: processes in the ring of context
 * @set: bytes that each of them reads
 * @file: bytes of the file that mmap and page_fault map
 * @descriptors: number of descriptors that select looks at
 * @pages: number of huge pages that hugefault has at once
 * @dir: directory for files
 */
struct mc_os_asked {
	u64 processes;
	u64 set;
	u64 file;
	u64 descriptors;
	u64 pages;
	const char *dir;
};

/**
 * struct mc_os_item - an operation that is timed
 * @run: do it n times
 * @batch: how many times in a pass, a multiple of 8
 * @start: prepare, on the thread that measures, or NULL. Return: 0 or a negative errno,
 *         after mc_os_stop_with()
 * @right: was what @run did since the last call right, beside what it has verified itself
 *         (mc_os_verify())? Not timed. NULL: yes. An item without @start verifies nothing
 * @stop: undo @start, also one that failed half-way, or NULL
 * @parts: number of operations in one @run; NULL: one
 * @less: what @run does besides the operation; its time is subtracted, or NULL
 */
struct mc_os_item {
	void (*run)(u64 n);
	u64 batch;
	int (*start)(const struct mc_os_asked *asked);
	bool (*right)(void);
	void (*stop)(void);
	u64 (*parts)(const struct mc_os_asked *asked);
	const struct mc_os_item *less;
};

/* system_peers.c */
extern const struct mc_os_item mc_os_context, mc_os_unix_socket, mc_os_tcp;
extern const struct mc_os_item mc_os_select_file, mc_os_select_tcp;
bool mc_os_has_loopback(void);

/* system_signals.c */
extern const struct mc_os_item mc_os_signal_install, mc_os_signal_catch;
extern const struct mc_os_item mc_os_protection_fault;

/* system_files.c */
extern const struct mc_os_item mc_os_stat, mc_os_open_close, mc_os_mmap, mc_os_page_fault;
#define MC_OS_FILE	65536	/* bytes of a file whose size does not matter */
int mc_os_file_new(const char *dir, u64 bytes);
void mc_os_file_end(void);

/* system_huge.c */
extern const struct mc_os_item mc_os_hugefault;
u64 mc_os_huge_page(void);

/* benchmarks/system.c */
int mc_os_stop_with(int err, const char *what);
bool mc_os_stopped(void);
extern bool mc_os_wrong;	/* an operation was not right */

/* Inline, since it is timed, too. */
static inline void mc_os_verify(bool right)
{
	if (!right)
		mc_os_wrong = true;
}

#endif /* MC_USER_SYSTEM_ITEMS_H */
