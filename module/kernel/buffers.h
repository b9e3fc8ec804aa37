/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers: pages of one memory type, on a node, whose attribute was set, read
 * back from the page tables, tried on the hardware, and is given back.
 */
#ifndef MC_MEMORY_H
#define MC_MEMORY_H

#include <linux/pgtable.h>

#include "core/record.h"
#include "measure/area.h"
#include "measure/samples.h"
#include "measure/verdict.h"

/* Sizes of mapping that the direct map is made of. */
enum mc_level { MC_LEVEL_4K, MC_LEVEL_2M, MC_LEVEL_1G, MC_NLEVELS };

struct mc_chunk;

/**
 * struct mc_buffer - pages of one memory type
 * @type: the type asked for
 * @place: where its pages were asked for
 * @bytes: usable bytes, a multiple of PAGE_SIZE
 * @chunks: physical blocks
 * @nchunks: how many
 * @room: how many @chunks has room for
 * @spans: @direct's
 * @direct: the buffer in the kernel's direct map
 * @mapped: the buffer in 4 KiB pages, once asked for
 * @mapped_span: @mapped's only span
 * @attribute: what the page tables say of the direct map
 * @memory_node: node of the pages, MC_NODE_MIXED if not all the same
 * @verdict: what the hardware does with it
 * @before: bytes of the blocks mapped by each level, before the type was set
 * @after: the same with the type set
 * @next: the next one of that type that the run has for itself
 */
struct mc_buffer {
	enum mc_type type;
	struct mc_place place;
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
	struct mc_verdict verdict;
	u64 before[MC_NLEVELS];
	u64 after[MC_NLEVELS];
	struct mc_buffer *next;
};

struct mc_buffer *mc_buffer_create(enum mc_type type, struct mc_place place,
				   u64 bytes, struct mc_team *team,
				   struct mc_error *e);
void mc_buffer_destroy(struct mc_buffer *b);
int mc_buffer_map(struct mc_buffer *b, struct mc_team *team, struct mc_error *e);
void mc_buffer_audit(struct mc_buffer *b);
void mc_buffer_judge(struct mc_buffer *b);
void mc_buffer_show(struct mc_text *t, const struct mc_buffer *b,
		    const char *what);
u64 mc_buffer_mapping(const struct mc_buffer *b);
u64 mc_pages_leaked(void);
pgprot_t mc_protection(enum mc_type type, pgprot_t prot);

#endif /* MC_MEMORY_H */
