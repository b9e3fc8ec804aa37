#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Guests with more CPUs than one a node, and with a node that has no memory. What
# they run is in selftests/nodes.

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP
	unset KERNEL ACCEL CPUS MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER
	cd "$TOP" || return
	make -s -C tools/user
	tools/guest/build >/dev/null
}

setup() { cd "$TOP" || return; }

# guest FILE: of selftests/nodes, and a look at what the kernel had to say. The guest gets
# our environment, and the bats in there must not take this one's settings for its own.
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
