#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel with module.sig_enforce=1 and without Secure Boot, whose firmware lists our certificate.

load signed.bash

@test "signatures are enforced, Secure Boot is off, the firmware's certificate is known" {
	[ "$(cat /sys/module/module/parameters/sig_enforce)" = Y ]
	grep -qF '[none]' "$LOCKDOWN"
	grep -q 'X509.rsa' /proc/keys
	grep 'asymmetri known: ' /proc/keys
	not grep 'asymmetri foreign: ' /proc/keys
}

@test "an unsigned module is refused" {
	refused "Key was rejected by service" "Loading of unsigned module is rejected" "$UNSIGNED"
	doctor 1 "fail  this kernel takes signed modules only (sign the module with a key that it trusts: make sign KEY=FILE;" \
		"Secure Boot is off, so keys that mokutil has enrolled do not count"
}

@test "a module signed with a key that is not enrolled is refused" {
	signed_by foreign
	refused "Key was rejected by service" \
		"Loading of module with unavailable key is rejected" "$FOREIGN"
}

@test "a module that was changed after it was signed is refused" {
	signed_by known
	printf X | dd of=memcache.ko bs=1 seek=4096 conv=notrunc status=none
	refused "Key was rejected by service" "" "$FOREIGN"
}

@test "a module signed with the known key loads, and a request measures" {
	signed_by known
	"$TOP/tools/with-module"
	trusted
	doctor 1 "ok    modules are allowed, if they are signed" "ok    the module is loaded" \
		"ok    no lockdown" "fail  emulated by QEMU"
	memcache run -o r.jsonl 'bandwidth type=wb,wc,uc size=4K repeat=1'
	grep -c '"record":"result",.*"where":"kernel"' r.jsonl
	[ "$(grep -c '"record":"result",.*"where":"kernel"' r.jsonl)" -eq 3 ]
	rmmod memcache
}
