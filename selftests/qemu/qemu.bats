#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What only QEMU 10 emulates. Its guests run the tests of selftests/nodes.

load ../host/inside.bash

@test "a CXL device with volatile memory" {
	export KERNEL=6.12
	tools/guest/build -k $KERNEL >/dev/null
	QEMU=10 CXL=256M APPEND=memhp_default_state=online_movable guest nodes/cxl.bats
}
