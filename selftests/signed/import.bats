#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's kernel with Secure Boot, before a key is enrolled; and the request to enrol it.

load signed.bash

@test "Secure Boot enforces signatures and locks down" {
	mokutil --sb-state | grep -qx 'SecureBoot enabled'
	[ "$(cat /sys/module/module/parameters/sig_enforce)" = Y ]
	grep -qF '[integrity]' "$LOCKDOWN"
}

@test "an unsigned module is refused" {
	refused "Key was rejected by service" "Loading of unsigned module is rejected" "$UNSIGNED"
	doctor 1 "fail  this kernel takes signed modules only (sign the module" \
		"fail  the kernel is locked down (integrity): it takes no request"
}

@test "a module whose key is not enrolled yet is refused" {
	signed_by known
	refused "Key was rejected by service" \
		"Loading of module with unavailable key is rejected" "$FOREIGN"
}

@test "mokutil asks for its enrolment" {
	printf 'memcache\nmemcache\n' | mokutil --import "$KEYS/known.der"
	mokutil --list-new | grep 'CN=known'
}
