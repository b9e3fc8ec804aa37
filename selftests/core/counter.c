// SPDX-License-Identifier: GPL-2.0-only
/* module/core/counter.c: lines that are taken, and the errors of others. */
#include "cmocka_all.h"
#include "json.h"

#include "core/counter.h"

static struct mc_counter set[MC_MAX_COUNTERS];
static unsigned int n;

static int parse(const char *text, struct mc_error *e)
{
	memset(e, 0, sizeof(*e));
	return mc_counters_parse(set, &n, text, strlen(text), e);
}

static void taken(const char *text, unsigned int now)
{
	struct mc_error e;

	if (parse(text, &e))
		fail_msg("'%s': %s", text, e.text);
	assert_int_equal(n, now);
}

static void lines_as_they_are_shown(void **state)
{
	n = 0;
	taken("dram_read_imc0 cpu=12\tscale=64 config=0x304  type=13", 1);
	assert_int_equal(set[0].traffic, MC_DRAM_READ);
	assert_int_equal(set[0].line, 1);
	assert_string_equal(WRITTEN(mc_counter_show, &set[0]),
			    "dram_read_imc0 type=13 config=0x304 cpu=12 scale=64");
	taken("\n\t\n  dram_write type=0x20 config=0xfFfFfFfFfFfFfFfF cpu=8191 scale=1048576\n", 2);
	assert_int_equal(set[1].traffic, MC_DRAM_WRITE);
	assert_int_equal(set[1].line, 3);
	assert_string_equal(WRITTEN(mc_counter_show, &set[1]),
			    "dram_write type=32 config=0xffffffffffffffff cpu=8191 scale=1048576");
	taken("\n\t\n", 0);
	taken("", 0);
}

static void an_event_of_a_core_needs_only_its_name(void **state)
{
	static const char * const shown[] = {
		"cycles type=0 config=0x0",
		"L1-dcache-load-misses type=3 config=0x10000",
		"dTLB-load-misses type=8 config=0x1234",
	};

	n = 0;
	taken("cycles\n L1-dcache-load-misses\t\n\ndTLB-load-misses config=0x1234 type=8", 3);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		assert_true(set[i].core);
		assert_string_equal(mc_event_name(set[i].event), set[i].name);
		assert_string_equal(WRITTEN(mc_counter_show, &set[i]), shown[i]);
	}
	assert_null(mc_event_name(MC_NEVENTS));
}

static void the_longest_line_fits(void **state)
{
	static const struct mc_counter longest = {
		.name = "dram_write_0123456789abcdef_abc", .type = ~0ULL,
		.config = ~0ULL, .cpu = ~0ULL, .scale = ~0ULL,
	};
	char buf[MC_COUNTER_LINE];
	struct mc_text t = MC_TEXT(buf);

	mc_counter_show(&t, &longest);
	assert_false(t.cut);
}

static void others_are_refused_by_their_line(void **state)
{
	static const struct { const char *text, *says; } bad[] = {
		{ "imc type=1 config=1 cpu=0 scale=1", "line 1: 'imc' is no name" },
		{ "dram type=1 config=1 cpu=0 scale=1", "'dram' is no name" },
		{ "dram_reads type=1 config=1 cpu=0 scale=1", "'dram_reads' is no name" },
		{ "dram_read_A type=1 config=1 cpu=0 scale=1", "'dram_read_A' is no name" },
		{ "dram_read_0123456789abcdef0123456789 type=1", "too long" },
		{ "\n\ndram_read", "line 3: 'type' is missing" },
		{ "dram_read type=1 config=1 cpu=0", "'scale' is missing" },
		{ "dram_read type=1 type=1 config=1 cpu=0 scale=1", "'type=1' comes twice" },
		{ "dram_read type config=1 cpu=0 scale=1", "'type' is not KEY=NUMBER" },
		{ "dram_read type= config=1 cpu=0 scale=1", "'type=' is not" },
		{ "dram_read type=0x config=1 cpu=0 scale=1", "'type=0x' is not" },
		{ "dram_read type=4294967296 config=1 cpu=0 scale=1", "'type=4294967296' is not" },
		{ "dram_read type=1 config=0x10000000000000000 cpu=0 scale=1", "is not" },
		{ "dram_read type=1 config=18446744073709551616 cpu=0 scale=1", "is not" },
		{ "dram_read type=1 config=1a cpu=0 scale=1", "'config=1a' is not" },
		{ "dram_read type=1 config=-1 cpu=0 scale=1", "'config=-1' is not" },
		{ "dram_read type=1 config=1 cpu=8192 scale=1", "'cpu=8192' is not" },
		{ "dram_read type=1 config=1 cpu=0 scale=0", "'scale=0' is not" },
		{ "dram_read type=1 config=1 cpu=0 scale=1048577", "is not" },
		{ "dram_read type=1 config=1 cpu=0 scale=64.0", "'scale=64.0' is not" },
		{ "dram_read event=1 type=1 config=1 cpu=0 scale=1", "'event=1' is not one of" },
		{ "dram_read type=1 config=1 cpu=0 scale=1\x01", "'scale=1?' is not" },
		{ "dram_write type=7 config=7 cpu=7 scale=7\nx", "line 2: 'x' is no name" },
		{ "Cycles", "_label behind it, cycles, instructions, L1" },
		{ "cycle", "is no name" },
		{ "cycles cpu=0", "'cpu=0' is not one of type=|config=" },
		{ "cycles type=1 type=1", "'type=1' comes twice" },
		{ "instructions\ninstructions type=9", "line 2: 'instructions' is there already" },
		{ "dram_read_twice type=5 config=5 cpu=5 scale=5", "there already" },
	};
	struct mc_error e;

	n = 0;
	taken("dram_read type=5 config=5 cpu=5 scale=5", 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct mc_counter one = set[0];

		n = 1;
		if (parse(bad[i].text, &e) != -EINVAL || e.err != -EINVAL ||
		    !strstr(e.text, bad[i].says) || strncmp(e.text, "counters: line ", 15))
			fail_msg("'%s': %d '%s'", bad[i].text, e.err, e.text);
		assert_memory_equal(&one, set, sizeof(one));
	}
	/* The same event of the other kind, or elsewhere, is another counter. */
	n = 1;
	taken("dram_write type=5 config=5 cpu=5 scale=5\n"
	      "dram_read type=5 config=5 cpu=6 scale=5", 3);
}

static void no_more_than_there_is_room_for(void **state)
{
	static char text[MC_COUNTERS_TEXT];
	struct mc_text t = MC_TEXT(text);
	struct mc_error e;

	for (int i = 0; i < 10000; i++)
		mc_textf(&t, "dram_read type=1 config=%d cpu=0 scale=64\n", i);
	assert_false(t.cut);
	n = 0;
	assert_int_equal(parse(text, &e), -EINVAL);
	assert_non_null(strstr(e.text, "line 257: is one too many; 256 at most"));
}

static void bytes_are_no_lines(void **state)
{
	char text[256];
	struct mc_error e = { 0 };

	for (int i = 0; i < 256; i++)
		text[i] = i;
	n = 0;
	assert_int_equal(mc_counters_parse(set, &n, text, sizeof(text), &e), -EINVAL);
	for (int i = 0; e.text[i]; i++)
		assert_in_range(e.text[i], ' ', '~');
}
