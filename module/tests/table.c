// SPDX-License-Identifier: GPL-2.0-only
/* The tests of table.h, for the parser and for the run. */
#include "../os.h"
#include "../tests.h"

#define MC_TEST(name)	&mc_test_##name.spec,
const struct mc_spec *const mc_specs[] = {
#include "table.h"
	NULL
};
#undef MC_TEST

/**
 * mc_test_of() - the test that a request is for
 * @spec: the spec that the parser found
 *
 * Context: Any.
 * Return: the test.
 */
const struct mc_test *mc_test_of(const struct mc_spec *spec)
{
	return container_of(spec, struct mc_test, spec);
}
