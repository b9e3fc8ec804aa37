# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A simulated Debian archive: packages of kernels that are a few bytes long.
# Source it after stubs.bash.
# shellcheck disable=SC2154	# its calls

# kernel_package RELEASE: make one package of the whole kernel, $BATS_TEST_TMPDIR/RELEASE.deb.
kernel_package() {
	local root=$BATS_TEST_TMPDIR/root-$1 src
	src=$root/usr/src/linux-headers-$1
	mkdir -p "$root"/{DEBIAN,boot,bin,lib/x86_64-linux-gnu} "$root/lib/modules/$1" \
		"$root/usr/lib/x86_64-linux-gnu" "$src"/include/{config,generated}
	printf 'Package: all\nVersion: 1\nArchitecture: amd64\nMaintainer: n\nDescription: d\n' \
		>"$root/DEBIAN/control"
	echo "a busybox" >"$root/bin/busybox"
	echo "include /usr/src/linux-headers-common/Makefile" >"$src/Makefile"
	echo "CONFIG_CC_IS_GCC=y" >"$src/include/config/auto.conf"
	echo "#define CONFIG_CC_IS_GCC 1" >"$src/include/generated/autoconf.h"
	# One sector of set-up code after the first, then the packed kernel, and its size.
	{
		head -c $((0x1f1)) /dev/zero
		printf '\1'
		head -c $((0x24c - 0x1f2)) /dev/zero
		printf '%b' "$(printf '\\%o' $(($(xz -c <<<"the kernel $1" | wc -c) + 4)))" '\0\0\0'
		head -c $((1024 - 0x250)) /dev/zero
		xz -c <<<"the kernel $1"
		printf 'size'
	} >"$root/boot/vmlinuz-$1"
	dpkg-deb --root-owner-group -b "$root" "$BATS_TEST_TMPDIR/$1.deb" >/dev/null
}

# archive RELEASE: from now on the archive has this kernel. $calls lists all calls of apt-get.
archive() {
	[ -e "$BATS_TEST_TMPDIR/$1.deb" ] || kernel_package "$1"
	stub apt-cache "echo 'Depends: linux-base, linux-image-$1 (= 1)'"
	stub apt-get "echo \"\$*\" >>$calls
		case \$* in
		*install*) echo Inst gcc-10 ;;
		*download*) cp $BATS_TEST_TMPDIR/$1.deb . ;;
		esac"
}
