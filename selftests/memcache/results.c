// SPDX-License-Identifier: GPL-2.0-only
/* Reading results: they are always all of one run, however they are read. */
#include "chance.h"
#include "watched.h"

#define MUCH (16 << 20)

static const char * const files[] = { FILES "results", FILES "results.jsonl" };
static char whole[MUCH], again[MUCH];

WATCHED(results)

TEST_F(results, are_none_at_first)
{
	EXPECT_EQ(0, file_read(FILES "results.jsonl", whole, MUCH));
	ASSERT_LT(0, file_read(FILES "results", whole, MUCH));
	EXPECT_EQ('#', whole[0]);
	EXPECT_EQ(-EINVAL, run("bandwidth size=1"));
	EXPECT_EQ(0, file_read(FILES "results.jsonl", whole, MUCH));
}

/* A file that was opened before a run ends still has the results of that time. */
TEST_F(results, stay_what_they_were_when_opened)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		ssize_t len, n = 0, got;
		int fd;

		ASSERT_EQ(0, run("bandwidth op=read,write,copy size=4K..256K repeat=2"));
		len = file_read(files[i], whole, MUCH);
		ASSERT_LT(1000, len);
		fd = open(files[i], O_RDONLY);
		ASSERT_LE(0, fd);
		ASSERT_EQ(100, read(fd, again, 100));
		n = 100;
		ASSERT_EQ(0, run("bandwidth op=ntwrite size=8K repeat=1"));
		while ((got = read(fd, again + n, 1000)) > 0)
			n += got;
		EXPECT_EQ(len, n);
		EXPECT_EQ(0, memcmp(whole, again, len));
		/* An open file keeps the module loaded. */
		EXPECT_EQ(-EWOULDBLOCK, module_unload());
		close(fd);
		EXPECT_GT(len, file_read(files[i], again, MUCH));
	}
}

TEST_F(results, are_the_last_run_s_while_another_is_on)
{
	static char before[2][1 << 16];
	size_t i;
	pid_t pid;

	ASSERT_EQ(0, run("bandwidth size=4K,8K repeat=2"));
	for (i = 0; i < 2; i++)
		ASSERT_LT(0, file_read(files[i], before[i], sizeof(before[i])));
	pid = run_start(ENDLESS " size=4K");
	ASSERT_TRUE(run_gets_to(3));
	for (i = 0; i < 2; i++) {
		ASSERT_LT(0, file_read(files[i], again, MUCH));
		EXPECT_STREQ(before[i], again);
	}
	EXPECT_EQ(-ECANCELED, run_stop(pid));
	ASSERT_LT(0, file_read(files[0], again, MUCH));
	EXPECT_STRNE(before[0], again);
}

TEST_F(results, read_the_same_in_pieces)
{
	static const int pieces[] = { 1, 7, 100, 4095, 4096, 4097, 65536 };
	size_t i, j;

	ASSERT_EQ(0, run("bandwidth op=read,write size=4K..64K repeat=2"));
	for (i = 0; i < 2; i++) {
		ssize_t len = file_read(files[i], whole, MUCH), n, got, at;
		int fd = open(files[i], O_RDONLY);

		ASSERT_LT(1000, len);
		ASSERT_LE(0, fd);
		for (j = 0; j < sizeof(pieces) / sizeof(*pieces); j++) {
			ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
			for (n = 0; (got = read(fd, again + n, pieces[j])) > 0;)
				n += got;
			EXPECT_EQ(len, n);
			EXPECT_EQ(0, memcmp(whole, again, len));
		}
		/* Reads backwards, at random offsets, and behind the end. */
		for (at = len - 1; at >= 0; at -= 97) {
			got = pread(fd, again, 50, at);
			ASSERT_LT(0, got);
			ASSERT_EQ(0, memcmp(whole + at, again, got));
			ASSERT_EQ(at, lseek(fd, at, SEEK_SET));
			ASSERT_LT(0, read(fd, again, 50));
			ASSERT_EQ(whole[at], again[0]);
		}
		EXPECT_EQ(0, pread(fd, again, 50, len));
		EXPECT_EQ(0, pread(fd, again, 50, len + 1000000));
		close(fd);
	}
}

static int columns_of(char *line)
{
	int n = 0;

	while (strsep(&line, " "))
		n += line && *line && *line != ' ';
	return n;
}

#define FIFTY_ONES "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1," \
		   "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"
#define FIFTY_ZEROS "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0," \
		    "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"

/*
 * RECORDS, in steps of 200: far more than fits a buffer of a reader or of the kernel, whose
 * kmalloc() gives 4 MiB at most.
 */
TEST_F_TIMEOUT(results, may_be_thousands, 600)
{
	int rows = 0, columns = 0, records = chance_count("RECORDS", 2000) / 200 * 200;
	char *at = whole, *line, text[512];
	size_t width = 0;
	ssize_t len;

	ASSERT_TRUE(records >= 200 && records <= 10000);
	snprintf(text, sizeof(text), "bandwidth size=4K type=wb,uc op=read,ntwrite repeat="
		 FIFTY_ONES " warmup=%.*s", records / 100 - 1, FIFTY_ZEROS);
	ASSERT_EQ(0, run(text));
	len = file_read(files[0], whole, MUCH);
	ASSERT_LT(records * 100L, len);
	while ((line = strsep(&at, "\n")) && *line) {
		/* The # before the names is not a column. */
		width = width ?: strlen(line);
		EXPECT_EQ(width, strlen(line));
		line[0] = ' ';
		columns = columns ?: columns_of(strdup(line));
		EXPECT_EQ(columns, columns_of(line));
		rows++;
	}
	EXPECT_EQ(records + 1, rows);
	EXPECT_LT(10, columns);

	len = file_read(files[1], whole, MUCH);
	ASSERT_LT(records * 1200L, len);
	EXPECT_EQ('\n', whole[len - 1]);
	for (at = whole, rows = 0; (at = strstr(at, "{\"record\":\"result\"")); at++)
		rows++;
	EXPECT_EQ(records, rows);
	EXPECT_EQ(NULL, strstr(whole, "\"verified\":\"failed\""));
}

TEST_HARNESS_MAIN
