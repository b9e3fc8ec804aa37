#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Guests with PCI devices, and with ranges of memory that their kernels leave alone. They run
# the tests of selftests/devices.

load inside.bash

# All of them in one guest. A loop of one's own makes a thread die: it stores a word, then on any CPU
# but the first one it loads from address 0.
@test "BARs and physical ranges: by the command mmio, in a process, in the kernel, where a thread dies" {
	local kernel
	WITNESS_KO=$(tools/guest/build -w)
	export WITNESS_KO
	kernel=$(tools/guest/kernel 6.1)
	cat >"$BATS_TEST_TMPDIR/dies.loop" <<-'END'
		reads b
		writes a
		turn 64
		width 8
		loop
			movq $1, (%rdi)
			rdtscp
			andl $0xfff, %ecx
			jz 1f
			xorl %eax, %eax
			movq (%rax), %rax
		1:
	END
	PATH=$kernel/root/usr/bin:$PATH tools/memcache/memcache loop "$BATS_TEST_TMPDIR/dies.loop" \
		-o build/dies --where kernel --headers "$kernel/build"
	"$BATS_TEST_DIRNAME/error_tables.py" "$BATS_TEST_TMPDIR"
	ACPI="BERT=$BATS_TEST_TMPDIR/bert HEST=$BATS_TEST_TMPDIR/hest" \
		DEVICES="ivshmem=4M testdev=1M edu" \
		APPEND="memmap=16M\$0x18000000 memmap=1M\$0x17000000 memmap=32M%0x1a000000-1+0xefffffff iomem=relaxed" \
		guest devices/{mmio,user,targets,dead}.bats
}

# bats test_tags=long
@test "a reserved range that is not all memory" {
	MODULES="8M@0x100000000 8M@0x101000000" \
		APPEND="memmap=24M\$0x100000000 acpi_no_memhotplug" guest devices/gaps.bats
}

# bats test_tags=long
@test "physical ranges of a machine that UEFI firmware has started" {
	tools/setup uefi
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$BATS_TEST_TMPDIR/variables"
	FIRMWARE=$BATS_TEST_TMPDIR/variables APPEND="memmap=16M\$0x18000000" \
		guest devices/firmware.bats
}

@test "a disk in use is refused, and comes back whatever ends" {
	tools/setup storage
	DEVICES="virtio=16M nvme=4M shared=4M ahci=16M xhci=4M" guest devices/disks.bats
}
