// SPDX-License-Identifier: GPL-2.0-only
/*
 * The type of pages before, during and after a run, as `buffers` shows it and as the
 * witness sees it. Both read the page tables.
 */
#include "watched.h"

struct type {
	const char *name;
	const char *attribute;
	const char *now;	/* the witness's name for it; NULL: it sees no such pages */
	long standing;		/* pages of the standing buffer */
};

WATCHED(type)

FIXTURE_VARIANT(type) {
	struct type is;
};

FIXTURE_VARIANT_ADD(type, wb) { { "wb", "wb", NULL, BLOCK } };
FIXTURE_VARIANT_ADD(type, wc) { { "wc", ATTRIBUTE_WC, "now_wc", BLOCK } };
FIXTURE_VARIANT_ADD(type, uc) { { "uc", ATTRIBUTE_UC, "now_uc", BLOCK } };
#ifdef __aarch64__
FIXTURE_VARIANT_ADD(type, np) { { "np", "nGnRnE", "now_other", 0 } };
#endif

/* The line in `buffers` that begins with these words also has the others. */
static bool line_has(const char *type, const char *kind, const char *attribute, const char *more)
{
	const char *begin = TEXT("%s %s ", type, kind);
	char *line, *end;

	if (!file_has("buffers", begin))
		return false;
	line = strstr(run_text, begin);
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	return strstr(line, TEXT(" attribute=%s ", attribute)) && strstr(line, more);
}

static bool buffer_is(const struct type *t, const char *kind, const char *more)
{
	return line_has(t->name, kind, t->attribute, more);
}

static long pages_now(const struct type *t)
{
	return t->now ? witness(t->now) : witness_away() - watched_standing();
}

/* The number of pages that there should be if a run has so many of its own. */
static long pages(const struct type *t, long of_run)
{
	return t->now ? t->standing + of_run : 0;
}

static pid_t start(const struct type *t, const char *more)
{
	return run_start(TEXT(ENDLESS " type=%s %s", t->name, more));
}

TEST_F(type, in_standing_buffers)
{
	EXPECT_EQ(!!variant->is.standing, buffer_is(&variant->is, "standing", " pages=512 "));
	EXPECT_EQ(pages(&variant->is, 0), pages_now(&variant->is));
	EXPECT_EQ(BLOCK, witness("now_wc"));
	EXPECT_EQ(BLOCK, witness("now_uc"));
	EXPECT_EQ(0, witness("now_other"));
	EXPECT_TRUE(file_has("buffers", "leaked_pages=0\n"));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(2 * BLOCK, witness("touched"));
	EXPECT_EQ(2 * BLOCK, witness("now_wb"));
	ASSERT_EQ(0, module_load("size_mb=2"));
}

/* 4 MiB are more than the standing buffer has, so a run gets a buffer of its own. */
TEST_F(type, during_and_after_a_run)
{
	pid_t pid = start(&variant->is, "size=4M node=0");

	/* After the warm-ups and a sample there is a result to keep. */
	ASSERT_TRUE(run_gets_to(3));
	EXPECT_TRUE(buffer_is(&variant->is, "run", " pages=1024 node=0 "));
	EXPECT_EQ(!!variant->is.standing, buffer_is(&variant->is, "standing", " pages=512 "));
	EXPECT_EQ(pages(&variant->is, 2 * BLOCK), pages_now(&variant->is));
	EXPECT_EQ(-ECANCELED, run_stop(pid));
	EXPECT_FALSE(file_has("buffers", " run "));
	EXPECT_EQ(pages(&variant->is, 0), pages_now(&variant->is));
	EXPECT_TRUE(file_has("results", variant->is.attribute));
}

TEST_F(type, in_a_4k_mapping)
{
	ASSERT_EQ(0, run(TEXT("bandwidth type=%s page=4k op=write,read,copy size=4K,1M,4M repeat=1",
			      variant->is.name)));
	EXPECT_EQ(9, results_with(TEXT("\"attribute\":\"%s\"", variant->is.attribute)));
	EXPECT_EQ(9, results_with("\"verified\":\"ok\""));
	EXPECT_EQ(pages(&variant->is, 0), pages_now(&variant->is));
}

TEST_F(type, while_a_4k_mapping_is_there)
{
	pid_t pid = start(&variant->is, "page=4k size=4M node=1");

	ASSERT_TRUE(run_gets_to(1));
	EXPECT_TRUE(buffer_is(&variant->is, "run", " mapped_4k=yes "));
	EXPECT_EQ(pages(&variant->is, 2 * BLOCK), pages_now(&variant->is));
	EXPECT_EQ(0, kill(pid, SIGINT));
	EXPECT_EQ(-EINTR, run_end(pid));
	EXPECT_EQ(pages(&variant->is, 0), pages_now(&variant->is));
}

/* The page for the fence is a buffer of its own, uncached and never measured. */
TEST_F(type, with_a_fence_page)
{
	pid_t pid = start(&variant->is, "fence=uc node=0 size=64K");
	long of_run = 0;

	ASSERT_TRUE(run_gets_to(1));
	EXPECT_TRUE(line_has("uc", "fence", ATTRIBUTE_UC, " pages=1 "));
	/* The standing buffer may lie on another node. */
	if (variant->is.now && file_has("buffers", " run "))
		of_run = CHANGED(16);
	EXPECT_EQ(2 * BLOCK + CHANGED(1) + of_run, witness_away());
	EXPECT_EQ(-ECANCELED, run_stop(pid));
	EXPECT_EQ(watched_standing(), witness_away());
}

/* The figures behind a name in a line of `buffers`. */
static const char *levels(const char *line, const char *name, long *small)
{
	static char text[2][64];
	static int i;
	char *out = text[i++ & 1];
	const char *at = strstr(line, name);

	out[0] = '\0';
	if (at)
		sscanf(at + strlen(name), "%63s", out);
	at = strstr(out, ",4K:");
	*small = at ? atol(at + 4) : -1;
	return out;
}

/*
 * A type is set on whole blocks, so no large mapping is split into small ones.
 * (/proc/meminfo cannot show this: loading a module splits mappings, too, and late.)
 */
TEST_F(type, leaves_large_mappings_large)
{
	long before, after, small = 0;
	char *at = run_text, *line;
	int lines = 0;
	pid_t pid = start(&variant->is, "size=32M");

	ASSERT_TRUE(run_gets_to(1));
	EXPECT_TRUE(file_has("buffers", " run pages=8192 "));
	EXPECT_LE(0, witness("small"));
	while ((line = strsep(&at, "\n")) && strstr(line, " pages=")) {
		EXPECT_STREQ(levels(line, " direct_map_before_kib=", &before),
			     levels(line, " direct_map_after_kib=", &after));
		small += strncmp(line, "wb", 2) ? after : 0;
		lines++;
	}
	EXPECT_EQ(4, lines);
	EXPECT_TRUE(!TYPES_IN_DIRECT_MAP || small == 4 * witness("small"));
	EXPECT_EQ(-ECANCELED, run_stop(pid));
}

WATCHED(types)

/* Each type in turn on what may be the same pages, which are write-back in between. */
TEST_F(types, follow_each_other)
{
	int i;

	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, run("bandwidth type=uc,wc,wb,wc,uc size=4M repeat=1 warmup=0"));
	EXPECT_EQ(2, results_with("\"attribute\":\"" ATTRIBUTE_UC "\""));
	EXPECT_EQ(2, results_with("\"attribute\":\"" ATTRIBUTE_WC "\""));
	EXPECT_EQ(1, results_with("\"attribute\":\"wb\""));
	EXPECT_EQ(watched_standing(), witness_away());
}

TEST_HARNESS_MAIN
