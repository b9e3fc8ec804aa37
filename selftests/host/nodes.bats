#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Guests with several CPUs on a node, with a node that has no memory, and with one that has
# movable memory only, or persistent memory. They run the tests of selftests/nodes.

load inside.bash

@test "four CPUs on two nodes" {
	CPUS=4 MEM=512M guest nodes/four_cpus.bats
}

@test "a node without memory" {
	CPUS=3 MEM=512M APPEND=mem=256M guest nodes/no_memory.bats
}

# bats test_tags=long
@test "a node that has movable memory only, and firmware that promises latencies" {
	DIMM=256M HMAT=yes APPEND=memhp_default_state=online_movable guest nodes/movable.bats
}

# bats test_tags=long
@test "persistent memory" {
	PMEM=256M guest nodes/pmem.bats
}
