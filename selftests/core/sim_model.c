// SPDX-License-Identifier: GPL-2.0-only
/* Costs of accesses on the simulated machine (tools/sim): caches, directory, controllers. */
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "../../tools/sim/model.h"

/* Two nodes with two CPUs each; node 1 has the memory from MEBIBYTE on. */
#define MEBIBYTE	0x100000
#define FAR		MEBIBYTE

static const struct shape shape = {
	.ncpus = 4, .node = { 0, 0, 1, 1 }, .nranges = 2,
	.ranges = { { 0, MEBIBYTE, 0 }, { MEBIBYTE, 2 * MEBIBYTE, 1 } },
};

/* All prices differ, so that a sum tells what was met. */
static struct prices prices;

static void make(const char *words)
{
	static const char *const all[] = {
		"uc_load_ns=1000 uc_store_ns=2000 wc_load_ns=3000 wc_line_ns=400",
		"wc_word_ns=500 wc_buffers=2 wc_early=0 l1_bytes=512 l1_ways=2 l1_ns=1",
		"l2_bytes=2K l2_ways=4 l2_ns=10 l3_bytes=0 l3_ways=4 l3_ns=20 l3_cpus=2",
		"clean_ns=30 clean_ns_0_1=31 clean_ns_1_0=32 dirty_ns=40",
		"dirty_ns_0_1=41 dirty_ns_1_0=42 memory_ns=80 memory_ns_0_1=180",
		"memory_ns_1_0=190 service_ns=0 refresh_every_ns=0 refresh_ns=0",
		"flush_ns=7 clwb_ns=8 prefetch_lines=0 tlb_entries=0 tlb2_entries=0",
		"tlb2_ns=100 tlb_miss_ns=900",
	};
	char why[256], joined[1024] = "";

	memset(&prices, 0, sizeof(prices));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s ", all[i]);
	assert_true(prices_set(&prices, joined, why, sizeof(why)));
	assert_true(prices_set(&prices, words, why, sizeof(why)));
	assert_null(model_make(&prices, &shape));
}

static unsigned long at(unsigned int cpu, long now, enum operation operation, enum type type,
			unsigned long physical, unsigned int bytes)
{
	const struct access a = {
		.physical = physical, .page = physical >> 12, .page_shift = 12, .bytes = bytes,
		.operation = operation, .type = type,
	};

	return model_access(cpu, now, &a);
}

static unsigned long load(unsigned int cpu, unsigned long physical)
{
	return at(cpu, 0, LOAD, WB, physical, 8);
}

static unsigned long store(unsigned int cpu, unsigned long physical)
{
	return at(cpu, 0, STORE, WB, physical, 8);
}

static void test_levels(void **state)
{
	make("");
	assert_int_equal(load(0, 0), 80);
	assert_int_equal(load(0, 56), 1);
	/* Two more lines of its set of L1 push it out; L2 has it. */
	assert_int_equal(load(0, 256), 80);
	assert_int_equal(load(0, 512), 80);
	assert_int_equal(load(0, 0), 10);
	assert_int_equal(load(0, 0), 1);
	assert_int_equal(load(0, 64 - 4), 1 + 80);		/* two lines */
}

static void test_nodes(void **state)
{
	make("");
	assert_int_equal(load(0, FAR), 180);
	assert_int_equal(load(2, 0), 190);
	assert_int_equal(load(2, FAR + 64), 80);
}

static void test_hit_of_others(void **state)
{
	make("");
	assert_int_equal(store(0, 0), 80);
	assert_int_equal(store(0, 0), 1);
	assert_int_equal(load(1, 0), 40);		/* changed, on the same node */
	assert_int_equal(load(2, 0), 32);		/* by now unchanged, from node 0 */
	assert_int_equal(store(3, 64), 190);
	assert_int_equal(load(0, 64), 41);
	/* A store takes the line from those who share it, and from nobody else. */
	assert_int_equal(store(0, 0), 1 + 30);
	assert_int_equal(load(1, 0), 40);
	assert_int_equal(load(0, 0), 1);
	/* The nearest copy counts: of nodes 0 and 1, that of its own node. */
	store(0, 128);
	load(2, 128);
	assert_int_equal(load(3, 128), 30);
	/* A store to a line that it lacks comes with the right to change it. */
	assert_int_equal(store(3, 0), 32);
	assert_int_equal(load(0, 0), 41);
}

/* The node that has a line in its memory is asked where its copies are. */
static void test_home(void **state)
{
	make("home_ns=3 home_ns_0_1=5 home_ns_1_0=6");
	store(1, 0);
	store(1, FAR);
	assert_int_equal(load(0, 0), 40 + 3);
	assert_int_equal(load(0, FAR), 40 + 5);
	assert_int_equal(load(2, 0), 32 + 6);
	assert_int_equal(load(2, FAR), 32 + 3);
	assert_int_equal(store(0, FAR), 1 + 30 + 5);
	/* Memory, and the CPU's own caches, cost what they cost without. */
	assert_int_equal(load(0, FAR + 64), 180);
	assert_int_equal(load(0, FAR + 64), 1);
}

static void test_flush(void **state)
{
	make("");
	store(1, 0);
	assert_int_equal(at(0, 0, FLUSH, 0, 32, 0), 7);
	assert_int_equal(load(1, 0), 80);
	assert_int_equal(store(1, 0), 1);
	assert_int_equal(at(0, 0, CLEAN, 0, 32, 0), 8);
	assert_int_equal(load(1, 0), 1);
	assert_int_equal(load(0, 0), 30);		/* it was cleaned */
}

static void test_l3(void **state)
{
	make("l3_bytes=64K");
	assert_int_equal(load(0, 0), 80);
	/* 128 lines push it out of L1 and L2. */
	for (unsigned long line = 1; line <= 128; line++)
		load(0, line * 64);
	assert_int_equal(load(0, 0), 20);
	for (unsigned long line = 1; line <= 128; line++)
		load(0, line * 64);
	assert_int_equal(load(1, 0), 20);		/* it shares that L3 */
	assert_int_equal(load(2, 0), 32);		/* and this CPU has another */
	/* A changed line goes to the L3, not to memory. */
	make("l3_bytes=64K");
	store(0, 0);
	for (unsigned long line = 1; line <= 128; line++)
		load(0, line * 64);
	assert_int_equal(load(1, 0), 20);
	/* A store takes it out of the other L3. */
	assert_int_equal(store(2, 0), 32);
	at(2, 0, FLUSH, 0, 0, 0);
	assert_int_equal(load(0, 0), 80);
}

static void test_uncached(void **state)
{
	make("");
	assert_int_equal(at(0, 0, LOAD, UC, 0, 8), 1000);
	assert_int_equal(at(0, 0, STORE, UC, 0, 8), 2000);
	assert_int_equal(at(0, 0, LOAD, UC_MINUS, 0, 8), 1000);
	/* The write-combining buffers are sent before. */
	assert_int_equal(at(0, 0, STORE, WC, 64, 8), 0);
	assert_int_equal(at(0, 0, LOAD, UC, 0, 8), 500 + 1000);
}

/* Loads of memory that is not cached wait until what was sent is there, and nobody else does. */
static void test_stores_arrive(void **state)
{
	make("arrive_ns=7000");
	assert_int_equal(at(0, 0, STORE, UC, 0, 8), 2000);
	assert_int_equal(at(1, 1500, LOAD, WC, MEBIBYTE, 8), 7500 + 3000);
	assert_int_equal(at(1, 1500, LOAD, WB, 0, 8), 80);
	assert_int_equal(at(0, 9000, LOAD, UC, 0, 8), 1000);
	assert_int_equal(at(0, 9000, STORE, WC, 6400, 8), 0);
	assert_true(model_is_held(1, 6463) && !model_is_held(0, 6463) && !model_is_held(1, 0));
	assert_int_equal(at(1, 9000, LOAD, WC, 0, 8), 3000);
	assert_int_equal(at(0, 9000, DRAIN, 0, 0, 0), 500);
	assert_false(model_is_held(1, 6463));
	assert_int_equal(at(1, 9000, LOAD, WC, 0, 8), 7500 + 3000);
}

static void test_combining(void **state)
{
	unsigned long sent;

	make("");
	for (unsigned int i = 0; i < 7; i++)
		assert_int_equal(at(0, 0, STORE, WC, i * 8, 8), 0);
	assert_int_equal(at(0, 0, STORE, WC, 56, 8), 400);
	assert_int_equal(at(0, 0, STORE, WC, 0, 64), 400);
	/* A third line makes room, since there are two buffers. */
	assert_int_equal(at(0, 0, STORE, WC, 0, 16), 0);
	assert_int_equal(at(0, 0, STORE, WC, 64, 4), 0);
	assert_int_equal(at(0, 0, STORE, WC, 128, 4), 1000);
	assert_int_equal(at(0, 0, LOAD, WC, 64, 4), 500 + 3000);
	assert_int_equal(at(0, 0, DRAIN, 0, 0, 0), 500);
	assert_int_equal(at(0, 0, DRAIN, 0, 0, 0), 0);
	/* A CPU has buffers of its own. */
	assert_int_equal(at(0, 0, STORE, WC, 0, 8), 0);
	assert_int_equal(at(1, 0, DRAIN, 0, 0, 0), 0);
	/* With wc_early, each store is sent at once, or a part of them. */
	make("wc_early=1000");
	assert_int_equal(at(0, 0, STORE, WC, 0, 8), 500);
	make("wc_early=250");
	sent = 0;
	for (unsigned int i = 0; i < 4000; i++)
		sent += at(0, 0, STORE, WC, 64 * i, 8) / 500;
	/* Each store is sent once, early or to make room. */
	assert_in_range(sent, 3998, 4000);
}

static void test_streaming(void **state)
{
	struct access a = { .bytes = 32, .operation = STORE, .type = WB, .streaming = true };

	make("");
	load(0, 0);
	assert_int_equal(model_access(0, 0, &a), 0);
	a.physical = 32;
	assert_int_equal(model_access(0, 0, &a), 400);
	assert_int_equal(load(0, 0), 80);	/* it has left the caches */
}

static void test_controller(void **state)
{
	make("service_ns=50");
	/* Requests at the same time wait for each other; each node has a controller. */
	assert_int_equal(at(0, 1000, LOAD, WB, 0, 8), 80);
	assert_int_equal(at(1, 1000, LOAD, WB, 64, 8), 80 + 50);
	assert_int_equal(at(2, 1010, LOAD, WB, 128, 8), 190 + 90);
	assert_int_equal(at(2, 1010, LOAD, WB, FAR, 8), 80);
	assert_int_equal(at(0, 1150, LOAD, WB, 192, 8), 80);
	assert_int_equal(at(0, 1190, LOAD, UC, 0, 8), 1000);
	/* An uncached load asks the controller when its own price is over. */
	assert_int_equal(at(1, 1200, LOAD, UC, 0, 8), 1000 + 40);
}

static struct traffic moved_before[2];

/* Lines that a node's controller has moved since the last call. */
static void moved(unsigned int node, unsigned long read, unsigned long written)
{
	const struct traffic *now = model_traffic(node);

	assert_int_equal(now->read - moved_before[node].read, read);
	assert_int_equal(now->written - moved_before[node].written, written);
	moved_before[node] = *now;
}

static void test_traffic(void **state)
{
	struct access a = { .bytes = 64, .operation = STORE, .type = WB, .streaming = true };

	make("");
	moved_before[0] = *model_traffic(0);
	moved_before[1] = *model_traffic(1);
	/* A store reads its line first. What is in a cache moves nothing. */
	load(0, 0);
	store(0, 64);
	load(0, 0);
	store(0, 64);
	load(2, FAR);
	moved(0, 2, 0);
	moved(1, 1, 0);
	/* Of the lines that 32 others push out of L2, only the changed one is written. */
	for (unsigned long line = 2; line < 34; line++)
		load(0, line * 64);
	moved(0, 32, 1);
	/* Flushed, cleaned, or taken by another CPU's load. */
	store(0, 0);
	at(0, 0, FLUSH, 0, 0, 0);
	moved(0, 1, 1);
	store(0, 0);
	at(0, 0, CLEAN, 0, 0, 0);
	at(0, 0, CLEAN, 0, 0, 0);
	moved(0, 1, 1);
	store(0, 0);
	load(1, 0);
	moved(0, 0, 1);
	/* Uncached accesses, and parts of lines, count as lines. */
	at(0, 0, LOAD, UC, FAR, 1);
	at(0, 0, STORE, UC, FAR, 8);
	at(0, 0, LOAD, WC, FAR, 4);
	at(0, 0, STORE, WC, FAR, 64);
	at(0, 0, STORE, WC, FAR + 64, 16);
	at(0, 0, DRAIN, 0, 0, 0);
	moved(1, 2, 1 + 1 + 2);
	/* A streaming store reads nothing. */
	model_access(0, 0, &a);
	moved(0, 0, 1);
	make("prefetch_lines=2");
	load(0, 4096);
	moved(0, 3, 0);
	moved(1, 0, 0);
	/* The prefetcher, too, finds in L3 what L2 has lost. */
	make("prefetch_lines=2 l3_bytes=64K");
	for (unsigned long line = 0; line < 64; line++)
		load(0, line * 64);
	moved(0, 64, 0);
	load(0, 0);
	moved(0, 0, 0);
}

/* A BAR is a device's memory: no controller moves its lines, or makes an access wait. */
static void test_devices(void **state)
{
	static const unsigned long bars[] = { 2 * MEBIBYTE, 0xfebf0000, 0x380000000000 };
	struct access streaming = { .bytes = 64, .operation = STORE, .type = WB,
				    .streaming = true };
	const unsigned long waited = model_happened(0)->waited_ns;

	for (size_t i = 0; i < sizeof(bars) / sizeof(*bars); i++) {
		unsigned long bar = bars[i];

		make("service_ns=50 refresh_every_ns=1000 refresh_ns=100 prefetch_lines=1");
		moved_before[0] = *model_traffic(0);
		moved_before[1] = *model_traffic(1);
		assert_int_equal(at(0, 0, LOAD, UC, bar, 8), 1000);
		assert_int_equal(at(1, 0, STORE, UC, bar, 4), 2000);
		assert_int_equal(at(0, 0, LOAD, WC, bar, 8), 3000);
		assert_int_equal(at(0, 0, STORE, WC, bar, 64), 400);
		assert_int_equal(at(0, 0, STORE, WC, bar, 8), 0);
		assert_int_equal(at(0, 0, DRAIN, 0, 0, 0), 500);
		assert_int_equal(load(0, bar), 80);
		assert_int_equal(load(2, bar + 128), 190);	/* what node 0's memory costs */
		store(0, bar);
		at(0, 0, FLUSH, 0, bar, 0);
		streaming.physical = bar;
		assert_int_equal(model_access(0, 0, &streaming), 400);
		assert_int_equal(model_happened(0)->waited_ns, waited);
		moved(0, 0, 0);
		moved(1, 0, 0);
	}
}

/* Ways in which a line leaves caches, or ceases to differ from memory. */
enum way { BY_FLUSH, BY_CLEAN, BY_STREAMING, BY_STREAMING_ACROSS, BY_WBNOINVD, BY_WBINVD, BY_INVD };

#define CHANGED		64	/* the address of the line */

static void send_away(enum way way)
{
	struct access streaming = {
		.physical = way == BY_STREAMING ? CHANGED : CHANGED - 32, .bytes = 64,
		.operation = STORE, .type = WB, .streaming = true,
	};

	switch (way) {
	case BY_FLUSH:
	case BY_CLEAN:
		at(1, 0, way == BY_FLUSH ? FLUSH : CLEAN, 0, CHANGED, 0);
		break;
	case BY_STREAMING:
	case BY_STREAMING_ACROSS:
		model_access(1, 0, &streaming);
		at(1, 0, DRAIN, 0, 0, 0);
		break;
	default:
		if (way != BY_INVD)
			model_clean_caches(0);
		if (way != BY_WBNOINVD)
			model_forget_caches();
	}
}

/* A changed line is written back once, wherever it is cached, unless an instruction discards it. */
static void test_changes_reach_memory(void **state)
{
	static const struct {
		enum way way;
		unsigned int written;	/* that line, and what the streaming store sends */
		bool stays;
	} all[] = {
		{ BY_FLUSH, 1, false }, { BY_CLEAN, 1, true }, { BY_STREAMING, 1 + 1, false },
		{ BY_STREAMING_ACROSS, 1 + 4 + 4, false }, { BY_WBNOINVD, 1, true },
		{ BY_WBINVD, 1, false }, { BY_INVD, 0, false },
	};
	static const struct {
		const char *prices;
		unsigned long others;	/* lines that push it out of L1, or of L2, too */
	} where[] = {
		{ "l2_bytes=0", 0 }, { "", 0 }, { "", 10 }, { "l3_bytes=64K", 0 },
		{ "l3_bytes=64K", 130 },
	};

	for (size_t i = 0; i < 2 * sizeof(all) / sizeof(*all); i++) {
		const unsigned int cpu = i % 2 ? 3 : 0;

		for (size_t w = 0; w < sizeof(where) / sizeof(*where); w++) {
			make(where[w].prices);
			store(cpu, CHANGED);
			for (unsigned long line = 2; line < where[w].others; line++)
				load(cpu, line * 64);
			moved_before[0] = *model_traffic(0);
			send_away(all[i / 2].way);
			moved(0, 0, all[i / 2].written);
			load(cpu, CHANGED);
			moved(0, !all[i / 2].stays, 0);
			at(cpu, 0, FLUSH, 0, CHANGED, 0);
			moved(0, 0, 0);
		}
	}
}

static void test_changes_in_l3s(void **state)
{
	/* Another group's L3 has changed the line: memory has it before it is read. */
	for (unsigned int cpu = 1; cpu < 3; cpu++) {
		make("l3_bytes=64K");
		store(0, 0);
		for (unsigned long line = 1; line <= 128; line++)
			load(0, line * 64);
		moved_before[0] = *model_traffic(0);
		store(cpu, 0);
		moved(0, cpu == 2, cpu == 2);
		at(0, 0, FLUSH, 0, 0, 0);
		moved(0, 0, 1);
	}
	/* The CPU's own copy is newer than that in its L3, which is not written any more. */
	make("l3_bytes=4K");
	store(0, 0);
	for (unsigned long line = 1; line <= 32; line++)
		load(0, line * 64);
	store(0, 0);
	moved_before[0] = *model_traffic(0);
	for (unsigned long line = 1; line <= 64; line++)
		load(1, line * 64 * 16);
	assert_int_equal(model_traffic(0)->written, moved_before[0].written);
	moved_before[0] = *model_traffic(0);
	at(0, 0, FLUSH, 0, 0, 0);
	moved(0, 0, 1);
	/* The prefetcher reads what another L3 has changed. */
	make("l3_bytes=64K prefetch_lines=1");
	store(0, 64);
	for (unsigned long line = 64; line < 256; line++)
		load(0, line * 64);
	moved_before[0] = *model_traffic(0);
	load(2, 0);
	moved(0, 2, 1);
}

/* The access that a CPU is at when its clock should stand still takes longer. */
static void test_the_clock_stands_still(void **state)
{
	const unsigned long still = model_happened(0)->still_ns;

	make("still_every_ns=1000 still_ns=300");
	assert_int_equal(at(0, 900, LOAD, WB, 0, 8), 80);
	assert_int_equal(at(0, 980, LOAD, WB, 64, 8), 80 + 300);
	assert_int_equal(at(0, 1360, LOAD, WB, 64, 8), 1);
	assert_int_equal(at(0, 1999, DRAIN, 0, 0, 0), 0);
	assert_int_equal(at(0, 3500, FLUSH, 0, 64, 0), 7 + 300);
	assert_int_equal(at(1, 900, LOAD, WB, 128, 8), 80);	/* a clock of its own */
	assert_int_equal(model_happened(0)->still_ns, still + 600);
	make("");
	assert_int_equal(at(0, 5000, LOAD, WB, 0, 8), 80);
}

static void test_refresh(void **state)
{
	make("refresh_every_ns=1000 refresh_ns=100");
	assert_int_equal(at(0, 5000, LOAD, WB, 0, 8), 80 + 100);
	assert_int_equal(at(0, 5099, LOAD, WB, 64, 8), 80 + 1);
	assert_int_equal(at(0, 5100, LOAD, WB, 128, 8), 80);
}

static void test_prefetcher(void **state)
{
	make("prefetch_lines=2");
	assert_int_equal(load(0, 4096 - 192), 80);
	assert_int_equal(load(0, 4096 - 128), 10);
	assert_int_equal(load(0, 4096 - 64), 10);
	assert_int_equal(load(0, 4096), 80);		/* it ends with the page */
	assert_int_equal(load(0, 12288 - 128), 80);
	assert_int_equal(load(0, 12288 - 64), 10);	/* whose last line it brings, too */
	model_switch_prefetcher(0, false);
	assert_int_equal(load(0, 8192), 80);
	assert_int_equal(load(0, 8192 + 64), 80);
	assert_int_equal(load(1, 16384), 80);
	assert_int_equal(load(1, 16384 + 64), 10);	/* the other CPU's is on */
	model_switch_prefetcher(0, true);
	/* It brings lines that another CPU has, changed or not, as it does others. */
	store(1, 32768 + 64);
	load(1, 32768 + 128);
	assert_int_equal(load(0, 32768), 80);
	assert_int_equal(load(0, 32768 + 64), 10);
	assert_int_equal(load(0, 32768 + 128), 10);
	/* Without an L2, there is no place for what it would bring. */
	make("prefetch_lines=2 l2_bytes=0");
	assert_int_equal(load(0, 0), 80);
	assert_int_equal(load(0, 64), 80);
}

static void test_tlb(void **state)
{
	make("l1_ns=0 tlb_entries=2 tlb2_entries=4");
	load(0, 0);
	assert_int_equal(load(0, 0), 0);
	assert_int_equal(load(0, 4096 + 64), 900 + 80);
	assert_int_equal(load(0, 8192 + 128), 900 + 80);
	assert_int_equal(load(0, 0), 100);		/* the first level had two others */
	assert_int_equal(load(0, 0), 0);
	/* The one that was used least recently goes, not the one that came first. */
	load(0, 4096 + 64);
	load(0, 0);
	load(0, 8192 + 128);
	assert_int_equal(load(0, 0), 0);
	model_forget_translations(0);
	assert_int_equal(load(0, 0), 900);
	make("tlb_entries=2");
	load(0, 0);
	load(0, 4096 + 64);
	load(0, 8192 + 128);
	assert_int_equal(load(0, 0), 900 + 1);
}

static void test_private(void **state)
{
	struct access a = { .bytes = 8, .operation = LOAD, .type = WB };

	make("");
	assert_false(model_is_private(0, &a));
	load(0, 0);
	assert_true(model_is_private(0, &a));
	load(1, 0);
	assert_false(model_is_private(0, &a));
	a.type = UC;
	assert_false(model_is_private(0, &a));
	/* A store is, if the line differs from memory already. */
	make("");
	a.type = WB;
	a.operation = STORE;
	load(0, 0);
	assert_false(model_is_private(0, &a));
	store(0, 0);
	assert_true(model_is_private(0, &a));
	/* L1 alone has line 0, and would lose it to line 8. */
	a.operation = LOAD;
	a.physical = 8 * 64;
	for (unsigned long line = 8; line <= 32; line += 8) {
		load(0, line * 64);
		load(0, line < 32 ? 0 : 32 * 64);
	}
	assert_false(model_is_private(0, &a));
	load(0, 0);
	assert_true(model_is_private(0, &a));	/* L2 has what L1 would lose now */
}
