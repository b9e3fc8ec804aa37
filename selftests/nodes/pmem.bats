#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Persistent memory: as a range, and as a node of its own. selftests/host/nodes.bats boots a guest
# with 256 MiB of it, which belong to node 2.

load tiers.bash

setup_file() {
	modprobe -a nfit nd_pmem device_dax dax_pmem
	small_buffers
}

@test "a range that its driver has is refused; without it, it is measured with all types" {
	local range
	range=phys:0x$(sed -n 's/^ *\([0-9a-f]*\)-.* : Persistent Memory$/\1/p' /proc/iomem)+64M
	refused EINVAL "target: a driver uses this range" "bandwidth target=$range op=read size=64K"
	echo namespace0.0 >/sys/bus/nd/drivers/nd_pmem/unbind
	echo "bandwidth target=$range write=yes type=wb,wt,wc,uc op=write size=64K offset=16M repeat=2" >run
	holds 'len(results) == 4' 'values("verified") == {"ok"}' \
		'[r["attribute"] for r in results] == ["wb", "wt", "wc", "uc-"]'
}

@test "as devdax it is measured in a process" {
	local dax
	dax=$(pmem_dax)
	"$BATS_TEST_DIRNAME/../../build/user/memcache-user" \
		"bandwidth target=$(dax_range "$dax") write=yes op=write,read size=1M repeat=2"
	refused EINVAL "target: a driver uses this range" "bandwidth target=$(dax_range "$dax") op=read size=64K"
}

@test "as a node, it has all types, and its tier" {
	local dax node range
	dax=$(dax_of device_dax)
	range=$(dax_range "$dax")
	modprobe kmem
	echo "$dax" >/sys/bus/dax/drivers/device_dax/unbind
	echo "$dax" >/sys/bus/dax/drivers/kmem/new_id
	node=$(online "$dax")
	[ "$node" = 2 ]
	echo "bandwidth node=0,2 type=wb,wc,uc op=write size=64K,4M repeat=1" >run
	holds 'len(results) == 12' 'values("memory_node") == {0, 2}' 'values("verified") == {"ok"}' \
		'{r["memory_zone"] for r in results if r["memory_node"] == 2} == {"Movable"}' \
		'{(r["type"], r["attribute"]) for r in results} == {("wb", "wb"), ("wc", "wc"), ("uc", "uc-")}'
	refused EINVAL "target: some of this range is System RAM" "bandwidth target=$range op=read size=64K"
	tiers_known 2
}

@test "the matrix of nodes has it, and its memory can go again" {
	local block
	matrix_has 0 1 2
	for block in /sys/devices/system/node/node2/memory[0-9]*; do
		echo offline >"$block/state"
		[ "$(cat "$block/state")" = offline ]
	done
}
