#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's kernel with Secure Boot, after a person has enrolled the key that import.bats asked for.

load signed.bash

@test "the key is enrolled" {
	mokutil --sb-state | grep -qx 'SecureBoot enabled'
	mokutil --test-key "$KEYS/known.der" | grep 'is already enrolled'
	grep 'asymmetri known: ' /proc/keys
}

@test "a module signed with it loads, and user space measures" {
	signed_by known
	"$TOP/tools/with-module"
	trusted
	doctor 1 "ok    modules are allowed, if they are signed" "ok    the module is loaded" \
		"warn  the kernel is locked down (integrity): it takes no request; user space can measure"
	run memcache run -o none 'bandwidth size=4K repeat=1'
	[[ $status -eq 1 && $output == *"the kernel is locked down (integrity)"*"--where user"* ]]
	memcache run --where user -o r.jsonl 'bandwidth type=wb,wc,uc size=4K repeat=1'
	grep -q '"attribute":"uc-"' r.jsonl
	rmmod memcache
}

@test "others are still refused" {
	refused "Key was rejected by service" "Loading of unsigned module is rejected" "$UNSIGNED"
	signed_by foreign
	refused "Key was rejected by service" \
		"Loading of module with unavailable key is rejected" "$FOREIGN"
}
