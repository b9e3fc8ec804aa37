#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's kernel with module.sig_enforce=1, after a person has enrolled a key (enrolled.bats) and
# then turned Secure Boot off.

load signed.bash

@test "the key is enrolled, and the kernel has not read it" {
	mokutil --sb-state | grep -x 'SecureBoot disabled'
	mokutil --test-key "$KEYS/known.der" | grep 'is already enrolled'
	not grep 'asymmetri known: ' /proc/keys
	grep -qF '[none]' "$LOCKDOWN"
}

@test "a module signed with it is refused" {
	signed_by known
	refused "Key was rejected by service" \
		"Loading of module with unavailable key is rejected" "$FOREIGN"
	doctor 1 "fail  this kernel takes signed modules only (sign the module" \
		"Secure Boot is off, so keys that mokutil has enrolled do not count"
}
