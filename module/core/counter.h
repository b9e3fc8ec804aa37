/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines that name perf counters: of DRAM traffic, and events of the cores. */
#ifndef MC_CORE_COUNTER_H
#define MC_CORE_COUNTER_H

#include "core/text.h"

#define MC_MAX_COUNTERS	256
#define MC_COUNTERS_TEXT	1048576	/* bytes in one write; no set needs as many */
#define MC_COUNTER_NAME	32	/* bytes of a name, terminator included */
#define MC_COUNTER_LINE	160	/* bytes of a line at most, as shown */

/* The traffic that a counter counts; its name begins with it. */
enum mc_traffic { MC_DRAM_READ, MC_DRAM_WRITE, MC_NTRAFFIC };

/* Indices of the events of a core that other files need; MC_NEVENTS is the number of all events. */
enum { MC_EVENT_CYCLES = 0, MC_EVENT_LOAD_WALKS = 4, MC_EVENT_STORE_WALKS = 5, MC_NEVENTS };

/**
 * struct mc_counter - a perf counter
 * @name: dram_read or dram_write, with or without _ and the user's label; or the
 *        event's name
 * @core: it counts an event of a thread's core, not DRAM traffic
 * @event: index of that event, for mc_event_name()
 * @traffic: the traffic that it counts
 * @line: its line in the text
 * @type: number of its PMU (struct perf_event_attr)
 * @config: number of the event
 * @pinned: it has its place on the PMU always, or is not counted
 * @cpu: the CPU on which it is opened; an event of a core is opened for each thread
 * @scale: bytes per count of DRAM traffic
 */
struct mc_counter {
	char name[MC_COUNTER_NAME];
	bool core;
	bool pinned;
	unsigned int event;
	enum mc_traffic traffic;
	unsigned int line;
	u64 type;
	u64 config;
	u64 cpu;
	u64 scale;
};

int mc_counters_parse(struct mc_counter *set, unsigned int *n, const char *text,
		      size_t len, struct mc_error *e);
const char *mc_event_name(unsigned int event);
void mc_counter_show(struct mc_text *t, const struct mc_counter *c);

#endif /* MC_CORE_COUNTER_H */
