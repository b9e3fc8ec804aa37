#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Another version of QEMU in the cache, from a simulated archive.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	export MEMCACHE_CACHE=$BATS_TEST_TMPDIR/cache APT_ETC=$BATS_TEST_TMPDIR/etc
	mkdir -p "$APT_ETC/sources.list.d"
	echo "deb http://a.example/debian stable main" >"$APT_ETC/sources.list"
	offer 10.0.2
}

# offer VERSION: the archive has this version of QEMU. Its loader is a script, which says what it
# was called with.
offer() {
	local root=$BATS_TEST_TMPDIR/root loader
	loader=$root/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
	mkdir -p "$root"/{DEBIAN,lib/x86_64-linux-gnu,usr/lib,usr/bin,usr/share/{qemu,seabios}}
	printf 'Package: all\nVersion: 1\nArchitecture: amd64\nMaintainer: n\nDescription: d\n' \
		>"$root/DEBIAN/control"
	# shellcheck disable=SC2016	# for that script
	printf '#!/bin/sh\necho "version %s modules $QEMU_MODULE_DIR call $*"\n' "$1" >"$loader"
	chmod +x "$loader"
	dpkg-deb --root-owner-group -b "$root" "$BATS_TEST_TMPDIR/qemu.deb" >/dev/null
	stub apt-get "echo \"\$*\" >>$calls
		case \$* in
		*install*) echo Inst qemu-system-x86 ;;
		*download*) cp $BATS_TEST_TMPDIR/qemu.deb . ;;
		esac"
}

@test "it is fetched once, from backports, and runs with its own libraries" {
	dir=$("$TOP/tools/guest/qemu" 10)
	[ "$("$TOP/tools/guest/qemu" 10 2>&1)" = "$dir" ]
	[ "$(grep -c download "$calls")" -eq 1 ]
	grep -- '-o APT::Default-Release=bookworm-backports .*install qemu-system-x86 qemu-system-arm$' "$calls"
	for program in qemu-system-x86_64 qemu-system-aarch64; do
		run "$dir/bin/$program" -device "a b"
		echo "$output"
		own=$dir/bin/..
		[ "$output" = "version 10.0.2 modules $own/usr/lib/x86_64-linux-gnu/qemu call --library-path \
$own/usr/lib/x86_64-linux-gnu:$own/lib/x86_64-linux-gnu $own/usr/bin/$program \
-L $own/usr/share/qemu -L $own/usr/share/seabios -device a b" ]
	done
}

@test "another version than the one that was asked for is refused, and not kept" {
	offer 11.1.0
	run -1 "$TOP/tools/guest/qemu" 10
	[[ $output == *"bookworm-backports has no qemu-system-x86_64 10 that runs here"* ]]
	[ -z "$(find "$MEMCACHE_CACHE" -name 'qemu-*')" ]
}

@test "a file that is missing is found, and it is fetched anew" {
	dir=$("$TOP/tools/guest/qemu" 10)
	rm "$dir/bin/qemu-system-aarch64"
	run "$TOP/tools/guest/qemu" 10
	[[ $output == *"$dir is damaged (bin/qemu-system-aarch64) and made anew"* ]]
	[ -x "$dir/bin/qemu-system-aarch64" ]
}

@test "there are only certain versions" {
	run -1 "$TOP/tools/guest/qemu" 8
	[[ $output == *"QEMU=8: this machine's own is the default, and there is 10"* ]]
}
