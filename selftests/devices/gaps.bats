#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A physical range with a gap. selftests/host/devices.bats boots a guest that has two memory modules
# of 8 MiB, from 0x100000000 and 0x101000000 on, in one range that its command line has reserved:
# /proc/iomem does not show that 8 MiB between them are no memory.

load ../bats/module.bash

ALL="target=phys:0x100000000+24M any_range=yes"
FIRST="target=phys:0x100000000+8M any_range=yes"
LAST="target=phys:0x101000000+8M any_range=yes"

setup_file() { small_buffers; }

# modules fill|sum: with random bytes, or their checksums
modules() {
	local at
	for at in 0x100000000 0x101000000; do
		"$BATS_TEST_DIRNAME/bar.py" /dev/mem "$1" $at 0x800000 || return
	done
}

@test "tests that write name the first page that is no memory, and follow nothing" {
	grep -E '^[0-9a-f]{8,9}-1017fffff : Reserved' /proc/iomem
	modules fill
	before=$(modules sum)
	for line in "latency type=uc,wb" "loaded type=wb cpu=0,1 delay=0" "c2c type=wb cpu=0,1" \
		"tlb type=uc page=auto" "bandwidth type=wc op=write"; do
		refused EOPNOTSUPP "target: the page at 0x100800000 is not memory: what was written is not read" \
			"$line $ALL write=yes size=24M repeat=1"
		grep -x 'state: refused' run
	done
	# Not even where both ends are memory.
	refused EOPNOTSUPP "target: the page at 0x100800000 is not memory" \
		"latency $ALL write=yes type=uc offset=4M size=16M"
	refused EOPNOTSUPP "target: the page at 0x100800000 is not memory" \
		"line $ALL write=yes offset=8128K size=128K"
	[ "$(modules sum)" = "$before" ]
}

@test "the memory on either side is measured" {
	before=$(modules sum)
	for target in "$FIRST" "$LAST" "$ALL"; do
		echo "latency $target type=uc,wb write=yes size=1M repeat=2" >run
		holds 'values("verified") == {"ok"}' 'len(results) == 2'
	done
	echo "latency $ALL type=wb write=yes offset=16M size=1M repeat=2" >run
	echo "line $LAST type=wb write=yes size=128K repeat=2" >run
	echo "tlb $FIRST type=wb write=yes page=auto size=8M repeat=2" >run
	holds 'values("verified") == {"ok"}'
	echo "c2c $FIRST type=wb write=yes size=64K cpu=0,1 repeat=2" >run
	holds 'values("verified") == {"ok"}'
	echo "loaded $FIRST type=wb,uc write=yes size=64K cpu=0,1 delay=0 repeat=2" >run
	holds 'len(results) == 2'
	[ "$(modules sum)" = "$before" ]
}
