# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What tools/guest/kernel does otherwise for arm64, with functions of the same names. It
# sources this file after its own functions. The packages are those of arm64. Only kbuild,
# to which the headers' scripts/ is a link, is that of this machine, where its programs run.
# shellcheck disable=SC2034,SC2154	# flavour is for offered(), suite is the caller's
apt_release "$DEBIAN" arm64
flavour=arm64:arm64

# download DIRECTORY IMAGE: fetch the packages that belong to IMAGE.
download() {
	local headers=${2/image/headers} others
	mapfile -t others < <(apt_depends "$suite" "$headers:arm64" |
		grep -E '^linux-(headers|kbuild)-')
	apt_fetch "$suite" "$1" "$2:arm64" "$headers:arm64" busybox-static:arm64 "${others[@]}"
}

# unpack_vmlinux VMLINUZ: write the kernel proper to stdout. It is packaged unpacked.
unpack_vmlinux() { cat "$1"; }
