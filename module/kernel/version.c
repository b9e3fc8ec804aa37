// SPDX-License-Identifier: GPL-2.0-only
/* The version of the module. */
#include <linux/module.h>

#include "platform/version.h"

const char mc_version[] = MC_VERSION;

MODULE_VERSION(MC_VERSION);
