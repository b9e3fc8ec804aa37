// SPDX-License-Identifier: GPL-2.0-only
/* The kernel refuses a request, fails half-way, or reports a success that is none. */
#include "watched.h"

/* An attribute that can't be set. */
FIXTURE_BY(refusal, watched_setup(_metadata); ASSERT_EQ(0, run("bandwidth size=64K repeat=3")),
	   watched_teardown(_metadata))

FIXTURE_VARIANT(refusal) {
	const char *fault;
	const char *keys;	/* keys of a request that it hits */
};

/* A request that lacks memory tries a second time, without its other buffers. */
#ifdef __aarch64__
/* A type is that of a mapping: it is refused as a whole, and nothing is left half-way. */
#define REFUSED "page: "
#define LOAD_FAULTS "map refuse 1 1"

FIXTURE_VARIANT_ADD(refusal, uc_mapping) { .fault = "map refuse 1 9", .keys = "type=uc" };
FIXTURE_VARIANT_ADD(refusal, wc_mapping) { .fault = "map refuse 1 9", .keys = "type=wc page=4k" };
FIXTURE_VARIANT_ADD(refusal, np_mapping) { .fault = "map refuse 1 9", .keys = "type=np" };

FIXTURE_VARIANT_ADD(refusal, fence_page) {
	.fault = "map refuse 1 9", .keys = "type=wb fence=uc",
};
#else
#define REFUSED "type: "
#define LOAD_FAULTS "uc refuse 1 1", "uc late 1 1", "wc refuse 1 1", "wc late 1 1"

FIXTURE_VARIANT_ADD(refusal, uc_at_once) { .fault = "uc refuse 1 9", .keys = "type=uc" };
FIXTURE_VARIANT_ADD(refusal, uc_half_way) { .fault = "uc refuse 3 9", .keys = "type=uc" };

FIXTURE_VARIANT_ADD(refusal, uc_though_done) {
	.fault = "uc late 2 9", .keys = "type=uc page=4k",
};

FIXTURE_VARIANT_ADD(refusal, wc_at_once) { .fault = "wc refuse 1 9", .keys = "type=wc page=4k" };
FIXTURE_VARIANT_ADD(refusal, wc_half_way) { .fault = "wc refuse 2 9", .keys = "type=wc" };
FIXTURE_VARIANT_ADD(refusal, wc_though_done) { .fault = "wc late 4 9", .keys = "type=wc" };
FIXTURE_VARIANT_ADD(refusal, fence_page) { .fault = "uc refuse 1 9", .keys = "type=wb fence=uc" };

FIXTURE_VARIANT_ADD(refusal, fence_page_though_done) {
	.fault = "uc late 1 9", .keys = "type=wb fence=uc",
};
#endif

static char results[1 << 16];

TEST_F(refusal, fails_the_request)
{
	const char *line = TEXT("bandwidth %s size=8M repeat=1", variant->keys);

	ASSERT_LT(0, file_read(FILES "results", results, sizeof(results)));
	ASSERT_EQ(0, witness_fault(variant->fault));
	EXPECT_EQ(-ENOMEM, run(line));
	EXPECT_TRUE(file_has("run", "\nstate: failed\nerror: ENOMEM " REFUSED));
	EXPECT_LT(0, witness("hits"));
	EXPECT_EQ(watched_standing(), witness_away());
	EXPECT_TRUE(file_has("buffers", "leaked_pages=0\n"));
	EXPECT_FALSE(file_has("buffers", " run "));

	/* Nothing was measured, so the results of the previous run are still there. */
	EXPECT_TRUE(file_has("results", results));
	ASSERT_EQ(0, witness_fault(TYPES_IN_DIRECT_MAP ? "uc none" : "map none"));
	ASSERT_EQ(0, witness_fault(TYPES_IN_DIRECT_MAP ? "wc none" : "map none"));
	EXPECT_EQ(0, run(line));
	EXPECT_TRUE(file_has("run", "\nstate: done\n"));
	EXPECT_EQ(watched_standing(), witness_away());
}

WATCHED(load)

/* It makes the first call of each kind, for its buffers. */
TEST_F(load, is_refused)
{
	static const char *const faults[] = { LOAD_FAULTS };
	size_t i;

	ASSERT_EQ(0, module_unload());
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		ASSERT_EQ(0, witness_fault(faults[i]));
		EXPECT_EQ(-ENOMEM, module_load("size_mb=2"));
		EXPECT_EQ(-1, access(FILES "run", F_OK));
		EXPECT_EQ(0, witness_away());
	}
	EXPECT_EQ(0, module_load("size_mb=2"));
}

/* A run whose second point is refused. */
WATCHED(half_way)

FIXTURE_VARIANT(half_way) {
	const char *fault;
	const char *types;
};

#ifdef __aarch64__
FIXTURE_VARIANT_ADD(half_way, uc) { "map refuse 1 9", "wb,uc" };
FIXTURE_VARIANT_ADD(half_way, wc) { "map refuse 2 9", "uc,wc" };
FIXTURE_VARIANT_ADD(half_way, np) { "map refuse 2 9", "wc,np" };
#else
FIXTURE_VARIANT_ADD(half_way, uc) { "uc refuse 2 9", "wb,uc" };
FIXTURE_VARIANT_ADD(half_way, uc_late) { "uc late 1 9", "wc,uc" };
FIXTURE_VARIANT_ADD(half_way, wc) { "wc refuse 3 9", "uc,wc" };
FIXTURE_VARIANT_ADD(half_way, wc_late) { "wc late 2 9", "wb,wc" };
#endif

TEST_F(half_way, keeps_what_was_measured)
{
	ASSERT_EQ(0, witness_fault(variant->fault));
	EXPECT_EQ(-ENOMEM, run(TEXT("bandwidth type=%s size=8M repeat=1", variant->types)));
	EXPECT_EQ(1, results_with(""));
	EXPECT_TRUE(file_has("results.jsonl", "\"state\":\"failed\",\"errno\":12,"));
	EXPECT_EQ(watched_standing(), witness_away());
}

/* The kernel says that it has set a type, but has not. */
WATCHED(lie)

FIXTURE_VARIANT(lie) {
	const char *fault;
	const char *type;
	const char *attribute;
};

#ifdef __aarch64__
FIXTURE_VARIANT_ADD(lie, uc) { .fault = "map lie 1 1", .type = "uc", .attribute = "wb" };
FIXTURE_VARIANT_ADD(lie, wc) { .fault = "map lie 1 1", .type = "wc", .attribute = "wb" };
FIXTURE_VARIANT_ADD(lie, np) { .fault = "map lie 1 1", .type = "np", .attribute = "wb" };
#else
FIXTURE_VARIANT_ADD(lie, uc) { .fault = "uc lie 1 2", .type = "uc", .attribute = "wb" };
FIXTURE_VARIANT_ADD(lie, wc) { .fault = "wc lie 1 2", .type = "wc", .attribute = "wb" };

FIXTURE_VARIANT_ADD(lie, half_of_uc) {
	.fault = "uc lie 2 1", .type = "uc", .attribute = "mixed",
};

FIXTURE_VARIANT_ADD(lie, half_of_wc) {
	.fault = "wc lie 1 1", .type = "wc", .attribute = "mixed",
};
#endif

TEST_F(lie, is_seen_in_the_page_tables)
{
	ASSERT_EQ(0, witness_fault(variant->fault));
	EXPECT_EQ(0, run(TEXT("bandwidth type=%s size=4M repeat=1", variant->type)));
	EXPECT_EQ(1, results_with(TEXT("\"attribute\":\"%s\"", variant->attribute)));
}

/* Data whose sum is wrong. */
WATCHED(data)

FIXTURE_VARIANT(data) {
	const char *keys;
	const char *fault;
};

FIXTURE_VARIANT_ADD(data, write) { "op=write", "sum wrong 1" };
FIXTURE_VARIANT_ADD(data, copy) { "op=copy type=wc", "sum wrong 5" };
FIXTURE_VARIANT_ADD(data, deferred) { "op=write verify=deferred", "sum wrong 1" };

TEST_F(data, wrong_is_an_error_with_results)
{
	const char *line = TEXT("bandwidth %s size=64K,128K repeat=3 warmup=2", variant->keys);

	ASSERT_EQ(0, witness_fault(variant->fault));
	EXPECT_EQ(-EBADMSG, run(line));
	EXPECT_TRUE(file_has("run", "\nstate: failed\nerror: EBADMSG verify: "));
	EXPECT_EQ(2, results_with(""));
	EXPECT_EQ(1, results_with("\"verified\":\"failed\""));
	EXPECT_EQ(1, results_with("\"verified\":\"ok\""));
	EXPECT_TRUE(file_has("results.jsonl", "\"state\":\"failed\",\"errno\":74,"));
	EXPECT_EQ(1, file_count("results", " failed "));

	EXPECT_EQ(0, run(line));
	EXPECT_EQ(2, results_with("\"verified\":\"ok\""));
}

TEST_HARNESS_MAIN
