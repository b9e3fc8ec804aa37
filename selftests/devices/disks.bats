#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# `memcache mmio` and controllers whose disks are in use: in a guest that has one each of NVMe,
# virtio, SATA and USB.

load ../bats/module.bash

FRONT=$BATS_TEST_DIRNAME/../../tools/memcache/memcache
DEVICES=/sys/bus/pci/devices
PATH=$PATH:/usr/sbin:/sbin
export DM_DISABLE_UDEV=1	# nobody else makes /dev/mapper/*

setup_file() {
	local name
	insmod "$MEMCACHE_KO" size_mb=2
	modprobe -a nvme virtio_blk ahci sd_mod xhci_pci usb_storage ext4 dm_mod
	for name in nvme0n1 nvme1n1 vda sda sdb; do
		until [ -b "/dev/$name" ]; do sleep 0.1; done
		head -c 8M /dev/urandom >"/dev/$name"
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR" && mkdir -p on
	NVME=$(nvme nvme) SHARED=$(nvme shared)
}

teardown() {
	cd /
	! mountpoint -q "$BATS_TEST_TMPDIR/on" || umount "$BATS_TEST_TMPDIR/on"
}

# The address of the controller of this disk.
controller() {
	local folder
	folder=$(readlink -f "/sys/class/block/$1")
	case $folder in
	*/nvme-subsystem/*) folder=$(readlink -f "${folder%/*}"/nvme?) ;;	# the head of multipath
	esac
	grep -oE '([0-9a-f]+:){2}[0-9a-f]{2}[.][0-7]/' <<<"$folder/" | tail -n 1 | tr -d /
}

# The disk of the NVMe controller with this serial number. Of multipath, it is the head.
nvme() {
	basename "$(dirname "$(grep -lx "$1 *" /sys/class/nvme/*/serial)")"/nvme*n1 | sed 's/c[0-9]*n/n/'
}

# refused DISK TEXT: mmio does not take its controller, and says TEXT.
refused() {
	local address driver
	address=$(controller "$1")
	driver=$(readlink -f "$DEVICES/$address/driver")
	not "$FRONT" mmio --yes --even "${3:-storage}" --where user "$address" >report 2>said
	cat said
	grep -q 'is left alone' said
	grep -qE "$2" said
	[ "$(readlink -f "$DEVICES/$address/driver")" = "$driver" ]
	case $(cat "$DEVICES/$address/driver_override") in '' | '(null)') ;; *) false ;; esac
	[ -b "/dev/$1" ]
}

@test "a file system on NVMe, here and in another mount namespace, and on a head of multipath" {
	mkfs.ext4 -q "/dev/$NVME"
	mount "/dev/$NVME" on
	echo before >on/file
	refused "$NVME" "$NVME is mounted on .*/on"
	echo after >>on/file
	sync
	umount on
	unshare --mount sh -c "mount /dev/$NVME on; echo >mounted; exec sleep 1000" 3>&- &
	until [ -e mounted ]; do sleep 0.1; done
	refused "$NVME" "$NVME is mounted on .*/on"
	kill $!
	wait $! || true
	mount "/dev/$NVME" on
	[ "$(tr '\n' ' ' <on/file)" = 'before after ' ]
	umount on
	[[ $(readlink "/sys/class/block/$SHARED") == */nvme-subsystem/* ]]
	mkfs.ext4 -q "/dev/$SHARED"
	mount "/dev/$SHARED" on
	refused "$SHARED" "$SHARED is mounted on .*/on"
}

@test "swap, and a process that has the disk open" {
	mkswap /dev/vda
	swapon /dev/vda
	refused vda 'vda is swapped to'
	swapoff /dev/vda
	sleep 1000 5</dev/vda 3>&- &
	refused vda "sleep [(]$![)] has vda open"
	kill $!
	wait $! || true
}

@test "what lies on SATA" {
	local sectors=16384
	echo "0 $sectors linear /dev/sda 0" | dmsetup create group-root
	mkfs.ext4 -q /dev/mapper/group-root
	mount /dev/mapper/group-root on
	refused sda 'group-root on sda is mounted on .*/on'
	umount on
	dmsetup remove group-root
}

@test "a USB controller with a disk" {
	refused sdb 'the USB device .* is there' serial
}

@test "what is free is measured, and comes back with all that was on it" {
	local disk address where sum
	for disk in "$NVME" "$SHARED" vda sda; do
		address=$(controller "$disk")
		sum=$(sha256sum <"/dev/$disk")
		for where in kernel user; do
			"$FRONT" mmio --yes --even storage --where "$where" -o "$disk-$where.jsonl" \
				"$address" >report 2>said || { cat report said; false; }
			grep -q "$address: given back" said
			until [ -b "/dev/$disk" ]; do sleep 0.1; done
			[ "$(sha256sum <"/dev/$disk")" = "$sum" ]
		done
	done
}

@test "SIGTERM and SIGKILL to all processes at any moment: NVMe has its driver and its contents back" {
	local address moment signal sum
	address=$(controller "$NVME")
	sum=$(sha256sum <"/dev/$NVME")
	for moment in $(seq 8); do
		signal=$((moment % 2 ? 15 : 9))
		LENT=$$ setsid "$FRONT" mmio --yes --even storage --where user -o "$moment.jsonl" \
			"$address" >report 2>&1 3>&- &
		sleep "$((moment * 9 / 10)).$((moment * 9 % 10))"
		# The one that gives it back has a session of its own, as in a control group.
		grep -lzx "LENT=$$" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3 |
			xargs -r kill -$signal || true
		wait $! || true
		if [ $signal = 9 ]; then
			"$FRONT" mmio --give-back
		else
			while [ -e /run/memcache ]; do sleep 0.1; done
		fi
		echo "moment $moment: $(cat report)"
		[ "$(readlink -f "$DEVICES/$address/driver")" = /sys/bus/pci/drivers/nvme ]
		case $(cat "$DEVICES/$address/driver_override") in '' | '(null)') ;; *) false ;; esac
		until [ -b "/dev/$NVME" ]; do sleep 0.1; done
		[ "$(sha256sum <"/dev/$NVME")" = "$sum" ]
	done
}
