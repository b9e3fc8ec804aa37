#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs of kselftest, started by hand.

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	STAGE=$("$TOP/tools/check/kselftest" by-hand)
	export TOP STAGE
}

setup() { unset MEMCACHE_KO WITNESS_KO MSR_KO; }

teardown_file() { rm -rf "$STAGE"; }

# skips PROGRAM MODULE: it skips for want of this module (a pattern), and says how to build it.
skips() {
	run "$STAGE/memcache/$1"
	echo "$1: $output"
	[ "$status" -eq 4 ]
	[ "${lines[0]}" = "TAP version 13" ]
	[[ ${lines[1]} =~ ^"1..0 # SKIP no "($2)".ko: ".*"tools/guest/build -k host" ]]
	[ "${#lines[@]}" -eq 2 ]
}

@test "a program without the module of a test skips, and says how to build it" {
	while IFS=: read -r _ name; do
		skips "$name" "memcache|mc_witness|mc_msr"
	done <"$STAGE/kselftest-list.txt"
	export MEMCACHE_KO=/none
	skips results mc_witness
	skips prefetch mc_msr
}
