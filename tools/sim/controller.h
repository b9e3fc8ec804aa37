/* SPDX-License-Identifier: GPL-2.0-only */
/* A memory controller: it serves one request after the other. */
#ifndef SIM_CONTROLLER_H
#define SIM_CONTROLLER_H

#include <stdint.h>

/**
 * struct controller - a memory controller; times are nanoseconds
 * @refresh_every: it pauses at multiples of this time; 0: never
 * @refresh: length of a pause
 * @free_at: when it has served all requests so far
 */
struct controller {
	uint32_t refresh_every;
	uint32_t refresh;
	int64_t free_at;
};

uint64_t controller_serve(struct controller *c, int64_t now, uint32_t service);

#endif /* SIM_CONTROLLER_H */
