#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What root may turn off until the next boot: modules without a known signature, then all modules.
# Then the power fails.
# shellcheck disable=SC2016 # the guest expands what stands in single quotes

load guest.bash

@test "a kernel that takes signed modules only: what make load says, with and without a key" {
	root 'echo Y >/sys/module/module/parameters/sig_enforce; rm -f /var/lib/dkms/mok.*'
	run -2 user sudo make load
	says "can't run here: this kernel takes signed modules only (no key: KEY=FILE names one" \
		"Documentation/security.rst says how to make one"
	user 'openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=mine/" \
		-outform DER -keyout MOK.priv -out MOK.der'
	run -2 user sudo make load KEY=MOK.priv
	says "memcache: signed with MOK.priv" "Key was rejected by service" \
		"memcache: this kernel does not trust the key that signed the module: see Documentation"
	[ "$(user /sbin/modinfo -F signer build/host-gcc/module/memcache.ko)" = mine ]
	run -1 user tools/memcache/memcache doctor
	says "fail  this kernel takes signed modules only (sign the module with a key that it trusts"
	unloaded
}

@test "a kernel that takes no modules any more" {
	root 'echo 1 >/proc/sys/kernel/modules_disabled'
	run -2 user sudo make run WHERE=host
	says "can't run here: kernel.modules_disabled is 1 (it stays so until a reboot"
	run -1 user tools/memcache/memcache doctor
	says "fail  kernel.modules_disabled is 1 (it stays so until a reboot"
}

@test "the power fails while a suite measures" {
	new user "tools/memcache/memcache run --where user -o cut.jsonl \
		bandwidth size=4K bandwidth size=1M repeat=1000000 bandwidth size=8K"
	await $! user 'grep -sq "\"record\":\"result\"" cut.jsonl'
	"$BATS_TEST_DIRNAME/../../tools/guest/disk" stop "$MACHINE"
	wait $! || true
}
