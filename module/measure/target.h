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

/**
 * struct mc_target_ops - what a side does with targets
 * @find: find the size of a request's target, if it can be measured now. Return: 0 or an errno
 * @open: hold the target, and say of it what mc_opened has. Return: 0 or an errno
 * @map: map all of it with a type. Return: 0 or an errno
 * @is_gone: has its device gone away? NULL: it can't
 * @go_on: as for mc_contents_bring_back()
 * @close: unmap it, and let go of it
 *
 * Errors are explained in the run's error, or in that which is given.
 */
struct mc_target_ops {
	int (*find)(const struct mc_request *req, u64 *bytes, struct mc_error *e);
	int (*open)(struct mc_run *run);
	int (*map)(struct mc_run *run, enum mc_type type);
	bool (*is_gone)(void);
	bool (*go_on)(u64 done, u64 all);
	void (*close)(struct mc_run *run);
};

/**
 * struct mc_opened - the target of the current run
 * @ops: what the side does with it
 * @is: it is open
 * @pci: it is a BAR
 * @range: its physical addresses
 * @window: the part that the points of the request measure: offset and length
 * @contents: contents of the window before the run, if a point writes to it
 * @proven: each page of the window was tried
 * @given_up: the rest of the contents is not to be brought back
 * @saved_as: type by which the contents were saved
 * @at: all of it, mapped with @type; or NULL
 * @type: the type asked for
 * @attribute: what the kernel says of the mapping
 * @page: the pages of the mapping
 * @page_bytes: size of most of them
 * @node: its node
 * @part: physical addresses of the part that a point measures
 * @span: the same
 * @view: the same
 */
struct mc_opened {
	const struct mc_target_ops *ops;
	bool is;
	bool pci;
	struct mc_range range;
	struct mc_range window;
	struct mc_contents contents;
	bool proven;
	bool given_up;
	enum mc_type saved_as;
	u8 *at;
	enum mc_type type;
	enum mc_attr attribute;
	enum mc_page page;
	u64 page_bytes;
	int node;
	struct mc_range part;
	struct mc_span span;
	struct mc_view view;
};

/* The target of this side, of which there is one; its operations are set. */
extern struct mc_opened mc_opened;

int mc_target_check_bar(const struct mc_bar *bar, const struct mc_request *req, struct mc_error *e);
int mc_target_check_window(const struct mc_range *window, u64 bytes, bool writes,
			   struct mc_error *e);
int mc_target_try(struct mc_run *run, const struct mc_point *point, void *at);
int mc_target_check_pages(const void *at, const struct mc_range *range, struct mc_run *run);
int mc_contents_save(struct mc_contents *c, void *at, const struct mc_range *range,
		     struct mc_run *run, unsigned int most);
u64 mc_target_room(const struct mc_request *req);
int mc_target_check(struct mc_run *run, const struct mc_point *point);
int mc_target_find(struct mc_run *run, const struct mc_point *point, struct mc_area *area);
void mc_target_end(struct mc_run *run);
int mc_target_mapped(enum mc_attr wanted, struct mc_error *e);
u64 mc_contents_bring_back(const struct mc_contents *c, void *at, bool (*go_on)(u64 done, u64 all));
void mc_contents_forget(struct mc_contents *c);

#endif /* MC_MEASURE_TARGET_H */
