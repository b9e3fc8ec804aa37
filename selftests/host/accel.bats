#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2030,SC2031 # for stubs to expand; each test is a shell of its own
#
# A guest gets KVM only when a probe boot has reached init. QEMU is a stub here, except in
# the last test.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
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

accel() { "$TOP/tools/guest/accel" "${1:-$kernel}"; }

@test "a probe that reaches init: KVM" {
	stub qemu-system-x86_64 'echo "memcache: init reached"'
	run --separate-stderr accel
	[ "$status" -eq 0 ]
	[ "$output" = "kvm (a probe boot reached init)" ]
	[[ $stderr == *"probing whether KVM works"* ]]
}

@test "a probe that hangs, deaf to signals: TCG after 10 s" {
	stub qemu-system-x86_64 'trap "" TERM; echo SeaBIOS; sleep 500 & wait; sleep 500
		touch "$BATS_TEST_TMPDIR/in-peace"'
	begun=$SECONDS
	run --separate-stderr accel
	[ "$status" -eq 0 ]
	[[ $output == "tcg (KVM does not work here: "* ]]
	[ $((SECONDS - begun)) -ge 9 ]
	[ ! -e "$BATS_TEST_TMPDIR/in-peace" ]
}

@test "a QEMU that can't start KVM: TCG at once" {
	stub qemu-system-x86_64 'echo "failed to initialize kvm" >&2; exit 1'
	# The failure is known at once, so nothing may wait.
	stub timeout 'exec "${@:3}"'
	stub sleep 'echo "sleep $*" >&2; exit 1'
	run --separate-stderr accel
	[[ $output == "tcg (KVM does not work here: "* ]]
	[[ $stderr != *sleep* ]]
}

@test "the verdict is kept: for this kernel, this QEMU, this boot" {
	stub qemu-system-x86_64 "echo probe >>'$BATS_TEST_TMPDIR/probes'"
	probes() { [ "$(wc -l <"$BATS_TEST_TMPDIR/probes")" -eq "$1" ]; }
	accel
	accel
	probes 1
	echo 6.1.0-other >"$kernel/release"
	accel
	probes 2
	echo 6.1.0-test >"$kernel/release"
	accel
	probes 2
	stub qemu-system-x86_64 "# another QEMU
		echo probe >>'$BATS_TEST_TMPDIR/probes'"
	accel
	probes 3
	mv "$MEMCACHE_CACHE/accel/$(cat /proc/sys/kernel/random/boot_id)" \
		"$MEMCACHE_CACHE/accel/an-earlier-boot"
	accel
	probes 4
	[ ! -e "$MEMCACHE_CACHE/accel/an-earlier-boot" ]
}

@test "no /dev/kvm: TCG, and no probe" {
	stub qemu-system-x86_64 'echo "memcache: init reached"'
	KVM_DEVICE=$BATS_TEST_TMPDIR/none run accel
	[ "$output" = "tcg (this machine has no $BATS_TEST_TMPDIR/none)" ]
}

@test "ACCEL= is obeyed, and no probe made" {
	stub qemu-system-x86_64 'echo "memcache: init reached"'
	for forced in tcg kvm; do
		ACCEL=$forced run accel
		[ "$output" = "$forced (ACCEL=$forced)" ]
	done
}

@test "this machine: a verdict with its reason, and the second one at once" {
	unset MEMCACHE_CACHE KVM_DEVICE
	"$TOP/tools/setup" guest
	kernel=$("$TOP/tools/guest/kernel" 6.1)
	first=$(accel "$kernel")
	[[ $first =~ ^(kvm|tcg)\ \(.+\)$ ]]
	run --separate-stderr accel "$kernel"
	[ "$output" = "$first" ]
	[ -z "$stderr" ]
}

@test "a kernel for arm64 is emulated, and ACCEL=kvm refused" {
	run "$TOP/tools/guest/accel" "$BATS_TEST_TMPDIR/6.1-arm64-0123456789ab"
	[ "$output" = "tcg (the kernel is for arm64)" ]
	ACCEL=kvm run "$TOP/tools/guest/accel" "$BATS_TEST_TMPDIR/6.1-arm64-0123456789ab"
	[ "$status" -eq 1 ]
	[ "$output" = "memcache: ACCEL=kvm: a kernel for arm64 is emulated on this machine" ]
}
