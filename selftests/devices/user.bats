#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# target= of memcache-user, beside that of the module: a BAR through sysfs, a soft-reserved
# range through devdax. selftests/host/devices.bats boots a guest that has ivshmem, edu, and 32 MiB
# at 0x1a000000 that are soft reserved.

load devices.bash

USER_TOOL=$BATS_TEST_DIRNAME/../../build/user/memcache-user
RANGE=phys:0x1a000000+16M
GROUPS_OF=/sys/fs/cgroup

setup_file() {
	modprobe -a dax_hmem device_dax
	devices
}

# refuses "ERROR: KEY: TEXT" LINE
refuses() {
	not "$USER_TOOL" "$2" 2>"$BATS_TEST_TMPDIR/said"
	cat "$BATS_TEST_TMPDIR/said"
	grep -qF "memcache-user: $1" "$BATS_TEST_TMPDIR/said"
}

offer() { echo memcache >"$DEVICES/$1/driver_override"; }

@test "a BAR is mapped only if its owner offers it, and no driver has it" {
	local line="bandwidth target=pci:$IVSHMEM/2 type=uc size=4K op=read"
	refuses "Invalid argument: target: $IVSHMEM is not reserved for memcache" "$line"
	bind "$IVSHMEM"
	refuses "Invalid argument: target: the driver memcache has $IVSHMEM; write $IVSHMEM to /sys/bus/pci/drivers/memcache/unbind" \
		"$line"
}

@test "what could do harm is refused by name" {
	local bar=target=pci:$IVSHMEM/2 edu=target=pci:$EDU/0
	offer "$IVSHMEM"
	offer "$EDU"
	# targets.bats has what both sides refuse alike; what the BAR is, each side finds out itself.
	refuses "Invalid argument: any_bar: BAR 0 of $EDU is not prefetchable" "bandwidth $edu type=uc size=4K"
	refuses "Invalid argument: target: BAR 1 of $IVSHMEM is no memory" "bandwidth ${bar%2}1 type=uc size=4K"
	refuses "Operation not supported: type: a process maps a BAR as uc or wc; np is for the module" \
		"bandwidth $bar type=np size=4K op=read"
	mountpoint -q "$GROUPS_OF" || mount -t cgroup2 none "$GROUPS_OF"
	echo +memory >"$GROUPS_OF/cgroup.subtree_control"
	mkdir "$GROUPS_OF/small"
	echo 8M >"$GROUPS_OF/small/memory.max"
	(
		echo "$BASHPID" >"$GROUPS_OF/small/cgroup.procs"
		refuses "Cannot allocate memory: write: no memory to save the contents, 4 MiB" \
			"bandwidth $bar type=uc op=write size=4M write=yes"
	)
	[ "$(cat "$DEVICES/$IVSHMEM/enable")" = 0 ]
}

@test "a BAR: types read back, contents unchanged, the device as it was" {
	offer "$IVSHMEM"
	local bar=target=pci:$IVSHMEM/2
	process "bandwidth $bar type=uc,wc op=read,ntread width=max size=64K offset=0,1M repeat=2" \
		"mmio $bar type=uc,wc op=read width=4,8 repeat=2"
	cat "$BATS_TEST_TMPDIR/results.jsonl"
	holds 'len(results) == 12' \
		'{(r["type"], r["attribute"]) for r in results} == {("uc", "uc-"), ("wc", "wc")}' \
		"values('target') == {'pci:$IVSHMEM/2'}" 'values("effective") == {"unknown"}' \
		"results[0]['physical_range'] == '$(sed -n '3s/^0x0*\([0-9a-f]*\) .*/0x\1/p' "$DEVICES/$IVSHMEM/resource")+64K'" \
		'values("memory_zone") == {None}' 'values("write") == {"no"}'
	process "bandwidth $bar write=yes type=uc,wc op=write,ntwrite,copy,read size=64K offset=64K repeat=2" \
		"mmio $bar write=yes type=uc,wc op=write,write_read,burst width=1,8 repeat=2"
	holds 'len(results) == 20' 'values("verified") == {"ok"}'
	[ "$(cat "$DEVICES/$IVSHMEM/enable")" = 0 ]
	unchanged
}

@test "a mapping of somebody else is noticed: ours has its type" {
	offer "$IVSHMEM"
	another hold
	refuses "Operation not supported: type: asked for wc, the kernel has uc-" \
		"bandwidth target=pci:$IVSHMEM/2 type=wc size=4K op=read"
	kill $!
	wait $! || true
	"$USER_TOOL" "bandwidth target=pci:$IVSHMEM/2 type=wc size=4K op=read repeat=1"
}

@test "a soft-reserved range through devdax, and by the module" {
	local dax size='size=64K,1M offset=1M'
	dax=$(basename /sys/bus/dax/devices/dax*)
	process "bandwidth target=$RANGE op=read $size repeat=2" \
		"bandwidth target=$RANGE write=yes op=write,copy $size repeat=2" \
		"latency target=$RANGE write=yes size=64K repeat=2"
	cat "$BATS_TEST_TMPDIR/results.jsonl"
	holds 'len(results) == 7' "values('target') == {'$RANGE'}" \
		'values("physical_range") == {"0x1a100000+64K", "0x1a100000+1M", "0x1a000000+64K"}' \
		'{r["verified"] for r in results if r["write"] == "yes"} == {"ok"}'
	refuses "Operation not supported: type: a process maps a range as wb" "bandwidth target=$RANGE type=uc op=read size=4K"
	unset MEMCACHE_DEBUGFS
	refused EINVAL "target: a driver uses this range, or some of it" "bandwidth target=$RANGE op=read size=4K"
	echo "$dax" >/sys/bus/dax/drivers/device_dax/unbind
	refuses "Invalid argument: target: bind $dax to the driver device_dax; it has none" \
		"bandwidth target=$RANGE op=read size=4K"
	echo "bandwidth target=$RANGE type=wb,wc,uc write=yes op=write $size repeat=2" >run
	cat results
	holds 'len(results) == 6' 'values("verified") == {"ok"}' \
		'[r["attribute"] for r in results][::2] == ["wb", "wc", "uc-"]'
	echo "$dax" >/sys/bus/dax/drivers/device_dax/bind
}
