#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Every way to move bytes moves them correctly.

load module.bash

# all_ok RECORDS: there are so many results, and each was verified.
all_ok() {
	holds "len(results) == $1" 'values("verified") == {"ok"}'
}

# All operations are in the native test `loops`, and in this kernel in selftests/memcache/loops.c.
@test "every width, fence, verification and type" {
	local op
	for op in read write ntwrite copy rmw triad; do
		echo "bandwidth op=$op width=8,16,32,max type=wb,wc,uc fence=none,sfence,mfence,uc verify=each,deferred size=8K repeat=2 warmup=1" >run
		all_ok 96
	done
}

@test "lines in random order" {
	echo 'bandwidth op=read,ntwrite,copy,triad4,rw31 pattern=random width=16,32 type=wb,wc,uc size=8K,272K repeat=2 warmup=1 irq=off' >run
	all_ok 60
}

@test "strings, and the kernel's own functions" {
	echo 'bandwidth op=rep_movsb,rep_stosb,memcpy_toio,memcpy_fromio,memset_io,__iowrite64_copy,memcpy_flushcache type=wb,wc,uc fence=none,sfence,mfence,uc size=8K repeat=2 warmup=1' >run
	all_ok 84
	holds 'dict(sorted((r["op"], r["width_bytes"]) for r in results)) ==
		{"rep_movsb": 1, "rep_stosb": 1, "memcpy_toio": 4, "memcpy_fromio": 4, "memset_io": 1,
		"__iowrite64_copy": 8, "memcpy_flushcache": 8}'
}

@test "the kernel's functions for memory" {
	echo 'bandwidth op=memset,memcpy,memmove,copy_mc_to_kernel,csum_partial,clear_page,copy_page type=wb,wc,uc size=16K repeat=2 warmup=1' >run
	all_ok 21
	echo 'bandwidth op=memset,memcpy,memmove,copy_mc_to_kernel align=1 tail=3 size=16K repeat=2 warmup=1' >run
	all_ok 4
	not tee run <<<'bandwidth op=clear_page align=1'
	echo 'bandwidth op=copy_from_user,copy_to_user,clear_user page=direct,4k size=16K,4M repeat=2 warmup=1' >run
	all_ok 12
	# Odd places need one piece of memory, which is large only in pages of 4K.
	echo 'bandwidth op=copy_from_user,copy_to_user,clear_user page=direct align=0,1 tail=0,3 size=16K repeat=2 warmup=1' >run
	all_ok 12
	echo 'bandwidth op=copy_from_user,copy_to_user,clear_user page=4k align=1 tail=3 size=16K,4M repeat=2 warmup=1' >run
	all_ok 6
	echo 'bandwidth op=copy_from_user,copy_to_user cpu=0-1 size=12M,64K repeat=2 warmup=1' >run
	all_ok 4
	echo 'bandwidth op=memset,memcpy,csum_partial,memcpy_toio,copy_from_user extent=64,960,2M piece=none,4K size=4M repeat=2 warmup=1' >run
	all_ok 30
	holds 'all((r["ns_per_piece"] is None) == (r["piece_bytes"] == "none") for r in results)'
	echo 'bandwidth op=clear_page,copy_page extent=auto,4K piece=4K,2M size=4M repeat=2 warmup=1' >run
	all_ok 8
	refused EINVAL $'extent: op=copy_page takes one page\n' 'bandwidth op=copy_page extent=8K'
	refused EINVAL "piece: " 'bandwidth op=memset piece=4K irq=off'
	refused EINVAL $'irq: op=copy_to_user may sleep, so interrupts stay on\n' 'bandwidth op=copy_to_user irq=off'
	refused EINVAL "type: op=copy_to_user is for RAM that a process has; use type=wb" 'bandwidth op=copy_to_user type=wc'
}

# uses FLAG=WORD…: the word of the first of these flags that the CPU has.
uses() {
	local one
	for one in "$@" =loop; do
		! grep -m 1 ^flags /proc/cpuinfo | grep -qw -- "${one%=*}" || break
	done
	echo "'${one#*=}'"
}

@test "what a function of the kernel uses follows from the flags of the CPU" {
	local copy=erms other=rep_good
	# Linux 6.4 and later look at other flags.
	! grep -qw rep_movs_alternative /proc/kallsyms || copy=fsrm other=none
	copy=$(uses "$copy=rep_movsb" "$other=rep_movsq")
	echo 'bandwidth op=memcpy,copy_page,clear_page,csum_partial,memmove size=16K repeat=1 warmup=0' >run
	holds "[r['function_uses'] for r in results] == [$copy, $(uses rep_good=rep_movsq),
		$(uses erms=rep_stosb rep_good=rep_stosq), 'loop', None]"
}

# A request for an instruction that the CPU lacks is refused with that reason.
@test "stores that need an instruction of their own" {
	local op ops=write n=1
	for op in write_clflushopt write_clwb movdir64b write_prefetchw write_cldemote; do
		if echo "bandwidth op=$op size=4K repeat=1" >run; then
			ops+=,$op n=$((n + 1))
		else
			grep "^error: EOPNOTSUPP op: this CPU has no instruction for op=$op\$" run
		fi
	done
	refused EOPNOTSUPP "op: read_movrs is for user space" 'bandwidth op=read_movrs'
	echo "bandwidth op=$ops type=wb fence=none,sfence size=8K,272K repeat=2 warmup=1" >run
	all_ok $((n * 4))
	grep -w clwb /proc/cpuinfo || skip "no clwb"
	for type in wc uc; do
		refused EINVAL "type: op=write_clwb flushes caches, but memory of type=$type is never cached; use type=wb"$'\n' \
			"bandwidth op=write_clwb type=wb,$type"
	done
	echo 'bandwidth op=write_clwb readback=on width=8,32 size=8K repeat=2' >run
	all_ok 2
}

@test "these, too, in pieces, windows and two threads" {
	echo 'bandwidth cpu=0,1 op=rw31,rep_movsb,rep_stosb,memcpy_toio,memset_io irq=on,off page=direct,4k type=wb,uc size=272K repeat=1 warmup=0' >run
	all_ok 40
	echo 'bandwidth cpu=0,1 op=read,ntwrite,triad streams=4,16 irq=on,off page=direct,4k type=wb,uc size=272K repeat=1 warmup=0' >run
	all_ok 48
}

# The guest's watchdogs would report windows that are too long in the kernel log.
@test "long passes with interrupts off" {
	echo 'bandwidth op=read,write,ntwrite,copy type=wb,wc,uc size=64M irq=off repeat=1 warmup=0' >run
	all_ok 12
	holds 'all(r["window_max_ns"] for r in results)'
}
