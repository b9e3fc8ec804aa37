#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# target=: BARs of PCI devices, and physical ranges. selftests/host/devices.bats boots a guest
# that has ivshmem (a BAR with memory behind it), testdev (one that drops what is written), edu
# (registers), and 16 MiB at 0x18000000 that are reserved, as is 1 MiB at 0x17000000, where
# firmware reports errors. With iomem=relaxed its kernel leaves the mappings that processes have of
# a BAR when a driver takes it.

load devices.bash

PHYS='phys:0x18000000+16M any_range=yes'

setup_file() { devices; }

@test "a device that nobody has bound is refused, and the error says how to bind it" {
	refused EINVAL "target: $IVSHMEM is not bound to the driver memcache; write memcache to its driver_override" \
		"bandwidth target=pci:$IVSHMEM/2 type=uc size=4K"
	refused ENODEV "target: there is no PCI device 0000:7f:00.0" \
		"bandwidth target=pci:0000:7f:00.0/2 type=uc size=4K"
	# An id is for all such devices, so it does not bind one.
	echo 1af4 1110 >/sys/bus/pci/drivers/memcache/new_id
	[ ! -e "$DEVICES/$IVSHMEM/driver" ]
	echo 1af4 1110 >/sys/bus/pci/drivers/memcache/remove_id
	# These are the ids that the PCI core makes up for a device that is offered.
	echo ffffffff ffffffff >/sys/bus/pci/drivers/memcache/new_id
	not compgen -G '/sys/bus/pci/drivers/memcache/*:*'
	echo ffffffff ffffffff >/sys/bus/pci/drivers/memcache/remove_id
}

@test "a BAR is owned, and has the type that was asked for" {
	bind "$IVSHMEM"
	grep -q ' : memcache$' /proc/iomem
	echo "bandwidth target=pci:$IVSHMEM/2 type=uc,wc op=read,ntread width=max size=64K offset=0,1M repeat=3" >run
	cat results
	holds 'len(results) == 8' 'values("verified") == {"off"}' 'values("memory_node") == {None}' \
		'[r["attribute"] for r in results] == 4 * ["uc-"] + 4 * ["wc"]' \
		"values('target') == {'pci:$IVSHMEM/2'}" 'values("effective") == {"unknown"}' \
		'values("write") == {"no"}' 'values("offset_bytes") == {0, 1 << 20}' \
		'len({(r["offset_bytes"], r["physical_range"]) for r in results}) == 2'
	start=$(sed -n 3p "$DEVICES/$IVSHMEM/resource" | sed 's/^0x0*\([0-9a-f]*\) .*/\1/')
	holds "results[0]['physical_range'] == '0x$start+64K'"
	grep -q 'physical_range' results
	unbind "$IVSHMEM"
	not grep -q ' : memcache$' /proc/iomem
	unchanged
}

@test "a BAR can be write-through or strongly uncached" {
	bind "$IVSHMEM"
	bind "$EDU"
	local bar=target=pci:$IVSHMEM/2
	echo "bandwidth $bar type=wt,np,uc op=read size=64K repeat=2" >run
	cat results
	holds '[r["attribute"] for r in results] == ["wt", "uc", "uc-"]' \
		'values("effective") == {"unknown"}'
	echo "bandwidth $bar write=yes type=wt,np op=write,ntwrite,read size=64K offset=1M repeat=2" >run
	holds 'len(results) == 6' 'values("verified") == {"ok"}'
	echo "bandwidth target=pci:$EDU/0 any_bar=yes type=np size=4K repeat=1 width=8" >run
	holds 'values("attribute") == {"uc"}'
	unchanged
}

@test "size=auto, and a size that is not given, is at most what the target has" {
	bind "$IVSHMEM"
	local bar=target=pci:$IVSHMEM/2
	echo "bandwidth $bar type=uc op=read offset=3M repeat=1 warmup=0" >run
	holds 'values("size_bytes") == {1 << 20}'
	echo "mmio $bar type=uc offset=4190208 repeat=1" >run
	holds 'values("size_bytes") == {4096}'
	refused EINVAL "size: 65536 bytes from offset=4190208 on" \
		"mmio $bar type=uc offset=4190208 size=64K"
}

@test "what could do harm is refused by name" {
	bind "$IVSHMEM"
	bind "$EDU"
	local bar=target=pci:$IVSHMEM/2 edu=target=pci:$EDU/0
	refused EINVAL "type: a BAR is never write-back; use type=uc or type=wc" "bandwidth $bar size=4K"
	refused EINVAL "write: this request of bandwidth writes" "bandwidth $bar type=uc op=write size=4K"
	refused EINVAL "write: this request of random writes" "random $bar type=uc size=4K"
	refused EINVAL "target: latency follows pointers" "latency $bar type=uc size=4K write=yes"
	refused EINVAL "target: overhead measures no memory" "overhead $bar type=uc"
	refused EINVAL "target: BAR 1 of $IVSHMEM is no memory" "bandwidth ${bar%2}1 type=uc size=4K"
	refused EINVAL "any_bar: BAR 0 of $EDU is not prefetchable" "bandwidth $edu type=uc size=4K"
	refused EINVAL "type: the CPU may read type=wc ahead" "bandwidth $edu any_bar=yes type=wc size=4K"
	refused EINVAL "type: the CPU may read type=wt ahead" "bandwidth $edu any_bar=yes type=wt size=4K"
	refused EOPNOTSUPP "type: RAM takes wb, wc and uc; wt is for a BAR" "bandwidth type=wt size=4K"
	refused EOPNOTSUPP "type: RAM takes wb, wc and uc; np is for a BAR" "bandwidth type=wb,np size=4K"
	refused EINVAL "size: 4096 bytes from offset=4194304 on are more than the target has: 4194304" \
		"bandwidth $bar type=uc size=4K offset=4M"
	refused EINVAL "size: 8388608 bytes" "bandwidth $bar type=uc size=8M"
	refused EINVAL "node: a target is where it is" "bandwidth $bar type=uc size=4K node=0"
	refused EINVAL "page: a target has the largest pages" "bandwidth $bar type=uc size=4K page=4k"
	refused EINVAL "offset: is for a BAR or a range" "bandwidth size=4K offset=4K"

	echo "bandwidth $edu any_bar=yes type=uc size=4K repeat=1 width=8" >run
	holds 'values("attribute") == {"uc-"}'
}

@test "a mapping of somebody else is noticed: ours has its type" {
	another hold
	bind "$IVSHMEM"
	refused EOPNOTSUPP "type: asked for wc, the page tables have uc-" \
		"bandwidth target=pci:$IVSHMEM/2 type=wc size=4K"
	kill $!
	wait $! || true
	echo "bandwidth target=pci:$IVSHMEM/2 type=wc size=4K repeat=1" >run
}

@test "write=yes: the data is right, and the contents come back" {
	bind "$IVSHMEM"
	local bar=target=pci:$IVSHMEM/2
	echo "bandwidth $bar write=yes type=uc,wc op=write,ntwrite,copy,memcpy_toio,__iowrite64_copy,memcpy_flushcache,read size=64K offset=64K repeat=2 warmup=0" >run
	cat results
	holds 'len(results) == 14' 'values("verified") == {"ok"}' 'values("write") == {"yes"}'
	echo "bandwidth $bar write=yes type=wc op=write size=4M repeat=1 warmup=0" >run
	unchanged
}

@test "write=yes: contents that do not come back are said, and results are kept" {
	local ok=
	another scribble
	bind "$IVSHMEM"
	# The word lies between the parts that are measured, so that their data is right. On a busy
	# machine the other program may not run while the contents are brought back: then once more.
	for _ in {1..20}; do
		! refused EIO "write: 4096 bytes of the target do not have their contents back" \
			"bandwidth target=pci:$IVSHMEM/2 write=yes type=uc op=read size=64K offset=0,3M repeat=1 warmup=0" ||
			{ ok=yes && break; }
	done
	kill $!
	wait $! || true
	[ "$ok" ]
	holds 'len(results) == 2' 'values("verified") == {"ok"}'
	unchanged
}

@test "write=yes: memory that drops what is written is refused" {
	bind "$TESTDEV"
	start=$(sed -n 3p "$DEVICES/$TESTDEV/resource" | sed 's/^0x0*\([0-9a-f]*\) .*/\1/')
	for line in "bandwidth type=uc op=write" "mmio type=np op=write_read"; do
		refused EOPNOTSUPP "target: the page at 0x$start is not memory: what was written is not read" \
			"$line target=pci:$TESTDEV/2 any_bar=yes write=yes size=4K"
	done
	# To read what it has instead is fine.
	echo "mmio target=pci:$TESTDEV/2 any_bar=yes type=uc op=read size=4K repeat=1" >run
	holds 'len(results) == 1'
}

# faults N BYTES LINE: the N-th first access of the request faults, one of so many bytes.
faults() {
	echo "try fault $1" >/sys/kernel/debug/mc_witness/fault
	refused EOPNOTSUPP "width: the target does not take an access of $2 bytes: it faults" "$3"
	grep -q '^hits=[1-9]' /sys/kernel/debug/mc_witness/state
}

@test "an access that faults is an error, of every width" {
	local bar=target=pci:$IVSHMEM/2
	insmod "$WITNESS_KO"
	bind "$IVSHMEM"
	faults 1 8 "bandwidth $bar type=uc op=read size=64K"
	faults 1 4 "mmio $bar type=uc op=read width=16"
	faults 2 16 "mmio $bar type=uc op=read width=16"
	for width in 1 2 4; do faults 1 $width "mmio $bar type=uc op=read width=$width"; done
	faults 1 4 "bandwidth $bar type=uc write=yes op=write width=32 size=64K"
	faults 2 32 "bandwidth $bar type=uc write=yes op=write width=32 size=64K"
	# While contents are saved, wide accesses are tried which need not work.
	echo "try fault 3" >/sys/kernel/debug/mc_witness/fault
	echo "bandwidth $bar type=uc write=yes op=write width=32 size=64K repeat=1" >run
	holds 'values("verified") == {"ok"}'
	faults 9 4 "bandwidth $bar type=uc write=yes op=write width=32 size=64K"
	faults 2 16 "bandwidth $bar type=uc op=read width=max size=64K"
	faults 1 8 "bandwidth target=$PHYS type=wb op=read size=64K"
	echo "bandwidth $bar type=uc write=yes op=write width=32 size=64K repeat=1" >run
	holds 'values("verified") == {"ok"}'
	rmmod mc_witness
	unchanged
}

@test "mmio: what an access costs, of every operation and width" {
	bind "$IVSHMEM"
	local bar=target=pci:$IVSHMEM/2
	echo "mmio $bar type=uc,wc op=read width=1,2,4,8,16 size=16K repeat=2" >run
	cat results
	holds 'len(results) == 10' 'values("verified") == {"off"}' 'values("wide_reads") == {None, "like_narrow"}' \
		'all(r["ns_per_access"] > 0 and r["p99_ns_per_access"] <= r["max_ns_per_access"] for r in results)' \
		'[r["attribute"] for r in results] == 5 * ["uc-"] + 5 * ["wc"]'
	refused EINVAL "write: this request of mmio writes" "mmio $bar type=uc op=write_read size=4K"
	echo "mmio $bar write=yes type=uc,wc op=write,write_read,burst width=1,4,8,16 size=16K repeat=2" >run
	cat results
	holds 'len(results) == 24' 'values("verified") == {"ok"}' \
		'all((r["burst_bytes"] is None) == (r["op"] != "burst") for r in results)' \
		'all((r["flush_ns"] is None) == (r["op"] != "burst") for r in results)'
	unchanged
}

# away COMMAND…: in the middle of a run that writes, the device goes away by this command.
away() {
	bind "$IVSHMEM"
	bash -c "echo 'bandwidth target=pci:$IVSHMEM/2 write=yes type=uc op=write size=1M warmup=0 repeat=1000000' >run" \
		2>"$BATS_TEST_TMPDIR/said" 3>&- &
	await $! grep -q '^running [1-9]' progress
	"$@"
	not wait $!
	grep "No such device" "$BATS_TEST_TMPDIR/said"
	cat run
	grep -q "^error: ENODEV target: $IVSHMEM went away while the run was on" run
	grep -q '^state: failed$' run
	grep -q '^  bandwidth' results
	not grep -q ' : memcache$' /proc/iomem
}

@test "a run that is stopped or killed brings the contents back" {
	local how
	bind "$IVSHMEM"
	# Nothing is brought back yet when the word is written, so nothing is given up.
	for how in 'echo >stop' 'echo contents >stop' 'kill -KILL $!' 'kill -INT $!'; do
		env --default-signal=INT bash -c "echo 'bandwidth target=pci:$IVSHMEM/2 write=yes type=uc op=write size=4M warmup=0 repeat=1000000' >run" \
			3>&- 2>/dev/null &
		await $! grep -q '^running [1-9]' progress
		eval "$how"
		not wait $!
		await 0 grep -q idle progress
		not grep EIO run
	done
	unchanged
}

@test "unbinding ends the run, and the contents come back" {
	away unbind "$IVSHMEM"
	unchanged
}

removed() { echo 1 >"$DEVICES/$IVSHMEM/remove"; }

@test "hot-unplug ends the run; the device can come back" {
	away removed
	[ ! -e "$DEVICES/$IVSHMEM" ]
	echo 1 >/sys/bus/pci/rescan
	unchanged
}

@test "a range that is reserved has all types" {
	echo "bandwidth target=$PHYS type=wb,wc,uc op=read size=64K,1M repeat=3" >run
	cat results
	holds 'len(results) == 6' "values('target') == {'${PHYS% *}'}" \
		'[r["attribute"] for r in results] == ["wb"] * 2 + ["wc"] * 2 + ["uc-"] * 2' \
		'values("physical_range") == {"0x18000000+64K", "0x18000000+1M"}'
	echo "bandwidth target=$PHYS write=yes type=wb,wc,uc op=write,ntwrite,copy size=64K offset=8M repeat=3" >run
	holds 'len(results) == 9' 'values("verified") == {"ok"}' \
		'[r["attribute"] for r in results][::3] == ["wb", "wc", "uc-"]'
	echo "latency target=$PHYS write=yes type=wb size=64K repeat=3" >run
	holds 'values("verified") == {"ok"}'
	echo "bandwidth target=$PHYS write=yes type=wt,np,wb op=write,read size=64K offset=8M repeat=2" >run
	holds 'len(results) == 6' 'values("verified") == {"ok"}' \
		'[r["attribute"] for r in results][::2] == ["wt", "uc", "wb"]'
	not grep -q ' : memcache$' /proc/iomem
}

@test "other physical ranges are refused" {
	refused EINVAL "target: some of this range is System RAM" "bandwidth target=phys:0x10000000+4K size=4K"
	refused EINVAL "target: some of this range is System RAM" "bandwidth target=phys:0x18000000+32M size=4K"
	refused EINVAL "target: this range is not reserved" "bandwidth target=phys:0x200000000000+4K size=4K"
	refused EINVAL "any_range: this range is reserved, and the kernel does not know what it is for; any_range=yes" \
		"bandwidth target=${PHYS% *} op=read size=4K"
	# Beside the reserved range in the list, there is nothing.
	refused EINVAL "target: this range is not reserved" \
		"bandwidth target=phys:0xfffc0000+1M any_range=yes op=read size=4K"
}

@test "ACPI tables are refused, also in a range that is just reserved" {
	local table tables=0
	# ACPI: FACP 0x000000003FFE2072 000074 (v01 BOCHS  BXPC     00000001 BXPC 00000001)
	while read -r table; do
		refused EINVAL "target: some of this range belongs to the firmware: ACPI tables" \
			"bandwidth target=phys:$(printf 0x%x $((table & ~4095)))+4K any_range=yes op=read size=4K"
		tables=$((tables + 1))
	done < <(dd if=/dev/kmsg iflag=nonblock 2>/dev/null | sed -n '/ACPI: RSDP/d; s/.*;ACPI: [A-Z]* \(0x[0-9A-F]*\) .*v0.*BOCHS.*/\1/p')
	[ $tables -gt 2 ]
}

# reports ADDRESS: the firmware reports errors in this page.
reports() {
	refused EINVAL "target: some of this range belongs to the firmware: the place where it reports hardware errors" \
		"bandwidth target=phys:$1+4K any_range=yes op=read size=4K"
}

# spare ADDRESS: nobody uses this page.
spare() { echo "bandwidth target=phys:$1+4K any_range=yes op=read size=4K repeat=1" >run; }

@test "the places where the firmware reports errors are refused" {
	reports 0x17000000
	reports 0x1700f000
	spare 0x17010000
	# Registers, and what they point to.
	reports 0x17020000
	reports 0x17021000
	spare 0x17040000
	spare 0x17084000
	printf '\0\0\4\27\0\0\0\0' | dd of=/dev/mem bs=8 seek=$((0x17020000 / 8)) conv=notrunc
	printf '\0\100\10\27\0\0\0\0' | dd of=/dev/mem bs=8 seek=$((0x17021000 / 8)) conv=notrunc
	reports 0x17040000
	reports 0x17043000
	spare 0x17044000
	reports 0x17084000
	reports 0x17087000
	spare 0x17088000
}

@test "the module can go while a device is bound to it" {
	bind "$IVSHMEM"
	cd /
	rmmod memcache
	[ ! -e "$DEVICES/$IVSHMEM/driver" ]
	unchanged
	small_buffers
}

# slot DEVICE: where the firmware can switch it off.
slot() { grep -lx "${1%.*}" /sys/bus/pci/slots/*/address; }

# The machine ejects the device, which stays away.
ejected() { echo 0 >"$(dirname "$(slot "$IVSHMEM")")/power"; }

@test "a device that the machine ejects ends the run" {
	away ejected
	[ ! -e "$DEVICES/$IVSHMEM" ]
	echo 1 >/sys/bus/pci/rescan
	[ ! -e "$DEVICES/$IVSHMEM" ]
	refused ENODEV "target: there is no PCI device $IVSHMEM" "bandwidth target=pci:$IVSHMEM/2 type=uc size=4K"
}
