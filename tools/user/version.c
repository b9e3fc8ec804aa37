// SPDX-License-Identifier: GPL-2.0-only
/* The version of memcache-user. */
#include "platform/version.h"

const char mc_version[] = MC_VERSION;
