#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Guests with several CPUs on a node, and with a node that has no memory. They run the
# tests of selftests/nodes.

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP
	unset KERNEL ACCEL CPUS MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER
	cd "$TOP" || return
	make -s -C tools/user
	tools/guest/build >/dev/null
}

setup() { cd "$TOP" || return; }

# guest FILE: run a file of selftests/nodes, and check the kernel log. The guest gets our
# environment, but bats in the guest must not use the settings of this bats.
guest() {
	local name
	(
		for name in "${!BATS_@}"; do export -n "${name?}"; done
		PATH=${PATH#"${BATS_LIBEXEC:-}:"} tools/guest/run stock -- sh -c "dmesg --clear
			bats --tap selftests/nodes/$1 && dmesg | tools/check/kernel-log"
	)
}

@test "four CPUs on two nodes" {
	CPUS=4 guest four_cpus.bats
}

@test "a node without memory" {
	CPUS=4 APPEND=mem=512M guest no_memory.bats
}
