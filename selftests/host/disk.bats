#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Guests with a disk of their own (tools/guest/disk), with stubs for what makes the image and for
# QEMU. `make check-host-path` boots real ones.
# shellcheck disable=SC2016 # for the stubs to expand

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	# shellcheck source=selftests/host/archive.bash
	. "$BATS_TEST_DIRNAME/archive.bash"
	unset KERNEL QEMU CPUS DEVICES DIMM PMEM CXL HMAT MEM APPEND PACKAGES TIMEOUT
	unset FIRMWARE LOADER CONSOLE
	export MEMCACHE_CACHE=$BATS_TEST_TMPDIR/cache APT_ETC=$BATS_TEST_TMPDIR/etc
	export MEMCACHE_NO_SETUP=1 ACCEL=tcg
	mkdir -p "$APT_ETC/sources.list.d"
	echo "deb http://a.example/debian stable main" >"$APT_ETC/sources.list"
	archive 6.1.0-1-amd64
	stub id 'echo 0'
	stub mmdebstrap "echo \"mmdebstrap \$*\" >>$calls"'
for root; do case $root in */root) break ;; esac; done
mkdir "$root"
touch "$root"/{vmlinuz,initrd.img}'
	stub mke2fs ''
	stub qemu-img 'echo disk >"${!#}"'
	stub ssh-keygen 'echo "ssh-ed25519 AAAA test" >"${!#}.pub"'
	stub ssh 'echo running'
	# The first of these is not ours, but somebody listens there.
	stub qemu-system-x86_64 "echo \"qemu \$*\" >>$calls"'
[ -e '"$BATS_TEST_TMPDIR"'/taken ] || {
	touch '"$BATS_TEST_TMPDIR"'/taken
	echo "Could not set up host forwarding rule" >&2
	exit 1
}
while [ "$1" != -pidfile ]; do shift; done
echo $$ >"$2"
exec sleep 600'
	guest=$BATS_TEST_TMPDIR/one
}

teardown() { "$TOP/tools/guest/disk" stop "$guest"; }

disk() { "$TOP/tools/guest/disk" "$@" 3>&-; }

@test "what is mistyped is refused before anything is made" {
	run -1 disk
	[[ $output == "memcache: usage: "* ]]
	run -1 disk boot "$guest"
	[[ $output == "memcache: usage: "* ]]
	run -1 disk start
	[[ $output == "memcache: usage: "* ]]
	MEM=tiny run -1 disk start "$guest"
	[ "$output" = "memcache: MEM=tiny is no size" ]
	TIMEOUT=soon run -1 disk start "$guest"
	[ "$output" = "memcache: TIMEOUT=soon is no number of seconds" ]
	[ ! -e "$guest" ]
	[ ! -e "$calls" ] || ! grep mmdebstrap "$calls"
}

@test "an image needs root" {
	stub id 'echo 1000'
	run -1 disk image
	[ "$output" = "memcache: making the image of a disk needs root" ]
}

@test "each list of packages has an image, which is made once" {
	run -0 --separate-stderr disk image
	first=$output
	[ -e "$first/vmlinuz" ]
	run -0 --separate-stderr disk image
	[ "$output" = "$first" ]
	[ "$(grep -c mmdebstrap "$calls")" -eq 1 ]
	PACKAGES="make gcc" run -0 --separate-stderr disk image
	[ "$output" != "$first" ]
	grep 'mmdebstrap.*--include=linux-image-amd64 .* make gcc --' "$calls"
}

@test "a guest has a port of the loopback that is free, and no other network" {
	run -0 disk start "$guest"
	echo "$output"
	cat "$calls"
	ports=$(sed -n 's/.*restrict=on,hostfwd=tcp:127\.0\.0\.1:\([0-9]*\)-:22.*/\1/p' "$calls")
	[ "$(wc -l <<<"$ports")" -eq 2 ]
	grep -x "[[:space:]]*Port $(tail -n 1 <<<"$ports")" "$guest/ssh_config"
	[ "$(cat "$guest/tmpfiles")" = \
		"f+ /run/authorized_keys 0644 root root - ssh-ed25519 AAAA test" ]
	run -1 disk start "$guest"
	[ "$output" = "memcache: the guest runs already: $guest" ]
}

@test "the disk stays when the guest is ended, and is booted again" {
	APPEND=debugfs=off run -0 disk start "$guest"
	grep -F -- "systemd.hostname=one debugfs=off -drive if=virtio,format=qcow2,file=$guest/disk" "$calls"
	pid=$(<"$guest/pid")
	echo changed >"$guest/disk"
	run -0 disk stop "$guest"
	[ ! -e "$guest/pid" ]
	run ! kill -0 "$pid"
	run -0 disk start "$guest"
	[ "$(cat "$guest/disk")" = changed ]
	kill -0 "$(<"$guest/pid")"
}

@test "a guest that dies while it boots, or that QEMU refuses, is said" {
	stub ssh 'kill $(cat '"$guest"'/pid); exit 255'
	run -1 disk start "$guest"
	echo "$output"
	[[ $output == *"memcache: the guest died while it booted"* ]]
	stub qemu-system-x86_64 'echo "qemu: no such disk" >&2; exit 1'
	run -1 disk start "$guest"
	echo "$output"
	[[ $output == *"memcache: the guest does not start: qemu: no such disk" ]]
}

@test "a guest whose units have not all started is ended, and they are named" {
	stub ssh 'case $* in *--wait) echo degraded; exit 1 ;; *) echo "ssh.service failed" ;; esac'
	run -1 disk start "$guest"
	echo "$output"
	[[ $output == *"memcache: the guest is degraded:"*"ssh.service failed" ]]
	[ ! -e "$guest/pid" ]
}
