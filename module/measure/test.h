/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test is, and what a run offers it. */
#ifndef MC_TEST_H
#define MC_TEST_H

#include "core/record.h"
#include "core/view.h"
#include "measure/samples.h"
#include "platform/workers.h"

/**
 * struct mc_area - memory that a point runs over
 * @view: the buffer, as the point asked for it to be mapped
 * @page: how that is, never MC_PAGE_AUTO
 * @page_bytes: what a translation covers, mostly; 0: not known
 * @attribute: what the page tables say
 * @effective: what the hardware does
 * @memory_node: node of its pages
 * @homes: the threads have their parts in buffers on their own nodes, and @view is
 *         the first of these; NULL: one buffer is for all
 */
struct mc_area {
	const struct mc_view *view;
	enum mc_page page;
	u64 page_bytes;
	enum mc_attr attribute;
	enum mc_effect effective;
	int memory_node;
	const struct mc_homes *homes;
};

struct mc_side;

/**
 * struct mc_run - a run, as its test sees it
 * @req: the request
 * @side: the side that it is on
 * @team: its threads
 * @counting: counters of DRAM traffic, or NULL
 * @part: which of the point's records is being made, see struct mc_test
 * @area: the memory of the point that is on
 * @near: CPU whose node the record's memory is to be near, or -1: the first one
 * @homes: who is on which node, for node=local; NULL: nobody wants to know
 * @error: where to say what went wrong
 * @bad_data: a record failed verification
 */
struct mc_run {
	const struct mc_request *req;
	const struct mc_side *side;
	struct mc_team *team;
	struct mc_traffic_count *counting;
	u64 part;
	struct mc_area area;
	int near;
	struct mc_homes *homes;
	struct mc_error error;
	bool bad_data;
};

/**
 * struct mc_seat - where a thread has its part
 * @home: index of the node
 * @index: which of the parts there
 */
struct mc_seat {
	unsigned int home;
	unsigned int index;
};

/**
 * struct mc_home - a node and those of a run's threads that are on it
 * @node: the node
 * @threads: how many they are
 * @area: the buffer of their parts
 */
struct mc_home {
	int node;
	unsigned int threads;
	struct mc_area area;
};

/**
 * struct mc_homes - all nodes that a run's threads are on
 * @n: how many
 * @home: the nodes
 * @seat: of each thread
 */
struct mc_homes {
	unsigned int n;
	struct mc_home *home;
	struct mc_seat *seat;
};

/**
 * struct mc_part - a thread's part of a point's memory
 * @view: the buffer that it is in
 * @index: which of its parts
 * @n: parts that this buffer has
 */
struct mc_part {
	const struct mc_view *view;
	unsigned int index;
	unsigned int n;
};

/**
 * struct mc_test - a test
 * @spec: what it takes and gives; the parser's table
 * @no_memory: it runs over no memory, so none is found for its points
 * @pointers: it keeps pointers in its memory and follows them, so that is none
 *            which a process can map: who writes there would lead the kernel
 * @parts: records that each point comes to, say one a CPU; NULL: one
 * @threads: how many it takes; NULL: one a CPU
 * @near: for mc_run's @near; NULL: the first CPU
 * @shares: its threads work at once, each on its part as mc_measurement_part() has it:
 *          with node=local that is on the thread's own node
 * @near_only: prefetch= is about that CPU alone, not about all of the run
 * @level: its column from served.h; 0: it has none
 * @common: threads go through the same bytes, not each through its part
 * @check: can this point be run? Called for every point before the first one
 *         is run. Return: 0, or -EINVAL, -EOPNOTSUPP by way of mc_fail().
 * @run: measure a point into a record whose point and verified are set.
 *       Return: 0, or a negative errno; a record that holds samples is kept.
 */
struct mc_test {
	struct mc_spec spec;
	bool no_memory;
	bool pointers;
	u64 (*parts)(const struct mc_request *req);
	unsigned int (*threads)(const struct mc_request *req);
	int (*near)(const struct mc_run *run, const struct mc_point *point);
	bool near_only;
	unsigned int level;
	bool common;
	bool shares;
	int (*check)(struct mc_run *run, const struct mc_point *point);
	int (*run)(struct mc_run *run, const struct mc_point *point,
		   struct mc_record *rec);
};

/* A line for each file in benchmarks/, here and in benchmarks/table.c. */
extern const struct mc_test mc_test_bandwidth;
extern const struct mc_test mc_test_latency;
extern const struct mc_test mc_test_loaded;
extern const struct mc_test mc_test_c2c;
extern const struct mc_test mc_test_line;
extern const struct mc_test mc_test_tlb;
extern const struct mc_test mc_test_random;
extern const struct mc_test mc_test_overhead;
extern const struct mc_test mc_test_file;

/* In user space only: files in tools/user/benchmarks/. */
extern const struct mc_test mc_test_os;
extern const struct mc_test mc_test_pipe;

/* All tests' specs, NULL at the end. */
extern const struct mc_spec *const mc_specs[];

const struct mc_test *mc_test_of(const struct mc_spec *spec);

#endif /* MC_TEST_H */
