// SPDX-License-Identifier: GPL-2.0-only
#include "widths.h"

/**
 * width_of() - the place of a width among the counts
 * @bytes: bytes of an access
 *
 * Return: log2 of @bytes, or the place of the rest.
 */
unsigned int width_of(unsigned int bytes)
{
	return bytes && !(bytes & (bytes - 1)) && bytes <= 64 ? __builtin_ctz(bytes) : NWIDTHS - 1;
}

/**
 * widths_print() - write counts by width as a member of a JSON object
 * @to: file to write to
 * @name: name of the member, which is left out if all counts are 0
 * @widths: NWIDTHS counts
 * @first: the object has no member yet; updated
 */
void widths_print(FILE *to, const char *name, const uint64_t *widths, bool *first)
{
	bool none = true;
	int i;

	for (i = 0; i < NWIDTHS; i++) {
		if (!widths[i])
			continue;
		if (none)
			fprintf(to, "%s\"%s\":{", *first ? "" : ",", name);
		fprintf(to, "%s\"%d\":%lu", none ? "" : ",", i < NWIDTHS - 1 ? 1 << i : 0,
			widths[i]);
		none = *first = false;
	}
	if (!none)
		fprintf(to, "}");
}
