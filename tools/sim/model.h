/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of what memory costs on the simulated machine: the caches, buffers and TLBs of each
 * CPU, and what the CPUs share: a directory of who has which line, and the memory controllers.
 * The model does not depend on the emulator. Times are nanoseconds.
 *
 * The caller makes the calls in the order of their times, where they concern what CPUs share.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "prices.h"

/* Memory types, numbered as in PAT and MTRRs (Intel SDM vol. 3, 12.11.2.1). */
enum type { UC = 0, WC = 1, WT = 4, WP = 5, WB = 6, UC_MINUS = 7, NTYPES = 8 };

enum operation { LOAD, STORE, FLUSH, CLEAN, DRAIN, NOPERATIONS };

/**
 * struct access - what an instruction does to memory
 * @physical: the physical address
 * @page: number of the virtual page
 * @page_shift: log2 of its size
 * @bytes: number of bytes, 1 to 64
 * @operation: what it does: a flush (CLFLUSH, DC CIVAC), cleaning a line (CLWB), and draining
 *	the write-combining buffers (a fence) have no type
 * @type: effective type of the memory
 * @streaming: the instruction is non-temporal
 */
struct access {
	uint64_t physical;
	uint64_t page;
	uint8_t page_shift;
	uint8_t bytes;
	uint8_t operation;
	uint8_t type;
	bool streaming;
};

/**
 * struct range - the memory of a node
 * @from: its first address
 * @to: the address behind it
 * @node: the node
 */
struct range {
	uint64_t from;
	uint64_t to;
	unsigned int node;
};

#define RANGES_MOST	16

/**
 * struct shape - CPUs and nodes of the machine
 * @ncpus: number of CPUs
 * @node: the node of each CPU
 * @nranges: number of @ranges
 * @ranges: memory of the nodes. Any other address is a device's: no controller serves it, and its
 *	lines cost what those of node 0 do
 */
struct shape {
	unsigned int ncpus;
	unsigned int node[CPUS_MOST];
	unsigned int nranges;
	struct range ranges[RANGES_MOST];
};

/**
 * struct happened - counts of what one CPU has met; all of its fields are uint64_t
 * @level: accesses that found their line in L1, L2 and L3
 * @clean: accesses that found it unchanged in another CPU's cache
 * @dirty: accesses that found it changed there
 * @memory: accesses that found it in no cache
 * @wc_lines: write-combining lines that were sent whole
 * @wc_words: 8-byte parts of lines that were sent in part
 * @tlb_misses: accesses whose translation was missing in the first level
 * @walks: accesses whose translation was missing in both
 * @waited_ns: time spent waiting for memory controllers
 * @prefetched: lines that the prefetcher brought
 * @still_ns: time for which the CPU's clock stood still
 */
struct happened {
	uint64_t level[3];
	uint64_t clean;
	uint64_t dirty;
	uint64_t memory;
	uint64_t wc_lines;
	uint64_t wc_words;
	uint64_t tlb_misses;
	uint64_t walks;
	uint64_t waited_ns;
	uint64_t prefetched;
	uint64_t still_ns;
};

/**
 * struct traffic - lines that a node's memory controller has moved, those of devices not among them
 * @read: lines read, for loads, for stores to lines that no cache has, and by the prefetcher; a
 *	load from uncached or write-combining memory counts as one
 * @written: lines written; an uncached store counts as one, and so do 8 bytes of a line that was
 *	written in part
 */
struct traffic {
	uint64_t read;
	uint64_t written;
};

const char *model_make(const struct prices *prices, const struct shape *shape);
const struct prices *model_prices(void);
const struct happened *model_happened(unsigned int cpu);
const struct traffic *model_traffic(unsigned int node);
uint64_t model_access(unsigned int cpu, int64_t now, const struct access *a);
bool model_is_private(unsigned int cpu, const struct access *a);
bool model_is_held(unsigned int cpu, uint64_t physical);
void model_forget_translations(unsigned int cpu);
void model_clean_caches(int64_t now);
void model_forget_caches(void);
void model_switch_prefetcher(unsigned int cpu, bool on);

#endif /* SIM_MODEL_H */
