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

# process LINE…: measure in a process; `holds` finds its records then.
process() {
	MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR
	export MEMCACHE_DEBUGFS
	"$USER_TOOL" -j "$@" >"$BATS_TEST_TMPDIR/results.jsonl"
	head -n 1 "$BATS_TEST_TMPDIR/results.jsonl" >"$BATS_TEST_TMPDIR/machine"
}

# refuses "ERROR: KEY: TEXT" LINE
refuses() {
	not "$USER_TOOL" "$2" 2>"$BATS_TEST_TMPDIR/said"
	cat "$BATS_TEST_TMPDIR/said"
	grep -qF "memcache-user: $1" "$BATS_TEST_TMPDIR/said"
}

offer() { echo memcache >"$DEVICES/$1/driver_override"; }
take_back() { echo >"$DEVICES/$1/driver_override"; }

@test "a BAR is mapped only if its owner offers it, and no driver has it" {
	local line="bandwidth target=pci:$IVSHMEM/2 type=uc size=4K op=read"
	refuses "Invalid argument: target: $IVSHMEM is not reserved for memcache" "$line"
	refuses "No such device: target: there is no PCI device 0000:7f:00.0" \
		"bandwidth target=pci:0000:7f:00.0/2 type=uc size=4K"
	bind "$IVSHMEM"
	refuses "Invalid argument: target: the driver memcache has $IVSHMEM; write $IVSHMEM to /sys/bus/pci/drivers/memcache/unbind" \
		"$line"
	unbind "$IVSHMEM"
}

@test "what could do harm is refused by name" {
	local bar=target=pci:$IVSHMEM/2 edu=target=pci:$EDU/0
	offer "$IVSHMEM"
	offer "$EDU"
	refuses "Invalid argument: type: a BAR is never write-back" "bandwidth $bar size=4K"
	refuses "Invalid argument: write: this request of bandwidth writes" "bandwidth $bar type=uc op=write size=4K"
	refuses "Invalid argument: target: latency follows pointers" "latency $bar type=uc size=4K write=yes"
	refuses "Invalid argument: any_bar: BAR 0 of $EDU is not prefetchable" "bandwidth $edu type=uc size=4K"
	refuses "Invalid argument: target: BAR 1 of $IVSHMEM is no memory" "bandwidth ${bar%2}1 type=uc size=4K"
	refuses "Invalid argument: size: 4096 bytes from offset=4194304 on" "bandwidth $bar type=uc size=4K offset=4M"
	refuses "Operation not supported: type: a process maps a BAR as uc or wc; np is for the module" \
		"bandwidth $bar type=np size=4K op=read"
	refuses "Invalid argument: target: no devdax device has this range" "bandwidth target=phys:0x10000000+4K size=4K"
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
	take_back "$EDU"
	take_back "$IVSHMEM"
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
		'values("memory_zone") == {None}' 'values("write") == {"no"}'
	process "bandwidth $bar write=yes type=uc,wc op=write,ntwrite,copy,read size=64K offset=64K repeat=2" \
		"mmio $bar write=yes type=uc,wc op=write,write_read,burst width=1,8 repeat=2"
	holds 'len(results) == 20' 'values("verified") == {"ok"}'
	[ "$(cat "$DEVICES/$IVSHMEM/enable")" = 0 ]
	take_back "$IVSHMEM"
	unchanged
}

@test "a BAR gets accesses of 8 bytes at most, unless width= is given" {
	local bar=target=pci:$IVSHMEM/2
	offer "$IVSHMEM"
	process "bandwidth $bar type=uc write=yes op=read,write,copy size=64K repeat=1"
	holds 'values("width_bytes") == {8}' 'values("verified") == {"ok"}'
	refuses "Invalid argument: width: op=ntread has no access of 8 bytes or less" \
		"bandwidth $bar type=uc op=ntread size=64K"
	process "bandwidth $bar type=uc op=read,ntread width=16 size=64K repeat=1"
	holds 'values("width_bytes") == {16}'
	take_back "$IVSHMEM"
	unchanged
}

@test "the kernel and a process measure the same bytes of a BAR" {
	local line="mmio target=pci:$IVSHMEM/2 type=uc,wc op=read width=4 size=16K repeat=2"
	bind "$IVSHMEM"
	echo "$line" >run
	grep '"record": *"result"' results.jsonl >"$BATS_TEST_TMPDIR/kernel"
	echo "$IVSHMEM" >"$DEVICES/$IVSHMEM/driver/unbind"
	process "$line"
	/usr/bin/python3 - "$BATS_TEST_TMPDIR/kernel" "$BATS_TEST_TMPDIR/results.jsonl" <<'EOF'
import json, sys
kernel, process = ([one for one in map(json.loads, open(name)) if one["record"] == "result"]
                   for name in sys.argv[1:])
same = ("target", "physical_range", "attribute", "type", "size_bytes", "write")
assert len(kernel) == len(process) == 2
for one, other in zip(kernel, process):
    assert [one[key] for key in same] == [other[key] for key in same], (one, other)
assert {one["where"] for one in kernel} == {"kernel"} and {one["where"] for one in process} == {"user"}
EOF
	take_back "$IVSHMEM"
	unchanged
}

@test "memory that drops what is written is refused" {
	offer "$TESTDEV"
	refuses "Operation not supported: target: the page at 0x" \
		"bandwidth target=pci:$TESTDEV/2 any_bar=yes write=yes type=uc op=write size=4K"
	[ "$(cat "$DEVICES/$TESTDEV/enable")" = 0 ]
	take_back "$TESTDEV"
}

@test "a mapping of somebody else is noticed: ours has its type" {
	offer "$IVSHMEM"
	another hold
	refuses "Operation not supported: type: asked for wc, the kernel has uc-" \
		"bandwidth target=pci:$IVSHMEM/2 type=wc size=4K op=read"
	kill $!
	wait $! || true
	"$USER_TOOL" "bandwidth target=pci:$IVSHMEM/2 type=wc size=4K op=read repeat=1"
	echo 0 >"$DEVICES/$IVSHMEM/enable"
	take_back "$IVSHMEM"
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
