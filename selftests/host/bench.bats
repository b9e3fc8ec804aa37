#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The settings of the benchmarks.

@test "a number of rounds that is none is refused at once" {
	for bench in uml noise cost peers; do
		for rounds in 0 -1 x 1.5; do
			ROUNDS=$rounds run "$BATS_TEST_DIRNAME/../../tools/bench/$bench"
			[ "$status" -eq 1 ]
			[ "$output" = "memcache: ROUNDS=$rounds: wanted a whole number from 1 on" ]
		done
	done
}
