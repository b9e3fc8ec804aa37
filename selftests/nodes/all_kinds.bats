#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# RAM (nodes 0 and 1), persistent memory (2), a memory module without CPUs (3) and the memory of a
# CXL device in one machine. selftests/qemu/qemu.bats boots such a guest.

load tiers.bash

setup_file() {
	local pmem
	modprobe -a cxl_acpi cxl_pci cxl_mem dax_cxl nfit nd_pmem device_dax dax_pmem kmem
	await 0 says '?*' cxl_decoder
	cxl_region
	await 0 says '?*' dax_of kmem
	await 0 says '?*' pmem_namespace
	pmem_namespace >/sys/bus/nd/drivers/nd_pmem/unbind
	pmem=$(pmem_dax)
	echo "$pmem" >/sys/bus/dax/drivers/device_dax/unbind
	echo "$pmem" >/sys/bus/dax/drivers/kmem/new_id
	await 0 says $'?*\n?*' dax_of kmem
	online_all
	small_buffers
}

@test "the matrices have all nodes, and only CXL is slow" {
	local suite
	for suite in latency-matrix bandwidth-matrix; do
		"$BATS_TEST_DIRNAME/../../tools/memcache/memcache" run --rounds 1 -o "$BATS_TEST_TMPDIR/$suite.jsonl" \
			$suite size=64K repeat=3 warmup=0
		/usr/bin/python3 -c 'import json, sys
with open(sys.argv[1]) as file:
    results = [one for one in map(json.loads, file) if one["record"] == "result"]
times = {}
for one in results:
    times.setdefault(one["memory_node"], []).append(one["min_ns"])
print(times)
assert sorted(times) == [0, 1, 2, 3, 4], sorted(times)
assert all(len(each) == 2 for each in times.values()), times
fast = max(time for node in (0, 1, 2, 3) for time in times[node])
assert min(times[4]) > 10 * fast, times' "$BATS_TEST_TMPDIR/$suite.jsonl"
	done
}

@test "tiers has them, with zones and tiers" {
	local node
	for node in 2 3 4; do
		tiers_known $node
	done
}
