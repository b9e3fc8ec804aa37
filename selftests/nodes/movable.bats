#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Node 2 has movable memory only, as CXL and persistent memory has it by default, and the firmware
# promises latencies and bandwidths of each node. selftests/host/nodes.bats boots such a guest.

load ../bats/module.bash

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

@test "a run by the front end knows zones and tiers, and measures the node from all CPUs" {
	"$BATS_TEST_DIRNAME/../../tools/memcache/memcache" run -o "$BATS_FILE_TMPDIR/tiers.jsonl" \
		tiers size=64K repeat=1 warmup=0 >"$BATS_FILE_TMPDIR/said"
	cat "$BATS_FILE_TMPDIR/said"
	head -1 "$BATS_FILE_TMPDIR/tiers.jsonl" | /usr/bin/python3 -c 'import json, sys
tiers = {one["node"]: one for one in json.load(sys.stdin)["tiers"]}
assert sorted(tiers) == [0, 1, 2], tiers
assert tiers[2]["zones"] == ["Movable"], tiers
assert all(isinstance(one["tier"], int) for one in tiers.values()), tiers'
	grep -q '^memory node  ns_per_load  promised_ns  memory_tier ' "$BATS_FILE_TMPDIR/said"
	[ "$(grep -c '^2 .* Movable$' "$BATS_FILE_TMPDIR/said")" -eq 2 ]
}

@test "promised latencies and bandwidths come from the firmware to the record and the tables" {
	local shown
	[ "$(cat $NODE/access0/initiators/read_latency)" = 250 ]
	# Versions of QEMU differ in the nodes that they name as nearest to a node without CPUs.
	head -1 "$BATS_FILE_TMPDIR/tiers.jsonl" | /usr/bin/python3 -c 'import json, sys
nearest = [int(path.rpartition("node")[2]) for path in sys.argv[1:]]
assert nearest in ([0], [0, 1]), nearest
keys = "from_nodes", "read_latency_ns", "write_latency_ns", "read_mb_per_s", "write_mb_per_s"
promised = {one["node"]: [one["promised"][key] for key in keys]
            for one in json.load(sys.stdin)["tiers"]}
print(promised)
near = 80, 90, 20 << 10, 15 << 10
assert promised == {0: [[0], *near], 1: [[1], *near], 2: [nearest, 250, 300, 5 << 10, 3 << 10]}' \
		"$NODE"/access0/initiators/node*
	for shown in '^0 +[~±?]*[0-9.]+ +80 ' '^1 +[~±?]*[0-9.]+ +80 ' '^2 +[~±?]*[0-9.]+ +250 .* Movable$' \
		'^memory node +mb_per_s +promised_mb_per_s ' '^0 +[~±?]*[0-9.]+ +20480\.0 ' '^2 +[~±?]*[0-9.]+ +5120\.0 .* Movable$'; do
		grep -E "$shown" "$BATS_FILE_TMPDIR/said"
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
