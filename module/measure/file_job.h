/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that go through files, and how long that takes. */
#ifndef MC_FILE_JOB_H
#define MC_FILE_JOB_H

#include "measure/open_files.h"
#include "measure/measurement.h"

#define MC_NOWHERE	(~0ULL)

/**
 * struct mc_file_thread - a thread's part
 * @file: the file that it goes through
 * @memory: what it transfers into and from
 * @from: its part of the file
 * @bytes: of that part
 * @start: where in that it begins; it goes round
 * @began: ticks
 * @ended: ticks
 * @counted: bytes until the first reader was through
 * @at: offset in the file of what comes next
 * @wrong: offset of the first wrong byte, or MC_NOWHERE
 * @err: why it could not go on, a negative errno
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
 * @write: op=write
 * @check: check=on
 * @drop: cache=drop
 * @direct: direct=on
 * @transfer: bytes at once
 * @n: readers
 * @reader: array of @n threads
 * @nfiles: files
 * @file: array of @nfiles files
 * @wrong: the first reader that found a wrong byte, or NULL
 * @cached: bytes of all files before the last sample
 * @cached_known: it could be found
 */
struct mc_file_job {
	struct mc_measurement meas;
	struct mc_run *run;
	bool write;
	bool check;
	bool drop;
	bool direct;
	u64 transfer;
	unsigned int n;
	struct mc_file_thread *reader;
	unsigned int nfiles;
	struct mc_open_file *file;
	const struct mc_file_thread *wrong;
	u64 cached;
	bool cached_known;
};

void mc_file_job_share(struct mc_file_job *job);
int mc_file_job_sample(struct mc_file_job *job, u32 round);
u64 mc_file_job_bytes(const struct mc_file_job *job);
u64 mc_file_job_transfers(const struct mc_file_job *job);
void mc_file_job_end(struct mc_file_job *job);

#endif /* MC_FILE_JOB_H */
