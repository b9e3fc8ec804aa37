#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2030,SC2031 # for stubs to expand; each test is a shell of its own
#
# A guest gets KVM only when a probe boot has reached init: make run must never hang. QEMU is a
# stub here.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	unset ACCEL
	# The kernel is never booted, and the device can be opened.
	export MEMCACHE_CACHE=$BATS_TEST_TMPDIR/cache KVM_DEVICE=/dev/null
	kernel=$BATS_TEST_TMPDIR/kernel
	mkdir "$kernel"
	echo 6.1.0-test >"$kernel/release"
	# An incomplete archive would be packed again.
	echo 'TRAILER!!!' >"$kernel/initramfs-$(cat "$TOP/tools/guest/init" "$TOP/tools/guest/initramfs" |
		sha1sum | cut -c1-12).cpio"
}

accel() { "$TOP/tools/guest/accel" "$kernel"; }

@test "a probe that reaches init: KVM; unless ACCEL= or the machine says otherwise" {
	stub qemu-system-x86_64 'echo "memcache: init reached"'
	run -0 --separate-stderr accel
	[ "$output" = "kvm (a probe boot reached init)" ]
	for forced in tcg kvm; do
		ACCEL=$forced run accel
		[ "$output" = "$forced (ACCEL=$forced)" ]
	done
	KVM_DEVICE=$BATS_TEST_TMPDIR/none run accel
	[ "$output" = "tcg (this machine has no $BATS_TEST_TMPDIR/none)" ]
}

@test "a probe that hangs, deaf to signals: TCG after 10 s, and no probe again" {
	stub qemu-system-x86_64 'trap "" TERM; echo SeaBIOS; sleep 500 & wait; sleep 500
		touch "$BATS_TEST_TMPDIR/in-peace"'
	run -0 --separate-stderr accel
	[[ $output == "tcg (KVM does not work here: "* ]]
	[ ! -e "$BATS_TEST_TMPDIR/in-peace" ]
	first=$output
	run -0 --separate-stderr accel
	[ "$output" = "$first" ]
	[ -z "$stderr" ]
}
