/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of what memory costs on the simulated machine: caches, write-combining buffers,
 * a TLB, and a price for each thing that happens in them. The model does not depend on the
 * emulator. Times are ticks of the machine's clock.
 */
#ifndef TYPES_MODEL_H
#define TYPES_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory types, numbered as in PAT and MTRRs (Intel SDM vol. 3, 12.11.2.1). */
enum type { UC = 0, WC = 1, WT = 4, WP = 5, WB = 6, UC_MINUS = 7, NTYPES = 8 };

/* Kinds of access; the numbers are those that the emulator reports. */
enum access { LOAD, STORE, EXECUTE, READ_MODIFY_WRITE, NACCESSES };

#define LINE_BYTES	64
#define NLEVELS		3

/**
 * struct prices - values of a price file: times in nanoseconds, sizes in bytes, and numbers.
 * Each field has its key in price_keys.
 */
struct prices {
	uint32_t uc_load_ns, uc_store_ns;
	uint32_t wc_load_ns, wc_line_ns, wc_word_ns, wc_buffers;
	uint32_t l1_bytes, l1_ways, l1_ns;
	uint32_t l2_bytes, l2_ways, l2_ns;
	uint32_t l3_bytes, l3_ways, l3_ns;
	uint32_t memory_ns, flush_ns;
	uint32_t tlb_entries, tlb_miss_ns;
};

/**
 * struct happened - counts of what the model has seen since they were last cleared
 * @level: accesses that found their line in each cache; the last one: in memory
 * @wc_full: write-combining lines that were sent whole
 * @wc_words: 8-byte parts of lines that were sent in part
 * @tlb_misses: accesses whose translation was missing
 */
struct happened {
	uint64_t level[NLEVELS + 1];
	uint64_t wc_full;
	uint64_t wc_words;
	uint64_t tlb_misses;
};

extern struct happened happened;

const char *model_configure(const struct prices *prices, uint32_t ticks_per_ns_x1000);
const struct prices *model_prices(void);
uint64_t model_access(enum type type, enum access access, bool streaming,
		      uint64_t physical, unsigned int bytes);
uint64_t model_translate(uint64_t page, unsigned int page_shift);
bool model_translates(void);
void model_forget_translations(void);
uint64_t model_flush(uint64_t physical);
void model_forget_caches(void);
uint64_t model_drain(void);

/**
 * struct price_key - a key of a price file
 * @name: its name in the file
 * @offset: offset of its field in struct prices, a uint32_t
 */
struct price_key {
	const char *name;
	size_t offset;
};

extern const struct price_key price_keys[];

bool prices_set(struct prices *p, uint64_t *seen, const char *text, char *why, size_t room);
bool prices_read(struct prices *p, const char *file, char *why, size_t room);

#endif /* TYPES_MODEL_H */
