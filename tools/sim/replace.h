/* SPDX-License-Identifier: GPL-2.0-only */
/* Replacing functions of the program that we are loaded into. */
#ifndef SIM_REPLACE_H
#define SIM_REPLACE_H

#include <stdbool.h>

bool replace(const char *name, void *by);

#endif /* SIM_REPLACE_H */
