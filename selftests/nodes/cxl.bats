#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory of a CXL device, as a node of its own. selftests/qemu/qemu.bats boots a guest with 256 MiB
# of it. QEMU emulates each access to it as one of a device, so it really is slower than RAM.

load tiers.bash

setup_file() {
	modprobe -a cxl_acpi cxl_pci cxl_mem dax_cxl kmem
	small_buffers
	await 0 says '?*' cxl_decoder
}

# node: that of the CXL memory.
node() { cat "$BATS_FILE_TMPDIR/node"; }

@test "a region of the device becomes a node" {
	cxl_region
	await 0 says '?*' dax_of kmem
	online "$(dax_of kmem)" >"$BATS_FILE_TMPDIR/node"
	[ "$(node)" -gt 1 ]
	grep MemTotal "/sys/devices/system/node/node$(node)/meminfo"
}

@test "its loads take at least 10 times as long as those of RAM" {
	echo "latency node=0,$(node) size=64K repeat=3 warmup=0" >run
	holds "[(r['memory_node'], r['memory_zone'] == 'Movable') for r in results] ==
			[(0, False), ($(node), True)]" \
		'results[1]["ns_per_load_min"] >= 10 * results[0]["ns_per_load_min"]'
}

@test "its bandwidth is at most a tenth of that of RAM" {
	echo "bandwidth op=read,write width=8 node=0,$(node) size=64K repeat=3 warmup=0" >run
	holds 'len(results) == 4' 'values("verified") == {"ok"}' \
		"all(cxl['min_ns'] >= 10 * ram['min_ns'] for cxl in results for ram in results if
			cxl['op'] == ram['op'] and (cxl['memory_node'], ram['memory_node']) == ($(node), 0))"
}

@test "it has all types" {
	echo "bandwidth node=$(node) type=wb,wc,uc op=write size=64K repeat=1 warmup=0" >run
	holds 'values("verified") == {"ok"}' \
		'[(r["type"], r["attribute"]) for r in results] == [("wb", "wb"), ("wc", "wc"), ("uc", "uc-")]'
}

@test "the front end knows its zone and its tier" {
	tiers_known "$(node)"
}

@test "the matrix of nodes has it" {
	matrix_has 0 1 "$(node)"
}
