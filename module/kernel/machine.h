/* SPDX-License-Identifier: GPL-2.0-only */
/* The record that describes the machine. */
#ifndef MC_MACHINE_H
#define MC_MACHINE_H

#include "core/text.h"

#define MC_MACHINE_MAX	16384	/* bytes of its JSON line, terminator included */

void mc_machine_json(struct mc_text *t);

#endif /* MC_MACHINE_H */
