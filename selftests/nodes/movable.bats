#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Node 2 has movable memory only, as CXL and persistent memory has it by default, and the firmware
# promises latencies and bandwidths of each node. selftests/host/nodes.bats boots such a guest.

load tiers.bash

NODE=/sys/devices/system/node/node2

setup_file() { small_buffers; }

blocks() { ls -d $NODE/memory[0-9]*; }

@test "the machine is such a one" {
	grep -qw 2 <(tr ',-' '  ' </sys/devices/system/node/has_memory)
	not grep -qw 2 <(tr ',-' '  ' </sys/devices/system/node/has_normal_memory)
	[ "$(blocks | wc -l)" -eq 2 ]
}

@test "all types on movable memory" {
	echo "bandwidth node=2 type=wb,wc,uc op=write size=64K,4M page=direct,4k repeat=1" >run
	holds 'len(results) == 12' 'values("memory_node") == {2}' 'values("memory_zone") == {"Movable"}' \
		'values("verified") == {"ok"}' \
		'{(r["type"], r["attribute"]) for r in results} == {("wb", "wb"), ("wc", "wc"), ("uc", "uc-")}'
	grep -qx 'leaked_pages=0' buffers
}

@test "a run by the front end knows zones, tiers and promises, and measures the node from all CPUs" {
	local nearest shown
	tiers_known 2
	[ "$(cat $NODE/access0/initiators/read_latency)" = 250 ]
	# Versions of QEMU differ in the nodes that they name as nearest to a node without CPUs.
	nearest=$(printf '%s\n' $NODE/access0/initiators/node* | sed 's/.*node//' | paste -sd ,)
	records "[$nearest] in ([0], [0, 1])" 'near := [80, 90, 20 << 10, 15 << 10]' \
		'keys := ("from_nodes", "read_latency_ns", "write_latency_ns", "read_mb_per_s", "write_mb_per_s")' \
		"{node: [one['promised'][key] for key in keys] for node, one in tiers.items()} ==
			{0: [[0], *near], 1: [[1], *near], 2: [[$nearest], 250, 300, 5 << 10, 3 << 10]}"
	for shown in '^0 +[~±?]*[0-9.]+ +80 ' '^1 +[~±?]*[0-9.]+ +80 ' '^2 +[~±?]*[0-9.]+ +250 .* Movable$' \
		'^memory node +mb_per_s +promised_mb_per_s ' '^0 +[~±?]*[0-9.]+ +20480\.0 ' '^2 +[~±?]*[0-9.]+ +5120\.0 .* Movable$'; do
		grep -E "$shown" "$BATS_TEST_TMPDIR/said"
	done
}

@test "to take a block offline waits no longer than the run" {
	local writer block
	bash -c 'echo "bandwidth node=2 type=wc op=write size=128M repeat=1000000" >run' 3>&- &
	writer=$!
	await $writer grep -q '^running [1-9]' progress
	echo 1 >stop
	not wait $writer
	grep -q '^error: ECANCELED' run
	for block in $(blocks); do
		echo offline >"$block/state"
		[ "$(cat "$block/state")" = offline ]
	done
}
