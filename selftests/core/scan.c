// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/scan.c and module/measure/regions.c natively: a machine with blocks of
 * free memory here and there, whose loops and loads have a price, and where one region is
 * slower than the others.
 */
#define TEST	mc_test_scan
#include "stub/engine.h"

#include "measure/regions.h"
#include "measure/source.h"
#include "stub/machine.h"

#define MIB	(1024 * 1024ULL)
#define REGION	(2 * MIB)
#define BYTES	(16 * MIB)
#define START	(5ULL << 32)		/* physical address of the first byte */

/* Prices and oddities of the machine. */
static struct made {
	u64 caches;		/* bytes */
	u64 byte_ps;		/* a byte of any loop but the flush */
	u64 load_ps;		/* a load that waits */
	u64 slow_from, slow_to;	/* offsets between which all is half as fast */
	u64 *struck;		/* a word that a stray store changes */
	bool no_addresses;
	u64 flushed;		/* bytes */
	u64 fails_at;		/* the region for whose list there is no memory, once */
} made;

#define MADE	.byte_ps = 100, .load_ps = 80 * NS, .fails_at = ~0ULL

static bool strikes;

/* Free memory: offset, bytes, node. */
static struct { u64 at, bytes; int node; } blocks[8];
static unsigned int nblocks;
static u64 given;		/* bytes that were given back */

u64 mc_source_caches(const u64 *cpus, unsigned int level)
{
	return made.caches;
}

static u64 price(const struct access *a, u64 now_ps)
{
	u64 ps = a->bytes == LINE ? LINE * made.byte_ps : made.load_ps;

	strikes |= made.struck && a->operation == STORE &&
		   a->physical / LINE == ((u8 *)made.struck - memory) / LINE;
	if (a->operation == FLUSH) {
		made.flushed += LINE;
		return 0;
	}
	return a->physical >= made.slow_from && a->physical < made.slow_to ? 2 * ps : ps;
}

/* A stray store comes behind those of the loop. */
static u64 spend(u64 ps)
{
	if (strikes)
		++*made.struck;
	strikes = false;
	return ps;
}

/* ---------------------------------------------------------------- free memory */

static void give_back(const struct mc_block *block)
{
	given += block->bytes;
	memset(block->addr, 0xff, block->bytes);
}

static struct mc_held held = { .give_back = give_back };

static void add(u64 at, u64 bytes, int node)
{
	blocks[nblocks].at = at;
	blocks[nblocks].bytes = bytes;
	blocks[nblocks++].node = node;
}

/* The first @n_regions regions, whole. */
static void add_regions(unsigned int n_regions)
{
	for (unsigned int i = 0; i < n_regions; i++)
		add(i * REGION, REGION, 0);
}

static int find_region(struct mc_run *r, const struct mc_point *point,
		       const struct mc_wanted *want, struct mc_area *area)
{
	assert_int_equal(want->region, REGION);
	if (!want->index) {
		mc_held_end(&held);
		given = 0;
	}
	for (unsigned int i = 0; !want->index && i < nblocks; i++) {
		struct mc_block b = {
			.at = START + blocks[i].at, .addr = memory + blocks[i].at,
			.bytes = blocks[i].bytes, .node = blocks[i].node,
		};

		held.physical = !made.no_addresses;
		assert_int_equal(mc_held_add(&held, &b), 0);
	}
	wanted[0] = *want;
	found++;
	if (want->index == made.fails_at) {
		made.fails_at = ~0ULL;
		return mc_fail(&r->error, -ENOMEM, "region: no memory for the list");
	}
	return mc_held_find(&held, want, area, &r->error);
}

static void end_all(void)
{
	mc_held_end(&held);
}

static void end(struct mc_run *r)
{
	end_all();
}

static void costs(void)
{
	machine_reset("", 0, .price = price, .spend = spend);
	memset(memory, 0, MACHINE_BYTES);
	made = (struct made){ MADE };
	nblocks = 0;
	regions_most = 8;
	side.find = find_region;
	side.end = end;
	side.drop = end_all;
	sim.look = 10 * NS;
}

#define scan_all(rest, ...)	measure("scan region=2M cpu=0-%u " rest, sim.n - 1, ##__VA_ARGS__)
#define assert_scanned(...)	assert_int_equal(scan_all(__VA_ARGS__), 0)

/* --------------------------------------------------------------------- figures */

/* Blocks come in any order; regions are in that of their addresses, those that have some. */
static void test_regions(void **state)
{
	reset_with(1, .slow_from = 6 * MIB, .slow_to = 8 * MIB);
	add(6 * MIB, MIB, 0);
	add(13 * MIB, MIB, 1);
	add(7 * MIB, MIB, 0);
	add(2 * MIB, 2 * MIB, 0);
	assert_scanned("repeat=3 warmup=1");
	assert_int_equal(n, 3);
	assert_int_equal(wanted->wish.node, -1);
	assert_true(wanted->private);
	all_show("begin_mib=20482/20486/20492 covered_bytes=2097152//1048576 memory_node=0//1");
	assert_string_equal(rec[2].text, "0x500c00000");
	/* 100 ps a byte are 10 GB/s. */
	all_show("mb_per_s=9900..10000/4950..5000 ns_per_load=80..80.1/160..160.1; "
		 "ns_per_load_min=/160..160.1 level=memory size_bytes=2097152 verified=ok//ok");
	/* Regions that are not there count as done. */
	assert_int_equal(done, 8 * 4);
	assert_int_equal(given, 5 * MIB);
}

static void test_threads_share_a_region(void **state)
{
	static const char * const ops[] = { "read", "write", "ntwrite" };

	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		reset(4);
		add_regions(2);
		assert_scanned("op=%s repeat=3 warmup=1", ops[i]);
		assert_int_equal(n, 2);
		all_show("threads=4 payload_bytes=2097152 mb_per_s=39000..40000 verified=ok");
	}
}

static void test_caches_are_flushed_unless_the_region_is_far_larger(void **state)
{
	reset_with(1, .caches = 2 * MIB / 8);
	add(0, 2 * MIB, 0);
	assert_scanned("repeat=3 warmup=1");
	assert_int_equal(made.flushed, 0);
	reset_with(1, .caches = 2 * MIB);
	add(0, 2 * MIB, 0);
	assert_scanned("repeat=3 warmup=1");
	/* Before the ten samples that agree, and before the three that are kept. */
	assert_int_equal(made.flushed, (10 + 3) * 2 * MIB);
}

/* A short pass is repeated in a sample, and finds what the pass before it left in a cache. */
static void test_a_short_pass_has_no_level(void **state)
{
	reset_with(1, .caches = 2 * MIB, .byte_ps = 0);
	add(0, 2 * MIB, 0);
	sim.overhead = 100;
	assert_scanned("repeat=1 warmup=0");
	shows(rec, "level=null");
}

static void test_little_of_a_region_is_not_measured(void **state)
{
	reset(1);
	add(0, MIB - 4096, 0);
	add(2 * MIB, 2 * MIB, 0);
	assert_scanned("repeat=1 warmup=0");
	assert_int_equal(n, 1);
	shows(rec, "begin_mib:%llu", (START >> 20) + 2);
}

static void test_without_addresses(void **state)
{
	reset_with(1, .no_addresses = true);
	add(0, 2 * MIB, 0);
	assert_scanned("repeat=1 warmup=0");
	shows(rec, "physical_address=null");
	assert_non_null(strstr(WRITTEN(mc_engine_note, &req, rec, n), "physical_address: "));
}

static void test_several_nodes_in_a_region(void **state)
{
	reset(1);
	add(0, MIB, 0);
	add(MIB, MIB, 1);
	add(2 * MIB, 2 * MIB, MC_NODE_NA);
	assert_scanned("repeat=1 warmup=0");
	all_show("memory_node=mixed/null");
}

/* Each request for an operation takes the memory anew. */
static void test_several_points(void **state)
{
	reset(1);
	add(0, 2 * MIB, 0);
	regions_most = 4;
	assert_scanned("op=read,write repeat=1 warmup=0");
	assert_int_equal(n, 2);
	shows(&rec[1], "verified=ok");
	assert_int_equal(given, 2 * MIB);
}

/* ---------------------------------------------------------------------- errors */

static void test_a_stray_store_is_found(void **state)
{
	reset_with(1, .struck = (u64 *)(memory + 2 * MIB + 800));
	add_regions(2);
	assert_int_equal(scan_all("op=write repeat=2 warmup=0"), -EBADMSG);
	assert_int_equal(n, 2);
	all_show("verified=ok/failed");
}

static void test_a_stop_keeps_what_was_measured(void **state)
{
	reset(1);
	add_regions(3);
	assert_stopped(0, 3, "scan region=2M cpu=0 repeat=2 warmup=0", 2);
	shows(&rec[1], "ns_per_load=null");
	assert_int_equal(given, 6 * MIB);
}

/* Regions that are not measured for lack of memory are not taken for the end of memory. */
static void test_no_memory_between_regions(void **state)
{
	reset_with(1, .fails_at = 1);
	add_regions(3);
	assert_int_equal(scan_all("repeat=1 warmup=0"), -ENOMEM);
	assert_string_equal(run.error.text, "region: no memory for the list");
	assert_int_equal(n, 1);
	assert_int_equal(found, 2);
	assert_int_equal(given, 6 * MIB);
}

static void test_wrong_requests(void **state)
{
	reset(1);
	assert_refused("scan cpu=0 region=6M", -EINVAL, "region");
	assert_refused("scan cpu=0 type=uc", -EINVAL, "type");
	assert_refused("scan cpu=0 page=2m", -EINVAL, "page");
	assert_refused("scan cpu=0 size=1M", -EINVAL, "size");
	assert_refused("scan cpu=0 measure=each", -EINVAL, "measure");
	assert_refused("scan cpu=0 target=phys:0x1000+0x1000", -EINVAL, "target");
}

/* ----------------------------------------------------------------- the regions */

static void test_the_first_region_comes_first(void **state)
{
	struct mc_block b[5] = {
		{ .at = 9 * MIB, .bytes = 1 }, { .at = 5 * MIB, .bytes = 2 },
		{ .at = 4 * MIB, .bytes = 3 }, { .at = 8 * MIB, .bytes = 4 },
		{ .at = 6 * MIB, .bytes = 5 },
	};

	assert_int_equal(mc_region_first(b, 5, 2 * MIB), 2);
	assert_int_equal(b[0].bytes, 3);
	assert_int_equal(b[1].bytes, 2);
	assert_int_equal(mc_region_first(b + 2, 3, 2 * MIB), 1);
	assert_int_equal(b[2].bytes, 5);
	assert_int_equal(mc_region_first(b + 3, 2, 2 * MIB), 2);
	assert_int_equal(b[3].bytes, 4);
	assert_int_equal(mc_region_first(b + 5, 0, 2 * MIB), 0);
}

static void test_neighbours_are_one_span(void **state)
{
	struct mc_block b[3] = {
		{ .addr = memory, .bytes = 4096, .zone = MC_ZONE_DMA32 },
		{ .addr = memory + 4096, .bytes = 8192, .zone = MC_ZONE_DMA32 },
		{ .addr = memory + 16384, .bytes = 4096, .zone = MC_ZONE_NORMAL },
	};
	struct mc_span spans[3];

	assert_int_equal(mc_region_spans(b, 3, spans), 2);
	assert_int_equal(spans[0].bytes, 12288);
	assert_int_equal(spans[1].start, 12288);
	assert_ptr_equal(spans[1].addr, memory + 16384);
	assert_int_equal(mc_region_zone(b, 2), MC_ZONE_DMA32);
	assert_int_equal(mc_region_zone(b, 3), MC_ZONE_MIXED);
}
