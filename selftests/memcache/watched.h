/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of most tests: memcache with standing buffers of 2 MiB, watched
 * by the witness. Whatever the test did, at its end the module unloads, every
 * page must be write-back again, and no thread may be left.
 */
#ifndef SELFTESTS_WATCHED_H
#define SELFTESTS_WATCHED_H

#include "harness.h"
#include "run.h"
#include "witness.h"

/* The pages of the standing buffers, and the fence's page once it was used. */
static inline long watched_standing(void)
{
	return 2 * BLOCK + (file_has("buffers", "uc fence ") ? CHANGED(1) : 0);
}

static inline void watched_setup(struct __test_metadata *_metadata)
{
	/* Remove what a test that died has left behind. */
	module_clear();
	witness_unload();
	ASSERT_EQ(0, witness_load());
	ASSERT_EQ(0, module_load("size_mb=2"));
	ASSERT_EQ(watched_standing(), witness_away());
}

static inline void watched_teardown(struct __test_metadata *_metadata)
{
	EXPECT_EQ(0, run_threads());
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(0, witness_away());
	EXPECT_EQ(0, witness_unload());
}

/* The fixture, for tests that need no more. It may have variants. */
#define WATCHED(type)	FIXTURE_BY(type, watched_setup(_metadata), watched_teardown(_metadata))

#endif /* SELFTESTS_WATCHED_H */
