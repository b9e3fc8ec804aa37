// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a request line; see oracle.h. */
#include "oracle.h"

static struct mc_request req;

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	check_line(&req, (const char *)data, size, fixture_specs);
	return 0;
}
