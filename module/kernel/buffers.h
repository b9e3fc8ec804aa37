/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers: pages of one memory type, on a node. The type was set, read back from the
 * page tables and tried on the hardware; it is write-back again before pages are freed.
 */
#ifndef MC_MEMORY_H
#define MC_MEMORY_H

#include <linux/pgtable.h>

#include "core/record.h"
#include "measure/area.h"
#include "measure/samples.h"
#include "measure/verdict.h"

/* Sizes of mappings in the direct map. */
enum mc_level { MC_LEVEL_4K, MC_LEVEL_2M, MC_LEVEL_1G, MC_NLEVELS };

struct mc_chunk;

/**
 * struct mc_buffer - pages of one memory type
 * @type: the type asked for
 * @wish: the node asked for
 * @bytes: usable bytes, a multiple of PAGE_SIZE
 * @chunks: physical blocks
 * @nchunks: number of blocks
 * @room: number of blocks for which @chunks has room
 * @spans: the spans of @direct
 * @direct: the buffer in the kernel's direct map
 * @mapped: the buffer mapped in 4 KiB pages, once a point asks for that; from the beginning where
 *          the direct map can't have the type
 * @mapped_span: the only span of @mapped
 * @attribute: what the page tables say of the mapping that has the type
 * @memory_node: node of the pages, MC_NODE_MIXED if not all the same
 * @memory_zone: zone of the pages, MC_ZONE_MIXED if not all the same
 * @verdict: what the hardware does with the type
 * @before: bytes of the blocks that each level mapped before the type was set
 * @after: the same with the type set
 * @next: the next of the run's own buffers of that type
 */
struct mc_buffer {
	enum mc_type type;
	struct mc_node_wish wish;
	u64 bytes;
	struct mc_chunk *chunks;
	unsigned int nchunks;
	unsigned int room;
	struct mc_span *spans;
	struct mc_view direct;
	struct mc_view mapped;
	struct mc_span mapped_span;
	enum mc_attr attribute;
	int memory_node;
	enum mc_zone memory_zone;
	struct mc_verdict verdict;
	u64 before[MC_NLEVELS];
	u64 after[MC_NLEVELS];
	struct mc_buffer *next;
};

struct mc_buffer *mc_buffer_create(enum mc_type type, struct mc_node_wish wish,
				   u64 bytes, struct mc_threads *threads,
				   struct mc_error *e);
void mc_buffer_destroy(struct mc_buffer *b);
int mc_buffer_map(struct mc_buffer *b, struct mc_threads *threads, struct mc_error *e);
void mc_buffer_audit(struct mc_buffer *b);
void *mc_buffer_start(const struct mc_buffer *b);
void mc_buffer_judge(struct mc_buffer *b);
void mc_buffer_show(struct mc_text *t, const struct mc_buffer *b, const char *what);
u64 mc_buffer_mapping(const struct mc_buffer *b);
u64 mc_level_most(const u64 *levels);
enum mc_attr mc_attr_walk(const void *addr, u64 bytes, enum mc_attr so_far, u64 *levels);
u64 mc_pages_leaked(void);
pgprot_t mc_protection(enum mc_type type, pgprot_t prot);

#endif /* MC_MEMORY_H */
