// SPDX-License-Identifier: GPL-2.0-only
/* The test file natively: what it reads and writes, and the figures that it reports. */
#include "stub/file.h"

static void assert_holds(const struct mc_file *f, u64 seed, u64 bytes)
{
	struct mc_pattern pattern = { .seed = seed, .bytes = bytes };

	assert_int_equal(f->bytes, bytes);
	assert_int_equal(mc_pattern_check(&pattern, f->data, 0, bytes), bytes);
}

static void assert_rates(u64 bytes, u64 transfers, u64 ps)
{
	assert_int_equal(n, 1);
	shows(rec, "samples=3 min_ns:%llu max_ns:%llu payload_bytes=%llu mb_per_s:%llu; "
	      "ios_per_s:%llu wrong_offset=null", ps, ps, bytes, mc_rounded(bytes, 1000000000, ps),
	      mc_rounded(transfers, 10000000000000ULL, ps));
	assert_int_equal(files.open, 0);
}

static void test_one_reader(void **state)
{
	reset_written(1, BYTES);
	measured(READ);
	assert_rates(BYTES, 16, ALONE_PS);
	/* 1048576 bytes and 16 transfers in 120.8576 us. */
	shows(rec, "mb_per_s=8676.128 ios_per_s=132387.2 threads=1 size_bytes=65536 verified=off");
	assert_int_equal(done, 4);
	assert_int_equal(calls, 4 * 16);
	assert_false(wrote);
	assert_int_equal(found, 0);
	shows(rec, "dram_read_mb_per_s=null");
}

static void test_transfers_of_a_file_that_is_no_multiple(void **state)
{
	reset_written(1, 100000);
	measured(READ);
	assert_rates(100000, 2, 2 * 1000 * NS + 100000 * 100);
	/* Direct I/O transfers everything but the last part in aligned pieces. */
	reset_written(1, 100000);
	measured(READ " direct=on check=on");
	assert_rates(100000, 2, 2 * 1000 * NS + 100000 * 100);
	shows(rec, "verified=ok");
	/* Calls of 1000 bytes each: 66 of them for 64 KiB and 35 for the rest. */
	reset_written(1, 100000);
	files.most = 1000;
	measured(READ " check=on");
	assert_rates(100000, 2, 101 * 1000 * NS + 100000 * 100);
	shows(rec, "verified=ok");
}

static void test_readers_of_one_file(void **state)
{
	reset_written(3, BYTES);
	measured(READ " readers=3 check=on");
	assert_rates(3 * BYTES, 3 * 16, ALONE_PS);
	shows(rec, "threads=3 size_bytes=196608 verified=ok");
	/* Each reader reads the whole file, beginning at another place. */
	for (u64 i = 0; i < 3; i++) {
		assert_int_equal(first_by[i], 16 * i / 3 * 65536);
		assert_int_equal(bytes_by[i][0], 4 * BYTES);
	}
}

/* When the first reader is done, the other has read half: together, 3 halves of a file. */
static void test_only_what_is_done_at_once_counts(void **state)
{
	reset_written(2, BYTES);
	files.slower[1] = 1;
	measured(READ " readers=2");
	assert_rates(2 * BYTES, 2 * 16, ALONE_PS / 3 * 4 + ALONE_PS % 3 * 4 / 3);
	/* Now it has read a third. A transfer that has not ended counts by its time. */
	reset_written(2, BYTES);
	files.slower[1] = 2;
	measured(READ " readers=2");
	assert_rates(2 * BYTES, 2 * 16,
		     mc_muldiv(2 * BYTES, ALONE_PS, (16 + 5) * 65536 + 65536 / 3));
}

static void test_readers_of_a_file_each(void **state)
{
	reset(2);
	written(PATH ".0", BYTES);
	written(PATH ".1", BYTES);
	measured(READ " readers=2 files=each check=on");
	assert_rates(2 * BYTES, 2 * 16, ALONE_PS);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(first_by[i], 0);
		assert_int_equal(bytes_by[i][i], 4 * BYTES);
		assert_int_equal(bytes_by[i][!i], 0);
	}
}

static void test_a_file_is_written_anew_each_time(void **state)
{
	measured_on(1, WRITE);
	assert_rates(BYTES, 16, ALONE_PS);
	shows(rec, "verified=off");
	assert_int_equal(calls, 4 * 16);
	/* The fourth pattern, the warm-up's included. */
	assert_holds(files_find(PATH), 4, BYTES);
	/* A file of an earlier run is overwritten, with another pattern, and cut to length. */
	reset(1);
	written(PATH, 3 * BYTES);
	measured(WRITE " check=on");
	assert_rates(BYTES, 16, ALONE_PS);
	shows(rec, "verified=ok");
	assert_int_equal(calls, 2 * 4 * 16);
	assert_holds(files_find(PATH), SEED + 4, BYTES);
}

static void test_writers_share_a_file(void **state)
{
	measured_on(3, WRITE " readers=3");
	/* 5, 5 and 6 of 16 transfers: the threads that have 5 end first. */
	assert_rates(BYTES, 16, mc_muldiv(BYTES, 5 * ALONE_PS / 16, 15 * 65536));
	for (u64 i = 0; i < 3; i++) {
		assert_int_equal(first_by[i], 16 * i / 3 * 65536);
		assert_int_equal(bytes_by[i][0], 4 * 65536 * (i < 2 ? 5 : 6));
	}
	assert_holds(files_find(PATH), 4, BYTES);
	measured_on(2, WRITE " readers=2 files=each check=on");
	assert_rates(2 * BYTES, 2 * 16, ALONE_PS);
	shows(rec, "verified=ok");
	assert_holds(files_find(PATH ".0"), 4, BYTES);
	assert_holds(files_find(PATH ".1"), 4, BYTES);
}

/* The time ends when everything is on the disk: the last thread counts, with its sync. */
static void test_what_gets_to_the_disk_takes_its_time(void **state)
{
	reset(2);
	files.sync_ps = 5 * MS;
	files.slower[1] = 1;
	measured(WRITE " readers=2 cache=drop");
	assert_rates(BYTES, 16, 2 * ALONE_PS / 2 + 5 * MS);
	assert_int_equal(files.synced, 2 * 4);
	assert_int_equal(files.dropped, 4);
	reset(1);
	files.sync_ps = 5 * MS;
	measured(WRITE);
	assert_rates(BYTES, 16, ALONE_PS);
	assert_int_equal(files.synced, 0);
}

static void test_what_was_in_the_page_cache(void **state)
{
	reset_written(1, BYTES);
	measured(READ);
	shows(rec, "cached_percent=100");
	assert_int_equal(files.dropped, 0);
	measured(READ " cache=drop");
	shows(rec, "cached_percent=0");
	assert_int_equal(files.dropped, 4);
	/* Half of one of two files is cached before the only sample. */
	reset(2);
	written(PATH ".0", BYTES)->cached = BYTES / 2;
	written(PATH ".1", BYTES);
	measured("file path=" PATH " readers=2 files=each repeat=1 warmup=0");
	shows(rec, "cached_percent=25");
	reset_written(1, BYTES);
	files.no_cache = true;
	measured(READ);
	shows(rec, "cached_percent=null");
}

/* Each byte of a file moves two bytes in memory, see note(). */
static void test_what_it_makes_the_memory_move(void **state)
{
	reset_written(1, BYTES);
	sim.counters = 2;
	sim.openable = 2;
	measured(READ);
	shows(rec, "dram_read_mb_per_s:%llu dram_write_mb_per_s=0 dram_read_bytes=2097152",
	      mc_rounded(2 * BYTES, 1000000000, ALONE_PS));
	/* Reading back is not counted. */
	reset(1);
	sim.counters = 2;
	sim.openable = 2;
	measured(WRITE " check=on");
	shows(rec, "dram_read_mb_per_s=0 dram_write_mb_per_s:%llu",
	      mc_rounded(2 * BYTES, 1000000000, ALONE_PS));
	assert_int_equal(sim.closed, 2);
}

static void test_a_counter_that_took_turns_is_scaled_up(void **state)
{
	reset_written(1, BYTES);
	sim.counters = 2;
	sim.openable = 2;
	turns = 3;
	measured(READ);
	shows(rec, "dram_read_bytes=6291456 dram_why=null");
}

static u64 idle_lines[2];	/* that the idle machine reads, and writes, while it is watched */

/* In place of a tenth of a second before a run. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	for (unsigned int i = 0; i < 2; i++) {
		sim.reading[i].value += idle_lines[i];
		sim.reading[i].enabled++;
		sim.reading[i].running++;
	}
	sim.now[0] += (time->tv_sec * 1000000000ULL + time->tv_nsec) * NS;
	return 0;
}

/* 1000 lines in 100 ms are 640,000 bytes a second. They are not part of the samples. */
static void test_traffic_of_the_idle_machine(void **state)
{
	reset_written(1, BYTES);
	sim.counters = 2;
	sim.openable = 2;
	idle_lines[0] = 1000;
	idle_lines[1] = 300;
	measured(READ);
	idle_lines[0] = 0;
	idle_lines[1] = 0;
	shows(rec, "dram_idle_read_mb_per_s=0.64 dram_idle_write_mb_per_s=0.192; "
	      "dram_read_bytes=2097152 dram_write_bytes=0 dram_counted_ns=120857.6");
}
