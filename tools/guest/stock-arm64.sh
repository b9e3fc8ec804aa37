# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the guest `stock` does otherwise with a kernel for arm64, with variables and functions of
# the same names. stock.sh sources this file after its own functions.
# shellcheck disable=SC2034,SC2154	# its variables

packages=arm64-guest machine=virt console=ttyAMA0
# Elsewhere are programs for this machine, which the guest can't run.
search=/usr/sbin:/usr/bin:/sbin:/bin

# The guest sees its own programs above this machine's files.
processor() {
	local programs
	programs=$("$here/arm64-root")
	in_use "$programs"
	command=("${emulators}qemu-system-aarch64" -machine "$machine")
	case $accel in
	# Its clock ticks each nanosecond, and pages have 4 KiB in tables of four levels.
	sim*) command+=("${simulator[@]}" -cpu "max,sve=off,lpa2=off,pauth=off") ;;
	# With one thread for all CPUs, QEMU 10 raises no alignment fault on device memory.
	*) command+=(-accel "tcg,thread=multi" -cpu cortex-a76) ;;
	esac
	command+=(
		-fsdev "local,id=programs,path=$(quoted "$programs"),security_model=none,readonly=on"
		-device "virtio-9p-pci,fsdev=programs,mount_tag=programs")
}

# It boots with a device tree, which has neither.
cxl_known() { die "CXL=$CXL: the arm64 machine has no CXL"; }
promises() { die "HMAT=$HMAT: the arm64 machine has no such firmware"; }
