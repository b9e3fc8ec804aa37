#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The cache of kernels: a kernel in it is complete and made by the recipe of this checkout,
# and several users do each other no harm.
# shellcheck disable=SC2154	# bats sets stderr

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	# shellcheck source=selftests/host/archive.bash
	. "$BATS_TEST_DIRNAME/archive.bash"
	export MEMCACHE_CACHE=$BATS_TEST_TMPDIR/cache APT_ETC=$BATS_TEST_TMPDIR/etc
	export MEMCACHE_NO_SETUP=1
	mkdir -p "$APT_ETC/sources.list.d"
	echo "deb http://a.example/debian stable main" >"$APT_ETC/sources.list"
	archive 6.1.0-1-amd64
	dir=$("$TOP/tools/guest/kernel" 6.1)
}

# another_checkout SCRIPT EDIT: copy the tools, and change one of them with sed.
another_checkout() {
	mkdir -p "$BATS_TEST_TMPDIR/other"
	cp -r "$TOP/tools" "$BATS_TEST_TMPDIR/other/"
	sed -i "$2" "$BATS_TEST_TMPDIR/other/tools/guest/$1"
	run -1 cmp -s "$TOP/tools/guest/$1" "$BATS_TEST_TMPDIR/other/tools/guest/$1"
	other=$BATS_TEST_TMPDIR/other/tools/guest
}

downloads() { grep -c download "$calls"; }

# made_anew WHAT: the next call makes the kernel again, once, and one line says why.
made_anew() {
	run --separate-stderr "$TOP/tools/guest/kernel" 6.1
	[ "$status" -eq 0 ]
	[ "$output" = "$dir" ]
	[ "$(grep -c damaged <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"memcache: $dir is damaged ($1) and made anew"* ]]
	[ "$(downloads)" -eq 2 ]
	[ "$(<"$dir/vmlinux")" = "the kernel 6.1.0-1-amd64" ]
	[ "$("$TOP/tools/guest/kernel" 6.1 2>&1)" = "$dir" ]
	[ "$(downloads)" -eq 2 ]
}

@test "a kernel is unpacked once" {
	[ "$(<"$dir/vmlinux")" = "the kernel 6.1.0-1-amd64" ]
	[ "$(<"$dir/release")" = 6.1.0-1-amd64 ]
	[ "$("$TOP/tools/guest/kernel" 6.1 2>&1)" = "$dir" ]
	[ "$(downloads)" -eq 1 ]
}

@test "a file that was cut short, or is missing: found, and made anew" {
	truncate -s 5 "$dir/vmlinux"
	made_anew vmlinux
}

@test "a file that is missing, of thousands: found" {
	rm "$dir/build/include/generated/autoconf.h"
	made_anew root/usr/src/linux-headers-6.1.0-1-amd64/include/generated/autoconf.h
}

@test "a link that is missing: found" {
	rm "$dir/build"
	made_anew build
}

@test "a list of contents that is empty: as if all were missing" {
	: >"$dir/.contents"
	made_anew "its list of contents"
}

@test "what a run that was cut short has left is no kernel, and goes" {
	mv "$dir" "$MEMCACHE_CACHE/kernels/.6.1.123"
	[ "$("$TOP/tools/guest/kernel" 6.1)" = "$dir" ]
	[ "$(downloads)" -eq 2 ]
	[ ! -e "$MEMCACHE_CACHE/kernels/.6.1.123" ]
}

@test "what could not be made leaves nothing" {
	run bash -c 'set -euo pipefail; . "$0/tools/lib.sh"; . "$0/tools/guest/cache.sh"
		make_part() { touch "$tmp/part"; false; echo went on; }
		provide building "$CACHE/thing-0123456789ab" make_part; echo went on' "$TOP"
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[ -e "$MEMCACHE_CACHE/.lock-thing" ]
	run ! compgen -G "$MEMCACHE_CACHE/*thing-*"
	run ! compgen -G "$MEMCACHE_CACHE/.thing.*"
}

@test "a kernel of before there were lists of contents is taken over, if it is whole" {
	old=$MEMCACHE_CACHE/kernels/6.1
	mv "$dir" "$old"
	rm "$old/.contents"
	[ "$("$TOP/tools/guest/kernel" 6.1 2>&1)" = "$dir" ]
	[ "$(realpath "$dir")" = "$old" ]
	[ "$(downloads)" -eq 1 ]
	rm "$old/busybox"
	made_anew busybox
	[ "$(realpath "$dir")" = "$dir" ]
	[ -e "$old/vmlinux" ]
	# An old kernel is adopted once, for one recipe.
	another_checkout kernel 's/depmod -b/depmod -a -b/'
	[ "$(realpath "$("$other/kernel" 6.1)")" != "$old" ]
}

@test "a kernel of before that was cut short is not" {
	old=$MEMCACHE_CACHE/kernels/6.1
	mv "$dir" "$old"
	rm "$old/.contents"
	truncate -s 5 "$old/vmlinux"
	[ "$("$TOP/tools/guest/kernel" 6.1)" = "$dir" ]
	[ "$(downloads)" -eq 2 ]
	[ "$(<"$dir/vmlinux")" = "the kernel 6.1.0-1-amd64" ]
}

@test "another recipe is another kernel; a comment is none" {
	another_checkout kernel 's/depmod -b/depmod -a -b/'
	theirs=$("$other/kernel" 6.1)
	[ "$theirs" != "$dir" ]
	[ "$(downloads)" -eq 2 ]
	[ "$("$TOP/tools/guest/kernel" 6.1)" = "$dir" ]
	[ "$("$other/kernel" 6.1)" = "$theirs" ]
	[ "$(downloads)" -eq 2 ]
	another_checkout kernel 's/^\t# .*/\t# Or not./'
	[ "$("$other/kernel" 6.1)" = "$dir" ]
}

@test "kernels built here: what builds them is part of the recipe" {
	name_of() {
		bash -c 'here=$0/tools/guest; . "$here/compile.sh"; name=uml
			build() { echo built >&2; }; compiled' "$1" 2>/dev/null
	}
	mine=$(name_of "$TOP")
	another_checkout compile.sh 's/^\tkmake -s allnoconfig/\tkmake allnoconfig/'
	[ "$(name_of "$BATS_TEST_TMPDIR/other")" != "$mine" ]
	another_checkout uml.config 's/^CONFIG_PRINTK=y/CONFIG_PRINTK=n/'
	[ "$(name_of "$BATS_TEST_TMPDIR/other")" != "$mine" ]
}

# headers CHECKOUT: the headers of the kernel for clang.
headers() {
	bash -c 'set -euo pipefail; here=$0/tools/guest; . "$0/tools/lib.sh"
		. "$here/cache.sh"; . "$here/clang.sh"; clang_headers "$1"' "$1" "$dir"
}

@test "other answers for clang: other headers, without a download, beside the old ones" {
	mine=$(headers "$TOP")
	run -1 grep CC_IS_GCC "$mine/include/config/auto.conf"
	grep -x CONFIG_CC_IS_CLANG=y "$mine/include/config/auto.conf"
	another_checkout clang.config "\$aCONFIG_NEW=y"
	theirs=$(headers "$BATS_TEST_TMPDIR/other")
	grep -x CONFIG_NEW=y "$theirs/include/config/auto.conf"
	[ "$(headers "$TOP")" = "$mine" ]
	run -1 grep NEW "$mine/include/config/auto.conf"
	: >"$mine/include/config/auto.conf"
	run --separate-stderr headers "$TOP"
	[ "$output" = "$mine" ]
	[[ $stderr == *"$mine is damaged (include/config/auto.conf) and made anew" ]]
	grep -x CONFIG_CC_IS_CLANG=y "$mine/include/config/auto.conf"
	[ "$("$TOP/tools/guest/kernel" 6.1 2>&1)" = "$dir" ]
	[ "$(downloads)" -eq 1 ]
}

@test "a kernel that somebody uses is not replaced before they have ended" {
	archive 6.1.0-2-amd64
	mkfifo "$BATS_TEST_TMPDIR/held"
	bash -c '. "$0/tools/lib.sh"; . "$0/tools/guest/cache.sh"; in_use "$1"
		echo >"$2"; exec cat "$2"' "$TOP" "$dir" "$BATS_TEST_TMPDIR/held" &
	read -r <"$BATS_TEST_TMPDIR/held"
	NEWEST=1 "$TOP/tools/guest/kernel" 6.1 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/said" &
	until grep -q "waiting for another run (use-" "$BATS_TEST_TMPDIR/said"; do
		kill -0 $!
		sleep 0.1
	done
	[ "$(<"$dir/release")" = 6.1.0-1-amd64 ]
	: >"$BATS_TEST_TMPDIR/held"
	wait
	[ "$(<"$BATS_TEST_TMPDIR/out")" = "$dir" ]
	[ "$(<"$dir/release")" = 6.1.0-2-amd64 ]
}

@test "two at once: one unpacks, the other has it" {
	rm -r "$dir"
	for i in 1 2 3; do
		"$TOP/tools/guest/kernel" 6.1 >"$BATS_TEST_TMPDIR/$i" &
	done
	wait
	[ "$(sort -u "$BATS_TEST_TMPDIR"/[123])" = "$dir" ]
	[ "$(downloads)" -eq 2 ]
}

@test "of other recipes those go that nobody has asked for in a week, or uses" {
	kernels=$MEMCACHE_CACHE/kernels
	mkdir "$kernels"/6.1-{0123456789ab,ba9876543210,aaaaaaaaaaaa,rt-0123456789ab}
	touch -d '8 days ago' "$kernels"/6.1-{0123456789ab,aaaaaaaaaaaa,rt-0123456789ab}
	rm "$dir/vmlinux"
	(
		exec 8>"$MEMCACHE_CACHE/.lock-use-6.1-aaaaaaaaaaaa"
		flock -s 8
		"$TOP/tools/guest/kernel" 6.1
	)
	[ ! -e "$kernels/6.1-0123456789ab" ]
	[ -e "$kernels/6.1-ba9876543210" ]
	[ -e "$kernels/6.1-aaaaaaaaaaaa" ]
	[ -e "$kernels/6.1-rt-0123456789ab" ]
}

@test "an initramfs that was cut short is packed again, another checkout's stays" {
	stub modprobe ""
	mine=$("$TOP/tools/guest/initramfs" "$dir")
	another_checkout init "\$a# another"
	theirs=$("$other/initramfs" "$dir")
	[ "$theirs" != "$mine" ]
	[ -e "$mine" ]
	cp "$mine" "$BATS_TEST_TMPDIR/whole"
	truncate -s 3000 "$mine"
	[ "$("$TOP/tools/guest/initramfs" "$dir")" = "$mine" ]
	[ "$(stat -c %s "$mine")" = "$(stat -c %s "$BATS_TEST_TMPDIR/whole")" ]
	[ "$("$TOP/tools/guest/kernel" 6.1 2>&1)" = "$dir" ]
	[ "$(downloads)" -eq 1 ]
}
