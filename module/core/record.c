// SPDX-License-Identifier: GPL-2.0-only
/*
 * A result is a row of cells: first the request's values (the test's own keys, then the
 * common ones), then facts and statistics, then the test's own figures. The table and
 * JSON show the same cells.
 */
#include "core/math.h"
#include "core/record.h"

static const char * const attr_names[MC_NATTRS] = {
	[MC_ATTR_NA] = NULL, [MC_ATTR_MIXED] = "mixed",
	[MC_ATTR_WB] = "wb", [MC_ATTR_WT] = "wt", [MC_ATTR_WP] = "wp",
	[MC_ATTR_WC] = "wc", [MC_ATTR_UC_MINUS] = "uc-", [MC_ATTR_UC] = "uc",
	[MC_ATTR_NC] = "nc", [MC_ATTR_NGNRE] = "nGnRE", [MC_ATTR_NGNRNE] = "nGnRnE",
};

/* As /proc/zoneinfo has them. */
static const char * const zone_names[MC_NZONES] = {
	[MC_ZONE_NA] = NULL, [MC_ZONE_MIXED] = "mixed",
	[MC_ZONE_DMA] = "DMA", [MC_ZONE_DMA32] = "DMA32", [MC_ZONE_NORMAL] = "Normal",
	[MC_ZONE_HIGHMEM] = "HighMem", [MC_ZONE_MOVABLE] = "Movable",
	[MC_ZONE_DEVICE] = "Device",
};

static const char * const effect_names[MC_NEFFECTS] = {
	[MC_EFFECT_UNKNOWN] = "unknown",
	[MC_EFFECT_YES] = "yes",
	[MC_EFFECT_NO] = "no",
};

static const char * const verified_names[] = {
	[MC_VERIFIED_OFF] = "off",
	[MC_VERIFIED_OK] = "ok",
	[MC_VERIFIED_FAILED] = "failed",
};

static const char * const steady_names[] = {
	[MC_STEADY_NOT_KNOWN] = NULL, [MC_STEADY_YES] = "yes", [MC_STEADY_NO] = "no",
};

/* The names of the bits of enum mc_left_out. */
static const char * const left_out_whys[] = { "clock", "one_cpu", "disturbed", "no_overlap" };

static const char * const dram_whys[MC_NDRAM_WHYS] = {
	[MC_DRAM_NO_COUNTERS] = "no_counters",
	[MC_DRAM_COUNTED] = NULL,
	[MC_DRAM_NOT_OPENED] = "not_opened",
	[MC_DRAM_DID_NOT_RUN] = "did_not_run",
};

static const char * const events_whys[MC_NEVENTS_WHYS] = {
	[MC_EVENTS_NO_COUNTERS] = "no_counters",
	[MC_EVENTS_COUNTED] = NULL,
	[MC_EVENTS_NO_PMU] = "no_pmu",
	[MC_EVENTS_NOT_OPENED] = "not_opened",
	[MC_EVENTS_DID_NOT_RUN] = "did_not_run",
};

/* Return: the name, or NULL if @i has none. */
static const char *name_of(const char * const *names, size_t n, size_t i)
{
	return i < n ? names[i] : NULL;
}

/**
 * mc_attr_name() - the name of an attribute
 * @attr: the attribute
 *
 * Return: the PAT's name for it, "mixed", or "na".
 */
const char *mc_attr_name(enum mc_attr attr)
{
	const char *name = name_of(attr_names, MC_NATTRS, attr);

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
	enum mc_zone zone;

	for (zone = MC_ZONE_DMA; zone < MC_NZONES; zone++) {
		if (!strcmp(zone_names[zone], name))
			return zone;
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
	const char *name = name_of(effect_names, MC_NEFFECTS, effect);

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

/* A cell as text, before it is padded or quoted. */
struct cell {
	const char *name;
	bool wide;	/* not in the table */
	bool shy;	/* in the table only if a record has a value */
	bool word;	/* a string in JSON */
	bool na;
	char buf[MC_GROUPS_MAX + 1];
};

/* Facts and statistics: where a record has them, and how they are shown. */
enum fact_kind { FACT_ZONE, FACT_ATTR, FACT_EFFECT, FACT_VERIFIED, FACT_LEFT_OUT, FACT_NODE,
		 FACT_U32, FACT_U64, FACT_NS, FACT_STAT_NS, FACT_SPREAD_NS,
		 FACT_PERCENT, FACT_DRAM_WHY, FACT_SOME, FACT_TRAFFIC,
		 FACT_AMPLIFICATION, FACT_IDLE, FACT_DISTURBED, FACT_WINDOWS, FACT_REMOTE,
		 FACT_EVENT, FACT_RAN, FACT_EVENTS_WHY, FACT_RANGE, FACT_STEADY, FACT_WORD };

static const struct fact {
	const char *name;
	enum fact_kind kind;
	size_t offset;
	bool wide;
	bool shy;	/* in the table only if a record has a value; remote_threads: not 0 */
	bool memory;	/* about memory: not in the table of a test that measures none */
	u8 which;	/* traffic, disturbance or event */
} facts[] = {
#define F(field)	offsetof(struct mc_record, field)
	{ "attribute", FACT_ATTR, F(attribute), .memory = true },
	{ "effective", FACT_EFFECT, F(effective), .memory = true },
	{ "memory_node", FACT_NODE, F(memory_node), .memory = true },
	{ "memory_zone", FACT_ZONE, F(memory_zone), .wide = true, .memory = true },
	{ "memory_object", FACT_WORD, F(object), .shy = true, .memory = true },
	{ "physical_range", FACT_RANGE, F(range), .shy = true, .memory = true },
	{ "threads", FACT_U32, F(threads), .wide = true },
	{ "remote_threads", FACT_REMOTE, .shy = true },
	{ "started_unix_ns", FACT_U64, F(started_unix_ns), .wide = true },
	{ "window_max_ns", FACT_NS, F(window_max_ps), .wide = true },
	{ "verified", FACT_VERIFIED, F(verified), .memory = true },
	{ "warmup_ns", FACT_NS, F(warmup_ps), .wide = true },
	{ "steady", FACT_STEADY, F(steady), .shy = true },
	{ "placements", FACT_SOME, F(places), .wide = true },
	{ "samples", FACT_U32, F(stats.samples) },
	{ "left_out", FACT_U32, F(stats.left_out), .wide = true },
	{ "left_out_why", FACT_LEFT_OUT, F(left_out), .wide = true },
	{ "disturbed_interrupt", FACT_DISTURBED, .wide = true, .which = 0 },
	{ "disturbed_migration", FACT_DISTURBED, .wide = true, .which = 1 },
	{ "disturbed_steal", FACT_DISTURBED, .wide = true, .which = 2 },
	{ "disturbed_preemption", FACT_DISTURBED, .wide = true, .which = 3 },
	{ "windows_left_out", FACT_WINDOWS, F(windows_left_out), .wide = true },
	{ "min_ns", FACT_STAT_NS, F(stats.min_ps) },
	{ "median_ns", FACT_STAT_NS, F(stats.median_ps) },
	{ "max_ns", FACT_STAT_NS, F(stats.max_ps) },
	{ "mean_ns", FACT_STAT_NS, F(stats.mean_ps), .wide = true },
	{ "sd_ns", FACT_SPREAD_NS, F(stats.sd_ps), .wide = true },
	{ "p50_ns", FACT_STAT_NS, F(stats.p50_ps), .wide = true },
	{ "p99_ns", FACT_STAT_NS, F(stats.p99_ps), .wide = true },
	{ "cv_percent", FACT_PERCENT, F(stats.cv_ppm) },
	{ "payload_bytes", FACT_SOME, F(payload_bytes), .wide = true },
	{ "dram_read_bytes", FACT_TRAFFIC, .shy = true, .which = MC_DRAM_READ },
	{ "dram_write_bytes", FACT_TRAFFIC, .shy = true, .which = MC_DRAM_WRITE },
	{ "amplification_read", FACT_AMPLIFICATION, .shy = true,
	  .which = MC_DRAM_READ },
	{ "amplification_write", FACT_AMPLIFICATION, .shy = true,
	  .which = MC_DRAM_WRITE },
	{ "dram_counted_ns", FACT_NS, F(dram.counted_ps), .wide = true },
	{ "dram_idle_read_mb_per_s", FACT_IDLE, .wide = true,
	  .which = MC_DRAM_READ },
	{ "dram_idle_write_mb_per_s", FACT_IDLE, .wide = true,
	  .which = MC_DRAM_WRITE },
	{ "dram_why", FACT_DRAM_WHY, F(dram.why), .wide = true },
	/* mc_event_name() has their names. */
	{ NULL, FACT_EVENT, .shy = true, .which = 0 },
	{ NULL, FACT_EVENT, .shy = true, .which = 1 },
	{ NULL, FACT_EVENT, .shy = true, .which = 2 },
	{ NULL, FACT_EVENT, .shy = true, .which = 3 },
	{ NULL, FACT_EVENT, .shy = true, .which = 4 },
	{ NULL, FACT_EVENT, .shy = true, .which = 5 },
	{ "cycles_ran_percent", FACT_RAN, .wide = true, .which = 0 },
	{ "instructions_ran_percent", FACT_RAN, .wide = true, .which = 1 },
	{ "L1-dcache-load-misses_ran_percent", FACT_RAN, .wide = true, .which = 2 },
	{ "cache-misses_ran_percent", FACT_RAN, .wide = true, .which = 3 },
	{ "dTLB-load-misses_ran_percent", FACT_RAN, .wide = true, .which = 4 },
	{ "dTLB-store-misses_ran_percent", FACT_RAN, .wide = true, .which = 5 },
	{ "events_why", FACT_EVENTS_WHY, F(events.why), .wide = true },
#undef F
};

static const char *fact_name(const struct fact *f)
{
	return f->kind == FACT_EVENT ? mc_event_name(f->which) : f->name;
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

static void word_cell(struct cell *c, struct mc_text *t, const char *word)
{
	c->word = true;
	c->na = !word;
	if (word)
		mc_textf(t, "%s", word);
}

/* All reasons, separated by commas. */
static void left_out_cell(struct cell *c, struct mc_text *t, u8 why)
{
	const char *comma = "";
	size_t i;

	c->word = true;
	c->na = !why;
	for (i = 0; i < ARRAY_SIZE(left_out_whys); i++) {
		if (!(why >> i & 1))
			continue;
		mc_textf(t, "%s%s", comma, left_out_whys[i]);
		comma = ",";
	}
}

static void node_cell(struct cell *c, struct mc_text *t, int node,
		      const struct mc_request *req)
{
	c->word = node == MC_NODE_LOCAL;
	if (c->word)
		mc_text_list(t, req->nodes, MC_MAX_NODES);
	else if (node == MC_NODE_MIXED)
		word_cell(c, t, "mixed");
	else if (node >= 0)
		mc_textf(t, "%d", node);
	c->na = !t->len;
}

static void dram_cell(struct cell *c, struct mc_text *t, const struct fact *f,
		      const struct mc_record *rec)
{
	const struct mc_dram *d = &rec->dram;

	c->na = !(d->counted & 1U << f->which);
	if (f->kind == FACT_TRAFFIC) {
		mc_textf(t, "%llu", d->bytes[f->which]);
	} else if (f->kind == FACT_IDLE) {
		mc_text_fixed(t, d->idle_kb_per_s[f->which], 3);
	} else {
		c->na |= !rec->payload_bytes;
		mc_text_fixed(t, mc_muldiv(d->bytes[f->which], 1000,
					   rec->payload_bytes), 3);
	}
}

static void fact_cell(struct cell *c, struct mc_text *t, const struct fact *f,
		      const struct mc_request *req, const struct mc_record *rec)
{
	const void *at = (const char *)rec + f->offset;

	c->name = fact_name(f);
	c->wide = f->wide || (f->memory && req->spec->memoryless);
	c->shy = f->shy;
	switch (f->kind) {
	case FACT_ZONE:
		word_cell(c, t, name_of(zone_names, MC_NZONES, *(const u8 *)at));
		break;
	case FACT_ATTR:
		word_cell(c, t, name_of(attr_names, MC_NATTRS, *(const u8 *)at));
		break;
	case FACT_EFFECT:
		word_cell(c, t, mc_effect_name(*(const u8 *)at));
		break;
	case FACT_VERIFIED:
		word_cell(c, t, name_of(verified_names, ARRAY_SIZE(verified_names),
					*(const u8 *)at));
		break;
	case FACT_STEADY:
		word_cell(c, t, name_of(steady_names, ARRAY_SIZE(steady_names),
					*(const u8 *)at));
		c->wide = *(const u8 *)at != MC_STEADY_NO;
		break;
	case FACT_WORD:
		word_cell(c, t, *(const char * const *)at);
		break;
	case FACT_LEFT_OUT:
		left_out_cell(c, t, *(const u8 *)at);
		break;
	case FACT_NODE:
		node_cell(c, t, *(const int *)at, req);
		break;
	case FACT_RANGE:
		c->word = true;
		c->na = !rec->range.bytes;
		if (!c->na)
			mc_range_show(t, &rec->range);
		break;
	case FACT_REMOTE:
		c->na = rec->remote_threads == MC_NOT_KNOWN;
		c->wide = !rec->remote_threads;
		mc_textf(t, "%u", rec->remote_threads);
		break;
	case FACT_U32:
		mc_textf(t, "%u", *(const u32 *)at);
		break;
	case FACT_U64:
		mc_textf(t, "%llu", *(const u64 *)at);
		break;
	case FACT_STAT_NS:
		c->na = !rec->stats.samples;
		mc_text_fixed(t, *(const u64 *)at, 3);
		break;
	case FACT_SPREAD_NS:
		c->na = rec->stats.samples < 2;
		mc_text_fixed(t, *(const u64 *)at, 3);
		break;
	case FACT_NS:
		c->na = !*(const u64 *)at;
		mc_text_fixed(t, *(const u64 *)at, 3);
		break;
	case FACT_SOME:
		c->na = !*(const u64 *)at;
		mc_textf(t, "%llu", *(const u64 *)at);
		break;
	case FACT_DRAM_WHY:
		word_cell(c, t, name_of(dram_whys, MC_NDRAM_WHYS, *(const u8 *)at));
		break;
	case FACT_EVENTS_WHY:
		word_cell(c, t, name_of(events_whys, MC_NEVENTS_WHYS, *(const u8 *)at));
		break;
	case FACT_EVENT:
		c->na = !(rec->events.counted >> f->which & 1);
		mc_text_fixed(t, rec->events.milli[f->which], 3);
		break;
	case FACT_RAN:
		c->na = !(rec->events.timed >> f->which & 1);
		mc_text_fixed(t, rec->events.ran_ppm[f->which] / 1000, 1);
		break;
	case FACT_TRAFFIC:
	case FACT_AMPLIFICATION:
	case FACT_IDLE:
		dram_cell(c, t, f, rec);
		break;
	case FACT_DISTURBED:
		c->na = !(rec->watched >> f->which & 1);
		mc_textf(t, "%u", rec->disturbed[f->which]);
		break;
	case FACT_WINDOWS:
		c->na = !rec->watched;
		mc_textf(t, "%u", *(const u32 *)at);
		break;
	case FACT_PERCENT:
		c->na = rec->stats.samples < 2;
		mc_text_fixed(t, *(const u64 *)at / 100, 2);
		break;
	}
}

/* If a key allows only certain numbers, these are words to the parser. */
static bool is_number(const char *word)
{
	return !word[strspn(word, "0123456789")];
}

/* Common keys that are not in the table of a test that measures no memory. */
static const bool about_memory[MC_KEY_OWN] = {
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
	c->wide = key->wide ||
		  (req->spec->memoryless && id < MC_KEY_OWN && about_memory[id]);
	/* The table shows a target unless it is RAM. */
	if (key->kind == MC_TARGET) {
		c->shy = true;
		c->wide = value == MC_TARGET_RAM;
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

static void own_cell(struct cell *c, struct mc_text *t, unsigned int i,
		     const struct mc_request *req, const struct mc_record *rec)
{
	const struct mc_column *col = &req->spec->columns[i];

	c->name = col->name;
	c->wide = col->wide;
	c->na = !(rec->has & 1U << i);
	c->shy = col->text;
	if (col->text) {
		word_cell(c, t, c->na ? NULL : rec->text);
		return;
	}
	if (col->names) {
		word_cell(c, t, c->na ? NULL : mc_name_of(col->names, rec->value[i]));
		return;
	}
	mc_text_fixed(t, rec->value[i], col->decimals);
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
	if (i < req->nkeys) {
		/* The test's own keys come first, as the most important ones. */
		key_cell(c, &t, (i + MC_KEY_OWN) % req->nkeys, req, rec);
	} else if (i < req->nkeys + ARRAY_SIZE(facts)) {
		fact_cell(c, &t, &facts[i - req->nkeys], req, rec);
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
		l->shy[i] = c.shy;
		if (c.name && !c.wide && !c.shy)
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
bool mc_layout_fit(struct mc_layout *l, const struct mc_request *req,
		   const struct mc_record *rec)
{
	bool appeared = false;
	struct cell c;
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		if (!l->width[i] && !l->shy[i])
			continue;
		get_cell(&c, i, req, rec);
		if (c.shy && !c.na && !c.wide) {
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
		l->shy[i] = false;
	}
}

/**
 * mc_header_show() - append the line of column names
 * @t: the text
 * @l: the layout
 * @req: the request
 */
void mc_header_show(struct mc_text *t, const struct mc_layout *l,
		    const struct mc_request *req)
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
		mc_textf(t, ",\"%s\":%s", c.name,
			 c.na ? "null" : c.word ? "" : c.buf);
		if (c.word && !c.na)
			mc_text_json(t, c.buf);
	}
	if (rec->histogram) {
		mc_textf(t, ",\"histogram_ns_count\":");
		mc_histogram_json(t, rec->histogram);
	}
	mc_textf(t, "}\n");
}
