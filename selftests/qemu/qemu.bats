#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What only QEMU 10 emulates. Its guests run the tests of selftests/nodes.

load ../host/inside.bash

# with_cxl FILE: the tests of FILE in a guest with a CXL device. Linux 6.1 does not know its memory.
with_cxl() {
	export KERNEL=6.12
	tools/guest/build -k $KERNEL >/dev/null
	QEMU=10 CXL=256M APPEND=memhp_default_state=online_movable guest "$1"
}

@test "a CXL device with volatile memory" {
	with_cxl nodes/cxl.bats
}

@test "RAM, persistent memory, a memory module and CXL in one machine" {
	PMEM=256M DIMM=256M with_cxl nodes/all_kinds.bats
}
