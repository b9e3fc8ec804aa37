/* SPDX-License-Identifier: GPL-2.0-only */
/* A result, and how it looks as a row of the table and as a line of JSON. */
#ifndef MC_CORE_RECORD_H
#define MC_CORE_RECORD_H

#include "request.h"
#include "stats.h"

#define MC_MAX_COLUMNS	12	/* figures of its own that a test can have */
#define MC_MAX_CELLS	(MC_MAX_KEYS + MC_MAX_COLUMNS + 24)

/* Bytes that are enough, terminator included. */
#define MC_ROW_MAX	4096			/* a row, or a result's JSON line */
#define MC_REQUEST_JSON_MAX	(MC_SHOW_MAX + 1024)	/* the request's JSON line */

/* What the page tables say; PAT's own names. */
enum mc_attr {
	MC_ATTR_NA,	/* page tables can't be read here */
	MC_ATTR_MIXED,	/* not the same on every page */
	MC_ATTR_WB,
	MC_ATTR_WT,
	MC_ATTR_WP,
	MC_ATTR_WC,
	MC_ATTR_UC_MINUS,
	MC_ATTR_UC,
	MC_NATTRS,
};

/* What the hardware did. */
enum mc_effect { MC_EFFECT_UNKNOWN, MC_EFFECT_YES, MC_EFFECT_NO, MC_NEFFECTS };

enum mc_verified { MC_VERIFIED_OFF, MC_VERIFIED_OK, MC_VERIFIED_FAILED };

/* Why samples were left out; more than one reason sets more than one bit. */
enum mc_left_out {
	MC_LEFT_CLOCK = 1,	/* a window ended before it began */
	MC_LEFT_ALONE = 2,	/* it takes two CPUs, and there was one */
};

#define MC_NODE_NA	(-1)
#define MC_NODE_MIXED	(-2)

/**
 * struct mc_record - one result
 * @point: what was asked; `max` and `auto` are replaced by what they came to
 * @threads: threads that ran
 * @memory_node: NUMA node of the pages, MC_NODE_MIXED or MC_NODE_NA
 * @attribute: what the page tables say (enum mc_attr)
 * @effective: what the hardware did (enum mc_effect)
 * @verified: did the data hold (enum mc_verified)
 * @left_out: why samples are missing (enum mc_left_out)
 * @started_unix_ns: wall clock at the first warm-up
 * @window_max_ps: longest timed window
 * @stats: time of a pass over the working set
 * @has: bit i: @value[i] was measured
 * @value: the test's own figures, fixed-point as their columns say
 */
struct mc_record {
	struct mc_point point;
	u32 threads;
	int memory_node;
	u8 attribute;
	u8 effective;
	u8 verified;
	u8 left_out;
	u64 started_unix_ns;
	u64 window_max_ps;
	struct mc_stats stats;
	u32 has;
	u64 value[MC_MAX_COLUMNS];
};

/**
 * struct mc_layout - widths of a table's columns
 * @n: columns a record has, in the table or not
 * @width: characters; 0: not in the table
 */
struct mc_layout {
	unsigned int n;
	u8 width[MC_MAX_CELLS];
};

const char *mc_attr_name(enum mc_attr attr);
const char *mc_effect_name(enum mc_effect effect);
void mc_record_set(struct mc_record *rec, unsigned int column, u64 value);

void mc_layout_init(struct mc_layout *l, const struct mc_request *req);
void mc_layout_fit(struct mc_layout *l, const struct mc_request *req,
		   const struct mc_record *rec);
void mc_header_show(struct mc_text *t, const struct mc_layout *l,
		    const struct mc_request *req);
void mc_record_row(struct mc_text *t, const struct mc_layout *l,
		   const struct mc_request *req, const struct mc_record *rec);

void mc_record_json(struct mc_text *t, const struct mc_request *req,
		    const char *where, const struct mc_record *rec);
void mc_request_json(struct mc_text *t, const struct mc_request *req,
		     const char *where, const char *state,
		     const struct mc_error *e, u64 records);

#endif /* MC_CORE_RECORD_H */
