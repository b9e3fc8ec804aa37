// SPDX-License-Identifier: GPL-2.0-only
/*
 * A result is a row of cells: first the request's values (the test's own keys, then the
 * common ones), then facts and statistics, then the test's own figures. The table and
 * JSON show the same cells.
 */
#include "core/math.h"
#include "core/record.h"

static const struct mc_name attr_names[] = {
	{ "mixed", MC_ATTR_MIXED },
	{ "wb", MC_ATTR_WB }, { "wt", MC_ATTR_WT }, { "wp", MC_ATTR_WP },
	{ "wc", MC_ATTR_WC }, { "uc-", MC_ATTR_UC_MINUS }, { "uc", MC_ATTR_UC },
	{ "nc", MC_ATTR_NC }, { "nGnRE", MC_ATTR_NGNRE }, { "nGnRnE", MC_ATTR_NGNRNE }, { }
};

/* As /proc/zoneinfo has them. */
static const struct mc_name zone_names[] = {
	{ "mixed", MC_ZONE_MIXED },
	{ "DMA", MC_ZONE_DMA }, { "DMA32", MC_ZONE_DMA32 }, { "Normal", MC_ZONE_NORMAL },
	{ "HighMem", MC_ZONE_HIGHMEM }, { "Movable", MC_ZONE_MOVABLE },
	{ "Device", MC_ZONE_DEVICE }, { }
};

static const struct mc_name effect_names[] = {
	{ "unknown", MC_EFFECT_UNKNOWN }, { "yes", MC_EFFECT_YES },
	{ "partly", MC_EFFECT_PARTLY }, { "no", MC_EFFECT_NO }, { }
};

static const struct mc_name verified_names[] = {
	{ "off", MC_VERIFIED_OFF }, { "ok", MC_VERIFIED_OK }, { "failed", MC_VERIFIED_FAILED }, { }
};

static const struct mc_name steady_names[] = {
	{ "yes", MC_STEADY_YES }, { "no", MC_STEADY_NO }, { }
};

/* Bits. */
static const struct mc_name left_out_whys[] = {
	{ "clock", MC_LEFT_CLOCK }, { "one_cpu", MC_LEFT_ALONE },
	{ "disturbed", MC_LEFT_DISTURBED }, { "no_overlap", MC_LEFT_NO_OVERLAP }, { }
};

static const struct mc_name dram_whys[] = {
	{ "no_counters", MC_DRAM_NO_COUNTERS }, { "not_opened", MC_DRAM_NOT_OPENED },
	{ "did_not_run", MC_DRAM_DID_NOT_RUN }, { }
};

static const struct mc_name events_whys[] = {
	{ "no_counters", MC_EVENTS_NO_COUNTERS }, { "no_pmu", MC_EVENTS_NO_PMU },
	{ "not_opened", MC_EVENTS_NOT_OPENED }, { "did_not_run", MC_EVENTS_DID_NOT_RUN }, { }
};

/**
 * mc_attr_name() - the name of an attribute
 * @attr: the attribute
 *
 * Return: the PAT's name for it, "mixed", or "na".
 */
const char *mc_attr_name(enum mc_attr attr)
{
	const char *name = mc_name_of(attr_names, attr);

	return name ? name : "na";
}

/**
 * mc_zone_named() - find a zone by the kernel's name for it
 * @name: the name
 *
 * Return: the zone, MC_ZONE_NA if there is none of that name.
 */
enum mc_zone mc_zone_named(const char *name)
{
	const struct mc_name *zone;

	for (zone = zone_names; zone->name; zone++) {
		if (zone->value != MC_ZONE_MIXED && !strcmp(zone->name, name))
			return zone->value;
	}
	return MC_ZONE_NA;
}

/**
 * mc_effect_name() - the name of a verdict
 * @effect: the verdict
 *
 * Return: yes, no or unknown.
 */
const char *mc_effect_name(enum mc_effect effect)
{
	const char *name = mc_name_of(effect_names, effect);

	return name ? name : "unknown";
}

/**
 * mc_record_set() - set one of the test's own figures in a record
 * @rec: the record
 * @column: index of the figure in the test's columns
 * @value: fixed-point, with the decimals of the column
 */
void mc_record_set(struct mc_record *rec, unsigned int column, u64 value)
{
	rec->value[column] = value;
	rec->has |= 1U << column;
}

/**
 * mc_record_set_text() - set the text of a record
 * @rec: the record
 * @column: index of the column that is a text
 * @text: the text, shorter than MC_RECORD_TEXT_MAX
 */
void mc_record_set_text(struct mc_record *rec, unsigned int column, const char *text)
{
	struct mc_text t = MC_TEXT(rec->text);

	mc_textf(&t, "%s", text);
	rec->has |= 1U << column;
}

#define CELL_MAX	160	/* bytes of any cell but a path and groups */

/* A cell of a result of @req as text, before it is padded or quoted. */
struct cell {
	const char *name;
	const struct mc_request *req;
	const struct mc_record *rec;
	bool json_only;	/* not in the table */
	bool if_any;	/* in the table only if a record has a value */
	bool word;	/* a string in JSON */
	bool na;
	char buf[MC_GROUPS_MAX + 1];
};

/**
 * struct record_fact - a fact or statistic that records of all tests have
 * @name: its name, with the unit; NULL: that of an event, mc_event_name()
 * @show: make it a cell, whose text is still empty
 * @offset: where a record has it
 * @names: words for its values, terminated by an empty entry
 * @which: traffic, disturbance or event; of statistics, one less than the samples that it takes
 * @json_only: not in the table
 * @if_any: in the table only if a record has a value; remote_threads: not 0
 * @memory: about memory: not in the table of a test that measures none
 */
struct record_fact {
	const char *name;
	void (*show)(struct cell *c, struct mc_text *t, const struct record_fact *f);
	size_t offset;
	const struct mc_name *names;
	u8 which;
	bool json_only;
	bool if_any;
	bool memory;
};

static const void *field_of(const struct cell *c, const struct record_fact *f)
{
	return (const char *)c->rec + f->offset;
}

static u64 u64_of(const struct cell *c, const struct record_fact *f)
{
	return *(const u64 *)field_of(c, f);
}

static void word_cell(struct cell *c, struct mc_text *t, const char *word)
{
	c->word = true;
	c->na = !word;
	if (word)
		mc_textf(t, "%s", word);
}

static void show_name(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	word_cell(c, t, mc_name_of(f->names, *(const u8 *)field_of(c, f)));
}

static void show_effect(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	word_cell(c, t, mc_effect_name(c->rec->effective));
}

static void show_steady(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	show_name(c, t, f);
	c->json_only = c->rec->steady != MC_STEADY_NO;
}

static void show_object(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	word_cell(c, t, c->rec->object);
}

/* All reasons, separated by commas. */
static void show_left_out(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	const struct mc_name *why;
	const char *comma = "";

	c->word = true;
	c->na = !c->rec->left_out;
	for (why = left_out_whys; why->name; why++) {
		if (!(c->rec->left_out & why->value))
			continue;
		mc_textf(t, "%s%s", comma, why->name);
		comma = ",";
	}
}

static void show_node(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	int node = c->rec->memory_node;

	c->word = node == MC_NODE_LOCAL;
	if (c->word)
		mc_text_list(t, c->req->nodes, MC_MAX_NODES);
	else if (node == MC_NODE_MIXED)
		word_cell(c, t, "mixed");
	else if (node >= 0)
		mc_textf(t, "%d", node);
	c->na = !t->len;
}

static void show_range(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->word = true;
	c->na = !c->rec->range.bytes;
	if (!c->na)
		mc_range_show(t, &c->rec->range);
}

static void show_remote(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = c->rec->remote_threads == MC_NOT_KNOWN;
	c->json_only = !c->rec->remote_threads;
	mc_textf(t, "%u", c->rec->remote_threads);
}

static void show_u32(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	mc_textf(t, "%u", *(const u32 *)field_of(c, f));
}

static void show_u64(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	mc_textf(t, "%llu", u64_of(c, f));
}

/* A number that is known if it is not 0. */
static void show_some(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !u64_of(c, f);
	show_u64(c, t, f);
}

/* A time that is known if it is not 0. */
static void show_some_ns(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !u64_of(c, f);
	mc_text_fixed(t, u64_of(c, f), 3);
}

static void show_stat_ns(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = c->rec->stats.samples <= f->which;
	mc_text_fixed(t, u64_of(c, f), 3);
}

/* From millionths. */
static void show_spread_percent(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = c->rec->stats.samples < 2;
	mc_text_fixed(t, mc_rounded(u64_of(c, f), 1, 100), 2);
}

static void show_event(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !(c->rec->events.counted >> f->which & 1);
	mc_text_fixed(t, c->rec->events.milli[f->which], 3);
}

static void show_ran_percent(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !(c->rec->events.timed >> f->which & 1);
	mc_text_fixed(t, mc_rounded(c->rec->events.ran_ppm[f->which], 1, 1000), 1);
}

static void show_traffic(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !(c->rec->dram.counted & 1U << f->which);
	mc_textf(t, "%llu", c->rec->dram.bytes[f->which]);
}

static void show_amplification(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !(c->rec->dram.counted & 1U << f->which) || !c->rec->payload_bytes;
	mc_text_fixed(t, mc_rounded(c->rec->dram.bytes[f->which], 1000, c->rec->payload_bytes), 3);
}

static void show_idle(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !(c->rec->dram.counted & 1U << f->which);
	mc_text_fixed(t, c->rec->dram.idle_kb_per_s[f->which], 3);
}

static void show_disturbed(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !(c->rec->watched >> f->which & 1);
	mc_textf(t, "%u", c->rec->disturbed[f->which]);
}

static void show_windows_left_out(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->na = !c->rec->watched;
	mc_textf(t, "%u", c->rec->windows_left_out);
}

#define F(field)	offsetof(struct mc_record, field)
static const struct record_fact facts[] = {
	{ "attribute", show_name, F(attribute), attr_names, .memory = true },
	{ "effective", show_effect, .memory = true },
	{ "memory_node", show_node, .memory = true },
	{ "memory_zone", show_name, F(memory_zone), zone_names, .json_only = true, .memory = true },
	{ "memory_object", show_object, .if_any = true, .memory = true },
	{ "physical_range", show_range, .if_any = true, .memory = true },
	{ "threads", show_u32, F(threads), .json_only = true },
	{ "remote_threads", show_remote, .if_any = true },
	{ "started_unix_ns", show_u64, F(started_unix_ns), .json_only = true },
	{ "window_max_ns", show_some_ns, F(window_max_ps), .json_only = true },
	{ "verified", show_name, F(verified), verified_names, .memory = true },
	{ "warmup_ns", show_some_ns, F(warmup_ps), .json_only = true },
	{ "steady", show_steady, F(steady), steady_names, .if_any = true },
	{ "placements", show_some, F(placements), .json_only = true },
	{ "samples", show_u32, F(stats.samples) },
	{ "left_out", show_u32, F(stats.left_out), .json_only = true },
	{ "left_out_why", show_left_out, .json_only = true },
	{ "disturbed_interrupt", show_disturbed, .json_only = true, .which = 0 },
	{ "disturbed_migration", show_disturbed, .json_only = true, .which = 1 },
	{ "disturbed_steal", show_disturbed, .json_only = true, .which = 2 },
	{ "disturbed_preemption", show_disturbed, .json_only = true, .which = 3 },
	{ "disturbed_neighbour", show_disturbed, .json_only = true, .which = 4 },
	{ "windows_left_out", show_windows_left_out, .json_only = true },
	{ "min_ns", show_stat_ns, F(stats.min_ps) },
	{ "median_ns", show_stat_ns, F(stats.median_ps) },
	{ "max_ns", show_stat_ns, F(stats.max_ps) },
	{ "mean_ns", show_stat_ns, F(stats.mean_ps), .json_only = true },
	{ "sd_ns", show_stat_ns, F(stats.sd_ps), .json_only = true, .which = 1 },
	{ "p50_ns", show_stat_ns, F(stats.p50_ps), .json_only = true },
	{ "p99_ns", show_stat_ns, F(stats.p99_ps), .json_only = true },
	{ "cv_percent", show_spread_percent, F(stats.cv_ppm) },
	{ "payload_bytes", show_some, F(payload_bytes), .json_only = true },
	{ "dram_read_bytes", show_traffic, .if_any = true, .which = MC_DRAM_READ },
	{ "dram_write_bytes", show_traffic, .if_any = true, .which = MC_DRAM_WRITE },
	{ "amplification_read", show_amplification, .if_any = true, .which = MC_DRAM_READ },
	{ "amplification_write", show_amplification, .if_any = true, .which = MC_DRAM_WRITE },
	{ "dram_counted_ns", show_some_ns, F(dram.counted_ps), .json_only = true },
	{ "dram_idle_read_mb_per_s", show_idle, .json_only = true, .which = MC_DRAM_READ },
	{ "dram_idle_write_mb_per_s", show_idle, .json_only = true, .which = MC_DRAM_WRITE },
	{ "dram_why", show_name, F(dram.why), dram_whys, .json_only = true },
	/* mc_event_name() has their names. */
	{ NULL, show_event, .if_any = true, .which = 0 },
	{ NULL, show_event, .if_any = true, .which = 1 },
	{ NULL, show_event, .if_any = true, .which = 2 },
	{ NULL, show_event, .if_any = true, .which = 3 },
	{ NULL, show_event, .if_any = true, .which = 4 },
	{ NULL, show_event, .if_any = true, .which = 5 },
	{ "cycles_ran_percent", show_ran_percent, .json_only = true, .which = 0 },
	{ "instructions_ran_percent", show_ran_percent, .json_only = true, .which = 1 },
	{ "L1-dcache-load-misses_ran_percent", show_ran_percent, .json_only = true, .which = 2 },
	{ "cache-misses_ran_percent", show_ran_percent, .json_only = true, .which = 3 },
	{ "dTLB-load-misses_ran_percent", show_ran_percent, .json_only = true, .which = 4 },
	{ "dTLB-store-misses_ran_percent", show_ran_percent, .json_only = true, .which = 5 },
	{ "events_why", show_name, F(events.why), events_whys, .json_only = true },
};

#undef F

static const char *fact_name(const struct record_fact *f)
{
	return f->name ? f->name : mc_event_name(f->which);
}

/**
 * mc_fact_name() - the name of a fact or statistic that records of all tests have
 * @index: its index
 *
 * Return: the name, or NULL if there are no more.
 */
const char *mc_fact_name(unsigned int index)
{
	return index < ARRAY_SIZE(facts) ? fact_name(&facts[index]) : NULL;
}

static void fact_cell(struct cell *c, struct mc_text *t, const struct record_fact *f)
{
	c->name = fact_name(f);
	c->json_only = f->json_only || (f->memory && c->req->spec->memoryless);
	c->if_any = f->if_any;
	f->show(c, t, f);
}

/* If a key allows only certain numbers, these are words to the parser. */
static bool is_number(const char *word)
{
	return !word[strspn(word, "0123456789")];
}

/* Common keys that are not in the table of a test that measures no memory. */
static const bool about_memory[MC_KEY_FIRST] = {
	[MC_KEY_TYPE] = true, [MC_KEY_SIZE] = true, [MC_KEY_NODE] = true,
	[MC_KEY_PAGE] = true,
};

/* As the request has them. */
static void group_cpus(struct mc_text *t, const struct mc_request *req,
		       const struct mc_group *group)
{
	mc_textf(t, "%.*s", group->cpus_len, req->groups + group->cpus_at);
}

static void key_cell(struct cell *c, struct mc_text *t, unsigned int id,
		     const struct mc_request *req, const struct mc_record *rec)
{
	const struct mc_key *key = mc_key_of(req->spec, id);
	u64 value = rec->point.v[id];
	const char *word = mc_key_word(key, value);

	c->name = key->column;
	c->json_only = key->json_only ||
		       (req->spec->memoryless && id < MC_KEY_FIRST && about_memory[id]);
	if (key->if_any) {
		c->if_any = true;
		c->json_only = value == key->names->value || !mc_request_given(req, id);
	}
	c->word = word ? !is_number(word) :
			 key->kind == MC_CPULIST || key->kind == MC_PATH ||
			 key->kind == MC_TARGET || key->kind == MC_GROUPS;
	if (key->kind == MC_PATH || key->kind == MC_GROUPS)
		t->size = sizeof(c->buf);
	if (word)
		mc_textf(t, "%s", word);
	else if (key->kind == MC_CPULIST && rec->cpu != MC_CPU_ALL)
		mc_textf(t, "%d", rec->cpu);
	else if (key->kind == MC_CPULIST && rec->group && rec->group <= req->ngroups)
		group_cpus(t, req, &req->group[rec->group - 1]);
	else if (c->word)
		mc_request_values(t, req, id);
	else
		mc_text_decimal(t, value, key->decimals);
}

static void show_figure(struct mc_text *t, const struct mc_column *col, u64 value)
{
	unsigned int decimals = col->rate ? 3 : col->decimals;
	u64 unit = 1;

	for (; col->rate && decimals > 1 && mc_rounded(value, 1, unit) >= 1000; decimals--)
		unit *= 10;
	mc_text_fixed(t, mc_rounded(value, 1, unit), decimals);
}

static void own_cell(struct cell *c, struct mc_text *t, unsigned int i,
		     const struct mc_request *req, const struct mc_record *rec)
{
	const struct mc_column *col = &req->spec->columns[i];

	c->name = col->name;
	c->json_only = col->json_only;
	c->na = !(rec->has & 1U << i);
	c->if_any = col->text;
	if (col->text) {
		word_cell(c, t, c->na ? NULL : rec->text);
		return;
	}
	if (col->names) {
		word_cell(c, t, c->na ? NULL : mc_name_of(col->names, rec->value[i]));
		return;
	}
	show_figure(t, col, rec->value[i]);
}

static unsigned int cells_of(const struct mc_request *req)
{
	return req->nkeys + ARRAY_SIZE(facts) + req->spec->ncolumns;
}

/* Cut behind a comma, since 120 cut to 12 would name another CPU. */
static void cut_list(char *list, size_t size)
{
	size_t end = size - 4;

	while (end && list[end - 1] != ',')
		end--;
	memcpy(list + end, "...", 4);
}

static void get_cell(struct cell *c, unsigned int i,
		     const struct mc_request *req, const struct mc_record *rec)
{
	struct mc_text t = { .buf = c->buf, .size = CELL_MAX };

	memset(c, 0, sizeof(*c));
	c->req = req;
	c->rec = rec;
	if (i < req->nkeys) {
		/* The test's own keys come first, as the most important ones. */
		key_cell(c, &t, (i + MC_KEY_FIRST) % req->nkeys, req, rec);
	} else if (i < req->nkeys + ARRAY_SIZE(facts)) {
		fact_cell(c, &t, &facts[i - req->nkeys]);
	} else {
		i -= req->nkeys + ARRAY_SIZE(facts);
		own_cell(c, &t, i, req, rec);
	}
	if (t.cut)	/* only a list of CPUs can be too long */
		cut_list(c->buf, t.size);
}

static const char *cell_text(const struct cell *c)
{
	return c->na ? "na" : c->buf;
}

static void widen(u8 *width, size_t len)
{
	if (*width < len)
		*width = len;
}

/**
 * mc_layout_init() - make each column as wide as its name
 * @l: result
 * @req: the request whose results are to be shown
 */
void mc_layout_init(struct mc_layout *l, const struct mc_request *req)
{
	static const struct mc_record none;
	struct cell c;
	unsigned int i;

	memset(l, 0, sizeof(*l));
	l->n = cells_of(req);
	for (i = 0; i < l->n; i++) {
		get_cell(&c, i, req, &none);
		l->if_any[i] = c.if_any;
		if (c.name && !c.json_only && !c.if_any)
			widen(&l->width[i], strlen(c.name));
	}
}

/**
 * mc_layout_fit() - widen the columns to fit a record
 * @l: the layout
 * @req: the request
 * @rec: one of its results
 *
 * Return: whether the table has a column now that it did not have before.
 */
bool mc_layout_fit(struct mc_layout *l, const struct mc_request *req, const struct mc_record *rec)
{
	bool appeared = false;
	struct cell c;
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		if (!l->width[i] && !l->if_any[i])
			continue;
		get_cell(&c, i, req, rec);
		if (c.if_any && !c.na && !c.json_only) {
			appeared |= !l->width[i];
			widen(&l->width[i], strlen(c.name));
		}
		if (l->width[i])
			widen(&l->width[i], strlen(cell_text(&c)));
	}
	return appeared;
}

/**
 * mc_layout_width() - the length of a row
 * @l: the layout
 * @req: the request
 *
 * Return: characters, without the end of the line.
 */
unsigned int mc_layout_width(const struct mc_layout *l, const struct mc_request *req)
{
	size_t name = strlen(req->spec->name), test = strlen("test");
	unsigned int i, width = 2 + (name > test ? name : test);

	for (i = 0; i < l->n; i++)
		width += l->width[i] ? 2 + l->width[i] : 0;
	return width;
}

/**
 * mc_layout_drop() - leave a column out of the table
 * @l: the layout
 * @req: the request
 * @name: the name of the column, which need not be in the table
 */
void mc_layout_drop(struct mc_layout *l, const struct mc_request *req, const char *name)
{
	static const struct mc_record none;
	struct cell c;
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		get_cell(&c, i, req, &none);
		if (!c.name || strcmp(c.name, name))
			continue;
		l->width[i] = 0;
		l->if_any[i] = false;
	}
}

/**
 * mc_header_show() - append the line of column names
 * @t: the text
 * @l: the layout
 * @req: the request
 */
void mc_header_show(struct mc_text *t, const struct mc_layout *l, const struct mc_request *req)
{
	static const struct mc_record none;
	struct cell c;
	unsigned int i;

	mc_textf(t, "# %-*s", (int)strlen(req->spec->name), "test");
	for (i = 0; i < l->n; i++) {
		if (!l->width[i])
			continue;
		get_cell(&c, i, req, &none);
		mc_textf(t, "  %*s", l->width[i], c.name);
	}
	mc_textf(t, "\n");
}

/**
 * mc_record_row() - append a result as a row of the table
 * @t: the text
 * @l: the layout
 * @req: the request
 * @rec: the result
 */
void mc_record_row(struct mc_text *t, const struct mc_layout *l,
		   const struct mc_request *req, const struct mc_record *rec)
{
	struct cell c;
	unsigned int i;

	mc_textf(t, "  %-4s", req->spec->name);
	for (i = 0; i < l->n; i++) {
		if (!l->width[i])
			continue;
		get_cell(&c, i, req, rec);
		mc_textf(t, "  %*s", l->width[i], cell_text(&c));
	}
	mc_textf(t, "\n");
}

/**
 * mc_record_json() - append a result as a line of JSON; what was not measured is null
 * @t: the text
 * @req: the request
 * @where: "kernel" or "user"
 * @rec: the result
 */
void mc_record_json(struct mc_text *t, const struct mc_request *req,
		    const char *where, const struct mc_record *rec)
{
	unsigned int i, n = cells_of(req);
	struct cell c;

	mc_textf(t, "{\"record\":\"result\",\"test\":\"%s\",\"where\":\"%s\"",
		 req->spec->name, where);
	for (i = 0; i < n; i++) {
		get_cell(&c, i, req, rec);
		if (!c.name)
			continue;
		mc_textf(t, ",\"%s\":%s", c.name, c.na ? "null" : c.word ? "" : c.buf);
		if (c.word && !c.na)
			mc_text_json(t, c.buf);
	}
	if (rec->histogram) {
		mc_textf(t, ",\"histogram_ns_count\":");
		mc_histogram_json(t, rec->histogram);
	}
	if (rec->tail)
		mc_tail_json(t, rec->tail);
	mc_textf(t, "}\n");
}
