/* SPDX-License-Identifier: GPL-2.0-only */
/* A result, and its two forms: a row of the table and a line of JSON. */
#ifndef MC_CORE_RECORD_H
#define MC_CORE_RECORD_H

#include "core/counter.h"
#include "core/histogram.h"
#include "core/request.h"
#include "core/stats.h"
#include "core/steady.h"
#include "core/tail.h"

/* What programs rely on, as Documentation/stability.rst has it; in the record of the machine. */
#define MC_SCHEMA	1	/* raised when a key of a record changes its meaning */
#define MC_ABI		1	/* raised when anything else that is promised changes */

#define MC_MAX_COLUMNS	21	/* figures that a test can define */
#define MC_MAX_CELLS	(MC_MAX_KEYS + MC_MAX_COLUMNS + 61)

/* Sizes of buffers, terminator included. */
#define MC_ROW_MAX	8192			/* a row, or a result's JSON line */
#define MC_TAIL_ROW_MAX	(176 << 10)		/* the JSON line of one with a distribution */
#define MC_RECORD_TEXT_MAX	64
#define MC_REQUEST_JSON_MAX	(MC_SHOW_MAX + 1024)	/* the request's JSON line */

/* What the page tables say; the names are those of the PAT, or of arm64's manuals. */
enum mc_attr {
	MC_ATTR_NA,	/* page tables can't be read here */
	MC_ATTR_MIXED,	/* not the same on every page */
	MC_ATTR_WB,
	MC_ATTR_WT,
	MC_ATTR_WP,
	MC_ATTR_WC,
	MC_ATTR_UC_MINUS,
	MC_ATTR_UC,
	MC_ATTR_NC,
	MC_ATTR_NGNRE,
	MC_ATTR_NGNRNE,
	MC_NATTRS,
};

/*
 * Did the memory type have an effect on the hardware? Partly: write-combining memory, of which
 * too few bursts leave whole.
 */
enum mc_effect {
	MC_EFFECT_UNKNOWN, MC_EFFECT_YES, MC_EFFECT_PARTLY, MC_EFFECT_NO, MC_NEFFECTS,
};

/* The kernel's zone that pages are in. */
enum mc_zone {
	MC_ZONE_NA,
	MC_ZONE_MIXED,	/* not the same for all pages */
	MC_ZONE_DMA,
	MC_ZONE_DMA32,
	MC_ZONE_NORMAL,
	MC_ZONE_HIGHMEM,
	MC_ZONE_MOVABLE,
	MC_ZONE_DEVICE,
	MC_NZONES,
};

/* In this order: one that failed outweighs others that did not. */
enum mc_verified { MC_VERIFIED_OFF, MC_VERIFIED_OK, MC_VERIFIED_FAILED };

/* Why samples were left out: a bit for each reason. */
enum mc_left_out {
	MC_LEFT_CLOCK = 1,	/* a window ended before it began */
	MC_LEFT_ALONE = 2,	/* the test needs two CPUs, and there was one */
	MC_LEFT_DISTURBED = 4,	/* see enum mc_disturbance */
	MC_LEFT_NO_OVERLAP = 8,	/* the threads did not run at the same time for most of it */
};

/* What happened while the clock ran. */
enum mc_disturbance {
	MC_BY_INTERRUPT = 1,	/* or an exception */
	MC_BY_MIGRATION = 2,	/* the thread has changed its CPU since the last window */
	MC_BY_STEAL = 4,	/* a hypervisor took the CPU away */
	MC_BY_PREEMPTION = 8,	/* other threads have had the CPU since the last window */
	MC_BY_NEIGHBOUR = 16,	/* concluded: slower at the same clock */
	MC_BY_OTHERS = MC_BY_MIGRATION | MC_BY_STEAL | MC_BY_PREEMPTION,
};

#define MC_NDISTURBANCES	5

/* Why DRAM traffic is missing. */
enum mc_dram_why {
	MC_DRAM_NO_COUNTERS,	/* no counters are set, or the test does not read them */
	MC_DRAM_COUNTED,
	MC_DRAM_NOT_OPENED,	/* a counter can't be opened any more */
	MC_DRAM_DID_NOT_RUN,	/* a counter was never on its PMU during a sample */
};

/**
 * struct mc_dram - DRAM traffic of a result
 * @why: why some traffic was not counted (enum mc_dram_why)
 * @counted: a bit for each kind of traffic that was counted
 * @bytes: bytes of each kind in a pass, mean of the samples
 * @counted_ps: time between the counters' readings in a pass, mean of the samples
 * @idle_kb_per_s: traffic of each kind before the run, in 10^3 bytes/s
 */
struct mc_dram {
	u8 why;
	u8 counted;
	u64 bytes[MC_NTRAFFIC];
	u64 counted_ps;
	u64 idle_kb_per_s[MC_NTRAFFIC];
};

/* Why events of the cores are missing. */
enum mc_events_why {
	MC_EVENTS_NO_COUNTERS,	/* no events are set */
	MC_EVENTS_COUNTED,
	MC_EVENTS_NO_PMU,	/* no PMU of this machine counts an event */
	MC_EVENTS_NOT_OPENED,	/* the PMU, or the kernel, refuses an event */
	MC_EVENTS_DID_NOT_RUN,	/* an event was never on its PMU during the windows */
};

/**
 * struct mc_events_counted - events of the cores in the timed windows of a result
 * @why: why some event was not counted (enum mc_events_why)
 * @counted: a bit for each event that was counted
 * @timed: a bit for each event of which @ran_ppm is known
 * @milli: thousandths of each event in a pass, all threads, mean of the samples
 * @ran_ppm: share of the windows for which each event was on its PMU, on the thread on which
 *           it is least; if it is not the whole, @milli is extrapolated
 */
struct mc_events_counted {
	u8 why;
	u8 counted;
	u8 timed;
	u64 milli[MC_NEVENTS];
	u32 ran_ppm[MC_NEVENTS];
};

#define MC_CPU_ALL	(-1)
#define MC_NODE_NA	(-1)
#define MC_NODE_MIXED	(-2)
#define MC_NODE_LOCAL	(-3)	/* each thread's part is on its own node: the request's nodes */
#define MC_NOT_KNOWN	(~0U)	/* an unknown number of threads */

/**
 * struct mc_record - one result
 * @point: the point; `max` and `auto` are replaced by the actual values
 * @threads: number of threads that ran
 * @remote_threads: number of threads on another node than their memory, or
 *                  MC_NOT_KNOWN
 * @memory_node: NUMA node of the pages, or MC_NODE_LOCAL, _MIXED or _NA
 * @memory_zone: the kernel's zone of the pages (enum mc_zone)
 * @object: word for the memory of a shared object, which must outlive the record; NULL: none
 * @range: physical addresses of a target; of RAM, and of no memory, it has no bytes
 * @attribute: what the page tables say (enum mc_attr)
 * @effective: did the memory type have an effect (enum mc_effect)
 * @verified: is the data correct (enum mc_verified)
 * @left_out: why samples were left out (enum mc_left_out)
 * @watched: kinds of disturbance that can be detected (enum mc_disturbance)
 * @disturbed: for each kind, the number of samples disturbed by it, used or left out
 * @windows_left_out: number of windows left out of samples that were used
 * @started_unix_ns: wall clock at the first warm-up
 * @window_max_ps: longest timed window
 * @steady: was the loop steady, before its samples and during them (enum mc_steady)
 * @warmup_ps: time for which the threads had worked before the first sample, without a pause
 * @placements: number of positions in memory that the samples took in turn; 0: there is no memory
 * @stats: time of a pass over the working set
 * @has: bit i is set if @value[i] was measured
 * @value: the test's own figures, fixed-point with the decimals of their columns
 * @text: the value of the column that is a text
 * @cpu: the CPU that the result is about, or MC_CPU_ALL
 * @group: the group of CPUs that it is about instead, counted from 1; 0: none
 * @payload_bytes: bytes that the loops of all threads access in a pass; 0: not known
 * @dram: DRAM traffic during the samples
 * @events: events of the cores
 * @histogram: a histogram that the test defines, or NULL; freed with the record
 * @tail: a distribution in its place, with its spikes, or NULL; freed with the record
 */
struct mc_record {
	struct mc_point point;
	u32 threads;
	u32 remote_threads;
	int memory_node;
	u8 memory_zone;
	const char *object;
	struct mc_range range;
	u8 attribute;
	u8 effective;
	u8 verified;
	u8 left_out;
	u8 watched;
	u32 disturbed[MC_NDISTURBANCES];
	u32 windows_left_out;
	u64 started_unix_ns;
	u64 window_max_ps;
	u8 steady;
	u64 warmup_ps;
	u64 placements;
	struct mc_stats stats;
	u32 has;
	u64 value[MC_MAX_COLUMNS];
	char text[MC_RECORD_TEXT_MAX];
	int cpu;
	u8 group;
	u64 payload_bytes;
	struct mc_dram dram;
	struct mc_events_counted events;
	struct mc_histogram *histogram;
	struct mc_tail *tail;
};

/**
 * struct mc_layout - widths of a table's columns
 * @n: number of columns of a record, in the table or not
 * @if_any: the column is in the table only if a record has a value for it
 * @width: width of the column in characters; 0: not in the table
 */
struct mc_layout {
	unsigned int n;
	bool if_any[MC_MAX_CELLS];
	u8 width[MC_MAX_CELLS];
};

const char *mc_attr_name(enum mc_attr attr);
enum mc_zone mc_zone_named(const char *name);
const char *mc_effect_name(enum mc_effect effect);
void mc_record_set(struct mc_record *rec, unsigned int column, u64 value);
void mc_record_set_text(struct mc_record *rec, unsigned int column, const char *text);
const char *mc_fact_name(unsigned int index);

void mc_layout_init(struct mc_layout *l, const struct mc_request *req);
bool mc_layout_fit(struct mc_layout *l, const struct mc_request *req, const struct mc_record *rec);
unsigned int mc_layout_width(const struct mc_layout *l, const struct mc_request *req);
void mc_layout_drop(struct mc_layout *l, const struct mc_request *req, const char *name);
void mc_header_show(struct mc_text *t, const struct mc_layout *l, const struct mc_request *req);
void mc_record_row(struct mc_text *t, const struct mc_layout *l,
		   const struct mc_request *req, const struct mc_record *rec);

void mc_record_json(struct mc_text *t, const struct mc_request *req,
		    const char *where, const struct mc_record *rec);
void mc_request_json(struct mc_text *t, const struct mc_request *req,
		     const char *where, const char *state,
		     const struct mc_error *e, u64 records);

#endif /* MC_CORE_RECORD_H */
