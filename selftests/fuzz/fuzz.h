/* SPDX-License-Identifier: GPL-2.0-only */
/* What both fuzz targets need. */
#ifndef MC_SELFTEST_FUZZ_H
#define MC_SELFTEST_FUZZ_H

#include "../core/fixture.h"
#include "../core/json.h"

/* Stop here, where libFuzzer keeps the input. */
#define MUST(condition)	\
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* MC_SELFTEST_FUZZ_H */
