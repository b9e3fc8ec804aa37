#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Guests with PCI devices, and with ranges of memory that their kernels leave alone. They run
# the tests of selftests/devices.

load inside.bash

@test "BARs and physical ranges" {
	WITNESS_KO=$(tools/guest/build -w)
	export WITNESS_KO
	"$BATS_TEST_DIRNAME/error_tables.py" "$BATS_TEST_TMPDIR"
	ACPI="BERT=$BATS_TEST_TMPDIR/bert HEST=$BATS_TEST_TMPDIR/hest" \
		DEVICES="ivshmem=4M testdev=1M edu" \
		APPEND="memmap=16M\$0x18000000 memmap=1M\$0x17000000 iomem=relaxed" \
		guest devices/targets.bats
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

@test "the command that takes a device, measures it and gives it back" {
	DEVICES="ivshmem=4M edu" guest devices/mmio.bats
}

@test "a disk in use is refused, and comes back whatever ends" {
	tools/setup storage
	DEVICES="virtio=16M nvme=4M shared=4M ahci=16M xhci=4M" guest devices/disks.bats
}

@test "BARs and physical ranges in a process" {
	DEVICES="ivshmem=4M testdev=1M edu" APPEND="memmap=32M%0x1a000000-1+0xefffffff" \
		guest devices/user.bats
}
