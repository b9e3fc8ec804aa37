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
		front --rounds 1 $suite repeat=3
		records 'sorted(one["memory_node"] for one in rows) == sorted(2 * [0, 1, 2, 3, 4])' \
			'min(one["min_ns"] for one in rows if one["memory_node"] == 4) >
				10 * max(one["min_ns"] for one in rows if one["memory_node"] != 4)'
	done
}

@test "tiers has them, with zones and tiers" {
	local node
	for node in 2 3 4; do
		tiers_known $node
	done
}
