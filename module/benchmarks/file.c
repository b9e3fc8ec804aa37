// SPDX-License-Identifier: GPL-2.0-only
/*
 * file: how fast files are read and written, and how much memory traffic this causes.
 *
 * A file that is written holds a pattern (core/pattern.c), another one for each sample,
 * so that a reader can compare every byte. Only regular files are opened. A file is
 * overwritten only if it is empty or holds what op=write has written, and never removed.
 * file/job.c has the threads.
 */
#include "core/math.h"
#include "benchmarks/file/job.h"
#include "measure/test.h"
#include "platform/os.h"

enum {
	KEY_OP = MC_KEY_FIRST,
	KEY_PATH,
	KEY_FILES,
	KEY_TRANSFER,
	KEY_READERS,
	KEY_BYTES,
	KEY_CHECK,
	KEY_CACHE,
	KEY_DIRECT,
};

enum {
	COL_MB_PER_S,
	COL_IOS_PER_S,
	COL_DRAM_READ,
	COL_DRAM_WRITE,
	COL_CACHED,
	COL_WRONG,
};

enum { OP_READ, OP_WRITE };
enum { FILES_SHARED, FILES_EACH };
enum { CACHE_KEEP, CACHE_DROP };

static const struct mc_key keys[] = {
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "read", OP_READ }, { "write", OP_WRITE }),
	  .help = "read a file, or write it with a pattern that can be checked" },
	{ .name = "path", .column = "path", .preset = "none", .kind = MC_PATH,
	  .names = MC_NAMES({ "none", 0, .asked_only = true }), .json_only = true,
	  .help = "path of a regular file; op=write takes a new or empty one, or its own" },
	{ .name = "files", .column = "files", .preset = "shared", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "shared", FILES_SHARED }, { "each", FILES_EACH }),
	  .help = "one file for all readers, or one for each: PATH.0, PATH.1 and so on" },
	{ .name = "transfer", .column = "transfer_bytes", .preset = "512K", .kind = MC_SIZE,
	  .min = 512, .max = 256ULL << 20, .multiple = 512,
	  .help = "bytes of each transfer, into memory of each reader" },
	{ .name = "readers", .column = "readers", .preset = "1", .kind = MC_NUMBER, .min = 1,
	  .max = 256,
	  .help = "number of threads that read or write; they take the CPUs of cpu= in turn" },
	{ .name = "bytes", .column = "file_bytes", .preset = "64M", .kind = MC_SIZE, .min = 4096,
	  .max = 1ULL << 46, .multiple = 4096, .found = true,
	  .help = "op=write: size of each file; op=read reads the whole file" },
	{ .name = "check", .column = "check", .preset = "off", .kind = MC_CHOICE,
	  .names = mc_on_off,
	  .help = "compare each byte; op=read: while it reads, op=write: after each sample" },
	{ .name = "cache", .column = "cache", .preset = "keep", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "keep", CACHE_KEEP }, { "drop", CACHE_DROP }),
	  .help = "drop: page cache empty before a sample, data on the disk at its end" },
	{ .name = "direct", .column = "direct", .preset = "off", .kind = MC_CHOICE,
	  .names = mc_on_off, .help = "on: bypass the page cache (O_DIRECT)" },
};

static const struct mc_column columns[] = {
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_MAIN,
	  .rate = true, .help = "rate of all readers, 10^6 bytes/s, from the median sample" },
	[COL_IOS_PER_S] = { .name = "ios_per_s", .decimals = 1,
	  .help = "transfers of all readers per second, from the median sample" },
	[COL_DRAM_READ] = { .name = "dram_read_mb_per_s", .rate = true, .json_only = true,
	  .help = "reads from memory at the same time, 10^6 bytes/s" },
	[COL_DRAM_WRITE] = { .name = "dram_write_mb_per_s", .rate = true, .json_only = true,
	  .help = "writes to memory at the same time, 10^6 bytes/s" },
	[COL_CACHED] = { .name = "cached_percent", .decimals = 1,
	  .help = "bytes of the files in the page cache before the last sample" },
	[COL_WRONG] = { .name = "wrong_offset", .json_only = true,
	  .help = "check=on: offset of the first wrong byte in its file" },
};

/* ------------------------------------------------------- check the request */

static unsigned int file_threads(const struct mc_request *req)
{
	return mc_request_max(req, KEY_READERS);
}

/*
 * Refuse keys that have no meaning for files, unless they have their only value. size=
 * must not be given at all.
 */
static int check_common(struct mc_run *run, const struct mc_point *point)
{
	static const struct {
		enum mc_key_id id;
		u64 value;
		const char *why;
	} only[] = {
		{ MC_KEY_TYPE, MC_WB, "files are read into memory of type=wb only" },
		{ MC_KEY_IRQ, 1, "reading a file sleeps, so interrupts stay on" },
		{ MC_KEY_SCHED, MC_SCHED_KEEP, "reading a file sleeps; use sched=keep" },
		{ MC_KEY_NODE, MC_AUTO, "each reader's memory is on its own node; use node=auto" },
		{ MC_KEY_PAGE, MC_PAGE_AUTO, "there is no mapping to choose; use page=auto" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(only); i++) {
		if (point->v[only[i].id] != only[i].value)
			return mc_fail(&run->error, -EINVAL, "%s: %s",
				       mc_key_of(run->req->spec, only[i].id)->name,
				       only[i].why);
	}
	if (mc_request_given(run->req, MC_KEY_SIZE))
		return mc_fail(&run->error, -EINVAL,
			       "size: is not for files; use transfer= and bytes=");
	return 0;
}

static int file_check(struct mc_run *run, const struct mc_point *point)
{
	u64 transfers = (point->v[KEY_BYTES] - 1) / point->v[KEY_TRANSFER] + 1;
	int err = check_common(run, point);

	if (err)
		return err;
	if (!*run->req->path)
		return mc_fail(&run->error, -EINVAL,
			       "path: names no file; write path=/ABSOLUTE/PATH");
	if (mc_request_given(run->req, KEY_BYTES) && mc_request_max(run->req, KEY_OP) != OP_WRITE)
		return mc_fail(&run->error, -EINVAL,
			       "bytes: is for op=write only; op=read reads whole files");
	if (point->v[KEY_OP] == OP_WRITE && point->v[KEY_FILES] == FILES_SHARED &&
	    transfers < point->v[KEY_READERS])
		return mc_fail(&run->error, -EINVAL,
			       "readers: %llu are more than the %llu transfers of the file",
			       point->v[KEY_READERS], transfers);
	return 0;
}

/* -------------------------------------------------------------------- the files */

static int explain_open(const struct mc_open_file *t, const struct mc_file_wanted *ask,
			int err, const char *what, struct mc_error *e)
{
	if (what)
		return mc_fail(e, err, "path: %s is %s; only regular files are read and written",
			       t->path, what);
	if ((err == -EINVAL || err == -EOPNOTSUPP) && ask->direct)
		return mc_fail(e, -EOPNOTSUPP, "direct: %s is on a filesystem without direct I/O",
			       t->path);
	if (err == -EPERM)
		return mc_fail(e, err,
			       "path: %s has an attribute that forbids this (see lsattr); it is left unchanged",
			       t->path);
	return mc_fail(e, err, "path: %s can't be opened (error %d)", t->path, -err);
}

/* Open an existing file, or create a new one to write. */
static int open_one(struct mc_open_file *t, const struct mc_file_wanted *ask, struct mc_error *e)
{
	unsigned int how = (ask->write ? MC_FILE_WRITE : MC_FILE_READ) |
			   (ask->direct ? MC_FILE_DIRECT : 0);
	const char *what = NULL;
	int err = mc_file_open(&t->handle, t->path, how, ask->bytes, &what);

	if (err == -ENOENT && ask->write) {
		err = mc_file_open(&t->handle, t->path, MC_FILE_CREATE, ask->bytes, &what);
		/*
		 * Reopen it for direct I/O, so that a filesystem that refuses this does
		 * so before anything is written.
		 */
		if (!err && ask->direct) {
			mc_file_close(t->handle);
			t->handle = NULL;
			err = mc_file_open(&t->handle, t->path, how, ask->bytes, &what);
		}
	}
	return err ? explain_open(t, ask, err, what, e) : 0;
}

/* Read the pattern header of a file. Return: as mc_pattern_read(), and other errnos. */
static int read_header(struct mc_open_file *t)
{
	struct mc_transfer memory;
	s64 n = mc_transfer_make(&memory, MC_FILE_ALIGN);

	if (!n)
		n = mc_file_move(t->handle, &memory, 0, MC_FILE_ALIGN, 0, false);
	if (n >= 0)
		n = n < MC_PATTERN_HEADER ? -EINVAL : mc_pattern_read(&t->pattern, memory.data);
	mc_transfer_free(&memory);
	return n;
}

/*
 * A file with a damaged header was still written by op=write, so it may be overwritten.
 */
static int prepare_to_write(struct mc_open_file *t, u64 bytes, struct mc_error *e)
{
	int err = mc_file_size(t->handle) ? read_header(t) : 0;

	if (err == -EINVAL)
		return mc_fail(e, -EEXIST,
			       "path: %s exists, but op=write has not written it; it is left unchanged",
			       t->path);
	if (err && err != -EBADMSG)
		return mc_fail(e, err, "path: %s can't be read (error %d)", t->path, -err);
	t->bytes = bytes;
	t->pattern.bytes = bytes;
	err = mc_file_size(t->handle) > bytes ? mc_file_cut(t->handle, bytes) : 0;
	if (err)
		return mc_fail(e, err, "path: %s can't be made shorter (error %d)", t->path, -err);
	return 0;
}

static int prepare_to_check(struct mc_open_file *t, struct mc_error *e)
{
	int err = read_header(t);

	if (err == -EINVAL)
		return mc_fail(e, err,
			       "check: %s has no pattern to compare with, because op=write has not written it",
			       t->path);
	if (err == -EBADMSG)
		return mc_fail(e, err, "check: the first %d bytes of %s are wrong",
			       MC_PATTERN_HEADER, t->path);
	if (err)
		return mc_fail(e, err, "path: %s can't be read (error %d)", t->path, -err);
	if (t->bytes < t->pattern.bytes)
		return mc_fail(e, -ENODATA,
			       "path: %s was cut short to %llu bytes; it had %llu when it was written",
			       t->path, t->bytes, t->pattern.bytes);
	if (t->bytes > t->pattern.bytes)
		return mc_fail(e, -EBADMSG,
			       "check: byte %llu of %s is wrong: op=write ended the file there",
			       t->pattern.bytes, t->path);
	return 0;
}

static int prepare_to_read(struct mc_open_file *t, bool check, struct mc_error *e)
{
	t->bytes = mc_file_size(t->handle);
	if (!t->bytes)
		return mc_fail(e, -EINVAL, "path: %s is empty", t->path);
	return check ? prepare_to_check(t, e) : 0;
}

/* Open the files of a point, which file_clean_up() closes. After an error, none was written. */
static int open_files(struct mc_file_job *job, struct mc_error *e)
{
	const struct mc_file_wanted *ask = &job->want;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < job->nfiles; i++) {
		struct mc_open_file *t = &job->file[i];
		struct mc_text path = MC_TEXT(t->path);

		mc_textf(&path, "%s", ask->path);
		if (ask->each)
			mc_textf(&path, ".%u", i);
		err = open_one(t, ask, e);
		if (!err)
			err = ask->write ? prepare_to_write(t, ask->bytes, e) :
					   prepare_to_read(t, ask->check, e);
	}
	return err;
}

/* ------------------------------------------------------------------ the record */

static void file_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct mc_file_job *job = arg;
	u64 all = 0, ps;
	const struct mc_dram *dram = &rec->dram;
	unsigned int i;

	rec->threads = job->n;
	rec->point.v[MC_KEY_SIZE] = job->n * job->transfer;
	rec->point.v[KEY_BYTES] = job->file->bytes;
	mc_measurement_record(&job->meas, rec);
	rec->payload_bytes = job->bytes;
	if (rec->stats.samples && job->want.check)
		rec->verified = MC_VERIFIED_OK;
	if (job->wrong) {
		rec->verified = MC_VERIFIED_FAILED;
		mc_record_set(rec, COL_WRONG, job->wrong->wrong);
	}
	for (i = 0; i < job->nfiles; i++)
		all += job->file[i].bytes;
	if (job->cached_known && all)
		mc_record_set(rec, COL_CACHED, mc_rounded(job->cached, 1000, all));
	ps = rec->stats.median_ps;
	if (!ps)
		return;
	mc_record_set(rec, COL_MB_PER_S, mc_mb_per_s(job->bytes, ps));
	mc_record_set(rec, COL_IOS_PER_S,
		      mc_rounded(job->transfers, 10000000000000ULL, ps));
	if (dram->counted & 1U << MC_DRAM_READ && dram->counted_ps)
		mc_record_set(rec, COL_DRAM_READ,
			      mc_mb_per_s(dram->bytes[MC_DRAM_READ], dram->counted_ps));
	if (dram->counted & 1U << MC_DRAM_WRITE && dram->counted_ps)
		mc_record_set(rec, COL_DRAM_WRITE,
			      mc_mb_per_s(dram->bytes[MC_DRAM_WRITE], dram->counted_ps));
}

/* --------------------------------------------------------------------- the run */

static int file_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct mc_file_job *job = arg;
	unsigned int i;

	job->run = run;
	job->want = (struct mc_file_wanted){
		.path = run->req->path, .each = point->v[KEY_FILES] == FILES_EACH,
		.write = point->v[KEY_OP] == OP_WRITE, .check = point->v[KEY_CHECK],
		.direct = point->v[KEY_DIRECT], .bytes = point->v[KEY_BYTES],
	};
	job->drop = point->v[KEY_CACHE] == CACHE_DROP;
	job->transfer = point->v[KEY_TRANSFER];
	job->n = point->v[KEY_READERS];
	job->nfiles = job->want.each ? job->n : 1;
	job->reader = mc_measurement_array(&job->meas, job->n, sizeof(*job->reader));
	job->file = mc_measurement_array(&job->meas, job->nfiles, sizeof(*job->file));
	if (!job->reader || !job->file)
		return mc_fail(&run->error, -ENOMEM, "readers: no memory for %u", job->n);
	for (i = 0; i < job->n; i++)
		job->reader[i].wrong = MC_NOWHERE;
	return open_files(job, &run->error);
}

static void file_clean_up(void *arg)
{
	struct mc_file_job *job = arg;
	unsigned int i;

	for (i = 0; job->file && i < job->nfiles; i++)
		mc_file_close(job->file[i].handle);
	for (i = 0; job->reader && i < job->n; i++)
		mc_transfer_free(&job->reader[i].memory);
}

const struct mc_test mc_test_file = {
	.spec = {
		.name = "file",
		.help = "reads and writes of a file, with or without the page cache",
		.presets = "cpu=all sched=keep repeat=5 warmup=1",
		MC_KEYS_AND_COLUMNS,
	},
	.allocates_memory = true,
	.threads = file_threads,
	.check = file_check,
	.job_bytes = sizeof(struct mc_file_job),
	.set_up = file_set_up,
	.measure = mc_file_job_measure,
	.fill = file_fill,
	.clean_up = file_clean_up,
};
