#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel with lockdown=integrity, which does not enforce signatures otherwise, and whose firmware
# lists our certificate.

load signed.bash

@test "locked down from the start, signatures are not enforced otherwise" {
	[ "$(cat /sys/module/module/parameters/sig_enforce)" = N ]
	grep -qF '[integrity]' "$LOCKDOWN"
}

@test "an unsigned module is refused" {
	refused "Operation not permitted" "Lockdown: insmod: unsigned module loading is restricted" \
		"$UNSIGNED"
	doctor 1 "fail  a kernel that is locked down takes signed modules only (sign the module" \
		"fail  the kernel is locked down (integrity): it takes no request"
}

@test "a module signed with a key that is not enrolled is refused" {
	signed_by foreign
	refused "Operation not permitted" \
		"Lockdown: insmod: unsigned module loading is restricted" "$FOREIGN"
}

@test "a module signed with the known key loads, and user space measures" { user_space_measures; }
