#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory of a CXL device, as a node of its own. selftests/qemu/qemu.bats boots a guest with 256 MiB
# of it. QEMU emulates each access to it as one of a device, so it really is slower than RAM.

load tiers.bash

DEVICES=/sys/bus/cxl/devices

setup_file() {
	modprobe -a cxl_acpi cxl_pci cxl_mem dax_cxl kmem
	small_buffers
	until [ "$(endpoint)" ]; do sleep 0.1; done
}

# endpoint: the first decoder of the device itself, once its driver has found it.
endpoint() {
	local file
	for file in "$DEVICES"/decoder*.0/dpa_size; do
		[ ! -e "$file" ] || basename "${file%/*}"
	done
}

# node: that of the CXL memory.
node() { cat "$BATS_FILE_TMPDIR/node"; }

@test "a region of the device becomes a node" {
	local root=$DEVICES/decoder0.0 decoder size region
	decoder=$(endpoint)
	size=$(cat $DEVICES/mem0/ram/size)
	echo ram >"$DEVICES/$decoder/mode"
	echo "$size" >"$DEVICES/$decoder/dpa_size"
	region=$(cat $root/create_ram_region)
	echo "$region" >$root/create_ram_region
	cd "$DEVICES/$region"
	echo 1 >interleave_ways
	echo 256 >interleave_granularity
	echo "$size" >size
	echo "$decoder" >target0
	echo 1 >commit
	echo "$region" >/sys/bus/cxl/drivers/cxl_region/bind
	until [ "$(dax_of kmem)" ]; do sleep 0.1; done
	online "$(dax_of kmem)" >"$BATS_FILE_TMPDIR/node"
	[ "$(node)" -gt 1 ]
	grep MemTotal "/sys/devices/system/node/node$(node)/meminfo"
}

@test "its loads take at least 10 times as long as those of RAM" {
	echo "latency node=0,$(node) size=64K repeat=3 warmup=0" >run
	cat results
	holds "[(r['memory_node'], r['memory_zone'] == 'Movable') for r in results] ==
			[(0, False), ($(node), True)]" \
		'results[1]["ns_per_load"] >= 10 * results[0]["ns_per_load"]'
}

@test "its bandwidth is at most a tenth of that of RAM" {
	echo "bandwidth op=read,write width=8 node=0,$(node) size=64K repeat=3 warmup=0" >run
	cat results
	holds 'len(results) == 4' 'values("verified") == {"ok"}' \
		"all(10 * max(r['mb_per_s'] for r in results if (r['op'], r['memory_node']) == (op, $(node)))
			<= min(r['mb_per_s'] for r in results if (r['op'], r['memory_node']) == (op, 0))
			for op in ('read', 'write'))"
}

@test "it has all types" {
	echo "bandwidth node=$(node) type=wb,wc,uc op=write size=64K repeat=1 warmup=0" >run
	cat results
	holds 'values("verified") == {"ok"}' \
		'[(r["type"], r["attribute"]) for r in results] == [("wb", "wb"), ("wc", "wc"), ("uc", "uc-")]'
}

@test "the front end knows its zone and its tier" {
	tiers_known "$(node)"
}

@test "the matrix of nodes has it" {
	"$BATS_TEST_DIRNAME/../../tools/memcache/memcache" run -o "$BATS_TEST_TMPDIR/r.jsonl" \
		latency-matrix size=64K repeat=1 warmup=0 >"$BATS_TEST_TMPDIR/said"
	cat "$BATS_TEST_TMPDIR/said"
	grep '"record": *"result"' "$BATS_TEST_TMPDIR/r.jsonl" | python3 -c 'import json, sys
assert {json.loads(line)["memory_node"] for line in sys.stdin} == {0, 1, int(sys.argv[1])}' "$(node)"
}
