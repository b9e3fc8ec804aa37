// SPDX-License-Identifier: GPL-2.0-only
/* The test file natively: wrong bytes, requests that it refuses, and failures. */
#include "stub/file.h"

/* -------------------------------------------------------------- verification */

static void assert_wrong(const char *line, u64 byte)
{
	char text[80];

	snprintf(text, sizeof(text), "check: byte %llu of " PATH " is wrong",
		 (unsigned long long)byte);
	assert_int_equal(measure(line), -EBADMSG);
	assert_string_equal(run.error.text, text);
	assert_int_equal(n, 1);
	shows(rec, "verified=failed wrong_offset:%llu", byte);
	assert_true(rec->stats.samples > 0);
	assert_int_equal(files.open, 0);
}

static void test_a_wrong_byte_is_found(void **state)
{
	static const u64 bytes[] = { 32, 4095, 4096, 65535, 65536, 700001, BYTES - 1 };

	for (unsigned int i = 0; i < ARRAY_SIZE(bytes); i++) {
		reset_written(2, BYTES)->data[bytes[i]] ^= 0x80;
		assert_wrong(READS " readers=2 check=on warmup=0", bytes[i]);
		/* Nothing is compared. */
		reset_written(2, BYTES)->data[bytes[i]] ^= 0x80;
		measured(READ " readers=2");
		shows(rec, "verified=off");
	}
}

static void test_a_byte_that_is_written_wrong_is_found(void **state)
{
	reset(2);
	files.damage_at = 700001;
	assert_wrong(WRITES " readers=2 check=on warmup=0", 700001);
	reset(2);
	files.damage_at = 700001;
	measured(WRITE " readers=2");
}

/* ------------------------------------------------------- what can go wrong */

/* The error begins with @text; nothing was measured or written. */
static void assert_not_opened(const char *line, int err, const char *text)
{
	assert_int_equal(measure(line), err);
	assert_memory_equal(run.error.text, text, strlen(text));
	assert_int_equal(n, 0);
	assert_int_equal(done, 0);
	assert_int_equal(files.open, 0);
	assert_false(wrote);
}

static void test_what_cant_be_run_is_refused(void **state)
{
	static const char *const bad[][2] = {
		{ READ " type=uc", "type: files are read into memory of type=wb only" },
		{ READ " irq=off", "irq: reading a file sleeps" },
		{ READ " irq=on,off", "irq: reading a file sleeps" },
		{ READ " node=0", "node: each reader's memory is on its own node" },
		{ READ " node=local", "node: " },
		{ READ " page=4k", "page: " },
		{ READ " size=1M", "size: is not for files" },
		{ "file", "path: names no file" },
		{ "file path=none", "path: names no file" },
		{ READ " bytes=1M", "bytes: is for op=write only" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		reset(1);
		assert_not_opened(bad[i][0], -EINVAL, bad[i][1]);
	}
	reset(3);
	assert_not_opened("file op=write path=" PATH " bytes=64K transfer=32K readers=3", -EINVAL,
			  "readers: 3 are more than the 2 transfers of the file");
	assert_null(files_find(PATH));
	measured("file op=write path=" PATH " bytes=96K transfer=32K readers=3");
}

static void test_files_are_looked_at_first(void **state)
{
	struct mc_file *f;

	reset(1);
	assert_not_opened(READ, -ENOENT, "path: " PATH " can't be opened (error 2)");
	files_make(PATH, 0);
	assert_not_opened(READ, -EINVAL, "path: " PATH " is empty");
	reset(1);
	files_make(PATH, 0)->what = "a directory";
	assert_not_opened(READ, -EINVAL, "path: " PATH " is a directory; only regular files");
	reset(1);
	f = files_make(PATH, BYTES);
	assert_not_opened(READ " check=on", -EINVAL,
			  "check: " PATH
			  " has no pattern to compare with, because op=write has not");
	assert_not_opened(WRITE, -EEXIST,
			  "path: " PATH " exists, but op=write has not written it; it is left");
	assert_int_equal(f->bytes, BYTES);
	measured(READ);
	reset_written(1, BYTES)->data[17] ^= 1;
	assert_not_opened(READ " check=on", -EBADMSG,
			  "check: the first 32 bytes of " PATH " are wrong");
	/* A header that is damaged is still one of ours. */
	measured(WRITE);
	reset_written(1, BYTES)->bytes = 4096;
	assert_not_opened(READ " check=on", -ENODATA,
			  "path: " PATH " was cut short to 4096 bytes; it had 1048576 when");
	f = reset_written(1, BYTES);
	mc_pattern_fill(&(struct mc_pattern){ SEED, 65536 }, f->data, 0, 65536);
	assert_not_opened(READ " check=on", -EBADMSG,
			  "check: byte 65536 of " PATH " is wrong: op=write ended the file there");
	files.fail_at = 0;
	files.fail = -EIO;
	assert_not_opened(READ " check=on", -EIO, "path: " PATH " can't be read (error 5)");
	assert_not_opened(WRITE, -EIO, "path: " PATH " can't be read (error 5)");
}

static void test_no_direct_io(void **state)
{
	reset(1);
	files.no_direct = true;
	written(PATH, BYTES);
	assert_not_opened(READ " direct=on", -EOPNOTSUPP,
			  "direct: " PATH " is on a filesystem without direct I/O");
	measured(READ);
	reset(1);
	files.no_direct = true;
	assert_not_opened(WRITE " direct=on", -EOPNOTSUPP,
			  "direct: " PATH " is on a filesystem without direct I/O");
	/* Transfers that the filesystem does not take. */
	reset_written(1, BYTES);
	files.fail_at = 0;
	files.fail = -EINVAL;
	assert_not_opened(READ " direct=on", -EINVAL,
			  "direct: " PATH
			  " can't be transferred 65536 bytes at a time; try transfer=4K");
}

static void break_down(void)
{
	if (done == 3)
		files.fail_at = 300000;
}

static void cut_short(void)
{
	if (done == 3)
		files_find(PATH)->bytes = 300000;
}

/* It fails in the fourth sample. The two after the warm-up are kept. */
static void assert_broken(const char *line, int err, const char *text)
{
	assert_int_equal(measure(line), err);
	assert_string_equal(run.error.text, text);
	assert_int_equal(n, 1);
	shows(rec, "samples=2 median_ns=120857.6 mb_per_s=8676.128");
	assert_int_equal(files.open, 0);
}

static void test_what_breaks_down_keeps_what_there_is(void **state)
{
	reset_written(1, BYTES);
	files.fail = -EIO;
	after_sample = break_down;
	assert_broken(READ, -EIO, "path: " PATH " can't be read at byte 262144 (error 5)");
	/* It fails in the tenth of the short calls that this transfer takes. */
	reset_written(1, BYTES);
	files.most = 4096;
	files.call_ps /= 16;
	files.fail = -EIO;
	after_sample = break_down;
	assert_broken(READ, -EIO, "path: " PATH " can't be read at byte 299008 (error 5)");
	reset(1);
	files.fail = -ENOSPC;
	after_sample = break_down;
	assert_broken(WRITE, -ENOSPC, "path: " PATH " can't be written at byte 262144 (error 28)");
	reset_written(1, BYTES);
	after_sample = cut_short;
	assert_broken(READ, -ENODATA,
		      "path: " PATH " was cut short to 300000 bytes; it had 1048576");
	reset_written(1, BYTES);
	files.no_disk = -EIO;
	assert_not_opened(READ " cache=drop", -EIO,
			  "path: " PATH " can't be written to the disk (error 5)");
	reset_written(2, BYTES);
	files.no_memory = true;
	assert_not_opened(READ " readers=2", -ENOMEM,
			  "transfer: no memory for 65536 bytes for each of 2 readers");
}

static void test_a_stop_keeps_what_there_is(void **state)
{
	reset_written(2, BYTES);
	assert_stopped(0, 3, READS " readers=2 check=on repeat=10", 1);
	shows(rec, "samples=2 median_ns=120857.6 verified=ok");
	assert_int_equal(files.open, 0);
}

/* A run can stop between any two transfers, and while written data are read back. */
static void test_a_stop_is_seen_everywhere(void **state)
{
	static const char line[] = "file op=write path=" PATH
		" bytes=128K transfer=16K check=on warmup=0 repeat=2 readers=2";
	unsigned int all, at, kept = 0;

	reset(2);
	assert_int_equal(measure(line), 0);
	all = sim.asked;
	assert_int_equal(all, 2 * 2 * 8);
	for (at = 1; at <= all; at++) {
		reset(2);
		sim.stop_at = at;
		assert_int_equal(measure(line), -ECANCELED);
		assert_int_equal(n, done > 0);
		assert_int_equal(files.open, 0);
		kept += n;
	}
	/* All transfers but the eight of the first sample. */
	assert_int_equal(kept, all - 8);
}

/* results.schema.json has no other states in a file of results. */
static void test_a_run_with_results_was_not_refused(void **state)
{
	assert_string_equal(mc_engine_state(0, 1), "done");
	assert_string_equal(mc_engine_state(-EINVAL, 0), "refused");
	assert_string_equal(mc_engine_state(-EOPNOTSUPP, 0), "refused");
	assert_string_equal(mc_engine_state(-EINVAL, 1), "failed");
	assert_string_equal(mc_engine_state(-EOPNOTSUPP, 1), "failed");
	assert_string_equal(mc_engine_state(-ETIME, 1), "stopped");
	assert_string_equal(mc_engine_state(-EIO, 0), "failed");
}
