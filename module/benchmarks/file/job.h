/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that read or write files, and the time they take. */
#ifndef MC_FILE_JOB_H
#define MC_FILE_JOB_H

#include "core/pattern.h"
#include "measure/measurement.h"
#include "platform/files.h"

#define MC_NOWHERE	(~0ULL)

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

/**
 * struct mc_file_thread - the part of a thread (a "reader", also when it writes)
 * @file: the file that it reads or writes
 * @memory: memory that it transfers to and from
 * @from: offset of its part in the file
 * @bytes: bytes of its part
 * @start: where in its part it begins; it wraps around
 * @began: ticks at its start
 * @ended: ticks at its end
 * @counted: bytes that it transferred before the first reader ended
 * @at: offset in the file of the next transfer
 * @wrong: offset of the first wrong byte, or MC_NOWHERE
 * @err: error that stopped it, a negative errno
 */
struct mc_file_thread {
	struct mc_open_file *file;
	struct mc_transfer memory;
	u64 from;
	u64 bytes;
	u64 start;
	u64 began;
	u64 ended;
	u64 counted;
	u64 at;
	u64 wrong;
	int err;
};

/**
 * struct mc_file_job - a point
 * @meas: the measurement
 * @run: the run
 * @want: which files, and how they are opened
 * @drop: cache=drop
 * @transfer: bytes of one transfer
 * @n: number of readers
 * @reader: array of @n readers
 * @nfiles: number of files
 * @file: array of @nfiles files
 * @bytes: bytes that all readers transfer in a sample
 * @transfers: number of these transfers
 * @wrong: first reader that found a wrong byte, or NULL
 * @cached: bytes of all files in the page cache before the last sample
 * @cached_known: @cached is valid
 */
struct mc_file_job {
	struct mc_measurement meas;
	struct mc_run *run;
	struct mc_file_wanted want;
	bool drop;
	u64 transfer;
	unsigned int n;
	struct mc_file_thread *reader;
	unsigned int nfiles;
	struct mc_open_file *file;
	u64 bytes;
	u64 transfers;
	const struct mc_file_thread *wrong;
	u64 cached;
	bool cached_known;
};

int mc_file_job_measure(struct mc_run *run, void *arg);

#endif /* MC_FILE_JOB_H */
