/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module/benchmarks/file.c natively, with threads in virtual time and files in memory.
 * Each transfer has a price, so that rates are known to the last digit.
 */
#ifndef MC_STUB_FILE_H
#define MC_STUB_FILE_H

#define TEST	mc_test_file
#include "engine.h"

#include "core/pattern.h"
#include "files.h"

#define BYTES	(1024 * 1024ULL)
#define PATH	"/data/x"
#define SEED	7

/* Keys of the requests here: 16 transfers a file. */
#define READS	"file op=read path=" PATH " transfer=64K"
#define WRITES	"file op=write path=" PATH " bytes=1M transfer=64K"
#define READ	READS " warmup=1 repeat=3"
#define WRITE	WRITES " warmup=1 repeat=3"

/* The time of one reader for a file of 1 MiB. */
#define ALONE_PS	(16 * 1000 * NS + BYTES * 100)

static u64 bytes_by[THREADS_MOST][FILES_MOST];	/* bytes of a file that a thread transferred */
static u64 first_by[THREADS_MOST];			/* offset at which each thread began */
static u64 calls;
static bool wrote;
static u64 turns;		/* the counter of reads is on its PMU in one of so many */

static void note(struct mc_file *f, u64 offset, u64 bytes, bool write)
{
	unsigned int i;

	if (!sim_in_thread())
		return;
	i = sim_self();
	if (first_by[i] == FILES_NOWHERE)
		first_by[i] = offset;
	bytes_by[i][f - files.file] += bytes;
	calls++;
	wrote |= write;
	/* Two lines of memory for each 64 bytes; the counter's clock runs. */
	sim.reading[write].value += 2 * bytes / 64;
	sim.reading[0].enabled += turns;
	sim.reading[0].running++;
	sim.reading[1].enabled++;
	sim.reading[1].running++;
}

static void costs(void)
{
	files_reset();
	files.call_ps = 1000 * NS;
	files.byte_ps = 100;
	files.transferred = note;
	memset(bytes_by, 0, sizeof(bytes_by));
	memset(first_by, 0xff, sizeof(first_by));
	memset(sim.reading, 0, sizeof(sim.reading));
	calls = 0;
	wrote = false;
	turns = 1;
	/* All threads are woken at the same time, however long others took before. */
	sim.together = true;
}

/* A file that op=write has written. */
static inline struct mc_file *written(const char *path, u64 bytes)
{
	struct mc_pattern pattern = { .seed = SEED, .bytes = bytes };
	struct mc_file *f = files_make(path, bytes);

	mc_pattern_fill(&pattern, f->data, 0, bytes);
	return f;
}

/* @threads, and the file at PATH, which op=write has written. */
static inline struct mc_file *reset_written(unsigned int threads, u64 bytes)
{
	reset(threads);
	return written(PATH, bytes);
}

#endif /* MC_STUB_FILE_H */
