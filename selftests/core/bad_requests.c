// SPDX-License-Identifier: GPL-2.0-only
/* Request lines that are wrong: each is refused, and its error says what is wrong. */
#include "request.h"

/* The error starts with @key and a colon, and contains @says after that. */
static const struct bad {
	const char *line;
	const char *key;
	const char *says;
} bad[] = {
	/* The test. */
	{ "", "test", "empty" },
	{ "\n", "test", "empty" },
	{ " ", "test", "empty" },
	{ "band", "test", "'band' is not one of bandwidth|tlb|full|files" },
	{ "Bandwidths", "test", "bandwidth|tlb" },
	{ "bandwidt", "test", "|crowd; did you mean bandwidth?" },
	{ "bandwidths", "test", "'bandwidths'" },
	{ "op=read", "test", "'op=read'" },
	{ "=", "test", "'='" },
	{ "op=read bandwidth", "test", "'op=read'" },
	{ "bandwidth,tlb", "test", "'bandwidth,tlb'" },
	{ "a-name-that-goes-on-and-on-and-on-and-on", "test", "on-and-o...'" },

	/* Keys. */
	{ "bandwidth nonsense=1", "'nonsense'", "not a key of bandwidth" },
	{ "bandwidth stride=4K", "'stride'", "not a key of bandwidth" },
	{ "tlb op=read", "'op'", "not a key of tlb" },
	{ "bandwidth OPS=read", "'OPS'", "did you mean op?" },
	{ "bandwidth o=read", "'o'", "not a key" },
	{ "bandwidth opp=read", "'opp'", "not a key of bandwidth; did you mean op?" },
	{ "bandwidth Soze=4K", "'Soze'", "did you mean size?" },
	{ "bandwidth timr=1", "'timr'", "did you mean time?" },
	{ "bandwidth prefech=off", "'prefech'", "did you mean prefetch?" },
	{ "bandwidth threads=2", "'threads'", "not a key of bandwidth; memcache-user --tests" },
	{ "bandwidth o=2", "'o'", "not a key of bandwidth; memcache-user --tests" },
	{ "bandwidth =read", "''", "not a key" },
	{ "bandwidth =", "''", "not a key" },
	{ "bandwidth op", "'op'", "not key=value" },
	{ "bandwidth read", "'read'", "not key=value" },
	{ "bandwidth op = read", "'op'", "not key=value" },
	{ "bandwidth bandwidth", "'bandwidth'", "not key=value" },
	{ "bandwidth op=read tlb", "'tlb'", "not key=value" },
	{ "bandwidth op=read op=read", "op", "twice" },
	{ "bandwidth type=wb op=read type=uc", "type", "twice" },
	{ "bandwidth cpu=0 cpu=1", "cpu", "twice" },
	{ "bandwidth timeout=1 repeat=1 timeout=1", "timeout", "twice" },

	/* Empty values. */
	{ "bandwidth size= 4K", "size", "no value" },
	{ "bandwidth node=\n", "node", "no value" },

	/* Numbers. */
	{ "bandwidth time=0.4 s", "'s'", "not key=value" },
	{ "bandwidth cpus=each,together", "measure", "one value" },
	{ "bandwidth measure=each cpus=each", "measure", "given twice" },
	{ "files place=/a\"b", "place", "a quote" },
	{ "files place=/a\\b", "place", "a backslash" },
	{ "files place=/a place=/b", "place", "is given twice" },
	{ "files place=/a b", "'b'", "not key=value" },

	/* Sizes. */
	{ "bandwidth size=4 K", "size", "outside" },
	{ "bandwidth SIZE=4K size=4K", "size", "given twice" },

	/* Bytes that have no place in a line. */
	{ "bandwidth\top=read", "line", "byte 9 is 0x09" },
	{ "bandwidth op=read\r\n", "line", "0x0d" },
	{ "bandwidth op=read\n\n", "line", "0x0a" },
	{ "bandwidth\ntlb", "line", "byte 9 is 0x0a" },
	{ "\nbandwidth", "line", "byte 0" },
	{ "bandwidth op=\033[1mread", "line", "0x1b" },
	{ "bandwidth op=read\x7f", "line", "0x7f" },
	{ "bandwidth op=\xc3\xa4t", "line", "0xc3" },
	{ "\xff", "line", "0xff" },
};

/*
 * The same for TEST KEY=VALUE, with each of the values, which spaces part. "%" in place of @says
 * is the value in quotes.
 */
static const struct {
	const char *test;
	const char *key;
	const char *says;
	const char *values;
} bad_values[] = {
	/* Empty values. */
	{ "bandwidth", "op", "no value; write op=read", "" },
	{ "bandwidth", "size", "no value", "" },
	{ "bandwidth", "cpu", "no value", "" },
	{ "bandwidth", "op", "empty value", "read, ,read read,,write ," },
	{ "bandwidth", "size", "empty value", "4K," },
	{ "bandwidth", "repeat", "empty value", ",1" },

	/* Words. */
	{ "bandwidth", "op", "'erase' is not one of read|ntread|", "erase" },
	{ "bandwidth", "op", "|triad; did you mean read?", "rea" },
	{ "bandwidth", "op", "did you mean read?", "erad" },
	{ "bandwidth", "op", "'stream' is not one of read|ntread|", "stream" },
	{ "bandwidth", "op", "%", "reads read;write 0 =read read=write" },
	{ "bandwidth", "op", "'erase'", "read,erase" },
	{ "bandwidth", "type", "'wp' is not one of wb|wc|uc|wt|np", "wp" },
	{ "bandwidth", "type", "%", "uc- any" },
	{ "bandwidth", "irq", "on|off", "yes" },
	{ "bandwidth", "sched", "is not one of keep|fifo|auto", "rr" },
	{ "bandwidth", "prefetch", "keep|off|auto", "on ineffective" },
	{ "bandwidth", "fence", "none|sfence|mfence|uc", "lfence" },

	/* Targets. */
	{ "bandwidth", "target", "'disk' is no target; write ram, pci:0000:03:00.0/2 or", "disk" },
	{ "bandwidth", "target", "%", "ram,ram" },
	{ "bandwidth", "target", "is no target",
	  "pci: pci:3:00.0/2 pci:pci:03:00.0/2 000:03:00.0/2 03:00.0 pci:0000:03:00.0" },
	{ "bandwidth", "target", "is no target",
	  "pci:0000:03:00.0/ pci:0000:03:00.0/6 pci:0000:03:00.8/2 pci:0000:03:20.0/2" },
	{ "bandwidth", "target", "is no target",
	  "pci:0000:103:00.0/2 pci:0000:03:00.0/2x pci:100000000:03:00.0/2 phys:" },
	{ "bandwidth", "target", "is no target",
	  "phys:0x30000000 phys:0x30000000+ phys:0x30000000+0 phys:0x+4K phys:0x30000000+128T" },
	{ "bandwidth", "target", "is no target",
	  "phys:0x10000000000000000+4K phys:0xfffffffffffff000+8K phys:4K+17179869184G" },
	{ "bandwidth", "target", "in whole pages",
	  "phys:0x30000800+4K phys:0x30000000+6K phys:30000000+128M" },
	{ "bandwidth", "offset", "multiple of 64", "1" },
	{ "bandwidth", "write", "is not one of yes|no", "on" },
	{ "bandwidth", "any_bar", "is not one of yes|no", "1" },
	{ "bandwidth", "any_range", "is not one of yes|no", "1" },

	/* Numbers. */
	{ "bandwidth", "repeat", "from 1 to 1000000", "0 1000001" },
	{ "bandwidth", "repeat", "%", "-1 +1 0x10 1K ten 1..3 10s" },
	{ "bandwidth", "repeat", "whole number", "1.5 18446744073709551616 18446744073709551617" },
	{ "bandwidth", "repeat", "'0'", "1,0" },
	{ "bandwidth", "warmup", "whole", "99999999999999999999999999" },
	{ "bandwidth", "warmup", "whole number", "-0" },
	{ "bandwidth", "timeout", "from 0 to 86400", "86401" },
	{ "bandwidth", "timeout", "one value", "1,2" },
	{ "bandwidth", "timeout", "not a whole number from 0 to 86400", "0.5" },
	{ "bandwidth", "time",
	  "'0.0004' is not a number from 0.001 to 86400 with at most 3 decimals or '0'", "0.0004" },
	{ "bandwidth", "time", "at most 3 decimals", "0.4000 1.0005s" },
	{ "bandwidth", "time", "from 0.001 to 86400", "0.000 86400.001 86401 25h" },
	{ "bandwidth", "time", "%",
	  "-1 +1 -0 .4 . 1. 1.-1 1.2.3 1..2 1e3 0x1 s ms 1sec 0.5ms 18446744073709552" },
	{ "bandwidth", "time", "from 0.001",
	  "18446744073709551h 18446744073709551616 18446744073709551.617" },
	{ "bandwidth", "timeout", "'500ms' is not a whole number", "500ms" },
	{ "bandwidth", "time", "'0,4' is a list; this key takes one value", "0,4" },
	{ "files", "pause", "is not a number from 0 to 1 with at most 2 decimals", "1.01" },
	{ "bandwidth", "measure", "one value", "each,together" },
	{ "bandwidth", "smt", "one value", "on,off" },
	{ "bandwidth", "node", "or 'auto'", "any 18446744073709551615" },
	{ "bandwidth", "node", "from 0 to 1023 or 'auto'", "1024" },
	{ "bandwidth", "node", "'auto'", "-1" },
	{ "bandwidth", "width", "from 8 to 64 or 'max'", "4" },
	{ "bandwidth", "width", "%", "128" },
	{ "files", "place", "has no value; write place=none", "" },
	{ "files", "place", "'file' is not an absolute path", "file" },
	{ "files", "place", "begins with /", "./file" },
	{ "files", "place", "'/a,/b' has a comma", "/a,/b" },
	{ "files", "place", "has a comma", "none,none" },
	{ "tlb", "seed", "to 18446744073709551615", "18446744073709551616" },

	/* Times. */
	{ "tlb", "rest", "has no value; write rest=1ms", "" },
	{ "tlb", "rest", "'5' is not a time; write e.g. 500us, 20ms or 1s", "5" },
	{ "tlb", "rest", "'ms' is not a time", "ms" },
	{ "tlb", "rest", "is not a time", "-1ms 1MSS 1msec 1ms..4ms" },
	{ "tlb", "rest", "'1.5ms' is not a time", "1.5ms" },
	{ "tlb", "rest", "'10001ms' is outside 0 to 10s", "10001ms" },
	{ "tlb", "rest", "is outside 0 to 10s", "18446744073709551616ns 18446744073709551615s" },
	{ "tlb", "ways", "'6' is not one of 4|8|4k|all", "6" },
	{ "tlb", "ways", "%", "08" },

	/* Sizes. */
	{ "bandwidth", "size", "outside 1024 to 70368744177664", "0" },
	{ "bandwidth", "size", "outside 1024", "1023" },
	{ "bandwidth", "size", "multiple of 64", "4097" },
	{ "bandwidth", "size", "outside", "65537G 18446744073709547520" },
	{ "bandwidth", "size", "not a size",
	  "-4K K 4T 0x1000 4BB B 4iB 4KiBs 4Kb/s 1.M .5M 1.5.5M 1.0000000M" },
	{ "bandwidth", "size", "not a whole number", "0.5B" },
	{ "bandwidth", "size", "'4096.5' is not a whole number of bytes", "4096.5" },
	{ "bandwidth", "size", "'1.3M' is not a whole number of bytes", "1.3M" },
	{ "bandwidth", "size", "%", "large any" },
	{ "bandwidth", "size", "64 bits",
	  "18446744073709551616 17179869184G 18014398509481984K 99999999999999999999999G" },

	/* Ranges. */
	{ "bandwidth", "size", "''", "4K.. ..4K .." },
	{ "bandwidth", "size", "'.8K'", "4K...8K" },
	{ "bandwidth", "size", "'8K..16K'", "4K..8K..16K" },
	{ "bandwidth", "size", "%", "4K.8K 4K-8K" },
	{ "bandwidth", "size", "backwards", "8K..4K" },
	{ "bandwidth", "size", "'65537G'", "4K..65537G" },
	{ "bandwidth", "size", "'1'", "1..4K" },
	{ "tlb", "stride", "doubles", "0..4K 0..0" },
	{ "tlb", "stride", "too many", "1..16G,1..16G" },
	{ "tlb", "stride", "'1'", "1..9223372036854775808,1" },

	/* CPU lists. */
	{ "bandwidth", "cpu", "'every' is not a CPU list", "every" },
	{ "bandwidth", "cpu", "'all'", "all,0" },
	{ "bandwidth", "cpu", "%", "Every -1 0- - 3-0 0-1-2 0--1 0..3 0x0" },
	{ "bandwidth", "cpu", "'any'", "any,0 0,any" },
	{ "bandwidth", "cpu", "''", "0, ,0 0,,1" },
	{ "bandwidth", "cpu", "8191", "8192 0-8192 0-18446744073709551615" },
	{ "bandwidth", "cpu", "CPU list", "18446744073709551616 0-18446744073709551616" },
	{ "bandwidth", "cpu", "twice", "0,0 0-3,2 2,0-3" },
};

static bool is_one_line(const char *s)
{
	for (; *s; s++) {
		if (*s < 0x20 || *s > 0x7e)
			return false;
	}
	return true;
}

static bool is_refused(const char *line, size_t len, const char *key, const char *says)
{
	struct mc_error e;
	size_t n = strlen(key);

	return parse_bytes(&req, line, len, &e) == -EINVAL && e.err == -EINVAL &&
	       !strncmp(e.text, key, n) && e.text[n] == ':' &&
	       strstr(e.text, says) && is_one_line(e.text) &&
	       strlen(e.text) < MC_ERROR_TEXT - 1;
}

/* Return: 1 if it is not refused so, which is printed. */
static int not_refused(const char *line, const char *key, const char *says)
{
	struct mc_error e;

	if (is_refused(line, strlen(line), key, says))
		return 0;
	parse(&req, line, &e);
	print_error("'%s': wants '%s: ... %s', got %d '%s'\n", line, key, says, e.err, e.text);
	return 1;
}

static void each_is_refused_by_its_key(void **state)
{
	char values[400], line[120], says[120], *rest, *value;
	int wrong = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		wrong += not_refused(bad[i].line, bad[i].key, bad[i].says);
	for (size_t i = 0; i < ARRAY_SIZE(bad_values); i++) {
		rest = strcpy(values, bad_values[i].values);
		while ((value = strsep(&rest, " "))) {
			snprintf(line, sizeof(line), "%s %s=%s", bad_values[i].test,
				 bad_values[i].key, value);
			snprintf(says, sizeof(says), "'%s'", value);
			wrong += not_refused(line, bad_values[i].key,
					     strcmp(bad_values[i].says, "%") ?
					     bad_values[i].says : says);
		}
	}
	assert_int_equal(wrong, 0);
}

static void a_nul_is_a_control_character(void **state)
{
	static const char line[] = "bandwidth\0op=read";

	assert_true(is_refused(line, sizeof(line) - 1, "line", "byte 9 is 0x00"));
}

/* Any byte, put anywhere into a good line, neither crashes nor gives an unnamed error. */
static void every_byte_everywhere(void **state)
{
	static const char good[] = "bandwidth op=read,copy size=4K..1M cpu=0-3,8 node=auto";
	char line[sizeof(good)];
	struct mc_error e;

	for (size_t at = 0; at < sizeof(good) - 1; at++) {
		for (int c = 0; c < 256; c++) {
			memcpy(line, good, sizeof(good));
			line[at] = c;
			if (!parse_bytes(&req, line, sizeof(good) - 1, &e))
				continue;
			assert_int_equal(e.err, -EINVAL);
			assert_true(is_one_line(e.text));
			assert_non_null(strchr(e.text, ':'));
		}
	}
}

/* The parser reads no byte behind the end of any beginning of a good line. */
static void every_beginning(void **state)
{
	static const char good[] =
		"bandwidth op=read,copy size=4K..1M cpu=0-3,8 node=auto timeout=1";
	struct mc_error e;

	for (size_t len = 0; len < sizeof(good); len++)
		parse_bytes(&req, good, len, &e);
}

static void long_lines(void **state)
{
	static const size_t lengths[] = { 4094, 4095, 4096, 4097, 65536 };
	static char line[65537];
	struct mc_error e;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		size_t len = lengths[i];
		bool fits = len <= MC_LINE_MAX;

		/* Spaces are a long line, too; its newline does not count. */
		memset(line, ' ', sizeof(line));
		memcpy(line, "bandwidth", 9);
		memcpy(line + len - 7, "op=copy", 7);
		line[len] = '\n';
		assert_int_equal(!parse_bytes(&req, line, len, &e), fits);
		assert_int_equal(!parse_bytes(&req, line, len + 1, &e), fits);
		assert_true(fits || is_refused(line, len, "line", "4095"));

		/* One endless word, of each kind. */
		memset(line, '9', len);
		memcpy(line, "bandwidth repeat=", 17);
		assert_true(is_refused(line, len, fits ? "repeat" : "line", ""));
		memcpy(line, "bandwidth   size=", 17);
		assert_true(is_refused(line, len, fits ? "size" : "line", ""));
		memcpy(line, "bandwidth    cpu=", 17);
		assert_true(is_refused(line, len, fits ? "cpu" : "line", ""));
		memset(line, ',', len);
		memcpy(line, "bandwidth   op=rmw", 18);
		assert_true(is_refused(line, len, fits ? "op" : "line", ""));
		memset(line, 'x', len);
		assert_true(is_refused(line, len, fits ? "test" : "line", ""));
	}
}

static void too_many_values(void **state)
{
	char line[1024];
	struct mc_text t = MC_TEXT(line);
	struct mc_error e;

	mc_textf(&t, "bandwidth op=read");
	for (int i = 1; i < MC_MAX_VALUES; i++)
		mc_textf(&t, ",read");
	assert_int_equal(parse(&req, line, &e), 0);
	assert_int_equal(req.values[OP].n, MC_MAX_VALUES);
	assert_int_equal(mc_request_max(&req, OP), 0);
	mc_textf(&t, ",rmw");
	assert_true(is_refused(line, t.len, "op", "'rmw' is one value too many"));
}

static void too_many_combinations(void **state)
{
	char line[256];
	struct mc_text t = MC_TEXT(line);
	struct mc_error e;
	size_t len;

	mc_textf(&t, "full k1=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
	for (int key = 2; key <= 5; key++)
		mc_textf(&t, " k%d=1,2,3,4,5,6,7,8", key);
	assert_int_equal(parse(&req, line, &e), 0);
	assert_int_equal(mc_request_points(&req), MC_MAX_POINTS);
	/* Too many: by a longer last list, or by another list behind it. */
	len = t.len;
	mc_textf(&t, ",9");
	assert_true(is_refused(line, t.len, "line", "65536 combinations"));
	t.len = len;
	mc_textf(&t, " k6=1,2");
	assert_true(is_refused(line, t.len, "line", "65536 combinations"));
}

/* 64 values for each of 12 keys: 2^72 combinations, which no u64 holds. */
static void a_product_beyond_64_bits(void **state)
{
	static char line[MC_LINE_MAX + 1];
	struct mc_text t = MC_TEXT(line);

	mc_textf(&t, "full");
	for (int key = 1; key <= 12; key++) {
		mc_textf(&t, " k%d=0", key);
		for (int i = 1; i < MC_MAX_VALUES; i++)
			mc_textf(&t, ",0");
	}
	assert_false(t.cut);
	assert_true(is_refused(line, t.len, "line", "65536 combinations"));
}

/* A mistake in a test's own spec is reported like that of a user. */
static void bad_presets(void **state)
{
	static const struct mc_key keys[] = {
		{ .name = "op", .preset = "erase", .kind = MC_CHOICE,
		  .names = op_names },
	};
	static const struct mc_spec key = {
		.name = "key", .keys = keys, .nkeys = ARRAY_SIZE(keys),
	}, common = {
		.name = "common", .presets = "irq=on size=1",
	};
	static const struct mc_spec *const specs[] = { &key, &common, NULL };
	struct mc_error e = { 0 };

	assert_int_equal(mc_request_parse(&req, "key", 3, specs, &e), -EINVAL);
	assert_memory_equal(e.text, "op: 'erase' is not", 18);
	memset(&e, 0, sizeof(e));
	assert_int_equal(mc_request_parse(&req, "common", 6, specs, &e), -EINVAL);
	assert_memory_equal(e.text, "size: '1' is outside", 20);
}
