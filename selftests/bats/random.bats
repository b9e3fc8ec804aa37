#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Reads and writes at random places.

load module.bash

setup_file() { small_buffers; }

@test "every access, generator, type and alignment: the data hold" {
	echo 'random op=read,write generator=lcg,xorshift128+ align=8,1 type=wb,wc,uc size=1K,64K,2M count=8K repeat=2 warmup=1' >run
	holds 'len(results) == 72' \
		'{r["verified"] for r in results if r["op"] == "read" or r["align_bytes"] == 8} == {"ok"}' \
		'{(r["verified"], r["verify"]) for r in results if r["op"] == "write" and r["align_bytes"] == 1} == {("off", "off")}'
	echo 'random mode=dependent generator=lcg,xorshift128+ align=8,1 type=wb,wc,uc size=1K,64K,2M count=8K repeat=2 warmup=1' >run
	holds 'len(results) == 36' 'values("verified") == {"ok"}'
}

@test "interrupts on and off, bound and anywhere, one thread and two" {
	local on
	# One of them has more than the standing buffers hold.
	for on in 'cpu=1 size=4K,3M' 'cpu=any size=4K,272K'; do
		echo "random op=read,write $on irq=on,off page=direct,4k count=4K repeat=1 warmup=0" >run
		holds 'len(results) == 16' 'values("verified") == {"ok"}' \
			'all(r["accesses"] == 4096 for r in results)'
	done
	# Where one CPU is emulated after the other, two threads take a second for each record: each
	# pair of values once.
	for on in 'size=4K irq=on page=direct' 'size=4K irq=off page=4k' 'size=272K irq=on page=4k' \
		'size=272K irq=off page=direct'; do
		echo "random op=read,write cpu=0,1 $on count=4K repeat=1 warmup=0" >run
		holds 'len(results) == 2' 'values("verified") == {"ok"}' \
			'all(r["accesses"] == 2 * 4096 for r in results)'
	done
}
