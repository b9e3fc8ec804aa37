#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The module on arm64: memory types, every operation on each of them, and what this architecture
# has not. QEMU emulates the CPU, so no test looks at how fast it is.

load ../bats/module.bash

setup_file() { small_buffers; }

# all_ok RECORDS REQUEST: there are so many results, and each was verified.
all_ok() {
	echo "$2" >run
	holds "len(results) == $1" 'values("verified") == {"ok"}'
}

# In each line of `buffers` are the attributes of the page tables and of the instruction AT; it
# says `mixed` if they differ.
@test "a buffer of every type has its attribute" {
	cat buffers
	grep '^wb standing pages=512 .* attribute=wb ' buffers
	grep '^wc standing pages=512 .* attribute=nc .* mapped_4k=yes ' buffers
	grep '^uc standing pages=512 .* attribute=nGnRE .* mapped_4k=yes ' buffers
	grep '^leaked_pages=0$' buffers
}

@test "a run's own buffers have it, too, on each node" {
	all_ok 8 'bandwidth type=wb,wc,uc,np node=0,1 op=write size=4M repeat=1 warmup=0'
	holds '[(r["type"], r["attribute"], r["memory_node"]) for r in results] ==
		[("wb", "wb", 0), ("wb", "wb", 1), ("wc", "nc", 0), ("wc", "nc", 1),
		("uc", "nGnRE", 0), ("uc", "nGnRE", 1), ("np", "nGnRnE", 0), ("np", "nGnRnE", 1)]'
	not grep ' run ' buffers
}

@test "types are compared in mappings of the same size" {
	all_ok 4 'bandwidth type=wb,wc,uc,np size=64K repeat=2'
	holds 'values("page") == {"4k"}'
	all_ok 1 'bandwidth page=direct size=64K repeat=2'
	refused EOPNOTSUPP "page: on this machine, only type=wb can be measured in the direct map" \
		'bandwidth type=wc page=direct'
}

# What was written as one type is read as another one: a line that a cache kept would show.
@test "types follow each other on the same pages" {
	for _ in 1 2 3; do
		all_ok 6 'bandwidth type=uc,wc,np,wb,wc,uc op=write size=4M repeat=1 warmup=0'
	done
	holds '[r["attribute"] for r in results] == ["nGnRE", "nc", "nGnRnE", "wb", "nc", "nGnRE"]'
	grep '^leaked_pages=0$' buffers
}

@test "every operation and width on every type" {
	all_ok 432 'bandwidth op=read,write,copy,rmw,triad,triad4,rw31,rw21,rw11 width=8,16,32 type=wb,wc,uc,np fence=none,uc verify=each,deferred size=12K repeat=2 warmup=1'
	all_ok 48 'bandwidth op=rw32,rw41,rw91 width=16,32 type=wb,wc,uc,np fence=none,uc size=20K repeat=2 warmup=1'
	all_ok 96 'bandwidth op=ntread,ntwrite,ntcopy,nttriad,ntrw31,ntrw21,ntrw11,ntrw32,ntrw41,ntrw91,read,write width=max type=wb,wc,uc,np verify=each,deferred size=80K repeat=2 warmup=1'
}

@test "streams, orders, kinds of data and windows on every type" {
	all_ok 36 'bandwidth op=read,write,triad width=8,16,32 streams=4 type=wb,wc,uc,np size=48K repeat=2 warmup=1'
	all_ok 32 'bandwidth op=read,write,copy,rw31 pattern=random width=16,32 type=wb,wc,uc,np size=64K repeat=2 warmup=1'
	all_ok 16 'bandwidth op=write,copy data=random,zero type=wb,wc,uc,np size=36K repeat=2 warmup=1'
	all_ok 16 'bandwidth cpu=0,1 op=write,copy irq=on,off type=wb,wc,uc,np size=272K repeat=2 warmup=1'
}

@test "every fence on every type, behind assembly and behind the kernel's own functions" {
	all_ok 168 'bandwidth op=read,write,memcpy_toio type=wb,wc,uc,np size=8K repeat=2 warmup=1 fence=none,uc,dmb_sy,dmb_ish,dmb_ishld,dmb_ishst,dmb_osh,dmb_oshld,dmb_oshst,dsb_sy,dsb_ld,dsb_st,dsb_ish,dsb_ishst verify=each'
}

@test "the kernel's own functions" {
	all_ok 16 'bandwidth op=memcpy_toio,memcpy_fromio,memset_io,__iowrite64_copy type=wb,wc,uc,np size=8K repeat=2 warmup=1'
	all_ok 12 'bandwidth op=memset,memcpy,memmove,csum_partial,clear_page,copy_page type=wb,wc size=16K repeat=2 warmup=1'
	all_ok 6 'bandwidth op=copy_from_user,copy_to_user,clear_user align=0,1 tail=3 size=16K repeat=2 warmup=1'
	all_ok 2 'bandwidth op=memcpy_flushcache type=wb,wc size=8K repeat=2 warmup=1'
}

@test "pointer chases and random places on every type" {
	all_ok 12 'latency type=wb,wc,uc,np pattern=random size=16K,64K,272K repeat=2 warmup=0'
	all_ok 8 'random op=read,write type=wb,wc,uc,np size=16K count=1K repeat=2 warmup=0'
	all_ok 2 'random align=1 type=wb,wc size=16K count=1K repeat=2 warmup=0'
}

# Such a fault stops the kernel.
@test "what faults on device memory is refused" {
	refused EOPNOTSUPP "type: op=memcpy_flushcache makes accesses that fault on device memory, which type=uc is" \
		'bandwidth op=memcpy_flushcache type=wb,uc'
	refused EOPNOTSUPP "type: op=memcpy_flushcache makes accesses that fault on device memory, which type=np is" \
		'bandwidth op=memcpy_flushcache type=np'
	refused EOPNOTSUPP "align: 1 makes accesses that fault on device memory, which type=uc is" \
		'random align=1 type=wb,uc size=64K'
	refused EOPNOTSUPP "align: 1 makes accesses that fault on device memory, which type=np is" \
		'random align=1 type=np size=64K'
	grep '^state: refused$' run
}

# The witness has a try access an address where nothing is mapped, as if the CPU refused it.
@test "a fault of an access is survived, and only that request fails" {
	insmod "$WITNESS_KO"
	echo 'try fault 1' >/sys/kernel/debug/mc_witness/fault
	refused EOPNOTSUPP "type: memory of type=uc faults on accesses of 8 bytes on this machine" \
		'bandwidth type=wb,uc size=4M repeat=1'
	grep '^hits=1$' /sys/kernel/debug/mc_witness/state
	grep '^leaked_pages=0$' buffers
	echo 'try fault 1' >/sys/kernel/debug/mc_witness/fault
	refused EOPNOTSUPP "type: memory of type=np faults on accesses of 8 bytes on this machine" \
		'bandwidth type=np size=4K repeat=1'
	all_ok 3 'bandwidth type=wb,uc,np size=4M repeat=1'
	rmmod mc_witness
}

# Only device memory faults on what is not aligned. QEMU before version 9 raises no such fault.
@test "an alignment fault of an access is survived, and only that request fails" {
	insmod "$WITNESS_KO"
	echo 'try align 1' >/sys/kernel/debug/mc_witness/fault
	all_ok 1 'bandwidth type=wc size=4M repeat=1'
	grep '^hits=1$' /sys/kernel/debug/mc_witness/state
	[ "${QEMU:-}" ] || { rmmod mc_witness; skip "this version of QEMU may raise none; QEMU=10 does"; }
	for type in uc np; do
		echo 'try align 1' >/sys/kernel/debug/mc_witness/fault
		refused EOPNOTSUPP "type: memory of type=$type faults on accesses of 8 bytes on this machine" \
			"bandwidth type=$type size=4M repeat=1"
	done
	grep '^hits=3$' /sys/kernel/debug/mc_witness/state
	grep '^leaked_pages=0$' buffers
	all_ok 3 'bandwidth type=wb,uc,np size=4M repeat=1'
	rmmod mc_witness
}

@test "what an arm64 CPU has not is refused" {
	refused EOPNOTSUPP "fence: this CPU has no sfence" 'bandwidth fence=sfence'
	refused EOPNOTSUPP "fence: this CPU has no mfence" 'bandwidth fence=mfence'
	refused EOPNOTSUPP "op: this CPU has no instruction for op=movdir64b" 'bandwidth op=movdir64b'
	refused EOPNOTSUPP "op: this CPU has no instruction for op=rep_movsb" 'bandwidth op=rep_movsb'
	refused EINVAL "width: op=write has no access of 64 bytes" 'bandwidth op=write width=64'
	refused EOPNOTSUPP "type: RAM takes wb, wc, uc and np; wt is for a BAR" 'bandwidth type=wt'
}

@test "prefetchers can't be switched, and that is said" {
	cat machine
	holds 'machine["prefetch"] == {"known": False, "msr": None, "mask": None, "state": None}'
	echo 'bandwidth prefetch=keep,auto size=4K repeat=1' >run
	holds 'values("prefetch") == {"keep"}'
	refused EOPNOTSUPP "prefetch: off is not possible: on arm64 only firmware can do that" \
		'bandwidth prefetch=off size=4K'
}

@test "machine is one JSON object about an arm64 machine" {
	holds 'machine["cpu"] == "Arm Cortex-A76"' 'machine["cpu_vendor"] == "Arm"' \
		"machine['kernel'] == '$(uname -r)'" \
		'machine["clock"] == "cntvct"' 'machine["clock_khz"] > 0' 'machine["clock_cost_ns"] > 0' \
		'machine["pat"] is None' 'machine["page_table_levels"] == 4' \
		'machine["width_max_bytes"] == 32' \
		'[(c["level"], c["kind"], c["size_bytes"], c["line_bytes"]) for c in machine["caches"]] ==
			[(1, "data", 65536, 64), (1, "code", 65536, 64), (2, "unified", 524288, 64)]' \
		'[(n["node"], n["cpus"]) for n in machine["nodes"]] == [(0, "0"), (1, "1")]'
}

@test "other tests measure, too" {
	for request in "line size=64K" "tlb size=64K" "overhead" "c2c size=4K cpu=0,1" \
		"loaded size=256K delay=0,100 cpu=0,1" "file path=$BATS_TEST_TMPDIR/file bytes=64K op=write,read"; do
		echo "$request repeat=2 warmup=0" >run
		holds 'results'
	done
}

@test "loads and unloads, and every page comes back" {
	cd / && rmmod memcache
	free=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
	for ((i = 0; i < 4; i++)); do
		insmod "$MEMCACHE_KO"
		echo 'bandwidth type=wb,wc,uc,np size=4K,20M fence=uc repeat=1' >"$FILES/run"
		rmmod memcache
	done
	# 48 MiB of standing buffers were freed 4 times, and as much of runs.
	left=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
	echo "$free KiB free before, $left after"
	small_buffers
	[ $((free - left)) -lt 50000 ]
}
