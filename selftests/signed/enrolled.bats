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

@test "a module signed with it loads, and user space measures" { user_space_measures; }

@test "others are still refused" {
	refused "Key was rejected by service" "Loading of unsigned module is rejected" "$UNSIGNED"
	signed_by foreign
	refused "Key was rejected by service" \
		"Loading of module with unavailable key is rejected" "$FOREIGN"
}
