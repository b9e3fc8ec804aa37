// SPDX-License-Identifier: GPL-2.0-only
/*
 * Only regular files are opened. A file is overwritten only if it is empty or holds
 * what op=write has written, and never removed.
 */
#include "benchmarks/file/files.h"
#include "platform/os.h"

static int explain_open(const struct mc_open_file *t, const struct mc_file_wanted *ask,
			int err, const char *what, struct mc_error *e)
{
	if (what)
		return mc_fail(e, err, "path: %s is %s; only regular files are read and written",
			       t->path, what);
	if (err == -EOPNOTSUPP && ask->direct)
		return mc_fail(e, err, "direct: %s is on a filesystem without direct I/O", t->path);
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
		n = mc_file_read(t->handle, &memory, 0, MC_FILE_ALIGN, 0);
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

/**
 * mc_files_open() - open the files of a point
 * @t: array of @n files, zeroed; mc_files_close() must close them even after an error
 * @n: number of files
 * @ask: how to open them
 * @e: says what is wrong
 *
 * Context: Process, the one that asks for the run; may sleep.
 * Return: 0 or a negative errno; after an error no file was written.
 */
int mc_files_open(struct mc_open_file *t, unsigned int n,
		  const struct mc_file_wanted *ask, struct mc_error *e)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		struct mc_text path = MC_TEXT(t[i].path);

		mc_textf(&path, "%s", ask->path);
		if (ask->each)
			mc_textf(&path, ".%u", i);
		err = open_one(&t[i], ask, e);
		if (!err)
			err = ask->write ? prepare_to_write(&t[i], ask->bytes, e) :
					   prepare_to_read(&t[i], ask->check, e);
	}
	return err;
}

/**
 * mc_files_close() - close the files of a point
 * @t: the files
 * @n: number of files
 *
 * Context: Process, may sleep.
 */
void mc_files_close(struct mc_open_file *t, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		mc_file_close(t[i].handle);
}
