#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A thread that dies, in a window with interrupts off. selftests/host/devices.bats builds the loop that
# kills it on any CPU but the first one, and boots a guest with 16 MiB at 0x18000000 that are reserved.

load ../bats/module.bash

DIES=$BATS_TEST_DIRNAME/../../build/dies/memcache_own_dies.ko
PHYS="target=phys:0x18000000+16M any_range=yes"

setup_file() {
	small_buffers
	insmod "$DIES"
}

teardown_file() { :; }

# sum: of the range
sum() { "$BATS_TEST_DIRNAME/bar.py" /dev/mem sum 0x18000000 0x1000000; }

# died LINE: the run ends, says so, and nobody waits for the thread, which was on CPU 1.
died() {
	dmesg --clear
	timeout 1200 bash -c "echo '$1' >run" && return 1
	[ $? -ne 124 ]
	cat run
	grep '^error: EIO run: one of its threads died in the kernel, whose log says why' run
	grep -x 'state: failed' run
	grep -x idle progress
	dmesg | grep 'BUG: kernel NULL pointer dereference'
	dmesg | grep "memcache: the thread [0-9]*, on CPU 1, has died; its part of the run is never freed"
	not pgrep -f 'memcache/[0-9]'
	dmesg --clear
}

@test "the run of a thread that dies fails, and others end with it" {
	echo "bandwidth op=own irq=off cpu=0 size=64K repeat=3" >run
	died "bandwidth op=own irq=off cpu=0,1 size=64K repeat=3"
	died "bandwidth op=own irq=on cpu=1 size=64K repeat=3 timeout=1000"
}

@test "contents of a target come back" {
	local before
	before=$(sum)
	died "bandwidth $PHYS type=uc,wb write=yes op=own irq=off cpu=1 size=64K offset=1M repeat=3"
	[ "$(sum)" = "$before" ]
	not grep -q ' : memcache$' /proc/iomem
}

@test "the module measures on, and can go" {
	echo 'bandwidth op=write cpu=0 size=64K repeat=2' >run
	holds 'values("verified") == {"ok"}'
	cd /
	rmmod memcache_own_dies
	rmmod memcache
	[ ! -e /sys/module/memcache ]
	insmod "$MEMCACHE_KO" size_mb=2
	echo 'latency cpu=0 size=64K repeat=2' >"$FILES/run"
	rmmod memcache
	dmesg --clear
}
