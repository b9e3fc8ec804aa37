# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the tests of target=, in a guest that has ivshmem (a BAR with memory behind it), testdev (one
# that drops what is written) and edu (registers).

load ../bats/module.bash

DEVICES=/sys/bus/pci/devices

# device VENDOR:DEVICE: its address.
device() { grep -lx "PCI_ID=${1^^}" "$DEVICES"/*/uevent | cut -d / -f 6; }

# For setup_file().
devices() {
	small_buffers
	IVSHMEM=$(device 1af4:1110) TESTDEV=$(device 1b36:0005) EDU=$(device 1234:11e8)
	export IVSHMEM TESTDEV EDU
	BAR=$DEVICES/$IVSHMEM/resource2
	export BAR
	# What the tests must leave behind.
	echo 1 >"$DEVICES/$IVSHMEM/enable"
	"$BATS_TEST_DIRNAME/bar.py" "$BAR" fill
	SUM=$("$BATS_TEST_DIRNAME/bar.py" "$BAR" sum)
	export SUM
	echo 0 >"$DEVICES/$IVSHMEM/enable"
}

bind() {
	echo memcache >"$DEVICES/$1/driver_override"
	echo "$1" >/sys/bus/pci/drivers_probe
	[ "$(readlink -f "$DEVICES/$1/driver")" = /sys/bus/pci/drivers/memcache ]
}

unbind() {
	echo >"$DEVICES/$1/driver_override"
	echo "$1" >/sys/bus/pci/drivers/memcache/unbind
}

# give_back: no driver has the devices, nobody is offered them, and they are off.
give_back() {
	local device
	for device in "$IVSHMEM" "$TESTDEV" "$EDU"; do
		[ -e "$DEVICES/$device" ] || continue
		[ ! -e "$DEVICES/$device/driver" ] || echo "$device" >"$DEVICES/$device/driver/unbind"
		echo >"$DEVICES/$device/driver_override"
		echo 0 >"$DEVICES/$device/enable" 2>/dev/null || true
	done
}

teardown() { give_back; }

# unchanged: ivshmem, which is given back, holds what it held at first.
unchanged() {
	local sum
	give_back
	echo 1 >"$DEVICES/$IVSHMEM/enable"
	sum=$("$BATS_TEST_DIRNAME/bar.py" "$BAR" sum)
	echo 0 >"$DEVICES/$IVSHMEM/enable"
	[ "$sum" = "$SUM" ]
}

# another hold|scribble: a process that has the BAR mapped, before we bind the device; $!
another() {
	echo 1 >"$DEVICES/$IVSHMEM/enable"
	"$BATS_TEST_DIRNAME/bar.py" "$BAR" "$1" >"$BATS_TEST_TMPDIR/another" 3>&- &
	await $! grep -qs mapped "$BATS_TEST_TMPDIR/another"
}
