// SPDX-License-Identifier: GPL-2.0-only
/* Request lines that are right: what they unfold to, and in which order. */
#include "request.h"

/* One key's values, n of them, from one line. */
static void values_of_a_line(void **state)
{
	static const struct {
		const char *line;
		unsigned int id;
		u32 n;
		u64 v[8];
	} rows[] = {
		/* Presets: a key's own, then the test's. */
		{ "bandwidth", OP, 1, { 0 } },
		{ "bandwidth", MC_KEY_TYPE, 1, { MC_WB } },
		{ "bandwidth", MC_KEY_SIZE, 1, { 1 * M } },
		{ "bandwidth", MC_KEY_REPEAT, 1, { 5 } },
		{ "bandwidth", MC_KEY_WARMUP, 1, { 2 } },
		{ "bandwidth", MC_KEY_NODE, 1, { MC_AUTO } },
		{ "tlb", MC_KEY_SIZE, 1, { 16 * M } },
		{ "tlb", MC_KEY_REPEAT, 1, { 10 } },
		{ "tlb", STRIDE, 1, { 4 * K } },
		{ "bandwidth size=4K", MC_KEY_SIZE, 1, { 4 * K } },
		{ "bandwidth size=4K", MC_KEY_REPEAT, 1, { 5 } },
		/* Spaces and the newline. */
		{ "bandwidth\n", OP, 1, { 0 } },
		{ "  bandwidth   op=copy  ", OP, 1, { 4 } },
		{ "bandwidth op=copy\x20\n", OP, 1, { 4 } },
		/* Words, in the order written, and repeated as written. */
		{ "bandwidth type=uc,wb,wc", MC_KEY_TYPE, 3,
		  { MC_UC, MC_WB, MC_WC } },
		{ "bandwidth op=rmw,read,rmw", OP, 3, { 6, 0, 6 } },
		{ "bandwidth irq=off,on", MC_KEY_IRQ, 2, { 0, 1 } },
		{ "bandwidth page=4k", MC_KEY_PAGE, 1, { MC_PAGE_4K } },
		{ "bandwidth prefetch=off,auto,keep", MC_KEY_PREFETCH, 3,
		  { MC_PREFETCH_OFF, MC_PREFETCH_AUTO, MC_PREFETCH_KEEP } },
		/* Numbers. */
		{ "bandwidth repeat=1,1000000", MC_KEY_REPEAT, 2, { 1, 1000000 } },
		{ "bandwidth repeat=007", MC_KEY_REPEAT, 1, { 7 } },
		{ "bandwidth warmup=0", MC_KEY_WARMUP, 1, { 0 } },
		{ "bandwidth timeout=86400", MC_KEY_TIMEOUT, 1, { 86400 } },
		{ "bandwidth node=0,1023,auto", MC_KEY_NODE, 3,
		  { 0, 1023, MC_AUTO } },
		{ "bandwidth node=local,1", MC_KEY_NODE, 2, { MC_LOCAL, 1 } },
		{ "bandwidth type=WB,Uc", MC_KEY_TYPE, 2, { MC_WB, MC_UC } },
		{ "bandwidth op=READ", OP, 1, { 0 } },
		{ "bandwidth page=4K,2M", MC_KEY_PAGE, 2, { MC_PAGE_4K, MC_PAGE_2M } },
		{ "bandwidth size=AUTO", MC_KEY_SIZE, 1, { MC_AUTO } },
		{ "BANDWIDTH OP=COPY", OP, 1, { 4 } },
		/* The name of a key in older versions. */
		{ "bandwidth cpus=each", MC_KEY_MEASURE, 1, { MC_MEASURE_EACH } },
		{ "bandwidth measure=each", MC_KEY_MEASURE, 1, { MC_MEASURE_EACH } },
		{ "Bandwidth Size=64K", MC_KEY_SIZE, 1, { 64 * K } },
		/* Seconds: those of time= are in thousandths. */
		{ "bandwidth time=10s", MC_KEY_TIME, 1, { 10000 } },
		{ "bandwidth time=0.4s", MC_KEY_TIME, 1, { 400 } },
		{ "bandwidth time=500ms", MC_KEY_TIME, 1, { 500 } },
		{ "bandwidth time=1.5min", MC_KEY_TIME, 1, { 90000 } },
		{ "bandwidth timeout=24h", MC_KEY_TIMEOUT, 1, { 86400 } },
		{ "bandwidth timeout=5000ms", MC_KEY_TIMEOUT, 1, { 5 } },
		{ "bandwidth time=1.5MIN", MC_KEY_TIME, 1, { 90000 } },
		{ "bandwidth width=8,64,max", WIDTH, 3, { 8, 64, 0 } },
		{ "tlb seed=18446744073709551615", SEED, 1, { ~0ULL } },
		/* Sizes. */
		{ "bandwidth size=4096,4160", MC_KEY_SIZE, 2, { 4096, 4160 } },
		{ "bandwidth size=4k,1m,1g", MC_KEY_SIZE, 3, { 4 * K, M, G } },
		{ "bandwidth size=64kB,64KB,64KiB,64kb,64KIB", MC_KEY_SIZE, 5,
		  { 64 * K, 64 * K, 64 * K, 64 * K, 64 * K } },
		{ "bandwidth size=1.5M,1.50MiB,0.5gb,0.0625M", MC_KEY_SIZE, 4,
		  { 1536 * K, 1536 * K, 512 * M, 64 * K } },
		{ "bandwidth size=1.5K..6KiB", MC_KEY_SIZE, 3, { 1536, 3072, 6144 } },
		{ "bandwidth size=4096B,4160b", MC_KEY_SIZE, 2, { 4096, 4160 } },
		{ "bandwidth size=auto", MC_KEY_SIZE, 1, { MC_AUTO } },
		{ "bandwidth size=4K,auto", MC_KEY_SIZE, 2, { 4 * K, MC_AUTO } },
		{ "bandwidth size=65536G", MC_KEY_SIZE, 1, { 1ULL << 46 } },
		{ "tlb stride=0,0K,1", STRIDE, 3, { 0, 0, 1 } },
		{ "tlb stride=18446744073709551615", STRIDE, 1, { ~0ULL } },
		{ "tlb stride=17179869183G", STRIDE, 1, { 17179869183 * G } },
		/* Ranges. */
		{ "bandwidth size=1M..16M", MC_KEY_SIZE, 5,
		  { M, 2 * M, 4 * M, 8 * M, 16 * M } },
		{ "bandwidth size=4K..4K", MC_KEY_SIZE, 1, { 4 * K } },
		{ "bandwidth size=4K..31K", MC_KEY_SIZE, 3,
		  { 4 * K, 8 * K, 16 * K } },
		{ "bandwidth size=12K..64K", MC_KEY_SIZE, 3,
		  { 12 * K, 24 * K, 48 * K } },
		{ "bandwidth size=1G,4K..8K,64K", MC_KEY_SIZE, 4,
		  { G, 4 * K, 8 * K, 64 * K } },
		{ "tlb stride=6..50", STRIDE, 4, { 6, 12, 24, 48 } },
		{ "tlb stride=4611686018427387904..18446744073709551615", STRIDE, 2,
		  { 1ULL << 62, 1ULL << 63 } },
		{ "tlb stride=18446744073709551615..18446744073709551615",
		  STRIDE, 1, { ~0ULL } },
		/* Times. */
		{ "tlb", REST, 1, { 1000000 } },
		{ "tlb rest=20MS,1Us", REST, 2, { 20000000, 1000 } },
		{ "tlb rest=0,00,0s,1ns,1us,20ms,10s", REST, 7,
		  { 0, 0, 0, 1, 1000, 20000000, 10000000000 } },
		/* A CPU list is one setting and has no values. */
		{ "bandwidth cpu=0-3", MC_KEY_CPU, 0, { 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mc_values *v = &req.values[rows[i].id];

		parse_good(rows[i].line);
		if (v->n != rows[i].n || memcmp(v->v, rows[i].v, v->n * sizeof(*v->v)))
			fail_msg("'%s': shown as '%s'", rows[i].line, shown(&req));
	}
}

static void cpus_of_a_line(void **state)
{
	static const struct {
		const char *cpus;
		bool any;
		unsigned int n;
		u64 first_word, last_word;
	} rows[] = {
		{ "any", .any = true },
		{ "Any", .any = true },
		{ "0", .n = 1, .first_word = 1 },
		{ "00", .n = 1, .first_word = 1 },
		{ "3", .n = 1, .first_word = 8 },
		{ "0-3,8", .n = 5, .first_word = 0x10f },
		{ "8,0-3", .n = 5, .first_word = 0x10f },
		{ "5-5", .n = 1, .first_word = 0x20 },
		{ "0-63", .n = 64, .first_word = ~0ULL },
		{ "8191", .n = 1, .last_word = 1ULL << 63 },
		{ "0-8191", .n = 8192, .first_word = ~0ULL, .last_word = ~0ULL },
	};
	char line[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(line, sizeof(line), "bandwidth cpu=%s", rows[i].cpus);
		parse_good(line);
		assert_int_equal(req.any_cpu, rows[i].any);
		assert_int_equal(req.ncpus, rows[i].n);
		assert_int_equal(req.cpus[0], rows[i].first_word);
		assert_int_equal(req.cpus[ARRAY_SIZE(req.cpus) - 1], rows[i].last_word);
		assert_int_equal(mc_request_points(&req), 1);
	}
	parse_good("tlb");	/* the preset */
	assert_int_equal(req.ncpus, 1);
	assert_int_equal(req.cpus[0], 1);
}

#define MIDDLE	" measure=together smt=on node=auto irq=on sched=auto disturbed=leave_out" \
		" page=auto prefetch=keep"
#define LAST	" warmup=2 time=0 timeout=0 target=ram offset=0 write=no any_bar=no any_range=no"

static void requests_as_they_are_shown(void **state)
{
	static const struct {
		const char *line;
		const char *want;
	} rows[] = {
		/* The keys written, in the order written, then the others. */
		{ "bandwidth",
		  "bandwidth type=wb size=1M cpu=0"
		  MIDDLE " repeat=5" LAST " op=read width=max fence=none" },
		{ "bandwidth fence=uc op=copy,read cpu=8,2,1,0 size=4K..16K,4160,65536G",
		  "bandwidth fence=uc op=copy,read cpu=0-2,8 size=4K,8K,16K,4160,65536G type=wb"
		  MIDDLE " repeat=5" LAST " width=max" },
		{ "tlb seed=9 stride=0,1,1023,1024,1536,1025K cpu=any",
		  "tlb seed=9 stride=0,1,1023,1K,1536,1025K cpu=any type=wb size=16M"
		  MIDDLE " repeat=10" LAST " ways=all rest=1ms" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		parse_good(rows[i].line);
		assert_string_equal(shown(&req), rows[i].want);
	}
}

/* The key written first varies slowest, the one written last fastest. */
static void order_of_the_product(void **state)
{
	static const struct {
		const char *line;
		struct { u64 type, op, size; } want[8];
	} rows[] = {
		{ "bandwidth type=wb,uc op=read,copy size=4K,8K",
		  { { MC_WB, 0, 4096 }, { MC_WB, 0, 8192 },
		    { MC_WB, 4, 4096 }, { MC_WB, 4, 8192 },
		    { MC_UC, 0, 4096 }, { MC_UC, 0, 8192 },
		    { MC_UC, 4, 4096 }, { MC_UC, 4, 8192 } } },
		{ "bandwidth size=4K,8K cpu=0-3 op=read,copy repeat=7 type=wb,uc",
		  { { MC_WB, 0, 4096 }, { MC_UC, 0, 4096 },
		    { MC_WB, 4, 4096 }, { MC_UC, 4, 4096 },
		    { MC_WB, 0, 8192 }, { MC_UC, 0, 8192 },
		    { MC_WB, 4, 8192 }, { MC_UC, 4, 8192 } } },
	};
	struct mc_point p;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		parse_good(rows[i].line);
		assert_int_equal(mc_request_points(&req), 8);
		for (size_t at = 0; at < 8; at++) {
			mc_request_point(&req, at, &p);
			assert_int_equal(p.v[MC_KEY_TYPE], rows[i].want[at].type);
			assert_int_equal(p.v[OP], rows[i].want[at].op);
			assert_int_equal(p.v[MC_KEY_SIZE], rows[i].want[at].size);
			assert_int_equal(p.v[MC_KEY_CPU], 0);
			assert_int_equal(p.v[MC_KEY_NODE], MC_AUTO);
		}
	}
}

static void largest_values(void **state)
{
	parse_good("bandwidth repeat=3,900,20 size=4K..1M cpu=5");
	assert_int_equal(mc_request_max(&req, MC_KEY_REPEAT), 900);
	assert_int_equal(mc_request_max(&req, MC_KEY_SIZE), M);
	assert_int_equal(mc_request_max(&req, MC_KEY_WARMUP), 2);
	assert_int_equal(mc_request_max(&req, MC_KEY_CPU), 0);
}

static void keys_that_were_written(void **state)
{
	parse_good("bandwidth repeat=3,900,20 op=read");
	for (unsigned int id = 0; id < req.nkeys; id++)
		assert_int_equal(mc_request_given(&req, id), id == MC_KEY_REPEAT || id == OP);
	/* What the test itself presets was not written. */
	parse_good("bandwidth");
	assert_false(mc_request_given(&req, MC_KEY_REPEAT));
}

static void words_of_values(void **state)
{
	const struct mc_key *type = mc_key_of(&bandwidth, MC_KEY_TYPE);
	const struct mc_key *width = mc_key_of(&bandwidth, WIDTH);

	assert_string_equal(type->name, "type");
	assert_string_equal(mc_key_word(type, MC_UC), "uc");
	assert_null(mc_key_word(type, MC_NALL_TYPES));
	assert_string_equal(width->name, "width");
	assert_string_equal(mc_key_word(width, 0), "max");
	assert_null(mc_key_word(width, 8));
	assert_null(mc_key_word(mc_key_of(&tlb, STRIDE), 0));
}

/* The file `tests`: what the parser takes, and the presets that apply. */
static void spec_as_it_is_shown(void **state)
{
	static const char * const lines[] = {
		"bandwidth: memory bandwidth\n",
		"  op=read           read|ntread|write|ntwrite|copy|ntcopy|rmw|triad what the loop does\n",
		"  width=max         max|8..64                     bytes an access\n",
		"  presets: size=1M  repeat=5\n",
		"  > mb_per_s                 payload at the median\n",
		"  > mb_per_s_max             payload of the fastest pass\n",
	};
	static char buf[4096];
	struct mc_text t = MC_TEXT(buf);
	size_t i, n;

	mc_spec_show(&t, &bandwidth);
	assert_false(t.cut);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strstr(buf, lines[i]))
			fail_msg("'%s' is not in:\n%s", lines[i], buf);
	}

	/* The test, its presets, each of its own keys and each of its columns has a line. */
	for (i = 0, n = 0; buf[i]; i++)
		n += buf[i] == '\n';
	assert_int_equal(n, 1 + 3 + 1 + 2);

	/* The text ends where its buffer is full. */
	for (i = 1, n = t.len; i <= n; i++) {
		char *tight = malloc(i);

		t = (struct mc_text){ .buf = tight, .size = i };
		mc_spec_show(&t, &bandwidth);
		assert_true(t.cut && t.len == i - 1);
		assert_memory_equal(tight, buf, i - 1);
		free(tight);
	}
}

/* The keys of every test come once, before the first test. */
static void specs_as_they_are_shown(void **state)
{
	static const char * const lines[] = {
		"every test: ",
		"\n  type=wb           wb|wc|uc|wt|np ",
		"\n  size=16M          auto|1K..65536G ",
		"\n  cpu=0             LIST|all|any ",
		"\n  node=auto         auto|local|0..1023",
		"\n  repeat=10         1..1000000 ",
		"\n  time=0            0|0.001..86400 ",
		"\n  measure=together  together|each ",
		"\n  warmup=2          0..1000000 ",
		"\nbandwidth: ", "\ntlb: ", "\nfull: ", "\nfiles: ", "\ncrowd: ",
	};
	static char buf[8192], last[4096];
	struct mc_text t = MC_TEXT(buf), l = MC_TEXT(last);
	const char *at = buf;
	size_t i, n;

	mc_specs_show(&t, fixture_specs);
	assert_false(t.cut);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		at = strstr(at, lines[i]);
		if (!at)
			fail_msg("'%s' is not in its place in:\n%s", lines[i], buf);
	}
	for (i = 0, n = 0; buf + i < strstr(buf, "\nbandwidth: "); i++)
		n += buf[i] == '\n';
	assert_int_equal(n, MC_KEY_FIRST);
	mc_spec_show(&l, &crowd);
	assert_string_equal(buf + t.len - l.len, last);
}

/* mc_spec_key() gives the keys of a test, each with the preset that this test has for it. */
static void keys_of_a_test(void **state)
{
	const struct mc_key *key;
	char text[200] = "";
	struct mc_text t = MC_TEXT(text);
	unsigned int i, j, n;

	for (i = 0; (key = mc_spec_key(&bandwidth, i)); i++) {
		if (i < 4 || key == mc_key_of(&bandwidth, MC_KEY_SIZE) ||
		    key == mc_key_of(&bandwidth, MC_KEY_REPEAT)) {
			mc_spec_preset(&t, &bandwidth, key);
			mc_textf(&t, " ");
		}
	}
	assert_int_equal(i, 3 + MC_KEY_FIRST);
	assert_ptr_equal(mc_spec_key(&bandwidth, 3), mc_common_key(0));
	for (i = 0; i < MC_KEY_FIRST; i++) {	/* each common key is shown once */
		for (j = 0, n = 0; j < MC_KEY_FIRST; j++)
			n += mc_common_key(j) == mc_key_of(&bandwidth, i);
		assert_int_equal(n, 1);
	}
	assert_string_equal(text, "op=read width=max fence=none type=wb size=1M repeat=5 ");
}

/* The result of prefetch= may be a word that no request can have. */
static void an_outcome_has_a_word(void **state)
{
	const struct mc_key *key = mc_key_of(&bandwidth, MC_KEY_PREFETCH);

	assert_string_equal(mc_key_word(key, MC_PREFETCH_OFF), "off");
	assert_string_equal(mc_key_word(key, MC_PREFETCH_INEFFECTIVE), "ineffective");
	assert_null(mc_key_word(key, MC_PREFETCH_INEFFECTIVE + 1));
}
