// SPDX-License-Identifier: GPL-2.0-only
/* Request lines that are wrong: each is refused, and its error says what is wrong. */
#include "request.h"

static struct mc_request req;

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
	{ "bandwidth opp=read", "'opp'", "is not a key of bandwidth; did you mean op?" },
	{ "bandwidth Soze=4K", "'Soze'", "did you mean size?" },
	{ "bandwidth timr=1", "'timr'", "did you mean time?" },
	{ "bandwidth prefech=off", "'prefech'", "did you mean prefetch?" },
	{ "bandwidth threads=2", "'threads'", "is not a key of bandwidth; memcache-user --tests" },
	{ "bandwidth o=2", "'o'", "is not a key of bandwidth; memcache-user --tests" },
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
	{ "bandwidth op=", "op", "no value; write op=read" },
	{ "bandwidth size=", "size", "no value" },
	{ "bandwidth size= 4K", "size", "no value" },
	{ "bandwidth cpu=", "cpu", "no value" },
	{ "bandwidth node=\n", "node", "no value" },
	{ "bandwidth op=read,", "op", "empty value" },
	{ "bandwidth op=,read", "op", "empty value" },
	{ "bandwidth op=read,,write", "op", "empty value" },
	{ "bandwidth op=,", "op", "empty value" },
	{ "bandwidth size=4K,", "size", "empty value" },
	{ "bandwidth repeat=,1", "repeat", "empty value" },

	/* Words. */
	{ "bandwidth op=erase", "op", "'erase' is not one of read|ntread|" },
	{ "bandwidth op=rea", "op", "|triad; did you mean read?" },
	{ "bandwidth op=erad", "op", "did you mean read?" },
	{ "bandwidth op=stream", "op", "'stream' is not one of read|ntread|" },
	{ "bandwidth op=reads", "op", "'reads'" },
	{ "bandwidth op=read,erase", "op", "'erase'" },
	{ "bandwidth op=read;write", "op", "'read;write'" },
	{ "bandwidth op=0", "op", "'0'" },
	{ "bandwidth op==read", "op", "'=read'" },
	{ "bandwidth op=read=write", "op", "'read=write'" },
	{ "bandwidth type=wp", "type", "'wp' is not one of wb|wc|uc|wt|np" },
	{ "bandwidth type=uc-", "type", "'uc-'" },
	{ "bandwidth type=any", "type", "'any'" },
	{ "bandwidth irq=yes", "irq", "on|off" },
	{ "bandwidth sched=rr", "sched", "is not one of keep|fifo|auto" },
	{ "bandwidth prefetch=on", "prefetch", "keep|off|auto" },
	{ "bandwidth prefetch=ineffective", "prefetch", "keep|off|auto" },
	{ "bandwidth fence=lfence", "fence", "none|sfence|mfence|uc" },

	/* Targets. */
	{ "bandwidth target=disk", "target",
	  "'disk' is no target; write ram, pci:0000:03:00.0/2 or" },
	{ "bandwidth target=ram,ram", "target", "'ram,ram'" },
	{ "bandwidth target=pci:", "target", "is no target" },
	{ "bandwidth target=pci:3:00.0/2", "target", "is no target" },
	{ "bandwidth target=pci:pci:03:00.0/2", "target", "is no target" },
	{ "bandwidth target=000:03:00.0/2", "target", "is no target" },
	{ "bandwidth target=03:00.0", "target", "is no target" },
	{ "bandwidth target=pci:0000:03:00.0", "target", "is no target" },
	{ "bandwidth target=pci:0000:03:00.0/", "target", "is no target" },
	{ "bandwidth target=pci:0000:03:00.0/6", "target", "is no target" },
	{ "bandwidth target=pci:0000:03:00.8/2", "target", "is no target" },
	{ "bandwidth target=pci:0000:03:20.0/2", "target", "is no target" },
	{ "bandwidth target=pci:0000:103:00.0/2", "target", "is no target" },
	{ "bandwidth target=pci:0000:03:00.0/2x", "target", "is no target" },
	{ "bandwidth target=pci:100000000:03:00.0/2", "target", "is no target" },
	{ "bandwidth target=phys:", "target", "is no target" },
	{ "bandwidth target=phys:0x30000000", "target", "is no target" },
	{ "bandwidth target=phys:0x30000000+", "target", "is no target" },
	{ "bandwidth target=phys:0x30000000+0", "target", "is no target" },
	{ "bandwidth target=phys:0x30000800+4K", "target", "in whole pages" },
	{ "bandwidth target=phys:0x30000000+6K", "target", "in whole pages" },
	{ "bandwidth target=phys:30000000+128M", "target", "in whole pages" },
	{ "bandwidth target=phys:0x+4K", "target", "is no target" },
	{ "bandwidth target=phys:0x30000000+128T", "target", "is no target" },
	{ "bandwidth target=phys:0x10000000000000000+4K", "target", "is no target" },
	{ "bandwidth target=phys:0xfffffffffffff000+8K", "target", "is no target" },
	{ "bandwidth target=phys:4K+17179869184G", "target", "is no target" },
	{ "bandwidth offset=1", "offset", "multiple of 64" },
	{ "bandwidth write=on", "write", "is not one of yes|no" },
	{ "bandwidth any_bar=1", "any_bar", "is not one of yes|no" },
	{ "bandwidth any_range=1", "any_range", "is not one of yes|no" },

	/* Numbers. */
	{ "bandwidth repeat=0", "repeat", "from 1 to 1000000" },
	{ "bandwidth repeat=1000001", "repeat", "from 1 to 1000000" },
	{ "bandwidth repeat=-1", "repeat", "'-1'" },
	{ "bandwidth repeat=+1", "repeat", "'+1'" },
	{ "bandwidth repeat=1.5", "repeat", "whole number" },
	{ "bandwidth repeat=0x10", "repeat", "'0x10'" },
	{ "bandwidth repeat=1K", "repeat", "'1K'" },
	{ "bandwidth repeat=ten", "repeat", "'ten'" },
	{ "bandwidth repeat=1..3", "repeat", "'1..3'" },
	{ "bandwidth repeat=1,0", "repeat", "'0'" },
	{ "bandwidth repeat=18446744073709551616", "repeat", "whole number" },
	{ "bandwidth repeat=18446744073709551617", "repeat", "whole number" },
	{ "bandwidth warmup=99999999999999999999999999", "warmup", "whole" },
	{ "bandwidth warmup=-0", "warmup", "whole number" },
	{ "bandwidth timeout=86401", "timeout", "from 0 to 86400" },
	{ "bandwidth timeout=1,2", "timeout", "one value" },
	{ "bandwidth timeout=0.5", "timeout", "not a whole number from 0 to 86400" },
	{ "bandwidth time=0.0004", "time",
	  "'0.0004' is not a number from 0.001 to 86400 with at most 3 decimals or '0'" },
	{ "bandwidth time=0.4000", "time", "at most 3 decimals" },
	{ "bandwidth time=0.000", "time", "from 0.001 to 86400" },
	{ "bandwidth time=86400.001", "time", "from 0.001 to 86400" },
	{ "bandwidth time=86401", "time", "from 0.001 to 86400" },
	{ "bandwidth time=-1", "time", "'-1'" },
	{ "bandwidth time=+1", "time", "'+1'" },
	{ "bandwidth time=-0", "time", "'-0'" },
	{ "bandwidth time=.4", "time", "'.4'" },
	{ "bandwidth time=.", "time", "'.'" },
	{ "bandwidth time=1.", "time", "'1.'" },
	{ "bandwidth time=1.-1", "time", "'1.-1'" },
	{ "bandwidth time=1.2.3", "time", "'1.2.3'" },
	{ "bandwidth time=1..2", "time", "'1..2'" },
	{ "bandwidth time=1e3", "time", "'1e3'" },
	{ "bandwidth time=0x1", "time", "'0x1'" },
	{ "bandwidth time=s", "time", "'s'" },
	{ "bandwidth time=ms", "time", "'ms'" },
	{ "bandwidth time=1sec", "time", "'1sec'" },
	{ "bandwidth time=1.0005s", "time", "at most 3 decimals" },
	{ "bandwidth time=0.5ms", "time", "'0.5ms'" },
	{ "bandwidth time=25h", "time", "from 0.001 to 86400" },
	{ "bandwidth time=18446744073709551h", "time", "from 0.001" },
	{ "bandwidth timeout=500ms", "timeout", "'500ms' is not a whole number" },
	{ "bandwidth repeat=10s", "repeat", "'10s'" },
	{ "bandwidth time=0.4 s", "'s'", "not key=value" },
	{ "bandwidth time=0,4", "time", "'0,4' is a list; this key takes one value" },
	{ "bandwidth time=18446744073709552", "time", "'18446744073709552'" },
	{ "bandwidth time=18446744073709551616", "time", "from 0.001" },
	{ "bandwidth time=18446744073709551.617", "time", "from 0.001" },
	{ "files pause=1.01", "pause", "is not a number from 0 to 1 with at most 2 decimals" },
	{ "bandwidth measure=each,together", "measure", "one value" },
	{ "bandwidth cpus=each,together", "measure", "one value" },
	{ "bandwidth measure=each cpus=each", "measure", "given twice" },
	{ "bandwidth smt=on,off", "smt", "one value" },
	{ "bandwidth node=any", "node", "or 'auto'" },
	{ "bandwidth node=1024", "node", "from 0 to 1023 or 'auto'" },
	{ "bandwidth node=-1", "node", "'auto'" },
	{ "bandwidth node=18446744073709551615", "node", "or 'auto'" },
	{ "bandwidth width=4", "width", "from 8 to 64 or 'max'" },
	{ "bandwidth width=128", "width", "'128'" },
	{ "files place=", "place", "has no value; write place=none" },
	{ "files place=file", "place", "'file' is not an absolute path" },
	{ "files place=./file", "place", "begins with /" },
	{ "files place=/a,/b", "place", "'/a,/b' has a comma" },
	{ "files place=none,none", "place", "has a comma" },
	{ "files place=/a\"b", "place", "a quote" },
	{ "files place=/a\\b", "place", "a backslash" },
	{ "files place=/a place=/b", "place", "is given twice" },
	{ "files place=/a b", "'b'", "not key=value" },
	{ "tlb seed=18446744073709551616", "seed", "to 18446744073709551615" },

	/* Times. */
	{ "tlb rest=", "rest", "has no value; write rest=1ms" },
	{ "tlb rest=5", "rest", "'5' is not a time; write e.g. 500us, 20ms or 1s" },
	{ "tlb rest=ms", "rest", "'ms' is not a time" },
	{ "tlb rest=-1ms", "rest", "is not a time" },
	{ "tlb rest=1.5ms", "rest", "'1.5ms' is not a time" },
	{ "tlb rest=1MSS", "rest", "is not a time" },
	{ "tlb rest=1msec", "rest", "is not a time" },
	{ "tlb rest=1ms..4ms", "rest", "is not a time" },
	{ "tlb rest=10001ms", "rest", "'10001ms' is outside 0 to 10s" },
	{ "tlb rest=18446744073709551616ns", "rest", "is outside 0 to 10s" },
	{ "tlb rest=18446744073709551615s", "rest", "is outside 0 to 10s" },

	{ "tlb ways=6", "ways", "'6' is not one of 4|8|4k|all" },
	{ "tlb ways=08", "ways", "'08'" },

	/* Sizes. */
	{ "bandwidth size=0", "size", "outside 1024 to 70368744177664" },
	{ "bandwidth size=1023", "size", "outside 1024" },
	{ "bandwidth size=4097", "size", "multiple of 64" },
	{ "bandwidth size=65537G", "size", "outside" },
	{ "bandwidth size=-4K", "size", "not a size" },
	{ "bandwidth size=K", "size", "not a size" },
	{ "bandwidth size=4 K", "size", "outside" },
	{ "bandwidth size=4T", "size", "not a size" },
	{ "bandwidth size=0x1000", "size", "not a size" },
	{ "bandwidth size=4BB", "size", "not a size" },
	{ "bandwidth size=B", "size", "not a size" },
	{ "bandwidth size=0.5B", "size", "not a whole number" },
	{ "bandwidth SIZE=4K size=4K", "size", "given twice" },
	{ "bandwidth size=4iB", "size", "not a size" },
	{ "bandwidth size=4KiBs", "size", "not a size" },
	{ "bandwidth size=4Kb/s", "size", "not a size" },
	{ "bandwidth size=1.M", "size", "not a size" },
	{ "bandwidth size=.5M", "size", "not a size" },
	{ "bandwidth size=1.5.5M", "size", "not a size" },
	{ "bandwidth size=1.0000000M", "size", "not a size" },
	{ "bandwidth size=4096.5", "size", "'4096.5' is not a whole number of bytes" },
	{ "bandwidth size=1.3M", "size", "'1.3M' is not a whole number of bytes" },
	{ "bandwidth size=large", "size", "'large'" },
	{ "bandwidth size=any", "size", "'any'" },
	{ "bandwidth size=18446744073709547520", "size", "outside" },
	{ "bandwidth size=18446744073709551616", "size", "64 bits" },
	{ "bandwidth size=17179869184G", "size", "64 bits" },
	{ "bandwidth size=18014398509481984K", "size", "64 bits" },
	{ "bandwidth size=99999999999999999999999G", "size", "64 bits" },

	/* Ranges. */
	{ "bandwidth size=4K..", "size", "''" },
	{ "bandwidth size=..4K", "size", "''" },
	{ "bandwidth size=..", "size", "''" },
	{ "bandwidth size=4K...8K", "size", "'.8K'" },
	{ "bandwidth size=4K..8K..16K", "size", "'8K..16K'" },
	{ "bandwidth size=4K.8K", "size", "'4K.8K'" },
	{ "bandwidth size=4K-8K", "size", "'4K-8K'" },
	{ "bandwidth size=8K..4K", "size", "backwards" },
	{ "bandwidth size=4K..65537G", "size", "'65537G'" },
	{ "bandwidth size=1..4K", "size", "'1'" },
	{ "tlb stride=0..4K", "stride", "doubles" },
	{ "tlb stride=0..0", "stride", "doubles" },
	{ "tlb stride=1..16G,1..16G", "stride", "too many" },
	{ "tlb stride=1..9223372036854775808,1", "stride", "'1'" },

	/* CPU lists. */
	{ "bandwidth cpu=every", "cpu", "'every' is not a CPU list" },
	{ "bandwidth cpu=all,0", "cpu", "'all'" },
	{ "bandwidth cpu=Every", "cpu", "'Every'" },
	{ "bandwidth cpu=any,0", "cpu", "'any'" },
	{ "bandwidth cpu=0,any", "cpu", "'any'" },
	{ "bandwidth cpu=-1", "cpu", "'-1'" },
	{ "bandwidth cpu=0,", "cpu", "''" },
	{ "bandwidth cpu=,0", "cpu", "''" },
	{ "bandwidth cpu=0,,1", "cpu", "''" },
	{ "bandwidth cpu=0-", "cpu", "'0-'" },
	{ "bandwidth cpu=-", "cpu", "'-'" },
	{ "bandwidth cpu=3-0", "cpu", "'3-0'" },
	{ "bandwidth cpu=0-1-2", "cpu", "'0-1-2'" },
	{ "bandwidth cpu=0--1", "cpu", "'0--1'" },
	{ "bandwidth cpu=0..3", "cpu", "'0..3'" },
	{ "bandwidth cpu=0x0", "cpu", "'0x0'" },
	{ "bandwidth cpu=8192", "cpu", "8191" },
	{ "bandwidth cpu=0-8192", "cpu", "8191" },
	{ "bandwidth cpu=18446744073709551616", "cpu", "CPU list" },
	{ "bandwidth cpu=0-18446744073709551615", "cpu", "8191" },
	{ "bandwidth cpu=0-18446744073709551616", "cpu", "CPU list" },
	{ "bandwidth cpu=0,0", "cpu", "twice" },
	{ "bandwidth cpu=0-3,2", "cpu", "twice" },
	{ "bandwidth cpu=2,0-3", "cpu", "twice" },

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

static bool is_one_line(const char *s)
{
	for (; *s; s++) {
		if (*s < 0x20 || *s > 0x7e)
			return false;
	}
	return true;
}

static bool is_refused(const char *line, size_t len, const char *key,
		       const char *says)
{
	struct mc_error e;
	size_t n = strlen(key);

	return parse_bytes(&req, line, len, &e) == -EINVAL && e.err == -EINVAL &&
	       !strncmp(e.text, key, n) && e.text[n] == ':' &&
	       strstr(e.text, says) && is_one_line(e.text) &&
	       strlen(e.text) < MC_ERROR_TEXT - 1;
}

static void each_is_refused_by_its_key(void **state)
{
	struct mc_error e;
	int wrong = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct bad *b = &bad[i];

		if (is_refused(b->line, strlen(b->line), b->key, b->says))
			continue;
		wrong++;
		parse(&req, b->line, &e);
		print_error("'%s': wants '%s: ... %s', got %d '%s'\n", b->line,
			    b->key, b->says, e.err, e.text);
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
	size_t at;
	int c;

	for (at = 0; at < sizeof(good) - 1; at++) {
		for (c = 0; c < 256; c++) {
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
	size_t len;

	for (len = 0; len < sizeof(good); len++)
		parse_bytes(&req, good, len, &e);
}

static void long_lines(void **state)
{
	static const size_t lengths[] = { 4094, 4095, 4096, 4097, 65536 };
	static char line[65537];
	struct mc_error e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
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
	int i;

	mc_textf(&t, "bandwidth op=read");
	for (i = 1; i < MC_MAX_VALUES; i++)
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
	int key;

	mc_textf(&t, "full k1=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
	for (key = 2; key <= 5; key++)
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
	int key, i;

	mc_textf(&t, "full");
	for (key = 1; key <= 12; key++) {
		mc_textf(&t, " k%d=0", key);
		for (i = 1; i < MC_MAX_VALUES; i++)
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
