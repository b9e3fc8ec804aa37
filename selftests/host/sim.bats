#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The simulated machine as a tool: what it says when it can't start. The native test sim_prices has
# all wrong lines of a price file, and selftests/types compares what it measures with its prices.

load ../bats/words.bash

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP
	unset PRICES
	make -s -C "$TOP/tools/sim"
}

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# prices SED…: make a price file from the model's with sed.
prices() { sed "$@" "$TOP/tools/sim/prices" >prices; }

# refused LINE: the command exits with 1 and prints this line and nothing else.
refused() {
	PRICES=${2:-prices} run -1 "$TOP/tools/sim/check"
	[ "$output" = "memcache: PRICES=$1" ]
}

@test "the model's prices" {
	run -0 "$TOP/tools/sim/check"
	[[ $output == '{"uc_load_ns":200,'*'"memory_ns_0_1":140,'* ]]
}

@test "a wrong price file is named with its line" {
	prices '3i nonsense'
	refused "prices:3: nonsense: unknown key"
	refused "none: No such file or directory" none
	refused ".: Is a directory" .
}

# The plugin itself says what it can't do, before the machine has begun.
@test "what is wrong with the plugin's arguments is said" {
	local qemu
	qemu=$("$TOP/tools/guest/qemu" 10)/bin/qemu-system-x86_64
	prices '3i nonsense'
	for arguments in "prices=prices|prices:3: nonsense: unknown key" "module=0-1|prices= is missing" \
		"colour=red|'colour=red' is no argument of the simulated machine"; do
		run -1 timeout 600 "$qemu" -plugin "file=$TOP/build/sim/sim.so,${arguments%%|*}" -display none -S
		[[ $output == *"memcache: ${arguments#*|}"* ]]
	done
}

# A machine that hung while it booted is started again with the same arguments.
@test "the socket of a machine that died is made anew" {
	local qemu
	qemu=$("$TOP/tools/guest/qemu" 10)/bin/qemu-system-x86_64
	for _ in 1 2; do
		touch mark
		"$qemu" -display none -S -plugin \
			"file=$TOP/build/sim/sim.so,prices=$TOP/tools/sim/prices,cpu=0,control=$PWD/control" 3>&- &
		await $! test -S control -a control -nt mark
		ends_by KILL $!
	done
}

@test "the front end on it: its status, its records, no other prices than ours" {
	local ko
	ko=$("$TOP/tools/guest/build" -k 6.1)
	make -s -C "$TOP/tools/user"
	prices 's/^uc_load_ns .*/uc_load_ns = 333/'
	ACCEL=sim PRICES=prices MEMCACHE_KO=$ko MEMCACHE_PARAMS=size_mb=4 run -0 "$TOP/tools/guest/run" \
		stock -- "$TOP/tools/with-module" sh -c "'$TOP/tools/memcache/memcache' run \
		'bandwidth type=uc,wc width=8 size=64K irq=off repeat=3 verify=off' 'bandwidth size=1K' \
		-o /tmp/out; echo status \$?; cat /tmp/out"
	[[ $output == *"bandwidth size=1K: EINVAL: size: "* ]]
	[[ $output == *"A SIMULATED MACHINE (QEMU 10."*"UC load 333,"*$'\nstatus 2'* ]]
	grep '^{' <<<"$output" >out
	"$TOP/tools/check/schema" out
	# 8 bytes in 333 ns and one for the instruction.
	grep -o '"type":"uc".*"mb_per_s":2[34]\.' out
	[ "$(grep -c '"effective":"yes".*"mb_per_s"' out)" -eq 2 ]
}
