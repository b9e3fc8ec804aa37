/* SPDX-License-Identifier: GPL-2.0-only */
/* A first access to memory of which nobody knows whether it answers. */
#ifndef MC_ACCESS_H
#define MC_ACCESS_H

#include "core/shim.h"

int mc_access_try(void *at, unsigned int width, bool stores);

#endif /* MC_ACCESS_H */
