#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What only the guest `stock` has: QEMU's CPUs, nodes and memory, and several kernels.

# shellcheck disable=SC2016 # what stands in single quotes, the guest expands

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP TIMEOUT=600
	unset KERNEL ACCEL CPUS DEVICES DIMM PMEM CXL HMAT MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER KVM_DEVICE
	unset FIRMWARE LOADER CONSOLE
	"$TOP/tools/setup" guest
	# Other tests test the probe for KVM.
	ACCEL=$("$TOP/tools/guest/accel" "$("$TOP/tools/guest/kernel" 6.1)" | cut -d' ' -f1)
	export ACCEL
}

guest() { "$TOP/tools/guest/run" stock -- "$@"; }

@test "two CPUs on two NUMA nodes, debugfs, PAT, a steady clock; and the other kernel" {
	export KERNEL=6.12
	run --separate-stderr guest sh -c 'cd /sys/devices/system/node
		head node[01]/cpulist node[01]/distance | grep .
		awk "/MemTotal/ { print (\$4 > 300000) }" node[01]/meminfo
		ls -d /sys/kernel/debug/x86
		dmesg | grep -o "PAT: Configuration.*[^ ]"
		cat /sys/devices/system/clocksource/clocksource0/current_clocksource
		uname -r | cut -d. -f1-2'
	echo "$output"
	[ "$output" = "==> node0/cpulist <==
0
==> node1/cpulist <==
1
==> node0/distance <==
10 21
==> node1/distance <==
21 10
1
1
/sys/kernel/debug/x86
PAT: Configuration [0-7]: WB  WC  UC- UC  WB  WP  UC- WT
tsc
6.12" ]
}

@test "CPUS and MEM are shared out to the nodes, APPEND reaches the kernel" {
	export MEM=2G APPEND=nopat
	CPUS=4 run --separate-stderr guest sh -c 'cat /sys/devices/system/node/node[01]/cpulist
		awk "/MemTotal/ { print (\$4 > 700000) }" /sys/devices/system/node/node[01]/meminfo
		grep -c nopat /proc/cmdline
		uname -r | cut -d. -f1-2'
	[ "$output" = $'0-1\n2-3\n1\n1\n1\n6.1' ]
	CPUS=1 run --separate-stderr guest cat /sys/devices/system/node/{online,has_cpu}
	[ "$output" = $'0-1\n0' ]
}

@test "DEVICES adds PCI devices; a memmap= in APPEND takes a range from the kernel" {
	DEVICES="ivshmem=4M testdev=2M edu" APPEND='memmap=64M$0x18000000' \
		run --separate-stderr guest sh -c 'cd /sys/bus/pci/devices
		# Their vendor and device, and the size of the last BAR that each has.
		for id in 1af4:1110 1b36:0005 1234:11e8; do
			for device in *; do
				[ "$(sed s/0x// "$device/vendor"):$(sed s/0x// "$device/device")" = $id ] || continue
				last=$(ls "$device" | grep -x "resource[0-5]" | tail -n 1)
				echo "$id $last $(stat -c %s "$device/$last")"
			done
		done
		grep -io "18000000-1bffffff : reserved" /proc/iomem'
	echo "$output"
	[ "$output" = "1af4:1110 resource2 4194304
1b36:0005 resource2 2097152
1234:11e8 resource0 1048576
18000000-1bffffff : Reserved" ]
}

@test "an arm64 machine finds its own programs above this machine's files" {
	KERNEL=6.1-arm64 ACCEL=auto run --separate-stderr guest bash -c 'uname -m
		cat /sys/devices/system/node/node[01]/cpulist
		python3 -c "import ctypes, json, platform; print(platform.machine())"
		awk "BEGIN { print 6 * 7 }"
		head -n 1 "$0"' "$TOP/tools/guest/run"
	echo "$output"
	[ "$output" = "aarch64
0
1
aarch64
42
#!/bin/bash" ]
}

@test "bad settings are refused before anything boots" {
	while IFS='|' read -r set word; do
		run env "$set" "$TOP/tools/guest/run" stock -- true
		echo "$set: $output"
		[ "$status" -eq 1 ]
		[[ $output == memcache:*"$word"* ]]
	done <<-'END'
		CPUS=0|CPUS=0
		CPUS=many|CPUS=many
		TIMEOUT=-1|TIMEOUT=-1
		MEM=1M|MEM=1M
		MEM=some|MEM=some
		KERNEL=2.4|6.1
		ACCEL=fast|ACCEL=fast
		DIMM=some|DIMM=some
		DIMM=64M|no multiple of 128M
		PMEM=some|PMEM=some
		CXL=some|CXL=some
		HMAT=no|HMAT=no
		QEMU=2|QEMU=2
		DEVICES=nvme|no 'nvme': ivshmem=SIZE
		DEVICES=edu edu|edu is there twice
		DEVICES=ivshmem=3M|ivshmem=3M
		DEVICES=testdev=|testdev=
		FIRMWARE=/nowhere|no file that can be written
		LOADER=grub|none of none, shim
		LOADER=shim|LOADER=shim needs FIRMWARE=
	END
	run "$TOP/tools/guest/run" nothing -- true
	[ "$status" -eq 1 ]
	[[ $output == *"no guest 'nothing'"* ]]
	run "$TOP/tools/guest/run" stock true
	[ "$status" -eq 1 ]
	[[ $output == *usage* ]]
}
