// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every loop runs once. A kernel that checks types in calls by a pointer reports, in its
 * log, each loop whose type is not that of the pointer.
 */
#include "watched.h"

/* Only x86 has string instructions, and a copy_mc_to_kernel() that is not memcpy(). */
#ifdef __x86_64__
#define ON_X86 true
#else
#define ON_X86 false
#endif

#define SMALL " size=8K repeat=1 warmup=0 fence=none,uc"

WATCHED(loops)

/* The number of widths of the operation, in one stream or several; -1: one of them fails. */
static int widths(const char *op, int streams)
{
	static const char * const names[] = { "8", "16", "32", "64", "max" };
	int n = 0, err;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		err = run(TEXT("bandwidth op=%s width=%s streams=%d" SMALL, op, names[i], streams));
		if (err && err != -EINVAL && err != -EOPNOTSUPP)
			return -1;
		n += !err;
	}
	return n;
}

TEST_F(loops, of_every_operation)
{
	char ops[1024], *at, *op;
	int n = 0, several = 0;

	EXPECT_EQ(-EINVAL, run("bandwidth op=none"));
	ASSERT_LT(0, file_read(FILES "run", ops, sizeof(ops)));
	at = strstr(ops, "is not one of ");
	ASSERT_NE(NULL, at);
	at += strlen("is not one of ");
	at[strcspn(at, "\n")] = 0;
	while ((op = strsep(&at, "|"))) {
		int one = widths(op, 1), two = widths(op, 2);
		/* Not every CPU has the instructions of these, nor every kernel the function. */
		bool may_lack = !strncmp(op, "write_", 6) || !strcmp(op, "movdir64b") ||
				!strcmp(op, "read_movrs") ||
				strstr(op, "_llsc") || !strcmp(op, "clear_pages") ||
				(!ON_X86 && (!strncmp(op, "rep_", 4) ||
					     !strcmp(op, "copy_mc_to_kernel")));

		if (!strcmp(op, "own"))	/* has no loop before it gets one */
			may_lack = true;

		EXPECT_LE(may_lack ? 0 : 1, one) {
			TH_LOG("op=%s", op);
		}
		EXPECT_LE(0, two) {
			TH_LOG("op=%s", op);
		}
		n += one;
		several += two;
	}
	/* The widths of a CPU that has SSE2 only. */
	EXPECT_LE(30, n);
	EXPECT_LE(16, several);
}

TEST_F(loops, of_random_accesses)
{
	static const struct {
		const char *line;
		int verified;	/* results; nobody verifies writes that begin at any byte */
	} rows[] = {
#define ANYWHERE "random generator=lcg,xorshift128+ align=8,1 type=wb,wc size=16K,1M count=1K" \
		 " repeat=1 warmup=0 "
		{ ANYWHERE "op=read", 16 }, { ANYWHERE "op=write", 8 },
		{ ANYWHERE "op=read mode=dependent", 16 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		EXPECT_EQ(0, run(rows[i].line));
		EXPECT_EQ(rows[i].verified, results_with("\"verified\":\"ok\""));
	}
}

TEST_HARNESS_MAIN
