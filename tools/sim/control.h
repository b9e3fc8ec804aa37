/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders to the machine, over a socket. */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include "model.h"

const char *control_make(const struct prices *prices, const struct shape *shape);
const char *control_begin(const char *path);
void control_clock_is_read(unsigned int cpu, uint64_t at);
void control_block_begins(uint64_t at);
bool control_has_function(uint64_t at);

#endif /* SIM_CONTROL_H */
