#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# CPU 2 is on a node that has no memory. selftests/host/nodes.bats boots such a guest.

load ../bats/module.bash

setup_file() { small_buffers; }

@test "the machine is such a one" {
	[ "$(cat /sys/devices/system/node/has_memory)" = 0 ]
	[ "$(cat /sys/devices/system/node/node1/cpulist)" = 2 ]
}

@test "CPUs of a node without memory have that of the nearest one" {
	for cpu in 2 0-2; do
		echo "bandwidth cpu=$cpu type=wb,uc size=64K,4M repeat=1 warmup=0" >run
		holds 'len(results) == 4' 'values("memory_node") == {0}' 'values("verified") == {"ok"}'
	done
	echo 'latency cpu=1,2 size=64K,4M repeat=1 warmup=0' >run
	holds 'len(results) == 4' 'values("memory_node") == {0}'
}

@test "to name the node without memory is still wrong" {
		run ! tee run <<<'bandwidth cpu=2 node=1'
	grep -q '^error: EINVAL node: 1 has no memory; nodes with memory are 0$' run
}

@test "matrices in the place of MLC have no column for the node without memory" {
	"$BATS_TEST_DIRNAME/../../build/user/memcache-user" --as mlc --latency_matrix -b64 -t0.02 \
		>"$BATS_TEST_TMPDIR/out" || [ $? = 1 ]
	[ "$(grep -c $'^Numa node\t     0\t$' "$BATS_TEST_TMPDIR/out")" = 1 ]
	[ "$(grep -cE '^ +[01]'$'\t'' +([0-9]+\.[0-9]|-)'$'\t''$' "$BATS_TEST_TMPDIR/out")" = 2 ]
}
