// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations fail at random, in the process that writes a request and in the kernel
 * thread that starts its threads: FAILING runs, each with another probability.
 */
#include <sys/mman.h>

#include "inject.h"

#define MANY 1000000	/* the limit of failures; the kernel counts it down */

static const char *const lines[] = {
	"bandwidth size=64K repeat=2 warmup=0",
	"bandwidth size=16K,4M type=wb,uc,wc op=write,copy repeat=1 warmup=0",
	"bandwidth size=3M type=uc,wc page=4k cpu=0-1 repeat=1 warmup=0",
	"bandwidth size=64K fence=uc irq=off cpu=0-1 repeat=2 warmup=0",
	"bandwidth size=6M node=1 op=ntwrite type=wc repeat=1 warmup=0",
	"random size=64K,4M type=wb,uc repeat=1 warmup=0",
	"latency size=16K,4M repeat=1 warmup=0",
	"loaded cpu=0-1 size=64K delay=0 repeat=1 warmup=0",
	"c2c cpu=0-1 size=4K repeat=1 warmup=0",
	"line repeat=1 warmup=0",
	"tlb size=64K repeat=1 warmup=0",
	"scan region=2M size=8M repeat=1 warmup=0",
};

FIXTURE(any) {
	long before;
};

FIXTURE_SETUP(any)
{
	module_clear();
	self->before = away_in_page_tables();
	watched_setup(_metadata);
}

FIXTURE_TEARDOWN(any)
{
	inject_set("probability", "0");
	file_write(KTHREADD "make-it-fail", "0");
	watched_teardown(_metadata);
	EXPECT_EQ(self->before, away_in_page_tables());
	counted_show();
}

/* How many allocations have failed since the start. */
static long failed(void)
{
	char text[32];
	long n = 0;
	int i;

	for (i = 0; i < 2; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%stimes", both_allocators[i]);
		if (file_read(path, text, sizeof(text)) > 0)
			n += MANY - atol(text);
	}
	return n;
}

static int run_in_need(const char *line)
{
	pid_t pid = fork();

	if (pid)
		return run_end(pid);
	if (file_write(HERE "make-it-fail", "1"))
		_exit(255);
	_exit(-run(line));
}

TEST_F(any, allocation_of_a_run)
{
	unsigned long i, n = chance_count("FAILING", 40);
	char percent[16];
	const char *line;
	int err;

	if (!inject_ready())
		SKIP(return, "this kernel has no fault injection");
	TH_LOG("SEED=%llu", chance_seed);
	/* No page of this program may have to be read from a file meanwhile. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	ASSERT_EQ(0, inject_set("interval", "1"));
	ASSERT_EQ(0, file_write(KTHREADD "make-it-fail", "1"));
	for (i = 0; i < n; i++) {
		line = PICK(lines);
		snprintf(percent, sizeof(percent), "%lu", 1 + chance(chance(4) ? 5 : 40));
		ASSERT_EQ(0, file_write(SLAB "times", "1000000"));
		ASSERT_EQ(0, file_write(PAGES "times", "1000000"));
		ASSERT_EQ(0, inject_set("probability", percent));
		err = run_in_need(line);
		ASSERT_EQ(0, inject_set("probability", "0"));
		counted.runs++;
		counted.injected += failed();
		ASSERT_TRUE(!err || (err == -ENOMEM && failed())) {
			TH_LOG("error %d of %s at %s %%", -err, line, percent);
		}
		EXPECT_FALSE(file_has("results.jsonl", "\"verified\":\"failed\""));
		is_sound(_metadata);
		if (!test_passed(_metadata)) {
			TH_LOG("run %lu, %s at %s %%", i, line, percent);
			return;
		}
	}
}

TEST_HARNESS_MAIN
