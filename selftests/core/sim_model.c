// SPDX-License-Identifier: GPL-2.0-only
/* Costs of accesses on the simulated machine (tools/sim): caches, directory, controllers. */
#include <stdio.h>
#include <stdlib.h>
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

static struct traffic moved_before[2];
static unsigned long bar;

/* Lines that a node's controller has moved since the last call. */
static void moved(unsigned int node, unsigned long read, unsigned long written)
{
	const struct traffic *now = model_traffic(node);

	assert_int_equal(now->read - moved_before[node].read, read);
	assert_int_equal(now->written - moved_before[node].written, written);
	moved_before[node] = *now;
}

/* A sum of numbers. The memory of node 1 begins at `far`. */
static unsigned long sum(char **at)
{
	unsigned long x = 0;

	do {
		*at += **at == '+';
		x += **at == 'f' ? FAR : **at == 'b' ? bar : strtoul(*at, at, 10);
		*at += 3 * (**at == 'f' || **at == 'b');
	} while (**at == '+');
	return x;
}

/*
 * The script makes accesses, one after another, and asserts the cost of those that have =NS. Its
 * words are CPU.ACCESS:ADDRESS[..LAST][/BYTES][@NOW][=NS]; ..LAST makes an access to each line up
 * to that one. A type before ACCESS, as in wc_store, is that of the memory; without, it is
 * write-back; nt_ makes it streaming. movedNODE=READ/WRITTEN asserts the lines that a node has
 * moved since the last such word, or since `anew`. wbnoinvd writes what caches have, and invd
 * empties them.
 */
static void costs(const char *script)
{
	static const struct {
		const char *word;
		struct access access;
	} all[] = {
		{ "load", { .operation = LOAD } }, { "store", { .operation = STORE } },
		{ "flush", { .operation = FLUSH } }, { "clean", { .operation = CLEAN } },
		{ "drain", { .operation = DRAIN } },
		{ "nt_store", { .operation = STORE, .streaming = true } },
		{ "uc_load", { .operation = LOAD, .type = UC } },
		{ "uc_store", { .operation = STORE, .type = UC } },
		{ "uc_minus_load", { .operation = LOAD, .type = UC_MINUS } },
		{ "wc_load", { .operation = LOAD, .type = WC } },
		{ "wc_store", { .operation = STORE, .type = WC } },
	};
	char words[400], word[20], *rest = strcpy(words, script), *one, *c;
	unsigned long read, written, last, now, ns;
	unsigned int cpu, i;

	while ((one = strsep(&rest, " ;"))) {
		struct access a;

		if (!*one)
			continue;
		if (sscanf(one, "moved%u=%lu/%lu", &cpu, &read, &written) == 3) {
			moved(cpu, read, written);
			continue;
		}
		if (!strcmp(one, "wbnoinvd")) {
			model_clean_caches(0);
			continue;
		}
		if (!strcmp(one, "invd")) {
			model_forget_caches();
			continue;
		}
		if (!strcmp(one, "anew")) {
			moved_before[0] = *model_traffic(0);
			moved_before[1] = *model_traffic(1);
			continue;
		}
		assert_int_equal(sscanf(one, "%u.%19[a-z_]:", &cpu, word), 2);
		for (i = 0; strcmp(word, all[i].word); i++)
			assert_true(i + 1 < sizeof(all) / sizeof(*all));
		a = all[i].access;
		a.type = strchr("uw", *word) ? a.type : WB;
		a.page_shift = 12;
		c = strchr(one, ':') + 1;
		a.physical = sum(&c);
		last = *c == '.' ? (c += 2, sum(&c)) : a.physical;
		a.bytes = *c == '/' ? strtoul(c + 1, &c, 10) : 8;
		now = *c == '@' ? strtoul(c + 1, &c, 10) : 0;
		for (; a.physical <= last; a.physical += 64) {
			a.page = a.physical >> 12;
			ns = model_access(cpu, now, &a);
		}
		if (*c == '=' && c++ && ns != sum(&c))
			fail_msg("%s: %lu", one, ns);
		assert_int_equal(*c, 0);
	}
}

static void test_levels(void **state)
{
	make("");
	costs("0.load:0=80 0.load:56=1");
	/* Two more lines of its set of L1 push it out; L2 has it. The last load is of two lines. */
	costs("0.load:256=80 0.load:512=80 0.load:0=10 0.load:0=1 0.load:60=1+80");
}

static void test_nodes(void **state)
{
	make("");
	costs("0.load:far=180 2.load:0=190 2.load:far+64=80");
}

static void test_hit_of_others(void **state)
{
	make("");
	costs("0.store:0=80 0.store:0=1 1.load:0=40");	/* changed, on the same node */
	costs("2.load:0=32");	/* by now unchanged, from node 0 */
	costs("3.store:64=190 0.load:64=41");
	/* A store takes the line from those who share it, and from nobody else. */
	costs("0.store:0=1+30 1.load:0=40 0.load:0=1");
	/* The nearest copy counts: of nodes 0 and 1, that of its own node. */
	costs("0.store:128 2.load:128 3.load:128=30");
	/* A store to a line that it lacks comes with the right to change it. */
	costs("3.store:0=32 0.load:0=41");
}

/* The node that has a line in its memory is asked where its copies are. */
static void test_home(void **state)
{
	make("home_ns=3 home_ns_0_1=5 home_ns_1_0=6");
	costs("1.store:0 1.store:far 0.load:0=40+3 0.load:far=40+5 2.load:0=32+6 2.load:far=32+3; "
	      "0.store:far=1+30+5");
	/* Memory, and the CPU's own caches, cost what they cost without. */
	costs("0.load:far+64=180 0.load:far+64=1");
}

static void test_flush(void **state)
{
	make("");
	/* At last it was cleaned. */
	costs("1.store:0 0.flush:32=7 1.load:0=80 1.store:0=1 0.clean:32=8 1.load:0=1 0.load:0=30");
}

static void test_l3(void **state)
{
	make("l3_bytes=64K");
	costs("0.load:0=80");
	/* 128 lines push it out of L1 and L2. CPU 1 shares that L3, and CPU 2 has another. */
	costs("0.load:64..8192 0.load:0=20 0.load:64..8192 1.load:0=20 2.load:0=32");
	/* A changed line goes to the L3, not to memory. */
	make("l3_bytes=64K");
	costs("0.store:0 0.load:64..8192 1.load:0=20");
	/* A store takes it out of the other L3. */
	costs("2.store:0=32 2.flush:0 0.load:0=80");
}

static void test_uncached(void **state)
{
	make("");
	costs("0.uc_load:0=1000 0.uc_store:0=2000 0.uc_minus_load:0=1000");
	/* The write-combining buffers are sent before. */
	costs("0.wc_store:64=0 0.uc_load:0=500+1000");
}

/* Loads of memory that is not cached wait until what was sent is there, and nobody else does. */
static void test_stores_arrive(void **state)
{
	make("arrive_ns=7000");
	costs("0.uc_store:0=2000 1.wc_load:far@1500=7500+3000 1.load:0@1500=80; "
	      "0.uc_load:0@9000=1000 0.wc_store:6400@9000=0");
	assert_true(model_is_held(1, 6463) && !model_is_held(0, 6463) && !model_is_held(1, 0));
	costs("1.wc_load:0@9000=3000 0.drain:0@9000=500");
	assert_false(model_is_held(1, 6463));
	costs("1.wc_load:0@9000=7500+3000");
}

static void test_combining(void **state)
{
	unsigned long sent;

	make("");
	for (unsigned int i = 0; i < 7; i++)
		assert_int_equal(at(0, 0, STORE, WC, i * 8, 8), 0);
	costs("0.wc_store:56=400 0.wc_store:0/64=400");
	/* A third line makes room, since there are two buffers. */
	costs("0.wc_store:0/16=0 0.wc_store:64/4=0 0.wc_store:128/4=1000 0.wc_load:64/4=500+3000; "
	      "0.drain:0=500 0.drain:0=0");
	/* A CPU has buffers of its own. */
	costs("0.wc_store:0=0 1.drain:0=0");
	/* With wc_early, each store is sent at once, or a part of them. */
	make("wc_early=1000");
	costs("0.wc_store:0=500");
	make("wc_early=250");
	sent = 0;
	for (unsigned int i = 0; i < 4000; i++)
		sent += at(0, 0, STORE, WC, 64 * i, 8) / 500;
	/* Each store is sent once, early or to make room. */
	assert_in_range(sent, 3998, 4000);
}

static void test_streaming(void **state)
{
	make("");
	/* At last it has left the caches. */
	costs("0.load:0 0.nt_store:0/32=0 0.nt_store:32/32=400 0.load:0=80");
}

static void test_controller(void **state)
{
	make("service_ns=50");
	/* Requests at the same time wait for each other; each node has a controller. */
	costs("0.load:0@1000=80 1.load:64@1000=80+50 2.load:128@1010=190+90 2.load:far@1010=80; "
	      "0.load:192@1150=80 0.uc_load:0@1190=1000");
	/* An uncached load asks the controller when its own price is over. */
	costs("1.uc_load:0@1200=1000+40");
}

static void test_traffic(void **state)
{
	make("");
	costs("anew");
	/* A store reads its line first. What is in a cache moves nothing. */
	costs("0.load:0 0.store:64 0.load:0 0.store:64 2.load:far moved0=2/0 moved1=1/0");
	/* Of the lines that 32 others push out of L2, only the changed one is written. */
	costs("0.load:128..2112 moved0=32/1");
	/* Flushed, cleaned, or taken by another CPU's load. */
	costs("0.store:0 0.flush:0 moved0=1/1 0.store:0 0.clean:0 0.clean:0 moved0=1/1 0.store:0; "
	      "1.load:0 moved0=0/1");
	/* Uncached accesses, and parts of lines, count as lines. */
	costs("0.uc_load:far/1 0.uc_store:far 0.wc_load:far/4 0.wc_store:far/64; "
	      "0.wc_store:far+64/16 0.drain:0 moved1=2/4");
	/* A streaming store reads nothing. */
	costs("0.nt_store:0/64 moved0=0/1");
	make("prefetch_lines=2");
	costs("0.load:4096 moved0=3/0 moved1=0/0");
	/* The prefetcher, too, finds in L3 what L2 has lost. */
	make("prefetch_lines=2 l3_bytes=64K");
	costs("0.load:0..4032 moved0=64/0 0.load:0 moved0=0/0");
}

/* A BAR is a device's memory: no controller moves its lines, or makes an access wait. */
static void test_devices(void **state)
{
	static const unsigned long bars[] = { 2 * MEBIBYTE, 0xfebf0000, 0x380000000000 };
	const unsigned long waited = model_happened(0)->waited_ns;

	for (size_t i = 0; i < sizeof(bars) / sizeof(*bars); i++) {
		bar = bars[i];
		make("service_ns=50 refresh_every_ns=1000 refresh_ns=100 prefetch_lines=1");
		costs("anew 0.uc_load:bar=1000 1.uc_store:bar/4=2000 0.wc_load:bar=3000; "
		      "0.wc_store:bar/64=400 0.wc_store:bar=0 0.drain:0=500 0.load:bar=80");
		/* The second is what node 0's memory costs. */
		costs("2.load:bar+128=190 0.store:bar 0.flush:bar 0.nt_store:bar/64=400");
		assert_int_equal(model_happened(0)->waited_ns, waited);
		costs("moved0=0/0 moved1=0/0");
	}
}

/* A changed line is written back once, wherever it is cached, unless an instruction discards it. */
static void test_changes_reach_memory(void **state)
{
	static const struct {
		const char *sends_away;
		unsigned int written;	/* that line, and what the streaming store sends */
		bool stays;
	} all[] = {
		{ "1.flush:64", 1, false }, { "1.clean:64", 1, true },
		{ "1.nt_store:64/64 1.drain:0", 1 + 1, false },
		{ "1.nt_store:32/64 1.drain:0", 1 + 4 + 4, false },
		{ "wbnoinvd", 1, true }, { "wbnoinvd invd", 1, false }, { "invd", 0, false },
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
			store(cpu, 64);
			for (unsigned long line = 2; line < where[w].others; line++)
				load(cpu, line * 64);
			costs("anew");
			costs(all[i / 2].sends_away);
			moved(0, 0, all[i / 2].written);
			load(cpu, 64);
			moved(0, !all[i / 2].stays, 0);
			costs("0.flush:64 moved0=0/0");
		}
	}
}

static void test_changes_in_l3s(void **state)
{
	/* Another group's L3 has changed the line: memory has it before it is read. */
	for (unsigned int cpu = 1; cpu < 3; cpu++) {
		make("l3_bytes=64K");
		costs("0.store:0 0.load:64..8192 anew");
		store(cpu, 0);
		moved(0, cpu == 2, cpu == 2);
		costs("0.flush:0 moved0=0/1");
	}
	/* The CPU's own copy is newer than that in its L3, which is not written any more. */
	make("l3_bytes=4K");
	costs("0.store:0 0.load:64..2048 0.store:0 anew");
	for (unsigned long line = 1; line <= 64; line++)
		load(1, line * 64 * 16);
	assert_int_equal(model_traffic(0)->written, moved_before[0].written);
	costs("anew 0.flush:0 moved0=0/1");
	/* The prefetcher reads what another L3 has changed. */
	make("l3_bytes=64K prefetch_lines=1");
	costs("0.store:64 0.load:4096..16320 anew 2.load:0 moved0=2/1");
}

/* The access that a CPU is at when its clock should stand still takes longer. */
static void test_the_clock_stands_still(void **state)
{
	const unsigned long still = model_happened(0)->still_ns;

	make("still_every_ns=1000 still_ns=300");
	costs("0.load:0@900=80 0.load:64@980=80+300 0.load:64@1360=1 0.drain:0@1999=0; "
	      "0.flush:64@3500=7+300 1.load:128@900=80");	/* a clock of its own */
	assert_int_equal(model_happened(0)->still_ns, still + 600);
	make("");
	costs("0.load:0@5000=80");
}

static void test_refresh(void **state)
{
	make("refresh_every_ns=1000 refresh_ns=100");
	costs("0.load:0@5000=80+100 0.load:64@5099=80+1 0.load:128@5100=80");
}

static void test_prefetcher(void **state)
{
	make("prefetch_lines=2");
	/* It ends with the page, whose last line it brings, too. */
	costs("0.load:3904=80 0.load:3968=10 0.load:4032=10 0.load:4096=80; "
	      "0.load:12160=80 0.load:12224=10");
	model_switch_prefetcher(0, false);
	/* The other CPU's is on. */
	costs("0.load:8192=80 0.load:8192+64=80 1.load:16384=80 1.load:16384+64=10");
	model_switch_prefetcher(0, true);
	/* It brings lines that another CPU has, changed or not, as it does others. */
	costs("1.store:32768+64 1.load:32768+128 0.load:32768=80 0.load:32768+64=10; "
	      "0.load:32768+128=10");
	/* Without an L2, there is no place for what it would bring. */
	make("prefetch_lines=2 l2_bytes=0");
	costs("0.load:0=80 0.load:64=80");
}

static void test_tlb(void **state)
{
	make("l1_ns=0 tlb_entries=2 tlb2_entries=4");
	/* At last, the first level had two others. */
	costs("0.load:0 0.load:0=0 0.load:4096+64=900+80 0.load:8192+128=900+80 0.load:0=100; "
	      "0.load:0=0");
	/* The one that was used least recently goes, not the one that came first. */
	costs("0.load:4096+64 0.load:0 0.load:8192+128 0.load:0=0");
	model_forget_translations(0);
	costs("0.load:0=900");
	make("tlb_entries=2");
	costs("0.load:0 0.load:4096+64 0.load:8192+128 0.load:0=900+1");
}

static void test_private(void **state)
{
	struct access a = { .bytes = 8, .operation = LOAD, .type = WB };

	make("");
	assert_false(model_is_private(0, &a));
	costs("0.load:0");
	assert_true(model_is_private(0, &a));
	costs("1.load:0");
	assert_false(model_is_private(0, &a));
	a.type = UC;
	assert_false(model_is_private(0, &a));
	/* A store is, if the line differs from memory already. */
	make("");
	a.type = WB;
	a.operation = STORE;
	costs("0.load:0");
	assert_false(model_is_private(0, &a));
	costs("0.store:0");
	assert_true(model_is_private(0, &a));
	/* L1 alone has line 0, and would lose it to line 8. */
	a.operation = LOAD;
	a.physical = 8 * 64;
	for (unsigned long line = 8; line <= 32; line += 8) {
		load(0, line * 64);
		load(0, line < 32 ? 0 : 32 * 64);
	}
	assert_false(model_is_private(0, &a));
	costs("0.load:0");
	assert_true(model_is_private(0, &a));	/* L2 has what L1 would lose now */
}
