#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# `memcache mmio` and controllers whose disks are in use: in a guest that has two NVMe disks, one of
# them shared, and one each of virtio, SATA and USB.

load ../bats/module.bash

export PATH=$PATH:/usr/sbin:/sbin
export DM_DISABLE_UDEV=1	# nobody else makes /dev/mapper/*

setup_file() {
	local name
	insmod "$MEMCACHE_KO" size_mb=2
	modprobe -a nvme virtio_blk ahci sd_mod xhci_pci usb_storage ext4 btrfs dm_mod dm_crypt \
		raid1 bcache loop
	for name in nvme0n1 nvme1n1 vda sda sdb; do
		await 0 test -b "/dev/$name"
		head -c 4M /dev/urandom >"/dev/$name"
	done
}

setup() { cd "$BATS_TEST_TMPDIR" && mkdir on; }

# SIGTERM or SIGKILL comes to all processes at twenty moments.
@test "a disk in use is refused, its user named; a free one is measured, and comes back" {
	"$BATS_TEST_DIRNAME/disks.py"
}
