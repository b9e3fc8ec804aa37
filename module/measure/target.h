/* SPDX-License-Identifier: GPL-2.0-only */
/* What both sides check of a target, and how they keep its contents. */
#ifndef MC_MEASURE_TARGET_H
#define MC_MEASURE_TARGET_H

#include "measure/test.h"

/**
 * struct mc_bar - a BAR of a PCI device
 * @device: name of the device
 * @number: number of the BAR
 * @range: its physical addresses; no bytes: it is no memory
 * @prefetchable: a read of it has no effect
 */
struct mc_bar {
	const char *device;
	unsigned int number;
	struct mc_range range;
	bool prefetchable;
};

/**
 * struct mc_contents - what was in memory before a run wrote to it
 * @saved: its bytes, and room for a piece, on a line; NULL: nothing was saved
 * @bytes: number of bytes
 * @memory: what holds @saved, for mc_free()
 * @load: bytes of a load of the memory: as wide as it answers, and the request allows
 * @store: the same for stores
 */
struct mc_contents {
	u8 *saved;
	u64 bytes;
	void *memory;
	unsigned int load;
	unsigned int store;
};

int mc_target_check_bar(const struct mc_bar *bar, const struct mc_request *req,
			struct mc_error *e);
int mc_target_check_test(const struct mc_point *point, const struct mc_test *test,
			 struct mc_error *e);
int mc_target_check_place(const struct mc_point *point, u64 bytes, struct mc_error *e);
int mc_target_check_window(const struct mc_range *window, u64 bytes, bool writes,
			   struct mc_error *e);
int mc_target_try(struct mc_run *run, const struct mc_point *point, void *at);
struct mc_range mc_target_window(const struct mc_request *req);
int mc_target_check_pages(const void *at, const struct mc_range *range, struct mc_run *run);
int mc_contents_save(struct mc_contents *c, void *at, const struct mc_range *range,
		     struct mc_run *run, unsigned int most);
int mc_target_prove(struct mc_contents *c, void *at, const struct mc_range *range,
		    struct mc_run *run, const struct mc_point *point);
u64 mc_contents_bring_back(const struct mc_contents *c, void *at,
			   bool (*go_on)(u64 done, u64 all));
void mc_contents_forget(struct mc_contents *c);

#endif /* MC_MEASURE_TARGET_H */
