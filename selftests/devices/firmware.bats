#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# target=phys: where UEFI firmware has memory that it uses while the kernel runs.
# selftests/host/devices.bats boots a guest that firmware has started, with 16 MiB at 0x18000000
# that are reserved.

load ../bats/module.bash

MAP=/sys/firmware/efi/runtime-map
VARIABLES=/sys/firmware/efi/efivars

setup_file() {
	small_buffers
	modprobe efivarfs
	mount -t efivarfs efivarfs "$VARIABLES"
}

# owned FIRST BYTES: this range is refused, whatever the request says.
owned() {
	local range
	range=$(printf 'target=phys:0x%x+%d' "$1" "$2")
	refused EINVAL "target: some of this range belongs to the firmware: " \
		"bandwidth $range any_range=yes type=wb op=read size=4K"
	refused EINVAL "target: some of this range belongs to the firmware: " \
		"bandwidth $range any_range=yes write=yes type=uc size=4K"
}

@test "each line of the runtime map is refused, and so is what touches one" {
	local line first bytes count=0
	for line in "$MAP"/*; do
		first=$(($(cat "$line/phys_addr"))) bytes=$((4096 * $(cat "$line/num_pages")))
		owned $first $bytes
		owned $first 4096
		owned $((first + bytes - 4096)) 4096
		owned $((first - 4096)) 8192
		owned $((first + bytes - 4096)) 8192
		owned $((first - 4096)) $((bytes + 8192))
		count=$((count + 1))
	done
	[ $count -gt 3 ]
}

@test "ACPI tables and ACPI's storage are refused" {
	local first last count=0
	while IFS=' -' read -r first last _; do
		owned "0x$first" $((0x$last - 0x$first + 1))
		count=$((count + 1))
	done < <(grep -E ' : ACPI (Tables|Non-volatile Storage)$' /proc/iomem)
	[ $count -gt 1 ]
}

@test "no Reserved range is taken without a word" {
	local first last count=0
	while IFS=' -' read -r first last _; do
		not tee run <<<"bandwidth target=phys:0x$first+$((0x$last - 0x$first + 1)) op=read size=4K"
		grep -qE 'error: EINVAL (any_range: this range is reserved|target: )' run
		count=$((count + 1))
	done < <(grep -E ' : Reserved$' /proc/iomem)
	[ $count -gt 1 ]
}

@test "what nobody owns is measured, and the firmware's variables can still be read and written" {
	local name=$VARIABLES/Memcache-12345678-1234-1234-1234-123456789abc
	refused EINVAL "any_range: this range is reserved, and the kernel does not know what it is for; any_range=yes" \
		"bandwidth target=phys:0x18000000+16M write=yes op=write size=64K"
	echo "bandwidth target=phys:0x18000000+16M any_range=yes write=yes type=wb,uc op=write size=64K repeat=2" >run
	holds 'len(results) == 2' 'values("verified") == {"ok"}'
	cat "$VARIABLES"/BootOrder-* >/dev/null
	printf '\7\0\0\0here' >"$name"
	tail -c 4 "$name" | grep -qx here
	not grep -F 'Page fault caused by firmware' <(dmesg)
}
