// SPDX-License-Identifier: GPL-2.0-only
/* All tests. */
#include "measure/test.h"
#include "platform/os.h"

const struct mc_spec *const mc_specs[] = {
#define MC_TEST(name) (&mc_test_##name.spec)
#include "measure/tests.h"
#undef MC_TEST
	NULL,
};

/**
 * mc_test_of() - the test that a request is for
 * @spec: the spec that the parser found
 *
 * Return: the test.
 */
const struct mc_test *mc_test_of(const struct mc_spec *spec)
{
	return container_of(spec, struct mc_test, spec);
}
