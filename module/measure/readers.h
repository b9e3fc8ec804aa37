/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that go through files, and how long that takes. */
#ifndef MC_READERS_H
#define MC_READERS_H

#include "measure/target.h"
#include "measure/works.h"

#define MC_NOWHERE	(~0ULL)

/**
 * struct mc_reader - a thread's part
 * @target: its file
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
struct mc_reader {
	struct mc_target *target;
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
 * struct mc_readers - a point
 * @works: the measurement
 * @run: the run
 * @write: op=write
 * @check: check=on
 * @drop: cache=drop
 * @direct: direct=on
 * @transfer: bytes at once
 * @n: readers
 * @reader: they
 * @nfiles: files
 * @target: they
 * @wrong: the first reader that found a wrong byte, or NULL
 * @cached: bytes of all files before the last sample
 * @cached_known: it could be found
 */
struct mc_readers {
	struct mc_works works;
	struct mc_run *run;
	bool write;
	bool check;
	bool drop;
	bool direct;
	u64 transfer;
	unsigned int n;
	struct mc_reader *reader;
	unsigned int nfiles;
	struct mc_target *target;
	const struct mc_reader *wrong;
	u64 cached;
	bool cached_known;
};

void mc_readers_share(struct mc_readers *job);
int mc_readers_sample(struct mc_readers *job, u32 round);
u64 mc_readers_bytes(const struct mc_readers *job);
u64 mc_readers_transfers(const struct mc_readers *job);
void mc_readers_end(struct mc_readers *job);

#endif /* MC_READERS_H */
