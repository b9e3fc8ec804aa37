/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test is, and what a run offers it. */
#ifndef MC_TEST_H
#define MC_TEST_H

#include "core/record.h"
#include "core/region.h"
#include "core/view.h"
#include "measure/samples.h"
#include "measure/threads.h"

/**
 * struct mc_area - memory that a point runs over
 * @view: the buffer, mapped as the point asked
 * @page: kind of mapping, never MC_PAGE_AUTO
 * @page_bytes: bytes that most of its translations cover; 0: not known
 * @attribute: memory type according to the page tables
 * @effective: whether the memory type has an effect
 * @memory_node: node of its pages
 * @memory_zone: the kernel's zone of its pages
 * @object: word for the memory of a shared object, as in struct mc_record; NULL: none
 * @range: physical addresses of a target
 * @region: of a test that measures memory region by region: the region
 * @placement: buffers on the threads' own nodes, the first of which is @view; NULL: all
 *         threads share @view
 */
struct mc_area {
	const struct mc_view *view;
	enum mc_page page;
	u64 page_bytes;
	enum mc_attr attribute;
	enum mc_effect effective;
	int memory_node;
	enum mc_zone memory_zone;
	const char *object;
	struct mc_range range;
	struct mc_region region;
	const struct mc_placement *placement;
};

struct mc_side;

/**
 * struct mc_run - a run, as its test sees it
 * @req: the request
 * @side: operations of the kernel or of user space
 * @threads: its threads
 * @counting: counters of DRAM traffic, or NULL
 * @events: events of the threads' cores, or NULL
 * @part: index of the run of the test for the point: of the CPU, the pair or the region
 * @pairs: the pairs of CPUs, with MC_RECORD_OF_PAIR (mc_pairs_find())
 * @area: the memory of the current point
 * @near: CPU whose node gets the record's memory; -1: the first CPU's node
 * @placement: the threads by node, for node=local and for groups of CPUs; NULL: not needed
 * @target_bytes: size of the target, once the side has found it; 0: not yet, or it is RAM
 * @error: explains what went wrong
 * @bad_data: a record failed verification
 * @holds_loop: the side keeps the loop of op=own for the run
 */
struct mc_run {
	const struct mc_request *req;
	const struct mc_side *side;
	struct mc_threads *threads;
	struct mc_traffic_count *counting;
	struct mc_events *events;
	u64 part;
	u32 *pairs;
	struct mc_area area;
	int near;
	struct mc_placement *placement;
	u64 target_bytes;
	struct mc_error error;
	bool bad_data;
	bool holds_loop;
};

/**
 * struct mc_thread_part - the place of a thread's part of the memory
 * @node: index of its node in struct mc_placement
 * @index: index of the part within that node's buffer
 * @start: with groups of CPUs: where the part begins in that buffer
 * @bytes: with groups of CPUs: its size
 */
struct mc_thread_part {
	unsigned int node;
	unsigned int index;
	u64 start;
	u64 bytes;
};

/**
 * struct mc_node - a node and the run's threads whose memory is on it
 * @number: its number
 * @threads: number of threads on it
 * @bytes: with groups of CPUs: sum of these threads' parts
 * @strict: with groups of CPUs: only this node will do
 * @area: buffer that holds these threads' parts
 */
struct mc_node {
	int number;
	unsigned int threads;
	u64 bytes;
	bool strict;
	struct mc_area area;
};

/**
 * struct mc_placement - all nodes that have memory of a run's threads
 * @n: number of nodes
 * @node: array of @n nodes
 * @thread: array with the place of each thread
 */
struct mc_placement {
	unsigned int n;
	struct mc_node *node;
	struct mc_thread_part *thread;
};

/* The node of a thread's memory. */
static inline struct mc_node *mc_node_of(const struct mc_placement *placement, unsigned int thread)
{
	return &placement->node[placement->thread[thread].node];
}

/**
 * struct mc_part - a thread's part of a point's memory
 * @view: the buffer that holds the part
 * @index: index of the part in the buffer
 * @n: number of parts in the buffer
 */
struct mc_part {
	const struct mc_view *view;
	unsigned int index;
	unsigned int n;
};

/* How many records a point gives. */
enum mc_records {
	MC_RECORD_OF_POINT,
	MC_RECORD_OF_CPU,	/* CPUs take turns, a record each */
	MC_RECORD_OF_PAIR,	/* each CPU with each other, in this order */
	MC_RECORD_OF_GROUP,	/* all CPUs, each group of CPUs, each CPU: from one run */
	MC_RECORD_OF_REGION,	/* each region of memory, as many as there are */
	MC_RECORD_OF_STEP,	/* CPUs take turns; the whole and each step: from one run */
};

/*
 * Which accesses of a point pass the caches by, or leave nothing in them: the size of its
 * working set then says nothing about what serves them.
 */
enum mc_uncached { MC_UNCACHED_NONE, MC_UNCACHED_SOME, MC_UNCACHED_ALL };

/**
 * struct mc_test - a test
 * @spec: its name, keys and columns: the row of the parser
 * @allocates_memory: it allocates its memory itself, so none is found for a point
 * @pointers: it follows pointers that it keeps in its memory. It gets no pages that a
 *            process can map: whoever writes to them could send the kernel anywhere
 * @records: what each record of a point is about
 * @threads: number of threads; NULL: one a CPU
 * @near: gives @near of struct mc_run; NULL: the CPU that the record is about, or else
 *        the first one
 * @shares: its threads run at once, each on the part that mc_measurement_part()
 *          returns; with node=local this part is on the thread's own node
 * @region: with MC_RECORD_OF_REGION: number of the key that says how large regions are
 * @pairs: with MC_RECORD_OF_PAIR: number of the key that says how many pairs there are of each
 *         class; the next keys are the seed, how many results are left out at the beginning, and
 *         how many there are at most. 0: all pairs
 * @steps: with MC_RECORD_OF_STEP: number of the key that says how many steps there are
 * @near_only: prefetch= applies to the CPU in @near only, not to all CPUs of the run, as it does
 *             where CPUs take turns
 * @level: index of its column MC_LEVEL_COLUMN (source.h); 0: it has none
 * @uncached: which accesses of a point pass the caches by; NULL: none
 * @common: all threads access the whole memory, not a part each
 * @histogram: its records have a histogram
 * @causes: they also have spikes and their causes
 * @table: how a report lays out its records, as @table in a suite; NULL: as a list
 * @reads_only: does it store nothing in its memory, nor need what it has stored there? Such
 *              a point also runs over a target that must not be written. NULL: no
 * @second: with MC_RECORD_OF_CPU: does the CPU behind the one whose turn it is have the job, too
 *          (mc_second_thread())? NULL: no
 * @note: append a line on what the user should know of a record. Return: false if there is
 *        nothing. NULL: there never is
 * @check: test whether this point can be run. Called for every point before the first
 *         one is run. Return: 0, or -EINVAL, -EOPNOTSUPP through mc_fail(). NULL: any can
 * @job_bytes: size of what it keeps of a point, which begins with a struct mc_measurement
 * @set_up: fill that in; the measurement has begun, and all else is 0. Return: 0, or a negative
 *          errno through mc_fail()
 * @job: what each thread does; NULL: mc_measure(). With MC_RECORD_OF_CPU and MC_RECORD_OF_STEP the
 *       CPU does it whose turn it is, and the measurement is that of one thread; with
 *       MC_RECORD_OF_PAIR, both CPUs
 * @measure: what the caller does in place of @job, where threads do parts of a sample only; or NULL
 * @fill: put what there is into a record whose point and verified are set, also after an error.
 *        With MC_RECORD_OF_GROUP those of the groups and CPUs follow it, with the same facts,
 *        with MC_RECORD_OF_STEP those of the steps. A record that holds samples is kept
 * @clean_up: free what @set_up has allocated, also after its error; NULL: nothing
 */
struct mc_test {
	struct mc_spec spec;
	bool allocates_memory;
	bool pointers;
	enum mc_records records;
	unsigned int (*threads)(const struct mc_request *req);
	int (*near)(const struct mc_run *run, const struct mc_point *point);
	unsigned int region;
	unsigned int pairs;
	unsigned int steps;
	bool near_only;
	unsigned int level;
	enum mc_uncached (*uncached)(const struct mc_point *point);
	bool common;
	bool shares;
	bool histogram;
	bool causes;
	const char *table;
	bool (*reads_only)(const struct mc_point *point);
	bool (*second)(const struct mc_point *point);
	bool (*note)(struct mc_text *t, const struct mc_record *rec);
	int (*check)(struct mc_run *run, const struct mc_point *point);
	size_t job_bytes;
	int (*set_up)(struct mc_run *run, const struct mc_point *point, void *job);
	mc_job job;
	int (*measure)(struct mc_run *run, void *job);
	void (*fill)(struct mc_record *rec, void *job, const struct mc_run *run);
	void (*clean_up)(void *job);
};

extern const struct mc_test
#define MC_TEST(name) mc_test_##name
#include "measure/tests.h"
#undef MC_TEST
	mc_test_none;	/* ends the list; there is no such test */

/* All tests' specs, NULL at the end. */
extern const struct mc_spec *const mc_specs[];

const struct mc_test *mc_test_of(const struct mc_spec *spec);

/* Do CPUs take turns because each has its own records? */
static inline bool mc_of_one_cpu(const struct mc_test *test)
{
	return test->records == MC_RECORD_OF_CPU || test->records == MC_RECORD_OF_STEP;
}

/* The memory type of a point. */
static inline enum mc_type mc_type_of(const struct mc_point *point)
{
	return (enum mc_type)point->v[MC_KEY_TYPE];
}

/* Does nobody vouch for the memory: may it be that of a device, or no memory at all? */
static inline bool mc_unvouched(const struct mc_point *point)
{
	return point->v[MC_KEY_TARGET] == MC_TARGET_PCI ||
	       (point->v[MC_KEY_TARGET] == MC_TARGET_PHYS && point->v[MC_KEY_ANY_RANGE]);
}

unsigned int mc_point_width(const struct mc_run *run, const struct mc_point *point);

/* Must the point leave its memory as it is? */
static inline bool mc_untouched(const struct mc_point *point)
{
	return point->v[MC_KEY_TARGET] != MC_TARGET_RAM && !point->v[MC_KEY_WRITE];
}

#endif /* MC_TEST_H */
