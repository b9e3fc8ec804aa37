/* SPDX-License-Identifier: GPL-2.0-only */
/* Price files: what memory costs on the simulated machine. */
#ifndef SIM_PRICES_H
#define SIM_PRICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NODES_MOST	8
#define CPUS_MOST	8

/**
 * struct prices - values of a price file: times in nanoseconds, sizes in bytes, and numbers.
 * Each field has its key in price_keys, with its meaning in the file `prices`. The indices of a
 * pair are the node of the CPU, then the node of the memory or of the other cache.
 */
struct prices {
	uint32_t uc_load_ns, uc_store_ns;
	uint32_t wc_load_ns, wc_line_ns, wc_word_ns, wc_buffers, wc_early, arrive_ns;
	uint32_t l1_bytes, l1_ways, l1_ns;
	uint32_t l2_bytes, l2_ways, l2_ns;
	uint32_t l3_bytes, l3_ways, l3_ns, l3_cpus, l3_unlisted;
	uint32_t clean_ns[NODES_MOST][NODES_MOST];
	uint32_t dirty_ns[NODES_MOST][NODES_MOST];
	uint32_t home_ns[NODES_MOST][NODES_MOST];
	uint32_t memory_ns[NODES_MOST][NODES_MOST];
	uint32_t service_ns[NODES_MOST];
	uint32_t refresh_every_ns, refresh_ns;
	uint32_t still_every_ns, still_ns;
	uint32_t flush_ns, clwb_ns;
	uint32_t prefetch_lines;
	uint32_t tlb_entries, tlb2_entries, tlb2_ns, tlb_miss_ns;
};

bool prices_set(struct prices *p, const char *words, char *why, size_t room);
bool prices_read(struct prices *p, const char *file, char *why, size_t room);
void prices_print(const struct prices *p, FILE *to);

#endif /* SIM_PRICES_H */
