#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Every way to move bytes: the data hold.

load module.bash

# all_ok RECORDS: so many results, and each was verified.
all_ok() {
	cat run
	holds "len(results) == $1" 'values("verified") == {"ok"}'
}

# ntread has no 8-byte form.
@test "every operation, width, fence, verification and type" {
	local op widths n
	for op in read ntread write ntwrite copy ntcopy rmw triad; do
		widths=8,16,32,max n=4
		[ $op != ntread ] || widths=16,32,max n=3
		echo "bandwidth op=$op width=$widths type=wb,wc,uc fence=none,sfence,mfence,uc verify=each,deferred size=8K repeat=2 warmup=1" >run
		all_ok $((n * 3 * 4 * 2))
	done
}

@test "every operation with interrupts off, in small pages, on each CPU" {
	local cpu
	for cpu in 0 1 0,1 any; do
		echo "bandwidth op=read,ntread,write,ntwrite,copy,ntcopy,rmw,triad cpu=$cpu irq=on,off page=direct,4k type=wb,uc size=16K,272K repeat=2 warmup=1" >run
		all_ok 128
	done
	holds 'values("threads") == {1}' 'values("cpu") == {"any"}'
}

@test "read back and compared within the window" {
	echo 'bandwidth op=write,ntwrite readback=on type=wb,wc,uc width=8,16,32 irq=on,off fence=none,sfence size=4K,1M repeat=2' >run
	all_ok 144
	echo 'bandwidth op=write,ntwrite readback=on verify=off size=4K repeat=2' >run
	all_ok 2
}

@test "sizes that are no power of two, in whole lines" {
	echo 'bandwidth op=read,write,ntwrite,copy,triad size=4160,12352,1000000,3145792 type=wb,uc repeat=1 warmup=0' >run
	all_ok 40
	holds 'all(r["traversed_bytes"] == r["size_bytes"] // 64 * 64 for r in results if r["op"] == "read")'
}

@test "two threads share a working set" {
	echo 'bandwidth cpu=0-1 op=read,write,copy size=64K,4M type=wb,wc,uc repeat=5' >run
	all_ok 18
	holds 'values("threads") == {2}' 'values("cpu") == {"0-1"}'
}

@test "verification off claims nothing" {
	echo 'bandwidth op=read,write verify=off size=4K' >run
	holds 'len(results) == 2' 'values("verified") == {"off"}'
}

# A guest's watchdogs would tell of windows that are too long: see the kernel log.
@test "long passes with interrupts off" {
	echo 'bandwidth op=read,write,ntwrite,copy type=wb,wc,uc size=64M irq=off repeat=2 warmup=0' >run
	all_ok 12
	holds 'all(r["window_max_ns"] for r in results)'
}
