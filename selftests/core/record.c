// SPDX-License-Identifier: GPL-2.0-only
/* module/core/record.c: the table and the JSON Lines of results. */
#include "request.h"

#define ROW	65536

static struct mc_record rec;
static char header[ROW], row[ROW], json[ROW];

/* A record, filled as a run would do it. */
static void fill(const char *line)
{
	static const u32 disturbed[MC_NDISTURBANCES] = { 2, 3, 0, 4, 6 };
	static const u64 samples[] = { 4000, 2000, MC_NO_SAMPLE, 3000 };
	u64 v[ARRAY_SIZE(samples)];

	parse_good(line);
	memset(&rec, 0, sizeof(rec));
	mc_request_point(&req, 0, &rec.point);
	rec.threads = 4;
	rec.cpu = MC_CPU_ALL;
	rec.memory_node = 1;
	rec.memory_zone = MC_ZONE_DMA32;
	rec.object = "cuda:wc:0";
	rec.attribute = MC_ATTR_UC_MINUS;
	rec.effective = MC_EFFECT_YES;
	rec.verified = MC_VERIFIED_OK;
	rec.left_out = MC_LEFT_CLOCK | MC_LEFT_DISTURBED | MC_LEFT_NO_OVERLAP;
	rec.watched = MC_BY_INTERRUPT | MC_BY_STEAL | MC_BY_PREEMPTION;
	memcpy(rec.disturbed, disturbed, sizeof(rec.disturbed));
	rec.windows_left_out = 5;
	rec.started_unix_ns = 1700000000123456789;
	rec.window_max_ps = 4321;
	memcpy(v, samples, sizeof(v));
	mc_stats_of(&rec.stats, v, ARRAY_SIZE(v));
	for (unsigned int i = 0; i < req.spec->ncolumns; i++)
		mc_record_set(&rec, i, 1234567890123);
}

/* @size: size of the buffer, so that a test can make it too small */
static size_t show_json(size_t size)
{
	struct mc_text t = { .buf = json, .size = size };

	mc_record_json(&t, &req, "kernel", &rec);
	return t.len;
}

static void show(void)
{
	struct mc_text h = MC_TEXT(header), r = MC_TEXT(row);
	struct mc_layout l;

	mc_layout_init(&l, &req);
	mc_layout_fit(&l, &req, &rec);
	mc_header_show(&h, &l, &req);
	mc_record_row(&r, &l, &req, &rec);
	show_json(sizeof(json));
}

/* The end of the next word after @at, or 0. */
static size_t word_end(const char *s, size_t at)
{
	while (s[at] == ' ')
		at++;
	if (s[at] == '\n' || !s[at])
		return 0;
	return at + strcspn(s + at, "\n ");
}

/* The word in the row under @name in the header; valid until the next call. */
static const char *cell(const char *name)
{
	static char word[ROW];
	size_t h = 1, r = 0, from, len = strlen(name);

	while ((h = word_end(header, h))) {
		from = r;
		r = word_end(row, r);
		from += strspn(row + from, " ");
		if (h > len && header[h - len - 1] == ' ' && !memcmp(header + h - len, name, len)) {
			snprintf(word, sizeof(word), "%.*s", (int)(r - from), row + from);
			return word;
		}
	}
	return NULL;
}

/* The JSON value of @key, with its quotes; valid until the next call. */
static const char *member(const char *key)
{
	static char value[ROW];
	char name[64];
	const char *from, *to;

	snprintf(name, sizeof(name), ",\"%s\":", key);
	from = strstr(json, name);
	if (!from)
		return NULL;
	from += strlen(name);
	to = from;
	assert_true(json_value(&to, 1));
	snprintf(value, sizeof(value), "%.*s", (int)(to - from), from);
	return value;
}

/* In the row, each column ends where its name does in the header. */
static void assert_aligned(void)
{
	size_t h = word_end(header, 1), r = word_end(row, 0);

	/* Only the first column stands at the left. */
	while (h && r) {
		h = word_end(header, h);
		r = word_end(row, r);
		assert_int_equal(h, r);
	}
	assert_int_equal(strlen(header), strlen(row));
	assert_memory_equal(header, "# test", 6);
	assert_int_equal(row[strlen(row) - 1], '\n');
	assert_null(strchr(header, '\t'));
}

static const char * const lines[] = {
	"bandwidth", "bandwidth type=uc op=ntwrite width=8 cpu=0-127 size=3G",
	"bandwidth cpu=any node=1023 irq=off page=4k prefetch=off fence=sfence",
	"tlb", "tlb stride=18446744073709551615 seed=18446744073709551615",
	"tlb cpu=1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35 size=65536G",
	"full", "full k1=18446744073709551615 k12=18446744073709551615",
};

static struct mc_histogram widest;

/* Records of a usual run, of one in which everything fails, and the widest ones. */
static void fill_some(unsigned int i)
{
	fill(lines[i % ARRAY_SIZE(lines)]);
	switch (i / ARRAY_SIZE(lines)) {
	case 1:
		memset(&rec, 0, sizeof(rec));
		rec.cpu = MC_CPU_ALL;
		rec.memory_node = MC_NODE_NA;
		break;
	case 2:
		memset(&rec, 0xff, sizeof(rec));
		memset(&widest, 0xff, sizeof(widest));
		widest.first = 188;
		rec.attribute = MC_ATTR_MIXED;
		rec.effective = MC_EFFECT_UNKNOWN;
		rec.verified = MC_VERIFIED_FAILED;
		rec.memory_node = MC_NODE_MIXED;
		rec.histogram = &widest;
		rec.tail = NULL;	/* tail_bins.c has the longest */
		rec.object = "an:object:of:sixty-three:characters:which:is:the:longest:word:::";
		break;
	}
}

#define SOME	(3 * ARRAY_SIZE(lines))

static void rows_are_aligned_json_is_json_and_both_fit(void **state)
{
	for (unsigned int i = 0; i < SOME; i++) {
		fill_some(i);
		show();
		assert_aligned();
		assert_true(json_line(json));
		assert_in_range(strlen(json), 1, MC_ROW_MAX - 1);
		assert_in_range(strlen(row), 1, MC_ROW_MAX - 1);
		assert_in_range(strlen(header), 1, MC_ROW_MAX - 1);
	}
}

/* Two records of one table, of which the second is wider: both get its widths. */
static void rows_of_one_table_are_aligned(void **state)
{
	struct mc_text h = MC_TEXT(header), r = MC_TEXT(row);
	struct mc_record narrow;
	struct mc_layout l;

	fill("bandwidth size=4K,1G");
	narrow = rec;
	mc_request_point(&req, 1, &rec.point);
	rec.stats.max_ps = ~0ULL;
	mc_layout_init(&l, &req);
	mc_layout_fit(&l, &req, &narrow);
	mc_layout_fit(&l, &req, &rec);
	mc_layout_fit(&l, &req, &narrow);
	mc_header_show(&h, &l, &req);
	mc_record_row(&r, &l, &req, &narrow);
	assert_aligned();
	assert_string_equal(cell("size_bytes"), "4096");
	r.len = 0;
	mc_record_row(&r, &l, &req, &rec);
	assert_aligned();
	assert_string_equal(cell("size_bytes"), "1073741824");
	assert_string_equal(cell("max_ns"), "18446744073709551.615");
}

/* Whatever is left out, the header's own length is the width that the layout says. */
static void a_column_can_be_left_out(void **state)
{
	static const char * const names[] = { "size_bytes", "max_ns", "test", "mb_per_s", "no" };
	struct mc_layout l;
	size_t i, width;

	fill("bandwidth size=4K");
	mc_layout_init(&l, &req);
	mc_layout_fit(&l, &req, &rec);
	width = mc_layout_width(&l, &req);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct mc_text h = MC_TEXT(header), r = MC_TEXT(row);

		mc_header_show(&h, &l, &req);
		mc_record_row(&r, &l, &req, &rec);
		assert_aligned();
		assert_int_equal(h.len, width + 1);
		assert_int_equal(r.len, width + 1);
		mc_layout_drop(&l, &req, names[i]);
		h.len = 0;
		mc_header_show(&h, &l, &req);
		/* The test is no column, and a name that is none is no error. */
		if (i == 2 || i == 4) {
			assert_int_equal(mc_layout_width(&l, &req), width);
		} else {
			assert_in_range(mc_layout_width(&l, &req), 1, width - 1);
			assert_null(strstr(header, names[i]));
		}
		width = mc_layout_width(&l, &req);
	}
}

static void values_of_a_record(void **state)
{
	static const struct {
		const char *name;
		const char *table;	/* NULL: JSON only */
		const char *json;
	} rows[] = {
		{ "test", "bandwidth", "\"bandwidth\"" },
		{ "where", NULL, "\"kernel\"" },
		{ "op", "ntwrite", "\"ntwrite\"" },
		{ "width_bytes", "16", "16" },
		{ "fence", "none", "\"none\"" },
		{ "type", "uc", "\"uc\"" },
		{ "size_bytes", "3145728", "3145728" },
		{ "cpu", "0-3,8", "\"0-3,8\"" },
		{ "node", "auto", "\"auto\"" },
		{ "irq", "off", "\"off\"" },
		{ "sched", NULL, "\"auto\"" },
		{ "disturbed", NULL, "\"leave_out\"" },
		{ "page", "auto", "\"auto\"" },
		{ "prefetch", NULL, "\"keep\"" },
		{ "repeat", NULL, "5" },
		{ "warmup", NULL, "2" },
		{ "timeout", NULL, NULL },
		{ "target", NULL, "\"ram\"" },
		{ "offset_bytes", NULL, "0" },
		{ "write", NULL, "\"no\"" },
		{ "any_bar", NULL, NULL },
		{ "any_range", NULL, NULL },
		{ "attribute", "uc-", "\"uc-\"" },
		{ "effective", "yes", "\"yes\"" },
		{ "memory_node", "1", "1" },
		{ "memory_zone", NULL, "\"DMA32\"" },
		{ "memory_object", "cuda:wc:0", "\"cuda:wc:0\"" },
		{ "physical_range", NULL, "null" },
		{ "threads", NULL, "4" },
		{ "started_unix_ns", NULL, "1700000000123456789" },
		{ "window_max_ns", NULL, "4.321" },
		{ "verified", "ok", "\"ok\"" },
		{ "samples", "3", "3" },
		{ "left_out", NULL, "1" },
		{ "left_out_why", NULL, "\"clock,disturbed,no_overlap\"" },
		{ "disturbed_interrupt", NULL, "2" },
		{ "disturbed_migration", NULL, "null" },
		{ "disturbed_steal", NULL, "0" },
		{ "disturbed_preemption", NULL, "4" },
		{ "disturbed_neighbour", NULL, "null" },
		{ "windows_left_out", NULL, "5" },
		{ "min_ns", "2.000", "2.000" },
		{ "median_ns", "3.000", "3.000" },
		{ "max_ns", "4.000", "4.000" },
		{ "mean_ns", NULL, "3.000" },
		{ "sd_ns", NULL, "1.000" },
		{ "p50_ns", NULL, "3.000" },
		{ "p99_ns", NULL, "4.000" },
		{ "cv_percent", "33.33", "33.33" },
		{ "mb_per_s", "1234567890.1", "1234567890.1" },
		{ "mb_per_s_max", NULL, "123456789012.3" },
	};

	fill("bandwidth op=ntwrite width=16 type=uc size=3M cpu=8,0-3 irq=off");
	show();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *table = cell(rows[i].name);
		const char *value = member(rows[i].name);

		if (!!table != !!rows[i].table || !!value != !!rows[i].json)
			fail_msg("%s: table %s, JSON %s", rows[i].name, table, value);
		if (table)
			assert_string_equal(table, rows[i].table);
		if (value)
			assert_string_equal(value, rows[i].json);
	}
}

/* A key that takes only some numbers still has numbers in JSON. */
static void words_that_are_numbers(void **state)
{
	static const char * const rows[][3] = {
		{ "tlb ways=4", "ways", "4" }, { "tlb ways=4k", "ways", "\"4k\"" },
		{ "tlb ways=all", "ways", "\"all\"" },
		{ "files pause=0.5", "pause_s", "0.5" }, { "files pause=1", "pause_s", "1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fill(rows[i][0]);
		show();
		assert_string_equal(member(rows[i][1]), rows[i][2]);
	}
}

/* A figure that was not measured is never a number. */
static void na_is_never_zero(void **state)
{
	static const char * const names[] = {
		"min_ns", "median_ns", "max_ns", "mean_ns", "sd_ns", "p50_ns",
		"p99_ns", "cv_percent", "attribute", "memory_node", "memory_zone",
		"window_max_ns", "left_out_why", "mb_per_s", "mb_per_s_max",
		"disturbed_interrupt", "disturbed_steal", "disturbed_preemption",
		"windows_left_out",
	};

	fill("bandwidth");
	memset((char *)&rec + sizeof(rec.point), 0, sizeof(rec) - sizeof(rec.point));
	rec.cpu = MC_CPU_ALL;
	rec.memory_node = MC_NODE_NA;
	show();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *table = cell(names[i]);

		assert_string_equal(member(names[i]), "null");
		assert_true(!table || !strcmp(table, "na"));
	}
	/* These are counts, for which 0 is a result. */
	assert_string_equal(member("samples"), "0");
	assert_string_equal(member("left_out"), "0");
	assert_string_equal(member("effective"), "\"unknown\"");
	assert_string_equal(member("verified"), "\"off\"");
}

/* The table shows these if there are some, JSON whenever the number is known. */
static void threads_far_from_their_memory(void **state)
{
	fill("bandwidth");
	rec.remote_threads = 0;
	show();
	assert_null(cell("remote_threads"));
	assert_string_equal(member("remote_threads"), "0");
	rec.remote_threads = MC_NOT_KNOWN;
	show();
	assert_null(cell("remote_threads"));
	assert_string_equal(member("remote_threads"), "null");
	rec.remote_threads = 3;
	show();
	assert_string_equal(cell("remote_threads"), "3");
	assert_string_equal(member("remote_threads"), "3");
}

/* One sample has a time, but no spread. */
static void one_sample_has_no_spread(void **state)
{
	u64 v[] = { 5000 };

	fill("bandwidth repeat=1");
	mc_stats_of(&rec.stats, v, 1);
	show();
	assert_string_equal(member("mean_ns"), "5.000");
	assert_string_equal(member("p99_ns"), "5.000");
	assert_string_equal(member("sd_ns"), "null");
	assert_string_equal(member("cv_percent"), "null");
	assert_string_equal(cell("cv_percent"), "na");
}

static void two_samples_have_a_spread(void **state)
{
	u64 v[] = { 5000, 5000 };

	fill("bandwidth repeat=2");
	mc_stats_of(&rec.stats, v, 2);
	show();
	assert_string_equal(member("sd_ns"), "0.000");
	assert_string_equal(cell("cv_percent"), "0.00");
}

static void measured_zero_is_zero(void **state)
{
	fill("bandwidth");
	mc_record_set(&rec, 0, 0);
	rec.memory_node = 0;
	show();
	assert_string_equal(cell("mb_per_s"), "0.000");
	assert_string_equal(member("memory_node"), "0");
}

/* Three digits where the whole part has less, rounded and not cut: 27.78 MB/s. */
static void a_rate_has_three_digits(void **state)
{
	static const struct { u64 kb; const char *mb; } rows[] = {
		{ 0, "0.000" }, { 999, "0.999" }, { 1234, "1.23" }, { 9994, "9.99" },
		{ 9995, "10.0" }, { 27781, "27.8" }, { 123456749, "123456.7" },
		{ 123456751, "123456.8" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fill("bandwidth");
		mc_record_set(&rec, 0, rows[i].kb);
		show();
		assert_string_equal(cell("mb_per_s"), rows[i].mb);
	}
}

static void names_of_facts(void **state)
{
	static const char * const attributes[] = {
		[MC_ATTR_NA] = "na", [MC_ATTR_MIXED] = "mixed",
		[MC_ATTR_WB] = "wb", [MC_ATTR_WT] = "wt", [MC_ATTR_WP] = "wp",
		[MC_ATTR_WC] = "wc", [MC_ATTR_UC_MINUS] = "uc-",
		[MC_ATTR_UC] = "uc", [MC_ATTR_NC] = "nc", [MC_ATTR_NGNRE] = "nGnRE",
		[MC_ATTR_NGNRNE] = "nGnRnE", [MC_NATTRS] = "na", [255] = "na",
	};
	static const char * const effects[] = {
		[MC_EFFECT_UNKNOWN] = "unknown", [MC_EFFECT_YES] = "yes",
		[MC_EFFECT_PARTLY] = "partly", [MC_EFFECT_NO] = "no", [MC_NEFFECTS] = "unknown",
		[255] = "unknown",
	};
	static const char * const zones[] = {
		"DMA", "DMA32", "Normal", "HighMem", "Movable", "Device",
	};

	fill("bandwidth");
	for (unsigned int i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (!attributes[i])
			continue;
		assert_string_equal(mc_attr_name(i), attributes[i]);
		rec.attribute = i;
		show();
		assert_string_equal(cell("attribute"), attributes[i]);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(effects); i++) {
		if (!effects[i])
			continue;
		assert_string_equal(mc_effect_name(i), effects[i]);
		rec.effective = i;
		show();
		assert_string_equal(cell("effective"), effects[i]);
	}
	rec.verified = MC_VERIFIED_FAILED;
	rec.memory_node = MC_NODE_MIXED;
	show();
	assert_string_equal(cell("verified"), "failed");
	assert_string_equal(member("memory_node"), "\"mixed\"");
	rec.memory_node = MC_NODE_LOCAL;
	req.nodes[0] = 0x107;
	show();
	assert_string_equal(cell("memory_node"), "0-2,8");
	assert_string_equal(member("memory_node"), "\"0-2,8\"");
	for (unsigned int i = MC_ZONE_DMA; i < MC_NZONES; i++) {
		char quoted[20];

		rec.memory_zone = i;
		show();
		snprintf(quoted, sizeof(quoted), "\"%s\"", zones[i - MC_ZONE_DMA]);
		assert_string_equal(member("memory_zone"), quoted);
		assert_int_equal(mc_zone_named(zones[i - MC_ZONE_DMA]), i);
	}
	rec.memory_zone = MC_ZONE_MIXED;
	show();
	assert_string_equal(member("memory_zone"), "\"mixed\"");
	assert_int_equal(mc_zone_named("mixed"), MC_ZONE_NA);
	assert_int_equal(mc_zone_named(""), MC_ZONE_NA);
	rec.verified = 255;
	show();
	assert_string_equal(cell("verified"), "na");
}

/* The list may be cut anywhere: each of the first CPUs shifts it by a character. */
static void a_long_cpu_list_is_cut(void **state)
{
	static const char * const first[] = { "0", "10", "100", "1000", "0,10" };
	static char line[4096], cpus[2048];
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		struct mc_text t = MC_TEXT(cpus);

		mc_textf(&t, "%s", first[i]);
		for (int cpu = 2002; cpu < 2800; cpu += 2)
			mc_textf(&t, ",%d", cpu);
		snprintf(line, sizeof(line), "bandwidth cpu=%s", cpus);
		fill(line);
		show();
		assert_aligned();
		assert_true(json_line(json));
		len = strlen(cell("cpu"));
		assert_in_range(len, 150, 159);
		assert_memory_equal(cell("cpu"), cpus, len - 3);
		assert_string_equal(cell("cpu") + len - 4, ",...");
		assert_memory_equal(member("cpu") + 1, cell("cpu"), len);
	}
}

/* Nothing is written behind a small buffer, and no name is in a record twice. */
static void json_keys_and_ends(void **state)
{
	const char *s = json, *again;
	char name[80];
	size_t size, len;

	fill("bandwidth");
	show();
	len = strlen(json);
	while ((s = strstr(s, ",\""))) {
		snprintf(name, sizeof(name), "%.*s:", (int)strcspn(s, ":"), s);
		again = strstr(++s, name);
		if (again)
			fail_msg("%s twice", name);
	}
	for (size = 1; size <= len; size++) {
		memset(json, 'x', sizeof(json));
		assert_int_equal(show_json(size), size - 1);
		assert_int_equal(json[size - 1], 0);
		assert_int_equal(json[size], 'x');
	}
}
